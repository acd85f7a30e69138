//! Rules that a stage keeps by itself and a program may break: places of uniforms, what the fixed
//! functions between the stages need, and the blocks that they fill.

use std::collections::HashMap;

use chiaro_diag::Diagnostic;
use spirv::BuiltIn;

use super::unit::Unit;
use crate::hir::{Builtin, Global};
use crate::qualifier::Storage;
use crate::source::Stage;
use crate::token::At;
use crate::ty::{Length, Ty, Type, Types};

/// Locations of uniforms that are looked at: no machine has as many.
const MOST: u32 = 1 << 14;

/// Rules of two neighbours.
pub(super) fn between(from: &Unit, to: &Unit, found: &mut Vec<Diagnostic>) {
    if from.program.stage == Stage::Vertex {
        position(from, found);
    }
    invariance(from, to, found);
    per_vertex(from, to, found);
}

/// Rules of all stages.
pub(super) fn of_program(units: &[Unit], found: &mut Vec<Diagnostic>) {
    let mut taken: HashMap<u32, (usize, usize)> = HashMap::new();
    for (u, unit) in units.iter().enumerate() {
        for i in unit.of(Storage::Uniform) {
            let global = &unit.program.globals[i];
            let (Some(first), None) = (global.layout.location, &global.block) else { continue };
            let count = uniform_locations(&unit.program.types, global.ty);
            let clash = (first..first.saturating_add(count)).find_map(|location| {
                let &mut (v, j) = taken.entry(location).or_insert((u, i));
                (units[v].name(j) != unit.name(i)).then_some((location, v, j))
            });
            if let Some((location, v, j)) = clash {
                found.push(shared_location(location, (&units[v], j), (unit, i)));
            }
        }
    }
}

fn shared_location(location: u32, (first, j): (&Unit, usize), (second, i): (&Unit, usize)) -> Diagnostic {
    let message = format!(
        "`{}` of the {} stage takes location {location}, which `{}` of the {} stage has",
        second.name(i),
        second.stage(),
        first.name(j),
        first.stage()
    );
    let error = Diagnostic::error(second.span(i), message)
        .help("uniforms of all stages share their locations; an array takes one for each element");
    match first.span(j) {
        Some(span) => error.related(span, "the other one is here"),
        None => error,
    }
}

/// Locations of a uniform: one for each element and member, a matrix has one. [OpenGL 4.6, 7.6]
fn uniform_locations(types: &Types, ty: Ty) -> u32 {
    let (mut sum, mut open) = (0u32, vec![(ty, 1u32)]);
    while let Some((ty, times)) = open.pop() {
        match *types.get(ty) {
            Type::Array(element, Length::Known(n)) => open.push((element, times.saturating_mul(n))),
            Type::Array(element, _) => open.push((element, times)),
            Type::Struct(id) => open.extend(types.structure(id).members.iter().map(|m| (m.ty, times))),
            _ => sum = sum.saturating_add(times),
        }
        if sum > MOST || open.len() > MOST as usize {
            return MOST;
        }
    }
    sum
}

/// A built-in that a source names.
fn known(unit: &Unit, builtin: BuiltIn) -> Option<(usize, &Global)> {
    let all = unit.program.globals.iter().enumerate();
    all.into_iter().find(|(_, global)| global.used && global.builtin == Some(Builtin::Known(builtin)))
}

/// The first desktop versions want a position of every vertex shader. [GLSL 1.10, 7.1]
fn position(vertex: &Unit, found: &mut Vec<Diagnostic>) {
    let version = vertex.program.version;
    let wants = !version.is_es() && version.number < 140;
    let own_block =
        vertex.program.globals.iter().any(|global| global.block.is_some() && global.storage == Storage::Out);
    if wants && !own_block && known(vertex, BuiltIn::Position).is_none() {
        let message = "the vertex stage does not write `gl_Position`, which this version asks for";
        found.push(Diagnostic::error(None, message).help("write `gl_Position = ...;` in `main`"));
    }
}

/// What the rasteriser makes of an output varies no less than the output. [GLSL ES 1.00, 4.6.4]
fn invariance(from: &Unit, to: &Unit, found: &mut Vec<Diagnostic>) {
    let version = to.program.version;
    if to.program.stage != Stage::Fragment || !version.is_es() || version.number != 100 {
        return;
    }
    for (read, written, name) in [
        (BuiltIn::FragCoord, BuiltIn::Position, "gl_Position"),
        (BuiltIn::PointCoord, BuiltIn::PointSize, "gl_PointSize"),
    ] {
        let Some((at, _)) = known(to, read).filter(|(_, global)| global.layout.invariant) else { continue };
        if known(from, written).is_none_or(|(_, output)| !output.layout.invariant) {
            let message = format!("`{}` is `invariant`, and `{name}` that it comes from is not", to.name(at));
            found.push(
                Diagnostic::error(to.span(at), message)
                    .help(format!("write `invariant {name};` in the vertex shader")),
            );
        }
    }
}

/// Whether an output is declared and never written, which the first version does not forgive; later
/// ones leave the value undefined. [GLSL 1.10, 4.3.6]
pub(super) fn is_unwritten(from: &Unit, output: usize, to: &Unit, input: usize) -> bool {
    let first = |unit: &Unit| !unit.program.version.is_es() && unit.program.version.number == 110;
    let (out, read) = (&from.program.globals[output], &to.program.globals[input]);
    first(from) && first(to) && out.builtin.is_none() && !out.used && read.used
}

/// The block of positions is declared again on both sides, with the same members, or on none.
/// [GLSL 1.50, 7.1]
fn per_vertex(from: &Unit, to: &Unit, found: &mut Vec<Diagnostic>) {
    if to.program.stage != Stage::Geometry {
        return;
    }
    let (Some((Some(_), written)), Some((place, read))) = (block(from, Storage::Out), block(to, Storage::In))
    else {
        return;
    };
    let message = match place {
        None => "the vertex stage declares `gl_PerVertex` again, and the geometry stage does not",
        Some(_) if written != read => {
            "`gl_PerVertex` has other members in the vertex stage than in the geometry stage"
        }
        Some(_) => return,
    };
    let span = place.and_then(|at| to.tokens.span(at));
    let list = written.join("`, `");
    found.push(Diagnostic::error(span, message).help(format!("the vertex stage has `{list}`")));
}

/// Where the block of a storage was declared again, if it was, and its members.
fn block(unit: &Unit, storage: Storage) -> Option<(Option<At>, Vec<&str>)> {
    let fits = |global: &&Global| global.storage == storage && has_builtins(global);
    unit.program.globals.iter().find(fits).map(|global| (global.at, members(unit, global.ty)))
}

fn has_builtins(global: &Global) -> bool {
    global.block.as_ref().is_some_and(|block| block.builtins.iter().any(Option::is_some))
}

/// Names of a block's members; the block may be an element of an array.
fn members(unit: &Unit, ty: Ty) -> Vec<&str> {
    let inner = match *unit.program.types.get(ty) {
        Type::Array(element, _) => element,
        _ => ty,
    };
    let Type::Struct(id) = *unit.program.types.get(inner) else { return Vec::new() };
    let all = &unit.program.types.structure(id).members;
    all.iter().map(|member| unit.symbols.text(member.name)).collect()
}
