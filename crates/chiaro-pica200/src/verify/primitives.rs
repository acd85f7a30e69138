//! Geometry programs: the triangles that the source, legal IR and the words make of a primitive.

use std::collections::HashMap;
use std::sync::Arc;

use chiaro_ir::interp::{Attributes, Domain, Emitted, Exact, Interpreter, NoImages, Options};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};

use super::words::{Registers, constants, vector};
use super::{Compared, Counterexample, FUEL, Sample, sample::Numbers, stray};
use crate::abi::{Abi, Interface, VERTICES};
use crate::compile::Compiled;
use crate::container::Shbin;
use crate::float24::Float24;
use crate::geometry::{Mode, Plan, element, slot_of};
use crate::machine::{Config, Event, Machine, Mode as Numbering, Program};
use crate::outmap::enabled;

/// How far numbers of the source may be off: one part in a thousand, and as much below one.
const TOLERANCE: f64 = 1e-3;

/// Three vertices, each with its outputs by register.
pub type Triangle = [Vec<[f32; 4]>; 3];

/// The triangles of each primitive; `None` where the source reads out of bounds.
pub type Drawn = Vec<Option<Vec<Triangle>>>;

/// Primitives to run a geometry program on.
#[derive(Clone, Debug)]
pub struct Primitives {
    /// For each primitive the registers of its vertices, one vertex behind the other.
    pub registers: Vec<Vec<[f32; 4]>>,
    /// How many vertices each has.
    pub counts: Vec<u32>,
    uniforms: HashMap<GlobalRef, Vec<u8>>,
}

impl Primitives {
    /// So many primitives for a shader, the same for a seed; in variable mode with three vertices
    /// up to as many as the shader declares.
    #[must_use]
    pub fn new(module: &Module, entry: &EntryPoint, plan: &Plan, count: usize, seed: u64) -> Primitives {
        let mut numbers = Numbers(seed);
        let registers = usize::from(plan.vertices * plan.feed.stride());
        let mut row = || (0..registers).map(|_| std::array::from_fn(|_| numbers.float())).collect();
        let rows: Vec<Vec<[f32; 4]>> = (0..count).map(|_| row()).collect();
        let vertices = u32::from(plan.vertices);
        let least = vertices.min(3);
        let counts = (0..count as u32).map(|i| match plan.mode {
            Mode::Variable => least + i % (vertices - least + 1),
            _ => vertices,
        });
        let uniforms = Sample::new(module, entry, 0, seed).uniforms;
        Primitives { registers: rows, counts: counts.collect(), uniforms }
    }

    /// A register of a vertex.
    fn at(&self, primitive: usize, plan: &Plan, vertex: u16, register: u16) -> [f32; 4] {
        let at = usize::from(vertex * plan.feed.stride() + register);
        self.registers[primitive].get(at).copied().unwrap_or_default()
    }
}

/// What a module makes of primitives, in a domain: outputs by the registers of `abi`.
fn emitted<D: Domain>(
    module: &Module,
    entry: &EntryPoint,
    domain: D,
    abi: &Abi,
    plan: &Plan,
    given: &Primitives,
) -> Result<Drawn, String> {
    let mut run = Interpreter::with(module, entry, domain);
    run.options = Options { fuel: FUEL, ..Options::default() };
    let layout = Interpreter::with(module, entry, Exact);
    let mut drawn = Drawn::new();
    for primitive in 0..given.registers.len() {
        let mut inputs = Attributes::new();
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            let filled = global.binding.set == Some(VERTICES);
            let bytes = match global.space {
                Space::Input => input(module, &layout, g, plan, given, primitive),
                Space::UniformConstant if Some(g) == plan.count => {
                    count(module, global.ty, given.counts[primitive])
                }
                Space::UniformConstant if filled => array(module, &layout, g, given, primitive),
                _ => continue,
            };
            if global.space == Space::Input {
                inputs.insert(g, vec![bytes]);
            } else {
                run.set(g, bytes);
            }
        }
        for (&g, bytes) in given.uniforms.iter().filter(|(g, _)| Some(**g) != plan.count) {
            run.set(g, bytes.clone());
        }
        let (report, _) = run.run(1, &inputs, &mut NoImages).map_err(|fault| fault.to_string())?;
        let is_stray = !stray(&report).is_empty();
        drawn.push((!is_stray).then(|| strips(module, &layout, abi, &report.emitted)));
    }
    Ok(drawn)
}

fn count(module: &Module, ty: Ty, count: u32) -> Vec<u8> {
    let bits = if module.types.is_int(ty) { count } else { (count as f32).to_bits() };
    bits.to_le_bytes().to_vec()
}

/// Writes the components of a vector.
fn put(module: &Module, ty: Ty, bytes: &mut [u8], at: usize, value: [f32; 4]) {
    let is_int = module.types.is_int(ty);
    for (i, number) in value.into_iter().enumerate().take(usize::from(module.types.components(ty))) {
        let bits = if is_int { number as i32 as u32 } else { number.to_bits() };
        if let Some(room) = bytes.get_mut(at + 4 * i..at + 4 * i + 4) {
            room.copy_from_slice(&bits.to_le_bytes());
        }
    }
}

/// The bytes of an input: of legal IR one register of one vertex, of the source an array.
fn input(
    module: &Module,
    layout: &Interpreter<'_, Exact>,
    g: GlobalRef,
    plan: &Plan,
    given: &Primitives,
    primitive: usize,
) -> Vec<u8> {
    let global = module.global(g);
    let mut bytes = vec![0; layout.size_of(global.ty) as usize];
    let Some(elem) = element(module, g) else {
        let stride = plan.feed.stride().max(1);
        if let Some(location) = global.binding.location.map(|location| location as u16) {
            put(
                module,
                global.ty,
                &mut bytes,
                0,
                given.at(primitive, plan, location / stride, location % stride),
            );
        }
        return bytes;
    };
    let members = match module.types.get(elem) {
        Type::Struct(_, members) => (0..members.len() as u32).map(Some).collect(),
        _ => vec![None],
    };
    for member in members {
        let register = slot_of(module, g, member).and_then(|slot| plan.feed.register(&slot));
        let ty = member.map_or(Some(elem), |m| module.types.part(elem, m));
        let (Some(register), Some(ty)) = (register, ty) else { continue };
        let inside = member.map_or(0, |m| layout.offset_of(elem, m));
        for vertex in 0..plan.vertices {
            let at = (layout.offset_of(global.ty, vertex.into()) + inside) as usize;
            put(module, ty, &mut bytes, at, given.at(primitive, plan, vertex, register));
        }
    }
    bytes
}

/// The bytes of an array that the hardware fills.
fn array(
    module: &Module,
    layout: &Interpreter<'_, Exact>,
    g: GlobalRef,
    given: &Primitives,
    primitive: usize,
) -> Vec<u8> {
    let global = module.global(g);
    let mut bytes = vec![0; layout.size_of(global.ty) as usize];
    let Some(elem) = element(module, g) else { return bytes };
    for (i, &value) in given.registers[primitive].iter().enumerate() {
        put(module, elem, &mut bytes, layout.offset_of(global.ty, i as u32) as usize, value);
    }
    bytes
}

/// The triangles of strips; every other one is turned, as in GL.
fn strips(module: &Module, layout: &Interpreter<'_, Exact>, abi: &Abi, emitted: &[Emitted]) -> Vec<Triangle> {
    let (mut strip, mut triangles): (Vec<Vec<[f32; 4]>>, Vec<Triangle>) = (Vec::new(), Vec::new());
    for event in emitted {
        if event.ends {
            strip.clear();
            continue;
        }
        strip.push(abi.outputs.iter().map(|out| output(module, layout, out.variable, event)).collect());
        if let [.., a, b, c] = strip.as_slice() {
            let turned = strip.len() % 2 == 0;
            let corners = if turned { [b, a, c] } else { [a, b, c] };
            triangles.push(corners.map(Clone::clone));
        }
    }
    triangles
}

fn output(
    module: &Module,
    layout: &Interpreter<'_, Exact>,
    (g, member): (GlobalRef, Option<u32>),
    event: &Emitted,
) -> [f32; 4] {
    let ty = module.global(g).ty;
    let at = member.map_or(0, |m| layout.offset_of(ty, m)) as usize;
    let ty = member.and_then(|m| module.types.part(ty, m)).unwrap_or(ty);
    let bytes = event.outputs.get(g.0 as usize).and_then(|bytes| bytes.get(at..)).unwrap_or_default();
    let numbers = vector(module, ty, bytes);
    std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(0.0))
}

/// What a program sends, uniforms where the compiler has put them.
///
/// # Errors
/// What keeps the program from running, as a sentence.
pub fn sent(
    shbin: &Shbin,
    compiled: &Compiled,
    interface: &Interface,
    given: &Primitives,
) -> Result<Vec<Vec<Triangle>>, String> {
    let (module, plan) = (&compiled.module, compiled.plan.as_ref().ok_or("this is no geometry program")?);
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let abi = Abi::new(module, &entry.interface, interface).map_err(|told| told.message)?;
    let dvle = shbin.executables.last().ok_or("the file has no executable")?;
    let mask = enabled(&dvle.outputs);
    let config = Config { mode: Numbering::Hw24, geometry: Some(mask), ..Config::default() };
    let program = Program::load(&shbin.program.code, &shbin.program.descriptors, dvle.entry, &config);
    let mut machine = Arc::new(program.map_err(|e| e.to_string())?).machine();
    constants(&mut machine, &dvle.constants)?;
    let layout = Interpreter::with(module, entry, Exact);
    for (&g, bytes) in given.uniforms.iter().filter(|(g, _)| Some(**g) != plan.count) {
        let Some((register, shape)) = abi.place(g) else { continue };
        let registers = Registers { module, layout: &layout, abi: &abi, bytes };
        registers.set(&mut machine, register, shape, module.global(g).ty, 0);
    }
    let used: Vec<usize> = (0..16).filter(|k| mask >> k & 1 == 1).collect();
    let mut drawn = Vec::new();
    for primitive in 0..given.registers.len() {
        fill(&mut machine, plan, given, primitive);
        machine.execute();
        if let Some(fault) = machine.faults().first() {
            return Err(fault.cause.to_string());
        }
        drawn.push(triangles(machine.events(0), &used));
    }
    Ok(drawn)
}

/// Vertices where the hardware puts them.
fn fill(machine: &mut Machine, plan: &Plan, given: &Primitives, primitive: usize) {
    machine.start(1);
    if plan.mode == Mode::Variable {
        machine.set_float(0, [given.counts[primitive] as f32; 4]);
    }
    let count = match plan.mode {
        Mode::Variable => given.counts[primitive] as usize * usize::from(plan.feed.stride()),
        _ => usize::MAX,
    };
    for (i, &value) in given.registers[primitive].iter().take(count).enumerate() {
        match plan.mode {
            Mode::Point => machine.set_input(0, i as u8, value),
            _ => machine.set_float(plan.first() as u8 + i as u8, value),
        }
    }
}

/// What was handed on, as triangles with their outputs by register.
fn triangles(events: &[Event], used: &[usize]) -> Vec<Triangle> {
    let (mut found, mut corners, mut turned) = (Vec::new(), Vec::new(), false);
    for event in events {
        match event {
            Event::Winding => turned = true,
            Event::Vertex(packed) => {
                let mut rows = vec![[0.0; 4]; used.last().map_or(0, |k| k + 1)];
                for (&register, row) in used.iter().zip(packed) {
                    rows[register] = row.map(f32::from_bits);
                }
                corners.push(rows);
            }
        }
        if let Ok([a, b, c]) =
            <[Vec<[f32; 4]>; 3]>::try_from(std::mem::take(&mut corners)).map_err(|rest| corners = rest)
        {
            found.push(if turned { [b, a, c] } else { [a, b, c] });
            turned = false;
        }
    }
    found
}

/// Source and legal IR against what a program sends: the same triangles in the same order, the
/// same way round; bit for bit as legal IR has them.
///
/// # Errors
/// What keeps one of them from running, as a sentence.
pub fn geometry(
    source: (&Module, &EntryPoint),
    compiled: &Compiled,
    interface: &Interface,
    shbin: &Shbin,
    given: &Primitives,
) -> Result<[Compared; 2], String> {
    let plan = compiled.plan.as_ref().ok_or("this is no geometry program")?;
    let legal = compiled.module.entries.first().ok_or("the module has no entry point")?;
    let abi = Abi::new(&compiled.module, &legal.interface, interface).map_err(|told| told.message)?;
    let meant = emitted(source.0, source.1, Exact, &abi, plan, given)?;
    let said = emitted(&compiled.module, legal, Float24::NEAREST, &abi, plan, given)?;
    let found = sent(shbin, compiled, interface, given)?;
    let near = |a: f32, b: f32| {
        (f64::from(a) - f64::from(b)).abs() <= TOLERANCE * f64::from(a).abs().max(1.0)
            || a.is_nan() && b.is_nan()
    };
    let same = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
    Ok([judge(&abi, &meant, &found, TOLERANCE, near), judge(&abi, &said, &found, 0.0, same)])
}

fn judge(
    abi: &Abi,
    expected: &Drawn,
    found: &[Vec<Triangle>],
    allowed: f64,
    same: impl Fn(f32, f32) -> bool,
) -> Compared {
    let mut compared = Compared::default();
    for (vertex, (expected, found)) in expected.iter().zip(found).enumerate() {
        let Some(expected) = expected else {
            compared.inconclusive += 1;
            continue;
        };
        compared.conclusive += 1;
        if compared.wrong.is_some() {
            continue;
        }
        let wrong = |output: &str, component, expected, found| Counterexample {
            vertex,
            output: output.to_owned(),
            component,
            expected,
            allowed,
            found,
        };
        if expected.len() != found.len() {
            compared.wrong = Some(wrong("number of triangles", 0, expected.len() as f64, found.len() as f64));
            continue;
        }
        for (n, (expected, found)) in expected.iter().zip(found).enumerate() {
            // A triangle begins with any of its corners.
            let turns = (0..3).map(|turn| difference(abi, expected, found, turn, &same));
            let differences: Option<Vec<_>> = turns.collect();
            if let Some((output, component, a, b)) = differences.and_then(|all| all.into_iter().next()) {
                compared.wrong =
                    Some(wrong(&format!("{output} of triangle {n}"), component, a.into(), b.into()));
                break;
            }
        }
    }
    compared
}

/// The first number of a triangle that differs if it begins with another corner.
fn difference(
    abi: &Abi,
    expected: &Triangle,
    found: &Triangle,
    turn: usize,
    same: &impl Fn(f32, f32) -> bool,
) -> Option<(String, usize, f32, f32)> {
    for (corner, expected) in expected.iter().enumerate() {
        let found = &found[(corner + turn) % 3];
        for (register, out) in abi.outputs.iter().enumerate() {
            for component in 0..usize::from(out.components) {
                let number = |rows: &[[f32; 4]]| rows.get(register).map_or(f32::NAN, |row| row[component]);
                let (a, b) = (number(expected), number(found));
                if !same(a, b) {
                    return Some((out.name.clone(), component, a, b));
                }
            }
        }
    }
    None
}
