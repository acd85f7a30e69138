//! Initial values of uniforms, until the application sets them: entries of the constant table, which the
//! loader copies to the registers when it binds the program. [libctru]

use chiaro_ir::{Constant, ConstantKind, GlobalRef, Module, Type};

use crate::abi::{Abi, Count, Shape};
use crate::compile::finish::constants::float24;
use crate::container::{Constant as Entry, ConstantValue};

/// The entries of all uniforms with a value of their own, by register.
pub(crate) fn initial(module: &Module, abi: &Abi) -> Vec<Entry> {
    let mut entries: Vec<Entry> =
        abi.counts.iter().zip(0..).filter_map(|(c, i)| count(module, c, i)).collect();
    for (i, global) in module.globals.iter().enumerate() {
        if let (Some(value), Some((first, shape))) = (global.init, abi.place(GlobalRef(i as u32))) {
            fill(module, abi, (first, shape), value, &mut entries);
        }
    }
    entries
}

/// The entry of an integer register that follows from a uniform with a value of its own.
fn count(module: &Module, count: &Count, register: u16) -> Option<Entry> {
    let whole = module.global(count.variable).init?;
    let value = count.path.iter().fold(whole, |value, &i| part(module, value, i as usize));
    let number = |i| module.constants.bits(part(module, value, i)).unwrap_or(0) as u32 as i32;
    let values: Vec<i32> = (0..count.components() as usize).map(number).collect();
    Some(Entry::new(register, ConstantValue::Int(count.register(&values)?)))
}

/// The entries of a value at a register. Values nest no deeper than shapes, which are bounded.
fn fill(module: &Module, abi: &Abi, (first, shape): (u16, u32), value: Constant, entries: &mut Vec<Entry>) {
    let parts = match module.constants.get(value) {
        ConstantKind::Composite(parts) => parts.as_slice(),
        // What is zero by default is left to the loader.
        ConstantKind::Scalar(_) => std::slice::from_ref(&value),
        _ => return,
    };
    let mut row = |register, values: &[Constant]| {
        let component = |k: usize| values.get(k).map_or(0, |&c| float24(number(module, c)));
        entries.push(Entry::new(register, ConstantValue::Float(std::array::from_fn(component))));
    };
    match abi.shape(shape) {
        Shape::Vector => row(first, parts),
        Shape::Matrix(rows) => {
            for k in 0..u16::from(*rows) {
                let across: Vec<_> = parts.iter().map(|&c| part(module, c, k.into())).collect();
                row(first + k, &across);
            }
        }
        Shape::Array(elem, size) => {
            for (&part, k) in parts.iter().zip(0u16..) {
                fill(module, abi, (first + k * size, *elem), part, entries);
            }
        }
        Shape::Struct(members) => {
            for (&part, (offset, shape)) in parts.iter().zip(members) {
                fill(module, abi, (first + offset, *shape), part, entries);
            }
        }
        Shape::Absent => {}
        Shape::Bool(register) => {
            let on = module.constants.bits(value).is_some_and(|bits| bits != 0);
            entries.push(Entry::new((*register).into(), ConstantValue::Bool(on)));
        }
    }
}

/// A component of a vector constant; the vector itself where it is zero as a whole.
fn part(module: &Module, vector: Constant, i: usize) -> Constant {
    match module.constants.get(vector) {
        ConstantKind::Composite(parts) => parts.get(i).copied().unwrap_or(vector),
        _ => vector,
    }
}

/// A scalar as the float that carries it; 0 for anything else.
fn number(module: &Module, scalar: Constant) -> f32 {
    let bits = module.constants.bits(scalar).unwrap_or(0);
    match module.types.get(module.constants.ty(scalar)) {
        Type::Float(_) => f32::from_bits(bits as u32),
        // Signed or not: what a float carries exactly is far below the sign.
        _ => bits as u32 as i32 as f32,
    }
}
