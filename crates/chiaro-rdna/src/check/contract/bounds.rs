//! What vector registers hold in the lanes that run: numbers within bounds, and places in the frame.
//!
//! An index that is masked, shifted and added to the stack pointer leads to somewhere within bounds, whatever it was:
//!
//! ```text
//! v_and_b32 v7, 63, v3          0 to 63
//! v_lshlrev_b32 v7, 2, v7       0 to 252
//! v_add_nc_u32 v7, s32, v7      a place in the frame
//! ```
//!
//! That is known of the lanes that run where it is computed, and holds as long as no others do.

use super::super::step::{Lanes, Step};
use super::Checker;
use super::code::{Source, bits, is_plain, is_short, sources};
use super::state::State;
use super::value::{Bounds, Scalar, Tag};
use crate::regs::file;

impl Checker<'_> {
    /// Takes note of what an instruction leaves in vector registers; before anything else is known of that.
    pub(super) fn bound(&self, step: &Step, state: &mut State) {
        let made = self.made(step, state);
        for (_, register) in step.writes.iter().filter(|(in_file, _)| *in_file == file::VGPR) {
            state.bounds.remove(register);
        }
        if let (Some(bounds), Some((file::VGPR, register))) = (made, step.writes.first().copied()) {
            state.bounds.insert(register, bounds);
        }
        if !matches!(step.lanes, Lanes::Same | Lanes::Fewer) {
            state.bounds.clear();
        }
    }

    /// What the result of an instruction lies within.
    fn made(&self, step: &Step, state: &State) -> Option<Bounds> {
        let stem = step.name.strip_prefix("v_")?;
        let [a, b, c] = self.operands(step, state)?;
        let shifted = |by: Option<Bounds>, value: Option<Bounds>| {
            value?.times(1u32.checked_shl(by?.number()?).filter(|factor| *factor > 0)?)
        };
        match stem {
            "mov_b32" => a,
            "add_nc_u32" => a?.plus(b?),
            "add3_u32" => a?.plus(b?)?.plus(c?),
            "lshlrev_b32" => shifted(a, b),
            "lshl_add_u32" => shifted(b, a)?.plus(c?),
            "add_lshl_u32" => shifted(c, Some(a?.plus(b?)?)),
            "mul_u32_u24" => product(a?.of_24_bits()?, b?.of_24_bits()?),
            "mul_lo_u32" => product(a?, b?),
            "mad_u32_u24" => product(a?.of_24_bits()?, b?.of_24_bits()?)?.plus(c?),
            "lshrrev_b32" => {
                let by = a?.number()? & 31;
                let (least, most) = match b {
                    Some(Bounds::Number(least, most)) => (least, most),
                    _ => (0, u32::MAX),
                };
                Some(Bounds::Number(least >> by, most >> by))
            }
            "bfe_u32" => {
                let width = c?.number()? & 31;
                Some(Bounds::Number(0, (1 << width) - 1))
            }
            "and_b32" | "min_u32" => {
                let most = [a, b].into_iter().flatten().filter_map(Bounds::most).min()?;
                Some(Bounds::Number(0, most))
            }
            _ => None,
        }
    }

    /// The sources of an instruction in the plain formats; there are up to three.
    fn operands(&self, step: &Step, state: &State) -> Option<[Option<Bounds>; 3]> {
        let words = step.inst.as_ref()?.word.0;
        let literal = if is_short(step) { (words[0] >> 32) as u32 } else { words[1] as u32 };
        let of = |raw: u32| self.operand(raw, literal, state);
        let [a, b] = sources(step);
        let third = (!is_short(step)).then(|| bits(step, 50, 9));
        // A sum that is clamped is no sum.
        let is_clamped = third.is_some() && bits(step, 15, 1) == 1;
        (is_plain(step) && !is_clamped).then(|| [of(a), of(b), third.and_then(of)])
    }

    fn operand(&self, raw: u32, literal: u32, state: &State) -> Option<Bounds> {
        let scalar = match raw.checked_sub(256) {
            Some(register) => {
                let register = register as u16;
                if let Some(known) = state.bounds.get(&register) {
                    return Some(*known);
                }
                match self.in_lanes(register, state) {
                    Tag::Same(scalar) => scalar,
                    _ => return None,
                }
            }
            None => self.value(Source::of(raw, literal), state, 0),
        };
        match scalar {
            Scalar::Number(n) => Some(Bounds::Number(n, n)),
            Scalar::Frame(at) => Some(Bounds::Place(at, at)),
            value => self.of_pointer(value).map(|at| Bounds::Place(at, at)),
        }
    }
}

/// A product of which one factor is known.
fn product(a: Bounds, b: Bounds) -> Option<Bounds> {
    match (a.number(), b.number()) {
        (Some(n), _) => b.times(n),
        (_, Some(n)) => a.times(n),
        _ => None,
    }
}
