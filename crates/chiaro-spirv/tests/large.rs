//! Modules that are large in one way: time stays in proportion, the stack is not exhausted.

use chiaro_diag::SourceMap;
use chiaro_spirv::{MAGIC, Options, ReadError, Reading, read};
use spirv::Op;
use std::time::{Duration, Instant};

/// A module with one compute shader whose blocks are still to come.
struct Text {
    words: Vec<u32>,
    next: u32,
}

const VOID: u32 = 1;
const SIGNATURE: u32 = 2;
const BOOL: u32 = 3;
const INT: u32 = 4;
const TRUE: u32 = 5;
const ONE: u32 = 6;
const MAIN: u32 = 7;

impl Text {
    fn new() -> Text {
        let mut text = Text { words: vec![MAGIC, 0x0001_0000, 0, 0, 0], next: 8 };
        text.put(Op::EntryPoint, &[5, MAIN, u32::from_le_bytes(*b"main"), 0]);
        text.put(Op::TypeVoid, &[VOID]);
        text.put(Op::TypeFunction, &[SIGNATURE, VOID]);
        text.put(Op::TypeBool, &[BOOL]);
        text.put(Op::TypeInt, &[INT, 32, 0]);
        text.put(Op::ConstantTrue, &[BOOL, TRUE]);
        text.put(Op::Constant, &[INT, ONE, 1]);
        text.put(Op::Function, &[VOID, MAIN, 0, SIGNATURE]);
        text
    }

    fn put(&mut self, op: Op, operands: &[u32]) {
        self.words.push((operands.len() as u32 + 1) << 16 | op as u32);
        self.words.extend_from_slice(operands);
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn label(&mut self) -> u32 {
        let label = self.id();
        self.put(Op::Label, &[label]);
        label
    }

    fn read(mut self) -> (Result<Reading, ReadError>, Duration) {
        self.put(Op::FunctionEnd, &[]);
        self.words[3] = self.next;
        let start = Instant::now();
        let reading = read(&self.words, &Options::default(), &mut SourceMap::new());
        if let Ok(reading) = &reading {
            chiaro_ir::verify(&reading.module).expect("a sound module");
        }
        (reading, start.elapsed())
    }
}

#[test]
fn a_loop_with_twenty_thousand_breaks() {
    let mut text = Text::new();
    text.label();
    let (head, merge, next) = (text.id(), text.id(), text.id());
    text.put(Op::Branch, &[head]);
    text.put(Op::Label, &[head]);
    text.put(Op::LoopMerge, &[merge, next, 0]);
    for _ in 0..20_000 {
        let on = text.id();
        text.put(Op::BranchConditional, &[TRUE, merge, on]);
        text.put(Op::Label, &[on]);
    }
    text.put(Op::Branch, &[next]);
    text.put(Op::Label, &[next]);
    text.put(Op::Branch, &[head]);
    text.put(Op::Label, &[merge]);
    text.put(Op::Return, &[]);
    let (reading, time) = text.read();
    reading.expect("a module");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn a_switch_with_twenty_thousand_cases_that_meet_in_a_phi() {
    let mut text = Text::new();
    let first = text.label();
    let merge = text.id();
    let cases: Vec<u32> = (0..20_000).map(|_| text.id()).collect();
    text.put(Op::SelectionMerge, &[merge, 0]);
    let pairs: Vec<u32> = [ONE, merge].into_iter().chain(cases.iter().flat_map(|&c| [c, c])).collect();
    text.put(Op::Switch, &pairs);
    for &case in &cases {
        text.put(Op::Label, &[case]);
        text.put(Op::Branch, &[merge]);
    }
    text.put(Op::Label, &[merge]);
    let phi = text.id();
    let operands: Vec<u32> =
        [INT, phi, ONE, first].into_iter().chain(cases.iter().flat_map(|&c| [ONE, c])).collect();
    text.put(Op::Phi, &operands);
    text.put(Op::Return, &[]);
    let (reading, time) = text.read();
    reading.expect("a module");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

/// Selections inside of selections, so many.
fn nest(depth: u32) -> Text {
    let mut text = Text::new();
    text.label();
    let mut merges = Vec::new();
    for _ in 0..depth {
        let (then, merge) = (text.id(), text.id());
        text.put(Op::SelectionMerge, &[merge, 0]);
        text.put(Op::BranchConditional, &[TRUE, then, merge]);
        text.put(Op::Label, &[then]);
        merges.push(merge);
    }
    while let Some(merge) = merges.pop() {
        text.put(Op::Branch, &[merge]);
        text.put(Op::Label, &[merge]);
    }
    text.put(Op::Return, &[]);
    text
}

#[test]
fn nests_are_read_up_to_a_limit() {
    nest(1000).read().0.expect("a module");
    let (reading, time) = nest(100_000).read();
    assert_eq!(reading.expect_err("too deep").what, "control flow nests deeper than 1023");
    assert!(time < Duration::from_secs(5), "{time:?}");
}

#[test]
fn types_nest_up_to_a_limit() {
    let mut text = Text::new();
    text.words.truncate(text.words.len() - 5);
    let mut inner = INT;
    for _ in 0..300 {
        let outer = text.id();
        text.put(Op::TypeStruct, &[outer, inner, inner]);
        inner = outer;
    }
    text.put(Op::Function, &[VOID, MAIN, 0, SIGNATURE]);
    assert_eq!(text.read().0.expect_err("too deep").what, "types nest deeper than 255");
}
