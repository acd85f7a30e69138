//! Wrong programs that the checker must refuse, and right ones beside them that it must accept; contracts
//! of parts and links that do not fit.

use chiaro_agx::asm::{self, Options};
use chiaro_agx::check::contract::{Contract, Program, link};
use chiaro_agx::check::flags::{Standing, flags};
use chiaro_agx::check::rules::ALL;
use chiaro_agx::check::{Config, Piece, Stage, check};
use chiaro_diag::SourceMap;

fn code(text: &str) -> Vec<u8> {
    let text = text.replace("; ", "\n") + "\n";
    let mut sources = SourceMap::default();
    let file = sources.add("test", text.as_str());
    asm::assemble(file, &text, Options::default()).unwrap_or_else(|e| panic!("{text}: {e:?}")).0.bytes
}

const STOP: &str = "; stop; trap; trap; trap; trap; trap; trap; trap; trap";

/// A file of cases: `rule: program`, or `ok: program`; what stands in brackets before it is the piece and
/// stage. A rule that is broken twice is named twice.
#[test]
fn what_is_wrong_is_found_and_nothing_else() {
    let mut seen = Vec::new();
    for line in
        include_str!("check/programs.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (wanted, text) = line.split_once(": ").expect("rule: program");
        let (config, text) = configured(text);
        let text = if config.piece == Piece::Program && !text.contains("stop") && wanted != "end" {
            format!("{text}{STOP}")
        } else {
            text.to_owned()
        };
        let found: Vec<&str> = check(&code(&text), &config).iter().map(|finding| finding.rule.id).collect();
        let wanted: Vec<&str> = wanted.split(' ').filter(|word| *word != "ok").collect();
        assert_eq!(found, wanted, "{line}");
        seen.extend(wanted);
    }
    let missing: Vec<&str> = ALL.iter().map(|rule| rule.id).filter(|id| !seen.contains(id)).collect();
    assert_eq!(missing, [""; 0], "rules without a wrong program");
}

fn configured(text: &str) -> (Config, &str) {
    let mut config = Config::default();
    let Some((words, text)) = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")) else {
        return (config, text);
    };
    for word in words.split(' ') {
        match word {
            "open" => config.piece = Piece::Open,
            "last" => config.piece = Piece::Last,
            "middle" => config.piece = Piece::Middle,
            "vertex" => config.stage = Stage::Vertex,
            "fragment" => config.stage = Stage::Fragment,
            "compute" => config.stage = Stage::Compute,
            "preamble" => config.stage = Stage::Preamble,
            "done" => config.holds_sources = true,
            "sampled" => config.sample_shading = true,
            halves => config.halves = Some(halves.parse().expect("halves")),
        }
    }
    (config, text)
}

fn contract(text: &str) -> Contract {
    Contract::of(&code(text), 0)
}

fn needs(text: &str) -> Vec<u16> {
    contract(text).needs().collect()
}

#[test]
fn contracts_follow_the_mask() {
    assert_eq!(needs("iadd r2, r3, r4l"), [6, 7, 8]);
    // Both sides write it, or one.
    let both = "mov_imm r0l, 0; if_icmp r0l, ueq, 1, 2, 1; mov_imm r2l, 1; else_exec r0l, 1; mov_imm r2l, 2; pop_exec r0l, 1";
    assert!(contract(both).leaves(4));
    let one = "mov_imm r0l, 0; if_icmp r0l, ueq, 1, 2, 1; mov_imm r2l, 1; pop_exec r0l, 1";
    assert!(!contract(one).leaves(4) && contract(one).changes(4));
    // What the first side writes, the other one does not have.
    let other = "mov_imm r0l, 0; if_icmp r0l, ueq, 1, 2, 1; mov_imm r2l, 1; else_exec r0l, 1; mov r3l, r2l; pop_exec r0l, 1";
    assert_eq!(needs(other), [4]);
    // A loop that is left with r2l written on its only way out, and one that is also left without.
    let leave = "if_icmp r0l, ueq, 1, 2, 1; mov_imm r2l, 1; mov_imm r0l, 2; pop_exec r0l, 0; pop_exec r0l, 1";
    let looped = format!("mov_imm r0l, 0; top:; {leave}; jmp_exec_any top; pop_exec r0l, 1");
    assert!(contract(&looped).leaves(4));
    let also = "if_icmp r0l, ueq, 3, 4, 1; mov_imm r0l, 2; pop_exec r0l, 0; pop_exec r0l, 1";
    let looped = format!("mov_imm r0l, 0; top:; {also}; {leave}; jmp_exec_any top; pop_exec r0l, 1");
    assert!(!contract(&looped).leaves(4));
}

/// `if` with two levels is a block around an `if`: who leaves the block meets the others behind it.
#[test]
fn contracts_count_levels() {
    let block = |rest: &str| {
        format!(
            "mov_imm r0l, 0; if_icmp r0l, ueq, r4, 0, 1; mov_imm r2l, 0; else_exec r0l, 1; \
             if_icmp r0l, ueq, r5, 0, 2; mov_imm r2l, 1; mov_imm r0l, 2; pop_exec r0l, 1; {rest}; pop_exec r0l, 1; \
             pop_exec r0l, 1"
        )
    };
    assert!(contract(&block("mov_imm r2l, 2")).leaves(4));
    assert!(!contract(&block("mov_imm r3l, 2")).leaves(4));
    // What is written behind the inner `if` counts, and not before it.
    let nested =
        "if_icmp r0l, ueq, r6, 0, 1; mov_imm r2l, 3; mov_imm r0l, 2; pop_exec r0l, 1; mov_imm r2l, 2";
    assert!(contract(&block(nested)).leaves(4));
    let early = "if_icmp r0l, ueq, r6, 0, 1; mov_imm r0l, 2; pop_exec r0l, 1; mov_imm r2l, 2";
    assert!(!contract(&block(early)).leaves(4));
}

/// Lanes without samples leave nothing that anybody misses; those with some do.
#[test]
fn contracts_know_who_is_dead() {
    let killed = |kill: &str| {
        let text = "mov_imm r0l, 0; if_icmp r0l, ueq, r4, 0, 1; mov_imm r2l, 1; else_exec r0l, 1";
        contract(&format!("{text}; {kill}; pop_exec r0l, 1; mov r3l, r2l")).needs().collect::<Vec<_>>()
    };
    assert_eq!(killed("sample_mask 255, 0"), [8, 9]);
    assert_eq!(killed("sample_mask 1, 0"), [8, 9, 4]);
    // Those of a sample are what the part was given, unless it has written them itself.
    assert_eq!(killed("sample_mask r1l, 0"), [8, 9, 2]);
    assert_eq!(killed("mov_imm r1l, 1; sample_mask r1l, 0"), [8, 9, 4]);
    assert_eq!(killed("sample_mask r6l, 0"), [8, 9, 12, 4]);
    // They read what they have not written themselves all the same.
    assert_eq!(killed("sample_mask 255, 0; mov r5l, r2l"), [8, 9, 4]);
}

#[test]
fn contracts_tell_what_else_is_touched() {
    let all = contract(
        "stack_adjust 12; fadd32 r2, u3, 1.0; iterproj r4, cf5, cf0, center, 0b0, 0, 0, 0, 0, 0; zs_emit 255, r2l_r2h, 0; stack_adjust -12",
    );
    assert_eq!((all.uniforms, all.coefficients), (vec![6, 7], vec![0, 5]));
    assert_eq!((all.stack, all.tests, all.writes_depth, all.stops), (12, true, true, false));
    assert_eq!(contract("iadd r2, r3, r4l").halves, 9);
    assert_eq!(contract("stack_adjust 4660; stack_adjust -4660").stack, 4660);
}

#[test]
fn links_that_do_not_fit_are_told() {
    let breaches = |program, prolog: &str, main: &str, epilog: &str| -> Vec<String> {
        let parts = [prolog, main, epilog].map(|text| (!text.is_empty()).then(|| contract(text)));
        let [prolog, main, epilog] = &parts;
        let found = link(program, prolog.as_ref(), main.as_ref().expect("a main part"), epilog.as_ref());
        found.iter().map(ToString::to_string).collect()
    };
    let fragment = Program::Fragment { sample_shading: false };
    let sampled = Program::Fragment { sample_shading: true };
    let color = "mov_imm r4l, 0; mov_imm r4h, 0";
    let store = "mov r0, r4";
    assert_eq!(breaches(fragment, "", color, store), [""; 0]);
    // A half of the colour is missing.
    let missing = ["epilog, byte 0x0: r4h: it is read, and no part before has written it"];
    assert_eq!(breaches(fragment, "", "mov_imm r4l, 0", store), missing);
    // What a prolog of fragments leaves is nobody's.
    let lost = ["main, byte 0x0: r4: it is read, and no part before has written it"];
    assert_eq!(breaches(fragment, color, store, ""), lost);
    // The hardware has the IDs of vertices ready, but for those that are computed.
    assert_eq!(breaches(Program::Vertex, "mov r16, r5", "mov r0, r16", ""), [""; 0]);
    assert_eq!(breaches(Program::SoftwareVertex, "mov r16, r5", "mov r0, r16", "").len(), 1);
    // The mask of samples is kept, and is there only then.
    assert_eq!(breaches(sampled, "", "mov r4l, r1l", "mov r0, r4").len(), 1);
    assert_eq!(breaches(sampled, "", "mov r4l, r1l", "mov r2l, r4l"), [""; 0]);
    assert_eq!(breaches(fragment, "", "mov r4l, r1l", "mov r2l, r4l").len(), 1);
    let kept = ["main: r1l: the mask of samples is to be preserved"];
    assert_eq!(breaches(sampled, "", "mov_imm r1l, 1", ""), kept);
    // A part stops, and others follow; samples are killed behind depth.
    assert_eq!(breaches(fragment, "", "stop", color), ["main: it stops, and an epilog follows"]);
    let depth = "mov_imm r2, 0, 0b0; wait_pix 1, 0; zs_emit 255, r2l_r2h, 0";
    assert_eq!(breaches(fragment, "", depth, "sample_mask 1, 0").len(), 1);
    assert_eq!(breaches(fragment, "", depth, "mov_imm r2l, 1"), [""; 0]);
    assert_eq!(breaches(fragment, "", "mov_imm r2l, 1", "sample_mask 1, 0"), [""; 0]);
    // Halves of two registers are told apart, as are those that two instructions read.
    let [first, second] = ["r3h", "r4l"]
        .map(|half| format!("epilog, byte 0x0: {half}: it is read, and no part before has written it"));
    assert_eq!(breaches(fragment, "", "mov_imm r3l, 0", "fadd16 r0l, r3h, r4l"), [first, second]);
    assert_eq!(breaches(fragment, "", "mov_imm r3l, 0", "mov r0l, r4l; mov r1l, r4h").len(), 2);
}

/// What other pixels are asked for, and what is written, by the place of the code: flags of the hardware.
#[test]
fn flags_are_those_of_the_code() {
    let of = |text: &str, is_fragment, is_main| flags(&code(text), 0, Standing { is_fragment, is_main });
    for text in ["dfdx r2, r3", "quad_and r2, r3"] {
        assert!(of(text, true, true).disable_tri_merging, "{text}");
        assert!(!of(text, true, false).disable_tri_merging, "{text}: the driver's own");
        assert!(!of(text, false, true).disable_tri_merging, "{text}: no fragment");
    }
    assert!(!of("mov_imm r2, 1, 0b0", true, true).disable_tri_merging);
    // Levels that the hardware chooses look at neighbours, levels that are given do not.
    let sample = |level: &str| {
        let states = "None, ts0, ss1, tex_2d, r0_r1";
        of(
            &format!("texture_sample 0, 0b1100, 0b0, none, xyzw, 0b00, r6_r7_r8_r9, {states}, {level}"),
            true,
            true,
        )
    };
    assert!(sample("auto_lod, 0").disable_tri_merging && !sample("lod_min, u8l").disable_tri_merging);
    let fetch = "texture_load 0, 0b1100, 0b0, none, xyzw, 0b00, r6_r7_r8_r9, None, ts0, ss0, tex_2d, r0_r1, lod_min, u8l";
    let fetched = of(&format!("{fetch}; mov_imm r2, 1, 0b0"), true, true);
    assert!(fetched.uses_txf && !fetched.disable_tri_merging && !sample("auto_lod, 0").uses_txf);
    let store = "wait_pix 12, 0; st_tile r4, i32, 0, x, 0, 255, 0";
    let mask = "wait_pix 1, 0; sample_mask 255, 255";
    let written = |text: &str| {
        let found = of(text, true, true);
        (found.tag_write_disable, found.writes_sample_mask, found.reads_tib)
    };
    assert_eq!(written("mov_imm r2, 1, 0b0"), (true, false, false));
    assert_eq!(written(store), (false, false, false));
    assert_eq!(written(mask), (false, true, false));
    assert_eq!(written("wait_pix 8, 0; ld_tile r4, i32, 1, x, 0, 255, 0"), (true, false, true));
    assert!(!of("mov_imm r2, 1, 0b0", false, true).tag_write_disable);
}

/// Whatever the bytes are, checking them ends.
#[test]
fn any_bytes_are_checked() {
    let mut state = 7u64;
    for length in 0..400 {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            bytes.extend_from_slice(&state.to_be_bytes());
        }
        bytes.truncate(length);
        check(&bytes, &Config::default());
        let _ = Contract::of(&bytes, 1);
    }
}
