//! Clauses: loads that likely find each other's lines in the cache issue without other waves in between
//! (spec section 12.1).
//!
//! ```text
//! s_clause 0x1
//! buffer_load_dword v2, v0, s[4:7], 0 offen
//! buffer_load_dword v3, v0, s[4:7], 0 offen offset:64
//! ```
//!
//! The schedules have put them side by side already, as far as registers of the chosen number of waves allow.

use super::insert::{Inserted, Jumps};
use super::line::Line;
use crate::compile::code::Modifiers;
use crate::compile::schedule::near::Near;
use crate::isa::Op;
use crate::isa::sopp::Sopp;

/// Loads of a clause at most.
const MOST: usize = 63;

/// The clauses of a program.
pub(super) fn form_clauses(lines: &[Line]) -> Vec<Inserted> {
    let mut is_target = vec![false; lines.len()];
    lines.iter().filter_map(|line| line.target).for_each(|target| is_target[target] = true);
    let near = |line: &Line| Near::of(line.op, &line.defs, &line.uses);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let first = near(&lines[at]);
        let others = (at + 1..lines.len().min(at + MOST)).take_while(|&n| !is_target[n]);
        let others = others.take_while(|&n| first.is_some() && near(&lines[n]) == first).count();
        if others > 0 {
            let clause = Line::new(Op::Sopp(Sopp::Clause), Vec::new(), Vec::new());
            let (modifiers, span) = (Modifiers::number(others as i32), lines[at].span);
            let line = Line { modifiers, span, ..clause };
            found.push(Inserted { before: at, line, jumps: Jumps::All });
        }
        at += 1 + others;
    }
    found
}

#[cfg(test)]
mod tests {
    use chiaro_mach::Operand;

    use super::*;
    use crate::compile::code::{SCALAR, VECTOR};
    use crate::isa::mubuf::Mubuf;
    use crate::isa::smem::Smem;

    /// A load of a buffer.
    fn load(descriptor: u16) -> Line {
        let uses = vec![Operand::reg(VECTOR, 0, 1), Operand::reg(SCALAR, descriptor, 4)];
        Line::new(Op::Mubuf(Mubuf::LoadDword), vec![Operand::reg(VECTOR, 1, 1)], uses)
    }

    /// An atomic operation that gives back what it found, of the same descriptor.
    fn addition() -> Line {
        let own = vec![Operand::reg(VECTOR, 1, 1)];
        let uses = vec![own[0], Operand::reg(VECTOR, 0, 1), Operand::reg(SCALAR, 4, 4)];
        Line::new(Op::Mubuf(Mubuf::AtomicAdd), own, uses)
    }

    fn store() -> Line {
        let uses = vec![Operand::reg(VECTOR, 0, 1), Operand::reg(SCALAR, 4, 4), Operand::imm(0)];
        Line::new(Op::Mubuf(Mubuf::StoreDword), Vec::new(), uses)
    }

    fn scalar(op: Smem) -> Line {
        Line::new(Op::Smem(op), vec![Operand::reg(SCALAR, 8, 1)], vec![Operand::reg(SCALAR, 4, 2)])
    }

    /// Where clauses begin, and the number in their words.
    fn clauses(lines: &[Line]) -> Vec<(usize, i32)> {
        form_clauses(lines).iter().map(|new| (new.before, new.line.modifiers.number)).collect()
    }

    #[test]
    fn loads_of_a_descriptor_stand_together() {
        assert_eq!(clauses(&[load(4), load(4), load(4), load(8), load(12), load(12)]), [(0, 2), (4, 1)]);
        assert_eq!(clauses(&[store(), load(4), store(), load(4)]), []);
        assert_eq!(clauses(&[load(4), addition(), load(4)]), []);
        assert_eq!(clauses(&[addition(), addition()]), []);
        assert_eq!(clauses(&[scalar(Smem::LoadDword), scalar(Smem::LoadDword), load(4)]), [(0, 1)]);
        assert_eq!(clauses(&[scalar(Smem::LoadDword), scalar(Smem::BufferLoadDword)]), []);
    }

    #[test]
    fn nothing_jumps_into_a_clause_and_it_has_an_end() {
        let mut lines = vec![load(4); 5];
        lines.push(Line { target: Some(2), ..Line::new(Op::Sopp(Sopp::Branch), Vec::new(), Vec::new()) });
        assert_eq!(clauses(&lines), [(0, 1), (2, 2)]);
        assert_eq!(clauses(&vec![load(4); 64]), [(0, 62)]);
        assert_eq!(clauses(&vec![load(4); 65]), [(0, 62), (63, 1)]);
    }
}
