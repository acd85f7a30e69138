//! What each step does, as data: `tests/steps/NAME.txt` holds graphs before and after the step of
//! that name. Steps behind gathering are given the graph that gathering begins with, and show what
//! they leave: where nodes write, the order, registers, words.

use super::allocate::{Place, allocate};
use super::combine::breaks::breaks;
use super::combine::dce::dce;
use super::combine::outputs::outputs;
use super::combine::sink::sink;
use super::combine::{combine, split_mads};
use super::finish::constants::Pool;
use super::finish::{Input, finish};
use super::geometry::strip;
use super::graph::parse::parse;
use super::graph::print::{head, print, print_block, print_cond, print_node};
use super::graph::{Block, Graph, Id};
use super::legal::legal_ir;
use super::legalize::{arms, choices, either, guards, rotate, tails};
use super::options::Options;
use super::schedule::gather::gather;
use super::schedule::homes::{Homes, Ordered};
use super::schedule::operands::legalize_operands;
use super::schedule::{Step, schedule};
use super::select::{Loops, select};
use super::tactic::Tactic;
use super::unit::Unit;
use crate::abi::{Abi, Interface, Wanted};
use crate::listing::exact::print_raw;
use crate::regs::FLOATS;
use chiaro_cases::Cases;
use chiaro_ir::{FunctionRef, Module};
use chiaro_opt::{Assumptions, Changed, Cx};
use std::fmt::Write;
use std::path::Path;

const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A graph through everything up to words.
struct Packed {
    graph: Graph,
    homes: Homes,
    blocks: Vec<Ordered>,
}

impl Packed {
    fn gathered(mut graph: Graph) -> Packed {
        let (homes, blocks) = gather(&mut graph, Tactic::default());
        Packed { graph, homes, blocks }
    }

    fn fitted(graph: Graph) -> Packed {
        let mut p = Packed::gathered(graph);
        legalize_operands(&mut p.graph, &mut p.homes, &mut p.blocks);
        p
    }

    fn scheduled(&self) -> Vec<Step> {
        schedule(&self.graph, &self.homes, &self.blocks).expect("an order")
    }

    /// Where a node writes: an output, a variable, slots of a web.
    fn home(&self, id: Id) -> String {
        if let Some(out) = self.homes.out(id) {
            let part = |c: Option<u8>| c.map_or('.', |c| COMPONENTS[usize::from(c & 3)]);
            return format!(" -> o{}.{}", out.register, out.from.map(part).iter().collect::<String>());
        }
        let slots = (0..self.graph.node(id).width).map(|c| COMPONENTS[usize::from(self.homes.slot(id, c))]);
        format!(" -> w{}.{}", self.homes.web(id), slots.collect::<String>())
    }

    fn print(&self) -> String {
        let mut out = head(&self.graph);
        for (block, items) in self.blocks.iter().enumerate() {
            let items = items.iter().map(|(_, item)| item);
            print_block(&mut out, &self.graph, block as Block, items, &|id| self.home(id));
        }
        out
    }

    fn print_steps(&self, steps: &[Step], remark: &dyn Fn(Id) -> String) -> String {
        let mut out = head(&self.graph);
        for step in steps {
            let _ = match step {
                Step::Node(id) => writeln!(out, "{}", print_node(&self.graph, *id, remark)),
                Step::If(cond) => writeln!(out, "if {}", print_cond(&self.graph, *cond)),
                Step::Else => writeln!(out, "else"),
                Step::EndIf => writeln!(out, "end if"),
                Step::Loop(number) => writeln!(out, "loop {number}"),
                Step::EndLoop => writeln!(out, "end loop"),
                Step::Break(cond) => writeln!(out, "break {}", print_cond(&self.graph, *cond)),
                Step::Emit(setting) => writeln!(out, "{setting}"),
            };
        }
        out
    }

    fn register(&self, id: Id, places: &[Option<Place>]) -> String {
        let place = places.get(self.homes.web(id) as usize).copied().flatten();
        let Some(place) = place.filter(|_| self.homes.out(id).is_none()) else { return self.home(id) };
        let part = |c| COMPONENTS[usize::from(place.parts[usize::from(self.homes.slot(id, c))])];
        let parts: String = (0..self.graph.node(id).width).map(part).collect();
        format!(" -> r{}.{parts}", place.register)
    }

    fn words(&self) -> String {
        let steps = self.scheduled();
        let places = match allocate(&self.graph, &self.homes, &steps) {
            Ok(places) => places,
            Err(full) => return format!("{full:?}"),
        };
        let words = finish(&Input {
            graph: &self.graph,
            homes: &self.homes,
            steps: &steps,
            places: &places,
            pool: &Pool::of_steps(&self.graph, &steps),
            first_constant: FLOATS as u8 - 1,
            bools: 0,
            last_bool: 15,
            subroutine_saves: 2,
        });
        match words {
            Ok(words) => print_raw(&words.code, &words.descriptors),
            Err(trouble) => format!("{trouble:?}"),
        }
    }
}

/// A step on the graph alone.
fn changed(text: &str, step: impl Fn(&mut Graph)) -> String {
    match parse(text) {
        Ok(mut graph) => {
            step(&mut graph);
            print(&graph)
        }
        Err(error) => error,
    }
}

/// A step behind gathering.
fn shown(text: &str, show: impl Fn(Graph) -> String) -> String {
    parse(text).map_or_else(|error| error, show)
}

/// What a pass makes of a function of the IR.
fn legalized(text: &str, run: fn(&mut Module, FunctionRef, &mut Cx<'_>) -> Changed) -> String {
    let mut module = match chiaro_ir::parse(text, chiaro_diag::FileId::default()) {
        Ok(module) => module,
        Err(error) => return format!("{error:?}"),
    };
    let before = chiaro_ir::print(&module);
    let mut cx = Cx::default();
    cx.options.assumptions = Assumptions::GRAPHICS;
    let changed = run(&mut module, FunctionRef(0), &mut cx);
    let after = chiaro_ir::print(&module);
    assert_eq!(changed == Changed::Yes, before != after, "it says {changed:?} of\n{before}");
    assert_eq!(chiaro_ir::verify(&module), Ok(()), "{after}");
    after
}

fn selected(text: &str) -> String {
    let module = match chiaro_ir::parse(text, chiaro_diag::FileId::default()) {
        Ok(module) => module,
        Err(error) => return format!("{error:?}"),
    };
    graph_of(&module).map_or_else(|error| error, |(graph, _)| print(&graph))
}

fn graph_of(module: &Module) -> Result<(Graph, Abi), String> {
    let entry = module.entry("main").ok_or("there is no `main`")?;
    let f = module.function(entry.function);
    let abi = Abi::new(module, entry, &Interface::of(module), Wanted::default()).map_err(|e| e.message)?;
    let emits = strip::settings(f).map_err(|e| e.message)?;
    let graph = select(module, f, &abi, &emits, Loops::All).map_err(|e| e.message)?;
    Ok((graph, abi))
}

fn written_outputs(graph: &mut Graph) {
    let _ = outputs(graph, &mut Abi::default());
}

fn allocated(graph: Graph) -> String {
    let packed = Packed::fitted(graph);
    let steps = packed.scheduled();
    match allocate(&packed.graph, &packed.homes, &steps) {
        Ok(places) => packed.print_steps(&steps, &|id| packed.register(id, &places)),
        Err(full) => format!("{full:?}"),
    }
}

fn scheduled(graph: Graph) -> String {
    let packed = Packed::fitted(graph);
    packed.print_steps(&packed.scheduled(), &|id| packed.home(id))
}

#[test]
fn steps_do_what_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps");
    let mut cases = Cases::new();
    let mut file = |name: &str, make: &dyn Fn(&str) -> String| cases.of_file(&folder.join(name), make);
    file("choices.txt", &|text| legalized(text, choices));
    file("arms.txt", &|text| legalized(text, arms));
    file("rotate.txt", &|text| legalized(text, rotate));
    file("either.txt", &|text| legalized(text, either));
    file("tails.txt", &|text| legalized(text, tails));
    file("guards.txt", &|text| legalized(text, guards));
    file("select.txt", &selected);
    file("breaks.txt", &|text| changed(text, breaks));
    file("dce.txt", &|text| changed(text, dce));
    file("outputs.txt", &|text| changed(text, written_outputs));
    file("combine.txt", &|text| {
        changed(text, |graph| combine(graph, Tactic::default(), Assumptions::GRAPHICS))
    });
    file("split_mads.txt", &|text| changed(text, split_mads));
    file("sink.txt", &|text| changed(text, sink));
    file("gather.txt", &|text| shown(text, |graph| Packed::gathered(graph).print()));
    file("operands.txt", &|text| shown(text, |graph| Packed::fitted(graph).print()));
    file("schedule.txt", &|text| shown(text, scheduled));
    file("allocate.txt", &|text| shown(text, allocated));
    file("finish.txt", &|text| shown(text, |graph| Packed::fitted(graph).words()));
    cases.finish();
}

/// Texts that are no graphs; the error names the line.
#[test]
fn what_is_no_graph_is_refused() {
    for (text, error) in [
        ("b0:\n  n0.x = mul v0.x", "line 2: `mul` has 2 operands"),
        ("b0:\n  n0.xy = mov v0.x", "line 2: operand 0 has 1 components, 2 are read"),
        ("b0:\n  n0.y = mov v0.x", "line 2: components count from x on"),
        ("b0:\n  n0.x = frobnicate v0.x", "line 2: no such operation"),
        ("b0:\n  n1.x = mov v0.x", "n0 is not defined"),
        ("b0:\n  n0.x = mov n1.x", "Component { base: Node(1)"),
        ("b0:\n  if b0 b1 b1", "there is no b1"),
        ("b0:\n  n0 <- {_ . . .}\n  n0.x = mov v0.x", "n0 is no variable"),
        ("b1:", "line 1: blocks are numbered from 0 on"),
        ("var n0.x\nvar n0.x", "line 2: n0 is defined twice"),
    ] {
        let found = parse(text).map(|graph| print(&graph));
        assert!(found.as_ref().is_err_and(|e| e.starts_with(error)), "{text}: {found:?}");
    }
}

fn wgsl(name: &str) -> Module {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = chiaro_diag::SourceMap::new();
    let file = sources.add(name, text.clone());
    let hub = chiaro_spirv::wgsl::read(&text, file, &Default::default()).unwrap();
    chiaro_spirv::read(&hub.words, &Default::default(), &mut sources).unwrap().module
}

/// Shaders as they come to selection.
fn shaders() -> Vec<(String, Module)> {
    let names = ["clamp_mix", "constant_out", "fog", "lambert", "loop_lights", "mvp", "quat_view", "select"];
    let own = names.into_iter().map(|name| (name.to_owned(), wgsl(&format!("{name}.wgsl"))));
    let random = (0..60).map(|seed| (format!("seed {seed}"), chiaro_ir::random::vertex::module(seed, 60)));
    let legal = |module: Module| {
        legal_ir(&module, "main", &Options::default(), Unit::Vertex, &mut Cx::default()).ok().map(|l| l.0)
    };
    own.chain(random).filter_map(|(name, module)| Some((name, legal(module)?))).collect()
}

/// The text says all of a graph: what is read back prints the same and becomes the same words.
#[test]
fn text_reads_back_to_the_same_graph() {
    let mut tried = 0;
    for (name, module) in shaders() {
        let Ok((mut graph, mut abi)) = graph_of(&module) else { continue };
        for step in 0..3 {
            let text = print(&graph);
            let read = parse(&text).unwrap_or_else(|e| panic!("{name}, {step}: {e}\n{text}"));
            assert_eq!(print(&read), text, "{name}, {step}");
            let (own, other) = (Packed::fitted(graph.clone()), Packed::fitted(read));
            assert_eq!(own.words(), other.words(), "{name}, {step}:\n{text}");
            match step {
                0 => dce(&mut graph),
                1 => {
                    outputs(&mut graph, &mut abi);
                    combine(&mut graph, Tactic::default(), Assumptions::GRAPHICS);
                    sink(&mut graph);
                    dce(&mut graph);
                }
                _ => tried += 1,
            }
        }
    }
    assert!(tried > 50, "only {tried} shaders were selected");
}

/// The module of a shader of `tests/words`.
fn glsl(name: &str) -> Module {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/words").join(name);
    let mut sources = chiaro_diag::SourceMap::new();
    let file = sources.add(name, std::fs::read_to_string(path).unwrap());
    let options = chiaro_glsl::source::Options::new(chiaro_glsl::source::Stage::Vertex);
    let (hub, _) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    chiaro_spirv::read_module(&hub.unwrap(), &Default::default(), &mut sources).unwrap().module
}

/// Writes the graphs of a shader before each step: what new cases are made from.
#[test]
#[ignore = "prints material for cases"]
fn graphs_of_a_shader() {
    let name = std::env::var("CHIARO_SHADER").unwrap_or_else(|_| "lambert.wgsl".to_owned());
    let module = if name.ends_with(".wgsl") { wgsl(&name) } else { glsl(&name) };
    let mut cx = Cx::default();
    cx.options.limits.unroll_cost = 0;
    let module = legal_ir(&module, "main", &Options::default(), Unit::Vertex, &mut cx).unwrap().0;
    println!("{}", chiaro_ir::print(&module));
    let (mut graph, mut abi) = graph_of(&module).unwrap();
    println!("selected\n{}", print(&graph));
    dce(&mut graph);
    outputs(&mut graph, &mut abi);
    println!("before combine\n{}", print(&graph));
    combine(&mut graph, Tactic::default(), Assumptions::GRAPHICS);
    sink(&mut graph);
    dce(&mut graph);
    println!("before gather\n{}", print(&graph));
}

/// What has to be left out for a program to fit is counted.
#[test]
fn steps_that_are_left_out_are_counted() {
    let left_out = |module: &Module| {
        let made =
            super::compile(module, &Default::default(), "main", &Options::default(), &mut Cx::default());
        made.unwrap_or_else(|e| panic!("{}", e.message)).statistics.left_out
    };
    assert_eq!(left_out(&chiaro_ir::random::vertex::module(0, 60)), 1, "it does not fit with all of them");
    assert_eq!(left_out(&wgsl("fog.wgsl")), 0);
}
