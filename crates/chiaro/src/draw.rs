//! A vertex and a fragment program together: a mesh becomes a picture.
//!
//! [`Stage`](self::Stage) is whoever runs a program: a target through its door, or the interpreter.
//! Vertices go through one, the rasteriser of `chiaro-draw` makes quads of fragments, which go
//! through the other with their varyings interpolated.

mod elsewhere;
mod interface;
mod interpret;
mod locate;
mod paint;

use chiaro_diag::Diagnostic;
use chiaro_draw::Call;
pub use chiaro_draw::{Compare, Cull, Fragment, Pixels};
use chiaro_target::{
    Attributes, Inputs, Merge, Output, SimulateOptions, Simulated, Target, Topology, Value, Work,
};

pub use interface::FragmentInterface;
use interface::builtin;
pub use interpret::Interpreted;
pub use locate::locate;
use paint::Painter;

/// Somebody who runs a program on invocations.
pub trait Stage {
    /// Runs all of them.
    ///
    /// # Errors
    /// Names and values that the program does not take.
    fn run(&mut self, work: Work) -> Result<Simulated, Vec<Diagnostic>>;

    /// Whether it wants inputs of fragments at other places of their pixels, too.
    fn looks_elsewhere(&self) -> bool {
        false
    }
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
            if let Some((_, name)) =
                self.names.iter().find(|(place, _)| place == output.place.trim_end_matches('.'))
            {
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
    /// Samples of a pixel, 1, 2 or 4.
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

/// Names of built-in outputs, by their numbers.
const OUTPUTS: [(u32, &str); 4] = [
    (builtin::POSITION, "gl_Position"),
    (builtin::POINT_SIZE, "gl_PointSize"),
    (builtin::SAMPLE_MASK, "gl_SampleMask"),
    (builtin::FRAG_DEPTH, "gl_FragDepth"),
];

/// What becomes of colours on their way into the picture.
#[derive(Default)]
pub struct Mixing {
    /// The fragment program does what there is to be done, and is given what lies below.
    pub by_program: bool,
    /// What is done with the colours that the fragment program leaves.
    pub after: Option<Box<dyn Merge>>,
    /// Derivatives on the interpreter are those of each row and column of a quad, as the machine has them that the
    /// picture is compared with.
    pub fine_derivatives: bool,
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
    mixing: &Mixing,
) -> Result<Drawn, Vec<Diagnostic>> {
    if let Some(merge) = mixing.after.as_deref().filter(|merge| merge.samples() != scene.samples) {
        return Err(vec![wrong_samples(merge.samples(), scene.samples)]);
    }
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
        ordered: mixing.by_program || mixing.after.is_some(),
        cull: scene.cull,
        clockwise: scene.clockwise,
        depth: scene.depth,
        clear: scene.clear,
    };
    let mut painter = Painter::new(interface, &vertices, fragment, mixing, scene.samples);
    let pixels = chiaro_draw::draw(&call, |quads, below| painter.shade(quads, below))?;
    let (faults, fragments) = painter.finish();
    Ok(Drawn { pixels, faults, fragments })
}

/// A program that was made for another number of samples.
fn wrong_samples(program: u32, scene: u32) -> Diagnostic {
    let message = format!("the fragment program was linked for {program} samples, and the scene has {scene}");
    Diagnostic::error(None, message)
        .help("link it with a key of as many, or give the scene as many `samples`")
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
