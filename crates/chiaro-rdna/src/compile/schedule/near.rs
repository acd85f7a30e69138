//! Which loads likely find each other's lines in the cache: schedules put them side by side, clauses keep them there
//! (spec section 12.1).

use chiaro_mach::Operand;

use crate::compile::code::{SCALAR, VECTOR, row};
use crate::isa::Op;

/// What loads have in common that are near one another. Descriptors are told by their value, or by their register.
/// Nothing is near a load of scratch, where a word of all lanes fills lines of its own (spec section 9.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::compile) enum Near {
    /// Scalars at an address.
    Scalar,
    /// Scalars of a buffer.
    ScalarBuffer(u32),
    /// Vectors at addresses.
    Global,
    /// Vectors of a buffer, of one with a format, of an image.
    Buffer(u32),
    /// Vectors of a buffer with a format.
    Typed(u32),
    /// Texels.
    Image(u32),
}

impl Near {
    /// Of an instruction that loads; nothing is near a store.
    pub(in crate::compile) fn of(op: Op, defs: &[Operand], uses: &[Operand]) -> Option<Near> {
        match op {
            Op::Smem(_) => {
                let base = uses.first().filter(|_| !defs.is_empty())?;
                let is_address = row(op).name.starts_with("s_load");
                Some(if is_address { Near::Scalar } else { Near::ScalarBuffer(name(base)) })
            }
            Op::Global(_) | Op::Mubuf(_) | Op::Mtbuf(_) | Op::Mimg(_) => {
                defs.iter().find(|def| def.file == VECTOR).filter(|_| !row(op).name.contains("_atomic"))?;
                let descriptor = || {
                    let descriptor = uses.iter().find(|used| used.file == SCALAR && used.in_file());
                    descriptor.map_or(u32::MAX, name)
                };
                Some(match op {
                    Op::Global(_) => Near::Global,
                    Op::Mubuf(_) => Near::Buffer(descriptor()),
                    Op::Mtbuf(_) => Near::Typed(descriptor()),
                    _ => Near::Image(descriptor()),
                })
            }
            _ => None,
        }
    }

    /// As a number.
    pub(in crate::compile) fn number(self) -> u64 {
        let (kind, descriptor) = match self {
            Near::Scalar => (0, 0),
            Near::ScalarBuffer(descriptor) => (1, descriptor),
            Near::Global => (2, 0),
            Near::Buffer(descriptor) => (3, descriptor),
            Near::Typed(descriptor) => (4, descriptor),
            Near::Image(descriptor) => (5, descriptor),
        };
        kind << 32 | u64::from(descriptor)
    }
}

fn name(operand: &Operand) -> u32 {
    operand.reg.map(u32::from).or(operand.value().map(|value| value.0)).unwrap_or(u32::MAX)
}
