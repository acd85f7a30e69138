//! `fuzz --target agx --keys`: random shaders with random keys of their prologs and epilogs.
//!
//! The parts are made and linked; the linked program leaves on the simulator bit for bit what the same state in one piece
//! leaves, and what source and keys mean on the interpreter, within its bounds. What fails is reduced: fewer operations,
//! then plainer keys.
//!
//! | file | is |
//! |---|---|
//! | `draw` | the shader and the keys of a seed |
//! | `given` | what both programs run on |
//! | `formats` | numbers that a format of attributes holds |
//! | `meaning` | what source and keys mean |
//! | `simpler` | keys with a field less |

mod draw;
mod formats;
mod given;
mod meaning;
mod simpler;

use std::panic::{AssertUnwindSafe, catch_unwind};

use chiaro_agx::Agx;
use chiaro_agx::compile::{Options, compile};
use chiaro_agx::verify::Words;
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_target::{CompileOptions, DisassembleOptions, Interface, Shader, Simulated, Target};

use super::{Outcome, Report, guarded, kind_of_refusal, reduce};
use crate::agx::named::{Wrong, first, linked, ran};
use draw::{Case, told};
use given::Given;

/// Runs the cases of consecutive seeds.
#[must_use]
pub fn run(count: u64, seed: u64) -> Report {
    Report::of(
        (seed, count),
        Case::of,
        |_, case| check(case),
        |_, case, (kind, what)| shown(&case, kind, what, count > 1),
    )
}

/// A case that fails, for people: reduced if asked for.
fn shown(case: &Case, kind: &str, what: &str, reduced: bool) -> String {
    let fails = |case: &Case| matches!(check(case), Outcome::Failed(other, _) if other == kind);
    let mut small = case.clone();
    if reduced {
        small.module =
            reduce::reduce(&case.module, |module| fails(&Case { module: module.clone(), ..case.clone() }));
        small.keys =
            simpler::simplest(&small.keys, |keys| fails(&Case { keys: keys.clone(), ..small.clone() }));
    }
    let now = match check(&small) {
        Outcome::Failed(_, now) => now,
        _ => what.to_owned(),
    };
    let (keys, ir) = (&small.keys, chiaro_ir::print(&small.module));
    let words = catch_unwind(AssertUnwindSafe(|| listings(&small))).unwrap_or_default();
    format!("seed {}: {kind}: {what}\nreduced: {now}\n{keys}\n{ir}{words}\n", case.seed)
}

/// The linked program and the one in one piece, as far as they can be made.
fn listings(case: &Case) -> String {
    let Ok(words) = words(case) else { return String::new() };
    let case = &case.fitted(&words);
    let text = case.keys.to_string();
    let main = container(case, &case.module, &[]).ok();
    let linked = main.and_then(|main| linked(main, &text).ok());
    let whole = container(case, &case.module, &[("parts", "off"), ("keys", &text)]).ok();
    let listing = |bytes: Option<Vec<u8>>| {
        let made = Agx.disassemble(&bytes?, &DisassembleOptions::default()).ok()?;
        Some(made.text)
    };
    let [linked, whole] = [linked, whole].map(|bytes| listing(bytes).unwrap_or_default());
    format!("; linked\n{linked}; in one piece\n{whole}")
}

/// Links a case, runs it, compares.
fn check(case: &Case) -> Outcome {
    guarded(|| attempt(case).unwrap_or_else(|outcome| outcome))
}

fn attempt(case: &Case) -> Result<Outcome, Outcome> {
    let refused = |errors: Vec<Diagnostic>| Outcome::Refused(kind_of_refusal(&first(&errors)));
    let words = words(case).map_err(refused)?;
    let case = &case.fitted(&words);
    let failed =
        |kind: &'static str| move |errors: Vec<Diagnostic>| Outcome::Failed(kind.into(), first(&errors));
    let main = container(case, &case.module, &[]).map_err(refused)?;
    let text = case.keys.to_string();
    let linked = linked(main, &text).map_err(|wrong| match wrong {
        Wrong::Part(errors) => refused(errors),
        Wrong::Link(errors) => failed("link")(errors),
    })?;
    let whole = match case.software {
        // Nobody makes one piece of it: what the hardware's vertices leave is as good.
        true => {
            let main = container(&case.hardware(), &case.module, &[]).map_err(refused)?;
            let keys = case.hardware().keys.to_string();
            Some(self::linked(main, &keys).map_err(|wrong| failed("link")(wrong.errors()))?)
        }
        // One piece would run its prolog once for each sample.
        false if case.keys.get("prolog").is_some() && told(&words)["sample_shading"] == 1 => None,
        false => {
            let settings = [("parts", "off"), ("keys", text.as_str())];
            Some(container(case, &case.module, &settings).map_err(failed("one piece"))?)
        }
    };
    let given = Given::of(case, &words);
    let found = ran(&linked, &given.inputs(&linked)).map_err(|why| Outcome::Failed("fault".into(), why))?;
    let meant = meaning::compare(case, &words, &given, &found)?;
    let Some(whole) = whole else { return Ok(meant.outcome()) };
    let other = ran(&whole, &given.inputs(&whole))
        .map_err(|why| Outcome::Failed("fault in one piece".into(), why))?;
    let Err(why) = same(&found, &other) else { return Ok(meant.outcome()) };
    // Sums across the border of two parts are rounded elsewhere in one piece, and what nobody writes is anything: both
    // are within the bounds of the meaning then.
    match (meant.says_all(), meaning::compare(case, &words, &given, &other)) {
        (true, Ok(other)) if other.says_all() => Ok(meant.outcome()),
        (true, Err(Outcome::Failed(kind, why))) => Err(Outcome::Failed(format!("{kind} in one piece"), why)),
        _ if !case.exact => Ok(Outcome::Untested("roundings of attributes reach what is compared")),
        _ => Err(Outcome::Failed("different".into(), why)),
    }
}

/// The main part beside its source.
fn words(case: &Case) -> Result<Words<'_>, Vec<Diagnostic>> {
    let entry = &case.module.entries[0];
    let mut module = case.module.clone();
    let compiled = compile(&mut module, &entry.name, Options::default(), &mut Cx::default())?;
    Ok(Words { source: &case.module, entry, compiled })
}

fn container(case: &Case, module: &Module, settings: &[(&str, &str)]) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let interface = Interface::default();
    let shader = Shader { module, interface: &interface };
    let own = case.software.then_some(("vertex", "software"));
    let settings = settings.iter().copied().chain(own);
    let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let options = CompileOptions { settings, ..CompileOptions::default() };
    let mut cx = Cx { verify: true, ..Cx::default() };
    Agx.compile(&[shader], &options, &SourceMap::new(), &mut cx).map(|made| made.container)
}

/// Whether two programs leave the same: words of vertices, colours, samples, depths, counters in memory.
fn same(linked: &Simulated, whole: &Simulated) -> Result<(), String> {
    let named = |made: &Simulated| {
        let mut all: Vec<_> =
            made.outputs.iter().map(|output| (output.name.clone(), output.bits.clone())).collect();
        all.sort();
        all
    };
    let (found, wanted) = (named(linked), named(whole));
    let names = |all: &[(String, Vec<u64>)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if names(&found) != names(&wanted) {
        return Err(format!("it leaves {:?}, in one piece {:?}", names(&found), names(&wanted)));
    }
    for ((name, found), (_, wanted)) in found.iter().zip(&wanted) {
        if let Some(n) = (0..wanted.len()).find(|n| found.get(*n) != Some(&wanted[*n])) {
            return Err(format!("`{name}`, number {n}: {:#x?}, in one piece {:#x}", found.get(n), wanted[n]));
        }
    }
    if linked.discarded != whole.discarded {
        return Err("other fragments are discarded than in one piece".to_owned());
    }
    let written = |made: &Simulated| {
        let memory = made.resources.iter().filter(|(name, _)| name.starts_with("memory:"));
        memory.cloned().collect::<Vec<_>>()
    };
    if written(linked) == written(whole) {
        Ok(())
    } else {
        Err("memory is not what one piece leaves".to_owned())
    }
}

/// How many of some fragment programs are noticed as wrong that are linked with keys which store nothing.
#[must_use]
pub fn noticed(seeds: std::ops::Range<u64>) -> usize {
    let is_noticed = |seed: u64| {
        let case = Case::of(seed);
        let words = words(&case).ok()?;
        let case = case.fitted(&words);
        let mut other = case.keys.clone();
        *other.pointer_mut("/epilog/rts/0/colormask")? = 0.into();
        let main = container(&case, &case.module, &[]).ok()?;
        let linked = linked(main, &other.to_string()).ok()?;
        let given = Given::of(&case, &words);
        let found = ran(&linked, &given.inputs(&linked)).ok()?;
        Some(meaning::compare(&case, &words, &given, &found).is_err())
    };
    seeds.filter(|seed| is_noticed(*seed) == Some(true)).count()
}
