//! How a uniform variable lies in registers: one register a vector, one a row of a matrix.

use super::touched::Touch;
use super::{Abi, Answer, BOOLS, Interface, Shape};
use crate::regs::FLOATS;
use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::{GlobalRef, Module, Ty, Type};
use std::ops::AddAssign;

/// Types nest so deep at most.
const DEEPEST: usize = 16;

/// Registers that a part takes; more than there are is counted too, for the message.
#[derive(Clone, Copy, Default)]
pub(super) struct Size {
    /// c registers.
    pub(super) floats: u32,
    /// b registers.
    pub(super) bools: u32,
}

impl Size {
    fn times(self, count: u32) -> Size {
        Size { floats: self.floats.saturating_mul(count), bools: self.bools.saturating_mul(count) }
    }

    /// c registers as a distance; what is beyond is no place, and no program is made.
    fn distance(self) -> u16 {
        u16::try_from(self.floats).unwrap_or(u16::MAX)
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, more: Size) {
        self.floats = self.floats.saturating_add(more.floats);
        self.bools = self.bools.saturating_add(more.bools);
    }
}

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

    /// The shape of the variable and the registers that it takes; `at` is where it is read.
    pub(super) fn lay(mut self, at: Option<Span>) -> Answer<(u32, Size)> {
        let global = self.module.global(self.variable);
        self.part(global.ty, false).map_err(|mut error| {
            error.span = at.or(global.span);
            error
        })
    }

    /// Lays out a part; inside of a matrix, arrays are those of its columns.
    fn part(&mut self, ty: Ty, inside: bool) -> Answer<(u32, Size)> {
        let is_columns = |l: &&super::Leaf| l.columns && l.path == self.path;
        let matrix = inside || self.interface.leaves_of(self.variable).any(|l| is_columns(&l));
        let types = &self.module.types;
        match types.get(ty) {
            _ if self.path.len() > DEEPEST => Err(unsupported(self.module, ty)),
            _ if self.is_integer_register() => Ok((self.abi.add(Shape::Absent), Size::default())),
            Type::Bool => Ok(self.flag()),
            Type::Int(_) | Type::Float(_) | Type::Vector(..) => {
                Ok((self.abi.add(Shape::Vector), Size { floats: 1, bools: 0 }))
            }
            Type::Array(column, _, _) if matrix && matches!(types.get(*column), Type::Vector(..)) => {
                let rows = types.components(*column);
                Ok((self.abi.add(Shape::Matrix(rows)), Size { floats: rows.into(), bools: 0 }))
            }
            &Type::Array(elem, count, _) if has_bool(self.module, elem, DEEPEST) => {
                // Elements with bools in them have registers of their own each: they are placed as
                // members are. Of more than there can be the rest, which are alike, are counted.
                let placed = count.min(u32::from(FLOATS) + u32::from(BOOLS));
                let (shape, size) = self.whole(|lay| lay.members((0..placed).map(|_| (0, elem)), matrix))?;
                let each = |all: u32| all.checked_div(placed).unwrap_or(0);
                let one = Size { floats: each(size.floats), bools: each(size.bools) };
                Ok((shape, if count == placed { size } else { one.times(count) }))
            }
            &Type::Array(elem, count, _) => {
                self.path.push(0);
                let laid = self.whole(|lay| lay.part(elem, matrix));
                self.path.pop();
                let (elem, size) = laid?;
                Ok((self.abi.add(Shape::Array(elem, size.distance())), size.times(count)))
            }
            Type::Struct(_, members) => {
                self.members(members.iter().enumerate().map(|(i, m)| (i as u32, m.ty)), matrix)
            }
            _ => Err(unsupported(self.module, ty)),
        }
    }

    /// Whether the part at hand is an integer register.
    fn is_integer_register(&self) -> bool {
        self.abi.registers.iter().any(|(g, path)| *g == self.variable && *path == self.path)
    }

    /// Lays out an array: a host counts from its first register, so all of it has registers.
    fn whole<T>(&mut self, lay: impl FnOnce(&mut Self) -> T) -> T {
        let reads = self.reads.take();
        let laid = lay(self);
        self.reads = reads;
        laid
    }

    /// Lays out parts one behind the other, each with its step of the path.
    fn members(&mut self, parts: impl Iterator<Item = (u32, Ty)>, matrix: bool) -> Answer<(u32, Size)> {
        let (mut placed, mut size) = (Vec::new(), Size::default());
        for (i, ty) in parts {
            self.path.push(i);
            let is_read = |reads: &[&Touch]| reads.iter().any(|t| t.meets(self.variable, &self.path));
            let laid = match self.reads.is_none_or(is_read) {
                true => self.part(ty, matrix),
                false => Ok((self.abi.add(Shape::Absent), Size::default())),
            };
            self.path.pop();
            let (shape, registers) = laid?;
            placed.push((size.distance(), shape));
            size += registers;
        }
        Ok((self.abi.add(Shape::Struct(placed)), size))
    }

    /// The next b register; which are too many is said when all are counted.
    fn flag(&mut self) -> (u32, Size) {
        let register = self.abi.bools;
        self.abi.bools = register.saturating_add(1);
        (self.abi.add(Shape::Bool(register)), Size { floats: 0, bools: 1 })
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
