//! Operands: constants, values of this block, and values of others, which come in registers.

use chiaro_ir::{Constant, ConstantKind, Def, Ty, Type, Value};

use super::{Answer, Part, Select};
use crate::compile::graph::{Node, Op, Operand, Place, Source};

/// Scalars in a value at most: what a stage can hold is far less.
const MOST_PARTS: u32 = 4096;

impl Select<'_> {
    /// The scalars of a value, usable in the current block.
    pub(super) fn read(&mut self, value: Value) -> Answer<Vec<Operand>> {
        if let Def::Constant(c) = self.f.def(value) {
            let mut parts = Vec::new();
            self.constant(c, &mut parts)?;
            return Ok(parts);
        }
        // Taken out for as long as they are read, which makes no other value.
        let Some(parts) = self.values[value.0 as usize].take() else {
            return self.error(
                "this value is made in a way that the machine does not have",
                "please report the shader",
            );
        };
        let mut here = Vec::with_capacity(parts.len());
        let read = parts.iter().try_for_each(|&part| {
            here.push(self.value_here(part)?);
            Ok(())
        });
        self.values[value.0 as usize] = Some(parts);
        read.map(|()| here)
    }

    /// The only scalar of a value.
    pub(super) fn scalar(&mut self, value: Value) -> Answer<Operand> {
        let parts = self.read(value)?;
        match parts.first() {
            Some(&part) => Ok(part),
            None => self.error("this value has no scalar", "please report the shader"),
        }
    }

    /// A scalar of a value. Where it came in a register, that still holds it: the registers of a
    /// construct's parameters and results are written by its exits alone, after which nothing
    /// can name the old value.
    fn value_here(&mut self, part: Part) -> Answer<Operand> {
        let data = self.blocks[part.block as usize].graph.get(part.operand.node);
        match data.op {
            Op::Load(source @ Source::Register(index, component)) if part.block != self.current() => {
                let current = self.current();
                if self.held.get(&(index, component)).is_some_and(|held| held.block == current) {
                    return self.here(part);
                }
                let loaded = self.graph().load(source);
                Ok(Operand { neg: loaded.neg != part.operand.neg, ..loaded })
            }
            _ => self.here(part),
        }
    }

    /// A scalar of this or another block.
    pub(super) fn here(&mut self, part: Part) -> Answer<Operand> {
        if part.block == self.current() {
            return Ok(part.operand);
        }
        let data = *self.blocks[part.block as usize].graph.get(part.operand.node);
        let loaded = match data.op {
            // What can be loaded again needs no register.
            Op::Load(source) if source.is_lasting() => self.graph().load(source),
            _ => {
                let (index, component) = self.home(part.block, part.operand.node)?;
                self.graph().load(Source::Register(index, component))
            }
        };
        Ok(Operand { neg: loaded.neg != part.operand.neg, ..loaded })
    }

    /// The register in which a value of a block is kept.
    fn home(&mut self, block: u32, node: Node) -> Answer<(u8, u8)> {
        if let Some(&home) = self.homes.get(&(block, node)) {
            return Ok(home);
        }
        let home = self.register()?;
        let graph = &mut self.blocks[block as usize].graph;
        graph.make(Op::Store(Place::Register(home.0, home.1)), &[Operand { node, neg: false }]);
        self.homes.insert((block, node), home);
        Ok(home)
    }

    pub(super) fn constant(&mut self, c: Constant, parts: &mut Vec<Operand>) -> Answer<()> {
        let mut values = Vec::new();
        self.floats(c, &mut values)?;
        parts.extend(values.into_iter().map(|value| self.graph().number(value)));
        Ok(())
    }

    /// The scalars of a constant as floats.
    pub(super) fn floats(&self, c: Constant, values: &mut Vec<f32>) -> Answer<()> {
        let ty = self.module.constants.ty(c);
        match self.module.constants.get(c) {
            ConstantKind::Composite(list) => {
                list.iter().try_for_each(|&part| self.floats(part, values))?;
            }
            ConstantKind::Scalar(bits) => values.push(self.number(ty, *bits)),
            ConstantKind::Zero | ConstantKind::Undef => {
                let count = self.scalars(ty)?;
                values.extend(std::iter::repeat_n(0.0, count as usize));
            }
            _ => return self.error("a constant of this kind has no value here", "please report the shader"),
        }
        Ok(())
    }

    /// A scalar constant as the float that stands for it.
    fn number(&self, ty: Ty, bits: u64) -> f32 {
        match self.module.types.get(ty) {
            Type::Float(_) => f32::from_bits(bits as u32),
            Type::Bool => f32::from(u8::from(bits != 0)),
            _ => bits as u32 as i32 as f32,
        }
    }

    /// How many scalars a type has.
    pub(super) fn scalars(&self, ty: Ty) -> Answer<u32> {
        let types = &self.module.types;
        let count = match types.get(ty) {
            Type::Bool | Type::Int(_) | Type::Float(_) => 1,
            Type::Vector(_, n) => u32::from(*n),
            Type::Array(elem, n, _) => self.scalars(*elem)?.saturating_mul(*n),
            Type::Struct(_, members) => {
                let mut sum = 0u32;
                for member in members {
                    sum = sum.saturating_add(self.scalars(member.ty)?);
                }
                sum
            }
            _ => {
                return self.error(
                    "a value of this type cannot be computed with",
                    "vertex processors have neither textures nor buffers",
                );
            }
        };
        if count > MOST_PARTS {
            return self
                .error("this value has more scalars than the machine could hold", "use smaller arrays");
        }
        Ok(count)
    }

    /// First scalar of part `n` of a composite type.
    pub(super) fn offset(&self, ty: Ty, n: u32) -> Answer<u32> {
        let mut sum = 0u32;
        match self.module.types.get(ty) {
            Type::Vector(..) => sum = n,
            Type::Array(elem, _, _) => sum = self.scalars(*elem)?.saturating_mul(n),
            _ => {
                for i in 0..n {
                    let part = self.module.types.part(ty, i);
                    sum = sum.saturating_add(part.map_or(Ok(0), |part| self.scalars(part))?);
                }
            }
        }
        Ok(sum)
    }
}
