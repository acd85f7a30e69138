//! What checked compilation refuses, and what it does not: `proof.txt`.
//!
//! A case is a source, the legal IR that a compiler claims to have made of it, and code, which is IR as
//! well: the machine here is the interpreter. Wrong programs must be refused for the right reason.

use std::collections::BTreeSet;

use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Counterexample, Exact, Interpreter, Interval, NoImages, Options, Precision};
use chiaro_ir::sample::{Numbers, Sample};
use chiaro_ir::{GlobalRef, Module};
use chiaro_target::proof::buffer;
use chiaro_target::proof::subject::Leaving;
use chiaro_target::proof::{
    Compared, FUEL, Failure, Float, Order, Program, Stored, Subject, legal_against_code, names_nan, verify,
};

/// Three modules with the same variables.
struct Toy {
    source: Module,
    legal: Module,
    code: Module,
    order: Order,
    /// Whether `@p` at zero leaves nothing of a fragment, and `@p` unwritten leaves that open.
    masked: bool,
    /// Whether `@m`, the mask of samples, is compared.
    sampled: bool,
}

fn program(module: &Module) -> Program<'_> {
    Program { module, entry: &module.entries[0] }
}

impl Subject for Toy {
    type Bounds = Interval;
    type Machine = Exact;
    const EXACT: u32 = 1 << 24;

    fn round(x: f32) -> f32 {
        x
    }
    fn source(&self) -> Program<'_> {
        program(&self.source)
    }
    fn bounds(&self) -> Interval {
        Interval { precision: Precision::VULKAN }
    }
    fn legal(&self) -> Program<'_> {
        program(&self.legal)
    }
    fn machine(&self) -> Exact {
        Exact
    }
    fn order(&self) -> Order {
        self.order
    }
    fn fit(&self, sample: &mut Sample) {
        buffer::fill(&self.source, &self.source.entries[0], sample);
    }
    fn outputs(&self) -> Vec<Float> {
        let mask = program(&self.source).mask().filter(|_| self.sampled);
        program(&self.source).outputs().into_iter().chain(mask).collect()
    }
    fn rules(&self) -> Result<(), Failure> {
        Ok(())
    }
    fn leaves_nothing(&self, _: &[Float], numbers: &[(f64, f64)]) -> Option<bool> {
        match numbers.last() {
            Some((_, error)) if self.masked && *error != 0.0 => None,
            Some((value, _)) => Some(self.masked && *value == 0.0),
            None => Some(false),
        }
    }
    /// Each invocation alone: what it leaves of the buffer, the next one does not find.
    fn run_leaving(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Leaving>, Failure> {
        let one = |lane: usize| {
            let own = sample.attributes.iter().map(|(&g, all)| (g, vec![all[lane].clone()])).collect();
            let sample = Sample { lanes: 1, attributes: own, uniforms: sample.uniforms.clone() };
            let stored = self.run(outputs, &sample, fill)?.remove(0);
            let buffers = vec![(self.buffer(), self.left(&sample, fill))];
            Ok(Leaving { stored, buffers, ..Leaving::default() })
        };
        (0..sample.lanes).map(one).collect()
    }
    fn run(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Stored>, Failure> {
        let code = program(&self.code);
        let mut run = Interpreter::new(code.module, code.entry);
        run.options = Options { fuel: FUEL, undef: fill.to_bits().into(), ..Options::default() };
        sample.uniforms.iter().for_each(|(&g, bytes)| run.set(g, bytes.clone()));
        let ran = run.run(sample.lanes, &sample.attributes, &mut NoImages);
        let (report, written) = ran.map_err(|fault| Failure::Stopped(fault.to_string()))?;
        let number = |lane: usize, float: &Float| {
            let bytes = written.get(&float.variable)?.get(lane)?.get(float.offset..)?.first_chunk()?;
            // A mask is a whole number.
            let is_mask = code.module.global(float.variable).name == "m";
            Some(if is_mask { u32::from_le_bytes(*bytes) as f32 } else { f32::from_le_bytes(*bytes) })
        };
        let stored = |lane: usize| match report.ended[lane] {
            true => Stored::new(),
            false => outputs.iter().map(|float| number(lane, float)).collect(),
        };
        Ok((0..sample.lanes).map(stored).collect())
    }

    fn listing(&self) -> String {
        chiaro_ir::print(program(&self.code).module)
    }
}

impl Toy {
    /// The place of @s in [`HEAD`].
    fn buffer(&self) -> GlobalRef {
        GlobalRef(self.source.globals.len() as u32 - 1)
    }

    /// What the code leaves of the buffer.
    fn left(&self, sample: &Sample, fill: f32) -> Vec<u8> {
        let code = program(&self.code);
        let mut run = Interpreter::new(code.module, code.entry);
        run.options = Options { fuel: FUEL, undef: fill.to_bits().into(), ..Options::default() };
        sample.uniforms.iter().for_each(|(&g, bytes)| run.set(g, bytes.clone()));
        let ended = run.run(sample.lanes, &sample.attributes, &mut NoImages).is_ok();
        run.bytes(self.buffer()).filter(|_| ended).map(<[u8]>::to_vec).unwrap_or_default()
    }
}

/// The variables that all cases have.
const HEAD: &str = "struct Data { n: i32 at 0, x: f32 at 4, h: f16 at 8 }
global @a: input f32 location(0)
global @b: input f32 location(1)
global @u: uniform f32
global @n: uniform i32
global @o: output f32 location(0)
global @p: output f32 location(1)
global @m: output i32 builtin(20)
global @s: storage Data set(0) binding(0)
";

fn module(stage: &str, has_outputs: bool, body: &str) -> Module {
    let is_there = |line: &&str| has_outputs || !line.contains(": output");
    let head: String = HEAD.lines().filter(is_there).map(|line| format!("{line}\n")).collect();
    let text = format!("{head}entry {stage} \"main\" = @f\nfn @f() {{\n{body}  return\n}}\n");
    let module = chiaro_ir::parse(&text, SourceMap::new().add("case", text.as_str()));
    module.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// Reading an output gives it no value.
#[test]
fn outputs_that_are_only_read_are_not_written() {
    let module = module("vertex", true, "  %0: f32 = load @p\n  store @o, %0\n");
    let names: Vec<&str> =
        program(&module).written().into_iter().map(|g| module.global(g).name.as_str()).collect();
    assert_eq!(names, ["o"]);
}

/// The modules of a case.
fn toy(text: &str) -> Toy {
    let options: Vec<&str> =
        text.lines().map_while(|line| line.strip_prefix("; ").filter(|option| *option != "---")).collect();
    let is_set = |option: &str| options.contains(&option);
    let order = match () {
        () if is_set("in any order") => Order::Changed,
        () if is_set("mostly in order") => Order::Likely,
        () => Order::Kept,
    };
    let stage = if is_set("of fragments") { "fragment" } else { "vertex" };
    let mut parts = text.split("; ---\n");
    let source = parts.next().unwrap_or_default();
    let legal = parts.next().unwrap_or(source);
    let code = parts.next().unwrap_or(legal);
    let [source, legal, code] =
        [source, legal, code].map(|body| module(stage, !is_set("without outputs"), body));
    let (masked, sampled) = (is_set("whose `@p` is a mask"), is_set("whose `@m` counts"));
    Toy { source, legal, code, order, masked, sampled }
}

/// What becomes of a case: the kind of failure with its place, without the numbers.
fn judged(text: &str) -> String {
    match verify(&toy(text), 64, 1) {
        Ok(found) => match found.too_large {
            Some(example) => format!("right for small integers, not for output `{}`", example.output),
            None => "right".to_owned(),
        },
        Err(Failure::Words(wrong)) => {
            format!("the code does not compute what legal IR says: `{}`", wrong.output)
        }
        Err(Failure::Meaning(wrong)) => {
            format!("legal IR does not mean what the source does: `{}`", wrong.output)
        }
        Err(Failure::Untested { why, .. }) => format!("not proved: {why}"),
        Err(other) => other.to_string(),
    }
}

#[test]
fn wrong_programs_are_refused() {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), "tests/proof.txt", judged);
}

/// What is wrong fails though all else is proved, and what proves next to nothing does not pass.
#[test]
fn comparisons_pass_by_what_they_prove() {
    let compared = |conclusive, inconclusive| Compared { conclusive, inconclusive, ..Compared::default() };
    assert_eq!([(4, 1), (4, 2), (0, 1)].map(|(a, b)| compared(a, b).passed()), [true, false, false]);
    let (vertex, output, component) = (0, String::new(), 0);
    let wrong = Counterexample { vertex, output, component, expected: 1.0, allowed: 0.0, found: 2.0 };
    assert!(!Compared { wrong: Some(wrong), ..compared(4, 0) }.passed());
}

/// Invocations prove something if they have outputs, so many as they are.
#[test]
fn what_has_no_outputs_proves_nothing() {
    let proved = |text: &str, lanes: usize| {
        let toy = toy(text);
        let sample = Sample::new(&toy.source, &toy.source.entries[0], lanes, Numbers::new(1, |x| x));
        legal_against_code(&toy, &sample).unwrap_or_else(|why| panic!("{why}")).conclusive
    };
    let writes = "  %0: f32 = load @a\n  store @o, %0\n";
    assert_eq!([proved(writes, 4), proved(writes, 0), proved("; without outputs\n", 4)], [4, 0, 0]);
}

/// What invocations find in a buffer: small integers and floats around zero, many of each, and bools that are one or the other.
#[test]
fn buffers_hold_numbers_that_shaders_have() {
    let text = "struct Data { n: array<i32, 64, stride 4> at 0, x: array<f32, 64, stride 4> at 256, b: array<bool, 64, stride 4> at 512 }
global @s: storage Data set(0) binding(0)
entry vertex \"main\" = @f
fn @f() { return }
";
    let module = chiaro_ir::parse(text, SourceMap::new().add("buffer", text)).expect("IR");
    let mut sample = Sample::default();
    buffer::fill(&module, &module.entries[0], &mut sample);
    let (integers, rest) = sample.uniforms[&GlobalRef(0)].split_at(256);
    let (floats, bools) = rest.split_at(256);
    let integers: BTreeSet<u32> = chiaro_isa::dwords(integers).collect();
    let quarters: BTreeSet<i32> =
        chiaro_isa::dwords(floats).map(|bits| (f32::from_bits(bits) * 4.0) as i32).collect();
    assert!(integers.len() > 8 && integers.iter().all(|n| *n < 16), "{integers:?}");
    assert!(quarters.len() > 8 && quarters.iter().all(|n| (-8..8).contains(n)), "{quarters:?}");
    assert_eq!(chiaro_isa::dwords(bools).collect::<BTreeSet<u32>>(), BTreeSet::from([0, 1]));
}

/// Floats of outputs have the ways that lead to them, and a mask of samples is an output that says so.
#[test]
fn outputs_have_their_ways() {
    let text = "struct Out { a: f32, b: array<vec2<f32>, 2> }
global @in: input i32 builtin(20)
global @depth: output f32 builtin(22)
global @mask: output i32 builtin(20)
global @o: output Out location(0)
entry fragment \"main\" = @f
fn @f() { return }
";
    let module = chiaro_ir::parse(text, SourceMap::new().add("outputs", text)).expect("IR");
    let outputs = program(&module).outputs();
    let of = |n: u32| outputs.iter().filter(move |float| float.variable == GlobalRef(n));
    let ways: Vec<(&[u32], usize)> = of(3).map(|float| (&float.path[..], float.component)).collect();
    assert_eq!(ways, [(&[0][..], 0), (&[1, 0], 0), (&[1, 0], 1), (&[1, 1], 0), (&[1, 1], 1)]);
    assert_eq!(program(&module).mask().map(|mask| mask.variable), Some(GlobalRef(2)));
}

/// A module names a NaN where a constant float is one: not where an integer has its bits, nor by any other float.
#[test]
fn nans_are_named_by_floats() {
    for (ty, constant, is_named) in [
        ("f32", "0x7fc00000", true),
        ("f32", "1.5", false),
        ("f32", "0x7f800000", false),
        ("i32", "2143289344", false),
        ("i32", "7", false),
    ] {
        let text = format!(
            "global @o: output {ty} location(0)\nentry vertex \"main\" = @f\nfn @f() {{\n  store @o, {constant}\n  return\n}}\n"
        );
        let module = chiaro_ir::parse(&text, SourceMap::new().add("constant", text.as_str()));
        let module = module.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
        assert_eq!(names_nan(&module), is_named, "{ty} {constant}");
    }
}
