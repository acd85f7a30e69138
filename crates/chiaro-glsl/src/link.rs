//! Stages of one program: what one writes the next one reads.
//!
//! Outputs and inputs meet by location where both have one, else by name; the fixed functions'
//! colours meet under their two names. Both sides of a pair get one location, so that words of
//! the stages fit together whoever numbers the rest. Uniforms of one name are one uniform.
//!
//! [OpenGL 4.6, 7.4.1; OpenGL ES 3.2, 7.4.1; GLSL ES 3.00, 9.2.2]

mod colours;
mod name;
mod rules;
pub(crate) mod slots;
mod unit;

use std::collections::HashMap;

use chiaro_diag::Diagnostic;

use crate::arrayed::is_arrayed;
use crate::hir::Global;
use crate::qualifier::Storage;
use crate::source::Stage;
pub(crate) use slots::size as slots;
use slots::{Slots, taken};
pub use unit::Unit;
use unit::interpolation;

/// Links stages in the order of the pipeline: vertex, geometry, fragment. With `strip`,
/// varyings that the next stage does not read are no outputs any more.
///
/// Gives what does not fit; errors among it mean that the stages are no program.
pub fn link(units: &mut [Unit], strip: bool) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    units.sort_by_key(|unit| match unit.program.stage {
        Stage::Vertex | Stage::Task => 0,
        Stage::TessControl | Stage::Mesh => 1,
        Stage::TessEvaluation => 2,
        Stage::Geometry => 3,
        Stage::Fragment => 4,
        _ => 5,
    });
    for i in 1..units.len() {
        let (before, after) = units.split_at_mut(i);
        let (Some(from), Some(to)) = (before.last_mut(), after.first_mut()) else { continue };
        if from.program.stage == to.program.stage {
            let message = format!("there are two {} stages", to.stage());
            found.push(Diagnostic::error(None, message).help("link one source of each stage"));
            return found;
        }
        colours::check(from, to, &mut found);
        rules::between(from, to, &mut found);
        varyings(from, to, strip, &mut found);
    }
    uniforms(units, &mut found);
    rules::of_program(units, &mut found);
    found
}

/// Pairs outputs and inputs, and gives both sides of each pair one location.
fn varyings(from: &mut Unit, to: &mut Unit, strip: bool, found: &mut Vec<Diagnostic>) {
    let outputs = from.of(Storage::Out);
    let inputs = to.of(Storage::In);
    let mut pairs = Vec::new();
    for &input in &inputs {
        match outputs.iter().copied().find(|&output| meets(from, output, to, input)) {
            Some(output) if rules::is_unwritten(from, output, to, input) => {
                found.push(missing(from, to, input));
                pairs.push((output, input));
            }
            Some(output) => {
                compare_varying(from, output, to, input, found);
                pairs.push((output, input));
            }
            None if to.program.globals[input].used && to.program.globals[input].builtin.is_none() => {
                found.push(missing(from, to, input));
            }
            None => {}
        }
    }
    if strip {
        let unread = |&o: &usize| !pairs.iter().any(|&(p, i)| p == o && to.program.globals[i].used);
        let (outs, ins): (Vec<usize>, Vec<usize>) = (
            outputs.iter().copied().filter(unread).collect(),
            inputs.iter().copied().filter(|&i| !to.program.globals[i].used).collect(),
        );
        outs.iter().for_each(|&o| strip_off(&mut from.program.globals[o]));
        ins.iter().for_each(|&i| strip_off(&mut to.program.globals[i]));
        pairs.retain(|(o, i)| !outs.contains(o) && !ins.contains(i));
    }
    number(from, to, &pairs);
}

/// A varying that nobody reads is a variable like others.
fn strip_off(global: &mut Global) {
    global.storage = Storage::Private;
    global.layout = crate::qualifier::Layout::default();
    global.builtin = None;
    global.block = None;
}

/// Whether an output and an input are the same varying.
fn meets(from: &Unit, output: usize, to: &Unit, input: usize) -> bool {
    let (out, inp) = (&from.program.globals[output], &to.program.globals[input]);
    match (out.layout.location, inp.layout.location) {
        (Some(a), Some(b)) => a == b && out.layout.component == inp.layout.component,
        _ => name::output_of(to.name(input)) == from.name(output) || to.name(input) == from.name(output),
    }
}

fn compare_varying(from: &Unit, output: usize, to: &Unit, input: usize, found: &mut Vec<Diagnostic>) {
    let (out, inp) = (&from.program.globals[output], &to.program.globals[input]);
    // Names of the language meet one another alone.
    let legacy = inp.builtin.is_some();
    // Types are compared without the arrays over the vertices of a primitive.
    let [written, read] = [(from, out), (to, inp)]
        .map(|(unit, global)| is_arrayed(unit.program.stage, global.storage, &global.layout));
    let (a, b) = (name::of_type(from, out.ty, written), name::of_type(to, inp.ty, read));
    let report = |message: String| {
        let error = Diagnostic::error(to.span(input), message).label(format!("read here as `{b}`"));
        match from.span(output) {
            Some(span) => error.related(span, format!("written here as `{a}`")),
            None => error,
        }
    };
    let name = to.name(input);
    if a != b && !legacy {
        let message =
            format!("`{name}` is `{a}` in the {} stage and `{b}` in the {} stage", from.stage(), to.stage());
        found.push(report(message));
    } else if out.layout.interpolation != inp.layout.interpolation && cares(to) && !legacy {
        let words = [out, inp].map(|g| interpolation(g.layout.interpolation));
        let message = format!(
            "`{name}` is `{}` in the {} stage and `{}` in the {} stage",
            words[0],
            from.stage(),
            words[1],
            to.stage()
        );
        found.push(report(message));
    }
}

/// Whether the version asks for equal interpolation: since desktop 4.30 the last word counts.
fn cares(unit: &Unit) -> bool {
    !unit.program.version.at_least(0, 430)
}

fn missing(from: &Unit, to: &Unit, input: usize) -> Diagnostic {
    let name = to.name(input);
    let message =
        format!("the {} stage reads `{name}`, which the {} stage does not write", to.stage(), from.stage());
    let candidates: Vec<&str> = from.of(Storage::Out).iter().map(|&o| from.name(o)).collect();
    let error = Diagnostic::error(to.span(input), message).label("read here");
    match chiaro_diag::did_you_mean(name, candidates.iter().copied()) {
        Some(close) => error.meant(close),
        None => error,
    }
}

/// Locations for all varyings between two stages; those that were given stay.
fn number(from: &mut Unit, to: &mut Unit, pairs: &[(usize, usize)]) {
    let mut slots = Slots::default();
    for (unit, storage) in [(&*from, Storage::Out), (&*to, Storage::In)] {
        for i in unit.of(storage) {
            let global = &unit.program.globals[i];
            if let Some(location) = global.layout.location {
                slots.take(location, taken(&unit.program.types, unit.program.stage, global));
            }
        }
    }
    for &(output, input) in pairs {
        let (out, inp) = (&from.program.globals[output], &to.program.globals[input]);
        let size = |unit: &Unit, global: &Global| taken(&unit.program.types, unit.program.stage, global);
        let size = size(from, out).max(size(to, inp));
        let given = out.layout.location.or(inp.layout.location);
        let location = given.unwrap_or_else(|| slots.lowest(size));
        from.program.globals[output].layout.location = Some(location);
        to.program.globals[input].layout.location = Some(location);
    }
    for (unit, storage) in [(from, Storage::Out), (to, Storage::In)] {
        for i in unit.of(storage) {
            if unit.program.globals[i].layout.location.is_none() {
                let size = taken(&unit.program.types, unit.program.stage, &unit.program.globals[i]);
                unit.program.globals[i].layout.location = Some(slots.lowest(size));
            }
        }
    }
}

/// Uniforms and buffers of one name agree in everything, and get each other's numbers.
fn uniforms(units: &mut [Unit], found: &mut Vec<Diagnostic>) {
    let mut first: HashMap<String, (usize, usize)> = HashMap::new();
    for u in 0..units.len() {
        for storage in [Storage::Uniform, Storage::Buffer] {
            for i in units[u].of(storage) {
                let name = units[u].name(i).to_owned();
                let &mut (v, j) = first.entry(name).or_insert((u, i));
                if v != u {
                    found.extend(disagreement(&units[v], j, &units[u], i));
                    share_numbers(units, (v, j), (u, i));
                }
            }
        }
    }
}

fn disagreement(first: &Unit, j: usize, second: &Unit, i: usize) -> Option<Diagnostic> {
    let (a, b) = (&first.program.globals[j], &second.program.globals[i]);
    let types = [name::of_type(first, a.ty, false), name::of_type(second, b.ty, false)];
    let layouts = |n: fn(&crate::qualifier::Layout) -> Option<u32>| match (n(&a.layout), n(&b.layout)) {
        (Some(a), Some(b)) if a != b => Some([a.to_string(), b.to_string()]),
        _ => None,
    };
    let precisions = || {
        let text = |p| format!("{p:?}");
        // The first version compared what both use. [GLSL ES 1.00, 4.5.3; 3.00, 9.2.2]
        let counts = a.used && b.used || second.program.version.number >= 300;
        let differ = second.program.version.is_es() && counts && a.precision != b.precision;
        differ.then(|| [text(a.precision), text(b.precision)])
    };
    let packings = || {
        let text = |g: &Global| g.block.as_ref().map(|b| format!("{:?}", b.packing).to_lowercase());
        (text(a) != text(b)).then(|| [text(a), text(b)].map(|p| p.unwrap_or_else(|| "no block".into())))
    };
    let (what, [x, y]) = if types[0] != types[1] {
        ("type", types)
    } else if let Some(texts) = packings() {
        ("layout", texts)
    } else if let Some(texts) = precisions() {
        ("precision", texts)
    } else if let Some(texts) = offsets(a, b) {
        ("offset of a member", texts)
    } else if let Some(texts) = layouts(|l| l.location) {
        ("location", texts)
    } else {
        ("binding", layouts(|l| l.binding)?)
    };
    let (here, there) = (second.stage(), first.stage());
    let message =
        format!("`{}` has another {what} in the {there} stage than in the {here} stage", second.name(i));
    let error = Diagnostic::error(second.span(i), message).label(y);
    Some(match first.span(j) {
        Some(span) => error.related(span, x),
        None => error,
    })
}

/// Offsets that two blocks state for one member, where they differ.
fn offsets(a: &Global, b: &Global) -> Option<[String; 2]> {
    let (a, b) = (a.block.as_ref()?, b.block.as_ref()?);
    let pairs = a.members.iter().zip(&b.members).map(|(a, b)| (a.offset, b.offset));
    let differ = |(n, (a, b)): (usize, (Option<u32>, Option<u32>))| (a? != b?).then_some((n, a?, b?));
    let (n, a, b) = pairs.enumerate().find_map(differ)?;
    Some([a, b].map(|offset| format!("member {} at {offset}", n + 1)))
}

fn share_numbers(units: &mut [Unit], (v, j): (usize, usize), (u, i): (usize, usize)) {
    let (a, b) = (&units[v].program.globals[j].layout, &units[u].program.globals[i].layout);
    let numbers = (a.location.or(b.location), a.binding.or(b.binding), a.set.or(b.set));
    for (unit, global) in [(v, j), (u, i)] {
        let layout = &mut units[unit].program.globals[global].layout;
        (layout.location, layout.binding, layout.set) = numbers;
    }
}
