//! Which words the text of an instruction brings back, found out once for words that differ only in the numbers of
//! ordinary registers: no rule looks at those, and the first 240 scalars are encoded alike. What is found out is kept for
//! the listings that follow: compilers make all their programs of the same few hundred shapes of words.

use std::cell::RefCell;

use chiaro_isa::{Field, Inst, Role, Value};

use super::is_exact;
use crate::isa;
use crate::regs::file;

/// The bits of a register's number in an operand.
const NUMBER: u64 = 0xff;
/// Bits of a number that are all set in those of registers with a meaning of their own: addresses, predicates.
const SPECIAL: u64 = 0xf0;
/// Bits of the shortest operand that holds a register's number.
const SHORTEST: u8 = 8;

/// What is known of the words of a generation.
pub(super) struct Exact {
    generation: u8,
    /// By form: its operands that may be registers.
    operands: Vec<Operands>,
    /// By the word without the low bits of those: which of the bits are numbers of registers.
    numbers: Known<u64>,
    /// By the word without those of ordinary registers: whether its text brings it back.
    exact: Known<bool>,
}

/// The operands of a form that may be registers.
struct Operands {
    each: Box<[Operand]>,
    /// The numbers of all of them.
    numbers: u64,
}

/// An operand that may be a register.
struct Operand {
    field: &'static Field,
    /// The bits of its number.
    number: u64,
    /// Those that are set where it is special.
    special: u64,
}

thread_local! {
    /// Of each generation that the thread has listed.
    static KNOWN: RefCell<Vec<Exact>> = const { RefCell::new(Vec::new()) };
}

/// Calls with what the thread knows of a generation.
pub(super) fn with_known<T>(generation: u8, call: impl FnOnce(&mut Exact) -> T) -> T {
    KNOWN.with_borrow_mut(|all| {
        let found = all.iter().position(|exact| exact.generation == generation);
        let at = found.unwrap_or_else(|| {
            all.push(Exact::new(generation));
            all.len() - 1
        });
        call(&mut all[at])
    })
}

impl Exact {
    /// Nothing is known yet.
    fn new(generation: u8) -> Exact {
        let operands = isa::isa(generation).forms.iter().map(|form| Operands::of(form.format.fields));
        Exact { generation, operands: operands.collect(), numbers: Known::new(), exact: Known::new() }
    }

    /// As [`is_exact`].
    pub(super) fn of(&mut self, inst: &Inst) -> bool {
        let (word, operands) = (inst.word.0[0], &self.operands[usize::from(inst.form)]);
        let shape = (inst.form, word & !operands.numbers);
        let numbers = self.numbers.get(shape, || operands.of_registers(shape.1, self.generation));
        let special = operands.each.iter().filter(|operand| word & operand.special == operand.special);
        let ordinary = special.fold(numbers, |ordinary, operand| ordinary & !operand.number);
        self.exact.get((inst.form, word & !ordinary), || is_exact(inst, self.generation))
    }
}

impl Operands {
    fn of(fields: &'static [Field]) -> Operands {
        let holds = |f: &&Field| matches!(f.role, Role::Def | Role::Use) && f.bits.width() >= SHORTEST;
        let bits = |field: &Field, of: u64| field.bits.scatter(of).0[0];
        let operand = |field| Operand { field, number: bits(field, NUMBER), special: bits(field, SPECIAL) };
        let each: Box<[Operand]> = fields.iter().filter(|f| holds(f) && !f.view).map(operand).collect();
        Operands { numbers: each.iter().fold(0, |all, operand| all | operand.number), each }
    }

    /// The bits that are numbers of registers in words that have other bits like `shape`.
    fn of_registers(&self, shape: u64, generation: u8) -> u64 {
        let cx = isa::isa(generation).cx();
        let is_register = |operand: &&Operand| {
            let value = operand.field.kind.decode(operand.field.bits.gather(&shape.into()), &cx);
            let register = value.and_then(Value::reg);
            register.is_some_and(|r| matches!(r.file, file::GPR | file::CONST) && r.index == 0)
        };
        self.each.iter().filter(is_register).fold(0, |all, operand| all | operand.number)
    }
}

/// What was found out last by forms and words. A row is one of a few behind the place that they say; where all of those
/// are taken, the first one is given up.
struct Known<T>(Box<[Option<(Key, T)>]>);

/// A form and a word.
type Key = (u16, u64);

/// A power of two of places: more than shapes in programs of one compiler.
const PLACES: usize = 1 << 11;
/// Rows where one may be.
const NEAR: usize = 4;

impl<T: Copy> Known<T> {
    fn new() -> Known<T> {
        Known(vec![None; PLACES + NEAR].into())
    }

    #[inline]
    fn get(&mut self, key: Key, find_out: impl FnOnce() -> T) -> T {
        let mixed = (key.1 ^ u64::from(key.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = (mixed >> (u64::BITS - PLACES.trailing_zeros())) as usize;
        let near = &mut self.0[place..place + NEAR];
        let free = near.iter().position(|row| row.is_none_or(|(known, _)| known == key));
        let row = &mut near[free.unwrap_or(0)];
        match row {
            Some((known, found)) if *known == key => *found,
            _ => row.insert((key, find_out())).1,
        }
    }
}

#[cfg(test)]
mod tests {
    use chiaro_isa::Rng;

    use super::{Exact, NUMBER, SHORTEST};
    use crate::isa::isa;
    use crate::listing::{decode, is_exact};

    /// A word with other registers in some operands, half of them such as have a meaning of their own.
    fn renumbered(word: u64, form: u16, generation: u8, rng: &mut Rng) -> u64 {
        let fields = isa(generation).forms[usize::from(form)].format.fields.iter();
        fields.filter(|field| field.bits.width() >= SHORTEST).fold(word, |word, field| {
            let (bits, high) = (field.bits.scatter(NUMBER).0[0], if rng.below(2) == 0 { 0xf0 } else { 0 });
            let number = field.bits.scatter(rng.next() & 0x7f | high).0[0];
            if rng.below(2) == 0 { word & !bits | number } else { word }
        })
    }

    /// Whatever was seen before, each word is judged as it is alone.
    #[test]
    fn what_is_known_is_what_would_be_found() {
        for generation in 0..4 {
            let (set, mut rng, mut exact) = (isa(generation), Rng(generation.into()), Exact::new(generation));
            let mut judged = [0u32; 2];
            for n in 0..16_000u64 {
                let form = (n % set.forms.len() as u64) as u16;
                let Some(sample) = set.sample(form, &mut rng) else { continue };
                let flips = (0..n % 3).fold(0, |all, _| all | 1 << (rng.next() & 63));
                let mut word = sample.word.0[0] ^ flips;
                for _ in 0..4 {
                    word = renumbered(word, form, generation, &mut rng);
                    let Some(inst) = decode(word, generation) else { continue };
                    let found = is_exact(&inst, generation);
                    assert_eq!(exact.of(&inst), found, "{word:016x} of generation {generation}");
                    judged[usize::from(found)] += 1;
                }
            }
            assert!(judged.iter().all(|&count| count > 500), "{judged:?}");
        }
    }
}
