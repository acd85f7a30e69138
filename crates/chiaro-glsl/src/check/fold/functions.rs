//! Functions of the language on constants.
//!
//! Floats are computed as `f64` and rounded where the function is one operation; where the
//! specification defines it by several, each of those rounds. What the language leaves open (NaN in `min`, `max`,
//! `clamp`, `step` and `smoothstep`, vectors without a direction, the order of sums in matrices) is what the
//! instructions of the run give: a value does not depend on when it is known. `crates/chiaro-filetest/tests/fold.tsv`
//! compares the two at borders.

use super::matrix::matrix;
use super::number::{binary, of_f32};
use super::value::{Value, each, each_bits};
use crate::hir::Binary;
use crate::intrinsic::Intrinsic;
use crate::intrinsic::{Math, Value as Computed, sign};
use crate::numeric::Num;
use crate::ty::Scalar;

/// The value of a function; `None` where that is left to the run.
pub(super) fn call(what: Intrinsic, args: &[Value<'_>], result: Num) -> Option<Box<[u64]>> {
    let first = args.first()?;
    match first.shape.scalar {
        Scalar::Float => float_call(what, args, result),
        Scalar::Int | Scalar::Uint => integer_call(what, args, result),
        Scalar::Bool => bool_call(what, args),
        _ => None,
    }
}

fn float_call(what: Intrinsic, args: &[Value<'_>], result: Num) -> Option<Box<[u64]>> {
    let computed = if let Intrinsic::Math(function) = what { function.row().value } else { Computed::Code };
    match (computed, args) {
        (Computed::One(f), [a]) => return each(result, |n| f(f64::from(a.float(n))) as f32),
        (Computed::Two(f), [a, b]) => {
            return each(result, |n| f(f64::from(a.float(n)), f64::from(b.float(n))) as f32);
        }
        _ => {}
    }
    if let Some(folded) = geometry(what, args, result) {
        return Some(folded);
    }
    match (what, args) {
        // Nothing that is constant changes from pixel to pixel.
        (Intrinsic::Math(function), [_]) if function.is_derivative() => each(result, |_| 0.0),
        (Intrinsic::Mod, [x, y]) => each(result, |n| {
            let (x, y) = (x.float(n), y.float(n));
            x - y * (x / y).floor()
        }),
        (Intrinsic::Math(Math::Min), [a, b]) => each(result, |n| minimum(a.float(n), b.float(n))),
        (Intrinsic::Math(Math::Max), [a, b]) => each(result, |n| maximum(a.float(n), b.float(n))),
        (Intrinsic::Math(Math::Clamp), [x, low, high]) => {
            each(result, |n| clamp(x.float(n), low.float(n), high.float(n)))
        }
        (Intrinsic::Math(Math::Mix), [x, y, a]) => {
            each(result, |n| x.float(n) * (1.0 - a.float(n)) + y.float(n) * a.float(n))
        }
        (Intrinsic::MixBool, [x, y, a]) => {
            each_bits(result, |n| if a.at(n) != 0 { y.at(n) } else { x.at(n) })
        }
        (Intrinsic::Math(Math::Step), [edge, x]) => {
            each(result, |n| if edge.float(n) <= x.float(n) { 1.0 } else { 0.0 })
        }
        (Intrinsic::Math(Math::SmoothStep), [low, high, x]) => each(result, |n| {
            let t = clamp((x.float(n) - low.float(n)) / (high.float(n) - low.float(n)), 0.0, 1.0);
            t * t * (3.0 - 2.0 * t)
        }),
        (Intrinsic::Math(Math::Fma), [a, b, c]) => {
            each(result, |n| libm::fmaf(a.float(n), b.float(n), c.float(n)))
        }
        (Intrinsic::Math(Math::Ldexp), [x, power]) => each(result, |n| {
            libm::ldexp(f64::from(x.float(n)), (power.at(n) as u32 as i32).clamp(-400, 400)) as f32
        }),
        (Intrinsic::Math(Math::IsNan), [a]) => each_bits(result, |n| u64::from(a.float(n).is_nan())),
        (Intrinsic::Math(Math::IsInf), [a]) => each_bits(result, |n| u64::from(a.float(n).is_infinite())),
        (Intrinsic::Math(Math::FloatBitsToInt | Math::FloatBitsToUint), [a]) => {
            each_bits(result, |n| a.at(n))
        }
        _ => relation(what, args, result).or_else(|| matrix(what, args, result)).or_else(|| pack(what, args)),
    }
}

/// The other one if exactly one is NaN.
fn minimum(a: f32, b: f32) -> f32 {
    if b < a || a.is_nan() { b } else { a }
}

fn maximum(a: f32, b: f32) -> f32 {
    if b > a || a.is_nan() { b } else { a }
}

fn clamp(x: f32, low: f32, high: f32) -> f32 {
    minimum(maximum(x, low), high)
}

fn dot(a: Value<'_>, b: Value<'_>) -> f32 {
    let mut terms = a.floats().zip(b.floats()).map(|(a, b)| a * b);
    let first = terms.next().unwrap_or_default();
    terms.fold(first, |sum, term| sum + term)
}

/// The size of a scalar, which its square could lose; the root of the squares of a vector.
fn length(a: Value<'_>) -> f32 {
    if a.shape.count() == 1 { a.float(0).abs() } else { dot(a, a).sqrt() }
}

fn geometry(what: Intrinsic, args: &[Value<'_>], result: Num) -> Option<Box<[u64]>> {
    let single = |value: f32| Some([of_f32(value)].into());
    match (what, args) {
        (Intrinsic::Math(Math::Length), [a]) => single(length(*a)),
        (Intrinsic::Dot, [a, b]) => single(dot(*a, *b)),
        (Intrinsic::Math(Math::Distance), [a, b]) => {
            let bits: Vec<u64> = a.floats().zip(b.floats()).map(|(a, b)| of_f32(a - b)).collect();
            single(length(Value { shape: a.shape, bits: &bits }))
        }
        (Intrinsic::Math(Math::Cross), [a, b]) => {
            let part = |i: usize, j: usize| a.float(i) * b.float(j) - a.float(j) * b.float(i);
            Some([part(1, 2), part(2, 0), part(0, 1)].map(of_f32).into())
        }
        (Intrinsic::Math(Math::Normalize), [a]) if a.shape.count() == 1 => {
            single(sign(f64::from(a.float(0))) as f32)
        }
        (Intrinsic::Math(Math::Normalize), [a]) => {
            let factor = (1.0 / f64::from(dot(*a, *a)).sqrt()) as f32;
            each(result, |n| a.float(n) * factor)
        }
        (Intrinsic::Math(Math::FaceForward), [normal, incident, reference]) => {
            let is_against = dot(*reference, *incident) < 0.0;
            each(result, |n| if is_against { normal.float(n) } else { -normal.float(n) })
        }
        (Intrinsic::Math(Math::Reflect), [incident, normal]) => {
            let twice = 2.0 * dot(*normal, *incident);
            each(result, |n| incident.float(n) - twice * normal.float(n))
        }
        (Intrinsic::Math(Math::Refract), [incident, normal, eta]) => {
            let (cosine, eta) = (dot(*normal, *incident), eta.float(0));
            let k = 1.0 - eta * eta * (1.0 - cosine * cosine);
            each(result, |n| match k < 0.0 {
                true => 0.0,
                false => eta * incident.float(n) - (eta * cosine + k.sqrt()) * normal.float(n),
            })
        }
        _ => None,
    }
}

/// Comparisons of vectors, component by component.
fn relation(what: Intrinsic, args: &[Value<'_>], result: Num) -> Option<Box<[u64]>> {
    let op = match what {
        Intrinsic::LessThan => Binary::Less,
        Intrinsic::LessThanEqual => Binary::LessEqual,
        Intrinsic::GreaterThan => Binary::Greater,
        Intrinsic::GreaterThanEqual => Binary::GreaterEqual,
        Intrinsic::Equal => Binary::Equal,
        Intrinsic::NotEqual => Binary::NotEqual,
        _ => return None,
    };
    let [a, b] = args else { return None };
    let scalar = a.shape.scalar;
    (0..result.count()).map(|n| binary(op, scalar, scalar, a.at(n), b.at(n))).collect()
}

/// Floats into words.
fn pack(what: Intrinsic, args: &[Value<'_>]) -> Option<Box<[u64]>> {
    let [a] = args else { return None };
    let (bits, scale, least): (u32, f32, f32) = match what {
        Intrinsic::Math(Math::PackUnorm2x16) => (16, 65535.0, 0.0),
        Intrinsic::Math(Math::PackSnorm2x16) => (16, 32767.0, -1.0),
        Intrinsic::Math(Math::PackUnorm4x8) => (8, 255.0, 0.0),
        Intrinsic::Math(Math::PackSnorm4x8) => (8, 127.0, -1.0),
        _ => return None,
    };
    let mask = (1u32 << bits) - 1;
    let word = a.floats().enumerate().fold(0u32, |word, (n, x)| {
        let part = (clamp(x, least, 1.0) * scale).round_ties_even() as i32 as u32 & mask;
        word | part << (bits * n as u32)
    });
    Some([u64::from(word)].into())
}

/// Words into floats.
fn unpack(what: Intrinsic, word: u32) -> Option<Box<[u64]>> {
    let (bits, scale, signed): (u32, f32, bool) = match what {
        Intrinsic::Math(Math::UnpackUnorm2x16) => (16, 65535.0, false),
        Intrinsic::Math(Math::UnpackSnorm2x16) => (16, 32767.0, true),
        Intrinsic::Math(Math::UnpackUnorm4x8) => (8, 255.0, false),
        Intrinsic::Math(Math::UnpackSnorm4x8) => (8, 127.0, true),
        _ => return None,
    };
    let part = |n: u32| {
        let raw = word >> (bits * n) & ((1 << bits) - 1);
        match signed {
            true => clamp(((raw << (32 - bits)) as i32 >> (32 - bits)) as f32 / scale, -1.0, 1.0),
            false => raw as f32 / scale,
        }
    };
    Some((0..32 / bits).map(|n| of_f32(part(n))).collect())
}

fn integer_call(what: Intrinsic, args: &[Value<'_>], result: Num) -> Option<Box<[u64]>> {
    let first = args.first()?;
    let scalar = first.shape.scalar;
    let less = |a: u64, b: u64| binary(Binary::Less, scalar, scalar, a, b) == Some(1);
    let smaller = |a: u64, b: u64| if less(b, a) { b } else { a };
    let larger = |a: u64, b: u64| if less(a, b) { b } else { a };
    let word = |n: usize| first.at(n) as u32;
    match (what, args) {
        (Intrinsic::Math(Math::Abs), [_]) => {
            each_bits(result, |n| u64::from((word(n) as i32).wrapping_abs() as u32))
        }
        (Intrinsic::Math(Math::Sign), [_]) => {
            each_bits(result, |n| u64::from((word(n) as i32).signum() as u32))
        }
        (Intrinsic::Math(Math::Min), [a, b]) => each_bits(result, |n| smaller(a.at(n), b.at(n))),
        (Intrinsic::Math(Math::Max), [a, b]) => each_bits(result, |n| larger(a.at(n), b.at(n))),
        (Intrinsic::Math(Math::Clamp), [x, low, high]) => {
            each_bits(result, |n| smaller(larger(x.at(n), low.at(n)), high.at(n)))
        }
        (Intrinsic::MixBool, [x, y, a]) => {
            each_bits(result, |n| if a.at(n) != 0 { y.at(n) } else { x.at(n) })
        }
        (Intrinsic::Math(Math::IntBitsToFloat | Math::UintBitsToFloat), [a]) => {
            each_bits(result, |n| a.at(n))
        }
        (Intrinsic::Math(Math::BitCount), [_]) => each_bits(result, |n| u64::from(word(n).count_ones())),
        (Intrinsic::Math(Math::BitfieldReverse), [_]) => {
            each_bits(result, |n| u64::from(word(n).reverse_bits()))
        }
        (Intrinsic::Math(Math::FindLsb), [_]) => {
            each_bits(result, |n| found(word(n), word(n).trailing_zeros()))
        }
        (Intrinsic::Math(Math::FindMsb), [_]) => each_bits(result, |n| {
            let bits = if scalar == Scalar::Int && (word(n) as i32) < 0 { !word(n) } else { word(n) };
            found(bits, 31u32.wrapping_sub(bits.leading_zeros()))
        }),
        (Intrinsic::BitfieldExtract, [value, offset, count]) => each_bits(result, |n| {
            let (offset, count) = field(offset, count);
            let (word, left) = (value.at(n) as u32, 32 - count);
            let moved = word.checked_shr(offset).unwrap_or(0).checked_shl(left).unwrap_or(0);
            u64::from(match scalar {
                _ if count == 0 => 0,
                Scalar::Int => ((moved as i32) >> left) as u32,
                _ => moved >> left,
            })
        }),
        (Intrinsic::Math(Math::BitfieldInsert), [base, insert, offset, count]) => each_bits(result, |n| {
            let (offset, count) = field(offset, count);
            let ones = 1u32.checked_shl(count).unwrap_or(0).wrapping_sub(1);
            let mask = ones.checked_shl(offset).unwrap_or(0);
            let moved = (insert.at(n) as u32).checked_shl(offset).unwrap_or(0);
            u64::from((base.at(n) as u32 & !mask) | (moved & mask))
        }),
        (Intrinsic::Math(Math::UnpackHalf2x16), _) => None,
        _ => relation(what, args, result).or_else(|| unpack(what, word(0))),
    }
}

/// Offset and count of a field of bits, within a word.
fn field(offset: &Value<'_>, count: &Value<'_>) -> (u32, u32) {
    ((offset.at(0) as u32).min(32), (count.at(0) as u32).min(32))
}

/// A place of a bit, or -1 where there is none.
fn found(bits: u32, place: u32) -> u64 {
    u64::from(if bits == 0 { u32::MAX } else { place })
}

fn bool_call(what: Intrinsic, args: &[Value<'_>]) -> Option<Box<[u64]>> {
    match (what, args) {
        (Intrinsic::Any, [a]) => Some([u64::from(a.bits.iter().any(|&bit| bit != 0))].into()),
        (Intrinsic::All, [a]) => Some([u64::from(a.bits.iter().all(|&bit| bit != 0))].into()),
        (Intrinsic::Math(Math::Not), [a]) => Some(a.bits.iter().map(|&bit| u64::from(bit == 0)).collect()),
        (Intrinsic::Equal | Intrinsic::NotEqual, [a, _]) => {
            relation(what, args, Num { scalar: Scalar::Bool, ..a.shape })
        }
        (Intrinsic::MixBool, [x, y, a]) => {
            Some((0..x.bits.len()).map(|n| if a.at(n) != 0 { y.at(n) } else { x.at(n) }).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::number::f32_of;
    use super::*;

    fn vector(n: usize) -> Num {
        Num { scalar: Scalar::Float, columns: 1, rows: n as u8 }
    }

    fn run(what: Intrinsic, args: &[&[f32]], result: Num) -> Vec<f32> {
        let bits: Vec<Vec<u64>> = args.iter().map(|arg| arg.iter().map(|&x| of_f32(x)).collect()).collect();
        let values: Vec<Value<'_>> =
            bits.iter().map(|bits| Value { shape: vector(bits.len()), bits }).collect();
        call(what, &values, result).unwrap_or_default().iter().map(|&bits| f32_of(bits)).collect()
    }

    #[test]
    fn scalars_stand_for_every_component() {
        assert_eq!(run(Intrinsic::Math(Math::Max), &[&[1.0, 5.0], &[2.0]], vector(2)), [2.0, 5.0]);
        assert_eq!(
            run(Intrinsic::Math(Math::Mix), &[&[0.0, 2.0], &[4.0, 4.0], &[0.5]], vector(2)),
            [2.0, 3.0]
        );
    }

    #[test]
    fn geometry_is_folded() {
        assert_eq!(run(Intrinsic::Math(Math::Length), &[&[3.0, 4.0]], vector(1)), [5.0]);
        assert_eq!(
            run(Intrinsic::Math(Math::Cross), &[&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0]], vector(3)),
            [0.0, 0.0, 1.0]
        );
        assert_eq!(run(Intrinsic::Math(Math::Reflect), &[&[1.0, -1.0], &[0.0, 1.0]], vector(2)), [1.0, 1.0]);
    }

    #[test]
    fn an_inverse_times_its_matrix_is_one() {
        let shape = Num { scalar: Scalar::Float, columns: 2, rows: 2 };
        let bits: Vec<u64> = [2.0f32, 0.0, 1.0, 4.0].map(of_f32).into();
        let value = Value { shape, bits: &bits };
        let inverse = call(Intrinsic::Math(Math::Inverse), &[value], shape).unwrap_or_default();
        let inverse: Vec<f32> = inverse.iter().map(|&bits| f32_of(bits)).collect();
        assert_eq!(inverse, [0.5, 0.0, -0.125, 0.25]);
    }

    #[test]
    fn fractions_are_packed_and_unpacked() {
        let word = run(Intrinsic::Math(Math::PackUnorm4x8), &[&[0.0, 1.0, 0.5, 2.0]], vector(1))[0].to_bits();
        assert_eq!(word, 0xff80_ff00);
        let back = unpack(Intrinsic::Math(Math::UnpackUnorm4x8), word).unwrap_or_default();
        assert_eq!(f32_of(back[1]), 1.0);
    }
}
