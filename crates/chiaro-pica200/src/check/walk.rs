//! Interprocedural checks: every procedure once, then what its effects mean at the entry point.

use super::demand::{Demand, Outputs, spell};
use super::effect::{Depth, Effect, State, Writes};
use super::graph::{Graph, Node, Places, Procedure, Search};
use super::report::Report;
use super::rules::*;
use super::step::{SPECIAL, Step};
use crate::container::Stage;
use crate::isa::Op;
use std::collections::{HashMap, VecDeque};

/// What the checks know of an executable.
pub(super) struct Executable<'a> {
    pub(super) entry: u32,
    /// One past the entry procedure, if that is known.
    pub(super) end: Option<u32>,
    pub(super) stage: Stage,
    pub(super) outputs: Outputs<'a>,
}

/// The words of a file, and what the executables have shown of them.
pub(super) struct Code {
    pub(super) steps: Vec<Step>,
    places: Places,
    /// Words that some executable runs.
    pub(super) reached: Vec<bool>,
    /// Nodes that all executables together may still take.
    nodes_left: usize,
}

impl Code {
    /// Decodes words as far as the report wants to know.
    pub(super) fn decode(words: &[u32], descriptors: &[[u32; 2]], report: &Report) -> Code {
        let steps = Step::decode_all(words, descriptors, report.wants(&READ_UNWRITTEN));
        let reached = vec![false; steps.len()];
        let nodes_left = NODES_PER_FILE_WORD * steps.len();
        Code { places: Places::of(&steps), steps, reached, nodes_left }
    }
}

/// Nodes that one executable may take for each word of the code. Regular code needs one, or a few
/// where procedures overlap; hostile code would go through every combination of open blocks.
const NODES_PER_WORD: usize = 8;

/// The same for all executables of a file together.
const NODES_PER_FILE_WORD: usize = 128;

/// Calls that are followed into each other. The hardware keeps 4; more are followed to be reported.
const FOLLOWED_CALLS: usize = 24;

/// Entries of the hardware's stacks for calls, IFs and LOOPs (spec section 12).
const STACKS: [(&Rule, u32, &str); 3] =
    [(&CALL_DEPTH, 4, "calls"), (&IF_DEPTH, 8, "ifs"), (&LOOP_DEPTH, 4, "loops")];

/// Follows one executable and marks the words that it reaches. False if some path was lost, so
/// that words which are not marked may be reached after all.
pub(super) fn check(code: &mut Code, of: &Executable, report: &mut Report) -> bool {
    let words = code.steps.len();
    if of.entry as usize >= words {
        let message = format!("the entry point is {:#x}, the code has {words} words", of.entry);
        report.file(&ENTRY_OUTSIDE, message);
        return false;
    }
    let before = report.count(&LOSES_PATHS);
    follow_all(code, of, false, report);
    if report.doubts(&DOUBTFUL) {
        confirm(code, of, report);
    }
    report.count(&LOSES_PATHS) == before
}

/// Follows an executable from its entry point.
fn follow_all(code: &mut Code, of: &Executable, precise: bool, report: &mut Report) {
    let before = report.count(&WITHOUT_END);
    let limit = code.nodes_left.min(NODES_PER_WORD * code.steps.len());
    let mut walk = Walk {
        code,
        demand: Demand::of(&of.outputs),
        emits: of.stage == Stage::Geometry,
        known: HashMap::new(),
        precise,
        nodes_left: limit,
        ends: Vec::new(),
        told: 0,
        report,
    };
    let entry = Procedure { start: of.entry, end: of.end, called: false };
    let effect = walk.follow(entry, 0);
    walk.judge_depth(&effect);
    let told = walk.report.count(&WITHOUT_END) != before;
    walk.judge_ends(of.entry, told);
    walk.code.nodes_left -= limit - walk.nodes_left;
}

/// Breaches that say already why no path reaches an END.
const WITHOUT_END: [&Rule; 2] = [&PAST_END, &TOO_COMPLEX];

/// Findings that hold on some paths only, each with those that say the same of all paths.
const DOUBTFUL: [(&Rule, &[&Rule]); 2] = [
    (&OUTPUT_MAYBE_UNWRITTEN, &[&OUTPUT_MAYBE_UNWRITTEN, &OUTPUT_UNWRITTEN]),
    (&OUTPUT_MAYBE_REWRITTEN, &[&OUTPUT_MAYBE_REWRITTEN, &OUTPUT_REWRITTEN]),
];

/// Follows the executable again, with paths that remember what they have tested, and drops the
/// doubtful findings that no such path shows.
fn confirm(code: &mut Code, of: &Executable, report: &mut Report) {
    let mut again = Report::default();
    follow_all(code, of, true, &mut again);
    if again.count(&[&TOO_COMPLEX]) == 0 {
        report.keep_confirmed(&DOUBTFUL, &again);
    }
}

/// Breaches after which a path cannot be followed.
const LOSES_PATHS: [&Rule; 4] = [&PAST_END, &TARGET_OUTSIDE, &BREAK_OUTSIDE, &TOO_COMPLEX];

/// Ranges of words that no executable reaches, but for padding.
pub(super) fn check_unreached(Code { steps, reached, .. }: &Code, report: &mut Report) {
    let mut start = 0;
    while let Some(first) = (start..steps.len()).find(|&word| !reached[word]) {
        let end = (first..steps.len()).find(|&word| reached[word]).unwrap_or(steps.len());
        start = end;
        let range = &steps[first..end];
        if range.iter().all(|step| step.op == Some(Op::Nop)) {
            continue;
        }
        let message = match end - first {
            1 => "this word is never executed".to_string(),
            words => format!("the {words} words {first:#x}..{end:#x} are never executed"),
        };
        report.word(&UNREACHABLE, first as u32, message);
        if let Some(at) = range.iter().position(|step| step.op == Some(Op::End)) {
            report.word(&UNREACHABLE_END, (first + at) as u32, "this END is never executed".to_string());
        }
    }
}

struct Walk<'a> {
    code: &'a mut Code,
    demand: Demand,
    /// Whether EMIT starts a new vertex.
    emits: bool,
    /// Effects of procedures; `None` while one is being followed.
    known: HashMap<Procedure, Option<Effect>>,
    /// Whether paths remember the conditions that they have tested.
    precise: bool,
    nodes_left: usize,
    /// What was written at each END, or at calls that end within.
    ends: Vec<(u32, Writes)>,
    /// Components that an EMIT was told to lack.
    told: u64,
    report: &'a mut Report,
}

/// A procedure's graph with what is known at each node.
struct Flow {
    graph: Graph,
    /// By node. Few nodes call, and an effect is long.
    callees: Vec<Option<Box<Effect>>>,
    states: Vec<State>,
}

impl Walk<'_> {
    /// The effect of a procedure; judges its words on the way.
    fn follow(&mut self, procedure: Procedure, depth: usize) -> Effect {
        let search = Search { precise: self.precise, limit: self.nodes_left };
        let built = Graph::build(&self.code.steps, &self.code.places, procedure, search, self.report);
        let Some(graph) = built else {
            let message = "gave up following the paths from here".to_string();
            self.report.word(&TOO_COMPLEX, procedure.start, message);
            self.nodes_left = 0;
            return Effect::NONE;
        };
        self.nodes_left -= graph.words;
        let callees = graph.nodes.iter().map(|node| self.callee(node, depth).map(Box::new)).collect();
        let flow = self.settle(graph, callees, procedure.called);
        self.judge(&flow, procedure.called)
    }

    /// The effect of what a node calls, followed at the first call.
    fn callee(&mut self, node: &Node, depth: usize) -> Option<Effect> {
        let procedure = node.callee?;
        match self.known.get(&procedure) {
            Some(Some(effect)) => return Some(*effect),
            Some(None) => {
                let message = format!("the procedure at {:#x} calls itself", procedure.start);
                self.report.word(&RECURSION, node.last, message);
                return Some(Effect::NONE);
            }
            None if depth >= FOLLOWED_CALLS => return Some(Effect::NONE),
            None => {}
        }
        self.known.insert(procedure, None);
        let effect = self.follow(procedure, depth + 1);
        self.known.insert(procedure, Some(effect));
        Some(effect)
    }

    /// Carries states along the edges until nothing changes.
    fn settle(&self, graph: Graph, callees: Vec<Option<Box<Effect>>>, called: bool) -> Flow {
        let mut states = vec![State::default(); graph.nodes.len()];
        states[0] = if called { State::CALLED } else { State::ENTRY };
        let mut flow = Flow { graph, callees, states };
        let mut queue = VecDeque::from([0]);
        let mut queued = vec![false; flow.states.len()];
        while let Some(id) = queue.pop_front() {
            queued[id] = false;
            let out = self.after(&flow, id);
            for &next in flow.graph.next(id) {
                let joined = flow.states[next].or(out);
                if out.any() && joined != flow.states[next] {
                    flow.states[next] = joined;
                    if !std::mem::replace(&mut queued[next], true) {
                        queue.push_back(next);
                    }
                }
            }
        }
        flow
    }

    /// The state behind a node.
    fn after(&self, flow: &Flow, id: usize) -> State {
        let node = &flow.graph.nodes[id];
        let through = |state: State, word| state.after(word, &self.code.steps[word as usize], self.emits);
        let state = (node.word..node.last).fold(flow.states[id], through);
        match &flow.callees[id] {
            None => through(state, node.last),
            Some(effect) if node.may_skip => through(state, node.last).or(state.after_call(effect)),
            Some(effect) => state.after_call(effect),
        }
    }

    /// Judges the words of a settled procedure and sums up its effect.
    fn judge(&mut self, flow: &Flow, called: bool) -> Effect {
        let mut effect = Effect { exit: State::default(), ..Effect::NONE };
        for (id, node) in flow.graph.nodes.iter().enumerate() {
            let mut state = flow.states[id];
            if !state.any() {
                continue;
            }
            for word in node.word..=node.last {
                self.code.reached[word as usize] = true;
                self.judge_step(word, state, called, &mut effect);
                if let Some(callee) = flow.callees[id].as_ref().filter(|_| word == node.last) {
                    self.judge_call(word, state, callee, called, &mut effect);
                }
                state = state.after(word, &self.code.steps[word as usize], self.emits);
            }
            if node.returns {
                effect.exit = effect.exit.or(self.after(flow, id));
            }
            self.deepen(flow, id, &mut effect);
        }
        effect
    }

    fn judge_step(&mut self, word: u32, state: State, called: bool, effect: &mut Effect) {
        let step = self.code.steps[word as usize];
        if step.outputs() != 0 {
            self.judge_writes(word, state.outputs(), Writes::START.write(step.outputs()), "");
        }
        let (temps, special) = (step.reads() & !state.temps, step.special_reads & !state.special);
        if temps != 0 || special != 0 {
            self.judge_reads(word, temps, special, called, effect, "");
        }
        match step.op {
            Some(Op::Mova) => self.judge_mova(word, state),
            Some(Op::End) => {
                effect.ended = effect.ended.or(state.added);
                self.ends.push((word, state.fresh));
            }
            Some(Op::Emit) if self.emits => {
                effect.emitted = effect.emitted.or(state.added);
                self.judge_complete(word, state.fresh, "before this EMIT");
            }
            Some(Op::Emit | Op::Setemit) if !self.emits => {
                let name = if step.op == Some(Op::Emit) { "EMIT" } else { "SETEMIT" };
                self.report.word(&EMIT_IN_VERTEX, word, format!("{name} in a vertex program"));
            }
            _ => {}
        }
    }

    fn judge_call(&mut self, word: u32, state: State, callee: &Effect, called: bool, effect: &mut Effect) {
        self.judge_writes(word, state.outputs(), callee.writes(), "the procedure called here writes ");
        let (temps, special) = (callee.needs & !state.temps, callee.special_needs & !state.special);
        self.judge_reads(word, temps, special, called, effect, "the procedure called here reads ");
        effect.ended = effect.ended.or(state.added.then(callee.ended));
        self.ends.push((word, state.fresh.then(callee.ended)));
        effect.emitted = effect.emitted.or(state.added.then(callee.emitted));
        self.judge_complete(word, state.fresh.then(callee.emitted), "before the EMIT in this call");
    }

    /// Second writes, and writes that go nowhere.
    fn judge_writes(&mut self, word: u32, before: Writes, writes: Writes, who: &str) {
        let again = self.demand.once & before.some & writes.some;
        let always = again & !before.none & !writes.none;
        let what = if who.is_empty() { "writes " } else { who };
        if always != 0 {
            let message = format!("{what}{} a second time", self.demand.spell(always));
            self.report.word(if self.emits { &EMIT_REWRITTEN } else { &OUTPUT_REWRITTEN }, word, message);
        }
        if again & !always != 0 {
            let message = format!("{what}{} perhaps a second time", self.demand.spell(again & !always));
            self.report.word(&OUTPUT_MAYBE_REWRITTEN, word, message);
        }
        let nowhere = writes.some & self.demand.unmapped;
        if nowhere != 0 && who.is_empty() {
            let message =
                format!("writes {}, which the output table does not name", self.demand.spell(nowhere));
            self.report.word(&OUTPUT_UNMAPPED, word, message);
        }
    }

    /// Reads of registers that no path has written: reported at the entry level, else handed up.
    fn judge_reads(
        &mut self,
        word: u32,
        temps: u64,
        special: u8,
        called: bool,
        effect: &mut Effect,
        who: &str,
    ) {
        if called {
            effect.needs |= temps;
            effect.special_needs |= special;
            return;
        }
        // Most programs that read before they write do so all the time.
        if temps == 0 && special == 0 || !self.report.wants(&READ_UNWRITTEN) {
            return;
        }
        let registers = (0..16).filter(|r| temps >> (4 * r) & 15 != 0).map(|r| spell('r', r, temps));
        let others = SPECIAL.iter().enumerate().filter(|(bit, _)| special >> bit & 1 != 0);
        let names: Vec<String> = registers.chain(others.map(|(_, name)| (*name).to_string())).collect();
        let what = if who.is_empty() { "reads " } else { who };
        let message = format!("{what}{}, which nothing has written before", names.join(", "));
        self.report.word(&READ_UNWRITTEN, word, message);
    }

    fn judge_mova(&mut self, word: u32, state: State) {
        if let Some(before) = state.mova {
            let message = format!("MOVA runs directly after the MOVA at {before:#x}");
            self.report.word(&MOVA_PAIR, word, message);
        }
    }

    /// Outputs that should have been written by now.
    fn judge_complete(&mut self, word: u32, writes: Writes, when: &str) {
        if !writes.any() {
            return;
        }
        let never = writes.none & !writes.some;
        let sometimes = writes.none & writes.some;
        // What one EMIT lacks, the others mostly lack too: once is enough.
        let (missing, rule) = match self.emits {
            true => (self.demand.named & never & !self.told, &EMIT_UNWRITTEN),
            false => (self.demand.named & never, &OUTPUT_UNWRITTEN),
        };
        self.told |= missing;
        for (rule, set, how) in [
            (rule, missing, "not written"),
            (&GENERIC_UNWRITTEN, self.demand.generic & never, "not written"),
            (&GENERIC_UNWRITTEN, self.demand.generic & sometimes, "not written on every path"),
            (&OUTPUT_MAYBE_UNWRITTEN, self.demand.named & sometimes, "not written on every path"),
        ] {
            if set != 0 {
                self.report.word(rule, word, format!("{how} {when}: {}", self.demand.spell(set)));
            }
        }
    }

    fn deepen(&self, flow: &Flow, id: usize, effect: &mut Effect) {
        let node = &flow.graph.nodes[id];
        if node.block.is_none() && flow.callees[id].is_none() {
            return;
        }
        let block = node.block.map(|id| &flow.graph.blocks[id]);
        let (ifs, loops) = block.map_or((0, 0), |block| (block.ifs, block.loops));
        let opened = block.map_or(node.last, |block| block.opened);
        let inner = flow.callees[id].as_ref().map_or([Depth::default(); 3], |callee| callee.depth);
        let calls = u32::from(flow.callees[id].is_some());
        let here = [(calls, node.last), (ifs, opened), (loops, opened)];
        for ((depth, inner), (open, word)) in effect.depth.iter_mut().zip(inner).zip(here) {
            let word = if inner.open > 0 { inner.word } else { word };
            depth.deepen(open + inner.open, word);
        }
    }

    fn judge_depth(&mut self, effect: &Effect) {
        for ((rule, allowed, what), depth) in STACKS.into_iter().zip(effect.depth) {
            if depth.open > allowed {
                let message = format!("{} {what} are open here, the hardware keeps {allowed}", depth.open);
                self.report.word(rule, depth.word, message);
            }
        }
    }

    /// END is reached, unless it is told why not, and with all outputs written.
    fn judge_ends(&mut self, entry: u32, told: bool) {
        let ends = std::mem::take(&mut self.ends);
        let live: Vec<(u32, Writes)> = ends.into_iter().filter(|(_, writes)| writes.any()).collect();
        if live.is_empty() && !told {
            self.report.word(&NO_END, entry, "no path from here reaches an END".to_string());
        } else if !self.emits {
            for (word, writes) in live {
                self.judge_complete(word, writes, "before this END");
            }
        }
    }
}
