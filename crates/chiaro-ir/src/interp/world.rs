//! What rays meet and call, and those that are under way.

use std::collections::HashMap;

use chiaro_trace::{Hit, Pipeline, Record, Scene, Traversal};

use super::images::Handle;
use crate::Added;

/// What the rays of a run meet, and what they call.
#[derive(Clone, Debug)]
pub struct World<'s> {
    /// What is met.
    pub scene: &'s Scene,
    /// Which of its structures a handle means; the first one if it is not here.
    pub structures: HashMap<Handle, usize>,
    /// What is called; queries need nothing.
    pub stages: Option<Stages<'s>>,
}

/// The stages of a pipeline in one module.
#[derive(Clone, Debug)]
pub struct Stages<'s> {
    /// Groups and table.
    pub pipeline: &'s Pipeline,
    /// By the number of a stage: what it brought into the module. Its entry point is the first of that.
    pub parts: Vec<Added>,
}

/// How often rays did what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Rays that stages traced.
    pub rays: u64,
    /// Queries that were begun.
    pub queries: u64,
    /// Calls of intersection stages.
    pub intersection: u64,
    /// Calls of any-hit stages.
    pub any_hit: u64,
    /// Calls of closest-hit stages.
    pub closest_hit: u64,
    /// Calls of miss stages.
    pub miss: u64,
    /// Calls of callable stages.
    pub callable: u64,
    /// Most rays that were under way one within the other.
    pub depth: u32,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.rays += other.rays;
        self.queries += other.queries;
        self.intersection += other.intersection;
        self.any_hit += other.any_hit;
        self.closest_hit += other.closest_hit;
        self.miss += other.miss;
        self.callable += other.callable;
        self.depth = self.depth.max(other.depth);
    }
}

/// What an any-hit stage says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Verdict {
    #[default]
    Accept,
    Ignore,
    Terminate,
}

/// The ray of a lane.
#[derive(Clone, Debug)]
pub(super) struct LaneRay {
    pub traversal: Traversal,
    /// First record and records from one geometry to the next.
    pub offset: u32,
    pub stride: u32,
    pub miss: u32,
    /// Place and bytes of the payload.
    pub payload: (u64, u32),
    /// The hit that a stage is asked about, and what is said of it.
    pub asked: Option<Hit>,
    pub attributes: Vec<u8>,
    /// What was said of the hit that was taken.
    pub taken: Vec<u8>,
}

/// The rays of a run.
#[derive(Default)]
pub(super) struct Rays {
    pub size: [u32; 3],
    pub ids: Vec<[u32; 3]>,
    /// Rays under way by lane; the innermost are last.
    pub open: Vec<Vec<Option<LaneRay>>>,
    /// Stages under way.
    pub chain: Vec<usize>,
    pub verdicts: Vec<Verdict>,
    /// By the place of the variable, and the lane.
    pub queries: HashMap<(u64, u32), Traversal>,
    /// Regions of records, by section and number.
    pub records: HashMap<(Section, u32), u32>,
    pub counts: Counts,
}

impl Rays {
    /// What an any-hit stage of a lane says at its end.
    pub(super) fn say(&mut self, lane: u32, accepts: bool) {
        if let Some(verdict) = self.verdicts.get_mut(lane as usize) {
            *verdict = if accepts { Verdict::Terminate } else { Verdict::Ignore };
        }
    }
}

/// A part of the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Section {
    Raygen,
    Miss,
    Hit,
    Callable,
}

impl Section {
    pub(super) fn name(self) -> &'static str {
        match self {
            Section::Raygen => "raygen",
            Section::Miss => "miss",
            Section::Hit => "hit",
            Section::Callable => "callable",
        }
    }

    pub(super) fn records(self, pipeline: &Pipeline) -> &[Record] {
        match self {
            Section::Raygen => std::slice::from_ref(&pipeline.table.raygen),
            Section::Miss => &pipeline.table.miss,
            Section::Hit => &pipeline.table.hit,
            Section::Callable => &pipeline.table.callable,
        }
    }
}
