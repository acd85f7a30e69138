//! What steers a wave: branches, waits, barriers, hardware registers (spec sections 2, 5, 10).

use super::arrival::Wait;
use super::fault::FaultKind;
use super::program::Step;
use super::run::{VCC, first_lane};
use super::wave::{Status, Wave};
use crate::exec::Mode;
use crate::isa::{Op, sop1::Sop1, sopk::Sopk, sopp::Sopp};
use crate::operand::immediate::hardware_bits;
use crate::regs::{code, hardware};

/// Anything may be left.
const ANY: u32 = u32::MAX;

impl Wave {
    /// Goes on where the instruction says. True if the turn is over.
    pub(super) fn flow(&mut self, step: &Step) -> bool {
        let Some((inst, op)) = step.inst else { return false };
        let word = inst.word.0[0];
        let next = self.pc + step.length;
        match op {
            Op::Sopp(op) => return self.steer(op, step, word as u16, next),
            Op::Sop1(op) => return self.jump(op, step, next),
            Op::Sopk(op) => match op {
                Sopk::CallB64 => {
                    self.save_place(step, next);
                    let target = i64::from(step.offset) + 4 + 4 * i64::from(step.operands.simm16);
                    return self.call(step, next, target);
                }
                Sopk::WaitcntVmcnt => self.wait(Wait { vm: self.limit(word), lgkm: ANY }),
                Sopk::WaitcntLgkmcnt => self.wait(Wait { vm: ANY, lgkm: self.limit(word) }),
                // Stores and exports are done when they are issued.
                Sopk::WaitcntVscnt | Sopk::WaitcntExpcnt => {}
                Sopk::GetregB32 => {
                    let value = self.hardware_register(word as u32);
                    self.set_scalar((word >> 16 & 127) as u16, value);
                }
                Sopk::SetregB32 => {
                    let value = self.scalar((word >> 16 & 127) as u16);
                    self.set_hardware_register(word as u32, value);
                }
                Sopk::SetregImm32B32 => self.set_hardware_register(word as u32, (word >> 32) as u32),
                _ => {
                    self.refuse(step);
                    return false;
                }
            },
            _ => {}
        }
        self.pc = next;
        false
    }

    fn steer(&mut self, op: Sopp, step: &Step, number: u16, next: u32) -> bool {
        let exec = self.exec();
        let vcc = self.scalar(VCC) | if self.halves.len() == 2 { self.scalar(VCC + 1) } else { 0 };
        let taken = match op {
            Sopp::Endpgm | Sopp::EndpgmSaved | Sopp::EndpgmOrderedPsDone => {
                self.wait(Wait { vm: 0, lgkm: 0 });
                self.status = Status::Ended;
                return true;
            }
            Sopp::Branch => true,
            Sopp::CbranchScc0 => !self.scc(),
            Sopp::CbranchScc1 => self.scc(),
            Sopp::CbranchVccz => vcc == 0,
            Sopp::CbranchVccnz => vcc != 0,
            Sopp::CbranchExecz => exec == [0; 2],
            Sopp::CbranchExecnz => exec != [0; 2],
            Sopp::Barrier => {
                (self.pc, self.status) = (next, Status::Barrier);
                return true;
            }
            Sopp::Waitcnt | Sopp::WaitIdle => return self.wait_for_counts(op, number, next),
            Sopp::RoundMode | Sopp::DenormMode => {
                let low = if op == Sopp::RoundMode { 0 } else { 4 };
                let mode = self.mode.0 & !(15 << low) | u32::from(number & 15) << low;
                self.set_mode(Mode(mode));
                false
            }
            // What no lane comes to is wrong for none.
            Sopp::Trap => {
                if exec != [0; 2] {
                    self.fault(first_lane(exec), FaultKind::Trap(number as u8, self.open_calls()));
                }
                false
            }
            // No debugger is there to ask for these.
            Sopp::CbranchCdbgsys
            | Sopp::CbranchCdbguser
            | Sopp::CbranchCdbgsysOrUser
            | Sopp::CbranchCdbgsysAndUser => false,
            _ => {
                self.refuse(step);
                return false;
            }
        };
        if taken {
            return self.branch(step);
        }
        self.pc = next;
        false
    }

    fn wait_for_counts(&mut self, op: Sopp, number: u16, next: u32) -> bool {
        let n = u32::from(number);
        let (vm, lgkm) = (n & 15 | n >> 14 << 4, n >> 8 & 63);
        let limit = |count: u32| if count == 63 { ANY } else { count };
        let idle = Wait { vm: 0, lgkm: 0 };
        let before = self.pending.len();
        self.wait(if op == Sopp::WaitIdle { idle } else { Wait { vm: limit(vm), lgkm: limit(lgkm) } });
        self.pc = next;
        before != self.pending.len()
    }

    /// What a SOPK wait leaves: a register plus a number.
    fn limit(&self, word: u64) -> u32 {
        self.scalar((word >> 16 & 127) as u16).wrapping_add(word as u32 & 0xffff)
    }

    fn branch(&mut self, step: &Step) -> bool {
        let target = i64::from(step.offset) + 4 + 4 * i64::from(step.operands.simm16);
        self.go(target)
    }

    fn go(&mut self, target: i64) -> bool {
        match self.place_of(target) {
            Some(pc) => self.pc = pc,
            None => self.stop(FaultKind::Target(target)),
        }
        false
    }

    fn jump(&mut self, op: Sop1, step: &Step, next: u32) -> bool {
        let source = match step.operands.src[0].map(|src| src.at) {
            Some(crate::exec::At::Scalar(n)) => self.scalar_pair(n),
            _ => 0,
        };
        if matches!(op, Sop1::GetpcB64 | Sop1::SwappcB64) {
            self.save_place(step, next);
        }
        if op == Sop1::GetpcB64 {
            self.pc = next;
            return false;
        }
        let target = source.wrapping_sub(self.code_base) as i64;
        match op {
            Sop1::SwappcB64 => self.call(step, next, target),
            Sop1::SetpcB64 => self.go_back(target),
            _ => self.go(target),
        }
    }

    /// A call, which is open until control comes back behind it.
    fn call(&mut self, step: &Step, next: u32, target: i64) -> bool {
        self.calls.push([step.offset, next]);
        if self.place_of(target).is_none() {
            self.stop(FaultKind::Call(target, self.open_calls()));
            return false;
        }
        self.go(target)
    }

    /// Goes where a register says: behind the innermost call, or to a function in the place of this one. Who goes behind
    /// another call has lost where it came from.
    fn go_back(&mut self, target: i64) -> bool {
        let is_behind = |call: &[u32; 2]| i64::from(call[1]) == target;
        match self.calls.iter().rposition(is_behind) {
            Some(n) if n + 1 == self.calls.len() => _ = self.calls.pop(),
            Some(_) => {
                self.stop(FaultKind::Return(target, self.open_calls()));
                return false;
            }
            None => {}
        }
        self.go(target)
    }

    fn open_calls(&self) -> Vec<u32> {
        self.calls.iter().map(|call| call[0]).collect()
    }

    fn place_of(&self, target: i64) -> Option<u32> {
        u32::try_from(target).ok().filter(|t| t % 4 == 0 && self.program.step_at(*t).is_some())
    }

    /// The address of the next instruction, into the destination.
    fn save_place(&mut self, step: &Step, next: u32) {
        let Some(d) = step.operands.sdst.map(|r| r.index).filter(|n| *n != code::NULL) else { return };
        let address = self.code_base.wrapping_add(next.into());
        self.set_scalar(d, address as u32);
        self.set_scalar(d + 1, (address >> 32) as u32);
    }

    /// The bits of a hardware register that a number selects: register, first bit, width - 1.
    fn hardware_register(&self, word: u32) -> u32 {
        let (_, low, mask) = selected(word);
        (self.whole_register(word) >> low) & mask
    }

    fn whole_register(&self, word: u32) -> u32 {
        match selected(word).0 {
            hardware::MODE => self.mode.0,
            hardware::FLAT_SCR_LO => self.flat_scratch as u32,
            hardware::FLAT_SCR_HI => (self.flat_scratch >> 32) as u32,
            hardware::SHADER_CYCLES => self.now() as u32,
            _ => 0,
        }
    }

    fn set_hardware_register(&mut self, word: u32, value: u32) {
        let (register, low, mask) = selected(word);
        let whole = self.whole_register(word) & !(mask << low) | (value & mask) << low;
        match register {
            hardware::MODE => self.set_mode(Mode(whole)),
            hardware::FLAT_SCR_LO => self.flat_scratch = self.flat_scratch >> 32 << 32 | u64::from(whole),
            hardware::FLAT_SCR_HI => {
                self.flat_scratch = self.flat_scratch & 0xffff_ffff | u64::from(whole) << 32;
            }
            _ => {}
        }
    }
}

fn selected(word: u32) -> (u32, u32, u32) {
    let [register, low, width] = hardware_bits(word);
    (register, low, u32::MAX >> (32 - width))
}
