//! Programs of functions, drawn at random under conventions that are drawn, too: compiled, their contracts proven, run,
//! compared with the source. Then faults put into their words, which the checker of contracts has to find.

mod faults;

use chiaro_cases::{digest, head, written};
use chiaro_ir::Module;
use chiaro_isa::finding::Severity;
use chiaro_opt::Cx;
use chiaro_rdna::abi::convention::Convention;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::abi::shipped;
use chiaro_rdna::check::{Config, Found, check_functions};
use chiaro_rdna::compile::compiled::Function;
use chiaro_rdna::compile::{Callables, Compiled, Options, compile_with};
use chiaro_rdna::listing;
use chiaro_rdna::verify::Words;
use chiaro_target::Failure;
use chiaro_target::proof::kernel::meaning;

use crate::common::random::{self, Refused, has_no_room, number};
use crate::common::{conventions, kernel};

/// How often a function may be open at once: what kernels ask for, and what leads there.
const OPEN: u32 = 6;

/// A program by its seed.
struct Program {
    seed: u64,
    module: Module,
    wave: u8,
    abi: Abi,
    convention: Option<Convention>,
}

impl Program {
    fn new(seed: u64) -> Program {
        let tails = matches!(seed % 5, 1 | 3);
        let kind =
            random::Kind { points: seed >> 1 & 1 == 1, cycles: seed >> 2 & 1 == 1, parts: false, tails };
        let module = random::module(seed, kind);
        let shipped = |name: &str| shipped::convention(name);
        let convention = match seed / 8 % 12 {
            0 => None,
            1 => shipped("compute"),
            2 => shipped("rt_recursive"),
            3 => shipped("ahit_isec"),
            4 => shipped("traversal"),
            _ => Some(conventions::convention(seed)),
        };
        let (wave, abi) = (
            if seed & 1 == 0 { 32 } else { 64 },
            if seed.is_multiple_of(3) { Abi::Hsa } else { Abi::Vulkan },
        );
        Program { seed, module, wave, abi, convention }
    }

    fn name(&self) -> String {
        let convention = self.convention.as_ref().map_or("closed", |convention| &convention.name);
        format!("seed {}, waves of {}, {convention}", self.seed, self.wave)
    }

    fn compiled(&self) -> Result<Compiled, String> {
        let stands_for = ["main", "at_", "again_", "through_", "deeper_", "dot3"];
        let is_own = |name: &String| !stands_for.iter().any(|no| name.starts_with(no));
        let names = self.module.functions.iter().map(|f| f.name.clone()).filter(is_own).collect();
        let convention = self.convention.clone();
        let callables = Callables { names, convention, recursion: Some(OPEN), ..Callables::default() };
        let options = Options { wave: self.wave, abi: self.abi, ..Options::default() };
        let mut cx = Cx { verify: true, ..Cx::default() };
        compile_with(&mut self.module.clone(), "main", options, &callables, &mut cx)
            .map_err(|errors| format!("{} ({})", errors[0].message, errors[0].help.join(" ")))
    }

    /// Its words as text, if somebody wants to see them, behind the IR that they are of.
    fn listing(&self, compiled: &Compiled) -> String {
        match std::env::var("LISTING").as_deref() {
            Ok("ir") => chiaro_ir::print(&compiled.module) + &listing::code(&compiled.code, self.wave, 0),
            Ok(_) => listing::code(&compiled.code, self.wave, 0),
            Err(_) => String::new(),
        }
    }

    fn config(&self) -> Config {
        Config { wave: self.wave, group: None }
    }

    fn words(&self, compiled: Compiled) -> Words<'_> {
        Words { source: &self.module, entry: &self.module.entries[0], compiled }
    }
}

#[derive(Default)]
struct Counts {
    programs: u64,
    called: u64,
    through: u64,
    cycles: u64,
    /// Programs in which lanes go on to other functions.
    goes_on: u64,
    refused: Refused,
    untested: u64,
    failures: Vec<String>,
    /// A line for each program: code, what its contracts are found to be, what running it proves.
    made: String,
}

impl Counts {
    fn take(&mut self, program: &Program) {
        self.programs += 1;
        let compiled = match program.compiled() {
            Ok(compiled) => compiled,
            Err(why) if has_no_room(&why) => return self.refused.note(&why),
            Err(why) => {
                let source =
                    std::env::var("LISTING").map_or(String::new(), |_| chiaro_ir::print(&program.module));
                return self.failures.push(format!("{}: {why}\n{source}", program.name()));
            }
        };
        self.called += u64::from(!compiled.functions.is_empty());
        self.through += u64::from(!compiled.sites.is_empty());
        self.goes_on += u64::from(compiled.functions.iter().any(|f| f.callee.dispatch().is_some()));
        self.cycles +=
            u64::from(compiled.chains.iter().flat_map(|chain| &chain.0).any(|link| link.times > 1));
        let listing = || program.listing(&compiled);
        let found = compiled.contracts(program.config());
        let said: String = found.iter().map(|(of, f)| format!("{of} {} {:?}", f.word, f.finding)).collect();
        let words = digest(&listing::code(&compiled.code, program.wave, 0));
        self.made += &format!("{}: {words} {}", program.name(), digest(&said));
        let is_breach = |f: &Found| f.finding.rule.id != "unproved";
        if let Some((of, f)) = found.iter().find(|(_, f)| is_breach(f)).or(found.first()) {
            let rule = f.finding.rule.id;
            let why = format!("{}: {rule}: {of}, word {}: {}", program.name(), f.word, f.finding.message);
            return self.failures.push(format!("{why}\n{}", listing()));
        }
        if let Some(found) = illegal(&compiled, &compiled.code, program.config()) {
            let why = format!("{}: word {}: {}", program.name(), found.word, found.finding.message);
            return self.failures.push(format!("{why}\n{}", listing()));
        }
        let text = listing();
        let proof = meaning(&program.words(compiled), program.seed);
        self.made += &format!(" {}\n", digest(&format!("{proof:?}")));
        match proof {
            Ok(_) => {}
            Err(Failure::Untested { .. }) => self.untested += 1,
            Err(why) => self.failures.push(format!("{}: {why}\n{text}", program.name())),
        }
    }
}

/// What is wrong with words of a program by the rules of the hardware.
fn illegal(compiled: &Compiled, code: &[u8], config: Config) -> Option<Found> {
    let found = check_functions(code, &compiled.entries(), config);
    found.into_iter().find(|found| found.finding.rule.severity == Severity::Error)
}

/// As many programs as `PROGRAMS` says, from seed `SEED` on.
#[test]
fn random_programs_mean_what_their_source_does() {
    let (first, count) = (number("SEED", 0), number("PROGRAMS", 48));
    let mut counts = Counts::default();
    for seed in first..first + count {
        counts.take(&Program::new(seed));
    }
    let Counts { programs, called, through, cycles, goes_on, refused, untested, mut failures, made } = counts;
    println!(
        "{programs} programs: {called} with calls, {through} through pointers, {cycles} with cycles, {goes_on} with lanes \
         that go on, {untested} untested, {} refused, {} failures\n{refused}",
        refused.count(),
        failures.len()
    );
    failures.truncate(number("SHOWN", 12) as usize);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(untested * 4 < count && refused.count() * 3 < count, "{untested} untested\n{refused}");
    if (count, first) == (48, 0) {
        written(
            env!("CARGO_MANIFEST_DIR"),
            "tests/made/programs.txt",
            &(head("program: code contracts proof") + &made),
        );
    }
}

/// Programs whose contracts hold and once were not proven, or that have registers and once were refused for want of them.
const FAILED_ONCE: [(u64, &str); 12] = [
    (1_000_709, "a mask that moves through a register of the other parity in waves of 64"),
    (1_000_861, "a parameter on the stack that a function hands on where it stands"),
    (1_000_893, "the same"),
    (10_003_632, "masks among more scalars in lanes than are followed"),
    (10_021_006, "what lanes that wait hold on a way on which none wait"),
    (10_003_224, "scalars in all of the last registers are parameters"),
    (10_040_093, "the same in waves of 64"),
    (10_004_059, "all vector registers are taken, and some have to be left to scalars that are saved"),
    (10_040_788, "a phi in scratch is anything on one way"),
    (10_067_882, "a pointer that all lanes share is chosen lane by lane"),
    (30_000_219, "the same"),
    (70_006_511, "more masks of lanes that wait than tuples of them can be followed"),
];

#[test]
fn what_failed_once_does_not() {
    let mut counts = Counts::default();
    FAILED_ONCE.iter().for_each(|(seed, _)| counts.take(&Program::new(*seed)));
    assert_eq!((counts.refused.count(), counts.untested), (0, 0));
    assert!(counts.failures.is_empty(), "{}", counts.failures.join("\n"));
}

/// So many faults of each kind as `FAULTS` says, into programs from seed `SEED` on.
#[test]
fn faults_in_functions_are_found() {
    let report = faults::plant(number("SEED", 0), number("FAULTS", 5));
    println!("{report}");
    assert!(report.missed.is_empty(), "{report}");
}

/// An array on the stack is proven to stay in its frame where its index is masked, and only then.
#[test]
fn places_within_bounds_are_proven() {
    let functions = "uint f(uint a, uint k) {
        uint t[128];
        for (uint n = 0u; n < 128u; n++) t[(n * 5u + a) & 127u] = a * n + k;
        return t[k & 127u] + t[a & 127u];
    }";
    let module = kernel::load(functions, "b.d[i] = f(b.d[i], i);");
    for wave in [32, 64] {
        let names = vec!["f".to_owned()];
        let callables =
            Callables { names, convention: shipped::convention("compute"), ..Callables::default() };
        let options = Options { wave, ..Options::default() };
        let made = compile_with(&mut module.clone(), "main", options, &callables, &mut Cx::default());
        let right = made.unwrap_or_else(|why| panic!("{}", why[0].message));
        let config = Config { wave, group: None };
        let said =
            |compiled: &Compiled| compiled.contracts(config).first().map(|(_, f)| f.finding.message.clone());
        assert_eq!(said(&right), None, "{}", listing::code(&right.code, wave, 0));
        let masks = faults::places(&right, wave, "v_and_b32");
        let told = masks.into_iter().filter_map(|bytes| {
            let mut wrong = right.clone();
            let nothing = 0xbf80_0000u32.to_le_bytes();
            bytes.step_by(4).for_each(|at| wrong.code[at..at + 4].copy_from_slice(&nothing));
            said(&wrong)
        });
        let told: Vec<String> = told.collect();
        assert!(told.iter().any(|why| why.contains("at an address nobody knows")), "{told:?}");
    }
}

/// What lanes have on the stack that wait for their function is theirs when it comes to run: whatever else is stored there is
/// found.
#[test]
fn lanes_that_wait_keep_what_they_have_on_the_stack() {
    let program = Program::new(10_040_788);
    let compiled = program.compiled().unwrap_or_else(|why| panic!("{why}"));
    let (mut planted, mut missed) = (0, Vec::new());
    for bytes in faults::places(&compiled, program.wave, "scratch_store_dword") {
        let is_here = |f: &&Function| f.bytes.contains(&(bytes.start as u32));
        let dispatches = |f: &Function| f.callee.dispatch().is_some();
        // Parameters stand below the stack pointer: the offset has a sign.
        let is_parameter = compiled.code[bytes.start + 1] >> 3 & 1 == 1;
        if !(is_parameter && compiled.functions.iter().find(is_here).is_some_and(dispatches)) {
            continue;
        }
        let mut wrong = compiled.clone();
        // What lanes want stands in v0.
        wrong.code[bytes.start + 5] = 0;
        planted += 1;
        missed.extend(wrong.contracts(program.config()).is_empty().then_some(bytes.start / 4));
    }
    assert!(
        planted > 20 && missed.is_empty(),
        "{planted} planted, of which at words {missed:?} none is found"
    );
}
