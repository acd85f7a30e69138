//! Values as words: attributes travel so, and records are given so.

use chiaro_ir::interp::Interpreter;
use chiaro_ir::{Builder, Constant, ConstantKind, GlobalRef, Module, Ty, Type, Value};

use super::site::ATTRIBUTES;

/// The scalars of a type: parts on the way to each. `None` for what is no words of 32 bits, or too many.
fn scalars(module: &Module, ty: Ty) -> Option<Vec<(Vec<u32>, Ty)>> {
    match module.types.get(ty) {
        Type::Int(32) | Type::Float(32) => return Some(vec![(Vec::new(), ty)]),
        Type::Vector(..) | Type::Array(..) | Type::Struct(..) => {}
        _ => return None,
    }
    let mut all = Vec::new();
    for n in 0..module.types.part_count(ty)? {
        for (path, scalar) in scalars(module, module.types.part(ty, n)?)? {
            all.push(([vec![n], path].concat(), scalar));
        }
        if all.len() > ATTRIBUTES {
            return None;
        }
    }
    Some(all)
}

/// Whether a type travels as words.
pub fn travels(module: &Module, ty: Ty) -> bool {
    scalars(module, ty).is_some()
}

fn place(b: &mut Builder<'_>, variable: GlobalRef, path: &[u32]) -> Value {
    let pointer = b.global(variable);
    let indices: Vec<Value> = path.iter().map(|n| b.u32(*n)).collect();
    b.access(pointer, &indices)
}

/// Copies a variable into words.
pub fn store_words(b: &mut Builder<'_>, from: GlobalRef, to: &[GlobalRef]) {
    let ty = b.module().global(from).ty;
    let all = scalars(b.module(), ty).unwrap_or_default();
    let word = b.int_ty(32);
    for ((path, scalar), to) in all.into_iter().zip(to) {
        let from = place(b, from, &path);
        let value = b.load(from);
        let value = if scalar == word { value } else { b.bitcast(value, word) };
        let to = b.global(*to);
        b.store(to, value);
    }
}

/// Copies words into a variable.
pub fn load_words(b: &mut Builder<'_>, from: &[GlobalRef], to: GlobalRef) {
    let ty = b.module().global(to).ty;
    let all = scalars(b.module(), ty).unwrap_or_default();
    let word = b.int_ty(32);
    for ((path, scalar), from) in all.into_iter().zip(from) {
        let from = b.global(*from);
        let value = b.load(from);
        let value = if scalar == word { value } else { b.bitcast(value, scalar) };
        let to = place(b, to, &path);
        b.store(to, value);
    }
}

/// Bytes of a record as a constant of its type, whose layout `sizes` knows; zeros where they end.
pub fn constant(module: &mut Module, sizes: &Interpreter<'_>, ty: Ty, bytes: &[u8]) -> Option<Constant> {
    if let Type::Int(width) | Type::Float(width) = *module.types.get(ty) {
        let mut word = [0; 8];
        let given = bytes.iter().take(usize::from(width) / 8);
        word.iter_mut().zip(given).for_each(|(to, from)| *to = *from);
        return Some(module.constants.intern(ty, ConstantKind::Scalar(u64::from_le_bytes(word))));
    }
    let mut parts = Vec::new();
    for n in 0..module.types.part_count(ty)? {
        let inner = module.types.part(ty, n)?;
        let at = (sizes.offset_of(ty, n) as usize).min(bytes.len());
        parts.push(constant(module, sizes, inner, &bytes[at..])?);
    }
    Some(module.constants.intern(ty, ConstantKind::Composite(parts)))
}
