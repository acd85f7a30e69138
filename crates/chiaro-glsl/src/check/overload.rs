//! Which of several functions a call means.
//!
//! [`choose`] knows types and conversions alone, so that its rules can be tested by themselves.
//! An exact match wins; else the best by the ranking of version 4.00, where a source has it.

use super::state::{Conversions, is_integer};
use crate::hir::Passing;
use crate::ty::{Scalar, Ty, Type, Types};

/// How well an argument fits, best first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rank {
    Exact,
    /// `float` to `double`.
    Promotion,
    /// Another conversion: the scalars.
    Conversion(Scalar, Scalar),
}

/// A parameter, as far as a call is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Param {
    /// Its type.
    pub(crate) ty: Ty,
    /// How it is passed.
    pub(crate) passing: Passing,
}

/// What a call means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// This candidate.
    One(usize),
    /// None fits.
    None,
    /// These fit equally well.
    Ambiguous(usize, usize),
}

/// Chooses among candidates, each given by its parameters.
pub(crate) fn choose(candidates: &[&[Param]], args: &[Ty], types: &Types, rules: &Conversions) -> Choice {
    let exact = |params: &&[Param]| {
        params.len() == args.len() && params.iter().zip(args).all(|(p, &arg)| same(types, p.ty, arg))
    };
    if let Some(found) = candidates.iter().position(exact) {
        return Choice::One(found);
    }
    let ranked: Vec<(usize, Vec<Rank>)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(at, params)| Some((at, ranks(params, args, types, rules)?)))
        .collect();
    let Some((first, rest)) = ranked.split_first() else { return Choice::None };
    let mut best = first;
    for other in rest {
        if better(&other.1, &best.1) {
            best = other;
        }
    }
    let rival = ranked.iter().find(|other| {
        other.0 != best.0
            && !(rules.ranked && better(&best.1, &other.1))
            && !alike(candidates, best.0, other.0)
    });
    match rival {
        Some(other) => Choice::Ambiguous(best.0.min(other.0), best.0.max(other.0)),
        None => Choice::One(best.0),
    }
}

/// Whether two types are one; an error agrees with everything.
fn same(types: &Types, param: Ty, arg: Ty) -> bool {
    param == arg || matches!(types.get(arg), Type::Error) || matches!(types.get(param), Type::Error)
}

/// Whether two candidates take the same types (`max(genType, float)` for a scalar).
fn alike(candidates: &[&[Param]], a: usize, b: usize) -> bool {
    candidates.get(a) == candidates.get(b)
}

/// How well each argument fits; `None` if one does not.
fn ranks(params: &[Param], args: &[Ty], types: &Types, rules: &Conversions) -> Option<Vec<Rank>> {
    if params.len() != args.len() {
        return None;
    }
    params.iter().zip(args).map(|(&param, &arg)| rank(param, arg, types, rules)).collect()
}

/// How well an argument fits; what is written is converted the other way.
fn rank(param: Param, arg: Ty, types: &Types, rules: &Conversions) -> Option<Rank> {
    if same(types, param.ty, arg) {
        return Some(Rank::Exact);
    }
    let (from, to) = match param.passing {
        Passing::In | Passing::Handle => (arg, param.ty),
        Passing::Out => (param.ty, arg),
        Passing::Inout => return None,
    };
    if !rules.fits(types, from, to) {
        return None;
    }
    let scalar = |ty| match types.get(ty) {
        Type::Scalar(s) | Type::Vector(s, _) | Type::Matrix { scalar: s, .. } => Some(*s),
        _ => None,
    };
    Some(match (scalar(from), scalar(to)) {
        (Some(Scalar::Float), Some(Scalar::Double)) | (Some(Scalar::Float16), Some(Scalar::Float)) => {
            Rank::Promotion
        }
        (Some(from), Some(to)) => Rank::Conversion(from, to),
        _ => Rank::Exact,
    })
}

/// Whether one candidate is better: for no argument worse, for some better.
fn better(a: &[Rank], b: &[Rank]) -> bool {
    let no_worse = a.iter().zip(b).all(|(a, b)| !beats(*b, *a));
    no_worse && a.iter().zip(b).any(|(a, b)| beats(*a, *b))
}

/// Whether one conversion is better than another of the same argument.
fn beats(a: Rank, b: Rank) -> bool {
    match (a, b) {
        (Rank::Exact, Rank::Exact) => false,
        (Rank::Exact, _) => true,
        (_, Rank::Exact) => false,
        (Rank::Promotion, other) => other != Rank::Promotion,
        (Rank::Conversion(from, Scalar::Float), Rank::Conversion(other, Scalar::Double)) => from == other,
        // Among integers of several sizes the nearest counts. [GL_EXT_shader_explicit_arithmetic_types]
        (Rank::Conversion(from, near), Rank::Conversion(other, far)) => {
            from == other && [near, far].into_iter().all(is_integer) && near.bits() < far.bits()
        }
        (Rank::Conversion(..), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESKTOP: Conversions = Conversions {
        int_float: true,
        uint_float: true,
        int_uint: true,
        double: true,
        sized: false,
        ranked: true,
    };

    fn scalar(types: &mut Types, scalar: Scalar) -> Ty {
        types.intern(Type::Scalar(scalar))
    }

    /// Chooses among functions of scalars.
    fn pick(candidates: &[&[Scalar]], args: &[Scalar], rules: Conversions) -> Choice {
        let mut types = Types::default();
        let args: Vec<Ty> = args.iter().map(|&s| scalar(&mut types, s)).collect();
        let lists: Vec<Vec<Param>> = candidates
            .iter()
            .map(|list| {
                list.iter().map(|&s| Param { ty: scalar(&mut types, s), passing: Passing::In }).collect()
            })
            .collect();
        let lists: Vec<&[Param]> = lists.iter().map(Vec::as_slice).collect();
        choose(&lists, &args, &types, &rules)
    }

    #[test]
    fn the_exact_one_wins() {
        use Scalar::{Float, Int};
        assert_eq!(pick(&[&[Float], &[Int]], &[Int], DESKTOP), Choice::One(1));
    }

    #[test]
    fn without_conversions_nothing_else_fits() {
        use Scalar::{Float, Int};
        assert_eq!(pick(&[&[Float]], &[Int], Conversions::default()), Choice::None);
        assert_eq!(pick(&[&[Float]], &[Int], DESKTOP), Choice::One(0));
    }

    #[test]
    fn float_is_nearer_to_an_integer_than_double() {
        use Scalar::{Double, Float, Int};
        assert_eq!(pick(&[&[Double], &[Float]], &[Int], DESKTOP), Choice::One(1));
    }

    #[test]
    fn better_in_one_argument_and_worse_in_another_is_ambiguous() {
        use Scalar::{Float, Int};
        let both = pick(&[&[Float, Int], &[Int, Float]], &[Int, Int], DESKTOP);
        assert_eq!(both, Choice::Ambiguous(0, 1));
    }

    #[test]
    fn before_ranking_two_that_fit_are_ambiguous() {
        use Scalar::{Float, Int};
        let rules = Conversions { int_uint: false, double: false, ranked: false, ..DESKTOP };
        assert_eq!(pick(&[&[Float, Float], &[Float, Int]], &[Int, Int], rules), Choice::Ambiguous(0, 1));
    }
}
