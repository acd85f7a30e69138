//! The assembler and the listings: each is the other's inverse, and mistakes have a place and advice.

use chiaro_agx::asm::{Options, Program, assemble};
use chiaro_agx::isa::isa;
use chiaro_agx::listing::{self, Lister, Style};
use chiaro_agx::operand::{APPLEGPU, OURS};
use chiaro_diag::{Diagnostic, Printer, SourceMap};
use chiaro_isa::{Out, Rng};

fn assembled(text: &str, dialect: u8) -> Result<(Program, String), String> {
    let mut sources = SourceMap::new();
    let file = sources.add("test.agx", text);
    let told = |all: &[Diagnostic]| Printer::plain().print(all, &sources);
    match assemble(file, text, Options { dialect, ..Options::default() }) {
        Ok((program, warnings)) => Ok((program, told(&warnings))),
        Err(errors) => Err(told(&errors)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal")).collect()
}

/// Spec 15: the sample loop around an empty body.
const LOOP: &str = "6200000062040100 0e04002084000000 522c42f00000 00c0f2ffffff 520e00000000 8800 0800";

#[test]
fn a_loop_has_labels_and_comes_back() {
    let code = bytes(&LOOP.replace(' ', ""));
    let text = listing::code(&code, Style::default());
    let want = [
        "  mov_imm r0l, 0",
        "  mov_imm r1l, 1",
        "L0:",
        "  iadd r1l, 0, r1l, lsl 1",
        "  while_icmp r0l, ult, r1l, 15, 1",
        "  jmp_exec_any L0",
        "  pop_exec r0l, 1",
        "  stop",
        "  trap",
    ]
    .join("\n")
        + "\n";
    assert_eq!(text, want);
    let (program, warnings) = assembled(&text, OURS).expect("valid");
    assert_eq!((hex(&program.bytes), warnings.as_str()), (hex(&code), ""));
    assert_eq!(program.labels["L0"], 8);
}

/// Indices have a sign; applegpu writes those below zero as numbers of 16 bits.
#[test]
fn indices_of_16_bits_are_read_with_and_without_a_sign() {
    let of = |index: &str| {
        let text = format!("device_load 0, i32, x, r1, u0_u1, {index}, signed\nwait 0\nstop");
        assembled(&text, OURS).map(|(program, _)| hex(&program.bytes))
    };
    for (number, signed) in [("0xffff", "-1"), ("0x8000", "-32768"), ("65534", "-2")] {
        assert_eq!(of(number).expect("valid"), of(signed).expect("valid"), "{number}");
    }
    assert_ne!(of("32767"), of("-1"));
    let beyond = of("65536").expect_err("too large");
    assert!(beyond.contains("an index is -32768 to 32767"), "{beyond}");
}

#[test]
fn applegpu_listings_have_columns_and_addresses() {
    let code = bytes("380000c0feffffff");
    let style = Style { dialect: APPLEGPU, columns: true, ..Style::default() };
    let text = listing::code(&code, style);
    assert_eq!(
        text,
        "     0: 3800                 wait            0\n     2: 00c0feffffff         jmp_exec_any    0x0\n"
    );
    assert_eq!(assembled(&text, APPLEGPU).map(|(p, _)| hex(&p.bytes)), Ok(hex(&code)));
}

/// Any bytes are listed and come back, whatever they are.
#[test]
fn random_bytes_come_back() {
    let mut rng = Rng(5);
    for _ in 0..2_000 {
        let code: Vec<u8> = (0..rng.below(64)).map(|_| rng.next() as u8).collect();
        for columns in [false, true] {
            let text = listing::code(&code, Style { columns, ..Style::default() });
            let (program, warnings) = assembled(&text, OURS).unwrap_or_else(|e| panic!("{text}\n{e}"));
            assert_eq!((hex(&program.bytes), warnings.as_str()), (hex(&code), ""), "{text}");
        }
    }
}

/// A listing is the same whether all is found at once or labels and text apart.
#[test]
fn a_listing_at_once_is_no_other() {
    let (isa, mut rng, lister) = (isa(0), Rng(6), Lister::new(Style::default()));
    let mut labels = 0;
    for _ in 0..500 {
        let forms = (0..12).map(|_| rng.below(isa.forms.len()) as u16).collect::<Vec<_>>();
        let mut code = Vec::new();
        for inst in forms.into_iter().filter_map(|form| isa.sample(form, &mut rng)) {
            code.extend_from_slice(&inst.to_bytes()[..usize::from(inst.length)]);
        }
        // A branch back over something.
        code.extend_from_slice(&bytes("00c0f6ffffff"));
        let (mut at_once, mut apart) = (Out::default(), Out::default());
        lister.listing(&code, &mut at_once);
        let known = lister.labels(&code);
        lister.print(&code, &known, &mut apart);
        assert_eq!(at_once.as_str(), apart.as_str());
        labels += known.len();
    }
    assert!(labels > 50, "{labels}");
}

#[test]
fn both_spellings_of_unexplained_names_are_read() {
    for dialect in [OURS, APPLEGPU] {
        let made = |text: &str| assembled(text, dialect).map(|(p, _)| hex(&p.bytes));
        assert_eq!(made("TODO.sr_thing r0, sr5"), made("sr_thing r0, sr5"));
        assert_eq!(made("ldcf r0_r1_r2, cf3"), made("TODO.ldcf r0_r1_r2, cf3"));
        assert_eq!(made("fadd32 $r1, r2, r3"), made("fadd32 r1.cache, r2, r3"));
        assert_eq!(made("wait 0; wait 1"), Ok("38003801".to_owned()));
    }
}

/// What is wrong, and what would do: the first line of the message and the help.
#[test]
fn mistakes_have_a_place_and_advice() {
    let cases = [
        ("fad32 r0, r1, r2", "did you mean `fadd32`?"),
        ("fadd32 u0, r1, r2", "D cannot be this operand"),
        ("fadd32 r0, r200, r2", "general registers are r0 to r127"),
        ("iadd r0, r1, 300", "an immediate is 0 to 255; load others with mov_imm"),
        ("fadd32 r0, r1, 0.3", "no immediate has this value"),
        ("jmp_exec_any nowhere", "there is no label `nowhere`"),
        ("a: stop\na: stop", "the label `a` stands here a second time"),
        ("icmpsel nueq, r0, r1, r2, r3, r4", "exchange its last two operands"),
        ("icmpsel ueq, r0, r1, r2, r3l, r4", "X has 16 bits, D has 32 bits"),
        (
            "device_load 0, i32, xyz, r0_r1, u0_u1, 0, unsigned",
            "R has its number of registers, mask asks for another number",
        ),
        ("device_load 0, i32, x, r0, u0, 0, unsigned", "an address is in two registers"),
        ("bfi r0, 0, r1, 3, mask 0x5", "a mask is a run of ones from bit 0 on"),
        (".half 12", "`.half` takes 4 hexadecimal digits"),
        (".word 1234", "there is no directive `.word`"),
        ("wait 0 wait 1", "there are too many operands"),
    ];
    let far = format!("jmp_incomplete far\n{}far: stop", "mov_imm r0, 1, 0b0\n".repeat(22));
    let far = (far.as_str(), "`far` is 136 bytes away, which this jump does not reach");
    for (text, want) in cases.into_iter().chain([far]) {
        let told = assembled(text, OURS).map(|(p, _)| hex(&p.bytes)).expect_err(text);
        assert!(told.contains(want), "{text}: {told}");
        assert!(told.contains("test.agx:"), "{text} has no place: {told}");
    }
}

/// A listing whose bytes are not those of the text.
#[test]
fn a_listing_that_disagrees_is_told() {
    let (program, warnings) = assembled("     0: 3801  wait 0\n", OURS).expect("valid");
    assert_eq!(hex(&program.bytes), "3800");
    assert!(warnings.contains("the text is 3800, but the listing has 3801"), "{warnings}");
}
