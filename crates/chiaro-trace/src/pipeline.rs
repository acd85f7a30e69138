//! What rays call: groups of stages, and the table whose records name them.

use std::fmt;

use crate::flaw::Flaw;

/// Kinds of stages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Where a launch begins.
    RayGeneration,
    /// Says where a ray meets what is in a box.
    Intersection,
    /// Says whether a hit counts.
    AnyHit,
    /// Is called at the nearest hit.
    ClosestHit,
    /// Is called where there is none.
    Miss,
    /// Is called by number.
    Callable,
}

impl Kind {
    /// What it is called in sentences.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::RayGeneration => "ray generation",
            Kind::Intersection => "intersection",
            Kind::AnyHit => "any-hit",
            Kind::ClosestHit => "closest-hit",
            Kind::Miss => "miss",
            Kind::Callable => "callable",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Stages that a record names together, each by its number in the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Group {
    /// A ray generation, miss or callable stage.
    General(usize),
    /// What happens at triangles.
    Triangles {
        /// At the nearest hit.
        closest: Option<usize>,
        /// At each hit that is not opaque.
        any: Option<usize>,
    },
    /// What happens at boxes.
    Procedural {
        /// At the nearest hit.
        closest: Option<usize>,
        /// At each hit that is not opaque.
        any: Option<usize>,
        /// Says what is hit.
        intersection: usize,
    },
}

impl Group {
    /// The stage that is called at the nearest hit.
    #[must_use]
    pub fn closest(self) -> Option<usize> {
        match self {
            Group::General(_) => None,
            Group::Triangles { closest, .. } | Group::Procedural { closest, .. } => closest,
        }
    }

    /// The stage that is asked about hits that are not opaque.
    #[must_use]
    pub fn any(self) -> Option<usize> {
        match self {
            Group::General(_) => None,
            Group::Triangles { any, .. } | Group::Procedural { any, .. } => any,
        }
    }

    /// Its stages with the kinds that they have to be of; a general one may be of three.
    fn wanted(self) -> Vec<(usize, Kind)> {
        let hits = [(self.closest(), Kind::ClosestHit), (self.any(), Kind::AnyHit)];
        let hits = hits.into_iter().filter_map(|(stage, kind)| Some((stage?, kind)));
        let inside = match self {
            Group::Procedural { intersection, .. } => Some((intersection, Kind::Intersection)),
            _ => None,
        };
        hits.chain(inside).collect()
    }
}

/// A record of the table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    /// Number of the group; none calls nothing, as a handle of zeros.
    pub group: Option<usize>,
    /// What stages find behind the handle.
    pub data: Vec<u8>,
}

/// The table: which group a number means.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Table {
    /// Where the launch begins.
    pub raygen: Record,
    /// By the number that a ray is traced with.
    pub miss: Vec<Record>,
    /// By the instance's offset, the ray's offset and its stride times the number of the geometry.
    pub hit: Vec<Record>,
    /// By the number that is called.
    pub callable: Vec<Record>,
}

/// Stages, groups and table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pipeline {
    /// The stages.
    pub stages: Vec<Kind>,
    /// What messages call them beside their numbers; any may be missing.
    pub names: Vec<String>,
    /// The groups.
    pub groups: Vec<Group>,
    /// The table.
    pub table: Table,
    /// How many rays may be under way one within the other; 1 means that only the ray generation stage traces.
    pub depth: u32,
}

impl Pipeline {
    /// What is wrong with it: groups whose stages are missing or of another kind, records of groups that do not belong
    /// where they stand.
    #[must_use]
    pub fn check(&self) -> Vec<Flaw> {
        let mut all = Vec::new();
        for (n, group) in self.groups.iter().enumerate() {
            self.check_group(n, *group, &mut all);
        }
        let table = &self.table;
        if table.raygen.group.is_none() {
            let message = "names no group; a launch begins with one of a ray generation stage".to_owned();
            all.push(Flaw::wrong("table, raygen".to_owned(), message));
        }
        self.check_record("raygen".to_owned(), &table.raygen, Some(Kind::RayGeneration), &mut all);
        let sections = [
            ("miss", &table.miss, Some(Kind::Miss)),
            ("hit", &table.hit, None),
            ("callable", &table.callable, Some(Kind::Callable)),
        ];
        for (name, records, kind) in sections {
            for (n, record) in records.iter().enumerate() {
                self.check_record(format!("{name} {n}"), record, kind, &mut all);
            }
        }
        all
    }

    fn check_group(&self, n: usize, group: Group, all: &mut Vec<Flaw>) {
        let place = || format!("group {n}");
        for (stage, wanted) in group.wanted() {
            match self.stages.get(stage) {
                Some(kind) if *kind == wanted => {}
                Some(kind) => {
                    let message = format!(
                        "wants one of the kind {wanted}, and {} is of the kind {kind}",
                        self.called(stage)
                    );
                    all.push(Flaw::wrong(place(), message));
                }
                None => all.push(Flaw::wrong(place(), self.missing(stage))),
            }
        }
        if let Group::General(stage) = group {
            match self.stages.get(stage) {
                Some(Kind::RayGeneration | Kind::Miss | Kind::Callable) => {}
                Some(kind) => {
                    let message =
                        format!("{} is of the kind {kind}, which belongs to a hit group", self.called(stage));
                    all.push(Flaw::wrong(place(), message));
                }
                None => all.push(Flaw::wrong(place(), self.missing(stage))),
            }
        }
    }

    fn called(&self, stage: usize) -> String {
        let named = self.names.get(stage).map(|name| format!(" (`{name}`)"));
        format!("stage {stage}{}", named.unwrap_or_default())
    }

    fn missing(&self, stage: usize) -> String {
        format!("names {}, and there are {}", self.called(stage), self.stages.len())
    }

    /// `kind` is that of the general group that belongs there; hit groups without one.
    fn check_record(&self, at: String, record: &Record, kind: Option<Kind>, all: &mut Vec<Flaw>) {
        let Some(group) = record.group else { return };
        let place = format!("table, {at}");
        let Some(found) = self.groups.get(group) else {
            let message = format!("names group {group}, and there are {}", self.groups.len());
            all.push(Flaw::wrong(place, message));
            return;
        };
        let message = match (found, kind) {
            (Group::General(stage), Some(kind)) if self.stages.get(*stage) == Some(&kind) => return,
            (Group::General(_), None) => format!("group {group} is no hit group"),
            (_, None) => return,
            (_, Some(kind)) => format!("group {group} has no {kind} stage"),
        };
        all.push(Flaw::wrong(place, message));
    }
}
