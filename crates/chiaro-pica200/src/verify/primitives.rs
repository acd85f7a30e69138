//! Geometry programs: the triangles that the source, legal IR and the words make of a primitive.

use std::collections::HashMap;
use std::sync::Arc;

use chiaro_ir::interp::{
    Attributes, Counterexample, Domain, Emitted, Exact, FaultKind, Interpreter, NoImages, Options,
};
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};
use chiaro_target::proof::{STEPS, strays};

use super::words::{Registers, constants, vector};

use super::{Compared, Numbers, Sample, round};
use crate::abi::{Abi, Out};
use crate::compile::Compiled;
use crate::compile::geometry::{Mode, Plan, element, slot_of};
use crate::compile::legalize::float24::Float24;
use crate::container::Shbin;
use crate::container::outmap::enabled;
use crate::machine::{Config, Event, Machine, Mode as Numbering, Program};

/// How far numbers of the source may be off: one part in a thousand, and as much below one.
const TOLERANCE: f64 = 1e-3;
/// How many times the error of the machine's arithmetic on the source may be made.
const FELT: f64 = 16.0;

/// Three vertices, each with its outputs by register.
pub type Triangle = [Vec<[f32; 4]>; 3];

/// The triangles of each primitive; `None` where the source reads out of bounds, does not end, or takes too much
/// memory.
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
        let mut numbers = Numbers::new(seed, round);
        let registers = usize::from(plan.vertices * plan.feed.stride());
        let mut row = || (0..registers).map(|_| std::array::from_fn(|_| numbers.float())).collect();
        let rows: Vec<Vec<[f32; 4]>> = (0..count).map(|_| row()).collect();
        let vertices = u32::from(plan.vertices);
        let least = vertices.min(3);
        let counts = (0..count as u32).map(|i| match plan.mode {
            Mode::Variable => least + i % (vertices - least + 1),
            _ => vertices,
        });
        let uniforms = Sample::new(module, entry, 0, Numbers::new(seed, round)).uniforms;
        Primitives { registers: rows, counts: counts.collect(), uniforms }
    }

    /// Some of the primitives.
    fn only(&self, kept: &[usize]) -> Primitives {
        Primitives {
            registers: kept.iter().map(|&i| self.registers[i].clone()).collect(),
            counts: kept.iter().map(|&i| self.counts[i]).collect(),
            uniforms: self.uniforms.clone(),
        }
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
    run.options = Options { fuel: STEPS, ..Options::default() };
    let layout = Interpreter::with(module, entry, Exact);
    let mut drawn = Drawn::new();
    for primitive in 0..given.registers.len() {
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            let bytes = match (global.space, given.uniforms.get(&g)) {
                _ if Some(g) == plan.count => count(module, global.ty, given.counts[primitive]),
                (_, Some(bytes)) => bytes.clone(),
                (Space::Input, None) => input(module, &layout, g, plan, given, primitive),
                // What no sample has the hardware fills.
                (Space::UniformConstant, None) => array(module, &layout, g, given, primitive),
                _ => continue,
            };
            run.set(g, bytes);
        }
        drawn.push(match run.run(1, &Attributes::new(), &mut NoImages) {
            Ok((report, _)) if strays(&report).is_empty() => {
                Some(strips(module, &layout, abi, &report.emitted))
            }
            Ok(_) => None,
            Err(fault) if fault.kind == FaultKind::Fuel || fault.kind.is_too_large() => None,
            Err(fault) => return Err(fault.to_string()),
        });
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
        strip.push(abi.outputs.iter().map(|out| output(module, layout, out, event)).collect());
        if let [.., a, b, c] = strip.as_slice() {
            let turned = strip.len() % 2 == 0;
            let corners = if turned { [b, a, c] } else { [a, b, c] };
            triangles.push(corners.map(Clone::clone));
        }
    }
    triangles
}

fn output(module: &Module, layout: &Interpreter<'_, Exact>, out: &Out, event: &Emitted) -> [f32; 4] {
    let (mut ty, mut at) = (module.global(out.variable).ty, 0);
    for &part in &out.path {
        at += layout.offset_of(ty, part) as usize;
        ty = module.types.part(ty, part).unwrap_or(ty);
    }
    let bytes =
        event.outputs.get(out.variable.0 as usize).and_then(|bytes| bytes.get(at..)).unwrap_or_default();
    let numbers = vector(module, ty, bytes);
    // What the source's type does not have is not looked at.
    std::array::from_fn(|i| numbers.get(i).copied().unwrap_or(f32::NAN))
}

/// What a program sends, uniforms where the compiler has put them.
///
/// # Errors
/// What keeps the program from running, as a sentence.
pub fn sent(shbin: &Shbin, compiled: &Compiled, given: &Primitives) -> Result<Vec<Vec<Triangle>>, String> {
    let (module, plan) = (&compiled.module, compiled.plan.as_ref().ok_or("this is no geometry program")?);
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let abi = &compiled.abi;
    let dvle = shbin.executables.last().ok_or("the file has no executable")?;
    let mask = enabled(&dvle.outputs);
    let config = Config { mode: Numbering::Hw24, geometry: Some(mask), ..Config::default() };
    let program = Program::load(&shbin.program.code, &shbin.program.descriptors, dvle.entry, &config);
    let mut machine = Arc::new(program.map_err(|e| e.to_string())?).machine();
    constants(&mut machine, &dvle.constants)?;
    let layout = Interpreter::with(module, entry, Exact);
    for (&g, bytes) in given.uniforms.iter().filter(|(g, _)| Some(**g) != plan.count) {
        let Some((register, shape)) = abi.place(g) else { continue };
        let registers = Registers { module, layout: &layout, abi, bytes };
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
    shbin: &Shbin,
    given: &Primitives,
) -> Result<[Compared; 2], String> {
    let plan = compiled.plan.as_ref().ok_or("this is no geometry program")?;
    let legal = compiled.module.entries.first().ok_or("the module has no entry point")?;
    let abi = &compiled.abi;
    let meant = emitted(source.0, source.1, Exact, abi, plan, given)?;
    let rough = emitted(source.0, source.1, Float24::NEAREST, abi, plan, given)?;
    let all = given.registers.len();
    let kept: Vec<usize> = (0..all).filter(|&i| meant[i].is_some() && rough[i].is_some()).collect();
    let given = &given.only(&kept);
    let [meant, rough] =
        [meant, rough].map(|drawn| kept.iter().map(|&i| drawn[i].clone()).collect::<Drawn>());
    let said = emitted(&compiled.module, legal, Float24::NEAREST, abi, plan, given)?;
    let found = sent(shbin, compiled, given)?;
    // What is not finite proves nothing; the arithmetic of the machine on the source tells how much
    // its few bits are felt.
    let near = |meant: f32, rough: f32, found: f32| {
        let [meant, rough, found] = [meant, rough, found].map(f64::from);
        let allowed = TOLERANCE * meant.abs().max(1.0) + FELT * (meant - rough).abs();
        !meant.is_finite() || !rough.is_finite() || (meant - found).abs() <= allowed
    };
    let same = |meant: f32, _: f32, found: f32| meant == found || meant.is_nan();
    let mut meaning = judge(compiled, [&meant, &rough], &found, near);
    (kept.len()..all).for_each(|_| meaning.doubt("it reads outside of an array, or a loop does not end"));
    Ok([meaning, judge(compiled, [&said, &said], &found, same)])
}

/// Primitives for which both runs have as many triangles prove something.
fn judge(
    compiled: &Compiled,
    [meant, rough]: [&Drawn; 2],
    found: &[Vec<Triangle>],
    same: impl Fn(f32, f32, f32) -> bool,
) -> Compared {
    let mut compared = Compared::default();
    for (vertex, ((meant, rough), found)) in meant.iter().zip(rough).zip(found).enumerate() {
        let (Some(meant), Some(rough)) = (meant, rough) else {
            compared.doubt("legal IR reads outside of an array");
            continue;
        };
        if meant.len() != rough.len() {
            compared.doubt("the number of triangles depends on rounding");
            continue;
        }
        compared.conclusive += 1;
        if compared.wrong.is_none() {
            compared.wrong = differs(compiled, vertex, [meant, rough], found, &same);
        }
    }
    compared
}

/// The first thing in which the triangles of a primitive differ.
fn differs(
    compiled: &Compiled,
    vertex: usize,
    [meant, rough]: [&[Triangle]; 2],
    found: &[Triangle],
    same: &impl Fn(f32, f32, f32) -> bool,
) -> Option<Counterexample> {
    let wrong = |output: String, component, expected, found| Counterexample {
        vertex,
        output,
        component,
        expected,
        allowed: TOLERANCE,
        found,
    };
    if meant.len() != found.len() {
        return Some(wrong("number of triangles".into(), 0, meant.len() as f64, found.len() as f64));
    }
    for (n, ((meant, rough), found)) in meant.iter().zip(rough).zip(found).enumerate() {
        // A triangle begins with any of its corners.
        let turns = (0..3).map(|turn| difference([meant, rough], found, turn, same));
        let differences: Option<Vec<_>> = turns.collect();
        let Some((register, component, a, b)) = differences.and_then(|all| all.into_iter().next()) else {
            continue;
        };
        let out = compiled.abi.outputs.get(register);
        let name = out.map_or("", |out| compiled.module.global(out.variable).name.as_str());
        return Some(wrong(format!("{name} of triangle {n}"), component, a.into(), b.into()));
    }
    None
}

/// The first number of a triangle that differs if it begins with another corner: register,
/// component, and both numbers.
fn difference(
    [meant, rough]: [&Triangle; 2],
    found: &Triangle,
    turn: usize,
    same: &impl Fn(f32, f32, f32) -> bool,
) -> Option<(usize, usize, f32, f32)> {
    for corner in 0..3 {
        let found = &found[(corner + turn) % 3];
        for (register, (meant, rough)) in meant[corner].iter().zip(&rough[corner]).enumerate() {
            for component in 0..4 {
                let number = found.get(register).map_or(f32::NAN, |row| row[component]);
                if !same(meant[component], rough[component], number) {
                    return Some((register, component, meant[component], number));
                }
            }
        }
    }
    None
}
