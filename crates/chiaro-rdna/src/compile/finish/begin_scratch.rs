//! Tells the machine where scratch begins.
//!
//! ```text
//! s_add_u32 s2, s2, s5                        the address of all scratch, and this wave's place in it
//! s_addc_u32 s3, s3, 0
//! s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2
//! s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3
//! ```
//!
//! Nothing stands before it: registers have what the launch put there (spec section 9.3).

use chiaro_mach::Operand;

use super::line::Line;
use crate::abi::interface::Interface;
use crate::compile::code::{Modifiers, SCALAR};
use crate::isa::Op;
use crate::isa::sop2::Sop2;
use crate::isa::sopk::Sopk;
use crate::regs::hardware;

/// All 32 bits of a hardware register, behind its number.
const WHOLE: u32 = 31 << 11;

/// Puts the start of scratch before all lines of a kernel that has any.
pub(super) fn begin_scratch(lines: &mut Vec<Line>, interface: &Interface) {
    let Some([base, offset]) = interface.scratch_registers() else { return };
    let [low, high, offset] = [base, base + 1, offset].map(|unit| Operand::reg(SCALAR, unit, 1));
    let set = |register: u32, from: Operand| Line {
        modifiers: Modifiers::number((register | WHOLE) as i32),
        ..Line::new(Op::Sopk(Sopk::SetregB32), Vec::new(), vec![from])
    };
    let begin = [
        Line::new(Op::Sop2(Sop2::AddU32), vec![low], vec![low, offset]),
        Line::new(Op::Sop2(Sop2::AddcU32), vec![high], vec![high, Operand::imm(0)]),
        set(hardware::FLAT_SCR_LO, low),
        set(hardware::FLAT_SCR_HI, high),
    ];
    lines.iter_mut().filter_map(|line| line.target.as_mut()).for_each(|target| *target += begin.len());
    lines.splice(0..0, begin);
}
