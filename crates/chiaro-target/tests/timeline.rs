//! The clock of one wave, pressure and causes on programs of a few instructions.

use chiaro_target::anatomy::{Anatomy, Cause, Instruction, Queue, Register, Steer, connect};
use chiaro_target::timeline::{Timeline, Wait, Why, shortest};

fn register(index: u16) -> Register {
    Register { file: 0, index, part: 0 }
}

/// An instruction of one slot on `unit` that reads and writes registers.
fn one(n: u32, unit: &'static str, reads: &[u16], writes: &[u16]) -> Instruction {
    Instruction {
        offset: 4 * n,
        units: vec![(unit, 1)],
        slots: 1,
        passes: 1,
        reads: reads.iter().copied().map(register).collect(),
        writes: writes.iter().copied().map(register).collect(),
        next: vec![n + 1],
        ..Instruction::default()
    }
}

fn anatomy(mut instructions: Vec<Instruction>) -> Anatomy {
    if let Some(last) = instructions.last_mut() {
        last.next.clear();
    }
    Anatomy { instructions, queues: vec![Queue { name: "vmcnt", is_memory: true }], ..Anatomy::default() }
}

#[test]
fn readers_wait_for_results_and_say_for_whose() {
    let mut first = one(0, "alu", &[], &[1]);
    first.result = 5;
    let timeline =
        Timeline::of(&anatomy(vec![first, one(1, "alu", &[2], &[3]), one(2, "alu", &[1], &[4])]), 1);
    let issues: Vec<u64> = timeline.events.iter().map(|event| event.issue).collect();
    assert_eq!(issues, [0, 1, 5]);
    let wait = Wait { why: Why::Dependency, cycles: 3, what: "result", on: Some(0) };
    assert_eq!(timeline.events[2].waits, [wait]);
    assert_eq!((timeline.cycles, timeline.critical), (6, vec![0, 2]));
}

#[test]
fn a_quick_result_behind_a_slow_one_does_not_come_before_it() {
    let mut slow = one(0, "alu", &[], &[1]);
    slow.result = 9;
    let all = vec![slow, one(1, "alu", &[], &[1]), one(2, "alu", &[1], &[2])];
    let timeline = Timeline::of(&anatomy(all), 1);
    let issues: Vec<u64> = timeline.events.iter().map(|event| event.issue).collect();
    assert_eq!(issues, [0, 1, 9]);
    assert_eq!(timeline.events[2].waits[0].on, Some(0));
}

#[test]
fn counters_units_and_branches_are_told_apart() {
    let mut load = one(0, "memory", &[], &[1]);
    load.enters = vec![(0, 100)];
    let mut slow = one(1, "complex", &[], &[2]);
    slow.units = vec![("complex", 8)];
    let again = one(2, "complex", &[], &[3]);
    let mut wait = one(3, "sequencer", &[], &[]);
    (wait.waits, wait.taken, wait.next) = (vec![(0, 0)], 7, vec![5]);
    let all = vec![load, slow, again, wait, one(4, "alu", &[], &[]), one(5, "alu", &[], &[])];
    let timeline = Timeline::of(&anatomy(all), 1);
    let why: Vec<(Why, u64)> = timeline.waited();
    assert_eq!(why, [(Why::Unit, 7), (Why::Memory, 91), (Why::Branch, 7)]);
    assert!(timeline.is_whole && timeline.events.len() == 5, "{timeline:?}");
}

#[test]
fn loops_go_round_and_say_what_bounds_them() {
    let mut body = one(1, "complex", &[], &[]);
    body.units = vec![("complex", 4)];
    let mut back = one(2, "branch", &[], &[]);
    back.next = vec![3, 0];
    let all = vec![one(0, "alu", &[], &[]), body, back, one(3, "alu", &[], &[])];
    let timeline = Timeline::of(&anatomy(all), 3);
    assert_eq!(timeline.events.len(), 3 * 3 + 1);
    let bound = &timeline.loops[0];
    assert_eq!((bound.span, bound.unit), ((0, 2), Some(("complex", 4))));
    assert_eq!(bound.round, Some(4));
}

#[test]
fn a_loop_without_a_way_out_ends_the_way_and_says_so() {
    let mut back = one(1, "branch", &[], &[]);
    back.next = vec![0];
    let mut made = anatomy(vec![one(0, "alu", &[], &[]), one(1, "alu", &[], &[])]);
    made.instructions[1] = back;
    let timeline = Timeline::of(&made, 2);
    assert!(!timeline.is_whole);
}

#[test]
fn waves_fill_waits_until_a_unit_works_always() {
    let mut load = one(0, "memory", &[], &[1]);
    load.enters = vec![(0, 97)];
    let mut wait = one(1, "alu", &[], &[]);
    wait.waits = vec![(0, 0)];
    let timeline = Timeline::of(&anatomy(vec![load, wait]), 1);
    assert_eq!(timeline.cycles, 99);
    assert_eq!((timeline.with_waves(1), timeline.with_waves(10), timeline.with_waves(1000)), (99, 10, 1));
}

#[test]
fn pressure_counts_what_is_still_read() {
    let all = vec![one(0, "alu", &[], &[1]), one(1, "alu", &[], &[2]), one(2, "alu", &[1, 2], &[3])];
    assert_eq!(anatomy(all).pressure(), [vec![(0, 1)], vec![(0, 2)], vec![]]);
}

#[test]
fn arithmetic_that_loads_alone_read_is_of_addresses() {
    let mut load = one(1, "memory", &[1], &[2]);
    load.cause = Cause::Memory;
    let all = vec![one(0, "alu", &[], &[1]), load, one(2, "alu", &[2], &[3])];
    let made = connect(all.into_iter().map(|one| (one, Steer::Next)).collect());
    let causes: Vec<Cause> = made.iter().map(|one| one.cause).collect();
    assert_eq!(causes, [Cause::Address, Cause::Memory, Cause::Arithmetic]);
}

#[test]
fn the_shortest_way_leaves_out_what_it_can() {
    // A branch over one of two, then a call of the last instruction, which goes on behind the call.
    let mut branch = one(0, "branch", &[], &[]);
    branch.next = vec![1, 2];
    let mut call = one(2, "flow", &[], &[]);
    call.calls = Some((4, 5));
    let mut end = one(3, "flow", &[], &[]);
    end.next.clear();
    let all = vec![branch, one(1, "alu", &[], &[]), call, end, one(4, "alu", &[], &[])];
    let way = shortest(&Anatomy { instructions: all, ..Anatomy::default() });
    assert_eq!((way.instructions, way.is_whole), (vec![0, 2, 4, 3], true));
    assert!(!shortest(&Anatomy::default()).is_whole);
    let mut forever = one(0, "branch", &[], &[]);
    (forever.next, forever.calls) = (vec![0], Some((0, 1)));
    let stuck = Anatomy { instructions: vec![forever], ..Anatomy::default() };
    assert!(!shortest(&stuck).is_whole);
}
