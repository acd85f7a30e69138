//! Masks that are known to be all lanes of a wave become numbers.
//!
//! ```text
//! s_and_saveexec_b32 s2, s1                  s_and_saveexec_b32 s2, s1        (s2 is dead)
//! v_add_f32_e32 v0, v1, v2                   v_add_f32_e32 v0, v1, v2
//! s_mov_b32 exec_lo, s2                      s_mov_b32 exec_lo, -1
//! ```
//!
//! At the start of a kernel whose groups are made of whole waves all lanes run, and so do those that a mask kept there
//! brings back. What kept it is dead then, and a comparison can switch lanes off by itself
//! ([`dead_scalars`](super::dead_scalars)). A runtime of HSA may launch parts of groups: nothing is known there.

use chiaro_mach::{Operand, What};

use super::line::{Line, is_exec, numbers};
use crate::abi::interface::{Abi, Interface};
use crate::compile::code::implied;
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;

/// Rewrites a kernel; targets are numbers of lines.
pub(super) fn whole_waves(lines: &mut [Line], interface: &Interface, wave: u8) {
    let threads: u32 = interface.workgroup.iter().product();
    if interface.abi != Abi::Vulkan || !threads.is_multiple_of(wave.into()) {
        return;
    }
    let known = known(lines, wave);
    for (line, known) in lines.iter_mut().zip(known) {
        if known.is_some_and(|known| line.moved().is_some_and(|(to, from)| is_exec(&to) && known.has(&from)))
        {
            line.uses = vec![all(wave)];
        }
    }
}

/// All lanes, as a number.
fn all(wave: u8) -> Operand {
    Operand::imm(u64::MAX >> (64 - u32::from(wave)))
}

/// What is known in front of each line; nothing of those that are not reached.
fn known(lines: &[Line], wave: u8) -> Vec<Option<Known>> {
    let mut before = vec![None; lines.len()];
    let mut changed = join(&mut before, 0, Known { exec: true, masks: 0 });
    // A round for each loop that is in another one, and one that finds nothing new.
    while std::mem::take(&mut changed) {
        for (at, line) in lines.iter().enumerate() {
            let Some(known) = before[at] else { continue };
            let after = known.behind(line, wave);
            // What is behind in the text is looked at in this round still.
            changed |= line.target.is_some_and(|to| join(&mut before, to, after) && to <= at);
            if !line.leaves() {
                join(&mut before, at + 1, after);
            }
        }
    }
    before
}

/// Adds a way that leads to a line; whether less is known there than before.
fn join(before: &mut [Option<Known>], at: usize, known: Known) -> bool {
    let Some(place) = before.get_mut(at) else { return false };
    let met =
        place.map_or(known, |old| Known { exec: old.exec && known.exec, masks: old.masks & known.masks });
    place.replace(met) != Some(met)
}

/// Which masks are all lanes: EXEC, and scalar registers by the code of their first word.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    exec: bool,
    masks: u128,
}

impl Known {
    fn has(self, mask: &Operand) -> bool {
        match mask.what {
            _ if is_exec(mask) => self.exec,
            What::Imm(_) => false,
            _ => numbers(mask).next().is_some_and(|unit| unit < 128 && self.masks >> unit & 1 == 1),
        }
    }

    /// What is known behind a line.
    fn behind(self, line: &Line, wave: u8) -> Known {
        if line.callee.is_some() {
            return Known { exec: false, masks: 0 };
        }
        let mut known = self;
        let [written, _] = implied(line.op, wave);
        for unit in line.defs.iter().chain(&written).flat_map(numbers).filter(|unit| *unit < 128) {
            // A mask of two words is known by the first.
            known.masks &= !(1 << unit);
            known.masks &= if wave == 64 { !(1 << unit >> 1) } else { u128::MAX };
        }
        let (saved, exec) = self.made(line, wave);
        known.exec = exec;
        if let Some(unit) = saved.and_then(|saved| numbers(&saved).next()).filter(|unit| *unit < 128) {
            known.masks |= 1 << unit;
        }
        known
    }

    /// The mask of all lanes that a line makes besides EXEC, if it does, and whether all run behind it.
    fn made(self, line: &Line, wave: u8) -> (Option<Operand>, bool) {
        let all = |mask: &Operand| mask.what == all(wave).what || self.has(mask);
        let of_all = line.uses.iter().all(all);
        match (line.op, line.defs.first()) {
            (Op::Sop1(Sop1::MovB32 | Sop1::MovB64), Some(to)) if is_exec(to) => (None, of_all),
            (Op::Sop1(Sop1::MovB32 | Sop1::MovB64), Some(&to)) => (of_all.then_some(to), self.exec),
            (Op::Sop1(Sop1::AndSaveexecB32 | Sop1::AndSaveexecB64), Some(&to)) => {
                (self.exec.then_some(to), self.exec && of_all)
            }
            (Op::Sop2(Sop2::OrB32 | Sop2::OrB64), Some(to)) if is_exec(to) => {
                (None, line.uses.iter().any(all))
            }
            _ => (None, self.exec && !line.writes_exec(wave)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::code::{self, SCALAR};
    use crate::isa::sopp::Sopp;

    fn s(unit: u16, size: u16) -> Operand {
        Operand::reg(SCALAR, unit, size)
    }

    /// Which lines of a kernel set EXEC to a number, for groups of so many threads.
    fn rewritten(lines: &[Line], threads: u32, wave: u8) -> Vec<usize> {
        launched_by(Abi::Vulkan, lines, threads, wave)
    }

    fn launched_by(abi: Abi, lines: &[Line], threads: u32, wave: u8) -> Vec<usize> {
        let mut lines = lines.to_vec();
        let interface = Interface { abi, workgroup: [threads, 1, 1], ..Interface::default() };
        whole_waves(&mut lines, &interface, wave);
        (0..lines.len()).filter(|&at| lines[at].uses.first() == Some(&all(wave))).collect()
    }

    fn line(op: Op, defs: &[Operand], uses: &[Operand]) -> Line {
        Line::new(op, defs.to_vec(), uses.to_vec())
    }

    /// An `if`, and what comes back behind it, twice; a loop leads back to the second.
    fn program(wave: u8, back: usize) -> Vec<Line> {
        let size = u16::from(wave / 32);
        let (exec, long) = (code::exec(wave), wave == 64);
        let save = Op::Sop1(if long { Sop1::AndSaveexecB64 } else { Sop1::AndSaveexecB32 });
        let mov = Op::Sop1(if long { Sop1::MovB64 } else { Sop1::MovB32 });
        let jump = Line { target: Some(back), ..line(Op::Sopp(Sopp::CbranchScc1), &[], &[]) };
        vec![
            line(save, &[s(4, size)], &[s(8, size)]),
            line(mov, &[exec], &[s(4, size)]),
            line(save, &[s(6, size)], &[s(8, size)]),
            line(mov, &[exec], &[s(6, size)]),
            jump,
            line(Op::Sopp(Sopp::Endpgm), &[], &[]),
        ]
    }

    #[test]
    fn what_brings_all_lanes_back_is_a_number() {
        for wave in [32, 64] {
            assert_eq!(rewritten(&program(wave, 5), 128, wave), [1, 3], "{wave}");
            assert!(rewritten(&program(wave, 5), 97, wave).is_empty(), "the last wave is not whole");
            assert!(launched_by(Abi::Hsa, &program(wave, 5), 128, wave).is_empty(), "groups may be cut off");
            // The loop enters behind the first mask: some lanes run there, and they are what the second keeps.
            let mut entered = program(wave, 2);
            entered[3].uses = vec![s(8, u16::from(wave / 32))];
            assert_eq!(rewritten(&entered, 128, wave), [1], "{wave}");
        }
    }

    #[test]
    fn masks_that_are_written_are_not_known() {
        for written in [4, 5] {
            let mut lines = program(64, 6);
            lines.insert(1, line(Op::Sop1(Sop1::MovB32), &[s(written, 1)], &[s(9, 1)]));
            assert!(rewritten(&lines, 64, 64).is_empty(), "half of s[4:5] is another number");
        }
    }
}
