//! Where a shader's variables meet the machine.
//!
//! | variable | place |
//! |---|---|
//! | attribute at location n | attribute n; without a location the lowest that is free |
//! | uniforms in the order of declaration | one vec4 of uniform memory for each column of a matrix, element, member; scalars and vectors share one while it has room |
//! | viewport | two vec4 behind them: scale, then offset |
//! | constants | behind those |
//! | attributes and uniforms that nothing reads | nowhere: they are reported as removed |
//! | position | output 0 |
//! | other outputs in the order of declaration | from output 1 on, each vector or column its own |
//!
//! Names are those of [`chiaro_ir::interface`].

use std::collections::HashMap;
use std::ops::Range;

use chiaro_diag::{Diagnostic, Tally};
use chiaro_ir::{Function, GlobalRef, Interface, Leaf, Module, Space, Ty, Type};

use crate::regs::{self, VIEWPORT};

/// SPIR-V's numbers of built-ins.
pub(crate) const POSITION: u32 = 0;
pub(crate) const POINT_SIZE: u32 = 1;

/// A variable with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// Its name.
    pub name: String,
    /// First attribute, vec4 of uniform memory, or output.
    pub index: u16,
    /// How many.
    pub count: u16,
    /// Component of the vec4 that it begins in: others share it.
    pub component: u8,
    /// Its scalars, vectors, and arrays of them, as the host program names them.
    pub leaves: Vec<PlacedLeaf>,
}

/// A part of a variable that is no structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlacedLeaf {
    /// Its name, `lights[2].colour`.
    pub name: String,
    /// First attribute, vec4 of uniform memory, or output.
    pub index: u16,
    /// Component of the vec4 that it begins in.
    pub component: u8,
    /// Elements of an array or columns of a matrix; 0 for neither.
    pub entries: u16,
    /// Components of a vector.
    pub components: u8,
    /// What a component is.
    pub kind: Kind,
}

/// What a component is; all are floats in the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names are the languages'")]
pub enum Kind {
    Float,
    Int,
    Bool,
}

/// The leaves of a variable that stands at a place.
fn leaves(module: &Module, interface: &Interface, g: GlobalRef, index: u16) -> Vec<PlacedLeaf> {
    let leaf = |leaf: &Leaf| {
        let steps = leaf.path.iter().try_fold((index, module.global(g).ty), |(at, ty), &i| {
            Some((at.saturating_add(before(module, ty, i)), module.types.part(ty, i)?))
        });
        let (index, ty) = steps?;
        let (vector, entries) = vectors(module, ty).map_or((ty, 0), |(elem, count)| (elem, count));
        let (components, kind) = self::vector(module, vector)?;
        Some(PlacedLeaf { name: leaf.name.clone(), index, component: 0, entries, components, kind })
    };
    interface.leaves_of(g).filter_map(leaf).collect()
}

/// How many vec4 the parts of a type take that stand before part `i`.
fn before(module: &Module, ty: Ty, i: u32) -> u16 {
    let size = |k: u32| module.types.part(ty, k).and_then(|part| size(module, part)).unwrap_or(0);
    match module.types.get(ty) {
        Type::Array(..) => size(0).saturating_mul(u16::try_from(i).unwrap_or(u16::MAX)),
        _ => (0..i).fold(0u16, |sum, k| sum.saturating_add(size(k))),
    }
}

/// The vectors of an array, of a matrix, or of an array of those, with their number.
fn vectors(module: &Module, ty: Ty) -> Option<(Ty, u16)> {
    let Type::Array(elem, count, _) = module.types.get(ty) else { return None };
    let count = u16::try_from(*count).ok()?;
    match module.types.get(*elem) {
        Type::Array(..) => {
            let (leaf, inner) = vectors(module, *elem)?;
            Some((leaf, inner.checked_mul(count)?))
        }
        _ => vector(module, *elem).map(|_| (*elem, count)),
    }
}

/// Components and kind of a scalar or vector.
fn vector(module: &Module, ty: Ty) -> Option<(u8, Kind)> {
    Some(match module.types.get(ty) {
        Type::Bool => (1, Kind::Bool),
        Type::Int(_) => (1, Kind::Int),
        Type::Float(_) => (1, Kind::Float),
        Type::Vector(elem, n) => (*n, vector(module, *elem)?.1),
        _ => return None,
    })
}

/// A variable without a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Removed {
    /// Its name.
    pub name: String,
    /// Whether it is an attribute; else it is a uniform.
    pub is_attribute: bool,
}

/// The placement of all variables.
#[derive(Clone, Default, Debug)]
pub struct Abi {
    /// Attributes.
    pub attributes: Vec<Placed>,
    /// Uniforms.
    pub uniforms: Vec<Placed>,
    /// Outputs; gl_Position and gl_PointSize among them.
    pub outputs: Vec<Placed>,
    /// The output of the point size.
    pub point_size: Option<u16>,
    /// Attributes and uniforms that nothing reads, which have no place.
    pub removed: Vec<Removed>,
    /// vec4 of uniform memory that the user's uniforms take; the viewport's scale and offset follow.
    pub uniform_vec4: u16,
    places: HashMap<(GlobalRef, u32), u16>,
    /// Components of scalar and vector uniforms, which share a vec4.
    parts: HashMap<GlobalRef, Range<u8>>,
    /// vec4 of uniforms that have room, and how many of their components are taken.
    open: Vec<(u16, u8)>,
}

/// How many vec4 a type takes; `None` for what has no place there.
pub(crate) fn size(module: &Module, ty: Ty) -> Option<u16> {
    Some(u16::try_from(vectors_of(module, ty)?).unwrap_or(u16::MAX))
}

/// The same without a bound, for messages.
fn vectors_of(module: &Module, ty: Ty) -> Option<u32> {
    Some(match module.types.get(ty) {
        Type::Bool | Type::Int(_) | Type::Float(_) | Type::Vector(..) => 1,
        Type::Array(elem, count, _) => vectors_of(module, *elem)?.saturating_mul(*count),
        Type::Struct(_, members) => {
            members.iter().try_fold(0u32, |sum, m| Some(sum.saturating_add(vectors_of(module, m.ty)?)))?
        }
        _ => return None,
    })
}

/// A variable's own name; of a block without one, what the reader calls it.
fn name_of(module: &Module, interface: &Interface, g: GlobalRef) -> String {
    let own = interface.name_of(g, &[]).filter(|name| !name.is_empty());
    own.unwrap_or_else(|| module.global(g).name.clone())
}

type Answer<T> = Result<T, Box<Diagnostic>>;

/// vec4 of attributes or outputs.
const BANK: u16 = regs::BANK as u16;

impl Abi {
    /// Places the variables of a module that its entry point, which is optimised, uses; its
    /// outputs all of them.
    ///
    /// # Errors
    /// Variables that have no place, or too many of them.
    pub fn new(module: &Module, f: &Function, interface: &Interface) -> Answer<Abi> {
        let own;
        // A module that comes without has the names of the IR.
        let interface = if interface.leaves.is_empty() {
            own = Interface::of(module);
            &own
        } else {
            interface
        };
        let mut used = vec![false; module.globals.len()];
        chiaro_opt::named(module, f).iter().for_each(|(g, _)| used[g.0 as usize] = true);
        let mut abi = Abi::default();
        let mut taken = 0u32;
        for global in module.globals.iter().filter(|g| g.space == Space::Input) {
            taken |= global.binding.location.map_or(0, |n| 1u32.checked_shl(n).unwrap_or(0));
        }
        if let Some(error) = overflow(module, interface, &used) {
            return Err(error.into());
        }
        let mut next_output = 1;
        for (i, global) in module.globals.iter().enumerate() {
            let (g, is_used) = (GlobalRef(i as u32), used[i]);
            match global.space {
                Space::Output => next_output = abi.output(module, g, interface, next_output)?,
                Space::Input if global.binding.builtin.is_some() => {}
                Space::Input if is_used => abi.attribute(module, g, interface, &mut taken)?,
                Space::Uniform | Space::UniformConstant | Space::PushConstant if is_used => {
                    abi.uniform(module, g, interface)?;
                }
                Space::Input | Space::Uniform | Space::UniformConstant | Space::PushConstant => {
                    let name = name_of(module, interface, g);
                    abi.removed.push(Removed { name, is_attribute: global.space == Space::Input });
                }
                _ => {}
            }
        }
        Ok(abi)
    }

    fn uniform(&mut self, module: &Module, g: GlobalRef, interface: &Interface) -> Answer<()> {
        let global = module.global(g);
        let count = size(module, global.ty).ok_or_else(|| unsupported(module, g))?;
        let (first, component) = match vector(module, global.ty) {
            Some((width, _)) => {
                let (first, component) = self.share(width);
                self.parts.insert(g, component..component + width);
                (first, component)
            }
            None => (self.uniform_vec4, 0),
        };
        self.places.insert((g, 0), first);
        let name = name_of(module, interface, g);
        let mut leaves = leaves(module, interface, g, first);
        leaves.iter_mut().for_each(|leaf| leaf.component = component);
        self.uniforms.push(Placed { name, index: first, count, component, leaves });
        self.uniform_vec4 = self.uniform_vec4.max(first.saturating_add(count));
        Ok(())
    }

    /// The first vec4 with room for a scalar or vector, and the component there. A file states places in
    /// floats, so the host finds it.
    fn share(&mut self, width: u8) -> (u16, u8) {
        if let Some((row, used)) = self.open.iter_mut().find(|(_, used)| used + width <= 4) {
            *used += width;
            return (*row, *used - width);
        }
        self.open.push((self.uniform_vec4, width));
        (self.uniform_vec4, 0)
    }

    /// Places an attribute at its location, or at the lowest one that is free.
    fn attribute(
        &mut self,
        module: &Module,
        g: GlobalRef,
        interface: &Interface,
        taken: &mut u32,
    ) -> Answer<()> {
        let global = module.global(g);
        let count = size(module, global.ty).ok_or_else(|| unsupported(module, g))?;
        if global.binding.component != 0 {
            let message =
                format!("`{}` begins within a vec4, at component {}", global.name, global.binding.component);
            let error = Diagnostic::error(global.span, message);
            return Err(Box::new(
                error.help("this machine has a whole vec4 for each input: give it a location of its own"),
            ));
        }
        let first = match global.binding.location {
            Some(n) => n as u16,
            None => taken.trailing_ones() as u16,
        };
        *taken |= (1 << count.min(BANK)) - 1 << first.min(BANK);
        if first.saturating_add(count) > BANK {
            let name = name_of(module, interface, g);
            let message = format!("`{name}` ends beyond attribute {}, the last", BANK - 1);
            let error = Diagnostic::error(global.span, message);
            return Err(Box::new(error.help("give it a lower location")));
        }
        self.places.insert((g, 0), first);
        let name = name_of(module, interface, g);
        let leaves = leaves(module, interface, g, first);
        self.attributes.push(Placed { name, index: first, count, component: 0, leaves });
        Ok(())
    }

    fn output(&mut self, module: &Module, g: GlobalRef, interface: &Interface, mut next: u16) -> Answer<u16> {
        let global = module.global(g);
        let members: Vec<(u32, Ty, Option<u32>)> = match module.types.get(global.ty) {
            Type::Struct(_, members) if !global.members.is_empty() => {
                let builtin = |i: usize| global.members.get(i).and_then(|b| b.builtin);
                members.iter().enumerate().map(|(i, m)| (i as u32, m.ty, builtin(i))).collect()
            }
            _ => vec![(0, global.ty, global.binding.builtin)],
        };
        let is_block = !global.members.is_empty();
        for (member, ty, builtin) in members {
            let count = size(module, ty).ok_or_else(|| unsupported(module, g))?;
            let index = match builtin {
                Some(POSITION) => 0,
                Some(POINT_SIZE) | None => {
                    next = next.saturating_add(count);
                    next - count
                }
                Some(_) => continue,
            };
            let path = if is_block { vec![member] } else { Vec::new() };
            let all = leaves(module, interface, g, 0).into_iter().zip(interface.leaves_of(g));
            let own: Vec<_> =
                all.filter(|(_, leaf)| leaf.path.starts_with(&path)).map(|(own, _)| own).collect();
            let name = interface.name_of(g, &path).unwrap_or_else(|| name_of(module, interface, g));
            if index.saturating_add(count) > BANK {
                let message = format!("`{name}` is beyond the 16 outputs, of which the position is one");
                let error = Diagnostic::error(global.span, message);
                return Err(Box::new(error.help("pass fewer varyings, or put several into one vec4")));
            }
            let from = own.first().map_or(0, |leaf| leaf.index);
            let moved = |leaf: PlacedLeaf| PlacedLeaf { index: leaf.index - from + index, ..leaf };
            let leaves = own.into_iter().map(moved).collect();
            if builtin == Some(POINT_SIZE) {
                self.point_size = Some(index);
            }
            self.places.insert((g, member), index);
            self.outputs.push(Placed { name, index, count, component: 0, leaves });
        }
        Ok(next)
    }

    /// The vec4 that hold the viewport's scale and offset.
    #[must_use]
    pub fn viewport(&self) -> [u16; 2] {
        [self.uniform_vec4, self.uniform_vec4.saturating_add(1)]
    }

    /// The first vec4 behind them: temporaries, then constants.
    #[must_use]
    pub fn behind_viewport(&self) -> u16 {
        self.uniform_vec4.saturating_add(VIEWPORT)
    }

    /// The first place of a variable, or of a member of a block of outputs.
    pub(crate) fn place(&self, g: GlobalRef, member: u32) -> Option<u16> {
        self.places.get(&(g, member)).copied()
    }

    /// The components of its vec4 that a uniform has.
    pub(crate) fn part(&self, g: GlobalRef) -> Range<u8> {
        self.parts.get(&g).cloned().unwrap_or(0..4)
    }
}

/// The error of more variables of a kind than there is room for.
fn overflow(module: &Module, interface: &Interface, used: &[bool]) -> Option<Diagnostic> {
    let mut attributes = Tally::new("attributes", "vec4", BANK.into());
    let mut uniforms = Tally::new("uniforms", "vec4", u32::from(regs::UNIFORMS as u16 - VIEWPORT));
    let mut outputs = Tally::new("outputs", "vec4", BANK.into());
    let mut locations = std::collections::HashSet::new();
    for (i, global) in module.globals.iter().enumerate() {
        let g = GlobalRef(i as u32);
        let (tally, is_taken) = match global.space {
            // Two attributes may have one location.
            Space::Input if global.binding.builtin.is_none() => {
                let location = global.binding.location;
                (&mut attributes, used[i] && location.is_none_or(|n| locations.insert(n)))
            }
            Space::Uniform | Space::UniformConstant | Space::PushConstant => (&mut uniforms, used[i]),
            Space::Output => (&mut outputs, true),
            _ => continue,
        };
        let vectors =
            if global.space == Space::Output { written(module, g) } else { vectors_of(module, global.ty) };
        if is_taken {
            tally.add(&name_of(module, interface, g), global.span, vectors.unwrap_or(0));
        }
    }
    let helps = [
        (attributes, "a matrix takes one vec4 a column: put scalars into vectors"),
        (uniforms, "two vec4 more are for the viewport; make arrays smaller, and put scalars into vectors"),
        (outputs, "pass fewer varyings, or put several into one vec4"),
    ];
    helps.into_iter().find_map(|(tally, help)| Some(tally.overflow()?.help(help)))
}

/// How many vec4 an output takes: a block of built-ins only for what the machine hands on.
fn written(module: &Module, g: GlobalRef) -> Option<u32> {
    let global = module.global(g);
    let is_handed_on = |builtin: Option<u32>| builtin.is_none_or(|b| b == POSITION || b == POINT_SIZE);
    match module.types.get(global.ty) {
        Type::Struct(_, members) if !global.members.is_empty() => {
            let kept = members.iter().zip(&global.members).filter(|(_, b)| is_handed_on(b.builtin));
            kept.map(|(m, _)| vectors_of(module, m.ty)).sum()
        }
        _ if is_handed_on(global.binding.builtin) => vectors_of(module, global.ty),
        _ => Some(0),
    }
}

fn unsupported(module: &Module, g: GlobalRef) -> Box<Diagnostic> {
    let global = module.global(g);
    let message =
        format!("`{}` has no place on this machine: it has no textures and no buffers", global.name);
    Box::new(Diagnostic::error(global.span, message).help("pass the value as an attribute or a uniform"))
}
