//! Output registers: which variables have one, and what each is for.
//!
//! An output that the shader writes is for, in this order,
//!
//! 1. what the user says: `-m output.NAME=PROPERTY`, `#pragma chiaro output.NAME=PROPERTY`;
//! 2. what its built-in or its name says ([`super::properties`]), unless another output has that;
//! 3. the first property for its number of components that is left ([`guesses`]), which a note tells.
//!
//! One that is left over has no register, which a warning tells. What a vertex program hands to a
//! geometry program has no property but the position: all of it is handed on.

use super::properties::{COLOR, DUMMY, POSITION, TEXCOORD0W, TEXCOORDS, VIEW, by_name};
use super::touched::Touch;
use super::{Interface, registers, vectors};
use crate::container::outmap::{PROPERTIES, Property};
use chiaro_diag::{Diagnostic, Tally, did_you_mean};
use chiaro_ir::{Binding, EntryPoint, GlobalRef, Module, Space, Ty, Type};

/// SPIR-V's number of the built-in position.
const POSITION_BUILTIN: u32 = 0;
/// o registers that there are.
const REGISTERS: usize = 16;

/// What the user says of outputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wishes {
    /// Name of an output and the number of its property; `None`: it is not wanted.
    pub outputs: Vec<(String, Option<u16>)>,
    /// Whether a geometry program takes the outputs, not the rasteriser.
    pub feeds_geometry: bool,
}

/// An output register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Out {
    /// The variable, and the members and elements that lead to a scalar or vector of it.
    pub(crate) variable: GlobalRef,
    pub(crate) path: Vec<u32>,
    /// Its name in the source.
    pub(crate) name: String,
    /// Components that the source gives it.
    pub(crate) components: u8,
    pub(crate) property: &'static Property,
    /// What is to be said of it, if it stays.
    pub(crate) remark: Option<Diagnostic>,
}

/// A scalar or vector of an output variable that the entry point writes.
struct Written {
    out: Out,
    builtin: Option<u32>,
    /// Its number in the array or matrix that it is part of.
    element: Option<u32>,
    /// The number of its property.
    kind: Option<u16>,
    is_unwanted: bool,
}

/// The registers of the outputs that an entry point writes, position first; and warnings on those that
/// have none.
///
/// # Errors
/// More than there are; wishes that name no output, or one property twice.
pub(super) fn placed(
    module: &Module,
    entry: &EntryPoint,
    interface: &Interface,
    wishes: &Wishes,
    touched: &[Touch],
) -> Result<(Vec<Out>, Vec<Diagnostic>), Box<Diagnostic>> {
    let mut all = Vec::new();
    let mut tally = Tally::new("outputs", "registers", REGISTERS as u32);
    for (i, global) in module.globals.iter().enumerate() {
        let variable = GlobalRef(i as u32);
        if global.space == Space::Output && entry.interface.contains(&variable) {
            let mut parts = Parts { module, interface, variable, found: Vec::new() };
            parts.add(&global.binding, global.ty, None, &mut Vec::new());
            let is_written =
                |w: &Written| touched.iter().any(|t| t.is_store && t.meets(variable, &w.out.path));
            let before = all.len();
            all.extend(parts.found.into_iter().filter(is_written));
            let found = all.len() - before;
            // Of long arrays not all parts were looked at.
            let count = if found > REGISTERS { vectors(module, global.ty) } else { found as u32 };
            tally.add(&global.name, global.span, count);
        }
    }
    if let Some(error) = tally.overflow() {
        return Err(error.help("pack scalars into vectors, or leave outputs out").into());
    }
    wished(module, &mut all, wishes)?;
    assign(module, &mut all, wishes.feeds_geometry);
    let mut lost = Vec::new();
    let mut outs = Vec::new();
    for written in all {
        match written.kind.and_then(Property::of) {
            Some(property) => outs.push(Out { property, ..written.out }),
            None if written.is_unwanted => {}
            None => lost.push(nowhere(module, &written)),
        }
    }
    // The position has to be in o0 [libctru]: the sort keeps the order of the others.
    outs.sort_by_key(|out| out.property.kind != POSITION);
    Ok((outs, lost))
}

/// Walks through the parts of an output variable.
struct Parts<'m> {
    module: &'m Module,
    interface: &'m Interface,
    variable: GlobalRef,
    found: Vec<Written>,
}

impl Parts<'_> {
    /// Adds the scalars and vectors of a part; types are as deep as the module's declarations.
    fn add(&mut self, binding: &Binding, ty: Ty, element: Option<u32>, path: &mut Vec<u32>) {
        let types = &self.module.types;
        let components = types.components(ty);
        if components > 0 {
            let name = self.interface.name_of(self.variable, path);
            let name = name.unwrap_or_else(|| self.module.global(self.variable).name.clone());
            let (variable, path) = (self.variable, path.clone());
            let property = &PROPERTIES[0];
            let out = Out { variable, path, name, components, property, remark: None };
            self.found.push(Written {
                out,
                builtin: binding.builtin,
                element,
                kind: None,
                is_unwanted: false,
            });
            return;
        }
        let is_array = !matches!(types.get(ty), Type::Struct(..));
        let members = self.module.global(self.variable).members.clone();
        // One more than there are is enough to be too many.
        for i in 0..types.part_count(ty).unwrap_or(0).min(REGISTERS as u32 + 1) {
            let Some(part) = types.part(ty, i) else { continue };
            let own = members.get(i as usize).filter(|_| path.is_empty() && !is_array).unwrap_or(binding);
            path.push(i);
            self.add(own, part, if is_array { Some(i) } else { None }, path);
            path.pop();
        }
    }
}

/// Takes over what the user says.
fn wished(module: &Module, all: &mut [Written], wishes: &Wishes) -> Result<(), Box<Diagnostic>> {
    for (name, kind) in &wishes.outputs {
        let named = |w: &Written| w.out.name == *name || w.out.name.rsplit('.').next() == Some(name);
        let at = all.iter().position(|w| w.out.name == *name).or_else(|| all.iter().position(named));
        let Some(at) = at else { return Err(no_output(all, name)) };
        let twice = |w: &&Written| kind.is_some_and(|kind| kind != DUMMY && w.kind == Some(kind));
        if let Some(other) = all.iter().find(twice) {
            let property = kind.and_then(Property::of).map_or("", |p| p.name);
            let what = format!("both `{}` and `{name}` are to be {property}", other.out.name);
            return Err(Diagnostic::error(span(module, &other.out), what)
                .help("an output has a property of its own")
                .into());
        }
        (all[at].kind, all[at].is_unwanted) = (*kind, kind.is_none());
    }
    Ok(())
}

/// Gives the others what built-ins, names and types say.
fn assign(module: &Module, all: &mut [Written], feeds_geometry: bool) {
    for i in 0..all.len() {
        let named = match all[i].builtin {
            Some(POSITION_BUILTIN) => Some(POSITION),
            Some(_) => None,
            None if feeds_geometry => Some(DUMMY),
            None => by_name(&all[i].out.name, all[i].element),
        };
        let is_free = |kind: &u16| *kind == DUMMY || all.iter().all(|w| w.kind != Some(*kind));
        if all[i].kind.is_none() && !all[i].is_unwanted {
            all[i].kind = named.filter(is_free);
            all[i].out.remark = all[i].kind.and_then(|kind| shortened(module, &all[i], kind));
        }
    }
    for i in 0..all.len() {
        let w = &all[i];
        let is_own = w.builtin.is_none() && !w.out.name.starts_with("gl_");
        if w.kind.is_some() || !is_own || w.is_unwanted {
            continue;
        }
        let is_free = |kind: &&u16| all.iter().all(|w| w.kind != Some(**kind));
        if let Some(&kind) = guesses(w.out.components).iter().find(is_free) {
            all[i].out.remark = Some(guessed(module, &all[i].out, kind));
            all[i].kind = Some(kind);
        }
    }
}

/// Properties that an output of so many components may be for, if its name says nothing.
fn guesses(components: u8) -> &'static [u16] {
    match components {
        4 => &[COLOR],
        3 => &[COLOR, VIEW],
        _ => &TEXCOORDS,
    }
}

fn span(module: &Module, out: &Out) -> Option<chiaro_diag::Span> {
    module.global(out.variable).span
}

/// How to choose a property.
fn choice(name: &str, property: &str) -> String {
    format!(
        "choose with `-m output.{name}={property}` or, in GLSL, `#pragma chiaro output.{name}={property}`"
    )
}

/// The note on a guess.
fn guessed(module: &Module, out: &Out, kind: u16) -> Diagnostic {
    let property = Property::of(kind).map_or("", |p| p.name);
    let what = format!("the output `{}` becomes {property}, a guess by its type and order", out.name);
    Diagnostic::remark(span(module, out), what).help(choice(&out.name, property))
}

/// The warning on an output that nothing takes.
fn nowhere(module: &Module, written: &Written) -> Diagnostic {
    let out = &written.out;
    let warning = Diagnostic::warning(span(module, out), format!("the output `{}` goes nowhere", out.name));
    if written.builtin.is_some() || out.name.starts_with("gl_") {
        return warning.note("the rasteriser of the PICA200 takes nothing of that kind");
    }
    let names: Vec<&str> = PROPERTIES.iter().map(|p| p.name).filter(|name| *name != "dummy").collect();
    warning
        .note(format!("the rasteriser takes one each of {}", names.join(", ")))
        .help(choice(&out.name, "PROPERTY"))
        .help(format!("`-m output.{}=none` leaves it out without a word", out.name))
}

/// The note on a normal that is no quaternion.
fn shortened(module: &Module, written: &Written, kind: u16) -> Option<Diagnostic> {
    let (out, property) = (&written.out, Property::of(kind)?);
    if property.name != "normalquat" || out.components == 4 {
        return None;
    }
    let what =
        format!("`{}` has {} components, and {} is a quaternion", out.name, out.components, property.name);
    let note = "what turns the z axis to the normal; fragment lighting goes wrong with a normal in its place";
    Some(Diagnostic::warning(span(module, out), what).note(note).help(choice(&out.name, "PROPERTY")))
}

fn no_output(all: &[Written], name: &str) -> Box<Diagnostic> {
    let names = || all.iter().map(|w| w.out.name.as_str());
    let error = Diagnostic::error(None, format!("the shader writes no output `{name}`"));
    match did_you_mean(name, names()) {
        Some(near) => error.meant(near),
        None => error.note(format!("it writes {}", names().collect::<Vec<_>>().join(", "))),
    }
    .into()
}

/// Whether the third component of texture coordinate 0 goes to its own property: of a texture
/// coordinate with three components, where no other output has that.
pub(crate) fn has_third(out: &Out, outs: &[Out]) -> bool {
    let is_cube = out.property.kind == TEXCOORDS[0] && out.components == 3;
    is_cube && outs.iter().all(|other| other.property.kind != TEXCOORD0W)
}

/// The property of that third component.
pub(crate) const THIRD: u16 = TEXCOORD0W;

/// v registers of a part of an input, and how many before it.
pub(super) fn before(module: &Module, ty: Ty, path: &[u32]) -> Option<(u8, Ty)> {
    path.iter().try_fold((0u8, ty), |(at, ty), &i| {
        let parts = (0..i.min(64)).filter_map(|k| module.types.part(ty, k));
        let skipped = parts.fold(0u8, |sum, part| sum.saturating_add(registers(module, part)));
        Some((at.saturating_add(skipped), module.types.part(ty, i)?))
    })
}
