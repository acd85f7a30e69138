//! How a uniform variable lies in registers: one register a vector, one a row of a matrix.

use super::touched::Touch;
use super::{Abi, Answer, BOOLS, Interface, Shape};
use crate::regs::FLOATS;
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{GlobalRef, Module, Ty, Type};

/// Types nest so deep at most.
const DEEPEST: usize = 16;

/// The placement of one variable.
pub(super) struct Lay<'a> {
    abi: &'a mut Abi,
    module: &'a Module,
    interface: &'a Interface,
    variable: GlobalRef,
    /// Where only what is read gets registers: the reads.
    reads: Option<&'a [&'a Touch]>,
    /// From the variable to the part at hand; 0 for any element of an array.
    path: Vec<u32>,
}

impl<'a> Lay<'a> {
    pub(super) fn new(
        abi: &'a mut Abi,
        module: &'a Module,
        interface: &'a Interface,
        variable: GlobalRef,
        reads: Option<&'a [&'a Touch]>,
    ) -> Lay<'a> {
        Lay { abi, module, interface, variable, reads, path: Vec::new() }
    }

    /// The shape of the variable and the c registers that it takes; `at` is where it is read.
    pub(super) fn lay(mut self, at: Option<Span>) -> Answer<(u32, u16)> {
        let global = self.module.global(self.variable);
        self.part(global.ty, false).map_err(|mut error| {
            error.span = at.or(global.span);
            error
        })
    }

    /// Lays out a part; inside of a matrix, arrays are those of its columns.
    fn part(&mut self, ty: Ty, inside: bool) -> Answer<(u32, u16)> {
        let is_columns = |l: &&super::Leaf| l.columns && l.path == self.path;
        let matrix = inside || self.interface.leaves_of(self.variable).any(|l| is_columns(&l));
        let types = &self.module.types;
        match types.get(ty) {
            _ if self.path.len() > DEEPEST => Err(unsupported(self.module, ty)),
            Type::Bool => self.flag(),
            Type::Int(_) | Type::Float(_) | Type::Vector(..) => Ok((self.abi.add(Shape::Vector), 1)),
            Type::Array(column, _, _) if matrix && matches!(types.get(*column), Type::Vector(..)) => {
                let rows = types.components(*column);
                Ok((self.abi.add(Shape::Matrix(rows)), rows.into()))
            }
            &Type::Array(elem, count, _) if has_bool(self.module, elem, DEEPEST) => {
                // Elements with bools in them have registers of their own each: they are placed as
                // members are. One more than there are is enough to be too many.
                let count = count.min(u32::from(FLOATS) + u32::from(BOOLS));
                self.members((0..count).map(|_| (0, elem)), matrix)
            }
            &Type::Array(elem, count, _) => {
                let reads = self.reads.take();
                self.path.push(0);
                let laid = self.part(elem, matrix);
                self.path.pop();
                self.reads = reads;
                let (elem, size) = laid?;
                let total = u32::from(size).saturating_mul(count).min(u32::from(u16::MAX)) as u16;
                Ok((self.abi.add(Shape::Array(elem, size)), total))
            }
            Type::Struct(_, members) => {
                self.members(members.iter().enumerate().map(|(i, m)| (i as u32, m.ty)), matrix)
            }
            _ => Err(unsupported(self.module, ty)),
        }
    }

    /// Lays out parts one behind the other, each with its step of the path.
    fn members(&mut self, parts: impl Iterator<Item = (u32, Ty)>, matrix: bool) -> Answer<(u32, u16)> {
        let (mut placed, mut size) = (Vec::new(), 0u16);
        for (i, ty) in parts {
            self.path.push(i);
            let is_read = |reads: &[&Touch]| reads.iter().any(|t| t.meets(self.variable, &self.path));
            let laid = match self.reads.is_none_or(is_read) {
                true => self.part(ty, matrix),
                false => Ok((self.abi.add(Shape::Absent), 0)),
            };
            self.path.pop();
            let (shape, registers) = laid?;
            placed.push((size, shape));
            size = size.saturating_add(registers);
        }
        Ok((self.abi.add(Shape::Struct(placed)), size))
    }

    fn flag(&mut self) -> Answer<(u32, u16)> {
        self.abi.bools = self.abi.bools.saturating_add(1);
        Ok((self.abi.add(Shape::Bool(self.abi.bools - 1)), 0))
    }
}

/// Whether a bool is somewhere in a type, down to a depth.
fn has_bool(module: &Module, ty: Ty, depth: usize) -> bool {
    match module.types.get(ty) {
        Type::Bool => true,
        Type::Array(elem, ..) if depth > 0 => has_bool(module, *elem, depth - 1),
        Type::Struct(_, members) if depth > 0 => members.iter().any(|m| has_bool(module, m.ty, depth - 1)),
        _ => false,
    }
}

fn unsupported(module: &Module, ty: Ty) -> Box<Diagnostic> {
    let what = match module.types.get(ty) {
        Type::Image(_) | Type::Sampler | Type::SampledImage(_) => "textures cannot be read by a vertex unit",
        Type::RuntimeArray(..) => {
            "the length of this array is not known, and there is no memory but c registers"
        }
        _ => "a uniform of this type has no place in c registers",
    };
    Diagnostic::error(None, what).help("pass the value as an attribute or a uniform").into()
}
