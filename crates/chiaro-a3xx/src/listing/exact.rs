//! Which words the text of an instruction brings back, found out once for words that differ only in the numbers of
//! ordinary registers: no rule looks at those, and the first 240 scalars are encoded alike.

use std::collections::BTreeMap;

use chiaro_isa::{Field, Inst, Role, Value};

use super::is_exact;
use crate::isa;
use crate::regs::file;

/// Scalars before those that have a meaning of their own: address registers, predicates.
const ORDINARY: u16 = 0xf0;
/// The bits of a register's number in an operand.
const NUMBER: u64 = 0xff;
/// Bits of the shortest operand that holds a register's number.
const SHORTEST: u8 = 8;

/// What is known of the words of a listing.
pub(super) struct Exact {
    generation: u8,
    /// By form and by the word without numbers of registers.
    known: BTreeMap<(u16, u64), bool>,
    /// By form: its operands that may be registers.
    operands: BTreeMap<u16, Vec<&'static Field>>,
}

impl Exact {
    /// Nothing is known yet.
    pub(super) fn new(generation: u8) -> Exact {
        Exact { generation, known: BTreeMap::new(), operands: BTreeMap::new() }
    }

    /// As [`is_exact`].
    pub(super) fn of(&mut self, inst: &Inst) -> bool {
        let key = (inst.form, inst.word.0[0] & !self.numbers(inst));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let exact = is_exact(inst, self.generation);
        self.known.insert(key, exact);
        exact
    }

    /// The bits that hold numbers of ordinary registers.
    fn numbers(&mut self, inst: &Inst) -> u64 {
        let isa = isa::isa(self.generation);
        let operands = self.operands.entry(inst.form).or_insert_with(|| {
            let fields = isa.form(inst).format.fields.iter();
            fields.filter(|f| matches!(f.role, Role::Def | Role::Use) && f.bits.width() >= SHORTEST).collect()
        });
        let cx = isa.cx();
        let of = |field: &&&'static Field| {
            let value = field.kind.decode(field.bits.gather(&inst.word), &cx);
            let r = value.and_then(Value::reg)?;
            let ordinary = matches!(r.file, file::GPR | file::CONST) && r.index < ORDINARY;
            ordinary.then(|| field.bits.scatter(NUMBER).0[0])
        };
        operands.iter().filter_map(|field| of(&field)).fold(0, |all, bits| all | bits)
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
