//! Decodes words to steps.

use chiaro_isa::Inst;
use chiaro_sim::Prepared;

use super::access::Access;
use super::config::{Config, Mode};
use super::fault::FaultKind;
use super::lookup::Lookup;
use super::operands::{Decoded, Operands};
use super::places::{Layout, REGISTERS};
use super::program::{Action, Flags, Program, Step};
use super::turn::Turn;
use crate::check::effect::{self, Arrival, Effect, Place};
use crate::exec::{Conversion, Doer, Issue, Uops, convert, exec};
use crate::isa::{self, Op};
use crate::listing::pgmdump::repeats;
use crate::listing::{decode, mesa};
use crate::regs::{ALU_TO_OTHER, TEXTURE_CYCLES, generation::A3XX, mods, size};

impl Program {
    /// Decodes a program; words behind its last one that is not empty are padding. Words that
    /// nobody knows are faults where they are run.
    #[must_use]
    pub fn new(words: &[u64], config: &Config) -> Program {
        let mut builder = Builder::new(config);
        let words = mesa::without_padding(words);
        let steps: Vec<Step> = words.iter().enumerate().map(|(at, word)| builder.step(*word, at)).collect();
        let Builder { uops, operands, .. } = builder;
        let prepared = config.engine.map(|engine| Prepared::new(&uops.code, engine));
        let mut program = Program {
            straight: Vec::new(),
            issued: running_sum(steps.iter().map(|step| u64::from(step.slots))),
            steps,
            uops,
            prepared,
            layout: operands.layout,
            constants: operands.constants,
            varyings: operands.varyings,
            config: *config,
        };
        program.straight = straight_runs(&program.steps);
        program
    }
}

fn running_sum(counts: impl Iterator<Item = u64>) -> Vec<u64> {
    let sums = counts.scan(0, |sum, count| {
        *sum += count;
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

/// For each step the end of the straight run that begins there.
fn straight_runs(steps: &[Step]) -> Vec<u32> {
    let mut joins = vec![false; steps.len() + 1];
    for (at, step) in steps.iter().enumerate() {
        match step.action {
            Action::Branch { target, .. } | Action::Jump(target) | Action::Call(target) => {
                joins[at + 1] = true;
                if let Some(join) = usize::try_from(target).ok().and_then(|t| joins.get_mut(t)) {
                    *join = true;
                }
            }
            _ => {}
        }
    }
    let mut ends = vec![steps.len() as u32; steps.len() + 1];
    for at in (0..steps.len()).rev() {
        ends[at] = match steps[at].is_straight() {
            false => at as u32,
            true if joins[at + 1] => at as u32 + 1,
            true => ends[at + 1],
        };
    }
    ends
}

impl Step {
    /// Whether it is nothing but micro-ops.
    fn is_straight(&self) -> bool {
        let plain = |turn: &Turn| turn.gathers.is_empty() && turn.scatter.is_none();
        matches!(self.action, Action::Next) && self.issues.iter().all(plain)
    }
}

struct Builder<'a> {
    config: &'a Config,
    uops: Uops,
    operands: Operands,
}

impl<'a> Builder<'a> {
    fn new(config: &'a Config) -> Builder<'a> {
        let mut uops = Uops::new(config.rules);
        let layout = Layout {
            full: uops.code.slots(REGISTERS),
            half: uops.code.slots(REGISTERS),
            predicates: uops.code.slots(4),
            address: uops.code.slots(1),
            nowhere: uops.code.slots(1),
        };
        let operands = Operands::new(layout, config.mode == Mode::Timed, &mut uops);
        Builder { config, uops, operands }
    }

    fn step(&mut self, word: u64, at: usize) -> Step {
        let Some(inst) = decode(word, A3XX) else {
            return Step::of(Action::Unknown(FaultKind::Unknown(
                "no instruction of the machine has these bits",
            )));
        };
        let op = Op::of(isa::a3xx().form(&inst).op);
        let category = word >> 61;
        let repeat = repeats(&inst);
        let mut step = Step::of(Action::Next);
        step.slots = 1 + repeat;
        step.arrival = effect::arrival(op, category);
        step.late = (4..7).contains(&category);
        step.flags = flags(&inst, op);
        step.latency = self.latency(op, category, Decoded { inst: &inst });
        // A repeated nop does nothing again.
        let turns = if category == 0 { 0 } else { repeat };
        self.operands.instruction(turns > 0 && reads_its_own_results(&inst));
        for turn in 0..=turns {
            self.turn(&mut step, op, &inst, turn, at);
        }
        for (to, from) in self.operands.take_deferred() {
            self.uops.op(chiaro_sim::Op::Mov, to, &[from]);
        }
        if let Some(last) = step.issues.last_mut() {
            last.uops.end = self.uops.code.uops.len();
        }
        step.flags.address =
            step.issues.iter().any(|turn| !turn.gathers.is_empty() || turn.scatter.is_some());
        step
    }

    fn turn(&mut self, step: &mut Step, op: Op, inst: &Inst, turn: u16, at: usize) {
        self.operands.begin();
        self.uops.begin();
        let start = self.uops.code.uops.len();
        match self.action(op, inst, turn, at) {
            Action::Next => {}
            other => step.action = other,
        }
        let mut made = std::mem::take(&mut self.operands.turn);
        made.uops = start..self.uops.code.uops.len();
        let plain = |t: &Turn| t.gathers.is_empty() && t.scatter.is_none() && self.config.mode != Mode::Timed;
        match step.issues.last_mut().filter(|last| plain(last) && plain(&made)) {
            Some(last) => last.uops.end = made.uops.end,
            None => step.issues.push(made),
        }
    }

    fn action(&mut self, op: Op, inst: &Inst, turn: u16, at: usize) -> Action {
        let issue = self.issue(op, inst, turn);
        match exec(op, &issue, &mut self.uops) {
            Doer::Alu | Doer::Order => Action::Next,
            Doer::Copy => self.copy(op, Decoded { inst }, turn),
            Doer::Flow => self.flow(op, inst, at),
            Doer::Texture => Lookup::of(op, Decoded { inst }, &mut self.operands)
                .map_or(unknown("nobody knows this form of the operation"), |lookup| {
                    Action::Texture(Box::new(lookup))
                }),
            Doer::Memory => Access::of(op, Decoded { inst }, &mut self.operands, &mut self.uops)
                .map_or(unknown("nobody knows this form of the operation"), |access| {
                    Action::Memory(Box::new(access))
                }),
            Doer::Unknown => unknown("nobody knows what this operation does on this machine"),
        }
    }

    /// The operands of an operation of categories 2 to 4; of others none.
    fn issue(&mut self, op: Op, inst: &Inst, turn: u16) -> Issue {
        let category = inst.word.0[0] >> 61;
        let fields = Decoded { inst };
        let mut issue = Issue::default();
        let Some(d) = fields.reg("dst").filter(|_| (2..5).contains(&category)) else { return issue };
        if op == Op::BaryF {
            self.varying(&mut issue, fields, turn);
        } else {
            let float = is_float(op);
            for (k, names) in [["src1", "src"], ["src2", ""], ["src3", ""]].into_iter().enumerate() {
                let Some((name, r)) = names.into_iter().find_map(|n| Some((n, fields.reg(n)?))) else {
                    continue;
                };
                let needed = effect::needed(op, name, category);
                issue.s[k] = self.operands.source(r, turn, needed, float, &mut self.uops);
                issue.mods[k] = r.mods & (mods::NEG | mods::ABS);
                issue.half |= r.size == size::HALF;
            }
        }
        issue.half_result = d.size == size::HALF;
        issue.saturate = fields.flag("sat") && is_float(op);
        issue.relation = fields.number("cond") as u8;
        issue.d = self.operands.destination(d, turn, &mut self.uops);
        issue
    }

    fn varying(&mut self, issue: &mut Issue, fields: Decoded<'_>, turn: u16) {
        let (Some(location), Some(pair)) = (fields.reg("src1"), fields.reg("src2")) else { return };
        let [value, across, along] = self.operands.varying(location, turn, &mut self.uops);
        let needed = crate::regs::ALU_TO_ALU;
        let first = self.operands.source(pair, turn, needed, true, &mut self.uops);
        let after = chiaro_isa::Reg { index: pair.index + 1, ..pair };
        let second = self.operands.source(after, turn, needed, true, &mut self.uops);
        issue.s = [value, across, along, first, second];
    }

    fn copy(&mut self, op: Op, fields: Decoded<'_>, turn: u16) -> Action {
        let (from, to) = match op {
            Op::Mova => (4, 4),
            _ => ((fields.number("types") >> 3) as u8 & 7, fields.number("types") as u8 & 7),
        };
        let s = match fields.reg("src") {
            Some(r) => self.operands.source(r, turn, crate::regs::ALU_TO_ALU, from == 0, &mut self.uops),
            None => {
                // The bits of the word, cut to the type.
                let bits = fields.inst.word.0[0] as u32;
                let narrow = !matches!(from, 1 | 3 | 5);
                self.uops.imm(if narrow { bits & 0xffff } else { bits })
            }
        };
        let rounding = fields.number("round") as u8;
        if op == Op::Mova {
            let wide = self.uops.field(chiaro_sim::Op::FieldS, s, 16);
            let d = self.operands.write(Place::Address);
            self.uops.op(chiaro_sim::Op::Mov, d, &[wide]);
            return Action::Next;
        }
        let Some(r) = fields.reg("dst") else { return unknown("a copy without a destination") };
        let d = self.operands.destination(r, turn, &mut self.uops);
        match convert(&Conversion { d, s, from, to, rounding }, &mut self.uops) {
            Some(()) => Action::Next,
            None => unknown("nobody knows what this conversion gives"),
        }
    }

    fn flow(&mut self, op: Op, inst: &Inst, at: usize) -> Action {
        let fields = Decoded { inst };
        let distance = crate::operand::distance(fields.number("target") as u32);
        let target = at as i64 + i64::from(distance);
        let mut test = || {
            let r = fields.reg("p").unwrap_or_default();
            let place = Place::of(r).unwrap_or(Place::Predicate(0));
            (self.operands.read(place, ALU_TO_OTHER), r.mods & mods::NOT != 0)
        };
        match op {
            Op::Br => {
                let (test, inverted) = test();
                Action::Branch { target, test, inverted }
            }
            Op::Kill => {
                let (test, inverted) = test();
                Action::Kill { test, inverted }
            }
            Op::Jump => Action::Jump(target),
            Op::Call => Action::Call(target),
            Op::Ret => Action::Return,
            Op::End => Action::End,
            Op::Bar => Action::Barrier,
            _ => Action::Next,
        }
    }

    /// Cycles until a result that a flag waits for [ir3, spec section 14].
    fn latency(&self, op: Op, category: u64, fields: Decoded<'_>) -> u32 {
        let latency = self.config.latency;
        match (category, effect::arrival(op, category)) {
            (4, _) => latency.special,
            (5, _) => {
                let components = 32 - (fields.number("mask") as u32).leading_zeros();
                let [first, ..] = TEXTURE_CYCLES;
                latency.texture + TEXTURE_CYCLES[components.min(4) as usize] - first
            }
            (6, Arrival::Ss) => latency.local,
            (6, _) => latency.memory,
            _ => 0,
        }
    }
}

impl Step {
    fn of(action: Action) -> Step {
        Step {
            issues: Vec::new(),
            action,
            flags: Flags::default(),
            arrival: Arrival::Slots,
            late: false,
            slots: 1,
            latency: 0,
        }
    }
}

/// Whether a repetition reads what an earlier one writes: it sees what was there before, since
/// there are fewer repetitions than slots that have to lie between.
fn reads_its_own_results(inst: &Inst) -> bool {
    let steps = Effect::of(inst, A3XX).steps;
    let writes_of = |k: usize| steps[..k].iter().flat_map(|(_, writes)| writes);
    (1..steps.len()).any(|k| steps[k].0.iter().any(|read| writes_of(k).any(|place| *place == read.place)))
}

fn unknown(why: &'static str) -> Action {
    Action::Unknown(FaultKind::Unknown(why))
}

fn flags(inst: &Inst, op: Op) -> Flags {
    let fields = Decoded { inst };
    Flags {
        ss: fields.flag("ss"),
        sy: fields.flag("sy"),
        jp: fields.flag("jp"),
        ul: fields.flag("ul"),
        ei: fields.flag("ei"),
        address: false,
        varying: matches!(op, Op::BaryF | Op::Ldlv),
    }
}

/// Whether an operation computes with floats: constants that it reads as halves are converted,
/// and its result can be clamped.
fn is_float(op: Op) -> bool {
    use Op::{
        AbsnegF, AddF, BaryF, CeilF, CmpsF, CmpvF, Cos, Exp2, FloorF, Log2, MadF16, MadF32, MaxF, MinF, MulF,
        Rcp, RndazF, RndneF, Rsq, SelF16, SelF32, SignF, Sin, Sqrt, TruncF,
    };
    matches!(
        op,
        AddF | MinF
            | MaxF
            | MulF
            | SignF
            | CmpsF
            | AbsnegF
            | CmpvF
            | FloorF
            | CeilF
            | RndneF
            | RndazF
            | TruncF
            | BaryF
            | MadF16
            | MadF32
            | SelF16
            | SelF32
            | Rcp
            | Rsq
            | Log2
            | Exp2
            | Sin
            | Cos
            | Sqrt
    )
}
