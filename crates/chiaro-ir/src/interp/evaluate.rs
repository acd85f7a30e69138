//! Constant evaluation: one operation on known bits.

use super::arith;
use super::domain::{Exact, Note};
use super::layout::Leaf;
use super::scalars::{component, fold};
use crate::{Effect, Op, Shape, Ty, Type, Types};

/// The bits of a scalar or of the components of a vector; zero beyond.
pub type Bits = [u64; 4];

/// What an operation without effect gives, bit for bit as the interpreter computes it.
///
/// Operands and result are scalars and vectors of numbers and bools, with their types. `None`
/// for operations and types that are not of this kind, and where a component is any value.
pub fn evaluate(types: &Types, op: Op, args: &[(Ty, Bits)], result: Ty) -> Option<Bits> {
    if op.effect() != Effect::Pure {
        return None;
    }
    let count = usize::from(types.components(result));
    let to = leaf(types, result)?;
    let from = leaf(types, args.first()?.0)?;
    match op.info().shape {
        Shape::Special => special(types, op, args, result, to),
        Shape::Dot | Shape::Fold => {
            let (ty, a) = args.first()?;
            let b = args.get(1).unwrap_or(&(*ty, *a)).1;
            let pairs = (0..usize::from(types.components(*ty))).map(|i| (from, a[i], b[i]));
            Some([fold(&Exact, op, pairs, &mut Note::default()), 0, 0, 0])
        }
        Shape::Select => {
            let &[(condition, chosen), (_, yes), (_, no)] = args else { return None };
            let wide = types.components(condition) > 1;
            Some(each(count, |i| if chosen[if wide { i } else { 0 }] & 1 == 1 { yes[i] } else { no[i] }))
        }
        _ => {
            let arg = |n: usize, i: usize| args.get(n).map_or(0, |(_, bits)| bits[i]);
            let one = |i| [arg(0, i), arg(1, i), arg(2, i)];
            Some(each(count, |i| component(&Exact, op, from, to, one(i), &mut Note::default())))
        }
    }
}

fn each(count: usize, of: impl Fn(usize) -> u64) -> Bits {
    std::array::from_fn(|i| if i < count { of(i) } else { 0 })
}

/// The kind of a scalar or of a vector's components.
fn leaf(types: &Types, ty: Ty) -> Option<Leaf> {
    match *types.get(types.scalar(ty)) {
        Type::Bool => Some(Leaf::Bool),
        Type::Int(n) => Some(Leaf::Int(n)),
        Type::Float(n) => Some(Leaf::Float(n)),
        _ => None,
    }
}

fn special(types: &Types, op: Op, args: &[(Ty, Bits)], result: Ty, to: Leaf) -> Option<Bits> {
    let count = usize::from(types.components(result));
    let size = |n: usize| args.get(n).map_or(0, |(ty, _)| usize::from(types.components(*ty)));
    let arg = |n: usize, i: usize| args.get(n).and_then(|(_, bits)| bits.get(i)).copied();
    Some(match op {
        Op::BitInsert | Op::BitExtractU | Op::BitExtractS => {
            let Leaf::Int(width) = to else { return None };
            let leaf = |n: usize, i: usize| if n == 0 || n == 1 && op == Op::BitInsert { i } else { 0 };
            let given = |i: usize| std::array::from_fn(|n| arg(n, leaf(n, i)).unwrap_or(0));
            each(count, |i| arith::bit_field(op, width, given(i)))
        }
        Op::Bitcast => return bitcast(types, args.first()?, result, to),
        Op::Construct => {
            let parts = args.iter().enumerate().flat_map(|(n, (_, bits))| &bits[..size(n)]);
            let given: Vec<u64> = parts.copied().collect();
            let last = *given.first()?;
            each(count, |i| given.get(i).copied().unwrap_or(last))
        }
        Op::Extract(n) => [arg(0, n as usize)?, 0, 0, 0],
        Op::Insert(n) => {
            let new = arg(1, 0)?;
            each(count, |i| if i == n as usize { new } else { args[0].1[i] })
        }
        Op::ExtractDyn => {
            [arg(0, arg(1, 0)? as usize).filter(|_| arg(1, 0) < Some(size(0) as u64)).unwrap_or(0), 0, 0, 0]
        }
        Op::InsertDyn => {
            let (new, index) = (arg(1, 0)?, arg(2, 0)?);
            each(count, |i| if i as u64 == index { new } else { args[0].1[i] })
        }
        Op::Shuffle(parts) => {
            if parts[..count].contains(&255) {
                return None;
            }
            let part = |i: usize| match usize::from(parts[i]).checked_sub(size(0)) {
                None => arg(0, usize::from(parts[i])),
                Some(second) => arg(1, second),
            };
            each(count, |i| part(i).unwrap_or(0))
        }
        _ => return None,
    })
}

fn bitcast(types: &Types, (from, bits): &(Ty, Bits), result: Ty, to: Leaf) -> Option<Bits> {
    let (given, wanted) = (leaf(types, *from)?.bytes(), to.bytes());
    let source = bits.iter().take(usize::from(types.components(*from)));
    let bytes: Vec<u8> = source.flat_map(|word| word.to_le_bytes().into_iter().take(given)).collect();
    let mut out = Bits::default();
    let wanted = bytes.chunks_exact(wanted).take(usize::from(types.components(result)));
    for (word, chunk) in out.iter_mut().zip(wanted) {
        *word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    }
    Some(out)
}
