//! A pipeline of JSON: stages from files, groups of them, and the table.

use std::path::{Path, PathBuf};

use chiaro::trace::fields::Fields;
use chiaro::trace::kind_of;
use chiaro::{LoadedModule, Stage};
use chiaro_diag::Diagnostic;
use chiaro_trace::{Group, Kind, Pipeline, Record};
use serde_json::Value as Json;

use super::records;
use crate::choices::{Choices, Variant};
use crate::cmd::run::read_json;
use crate::input;
use crate::shell::{Failure, Shell};

/// A pipeline that was read, with a module for each stage.
pub struct Piped {
    pub modules: Vec<LoadedModule>,
    pub pipeline: Pipeline,
}

/// Keys at the top, and of a stage and a group.
const KEYS: [&str; 6] = ["libraries", "stages", "groups", "table", "depth", "strides"];
const STAGE: [&str; 5] = ["file", "stage", "entry", "spec", "define"];
const GROUP: [&str; 4] = ["general", "closest_hit", "any_hit", "intersection"];
/// Files that libraries may be nested in.
const DEEPEST: usize = 8;
/// Rays within rays that an implementation may be asked for.
const DEPTH: u32 = 31;

/// A stage as the file names it.
struct Source {
    name: String,
    file: PathBuf,
    stage: Option<Stage>,
    entry: Option<String>,
    variant: Variant,
}

/// What all files name together, in order.
#[derive(Default)]
struct Named {
    stages: Vec<Source>,
    groups: Vec<(String, Json)>,
}

/// Reads a pipeline with its stages and libraries.
pub fn read(path: &Path, choices: &Choices, shell: &mut Shell) -> Result<Piped, Failure> {
    let mut named = Named::default();
    let top = gather(path, &mut vec![path.to_owned()], &mut named, shell)?;
    let wrong = |why: String, shell: &mut Shell| {
        shell.fail(Diagnostic::error(None, format!("in `{}`: {why}", input::name(path))))
    };
    if named.stages.is_empty() {
        return Err(wrong("there are no `stages`".to_owned(), shell));
    }
    let mut modules = Vec::new();
    for source in &named.stages {
        modules.push(load(source, choices, shell)?);
    }
    let names = named.stages.iter().map(|source| source.name.clone()).collect();
    let made = assemble(&top, &named.groups, names, modules);
    let piped = made.map_err(|why| wrong(why, shell))?;
    let place = input::name(path);
    let flaws = piped.pipeline.check();
    shell.report_all(flaws.iter().map(|flaw| Diagnostic::error(None, format!("in `{place}`: {flaw}"))));
    shell.check()?;
    Ok(piped)
}

/// Gathers stages and groups of a file, those of its libraries first.
fn gather(
    path: &Path,
    open: &mut Vec<PathBuf>,
    named: &mut Named,
    shell: &mut Shell,
) -> Result<Json, Failure> {
    let json = read_json(path, shell)?;
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let wrong = |why: String| Diagnostic::error(None, format!("in `{}`: {why}", input::name(path)));
    let fields = Fields::of(&json, "pipeline", &KEYS).map_err(|why| shell.fail(wrong(why)))?;
    for library in fields.items("libraries").map_err(|why| shell.fail(wrong(why)))? {
        let Some(file) = library.as_str().map(|file| folder.join(file)) else {
            return Err(shell.fail(wrong(format!("`libraries` has {library}, and takes names of files"))));
        };
        if open.contains(&file) || open.len() >= DEEPEST {
            return Err(
                shell.fail(wrong(format!("the library `{}` is a library of itself", input::name(&file))))
            );
        }
        open.push(file.clone());
        gather(&file, open, named, shell)?;
        open.pop();
    }
    add(&fields, &folder, named).map_err(|why| shell.fail(wrong(why)))?;
    Ok(json)
}

fn add(fields: &Fields<'_>, folder: &Path, named: &mut Named) -> Result<(), String> {
    for (name, json) in fields.pairs("stages")? {
        if named.stages.iter().any(|source| source.name == *name) {
            return Err(format!("there are two stages `{name}`; give one another name"));
        }
        named.stages.push(source(name, json, folder)?);
    }
    for (name, json) in fields.pairs("groups")? {
        if named.groups.iter().any(|(known, _)| known == name) {
            return Err(format!("there are two groups `{name}`; give one another name"));
        }
        named.groups.push((name.clone(), json.clone()));
    }
    Ok(())
}

fn source(name: &str, json: &Json, folder: &Path) -> Result<Source, String> {
    let place = format!("stages.{name}");
    let plain = |file: &str| Source {
        name: name.to_owned(),
        file: folder.join(file),
        stage: None,
        entry: None,
        variant: Variant::default(),
    };
    if let Some(file) = json.as_str() {
        return Ok(plain(file));
    }
    let fields = Fields::of(json, &place, &STAGE)?;
    let mut source = plain(fields.text("file")?.ok_or_else(|| format!("`{place}` names no `file`"))?);
    source.entry = fields.text("entry")?.map(str::to_owned);
    source.stage = match fields.text("stage")? {
        Some(stage) => {
            Some(Stage::from_name(stage).ok_or_else(|| format!("`{place}.stage`: `{stage}` is no stage"))?)
        }
        None => None,
    };
    for (id, value) in fields.pairs("spec")? {
        let number = value.as_f64().or(value.as_bool().map(|b| f64::from(u8::from(b))));
        let number = number.ok_or_else(|| format!("`{place}.spec.{id}` must be a number"))?;
        source.variant.spec.push((id.clone(), number));
    }
    for (macro_name, value) in fields.pairs("define")? {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        source.variant.define.push((macro_name.clone(), text));
    }
    Ok(source)
}

fn load(source: &Source, choices: &Choices, shell: &mut Shell) -> Result<LoadedModule, Failure> {
    let bytes = shell.read(&source.file)?;
    let choices = choices.with(&source.variant);
    let Some(language) = choices.language(&source.file, &bytes) else {
        let message = format!("the language of `{}` is not clear from its name", input::name(&source.file));
        let help = "end it in .spv, .spvasm, or in a stage of GLSL such as .rgen or .rchit";
        return Err(shell.fail(Diagnostic::error(None, message).help(help)));
    };
    let options = choices.module_options(source.entry.clone());
    let loaded = choices.load(&source.file, bytes, language, &options, source.stage, shell)?;
    let entries = &loaded.module.entries;
    let message = match &entries[..] {
        [entry] if kind_of(entry.stage).is_some() => return Ok(loaded),
        [entry] => {
            format!("the stage `{}` is of the kind {}, which no ray calls", source.name, entry.stage.name())
        }
        [] => format!("the stage `{}` has no entry point", source.name),
        _ => format!("the stage `{}` has {} entry points; name one as `entry`", source.name, entries.len()),
    };
    Err(shell.fail(Diagnostic::error(None, message)))
}

/// Groups and table of what was loaded.
fn assemble(
    top: &Json,
    groups: &[(String, Json)],
    names: Vec<String>,
    modules: Vec<LoadedModule>,
) -> Result<Piped, String> {
    let kinds: Vec<Kind> =
        modules.iter().filter_map(|loaded| kind_of(loaded.module.entries.first()?.stage)).collect();
    let fields = Fields::of(top, "pipeline", &KEYS)?;
    let depth = fields.count("depth", DEPTH, 1)?;
    let pipeline = Pipeline { stages: kinds, names, depth, ..Pipeline::default() };
    let mut piped = Piped { modules, pipeline };
    let mut known = Vec::new();
    for (name, json) in groups {
        let group = piped.group(json, &format!("groups.{name}"))?;
        piped.pipeline.groups.push(group);
        known.push(name.clone());
    }
    piped.add_general(&mut known);
    if groups.is_empty() {
        piped.add_hits(&mut known);
    }
    piped.read_table(&fields, &known)?;
    Ok(piped)
}

impl Piped {
    fn stage(&self, name: &str, place: &str) -> Result<usize, String> {
        let found = self.pipeline.names.iter().position(|known| known == name);
        found.ok_or_else(|| {
            format!("`{place}` names the stage `{name}`, and there are {}", self.pipeline.names.join(", "))
        })
    }

    fn group(&self, json: &Json, place: &str) -> Result<Group, String> {
        let fields = Fields::of(json, place, &GROUP)?;
        let stage = |key: &str| fields.text(key)?.map(|name| self.stage(name, place)).transpose();
        let [general, closest, any, intersection] =
            [stage("general")?, stage("closest_hit")?, stage("any_hit")?, stage("intersection")?];
        match (general, closest, any, intersection) {
            (Some(stage), None, None, None) => Ok(Group::General(stage)),
            (None, closest, any, Some(intersection)) => Ok(Group::Procedural { closest, any, intersection }),
            (None, None, None, None) => {
                Err(format!("`{place}` names no stage; it takes {}", GROUP.join(", ")))
            }
            (None, closest, any, None) => Ok(Group::Triangles { closest, any }),
            _ => Err(format!("`{place}` is general and has stages of hits; make two groups of it")),
        }
    }

    /// General stages are groups of their own under their own names, where those are free.
    fn add_general(&mut self, known: &mut Vec<String>) {
        for (n, name) in self.pipeline.names.iter().enumerate() {
            let general =
                matches!(self.pipeline.stages[n], Kind::RayGeneration | Kind::Miss | Kind::Callable);
            if general && !known.contains(name) {
                known.push(name.clone());
                self.pipeline.groups.push(Group::General(n));
            }
        }
    }

    /// Without groups, one of all stages of hits.
    fn add_hits(&mut self, known: &mut Vec<String>) {
        let of = |kind| self.pipeline.stages.iter().position(|own| *own == kind);
        let (closest, any) = (of(Kind::ClosestHit), of(Kind::AnyHit));
        let group = match of(Kind::Intersection) {
            Some(intersection) => Group::Procedural { closest, any, intersection },
            None if closest.or(any).is_none() => return,
            None => Group::Triangles { closest, any },
        };
        known.push("hit".to_owned());
        self.pipeline.groups.push(group);
    }

    fn read_table(&mut self, fields: &Fields<'_>, known: &[String]) -> Result<(), String> {
        let empty = Json::Object(serde_json::Map::new());
        let given = fields.get("table").unwrap_or(&empty);
        let table = Fields::of(given, "table", &["raygen", "miss", "hit", "callable"])?;
        let mut sections = Vec::new();
        for (key, kind) in SECTIONS {
            let records = match (table.get(key), key) {
                (None, _) => self.every(kind),
                (Some(json), "raygen") => vec![self.record(json, "table.raygen", known)?],
                (Some(_), _) => {
                    let all = table.items(key)?.iter().enumerate();
                    let all = all.map(|(n, json)| self.record(json, &format!("table.{key}[{n}]"), known));
                    all.collect::<Result<Vec<Record>, String>>()?
                }
            };
            records::check_stride(fields, key, &records)?;
            sections.push(records);
        }
        let table = &mut self.pipeline.table;
        table.callable = sections.pop().unwrap_or_default();
        table.hit = sections.pop().unwrap_or_default();
        table.miss = sections.pop().unwrap_or_default();
        table.raygen = sections.pop().and_then(|all| all.into_iter().next()).unwrap_or_default();
        Ok(())
    }

    /// A record for each group that belongs there, in order.
    fn every(&self, kind: Option<Kind>) -> Vec<Record> {
        let belongs = |group: &Group| match (group, kind) {
            (Group::General(stage), Some(kind)) => self.pipeline.stages[*stage] == kind,
            (Group::General(_), None) => false,
            (_, kind) => kind.is_none(),
        };
        let groups = self.pipeline.groups.iter().enumerate().filter(|(_, group)| belongs(group));
        groups.map(|(n, _)| Record { group: Some(n), data: Vec::new() }).collect()
    }

    fn record(&self, json: &Json, place: &str, known: &[String]) -> Result<Record, String> {
        let name = match json {
            Json::Null => return Ok(Record::default()),
            Json::String(name) => name,
            _ => Fields::of(json, place, &["group", "data"])?
                .text("group")?
                .ok_or_else(|| format!("`{place}` names no `group`"))?,
        };
        let group = known.iter().position(|own| own == name);
        let group = group.ok_or_else(|| {
            format!("`{place}` names the group `{name}`, and there are {}", known.join(", "))
        })?;
        let data = match json.get("data") {
            Some(data) => records::data(&self.modules, self.pipeline.groups[group], data, place)?,
            None => Vec::new(),
        };
        Ok(Record { group: Some(group), data })
    }
}

/// Sections of the table, and the kind of stage that belongs there; hit groups in that without one.
const SECTIONS: [(&str, Option<Kind>); 4] = [
    ("raygen", Some(Kind::RayGeneration)),
    ("miss", Some(Kind::Miss)),
    ("hit", None),
    ("callable", Some(Kind::Callable)),
];
