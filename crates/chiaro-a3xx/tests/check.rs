//! The rules over words: planted faults are found, what is right is not refused.
//!
//! The distances stand in `check/distances.tsv`, written from the specification apart from
//! the checker's own numbers, so that a wrong number cannot agree with itself.

use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::check::check;
use chiaro_a3xx::check::rules::ALL;
use chiaro_diag::{Printer, SourceMap};

fn program(text: &str) -> Vec<u64> {
    let mut sources = SourceMap::new();
    let file = sources.add("test", text);
    match asm::assemble(file, text, Options { compat: true, ..Options::default() }) {
        Ok((program, _)) => program.image(),
        Err(errors) => panic!("{}", Printer::plain().print(&errors, &sources)),
    }
}

fn found(text: &str) -> Vec<&'static str> {
    let mut rules: Vec<_> = check(&program(text), 0, None).iter().map(|f| f.rule.id).collect();
    rules.dedup();
    rules
}

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split('\t').collect())
}

#[test]
fn distances_are_those_of_the_specification() {
    for row in rows(include_str!("check/distances.tsv")) {
        let [producer, consumer, slots] = row[..] else { panic!("{row:?}") };
        let slots: u32 = slots.parse().expect("a number");
        let with = |nops: u32| {
            let nops = "nop\n".repeat(nops as usize);
            format!("{producer}\n{nops}{consumer}\n(ss)(sy)nop\nend\n")
        };
        let right = found(&with(slots));
        assert!(!right.contains(&"delay"), "{producer} | {consumer}: {slots} slots are refused");
        if slots > 0 {
            let wrong = found(&with(slots - 1));
            assert!(wrong.contains(&"delay"), "{producer} | {consumer}: {} slots are accepted", slots - 1);
        }
    }
}

#[test]
fn planted_faults_are_found() {
    for row in rows(include_str!("check/programs.tsv")) {
        let (&[expected, text] | &[expected, text, _]) = &row[..] else { panic!("{row:?}") };
        let expected: Vec<&str> = expected.split(' ').filter(|rule| *rule != "-").collect();
        let text = text.replace(" | ", "\n");
        assert_eq!(found(&text), expected, "{text}");
        if let Some(told) = row.get(2) {
            let message = &check(&program(&text), 0, None)[0].message;
            assert!(message.contains(told), "`{message}` lacks `{told}`");
        }
    }
}

#[test]
fn padding_and_unknown_words() {
    let whole = program("end\n");
    assert_eq!(check(&whole, 0, None), []);
    let short = check(&whole[..4], 0, None);
    assert_eq!(short.iter().map(|f| f.rule.id).collect::<Vec<_>>(), ["padding"]);
    let unknown = [vec![0xffff_ffff_ffff_ffff], whole].concat();
    assert!(check(&unknown, 0, None).iter().any(|f| f.rule.id == "unknown-word" && f.at == Some(0)));
    assert!(check(&[], 0, None).iter().any(|f| f.rule.id == "end"));
}

/// No ALU instruction of two sources reads two constants: the bits of one that reads each of them.
#[test]
fn operands_that_no_hardware_runs() {
    let [first, second] = ["add.f r0.x, c1.x, r0.x\nend\n", "add.f r0.x, r0.x, c1.x\nend\n"].map(program);
    let mut both = first.clone();
    both[0] |= second[0];
    let rules: Vec<_> = check(&both, 0, None).iter().map(|f| f.rule.id).collect();
    assert_eq!((found("add.f r0.x, c1.x, r0.x\nend\n"), rules), (vec![], vec!["legality"]));
}

/// A rule without a program that breaks it could be lost without anybody seeing it.
#[test]
fn every_rule_has_a_wrong_program() {
    let data: Vec<&str> =
        rows(include_str!("check/programs.tsv")).flat_map(|row| row[0].split(' ')).collect();
    // These have tests above: no text says them.
    let elsewhere = ["unknown-word", "legality", "padding"];
    let has = |id: &str| data.contains(&id) || elsewhere.contains(&id);
    let missing: Vec<&str> = ALL.iter().map(|rule| rule.id).filter(|id| !has(id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn outputs_on_their_way_are_lost_at_the_end() {
    let words = program("sam (f32)(xyzw)r0.x, r4.x, s#0, t#0\nend\n");
    assert_eq!(check(&words, 0, None), []);
    let lost = check(&words, 0, Some(&[0, 1, 2, 3]));
    assert_eq!(lost[0].rule.id, "sy");
    let words = program("sam (f32)(xyzw)r0.x, r4.x, s#0, t#0\n(sy)end\n");
    assert_eq!(check(&words, 0, Some(&[0, 1, 2, 3])), []);
}
