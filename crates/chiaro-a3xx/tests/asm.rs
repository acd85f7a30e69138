//! The assembler: what it refuses and where, what it reads, and that text comes back.

use chiaro_a3xx::asm::{self, Header, Options};
use chiaro_a3xx::isa;
use chiaro_a3xx::listing::pgmdump::{self, Options as Dump};
use chiaro_a3xx::listing::{self, Style, mesa};
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::{Out, Rng};

fn assemble(text: &str, options: Options) -> (SourceMap, Result<asm::Program, Vec<Diagnostic>>) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.ir3", text);
    let result = asm::assemble(file, text, options).map(|(program, _)| program);
    (sources, result)
}

/// Rows: line, text at fault, a piece of the message. Existing assemblers change each of these
/// lines in silence or write words that the hardware cannot run.
#[test]
fn silent_corruptions_are_errors_with_their_place() {
    let rows = include_str!("asm/refused.tsv").lines().filter(|l| !l.starts_with('#'));
    for row in rows {
        let [line, fault, message] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let text = format!("nop\n  {line}\nend\n");
        let (sources, result) = assemble(&text, Options::default());
        let errors = result.expect_err(line);
        assert_eq!(errors.len(), 1, "{line}: {errors:?}");
        let said = format!("{} {}", errors[0].message, errors[0].help.join(" "));
        assert!(said.contains(message), "{line}: {said}");
        let span = errors[0].span.expect("a place");
        assert_eq!(sources.slice(span), fault, "{line}");
        let place = sources.locate(span).start;
        assert_eq!((place.line, place.column), (2, 3 + line.find(fault).unwrap_or(0) as u32), "{line}");
    }
}

#[test]
fn labels_headers_and_raw_words() {
    let text = "@in(r0.x)\n@const(c4.x) 0x3f800000, -1, 2.5\nstart:\n(rpt5)nop ; six slots\nbr !p0.x, #start\n\
                .word 0x03000000_00000000\n";
    let program = assemble(text, Options::default()).1.expect("right");
    assert_eq!(program.words, [0x0000_0500_0000_0000, 0x0090_0000_ffff_ffff, 0x0300_0000_0000_0000]);
    assert_eq!(program.headers[1], Header::Const(16, vec![0x3f80_0000, u32::MAX, 0x4020_0000]));
    assert_eq!(program.labels["start"], 0);
    assert_eq!(program.image().len(), 7);
    for wrong in ["a:\na:\nend\n", "br p0.x, #nowhere\n", "@const(c512.x) 1\n", "@nothing\n", "add.f r0.x,\n"]
    {
        assert!(assemble(wrong, Options::default()).1.is_err(), "{wrong}");
    }
}

#[test]
fn later_generations_are_named() {
    let (_, result) = assemble("getone #3\n", Options::default());
    let errors = result.expect_err("A3xx has none");
    assert!(errors[0].help.iter().any(|n| n.contains("5xx, 6xx")), "{errors:?}");
    assert!(assemble("getone #3\n", Options { generation: 2, ..Options::default() }).1.is_ok());
}

/// The listing of the early wiki page, as pgmdump prints it.
const SEED: [u64; 7] = [
    0x5730_5b00_0000_2000,
    0x4730_4b04_0000_2004,
    0x4008_0b04_0004_4000,
    0x4730_c808_0000_2008,
    0x0000_0200_0000_0000,
    0x6302_0300_2000_8008,
    0x0300_0000_0000_0000,
];

#[test]
fn the_seed_listing_is_printed_byte_for_byte_and_read() {
    let plain = pgmdump::listing(&SEED, Dump::default());
    assert_eq!(plain, include_str!("listing/seed.txt"));
    let expanded = pgmdump::listing(&SEED, Dump { expand: true, ..Dump::default() });
    assert_eq!(expanded, include_str!("listing/seed-expanded.txt"));
    for text in [plain, expanded] {
        let options = Options { dialect: 1, ..Options::default() };
        assert_eq!(assemble(&text, options).1.expect("right").words, SEED);
    }
}

/// What is decoded is printed, and the listing assembles to the same words whatever they are.
#[test]
fn random_words_come_back() {
    let mut rng = Rng(300);
    let isa = isa::a3xx();
    let mut words = Vec::new();
    for n in 0..100_000u64 {
        let form = (n % isa.forms.len() as u64) as u16;
        let (mask, value) = isa.pattern(form);
        let random = rng.next();
        let word = if n % 4 == 0 { random } else { random & !mask.0[0] | value.0[0] };
        words.push(word);
        let mut out = Out::default();
        for (dialect, compat) in [(0, false), (0, true), (1, false), (2, false)] {
            listing::line(word, Style { dialect, compat, ..Style::default() }, &mut out);
        }
    }
    words.push(SEED[6]);
    let text = mesa::listing(&words, Style::default());
    let program = assemble(&text, Options::default()).1.unwrap_or_else(|e| panic!("{:?}", &e[0]));
    let first = words.iter().zip(&program.words).position(|(a, b)| a != b);
    assert_eq!(first.map(|i| format!("{:016x}", words[i])), None);
    assert_eq!(program.words.len(), words.len());
}
