//! A vertex and a fragment program together: a mesh becomes a picture.
//!
//! [`Stage`](self::Stage) is whoever runs a program: a target through its door, or the interpreter.
//! Vertices go through one, the rasteriser of `chiaro-draw` makes quads of fragments, which go
//! through the other with their varyings interpolated.

mod interpret;

use chiaro_diag::Diagnostic;
use chiaro_draw::{Call, Shaded};
pub use chiaro_draw::{Compare, Cull, Fragment, Pixels};
use chiaro_ir::{Interpolation, Module, Space};
use chiaro_target::{
    Attributes, Column, Inputs, Output, SimulateOptions, Simulated, Target, Topology, Value, Work,
};

pub use interpret::Interpreted;

/// Somebody who runs a program on invocations.
pub trait Stage {
    /// Runs all of them.
    ///
    /// # Errors
    /// Names and values that the program does not take.
    fn run(&mut self, work: Work) -> Result<Simulated, Vec<Diagnostic>>;
}

/// A program in a target's container, on its simulator.
pub struct Compiled<'a> {
    /// Whose simulator.
    pub target: &'a dyn Target,
    /// The program.
    pub container: &'a [u8],
    /// Uniforms, buffers and images.
    pub resources: &'a [(String, Value)],
    /// How to simulate.
    pub options: SimulateOptions,
    /// Places of outputs, and what the source calls them: a container may tell only what an output is for.
    pub names: &'a [(String, String)],
}

impl Stage for Compiled<'_> {
    fn run(&mut self, work: Work) -> Result<Simulated, Vec<Diagnostic>> {
        let inputs = Inputs { resources: self.resources.to_vec(), work };
        let options = SimulateOptions { shared: true, ..self.options.clone() };
        let mut made = self.target.simulate(self.container, &inputs, &options)?;
        for output in &mut made.outputs {
            if let Some((_, name)) = self.names.iter().find(|(place, _)| *place == output.place) {
                output.name.clone_from(name);
            }
        }
        Ok(made)
    }
}

/// What is drawn, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// The vertices.
    pub vertices: Attributes,
    /// Their numbers, in the order in which they form primitives; all of them if empty.
    pub indices: Vec<u32>,
    /// What they form.
    pub topology: Topology,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Samples of a pixel, 1 or 4.
    pub samples: u32,
    /// Triangles that are left out.
    pub cull: Cull,
    /// Fronts are wound clockwise.
    pub clockwise: bool,
    /// Which fragments pass.
    pub depth: Compare,
    /// The colour of what nothing covers.
    pub clear: [f32; 4],
    /// Uniforms, buffers and images of both programs.
    pub resources: Vec<(String, Value)>,
}

/// A picture, with what was odd on the way.
pub struct Drawn {
    /// The picture.
    pub pixels: Pixels,
    /// What the programs did that hardware does not define: the first of each kind.
    pub faults: Vec<String>,
    /// Fragments that were shaded, helpers included.
    pub fragments: usize,
}

/// Something that a fragment program reads of the vertices.
#[derive(Clone, PartialEq, Debug)]
pub struct Varying {
    name: String,
    location: Option<u32>,
    interpolation: Interpolation,
    centroid: bool,
}

/// What a fragment program takes and gives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FragmentInterface {
    varyings: Vec<Varying>,
    /// Names of the built-in inputs that it reads, by SPIR-V's number.
    builtins: Vec<(u32, String)>,
    /// The output whose colour counts.
    colour: String,
}

/// SPIR-V's numbers of built-ins.
mod builtin {
    pub(super) const POSITION: u32 = 0;
    pub(super) const POINT_SIZE: u32 = 1;
    pub(super) const FRAG_COORD: u32 = 15;
    pub(super) const POINT_COORD: u32 = 16;
    pub(super) const FRONT_FACING: u32 = 17;
    pub(super) const FRAG_DEPTH: u32 = 22;
}

/// Names of built-in outputs, by their numbers.
const OUTPUTS: [(u32, &str); 3] = [
    (builtin::POSITION, "gl_Position"),
    (builtin::POINT_SIZE, "gl_PointSize"),
    (builtin::FRAG_DEPTH, "gl_FragDepth"),
];

impl FragmentInterface {
    /// That of a container: names of what it reads of the vertices, and how they are interpolated.
    #[must_use]
    pub fn of_container(varyings: Vec<(String, Interpolation)>) -> FragmentInterface {
        let varying =
            |(name, interpolation)| Varying { name, location: None, interpolation, centroid: false };
        FragmentInterface {
            varyings: varyings.into_iter().map(varying).collect(),
            builtins: vec![
                (builtin::FRAG_COORD, "gl_FragCoord".to_owned()),
                (builtin::FRONT_FACING, "gl_FrontFacing".to_owned()),
            ],
            colour: "colour".to_owned(),
        }
    }

    /// That of a module's variables.
    #[must_use]
    pub fn of(module: &Module) -> FragmentInterface {
        let mut all = FragmentInterface::default();
        let mut colours = Vec::new();
        for global in &module.globals {
            match (global.space, global.binding.builtin) {
                (Space::Input, Some(number)) => all.builtins.push((number, global.name.clone())),
                (Space::Input, None) => all.varyings.push(Varying {
                    name: global.name.clone(),
                    location: global.binding.location,
                    interpolation: global.binding.interpolation,
                    centroid: global.binding.centroid,
                }),
                (Space::Output, None) => colours.push((global.binding.location, global.name.clone())),
                _ => {}
            }
        }
        colours.sort();
        all.colour = colours.into_iter().next().map(|(_, name)| name).unwrap_or_default();
        all
    }
}

/// Draws a scene.
///
/// # Errors
/// What keeps a program from running; a vertex program without a position.
pub fn draw(
    scene: &Scene,
    vertex: &mut dyn Stage,
    fragment: &mut dyn Stage,
    interface: &FragmentInterface,
) -> Result<Drawn, Vec<Diagnostic>> {
    let vertices = vertex.run(Work::Vertices(scene.vertices.clone()))?;
    let positions = positions(&vertices)?;
    let sizes = named(&vertices, "gl_PointSize").map(|o| (0..vertices.invocations).map(|n| float(o, n, 0)));
    let sizes: Vec<f32> = sizes.into_iter().flatten().collect();
    let call = Call {
        positions: &positions,
        point_sizes: &sizes,
        indices: &scene.indices,
        topology: topology(scene.topology),
        size: scene.size,
        samples: scene.samples,
        cull: scene.cull,
        clockwise: scene.clockwise,
        depth: scene.depth,
        clear: scene.clear,
    };
    let mut painter = Painter { interface, vertices: &vertices, fragment, faults: Vec::new(), fragments: 0 };
    painter.note(&vertices, "vertex");
    let pixels = chiaro_draw::draw(&call, |quads| painter.shade(quads))?;
    Ok(Drawn { pixels, faults: painter.faults, fragments: painter.fragments })
}

fn topology(given: Topology) -> chiaro_draw::Topology {
    match given {
        Topology::Points => chiaro_draw::Topology::Points,
        Topology::Lines => chiaro_draw::Topology::Lines,
        Topology::LineStrip => chiaro_draw::Topology::LineStrip,
        Topology::Triangles => chiaro_draw::Topology::Triangles,
        Topology::TriangleStrip => chiaro_draw::Topology::TriangleStrip,
        Topology::TriangleFan => chiaro_draw::Topology::TriangleFan,
    }
}

/// Positions of all vertices: `gl_Position`, or what a target's own language calls it.
fn positions(vertices: &Simulated) -> Result<Vec<[f32; 4]>, Vec<Diagnostic>> {
    let output = ["gl_Position", "position"].iter().find_map(|name| named(vertices, name));
    let output = output.filter(|output| output.width == 4).ok_or_else(|| {
        let error = Diagnostic::error(None, "the vertex program has no position");
        vec![error.help("write gl_Position, or @builtin(position)")]
    })?;
    Ok((0..vertices.invocations).map(|n| std::array::from_fn(|i| float(output, n, i))).collect())
}

fn named<'a>(made: &'a Simulated, name: &str) -> Option<&'a Output> {
    made.outputs.iter().find(|output| output.name == name)
}

fn float(output: &Output, invocation: usize, component: usize) -> f32 {
    output.of(invocation).get(component).map_or(0.0, |bits| bits_as_float(output, *bits))
}

/// A component as a number: halves are widened.
fn bits_as_float(output: &Output, bits: u64) -> f32 {
    match output.kind {
        chiaro_target::Kind::Float(16) => chiaro_ir::interp::float_value(bits, 16) as f32,
        _ => f32::from_bits(bits as u32),
    }
}

/// Shades quads with what the vertices gave.
struct Painter<'a> {
    interface: &'a FragmentInterface,
    vertices: &'a Simulated,
    fragment: &'a mut dyn Stage,
    faults: Vec<String>,
    fragments: usize,
}

impl Painter<'_> {
    fn shade(&mut self, quads: &[Fragment]) -> Result<Vec<Shaded>, Vec<Diagnostic>> {
        self.fragments += quads.len();
        let helpers = quads.iter().map(|f| Value::Bool(f.helper)).collect();
        let mut columns: Vec<(String, Column)> = vec![("helper".to_owned(), helpers)];
        for varying in &self.interface.varyings {
            let column = self.varying(varying, quads);
            if column.is_none() {
                self.keep(format!("the vertex program writes no `{}`: fragments read zeros", varying.name));
            }
            columns.extend(column.map(|(name, values)| (name, values.into())));
        }
        for (number, name) in &self.interface.builtins {
            columns.extend(built_in(*number, quads).map(|values| (name.clone(), values.into())));
        }
        let made = self.fragment.run(Work::Fragments(Attributes { count: quads.len(), columns }))?;
        self.note(&made, "fragment");
        let colour = named(&made, &self.interface.colour)
            .or_else(|| named(&made, &format!("{}[0]", self.interface.colour)));
        let depth = named(&made, "gl_FragDepth");
        let one = |n: usize| Shaded {
            colour: colour.map_or([0.0; 4], |output| std::array::from_fn(|i| float(output, n, i))),
            depth: depth.map(|output| float(output, n, 0)),
            discarded: made.discarded.get(n).copied().unwrap_or(false),
        };
        Ok((0..quads.len()).map(one).collect())
    }

    /// Keeps the first faults of a run, each once.
    fn note(&mut self, made: &Simulated, what: &str) {
        for fault in &made.faults {
            self.keep(format!("{what} program, word {}: {}", fault.at, fault.cause));
        }
    }

    fn keep(&mut self, fault: String) {
        if self.faults.len() < 16 && !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The values of a varying: of its name, or at its location. Parts of arrays and matrices
    /// follow one another.
    fn varying(&self, varying: &Varying, quads: &[Fragment]) -> Option<(String, Vec<Value>)> {
        let by_name = |output: &&Output| {
            let rest = output.name.strip_prefix(&varying.name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let mut parts: Vec<&Output> = self.vertices.outputs.iter().filter(by_name).collect();
        if parts.is_empty() {
            let at = varying.location.map(|location| format!("location {location}"));
            parts = self.vertices.outputs.iter().filter(|o| Some(&o.place) == at.as_ref()).collect();
        }
        let value = |fragment: &Fragment| {
            let part = |output: &&Output| {
                let bits =
                    (0..output.width).map(|k| Value::Bits(interpolated(output, varying, fragment, k).into()));
                Value::List(bits.collect())
            };
            match &parts[..] {
                [only] => part(only),
                several => Value::List(several.iter().map(part).collect()),
            }
        };
        (!parts.is_empty()).then(|| (varying.name.clone(), quads.iter().map(value).collect()))
    }
}

/// The bits of a component at a fragment.
fn interpolated(output: &Output, varying: &Varying, fragment: &Fragment, component: usize) -> u32 {
    let bits = |vertex: usize| output.of(vertex).get(component).copied().unwrap_or(0);
    let place = if varying.centroid { &fragment.centroid } else { &fragment.middle };
    let weights = match varying.interpolation {
        Interpolation::Flat => return bits(fragment.provoking) as u32,
        Interpolation::Perspective => place.perspective,
        Interpolation::Linear => place.linear,
    };
    // Integers are flat whatever is written.
    if !matches!(output.kind, chiaro_target::Kind::Float(_)) {
        return bits(fragment.provoking) as u32;
    }
    // As the machine does: the first vertex's value and two slopes.
    let [first, second, third] = fragment.corners.map(|vertex| bits_as_float(output, bits(vertex)));
    let sum = first + weights[1] as f32 * (second - first);
    (sum + weights[2] as f32 * (third - first)).to_bits()
}

/// Values of a built-in input; `None` for those that the rasteriser does not know.
fn built_in(number: u32, quads: &[Fragment]) -> Option<Vec<Value>> {
    let value = |fragment: &Fragment| match number {
        builtin::FRAG_COORD => {
            let [x, y] = fragment.pixel.map(|n| n as f32 + 0.5);
            [x, y, fragment.middle.depth as f32, fragment.middle.inverse_w as f32].into()
        }
        builtin::POINT_COORD => fragment.point.into(),
        _ => Value::Bool(fragment.front),
    };
    let known = matches!(number, builtin::FRAG_COORD | builtin::POINT_COORD | builtin::FRONT_FACING);
    known.then(|| quads.iter().map(value).collect())
}

/// What differs between two pictures of one size.
pub struct Difference {
    /// The greatest difference of a channel at each pixel, row by row from the top.
    pub rows: Vec<Vec<f32>>,
    /// Pixels that differ by more than half a step of eight bits.
    pub pixels: usize,
    /// The greatest difference.
    pub most: f32,
}

/// Compares two pictures of one size, channel by channel.
#[must_use]
pub fn difference(a: &Pixels, b: &Pixels) -> Difference {
    const STEP: f32 = 0.5 / 255.0;
    let channel = |a: f32, b: f32| if a == b || a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() };
    let pixel = |(a, b): (&[f32; 4], &[f32; 4])| {
        (0..4)
            .map(|i| channel(a[i], b[i]))
            .fold(0.0, |most: f32, d| if d > most || d.is_nan() { d } else { most })
    };
    let rows: Vec<Vec<f32>> =
        a.rows().zip(b.rows()).map(|(a, b)| a.iter().zip(&b).map(pixel).collect()).collect();
    let all = || rows.iter().flatten();
    let (pixels, most) =
        (all().filter(|d| d.is_nan() || **d > STEP).count(), all().copied().fold(0.0, f32::max));
    Difference { rows, pixels, most }
}
