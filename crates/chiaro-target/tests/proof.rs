//! What checked compilation refuses, and what it does not: `proof.txt`.
//!
//! A case is a source, the legal IR that a compiler claims to have made of it, and code, which is IR as
//! well: the machine here is the interpreter. Wrong programs must be refused for the right reason.

use std::path::Path;

use chiaro_cases::Cases;
use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Counterexample, Exact, Interpreter, Interval, NoImages, Options, Precision};
use chiaro_ir::sample::Sample;
use chiaro_ir::{GlobalRef, Module};
use chiaro_target::proof::buffer;
use chiaro_target::proof::subject::Leaving;
use chiaro_target::proof::{Compared, FUEL, Failure, Float, Order, Program, Stored, Subject, verify};

/// Three modules with the same variables.
struct Toy {
    source: Module,
    legal: Module,
    code: Module,
    order: Order,
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
    fn rules(&self) -> Result<(), Failure> {
        Ok(())
    }
    /// Each invocation alone: what it leaves of the buffer, the next one does not find.
    fn run_leaving(&self, outputs: &[Float], sample: &Sample, fill: f32) -> Result<Vec<Leaving>, Failure> {
        let one = |lane: usize| {
            let own = sample.attributes.iter().map(|(&g, all)| (g, vec![all[lane].clone()])).collect();
            let sample = Sample { lanes: 1, attributes: own, uniforms: sample.uniforms.clone() };
            let stored = self.run(outputs, &sample, fill)?.remove(0);
            let buffers = vec![(BUFFER, self.left(&sample, fill))];
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
            Some(f32::from_le_bytes(*bytes))
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
    /// What the code leaves of the buffer.
    fn left(&self, sample: &Sample, fill: f32) -> Vec<u8> {
        let code = program(&self.code);
        let mut run = Interpreter::new(code.module, code.entry);
        run.options = Options { fuel: FUEL, undef: fill.to_bits().into(), ..Options::default() };
        sample.uniforms.iter().for_each(|(&g, bytes)| run.set(g, bytes.clone()));
        let ended = run.run(sample.lanes, &sample.attributes, &mut NoImages).is_ok();
        run.bytes(BUFFER).filter(|_| ended).map(<[u8]>::to_vec).unwrap_or_default()
    }
}

/// The place of @s in [`HEAD`].
const BUFFER: GlobalRef = GlobalRef(6);

/// The variables that all cases have.
const HEAD: &str = "struct Data { n: i32 at 0, x: f32 at 4 }\nglobal @a: input f32 location(0)\nglobal @b: input f32 location(1)\nglobal @u: uniform f32\n\
    global @n: uniform i32\nglobal @o: output f32 location(0)\nglobal @p: output f32 location(1)\n\
    global @s: storage Data set(0) binding(0)\n";

fn module(stage: &str, body: &str) -> Module {
    let text = format!("{HEAD}entry {stage} \"main\" = @f\nfn @f() {{\n{body}  return\n}}\n");
    let module = chiaro_ir::parse(&text, SourceMap::new().add("case", text.as_str()));
    module.unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// What becomes of a case: the kind of failure with its place, without the numbers.
fn judged(text: &str) -> String {
    let (order, text) = match text.strip_prefix("; in any order\n") {
        Some(text) => (Order::Changed, text),
        None => (Order::Kept, text),
    };
    let (stage, text) = match text.strip_prefix("; of fragments\n") {
        Some(text) => ("fragment", text),
        None => ("vertex", text),
    };
    let mut parts = text.split("; ---\n");
    let source = parts.next().unwrap_or_default();
    let legal = parts.next().unwrap_or(source);
    let code = parts.next().unwrap_or(legal);
    let [source, legal, code] = [source, legal, code].map(|body| module(stage, body));
    let toy = Toy { source, legal, code, order };
    match verify(&toy, 64, 1) {
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
    let mut cases = Cases::new();
    cases.of_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/proof.txt"), judged);
    cases.finish();
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
