//! Twelve kinds of faults in the words of functions: each is found by the checkers of words, or changes nothing that running
//! the program shows. What only the source can tell, which values are handed over, which side of an `if` lanes go and what
//! values of the function's own become where they are put aside, the comparison with it tells: so it does where lanes that
//! slept run as long as nothing is done, or where they run anyway and it is forgotten who ran before.

#[path = "relied.rs"]
mod relied;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use chiaro_isa::{Rng, Role};
use chiaro_rdna::abi::convention::SystemParameter;
use chiaro_rdna::abi::partition::File;
use chiaro_rdna::abi::place::Place;
use chiaro_rdna::check::Found;
use chiaro_rdna::check::contract::Words;
use chiaro_rdna::compile::Compiled;
use chiaro_rdna::compile::compiled::{Agreed, Function};
use chiaro_rdna::isa::isa;
use chiaro_rdna::regs::file;
use chiaro_target::Failure;
use chiaro_target::proof::kernel::meaning;

use super::{Program, illegal};
use relied::{Followed, Spot};

const NAMES: [&str; 12] = [
    "save dropped",
    "wrong slot",
    "sleeping lane",
    "exec",
    "stack",
    "return address",
    "wait",
    "argument",
    "clobbered read",
    "mode",
    "waiting lane",
    "frame",
];
/// Kinds that may leave every contract as it is: another value, another side.
const BY_SOURCE: [usize; 2] = [3, 7];
/// Kinds that do so where they hit what the function puts aside of its own, and not what it has to give back.
const BY_SOURCE_IF_OWN: [usize; 3] = [0, 1, 5];
/// The kind that does so where nothing is done with the lanes that it wakes.
const BY_SOURCE_IF_IDLE: usize = 2;
/// Faults of one kind in one program, at most.
const EACH: usize = 3;
const NOP: u32 = 0xbf80_0000;
const EXEC: u32 = 126;

/// What became of the faults of a kind.
#[derive(Clone, Copy, Default)]
struct Count {
    found: u64,
    by_source: u64,
    nothing: u64,
    missed: u64,
}

impl Count {
    fn sum(&self) -> u64 {
        self.found + self.by_source + self.nothing + self.missed
    }
}

/// What became of all.
#[derive(Default)]
pub(crate) struct Report {
    counts: [Count; 12],
    pub missed: Vec<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<16}{:>8}{:>8}{:>12}{:>10}{:>8}",
            "fault", "planted", "found", "by source", "nothing", "missed"
        )?;
        for (name, count) in NAMES.iter().zip(&self.counts) {
            let Count { found, by_source, nothing, missed } = count;
            writeln!(f, "{name:<16}{:>8}{found:>8}{by_source:>12}{nothing:>10}{missed:>8}", count.sum())?;
        }
        self.missed.iter().take(12).try_for_each(|why| writeln!(f, "missed: {why}"))
    }
}

/// An instruction of a function.
#[derive(Clone, Copy)]
struct Line {
    at: usize,
    words: [u32; 2],
    length: usize,
    name: &'static str,
}

impl Line {
    fn scalar_to(&self) -> Option<u32> {
        let is_sop1 = self.words[0] >> 23 == 0x17d;
        let is_sop2 = self.words[0] >> 30 == 2 && self.words[0] >> 23 < 0x17d - 0x40;
        (is_sop1 || is_sop2 && self.name.starts_with("s_")).then_some(self.words[0] >> 16 & 0x7f)
    }

    fn is_control(&self) -> bool {
        ["s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_endpgm"]
            .iter()
            .any(|c| self.name.starts_with(c))
    }

    fn stores(&self) -> bool {
        self.name.starts_with("scratch_store") || self.name == "v_writelane_b32"
    }

    /// The homes of what an instruction with these words puts aside or takes back, each with the register.
    fn homes(&self, [first, second]: [u32; 2]) -> Vec<(Home, Register)> {
        let lane = second >> 9 & 0x1ff;
        let count = match self.name.rsplit_once("dwordx") {
            Some((_, count)) => count.parse().unwrap_or(1),
            None => 1,
        };
        match self.name {
            "v_writelane_b32" => vec![((first & 0xff, lane), (file::SGPR, (second & 0x1ff) as u16))],
            "v_readlane_b32" => vec![((second & 0xff, lane), (file::SGPR, (first & 0xff) as u16))],
            name if name.starts_with("scratch_") => {
                let (base, register) =
                    (FRAME | second >> 16 & 0x7f, second >> if self.stores() { 8 } else { 24 } & 0xff);
                let dword = |n| ((base, (first & 0xfff) + 4 * n), (file::VGPR, (register + n) as u16));
                (0..count).map(dword).collect()
            }
            _ => Vec::new(),
        }
    }

    fn is_call(&self) -> bool {
        self.name.starts_with("s_call") || self.name.starts_with("s_swappc")
    }

    fn changes_exec(&self) -> bool {
        self.name.ends_with("saveexec_b32")
            || self.name.ends_with("saveexec_b64")
            || self.scalar_to() == Some(EXEC)
    }
}

/// New words in place of an instruction.
type Fault = (Line, [u32; 2]);
/// File and number.
type Register = (u8, u16);
/// Where something is put aside: a lane of a vector register, or a byte behind a scalar one in the [`FRAME`].
type Home = (u32, u32);
const FRAME: u32 = 0x1000;

/// A function that faults are put into.
struct Victim<'a> {
    compiled: &'a Compiled,
    function: &'a Function,
    lines: Vec<Line>,
    wave: u8,
}

/// Registers that a line writes.
fn written(code: &[u8], line: &Line, wave: u8) -> Vec<Register> {
    let isa = isa(wave);
    let Ok(inst) = isa.decode(&code[line.at..]) else { return Vec::new() };
    let (values, fields) = (isa.values(&inst, &isa.cx()), isa.form(&inst).format.fields);
    let written = fields.iter().zip(values.as_slice()).filter(|(field, _)| field.role != Role::Use);
    let runs = written.filter_map(|(field, value)| value.and_then(|value| field.kind.covers(value)));
    runs.flat_map(|run| (run.first..run.first + run.count).map(move |n| (run.file, n))).collect()
}

fn lines(code: &[u8], bytes: Range<u32>, wave: u8) -> Vec<Line> {
    let (isa, mut all, mut at) = (isa(wave), Vec::new(), bytes.start as usize);
    while at < bytes.end as usize {
        let Ok(inst) = isa.decode(&code[at..]) else { break };
        let word = |n: usize| {
            code.get(at + 4 * n..at + 4 * n + 4)
                .map_or(0, |b| u32::from_le_bytes(b.try_into().expect("four")))
        };
        let length = usize::from(inst.length);
        all.push(Line { at, words: [word(0), word(1)], length, name: isa.form(&inst).operation.name });
        at += length;
    }
    all
}

/// Bytes of instructions of a name in all functions.
pub(crate) fn places(compiled: &Compiled, wave: u8, name: &str) -> Vec<Range<usize>> {
    let all = compiled.functions.iter().flat_map(|f| lines(&compiled.code, f.bytes.clone(), wave));
    all.filter(|line| line.name == name).map(|line| line.at..line.at + line.length).collect()
}

impl<'a> Victim<'a> {
    fn new(compiled: &'a Compiled, function: &'a Function, wave: u8) -> Victim<'a> {
        let lines = lines(&compiled.code, function.bytes.clone(), wave);
        Victim { compiled, function, lines, wave }
    }

    /// What callers rely on, line by line.
    fn followed(&self) -> Followed<'_> {
        Followed::of(&self.lines, self.kept(), |line| written(&self.compiled.code, line, self.wave))
    }

    /// Where callers look for what they rely on: the return address, and registers that the function keeps.
    fn kept(&self) -> BTreeSet<Spot> {
        let clobbered = self.function.callee.clobbered();
        let back = self.system(SystemParameter::ReturnAddress) as u16;
        let kept = |in_file: u8, clobbered: &[bool]| {
            let kept = (0..).zip(clobbered).filter(|(_, clobbered)| !**clobbered);
            kept.map(move |(n, _)| Spot::Register((in_file, n))).collect::<Vec<Spot>>()
        };
        let registers =
            kept(file::SGPR, &clobbered.sgpr).into_iter().chain(kept(file::VGPR, &clobbered.vgpr));
        registers.chain([back, back + 1].map(|n| Spot::Register((file::SGPR, n)))).collect()
    }

    /// Whether it does nothing to lanes which slept that they run behind a line: until EXEC is another they only would if
    /// there were scalars in lanes, or they run there in any case, which is a function's way to put registers aside.
    fn is_idle(&self, line: &Line) -> bool {
        let n = self.lines.partition_point(|other| other.at < line.at);
        let is_woken = line.name.starts_with("s_or_saveexec") && line.words[0] & 0xff == 0xc1;
        let behind = self.lines[n + 1..].iter().take_while(|line| !line.changes_exec());
        let is_idle =
            |line: &Line| line.name.starts_with("s_") && !line.is_call() || line.name == "v_readlane_b32";
        is_woken || behind.clone().all(is_idle)
    }

    fn system(&self, parameter: SystemParameter) -> u32 {
        self.function.callee.system(parameter).into()
    }

    /// Faults of a kind, in the order of their places.
    fn faults(&self, kind: usize, rng: &mut Rng) -> Vec<Fault> {
        let all = (0..self.lines.len()).filter_map(|n| {
            let words = self.fault(kind, n, rng)?;
            (words != self.lines[n].words).then_some((self.lines[n], words))
        });
        all.collect()
    }

    fn fault(&self, kind: usize, n: usize, rng: &mut Rng) -> Option<[u32; 2]> {
        let line = self.lines[n];
        let [first, second] = line.words;
        let nothing = [NOP, if line.length > 4 { NOP } else { second }];
        let stores = line.name.starts_with("scratch_store");
        let in_lanes = matches!(line.name, "v_writelane_b32" | "v_readlane_b32");
        match kind {
            0 => (stores || line.name == "v_writelane_b32").then_some(nothing),
            1 if line.name.starts_with("scratch_") => {
                let by = [4u32, 8, 4u32.wrapping_neg()][rng.below(3)];
                Some([first & !0xfff | (first & 0xfff).wrapping_add(by) & 0xfff, second])
            }
            1 if in_lanes => {
                let lane = second >> 9 & 0x1ff;
                (lane >= 128).then(|| [first, second & !(0x1ff << 9) | (128 + (lane - 128) % 31 + 1) << 9])
            }
            2 if line.changes_exec() && line.length == 4 => {
                let (op, all) = (if self.wave == 32 { 3 } else { 4 }, 0xc1);
                Some([0xbe80_0000 | EXEC << 16 | op << 8 | all, second])
            }
            3 => line.changes_exec().then_some(nothing),
            4 => self.moved_stack(&line, rng),
            5 => self.lost_return(&line),
            6 if line.name.starts_with("s_waitcnt") => Some(nothing),
            7 => self.lost_argument(n).then_some(nothing),
            8 => self.read_of_clobbered(n, rng),
            9 if line.length == 4 && !line.is_control() => {
                let op = 36 + rng.below(2) as u32;
                Some([0xbf80_0000 | op << 16 | 5, second])
            }
            10 => self.parameter_written(n, rng),
            11 if stores => {
                let below = self.function.callee.placement.stack_bytes as i32;
                let behind = self.room() as i32;
                let by = 4 + 4 * rng.below(8) as i32;
                let to = if rng.below(2) == 0 { -below - by } else { behind + by - 4 };
                (-2048..2048).contains(&to).then_some([first & !0xfff | to as u32 & 0xfff, second])
            }
            _ => None,
        }
    }

    /// Bytes of the function's frame, or of a larger one that it may jump to, with what it hands over.
    fn room(&self) -> u32 {
        let functions = || self.compiled.functions.iter();
        let given = functions().map(|f| f.callee.stack_room()).max().unwrap_or(0);
        functions().map(|f| f.frame).max().unwrap_or(0) + given
    }

    /// Whether a line hands over something on the stack, behind the frame: an earlier call may have been handed something in
    /// the same place.
    fn hands_over(&self, line: &Line) -> bool {
        let offset = line.words[0] & 0xfff;
        line.name.starts_with("scratch_store") && (self.function.frame..0x800).contains(&offset)
    }

    /// The stack pointer moved by another number, or not at all.
    fn moved_stack(&self, line: &Line, rng: &mut Rng) -> Option<[u32; 2]> {
        let [first, second] = line.words;
        if line.is_control() || line.scalar_to() != Some(self.system(SystemParameter::StackPointer)) {
            return None;
        }
        let number = first >> 8 & 0xff;
        if rng.below(2) == 0 || !(128..192).contains(&number) && number != 255 {
            return Some([NOP, if line.length > 4 { NOP } else { second }]);
        }
        let alignment = u32::from(self.function.callee.convention.stack.alignment.max(4));
        match number {
            255 => Some([first, second.wrapping_add(alignment)]),
            _ => (number + alignment < 192).then_some([first + (alignment << 8), second]),
        }
    }

    /// A move of the return address that is gone, or a return to elsewhere.
    fn lost_return(&self, line: &Line) -> Option<[u32; 2]> {
        let [first, second] = line.words;
        let back = self.system(SystemParameter::ReturnAddress);
        let is_back = |n: u32| n == back || n == back + 1;
        let nothing = [NOP, if line.length > 4 { NOP } else { second }];
        match line.name {
            "s_mov_b32" | "s_mov_b64" if is_back(first & 0xff) || is_back(first >> 16 & 0x7f) => {
                Some(nothing)
            }
            "v_writelane_b32" if is_back(second & 0x1ff) => Some(nothing),
            "v_readlane_b32" if is_back(first & 0xff) => Some(nothing),
            "s_setpc_b64" => Some([first & !0xff | (first & 0xff) + 2, second]),
            _ => None,
        }
    }

    /// Whether an instruction is the last in front of a call that writes a register of an argument.
    fn lost_argument(&self, n: usize) -> bool {
        let Some(written) = self.vector_to(n) else { return false };
        let behind = self.lines[n + 1..].iter().zip(n + 1..);
        for (line, at) in behind.take(16) {
            if line.is_call() {
                return self.callees(line).iter().any(|f| arguments(f, File::Vgpr).contains(&written));
            }
            if line.is_control() || line.changes_exec() || self.vector_to(at) == Some(written) {
                return false;
            }
        }
        false
    }

    /// The vector register that a plain instruction writes.
    fn vector_to(&self, n: usize) -> Option<u16> {
        let line = &self.lines[n];
        let first = line.words[0];
        let is_vop3 = first >> 26 == 0x35;
        let plain =
            line.name.starts_with("v_") && !line.name.starts_with("v_cmp") && !line.name.contains("lane");
        match (plain, is_vop3, first >> 31) {
            (true, true, _) => Some((first & 0xff) as u16),
            (true, false, 0) => Some((first >> 17 & 0xff) as u16),
            _ => None,
        }
    }

    /// The functions that a call may come to.
    fn callees(&self, line: &Line) -> Vec<&Function> {
        let at = line.at as u32;
        if let Some((_, all)) = self.compiled.sites.iter().find(|(site, _)| *site == at) {
            return all.iter().map(|n| &self.compiled.functions[*n]).collect();
        }
        let target = i64::from(at) + 4 + 4 * i64::from(line.words[0] as u16 as i16);
        self.compiled.functions.iter().filter(|f| i64::from(f.bytes.start) == target).collect()
    }

    /// A source of an instruction behind a call that becomes a register in which the call leaves anything.
    fn read_of_clobbered(&self, n: usize, rng: &mut Rng) -> Option<[u32; 2]> {
        let written = self.vector_to(n)?;
        let [first, second] = self.lines[n].words;
        let before = (0..n).rev().take_while(|m| self.lines[*m].is_call() || !self.lines[*m].is_control());
        let mut since = vec![written];
        let mut call = None;
        for m in before.take(24) {
            if self.lines[m].is_call() {
                call = Some(m);
                break;
            }
            let loads = self.lines[m].name.contains("load") || self.lines[m].name.contains("lane");
            if loads || self.lines[m].changes_exec() {
                return None;
            }
            since.extend(self.vector_to(m));
        }
        let callees = self.callees(&self.lines[call?]);
        let free = |n: u16| {
            !since.contains(&n)
                && callees.iter().all(|f| {
                    let clobbered = f.callee.clobbered().vgpr.get(usize::from(n)).copied().unwrap_or(false);
                    clobbered && !arguments(f, File::Vgpr).contains(&n)
                })
        };
        let registers: Vec<u16> = (0..256).filter(|n| free(*n)).collect();
        let to = u32::from(*registers.get(rng.below(registers.len().max(1)))?);
        let is_vop3 = first >> 26 == 0x35;
        let source = if is_vop3 { second & 0x1ff } else { first & 0x1ff };
        // Parts of registers and lanes of others are said behind such numbers.
        if !(256..512).contains(&source) || self.lines[n].length > 4 && !is_vop3 {
            return None;
        }
        Some(if is_vop3 { [first, second & !0x1ff | 256 + to] } else { [first & !0x1ff | 256 + to, second] })
    }

    /// A write of all lanes, or of one whichever runs, into a register of a parameter.
    fn parameter_written(&self, n: usize, rng: &mut Rng) -> Option<[u32; 2]> {
        let line = self.lines[n];
        let [first, second] = line.words;
        let parameters = arguments(self.function, File::Vgpr);
        let to = u32::from(*parameters.get(rng.below(parameters.len().max(1)))?);
        // All lanes run since then, and not those again that ran before.
        let changed = self.lines[..n].iter().rev().take(4).find(|before| before.changes_exec());
        let is_whole = changed.is_some_and(|before| before.name.starts_with("s_or_saveexec"));
        if line.name == "v_writelane_b32" {
            return Some([first & !0xff | to, second]);
        }
        (line.name.starts_with("scratch_load_dword") && is_whole)
            .then_some([first, second & 0x00ff_ffff | to << 24])
    }
}

/// Registers of a file in which a function is given something.
fn arguments(f: &Function, file: File) -> Vec<u16> {
    let own = f.callee.placement.parameters.iter().filter(|p| p.system.is_none() && p.file == file);
    let registers = own.filter_map(|p| match p.place {
        Place::Register { first, .. } => Some(first..first + p.size),
        Place::Stack(_) => None,
    });
    registers.flatten().collect()
}

/// A program that keeps its contracts, with what they are.
struct Sound<'a> {
    program: &'a Program,
    compiled: &'a Compiled,
    agreed: &'a Agreed,
    /// Words of which something is taken to be so that no words show: where calls through pointers go.
    assumed: BTreeSet<u32>,
}

impl Sound<'_> {
    /// Whether the checker of contracts finds anything in words of which a function has others, or what it finds rests on more
    /// than before. That one is looked at first: mostly it is the one.
    fn breaks(&self, code: &[u8], function: usize) -> bool {
        let words = Words::of(code, self.program.wave);
        let is_new = |found: &Found| !found.is_assumed() || !self.assumed.contains(&found.word);
        let is_wrong = |found: Vec<Found>| found.iter().any(is_new);
        let others = (0..self.compiled.functions.len()).filter(|n| *n != function);
        [function].into_iter().chain(others).any(|n| is_wrong(self.agreed.function(n, &words)))
            || is_wrong(self.agreed.kernel(&words))
    }
}

/// Puts so many faults of each kind into programs.
pub(crate) fn plant(first: u64, count: u64) -> Report {
    let mut report = Report::default();
    for seed in first..first + 4000 {
        let open: Vec<usize> = (0..NAMES.len()).filter(|kind| report.counts[*kind].sum() < count).collect();
        if open.is_empty() {
            return report;
        }
        let program = Program::new(seed);
        let Ok(compiled) = program.compiled() else { continue };
        let found = compiled.proof(program.config());
        let is_sound = found.iter().all(|(_, found)| found.is_assumed());
        let Some(agreed) = compiled.agreed().filter(|_| is_sound) else { continue };
        let assumed = found.iter().map(|(_, found)| found.word).collect();
        let sound = Sound { program: &program, compiled: &compiled, agreed: &agreed, assumed };
        for kind in open {
            report.put_into(&sound, kind, &mut Rng(seed * 12 + kind as u64 + 1));
        }
    }
    report.missed.push("some kind of fault finds too few places".to_owned());
    report
}

impl Report {
    /// Some faults of a kind, each alone.
    fn put_into(&mut self, sound: &Sound<'_>, kind: usize, rng: &mut Rng) {
        let Sound { program, compiled, .. } = *sound;
        let mut all = Vec::new();
        for (n, function) in compiled.functions.iter().enumerate() {
            let victim = Victim::new(compiled, function, program.wave);
            let faults = victim.faults(kind, rng).into_iter();
            let followed = BY_SOURCE_IF_OWN.contains(&kind).then(|| victim.followed());
            let is_own = |fault: &Fault| followed.as_ref().is_some_and(|followed| followed.is_own(fault));
            let is_idle = |fault: &Fault| kind == BY_SOURCE_IF_IDLE && victim.is_idle(&fault.0);
            let is_given = |fault: &Fault| kind == 0 && victim.hands_over(&fault.0);
            all.extend(faults.map(|fault| (n, is_own(&fault) || is_idle(&fault) || is_given(&fault), fault)));
        }
        for _ in 0..EACH.min(all.len()) {
            let (function, by_source, (line, words)) = all.swap_remove(rng.below(all.len()));
            let mut code = compiled.code.clone();
            for (n, word) in words.iter().enumerate().take(line.length / 4) {
                code[line.at + 4 * n..line.at + 4 * n + 4].copy_from_slice(&word.to_le_bytes());
            }
            let by_source = by_source || BY_SOURCE.contains(&kind);
            self.judge(sound, code, (kind, by_source), (function, line));
        }
    }

    fn judge(
        &mut self,
        sound: &Sound<'_>,
        code: Vec<u8>,
        (kind, by_source): (usize, bool),
        (function, line): (usize, Line),
    ) {
        let count = &mut self.counts[kind];
        // A wait within a function is no contract's, but the rules'.
        let Sound { program, compiled, .. } = *sound;
        if sound.breaks(&code, function) || illegal(compiled, &code, program.config()).is_some() {
            return count.found += 1;
        }
        let wrong = Compiled { code, ..compiled.clone() };
        match meaning(&program.words(wrong), program.seed) {
            Ok(_) | Err(Failure::Untested { .. }) => count.nothing += 1,
            Err(_) if by_source => count.by_source += 1,
            Err(why) => {
                count.missed += 1;
                let why = why.to_string();
                let why = why.lines().next().unwrap_or_default();
                let name = &compiled.functions[function].name;
                let place = format!("{}: {name}, word {}, `{}`", program.name(), line.at / 4, line.name);
                let listing = program.listing(compiled);
                self.missed.push(format!("{}: {place}: {why}\n{listing}", NAMES[kind]));
            }
        }
    }
}
