//! The driver: steps run in order, are reported, verified, and stopped where asked.

use std::sync::LazyLock;

use chiaro_ir::{Module, Stage};
use chiaro_isa::{Isa, Set};
use chiaro_mach::toy::{MACHINES, Shape, TIMING, generate};
use chiaro_mach::*;

static SET: Set = Set {
    name: "toy",
    title: "Toy",
    about: "",
    operations: &[],
    generations: &["one"],
    dialects: &["plain"],
    rules: &[],
    fold_case: false,
};
static ISA: LazyLock<Isa> = LazyLock::new(|| Isa::new(&SET, 0));

/// Selects random code, and makes a word of every instruction.
struct Toy;

impl BackEnd for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn isa(&self, _: &Config) -> &'static Isa {
        &ISA
    }

    fn files(&self, _: &Config) -> &'static [RegFile] {
        &MACHINES[0]
    }

    fn legalize(&self, _: &Config) -> &'static [chiaro_opt::Pass] {
        &[]
    }

    fn select(&self, _: &Module, key: &PartKey, _: &mut Cx<'_>) -> Outcome<Unit> {
        let code = generate(5, Shape { insts: 40, depth: 2, alive: 16 });
        let entry = Entry { name: key.entry.clone(), kind: key.kind, function: 0 };
        Ok(Unit { functions: vec![code], entries: vec![entry], ..Unit::default() })
    }

    fn steps(&self, _: &Config) -> &'static [Step] {
        STEPS
    }

    fn timing(&self, _: &Config) -> &'static dyn Timing {
        &TIMING
    }

    fn finish(&self, unit: Unit, _: &mut Cx<'_>) -> Outcome<Artifact> {
        let words = unit.functions.iter().flat_map(|code| code.blocks().flat_map(|b| code.insts(b).to_vec()));
        let part = Part { words: words.map(|inst| u64::from(inst.0)).collect(), ..Part::default() };
        Ok(Artifact { parts: vec![part], ..Artifact::default() })
    }
}

fn run(stop_after: Option<u32>) -> (Artifact, Vec<String>) {
    let mut reported = Vec::new();
    let mut watch = |event: &Event<'_>| {
        let text = print(&event.unit.functions[0], event.names);
        assert!(text.starts_with("function toy5\n"), "{text}");
        reported.push(format!("{} {}", event.number, event.step));
    };
    let mut cx = Cx::new(Config::new(Stage::Vertex));
    (cx.verify, cx.stop_after) = (true, stop_after);
    cx.watch = Some(&mut watch);
    let artifact = compile(&Toy, &mut Module::default(), &PartKey::main("main"), &mut cx);
    assert_eq!(cx.breach, None);
    (artifact.unwrap_or_default(), reported)
}

#[test]
fn steps_run_in_order() {
    let (artifact, reported) = run(None);
    assert_eq!(
        reported,
        [
            "1 split_critical_edges",
            "2 schedule_for_pressure",
            "3 allocate",
            "4 lower_copies",
            "5 schedule_for_latency"
        ]
    );
    assert!(artifact.parts[0].words.len() > 40);
}

#[test]
fn a_run_stops_where_it_is_reported_to() {
    let (artifact, reported) = run(Some(3));
    assert_eq!(reported, ["1 split_critical_edges", "2 schedule_for_pressure", "3 allocate"]);
    assert!(artifact.parts.is_empty());
}

#[test]
fn what_does_not_fit_is_reported() {
    // A call's argument of forty units in a file of twenty.
    let mut code = Code::new("wide");
    let block = code.block(0);
    let value = code.value(toy::WAVE, 40, 1);
    let operand = code.operand(value);
    code.push(block, Op::Start, &[operand], &[]);
    code.push(block, Op::Return, &[], &[operand]);
    let error = allocate(&mut code, &MACHINES[0]).map_err(|error| error.to_string());
    assert_eq!(error, Err("40 units of register file 0 are needed at once, 18 exist".to_owned()));
}
