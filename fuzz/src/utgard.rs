//! Utgard GP: random words and damaged files.

use chiaro_isa::{Out, Rng};
use chiaro_utgard::asm::{self, instruction};
use chiaro_utgard::check::{Options, check};
use chiaro_utgard::container::Mbs;
use chiaro_utgard::isa::UTGARD_GP;
use chiaro_utgard::isa::word::{BYTES, FIELDS, Word};
use chiaro_utgard::listing::{exact, mesa, plain};
use chiaro_utgard::machine::{Config, Machine, Program};

use crate::subject::from_hex;

/// Files of the older open compiler, in hexadecimal.
const FILES: &str = include_str!("../../crates/chiaro-utgard/tests/vectors/mbs.jsonl");

/// A word: of random bits, or the idle one with a few fields changed.
pub fn words(_: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut word = Word(u128::from(rng.next()) | u128::from(rng.next()) << 64);
    if rng.below(2) == 0 {
        word = Word::IDLE;
        for _ in 0..rng.below(12) {
            let field = FIELDS[rng.below(FIELDS.len())];
            word = word.with(field, rng.next() as u32);
        }
    }
    word.to_bytes().to_vec()
}

/// Every word decodes; its text parses to the same bits, and its units encode to what they claim.
pub fn read_word(input: &[u8]) {
    let Some(&bytes) = input.first_chunk::<BYTES>() else { return };
    let word = Word::load(bytes);
    let mut out = Out::default();
    plain::print(word, &mut out);
    let again =
        instruction::parse(out.as_str()).unwrap_or_else(|error| panic!("`{}`: {error}", out.as_str()));
    assert_eq!(again, word, "`{}` parses to other bits", out.as_str());
    for isa in &UTGARD_GP.units {
        let Ok(inst) = isa.decode(&bytes) else { continue };
        let Some(values) = isa.values(&inst, &isa.cx()).all() else { continue };
        let made = isa.encode(inst.form, &values, &isa.cx()).expect("what decodes encodes");
        let claimed = isa.claimed(inst.form);
        assert!(made.word & claimed == inst.word & claimed, "{}: other bits", isa.set.name);
    }
}

/// Files to damage.
pub fn containers() -> Vec<Vec<u8>> {
    let mbs = |row: &str| Some(from_hex(row.split_once("\"mbs\":\"")?.1.split('"').next()?));
    FILES.lines().filter_map(mbs).collect()
}

/// What can be read is written back, listed so that it assembles to the same bytes, checked, and
/// run.
pub fn read_container(input: &[u8]) {
    let Ok(mbs) = Mbs::read(input) else { return };
    assert!(mbs.write() == input, "written back to other bytes");
    let text = exact::print(&mbs);
    match asm::parse(&text) {
        Ok(made) => assert!(made.bytes == input, "the listing assembles to other bytes"),
        Err(faults) => panic!("the listing does not assemble: {faults:?}"),
    }
    let program = mbs.program();
    let _ = (mesa::print(&program), check(&program, &Options::default()));
    let mut machine = Machine::new(Program::new(&program, &Config::default()).into());
    machine.fuel = 1000;
    machine.run(3);
}
