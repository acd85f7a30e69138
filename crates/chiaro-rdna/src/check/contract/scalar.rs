//! Scalars: what holds a pointer into the stack, a return address, something that was saved.

use super::code::{self, Source, bits, got, is_sopk, salu};
use super::state::{Part, State};
use super::value::{Scalar, Tag};
use super::{Checker, Step};
use crate::check::step::Lanes;
use crate::regs::{self, file, hardware};

impl Checker<'_> {
    /// Scalars that an instruction writes.
    pub(super) fn scalars(&self, step: &Step, state: &mut State) {
        if let Some((to, vector, lane)) = got(step) {
            // What was not put there by number may be anything.
            let held = state.vector(vector).held(lane);
            return state.set_scalar(to, held.map_or(Scalar::Unknown(step.word), |put| put.value));
        }
        if let Some((to, half, entry)) = self.taken_return(step, state) {
            let held = state.returns.get(&(entry, half)).copied();
            return state.set_scalar(to, held.unwrap_or(Scalar::Unknown(step.word)));
        }
        if let Some((to, next)) = self.next(step, state) {
            return state.set_scalar(to, next);
        }
        if step.name == "v_readfirstlane_b32" {
            let from = bits(step, 0, 8) as u16;
            let value = match self.in_lanes(from, state) {
                _ if bits(step, 8, 1) == 0 => Scalar::Written(step.word),
                // Where no lane runs, it is what one has that may sleep.
                Tag::Same(scalar) if state.masks.is_entry(&self.cells) => scalar,
                Tag::Same(_) => Scalar::Written(step.word),
                _ => Scalar::First(from, state.exec_since),
            };
            return state.set_scalar(bits(step, 17, 8) as u16, value);
        }
        if let Some(results) = self.computed(step, state) {
            for (register, value) in results {
                state.set_scalar(register, value);
            }
            return;
        }
        for (_, register) in step.writes.iter().filter(|(in_file, _)| *in_file == file::SGPR) {
            state.set_scalar(*register, Scalar::Written(step.word));
        }
    }

    /// What the lowest lane holds is another value once its register is written or other lanes run; a pair of such that a
    /// comparison has found is what these lanes want.
    pub(super) fn wanted(&self, step: &Step, state: &mut State) {
        let found = code::compared(step).filter(|(scalar, vector)| {
            (0..2).all(|n| state.scalar(scalar + n) == Scalar::First(vector + n, state.exec_since))
        });
        let written = |register: u16| step.writes.contains(&(file::VGPR, register));
        let is_old = |value| match value {
            Scalar::First(register, _) => written(register),
            // The same comparison finds something else the next time.
            Scalar::Wanted(word, _) => word == step.word,
            _ => false,
        };
        state.change_scalars(|value| is_old(value).then_some(Scalar::Written(step.word)));
        if let Some((_, vector)) = found {
            self.note_compared(step.word, vector, state);
            // Copies hold the same.
            let since = state.exec_since;
            let half = |value| (0..2).find(|n| value == Scalar::First(vector + n, since));
            state.change_scalars(|value| Some(Scalar::Wanted(step.word, half(value)? as u8)));
        }
        if step.lanes != Lanes::Same {
            state.lanes_changed(step.word);
        }
    }

    /// Registers and their values, where an instruction moves or adds.
    fn computed(&self, step: &Step, state: &State) -> Option<Vec<(u16, Scalar)>> {
        let word = step.word;
        let of = |source: Source| self.value(source, state, word);
        if is_sopk(step) {
            let (to, number) = (bits(step, 16, 7) as u16, i32::from(bits(step, 0, 16) as u16 as i16) as u32);
            return match step.name {
                "s_movk_i32" => Some(vec![(to, Scalar::Number(number))]),
                "s_addk_i32" => Some(vec![(to, state.scalar(to).plus(number, word))]),
                _ => None,
            };
        }
        let salu = salu(step)?;
        let [a, b] = salu.sources;
        if let Some(half) = self.sum(step, [of(a), of(b)], state) {
            return Some(vec![(salu.to, half)]);
        }
        let value = match step.name {
            "s_getpc_b64" => {
                let here = |half: u8| (salu.to + u16::from(half), Scalar::Here(word + step.length, half));
                return Some(vec![here(0), here(1)]);
            }
            "s_cselect_b32" => self.one_of(step, [a, b], state)?,
            "s_cselect_b64" => {
                let halves = [[a, b], [a.upper(), b.upper()]].map(|both| self.one_of(step, both, state));
                return Some(vec![(salu.to, halves[0]?), (salu.to + 1, halves[1]?)]);
            }
            "s_mov_b32" => of(a),
            "s_mov_b64" => return Some(vec![(salu.to, of(a)), (salu.to + 1, of(a.upper()))]),
            "s_add_i32" | "s_add_u32" => match (of(a), of(b)) {
                (value, Scalar::Number(n)) | (Scalar::Number(n), value) => value.plus(n, word),
                _ => Scalar::Written(word),
            },
            "s_sub_i32" | "s_sub_u32" => match (of(a), of(b)) {
                (value, Scalar::Number(n)) => value.plus(n.wrapping_neg(), word),
                _ => Scalar::Written(word),
            },
            "s_ff1_i32_b32" | "s_ff1_i32_b64" => self.lowest(step, state).unwrap_or(Scalar::Written(word)),
            "s_lshr_b32" => match of(b) {
                Scalar::Number(n) => self.shifted(of(a), n).unwrap_or(Scalar::Written(word)),
                _ => Scalar::Written(word),
            },
            _ => return None,
        };
        Some(vec![(salu.to, value)])
    }

    /// What a source holds.
    pub(super) fn value(&self, source: Source, state: &State, word: u32) -> Scalar {
        match source {
            Source::Register(register) => state.scalar(register),
            Source::Number(n) => Scalar::Number(n),
            Source::Other => Scalar::Written(word),
        }
    }

    /// Parts of MODE that an instruction sets.
    pub(super) fn mode(&self, step: &Step, state: &mut State) {
        match step.name {
            "s_round_mode" => state.mode[0] = Part::Number(bits(step, 0, 4)),
            "s_denorm_mode" => state.mode[1] = Part::Number(bits(step, 0, 4)),
            "s_setreg_b32" | "s_setreg_imm32_b32" if bits(step, 0, 6) == hardware::MODE => {
                state.mode = self.set_register(step, state.mode);
            }
            _ => {}
        }
    }

    fn set_register(&self, step: &Step, mode: [Part; 3]) -> [Part; 3] {
        let (first, width) = (bits(step, 6, 5), bits(step, 11, 5) + 1);
        let number = (step.name == "s_setreg_imm32_b32").then(|| bits(step, 32, 32));
        let part = |n: usize| {
            let (low, size) = [(0, 4), (4, 4), (8, 24)][n];
            let touches = first < low + size && low < first + width;
            match number {
                _ if !touches => mode[n],
                Some(number) if first <= low && low + size <= first + width => {
                    Part::Number(number >> (low - first) & ((1 << size) - 1))
                }
                _ => Part::Unknown,
            }
        };
        std::array::from_fn(part)
    }

    /// Whether a scalar is one that calls and ends are about, and no special one.
    pub(super) fn is_ordinary(register: u16) -> bool {
        register < regs::code::VCC_LO
    }
}
