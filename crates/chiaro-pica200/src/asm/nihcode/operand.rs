//! Evaluation of operands and expressions.

use super::alias::Names;
use super::lex::Name;
use super::register::{ADDRESS, BANKS, place};
use super::statement::{Expression, Swizzle, Term};
use crate::asm::report::Outcome;
use crate::operand::NEGATE;
use crate::regs::bank;
use chiaro_diag::{Diagnostic, Span};
use chiaro_isa::Reg;

/// An operand, worked out.
#[derive(Clone, Copy)]
pub(super) struct Atom {
    pub(super) file: u8,
    pub(super) index: u16,
    pub(super) swizzle: Swizzle,
    pub(super) negative: bool,
    /// 1 a0.x, 2 a0.y, 3 aL, as the IDX field has it.
    pub(super) indexed: u8,
    pub(super) span: Span,
}

impl Atom {
    /// Whether only a wide field holds it.
    pub(super) fn is_wide(&self) -> bool {
        self.file == bank::FLOAT || self.indexed != 0
    }

    /// As a source, with the components that the descriptor shall select.
    pub(super) fn source(&self, selector: u16) -> Reg {
        Reg {
            file: self.file,
            index: self.index,
            indexed: self.indexed,
            mods: u16::from(self.negative) * NEGATE,
            swizzle: selector,
            ..Reg::default()
        }
    }

    /// As a destination.
    pub(super) fn destination(&self) -> Reg {
        Reg { file: self.file, index: self.index, swizzle: self.mask(), ..Reg::default() }
    }

    /// The components named, as a write mask with x in bit 3.
    pub(super) fn mask(&self) -> u16 {
        self.swizzle.used().iter().fold(0, |mask, &component| mask | 8 >> component)
    }
}

/// Works out an expression. In [`Names::tool`]'s mode an index may end in another bank.
pub(super) fn evaluate(expression: &Expression<'_>, names: &Names<'_>) -> Outcome<Atom> {
    let meaning = names.look_up(expression.name)?;
    let (offset, indexed) = index(&expression.index, names)?;
    let number = meaning.number.wrapping_add(offset);
    let start = place(meaning.number);
    let found = place(number).filter(|found| names.tool || Some(found.0) == start.map(|s| s.0));
    let size = |file: u8| BANKS.iter().find(|bank| bank.file == file).map_or(0, |bank| bank.count);
    let Some((file, index)) = found.filter(|&(file, index)| names.tool || index < size(file)) else {
        return leaves_bank(expression, number);
    };
    let mut atom = Atom {
        file,
        index: u16::try_from(index).unwrap_or(u16::MAX),
        swizzle: meaning.swizzle,
        negative: expression.negative,
        indexed,
        span: expression.span,
    };
    for (swizzle, span) in &expression.swizzles {
        atom.swizzle = names.select(atom.swizzle, *swizzle, *span)?;
    }
    if !names.tool {
        check_index(&atom)?;
    }
    Ok(atom)
}

fn leaves_bank(expression: &Expression<'_>, number: i32) -> Outcome<Atom> {
    let error = Diagnostic::error(expression.span, "the index leaves the register bank");
    let neighbour = place(number).and_then(|(file, index)| {
        let bank = BANKS.iter().find(|bank| bank.file == file && index < bank.count)?;
        Some(format!("nihstro would use {}{index} here", bank.letter))
    });
    Err(Box::new(match neighbour {
        Some(note) => error.note(note),
        None => error,
    }))
}

/// Only the float uniforms can be indexed: on other registers the hardware ignores the
/// address register, which nihstro encodes all the same.
fn check_index(atom: &Atom) -> Outcome {
    if atom.indexed != 0 && atom.file != bank::FLOAT {
        let message = "only float uniforms (c) can be indexed by a register";
        return Err(Box::new(
            Diagnostic::error(atom.span, message)
                .note("nihstro encodes the index, and the hardware ignores it"),
        ));
    }
    Ok(())
}

/// The sum of an index's numbers, and its address register.
fn index(terms: &[Term<'_>], names: &Names<'_>) -> Outcome<(i32, u8)> {
    let (mut sum, mut indexed) = (0i32, 0);
    for term in terms {
        match term {
            Term::Number(number) => sum = sum.wrapping_add(*number),
            Term::Register(name) if indexed != 0 => {
                let message = "an index has only one address register";
                return Err(Box::new(Diagnostic::error(name.span, message)));
            }
            Term::Register(name) => indexed = address(*name, names)?,
        }
    }
    Ok((sum, indexed))
}

fn address(name: Name<'_>, names: &Names<'_>) -> Outcome<u8> {
    let number = names.look_up(name)?.number;
    match number - ADDRESS {
        n @ 0..=2 => Ok(n as u8 + 1),
        _ => Err(Box::new(Diagnostic::error(name.span, "an index adds numbers and one of a0, a1 and lcnt"))),
    }
}
