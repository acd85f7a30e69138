//! Numbers of bytes that follow the sizes of descriptors, which only the device knows: where one
//! is not known, it is an operation on constants.

use super::super::state::Bytes;
use chiaro_words::write::Id;
use spirv::Op;

use super::super::emitter::Emitter;
use crate::numeric::Num;

impl Emitter<'_> {
    /// The constant of a number.
    pub(super) fn bytes_id(&mut self, bytes: Bytes) -> Id {
        match bytes {
            Bytes::Known(n) => self.out.uint(n),
            Bytes::Computed(id) => id,
        }
    }

    fn operation(&mut self, op: Op, ty: Num, operands: &[Bytes]) -> Id {
        let ty = self.num_ty(ty);
        let ids = operands.iter().map(|&bytes| self.bytes_id(bytes));
        let operands: Vec<u32> = std::iter::once(op as u32).chain(ids).collect();
        self.out.constant(Op::SpecConstantOp, ty, &operands)
    }

    pub(super) fn add_bytes(&mut self, a: Bytes, b: Bytes) -> Bytes {
        match (a, b) {
            (Bytes::Known(a), Bytes::Known(b)) => Bytes::Known(a.saturating_add(b)),
            (Bytes::Known(0), other) | (other, Bytes::Known(0)) => other,
            _ => Bytes::Computed(self.operation(Op::IAdd, Num::UINT, &[a, b])),
        }
    }

    pub(super) fn times_bytes(&mut self, a: Bytes, count: u32) -> Bytes {
        match a {
            Bytes::Known(a) => Bytes::Known(a.saturating_mul(count)),
            _ if count == 0 => Bytes::Known(0),
            computed => {
                Bytes::Computed(self.operation(Op::IMul, Num::UINT, &[computed, Bytes::Known(count)]))
            }
        }
    }

    pub(super) fn larger_bytes(&mut self, a: Bytes, b: Bytes) -> Bytes {
        match (a, b) {
            (Bytes::Known(a), Bytes::Known(b)) => Bytes::Known(a.max(b)),
            _ if a == b => a,
            _ => {
                let larger = self.operation(Op::UGreaterThan, Num::BOOL, &[a, b]);
                Bytes::Computed(self.operation(Op::Select, Num::UINT, &[Bytes::Computed(larger), a, b]))
            }
        }
    }

    /// The next multiple: n + (a - n % a) % a. No alignment is known to be a power of two.
    pub(super) fn aligned_bytes(&mut self, n: Bytes, align: Bytes) -> Bytes {
        match (n, align) {
            (Bytes::Known(0), _) | (_, Bytes::Known(0 | 1)) => n,
            _ if n == align => n,
            (Bytes::Known(n), Bytes::Known(align)) => {
                Bytes::Known(n.checked_next_multiple_of(align).unwrap_or(u32::MAX))
            }
            _ => {
                let over = Bytes::Computed(self.operation(Op::UMod, Num::UINT, &[n, align]));
                let rest = Bytes::Computed(self.operation(Op::ISub, Num::UINT, &[align, over]));
                let rest = Bytes::Computed(self.operation(Op::UMod, Num::UINT, &[rest, align]));
                Bytes::Computed(self.operation(Op::IAdd, Num::UINT, &[n, rest]))
            }
        }
    }
}
