//! Parts from files to a program in a file: they are read, held against each other, and joined.

use chiaro_diag::Diagnostic;
use chiaro_isa::finding::Severity;
use chiaro_target::{LinkedParts, Piece as Given, Settings};

use super::check::{named, stage as stage_of};
use super::{own, style_of};
use crate::abi::key::Key;
use crate::abi::link::{self, Linked};
use crate::abi::uniforms::{Held as Reserved, Vertex};
use crate::check::contract::{self, Breach, Program};
use crate::check::{self, Config, Piece};
use crate::container::file::{File, Held, Member, Part, Role, Span, Stage, State};
use crate::container::{self, Contents};
use crate::isa::{GENERATIONS, isa};
use crate::regs::occupancy;

/// A part with the file that it stands in.
struct Owned<'a> {
    given: &'a Given,
    file: File,
    part: Part,
}

/// What the settings say of a link.
#[derive(Clone, Copy, Default)]
struct Wanted {
    stage: Option<Stage>,
    samples: Option<u8>,
    generation: u8,
}

fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(None, message)
}

/// Links parts.
pub(super) fn link(
    given: &[Given],
    settings: &Settings,
    generation: u8,
) -> Result<LinkedParts, Vec<Diagnostic>> {
    let wanted = wanted(settings, generation).map_err(|e| vec![*e])?;
    let parts: Result<Vec<Owned<'_>>, Box<Diagnostic>> = given.iter().map(|one| read(one, wanted)).collect();
    let mut parts = parts.map_err(|e| vec![*e])?;
    parts.sort_by_key(|owned| order(owned.part.role));
    let stage = stage(&parts, wanted).map_err(|e| vec![*e])?;
    roles(&parts, stage).map_err(|e| vec![*e])?;
    let samples = samples(&parts, wanted).map_err(|e| vec![*e])?;
    let mut found = breaches(&parts, stage, samples > 0);
    found.extend(descriptions(&parts));
    found.extend(attributes(&parts, stage));
    if !found.is_empty() {
        return Err(found);
    }
    let found = if samples > 0 { repeated(&parts, stage) } else { Vec::new() };
    if !found.is_empty() {
        return Err(found);
    }
    let linked = joined(&parts, stage, samples).map_err(|e| vec![error(e)])?;
    let found = broken(&linked, stage, wanted.generation);
    if !found.is_empty() {
        return Err(found);
    }
    let remarks = costs(&parts);
    Ok(LinkedParts { bytes: file(&parts, linked, stage, samples, wanted.generation).write(), remarks })
}

/// The generation that parts are for: what is said, and what their files say, which has to be the same.
pub(super) fn generation(given: &[Given], settings: &Settings) -> Result<u8, Box<Diagnostic>> {
    let is_said = settings.iter().any(|(key, _)| key == "generation");
    let wanted = style_of(settings)?.generation;
    let of_files = given.iter().filter_map(|one| Some((&one.name, own(&one.bytes)?.generation)));
    let mut known = is_said.then_some(wanted);
    for (name, own) in of_files {
        let meant = *known.get_or_insert(own);
        if meant != own {
            let [own, meant] = [own, meant].map(|n| GENERATIONS[usize::from(n)]);
            return Err(Box::new(error(format!(
                "`{name}` is for {own}, and a program for {meant} is linked"
            ))));
        }
    }
    Ok(known.unwrap_or(wanted))
}

/// Reads what the settings say.
fn wanted(settings: &Settings, generation: u8) -> Result<Wanted, Box<Diagnostic>> {
    let mut wanted = Wanted { generation, ..Wanted::default() };
    for (key, value) in settings {
        let wrong = |allowed: &str| Box::new(error(format!("`{key}` is {allowed}, not `{value}`")));
        match key.as_str() {
            "stage" => {
                wanted.stage = Some(named(&Stage::NAMES, value).map_err(|all| wrong(&all))?);
            }
            "samples" => {
                let samples = value.parse().ok().filter(|n| matches!(n, 0 | 1 | 2 | 4));
                let allowed = "0 for no sample shading, or 1, 2 or 4 samples that are shaded";
                wanted.samples = Some(samples.ok_or_else(|| wrong(allowed))?);
            }
            _ => {}
        }
    }
    Ok(wanted)
}

/// The part of a file, or of code alone.
fn read(given: &Given, wanted: Wanted) -> Result<Owned<'_>, Box<Diagnostic>> {
    let said = match &given.role {
        None => None,
        Some(name) => Some(
            named(&Role::NAMES, name)
                .map_err(|all| error(format!("there is no part `{name}`; there are {all}")))?,
        ),
    };
    let of = |e: container::Error| Box::new(error(format!("`{}`, {e}", given.name)));
    let file = match container::open(&given.bytes).map_err(of)? {
        Contents::File(file) => *file,
        Contents::Code => {
            let role = said.ok_or_else(|| {
                let message = format!("`{}` does not say which part it is", given.name);
                error(message).help(format!("write `main={}`, or another part", given.name))
            })?;
            File::of_part(wanted.stage.unwrap_or_default(), role, &given.bytes, wanted.generation)
        }
        _ => return Err(Box::new(error(format!("`{}` is a whole program and no part", given.name)))),
    };
    let [part] = &file.parts[..] else {
        let message = format!("`{}` has {} parts; one is linked", given.name, file.parts.len());
        return Err(Box::new(error(message).help("link the parts that it was made of")));
    };
    let mut part = part.clone();
    part.role = said.unwrap_or(part.role);
    Ok(Owned { given, part, file })
}

fn order(role: Role) -> u8 {
    match role {
        Role::Prolog => 0,
        Role::Main => 1,
        Role::Epilog => 2,
    }
}

/// What the program is for: what is said, what a file says, what only one kind of program has.
fn stage(parts: &[Owned<'_>], wanted: Wanted) -> Result<Stage, Box<Diagnostic>> {
    let of_files = parts.iter().map(|owned| owned.file.stage).find(|stage| *stage != Stage::Compute);
    let fragment =
        |owned: &Owned<'_>| owned.part.role == Role::Epilog || !owned.part.contract.coefficients.is_empty();
    let of_words = parts.iter().any(fragment).then_some(Stage::Fragment);
    let stage = wanted.stage.or(of_files).or(of_words);
    let stage = stage.filter(|stage| *stage != Stage::Compute).ok_or_else(|| {
        error("the parts do not say what they are for")
            .help("say `-m stage=vertex`, software-vertex or fragment")
    })?;
    let other = parts.iter().find(|owned| owned.file.stage != Stage::Compute && owned.file.stage != stage);
    match other {
        Some(owned) => Err(Box::new(error(format!(
            "`{}` is a part of a {} program, and a {} program is linked",
            owned.given.name,
            owned.file.stage.name(),
            stage.name()
        )))),
        None => Ok(stage),
    }
}

/// One part of a kind at most, and a main part.
fn roles(parts: &[Owned<'_>], stage: Stage) -> Result<(), Box<Diagnostic>> {
    for pair in parts.windows(2) {
        if pair[0].part.role == pair[1].part.role {
            let (a, b) = (&pair[0].given.name, &pair[1].given.name);
            return Err(Box::new(error(format!(
                "`{a}` and `{b}` are both the {}",
                pair[0].part.role.name()
            ))));
        }
    }
    if find(parts, Role::Main).is_none() {
        return Err(Box::new(error("there is no main part")));
    }
    match find(parts, Role::Epilog).filter(|_| stage != Stage::Fragment) {
        Some(owned) => {
            Err(Box::new(error(format!("`{}`: a vertex program has no epilog", owned.given.name))))
        }
        None => Ok(()),
    }
}

fn find<'p, 'a>(parts: &'p [Owned<'a>], role: Role) -> Option<&'p Owned<'a>> {
    parts.iter().find(|owned| owned.part.role == role)
}

/// Samples that are shaded one by one, 0 for none: what is said, what the epilog was made for, what a file says.
fn samples(parts: &[Owned<'_>], wanted: Wanted) -> Result<u8, Box<Diagnostic>> {
    let own = key_of(parts, Role::Epilog).and_then(|key| {
        let shades = key.get("link")?.get("sample_shading")?.as_u64()? == 1;
        u8::try_from(key.get("nr_samples")?.as_u64()?).ok().filter(|_| shades)
    });
    match (wanted.samples, own) {
        (Some(said @ 1..), Some(own)) if said != own => {
            let message = format!("the epilog is for {own} samples, and {said} are to be shaded");
            Err(Box::new(error(message).help("say nothing, or make the epilog for as many")))
        }
        (said, own) => Ok(said.or(own).or_else(|| parts.iter().map(|p| p.file.samples).max()).unwrap_or(0)),
    }
}

/// What a part was made from, or says of itself, where its file has it.
fn key_of(parts: &[Owned<'_>], role: Role) -> Option<serde_json::Value> {
    let owned = find(parts, role).filter(|owned| !owned.part.key.is_empty())?;
    serde_json::from_str(&owned.part.key).ok()
}

/// Where contracts do not meet: part, instruction, register and rule.
fn breaches(parts: &[Owned<'_>], stage: Stage, sample_shading: bool) -> Vec<Diagnostic> {
    let program = match stage {
        Stage::Fragment => Program::Fragment { sample_shading },
        Stage::SoftwareVertex => Program::SoftwareVertex,
        _ => Program::Vertex,
    };
    let contract = |role: Role| find(parts, role).map(|owned| &owned.part.contract);
    let Some(main) = contract(Role::Main) else { return Vec::new() };
    let found = contract::link(program, contract(Role::Prolog), main, contract(Role::Epilog));
    found.iter().map(|breach| told(breach, parts)).collect()
}

fn told(breach: &Breach, parts: &[Owned<'_>]) -> Diagnostic {
    let role = Role::NAMES.iter().find(|(name, _)| *name == breach.part).map(|(_, role)| *role);
    let Some(owned) = role.and_then(|role| find(parts, role)) else { return error(breach.to_string()) };
    let mut told = error(format!("`{}`, {breach}", owned.given.name));
    if let Some(offset) = breach.offset {
        let isa = isa(owned.file.generation);
        let code = owned.file.code_of(&owned.part).get(offset as usize..).unwrap_or_default();
        let text = isa.decode(code).ok().and_then(|inst| isa.text(&inst, &isa.cx()));
        told = text.into_iter().fold(told, |told, text| told.note(format!("the instruction is `{text}`")));
        let line = owned.file.line(offset);
        told = line.into_iter().fold(told, |told, (file, line)| told.note(format!("it is of {file}:{line}")));
    }
    told
}

/// The field that says where targets in memory begin.
const SPILL_BASE: &str = "rt_spill_base";

/// An epilog is made for what one main part says of itself; another main part has another description.
fn descriptions(parts: &[Owned<'_>]) -> Option<Diagnostic> {
    let (main, epilog) = (key_of(parts, Role::Main)?, key_of(parts, Role::Epilog)?);
    let wanted = epilog.get("link")?.as_object()?;
    // Where targets in memory begin is nothing to an epilog without them.
    let spills = matches!(Key::of_json(&epilog), Ok(Key::FragmentEpilog(key)) if key.spills());
    let matters = |name: &str| spills || name != SPILL_BASE;
    let differs = wanted
        .iter()
        .find(|(name, value)| matters(name) && main.get(name.as_str()).is_some_and(|own| own != *value));
    let (name, value) = differs?;
    let message = format!(
        "the epilog was made for a main part with `{name}` {value}, and that of this main part is {}",
        main[name.as_str()]
    );
    Some(error(message).help("make the epilog from the key with this main part's description"))
}

/// Uniforms stand by the number of attributes (spec 14.2): what a prolog fetches by must not lie where the main part has
/// something else.
fn attributes(parts: &[Owned<'_>], stage: Stage) -> Option<Diagnostic> {
    let key = key_of(parts, Role::Prolog)?;
    let last =
        key.get("attribs")?.as_array()?.iter().filter_map(|attribute| attribute["i"].as_u64()).max()?;
    let abi = Vertex::new(u16::try_from(last).ok()? + 1, stage == Stage::SoftwareVertex).ok()?;
    let main = &find(parts, Role::Main)?.file;
    let is_fetched = |half: u16| matches!(abi.at(half), Reserved::Base(_) | Reserved::Clamp(_));
    let held = main.uniforms.iter().find(|held| is_fetched(held.first))?;
    let message = format!(
        "the prolog fetches attributes up to {last}, with uniforms where the main part has `{}` in half {}",
        held.name, held.first
    );
    Some(error(message).help("leave attributes behind the last that the main part reads out of the key"))
}

fn joined(parts: &[Owned<'_>], stage: Stage, samples: u8) -> Result<Linked, String> {
    let part = |role: Role| find(parts, role).map(|owned| owned.file.linkable(&owned.part));
    let main = part(Role::Main).unwrap_or_default();
    match stage {
        Stage::Fragment => link::fragment(part(Role::Prolog), main, part(Role::Epilog), samples),
        _ => Ok(link::vertex(part(Role::Prolog), main)),
    }
}

/// Rules that the program as a whole breaks.
fn broken(linked: &Linked, stage: Stage, generation: u8) -> Vec<Diagnostic> {
    let halves = Some(linked.halves);
    let config =
        Config { stage: stage_of(stage), piece: Piece::Program, halves, generation, ..Config::default() };
    let found = check::check(&linked.code, &config).into_iter();
    let errors = found.filter(|finding| finding.rule.severity == Severity::Error);
    let told = |finding: chiaro_isa::finding::Finding| {
        let place = finding.place.unwrap_or_default();
        error(format!("the linked program, {place}: {}", finding.message)).note(finding.rule.text)
    };
    errors.map(told).collect()
}

/// Samples that a part decides on by number where it runs for each: what the words of the whole do not say.
fn repeated(parts: &[Owned<'_>], stage: Stage) -> Vec<Diagnostic> {
    let each = parts.iter().filter(|owned| owned.part.role != Role::Prolog);
    let told = |owned: &Owned<'_>| {
        let piece = if owned.part.role == Role::Main { Piece::Middle } else { Piece::Last };
        let (stage, generation) = (stage_of(stage), owned.file.generation);
        let config = Config { stage, piece, generation, sample_shading: true, ..Config::default() };
        let found = check::check(owned.file.code_of(&owned.part), &config).into_iter();
        let own = found.filter(|finding| finding.rule.id == TESTED);
        let name = &owned.given.name;
        own.map(|finding| {
            let (role, place) = (owned.part.role.name(), finding.place.unwrap_or_default());
            error(format!("`{name}`, {role}, {place}: {}", finding.message)).note(finding.rule.text)
        })
        .collect::<Vec<_>>()
    };
    each.flat_map(told).collect()
}

/// The rule on samples that are decided twice.
const TESTED: &str = "tested";

/// Where a part costs the program threads or registers that the main part does not ask for.
fn costs(parts: &[Owned<'_>]) -> Vec<Diagnostic> {
    let Some(main) = find(parts, Role::Main) else { return Vec::new() };
    let groups = |halves: u16| halves.div_ceil(8);
    let own = main.part.halves;
    let more = parts.iter().filter(|owned| groups(owned.part.halves) > groups(own));
    more.map(|owned| {
        let (name, halves) = (owned.part.role.name(), owned.part.halves);
        let uses = owned.part.contract.halves;
        let message =
            format!("the {name} has {halves} halves of registers, the main part {own}: a group more");
        let why =
            if uses < halves { format!("it uses {uses} of them") } else { "it uses them all".to_owned() };
        let threads = |halves: u16| occupancy(halves).map_or(0, |(_, threads)| threads);
        let cost =
            format!("a threadgroup can have {} threads, and {} without it", threads(halves), threads(own));
        Diagnostic::remark(None, message).note(why).note(cost)
    })
    .collect()
}

/// The file of the program: the parts with their places, what they say of uniforms, states and lines.
fn file(parts: &[Owned<'_>], linked: Linked, stage: Stage, samples: u8, generation: u8) -> File {
    const HEADER: u32 = 8;
    let mut made = File { generation, stage, samples, code: linked.code, ..File::default() };
    let mut at = 0;
    for owned in parts {
        let looped = samples > 0 && owned.part.role == Role::Main;
        at += if looped { HEADER } else { 0 };
        made.parts.push(Part { offset: at, ..owned.part.clone() });
        add(&mut made, &owned.file, at);
        at += owned.part.size;
    }
    made
}

/// Adds what a part's file says beside its code, which begins at a place now.
fn add(made: &mut File, file: &File, at: u32) {
    let first = made.sources.len() as u32;
    let moved = |span: &Span| Span { offset: span.offset + at, source: span.source + first, line: span.line };
    made.spans.extend(file.spans.iter().map(moved));
    made.sources.extend(file.sources.iter().cloned());
    let uniforms: Vec<Held> =
        file.uniforms.iter().filter(|held| !made.uniforms.contains(held)).cloned().collect();
    made.uniforms.extend(uniforms);
    let states: Vec<State> =
        file.states.iter().filter(|state| !made.states.contains(state)).cloned().collect();
    made.states.extend(states);
    let members: Vec<Member> =
        file.members.iter().filter(|member| !made.members.contains(member)).cloned().collect();
    made.members.extend(members);
    made.constants.extend(file.constants.iter().cloned());
    made.words.extend(file.words.iter().cloned());
    if made.preamble.is_empty() {
        (made.preamble, made.preamble_halves) = (file.preamble.clone(), file.preamble_halves);
    }
    made.local = made.local.max(file.local);
}
