//! Pointers: chains of accesses to a variable, and indices that are known at run time only.
//!
//! Such an index is kept within its array: what is read outside of uniform memory nobody knows.

use std::collections::HashMap;

use chiaro_ir::{Constant, ConstantKind, Def, Op as Ir, Space, Ty, Type, Value};

use super::state::{Addresses, Root};
use super::{Answer, Block, Select};
use crate::abi;
use crate::compile::graph::{Op, Operand, Source};
use crate::regs::LOAD_ADDRESSES;

/// Where a pointer points.
#[derive(Clone, Debug)]
pub(super) struct Pointed {
    pub(super) root: Root,
    /// The member, where the variable is a block of outputs.
    pub(super) member: u32,
    /// vec4 from the variable's (or member's) first place.
    pub(super) row: u32,
    /// What is added to it at run time.
    pub(super) indices: Vec<Index>,
    /// The component of a vector, where one is meant.
    pub(super) component: Option<Component>,
    /// What is there.
    pub(super) ty: Ty,
    /// The vector that a component is one of.
    pub(super) vector: Ty,
}

/// An index that is known at run time only: of so many elements of so many vec4.
#[derive(Clone, Copy, Debug)]
pub(super) struct Index {
    pub(super) value: Value,
    pub(super) count: u32,
    pub(super) rows: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Component {
    Known(u32),
    Indexed(Value),
}

impl Select<'_> {
    /// Follows a chain of accesses to the variable.
    pub(super) fn pointed(&mut self, pointer: Value) -> Answer<Pointed> {
        let mut chain = Vec::new();
        let mut at = pointer;
        let root = loop {
            match self.f.def(at) {
                Def::Constant(c) => match self.module.constants.get(c) {
                    ConstantKind::Global(g) => break Root::Global(*g),
                    _ => return self.error("this pointer leads nowhere", "please report the shader"),
                },
                Def::Result(inst, _) if self.f.op(inst) == Ir::Access => {
                    chain.push(self.f.args(inst)[1..].to_vec());
                    at = self.f.args(inst)[0];
                }
                Def::Result(inst, _) if matches!(self.f.op(inst), Ir::Var(_)) => break Root::Local(at),
                _ => {
                    return self.error(
                        "this pointer is chosen at run time",
                        "let the choice be between values, not between variables",
                    );
                }
            }
        };
        self.walk(root, chain.into_iter().rev().flatten())
    }

    /// What a variable holds.
    pub(super) fn type_of(&self, root: Root) -> Ty {
        match root {
            Root::Global(g) => self.module.global(g).ty,
            Root::Local(pointer) => {
                let ty = self.f.ty(pointer);
                self.module.types.pointee(ty).map_or(ty, |(_, pointee)| pointee)
            }
        }
    }

    fn walk(&mut self, root: Root, indices: impl Iterator<Item = Value>) -> Answer<Pointed> {
        let ty = self.type_of(root);
        let mut to =
            Pointed { root, member: 0, row: 0, indices: Vec::new(), component: None, ty, vector: ty };
        let is_block = match root {
            Root::Global(g) => {
                let data = self.module.global(g);
                data.space == Space::Output && !data.members.is_empty()
            }
            Root::Local(_) => false,
        };
        for (depth, index) in indices.enumerate() {
            self.step(&mut to, index, is_block && depth == 0)?;
        }
        Ok(to)
    }

    /// One index more.
    fn step(&self, to: &mut Pointed, index: Value, is_member: bool) -> Answer<()> {
        let types = &self.module.types;
        let known = self.known(index);
        to.vector = to.ty;
        match (types.get(to.ty), known) {
            (Type::Vector(_, count), Some(n)) => {
                let last = u32::from(*count).saturating_sub(1);
                to.component = Some(Component::Known(n.min(last)));
            }
            (Type::Vector(..), None) => to.component = Some(Component::Indexed(index)),
            (Type::Struct(..), Some(n)) if is_member => to.member = n,
            (Type::Array(elem, count, _), _) => {
                let rows = u32::from(abi::size(self.module, *elem).unwrap_or(0));
                match known {
                    // What lies outside of an array is its last element, as at run time.
                    Some(n) => to.row += n.min(count.saturating_sub(1)).saturating_mul(rows),
                    None => to.indices.push(Index { value: index, count: *count, rows }),
                }
            }
            (_, Some(n)) => {
                for i in 0..n {
                    let before = types.part(to.ty, i).unwrap_or(to.ty);
                    to.row = to.row.saturating_add(u32::from(abi::size(self.module, before).unwrap_or(0)));
                }
            }
            (_, None) => {
                return self.error("this index must be known when the shader is compiled", "use a constant");
            }
        }
        to.ty = types.part(to.ty, known.unwrap_or(0)).unwrap_or(to.ty);
        Ok(())
    }

    /// The number that an index is.
    fn known(&self, index: Value) -> Option<u32> {
        match self.f.def(index) {
            Def::Constant(c) => self.bits(c),
            _ => None,
        }
    }

    fn bits(&self, c: Constant) -> Option<u32> {
        self.module.constants.bits(c).map(|bits| bits as u32)
    }

    /// The vec4 that indices add at run time, as a float.
    pub(super) fn offset_of(&mut self, indices: &[Index]) -> Answer<Operand> {
        let mut sum = self.graph().number(0.0);
        for &Index { value, count, rows } in indices {
            let index = self.scalar(value)?;
            let whole = self.floored(index);
            let last = count.saturating_sub(1) as f32;
            let within = self.graph().make(Op::Clamp(0.0_f32.to_bits(), last.to_bits()), &[whole]);
            let factor = self.graph().number(rows as f32);
            let part = self.graph().mul(within, factor);
            sum = self.graph().add(sum, part);
        }
        Ok(sum)
    }

    /// An index that only counts from zero on: truncating to it is rounding down.
    fn floored(&mut self, index: Operand) -> Operand {
        let graph = self.graph();
        let data = *graph.get(index.node);
        if let (Op::Mul(false), &[sign, floor], false) = (data.op, data.args(), index.neg) {
            let (sign, floor) = match graph.get(sign.node).op {
                Op::Sign => (sign, floor),
                _ => (floor, sign),
            };
            let (s, f) = (*graph.get(sign.node), *graph.get(floor.node));
            if (s.op, f.op) == (Op::Sign, Op::Floor)
                && let (&[a], &[size]) = (s.args(), f.args())
                && graph.make(Op::Max, &[a, a.negated()]) == size
            {
                return graph.make(Op::Floor, &[a]);
            }
        }
        graph.plain(index)
    }

    /// The address register that holds what indices add, set in this block.
    pub(super) fn address(&mut self, indices: &[Index]) -> Answer<u8> {
        let mut offset = self.offset_of(indices)?;
        if self.addresses.block != self.current() {
            self.addresses = Addresses { block: self.current(), held: HashMap::new() };
        }
        if let Some(&register) = self.addresses.held.get(&(offset.node, offset.neg)) {
            return Ok(register);
        }
        if self.addresses.held.len() >= usize::from(LOAD_ADDRESSES) {
            self.split();
            offset = self.offset_of(indices)?;
            self.addresses = Addresses { block: self.current(), held: HashMap::new() };
        }
        let register = self.addresses.held.len() as u8 + 1;
        self.addresses.held.insert((offset.node, offset.neg), register);
        let plain = self.graph().plain(offset);
        self.graph().make(Op::Address(register), &[plain]);
        Ok(register)
    }

    /// Goes on in a new block, which the current one leads to.
    pub(super) fn split(&mut self) {
        self.blocks.push(Block::default());
    }

    /// A component of memory: `row` counts from the start of uniform memory.
    pub(super) fn cell(&self, row: u32, component: u32, register: Option<u8>, is_stored: bool) -> Source {
        let (row, component) = (row.min(511) as u16, component as u8 & 3);
        match register {
            Some(register) => Source::Indexed(row, component, register),
            None if is_stored => Source::Temporary(row, component),
            None => Source::Uniform(row, component),
        }
    }
}
