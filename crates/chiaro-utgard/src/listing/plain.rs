//! chiaro's own listing of an instruction, which loses nothing; [`crate::asm::instruction`] reads it.
//!
//! An instruction is a line: busy units in any order, separated by semicolons. What no busy
//! unit claims and is not as in the idle word follows as raw fields (`.add_op=3`).
//!
//! ```text
//! in0 a2; in2 t[3]; mul0 in0.y, in0.w; add0.add ^mul1, in2.z; out0 v2 = pass, complex
//! ```

use std::sync::LazyLock;

use chiaro_isa::{Cx, Isa, Out};

use crate::isa::UTGARD_GP;
use crate::isa::selector::{OPERANDS, Select};
use crate::isa::word::{self, FIELDS, Word};

/// Appends the text of an instruction.
pub fn print(word: Word, out: &mut Out) {
    let reads = reads(word);
    let texts = (0..UTGARD_GP.units.len()).map(|unit| Said::of(unit, word, reads >> unit & 1 != 0));
    line(word, texts, out);
}

/// What the units of an instruction say, and then the fields that none of them claims.
fn line<S: std::borrow::Borrow<Said>>(word: Word, units: impl Iterator<Item = S>, out: &mut Out) {
    let start = out.len();
    let mut claimed = 0;
    for said in units {
        let said = said.borrow();
        if !said.text.is_empty() {
            separate(start, out);
            out.push_str(&said.text);
            claimed |= said.claimed;
        }
    }
    if (word.0 ^ Word::IDLE.0) & !claimed != 0 {
        strays(word, claimed, start, out);
    }
    if out.len() == start {
        out.push_str("nop");
    }
}

fn separate(start: usize, out: &mut Out) {
    if out.len() > start {
        out.push_str(UTGARD_GP.separator);
    }
}

/// Fields that no unit claims and that are not as in the idle word.
#[cold]
fn strays(word: Word, claimed: u128, start: usize, out: &mut Out) {
    for field in FIELDS {
        let is_claimed = claimed >> field.lo & u128::from(field.most()) != 0;
        if !is_claimed && word.get(*field) != field.idle {
            separate(start, out);
            out.push('.');
            out.push_str(field.name);
            out.push('=');
            out.push_int(i64::from(word.get(*field)));
        }
    }
}

/// What a unit says of its bits; nothing if it is idle.
#[derive(Clone, Default)]
struct Said {
    text: String,
    claimed: u128,
}

impl Said {
    /// A port that is read is printed even where it holds what idle ones do.
    fn of(unit: usize, word: Word, is_read: bool) -> Said {
        let isa = &UTGARD_GP.units[unit];
        let Ok(mut inst) = isa.decode(&word.to_bytes()) else { return Said::default() };
        if isa.form(&inst).operation.name.is_empty() {
            if !is_read {
                return Said::default();
            }
            inst.form = BUSY_LOAD;
        }
        let text = isa.text(&inst, &Cx::default()).unwrap_or_default();
        Said { text, claimed: said(unit, isa.claimed(inst.form)) }
    }
}

/// Texts that each unit keeps at most.
const KEPT: usize = 256;

/// Prints many instructions. Programs repeat themselves unit by unit, so that most texts are there
/// already.
pub struct Printer {
    /// By unit, its texts by a hash of its bits.
    units: Vec<Vec<Option<(u128, Said)>>>,
}

impl Printer {
    /// A printer for a program of some length: what a short one does not say need not be kept.
    #[must_use]
    pub fn new(words: usize) -> Printer {
        let kept = words.next_power_of_two().clamp(4, KEPT);
        Printer { units: MASKS.iter().map(|_| vec![None; kept]).collect() }
    }

    /// Appends the text of an instruction.
    pub fn print(&mut self, word: Word, out: &mut Out) {
        let reads = reads(word);
        let units = self.units.iter_mut().zip(&*MASKS).enumerate();
        let texts = units.map(|(unit, (kept, mask))| {
            let is_read = reads >> unit & 1;
            // No port has the last bit.
            let bits = word.0 & mask | u128::from(is_read) << 127;
            let at = hash(bits) & (kept.len() - 1);
            let place = &mut kept[at];
            match place {
                Some((known, _)) if *known == bits => {}
                _ => *place = Some((bits, Said::of(unit, word, is_read != 0))),
            }
            match place {
                Some((_, said)) => &*said,
                None => unreachable!("it was just put there"),
            }
        });
        line(word, texts, out);
    }
}

fn hash(bits: u128) -> usize {
    let folded = bits as u64 ^ ((bits >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - KEPT.ilog2())) as usize
}

/// By unit: the bits that any of its forms looks at.
static MASKS: LazyLock<Vec<u128>> = LazyLock::new(|| {
    let claimed = |isa: &Isa, form: usize| bits(isa.claimed(form as u16)) | bits(isa.pattern(form as u16).0);
    let all = |isa: &Isa| (0..isa.forms.len()).fold(0, |all, form| all | claimed(isa, form));
    UTGARD_GP.units.iter().map(all).collect()
});

fn bits(word: chiaro_isa::Word) -> u128 {
    u128::from(word.0[0]) | u128::from(word.0[1]) << 64
}

/// The number of multiplier 1 among the units.
const MUL1: usize = 4;

/// The bits that a unit's text determines. Multiplier 1 does not say what the pair does.
pub(crate) fn said(unit: usize, claimed: chiaro_isa::Word) -> u128 {
    let bits = bits(claimed);
    if unit == MUL1 { bits & !(u128::from(word::MUL_OP.most()) << word::MUL_OP.lo) } else { bits }
}

/// The form of a load that is not idle, in the sets of the three ports.
const BUSY_LOAD: u16 = 1;

/// The load ports that operands of an instruction read, a bit each: they are the first units.
fn reads(word: Word) -> u32 {
    OPERANDS.iter().fold(0, |all, &(field, ..)| all | READS[word.get(field) as usize & 31])
}

/// The same of one selector.
static READS: [u32; 32] = {
    let mut all = [0; 32];
    let mut selector = 0;
    while selector < 32 {
        all[selector] = match Select::of(selector as u32, false) {
            Select::Port0 { back: 0, .. } => 1,
            Select::Port1(_) => 2,
            Select::Load(_) => 4,
            _ => 0,
        };
        selector += 1;
    }
    all
};
