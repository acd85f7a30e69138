//! Memory by address: places within what an address leads to become addresses themselves.
//!
//! ```text
//! %2: ptr<device, f32> = access %0, 1, %1       %2: i64 = bitcast %0
//!                                               %3: i64 = sext %1
//!                                               %4: i64 = shl %3, 2
//!                                               %5: i64 = iadd %2, %4
//!                                               %6: i64 = iadd %5, 16
//!                                               %7: ptr<device, f32> = bitcast %6
//! ```
//!
//! Indices have a sign, as SPIR-V has it. True after: no place is named within memory that an address leads to.

use chiaro_ir::{FunctionRef, Inst, Module, Op, Space, Ty, Value};
use chiaro_opt::lower::rewrite::{Replaced, Rewrite, Rule, has, rewrite};
use chiaro_opt::{Changed, Cx};

use crate::abi::layout;

/// Replaces places by addresses.
pub(super) fn addresses(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let is_place = |module: &Module, f: &chiaro_ir::Function, inst: Inst| {
        let base = f.args(inst).first().map(|&base| f.ty(base));
        base.and_then(|ty| module.types.pointee(ty)).is_some_and(|(space, _)| space == Space::Device)
    };
    let found = has(module, f, |f, inst, op| op == Op::Access && is_place(module, f, inst));
    if found { rewrite(module, f, Addresses) } else { Changed::No }
}

struct Addresses;

impl Rule for Addresses {
    fn replace(r: &mut Rewrite<'_, Self>, inst: Inst, op: Op) -> Replaced {
        let base = r.arg(inst, 0).map(|base| r.old.ty(base));
        match base.and_then(|ty| r.b.types().pointee(ty)) {
            Some((Space::Device, to)) if op == Op::Access => Replaced::By(address(r, inst, to)),
            _ => Replaced::Copy,
        }
    }
}

/// The address of a place within a type.
fn address(r: &mut Rewrite<'_, Addresses>, inst: Inst, mut ty: Ty) -> Value {
    let args = r.args(inst);
    let result = r.old.result_of(inst).map(|result| r.old.ty(result));
    let b = &mut r.b;
    let long = b.int_ty(64);
    let mut sum = b.bitcast(args[0], long);
    let mut bytes = 0;
    for (n, &index) in args.iter().enumerate().skip(1) {
        let number = r.old.args(inst).get(n).and_then(|&old| b.module().value_bits(r.old, old));
        match number {
            Some(number) => {
                bytes += u64::from(layout::part_offset(b.module(), ty, number as u32, Space::Device));
            }
            None => {
                let stride = layout::stride(b.module(), ty, Space::Device);
                let index = if b.ty(index) == long { index } else { b.convert(Op::SExt, index, long) };
                let stride = b.bits(long, stride.into());
                let further = b.imul(index, stride);
                sum = b.iadd(sum, further);
            }
        }
        ty = b.types().part(ty, number.unwrap_or(0) as u32).unwrap_or(ty);
    }
    if bytes > 0 {
        let bytes = b.bits(long, bytes);
        sum = b.iadd(sum, bytes);
    }
    match result {
        Some(pointer) => b.bitcast(sum, pointer),
        None => sum,
    }
}
