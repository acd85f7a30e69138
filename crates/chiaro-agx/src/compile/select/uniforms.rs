//! What uniforms hold before a program starts: addresses of buffers, numbers of the dispatch (spec 14.2, 16.1).

use chiaro_diag::{Diagnostic, Tally};
use chiaro_ir::{GlobalRef, Space, Stage, Type};
use chiaro_mach::Outcome;

use super::Select;
use super::held::Buffer;
use super::members::add_members;
use super::part::{From, Part};
use super::row::rows;
use crate::abi::uniforms::Vertex;
use crate::container::file::{Held, LOOSE, PUSH, What};

/// Halves of uniforms that addresses are read from (spec 3.5).
const BASES: u16 = 256;
/// Halves that every part of a fragment program finds (spec 14.4).
const FRAGMENT_UNIFORMS: u16 = 16;
/// Halves of an address.
const ADDRESS: u16 = 4;

impl Select<'_> {
    /// Leaves room for what every part of a program finds.
    pub(super) fn reserve_uniforms(&mut self) -> Outcome {
        let reserved = match self.stage {
            _ if self.is_part() => 0,
            Stage::Vertex => {
                let rows = self.used(Space::Input).into_iter().flat_map(|g| rows(self.module, g));
                let attributes =
                    rows.filter(|row| row.binding.builtin.is_none()).map(|row| row.location() + 1);
                let count = attributes.max().unwrap_or(0).try_into().unwrap_or(u16::MAX);
                let abi =
                    Vertex::new(count, self.software).map_err(|why| vec![Diagnostic::error(None, why)])?;
                self.vertex_abi = Some(abi);
                abi.first_free()
            }
            Stage::Fragment => FRAGMENT_UNIFORMS,
            _ => 0,
        };
        // In one piece others stand before: an epilog without variables takes none of their halves.
        self.next_uniform = self.next_uniform.max(reserved);
        Ok(())
    }

    /// Gives buffers the halves of their addresses.
    pub(super) fn place_uniforms(&mut self) -> Outcome {
        let mut used: Vec<GlobalRef> =
            chiaro_opt::named(self.module, self.f).into_iter().map(|(g, _)| g).collect();
        used.sort_by_key(|g| g.0);
        let mut tally = Tally::new("buffers", "halves of uniforms", BASES.into());
        for g in used {
            if self.standing(g).is_some() {
                continue;
            }
            let global = self.module.global(g);
            let loose = global.space == Space::UniformConstant && !self.sizes(global.ty).is_empty();
            if !loose && !matches!(global.space, Space::Uniform | Space::Storage | Space::PushConstant) {
                continue;
            }
            let count = match self.module.types.get(global.ty) {
                Type::Array(_, n, _) if !loose => Some(*n as u16),
                _ => None,
            };
            let halves = ADDRESS.saturating_mul(count.unwrap_or(1));
            tally.add(&self.name_of(g), global.span, halves.into());
            // Variables outside of blocks have no binding of their own: members are told by set and binding.
            let [set, binding] = match global.space {
                Space::UniformConstant => [LOOSE, g.0],
                Space::PushConstant => [PUSH, global.binding.binding.unwrap_or(0)],
                _ => [global.binding.set, global.binding.binding].map(|number| number.unwrap_or(0)),
            };
            let what = Held { what: What::Address, name: self.name_of(g), set, binding, ..Held::default() };
            add_members(self.module, global.ty, &what, &mut self.members);
            let first = self.hold(what, halves, 4);
            self.buffers.insert(g, Buffer { first, count });
            self.interface.buffers.push((g, first));
        }
        match tally.overflow() {
            Some(error) => Err(vec![error.help("put several buffers into one")]),
            None => Ok(()),
        }
    }

    /// The name that a host gives a buffer: that of its instance, or of its type where it has none.
    fn name_of(&self, g: GlobalRef) -> String {
        let global = self.module.global(g);
        match self.module.types.get(global.ty) {
            Type::Struct(name, _) if global.name.is_empty() => name.clone(),
            _ => global.name.clone(),
        }
    }

    /// Halves for something, from a multiple of so many on; the same thing again has the same ones.
    pub(super) fn hold(&mut self, held: Held, halves: u16, align: u16) -> u16 {
        fn place(held: &Held) -> impl PartialEq {
            (held.what, held.set, held.binding, held.member, held.name.as_str())
        }
        let same = |other: &&Held| place(other) == place(&held);
        if let Some(known) = self.uniforms.iter().find(same) {
            return known.first;
        }
        let first = self.next_uniform.next_multiple_of(align);
        self.next_uniform = first.saturating_add(halves);
        self.uniforms.push(Held { first, halves, ..held });
        first
    }

    /// A parameter of the draw at a place that the ABI fixes.
    pub(super) fn fixed_uniform(&mut self, name: &str, first: u16, size: u16) -> Part {
        let held = Held { what: What::Draw, name: name.to_owned(), first, halves: size, ..Held::default() };
        if !self.uniforms.contains(&held) {
            self.uniforms.push(held);
        }
        Part::new(From::Uniform(first), size)
    }

    /// A parameter of the draw or dispatch.
    pub(super) fn parameter(&mut self, name: &str, member: u32, size: u16) -> Part {
        let held = Held { what: What::Draw, name: name.to_owned(), member, ..Held::default() };
        Part::new(From::Uniform(self.hold(held, size, size)), size)
    }
}

/// Uniforms do not suffice.
pub(crate) fn too_many(used: u16, allowed: u16) -> Diagnostic {
    Diagnostic::error(None, format!("uniforms take {used} halves, {allowed} are there"))
        .help("read fewer buffers, or put several into one")
}
