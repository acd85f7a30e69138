//! Values as words: attributes travel so, and records are given so.

use chiaro_ir::interp::Interpreter;
use chiaro_ir::{Builder, Constant, ConstantKind, GlobalRef, Module, Op, Ty, Type, Types, Value};

use super::site::{ATTRIBUTES, held, put};

/// Words that values may have which travel as such: a payload is not larger than what a lane's stack holds.
const MOST: usize = 4096;

/// The scalars of a type: parts on the way to each. `None` for what is no numbers, or too many.
fn scalars(module: &Module, ty: Ty) -> Option<Vec<(Vec<u32>, Ty)>> {
    match module.types.get(ty) {
        Type::Bool | Type::Int(_) | Type::Float(_) => return Some(vec![(Vec::new(), ty)]),
        Type::Vector(..) | Type::Array(..) | Type::Struct(..) => {}
        _ => return None,
    }
    let mut all = Vec::new();
    for n in 0..module.types.part_count(ty)? {
        for (path, scalar) in scalars(module, module.types.part(ty, n)?)? {
            all.push(([vec![n], path].concat(), scalar));
        }
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

/// How many words a type takes. `None` for what does not travel as words.
pub fn count(module: &Module, ty: Ty) -> Option<usize> {
    let wide = |ty: Ty| if module.types.bits(ty) == Some(64) { 2 } else { 1 };
    Some(scalars(module, ty)?.into_iter().map(|(_, ty)| wide(ty)).sum())
}

/// Whether attributes of a type travel.
pub fn travels(module: &Module, ty: Ty) -> bool {
    count(module, ty).is_some_and(|count| count <= ATTRIBUTES)
}

fn place(b: &mut Builder<'_>, variable: GlobalRef, path: &[u32]) -> Value {
    let pointer = b.global(variable);
    let indices: Vec<Value> = path.iter().map(|n| b.u32(*n)).collect();
    b.access(pointer, &indices)
}

/// What a variable holds, as words.
pub fn gather(b: &mut Builder<'_>, from: GlobalRef) -> Vec<Value> {
    let ty = b.module().global(from).ty;
    let all = scalars(b.module(), ty).unwrap_or_default();
    let mut words = Vec::new();
    for (path, scalar) in all {
        let from = place(b, from, &path);
        let value = b.load(from);
        into_words(b, value, scalar, &mut words);
    }
    words
}

fn into_words(b: &mut Builder<'_>, value: Value, scalar: Ty, words: &mut Vec<Value>) {
    let word = b.int_ty(32);
    let bits = b.types().bits(scalar).unwrap_or(32);
    match bits {
        1 => {
            let (yes, no) = (b.u32(1), b.u32(0));
            words.push(b.select(value, yes, no));
        }
        64 => {
            let pair = b.types().vector(word, 2);
            let pair = b.bitcast(value, pair);
            words.extend([0, 1].map(|n| b.extract(pair, n)));
        }
        32 if scalar == word => words.push(value),
        32 => words.push(b.bitcast(value, word)),
        _ => {
            let narrow = b.int_ty(bits);
            let value = if scalar == narrow { value } else { b.bitcast(value, narrow) };
            words.push(b.convert(Op::ZExt, value, word));
        }
    }
}

/// Puts words into a variable.
pub fn spread(b: &mut Builder<'_>, words: &[Value], to: GlobalRef) {
    let ty = b.module().global(to).ty;
    let all = scalars(b.module(), ty).unwrap_or_default();
    let mut words = words.iter().copied();
    for (path, scalar) in all {
        let Some(value) = from_words(b, &mut words, scalar) else { return };
        let to = place(b, to, &path);
        b.store(to, value);
    }
}

fn from_words(b: &mut Builder<'_>, words: &mut impl Iterator<Item = Value>, scalar: Ty) -> Option<Value> {
    let word = b.int_ty(32);
    let bits = b.types().bits(scalar).unwrap_or(32);
    let first = words.next()?;
    Some(match bits {
        1 => {
            let none = b.u32(0);
            b.ine(first, none)
        }
        64 => {
            let pair = [first, words.next()?];
            let pair = b.vector(&pair);
            b.bitcast(pair, scalar)
        }
        32 if scalar == word => first,
        32 => b.bitcast(first, scalar),
        _ => {
            let narrow = b.int_ty(bits);
            let value = b.convert(Op::ZExt, first, narrow);
            if scalar == narrow { value } else { b.bitcast(value, scalar) }
        }
    })
}

/// Copies a variable into words.
pub fn store_words(b: &mut Builder<'_>, from: GlobalRef, to: &[GlobalRef]) {
    for (word, to) in gather(b, from).into_iter().zip(to) {
        put(b, *to, word);
    }
}

/// Copies words into a variable.
pub fn load_words(b: &mut Builder<'_>, from: &[GlobalRef], to: GlobalRef) {
    let words: Vec<Value> = from.iter().map(|from| held(b, *from)).collect();
    spread(b, &words, to);
}

/// An array of so many words; none for no words.
pub fn array(types: &mut Types, words: u32) -> Option<Ty> {
    let word = types.intern(Type::Int(32));
    (words > 0).then(|| types.intern(Type::Array(word, words, 0)))
}

/// The first parts of a composite.
pub fn parts(b: &mut Builder<'_>, whole: Value, count: u32) -> Vec<Value> {
    (0..count).map(|n| b.extract(whole, n)).collect()
}

/// Words as one value; none for no words.
pub fn together(b: &mut Builder<'_>, words: &[Value]) -> Option<Value> {
    let ty = array(b.types(), words.len() as u32)?;
    Some(b.construct(ty, words))
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
