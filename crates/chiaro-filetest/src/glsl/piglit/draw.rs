//! The commands of a test: state, draws, and probes of what was drawn.
//!
//! Nothing is drawn until a pixel is asked for; then the draws that cover it are looked through
//! from the last one back.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use chiaro_glsl::source::Stage;

use super::Outcome;
use super::geometry::primitives;
use super::program::{Fragment, Program, Uniforms, Vertices};
use super::raster::{Triangle, hit, triangles};
use super::script::{Script, float, number, skip};

/// A matrix, column by column.
type Matrix = [f64; 16];

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// What draws depend on.
#[derive(Clone)]
struct State {
    uniforms: Uniforms,
    attributes: HashMap<String, Vec<f64>>,
    enabled: BTreeSet<String>,
    flat: bool,
    planes: Vec<[f64; 4]>,
}

/// Something that was drawn.
enum Event {
    Clear([f64; 4]),
    Draw(Box<Draw>),
}

struct Draw {
    state: State,
    attributes: Vec<HashMap<String, Vec<f64>>>,
    primitives: Vec<Vec<usize>>,
    triangles: Vec<Triangle>,
    drawn: OnceCell<Result<(Vertices, Vec<Triangle>), String>>,
}

/// A run of a test.
struct Run<'a> {
    script: &'a Script,
    program: Program,
    state: State,
    clear: [f64; 4],
    events: Vec<Event>,
    tolerance: [f64; 4],
    /// Whether the fragment shader says `smooth`, which no flat shading changes; the modules
    /// do not distinguish that from nothing said.
    states_smooth: bool,
}

/// Runs a test.
pub(super) fn run(script: &Script) -> Result<(), Outcome> {
    let Some(mut run) = start(script)? else { return Ok(()) };
    script.commands.iter().try_for_each(|command| run.command(command))
}

/// What a draw gives to the vertex shader.
pub(super) struct VertexInputs {
    pub(super) uniforms: Uniforms,
    /// Of each vertex, by name.
    pub(super) attributes: Vec<HashMap<String, Vec<f64>>>,
}

/// The program of a test, and what its draws give to the vertex shader; nothing for a test that
/// must not link, and does not.
pub(super) fn vertex_inputs(script: &Script) -> Result<Option<(Program, Vec<VertexInputs>)>, Outcome> {
    let Some(mut run) = start(script)? else { return Ok(None) };
    let draws = script.commands.iter().filter(|command| !command.contains("probe"));
    draws.into_iter().try_for_each(|command| run.command(command))?;
    let inputs = run.events.into_iter().filter_map(|event| match event {
        Event::Draw(draw) => {
            let Draw { state, attributes, .. } = *draw;
            Some(VertexInputs { uniforms: state.uniforms, attributes })
        }
        Event::Clear(_) => None,
    });
    let inputs = inputs.collect();
    Ok(Some((run.program, inputs)))
}

/// A run of a test before its first command; nothing for a test that must not link, and does not.
fn start(script: &Script) -> Result<Option<Run<'_>>, Outcome> {
    judge_commands(script)?;
    let program = Program::new(script);
    let links = |text: &str| script.commands.iter().any(|command| command.starts_with(text));
    let program = match program {
        Err(_) if links("link error") => return Ok(None),
        Ok(_) if links("link error") => return Err(Outcome::Fail("it links".to_owned())),
        Err(reason) => return Err(Outcome::Fail(reason)),
        Ok(program) => program,
    };
    let mut uniforms = program.initial();
    set_matrices(&mut uniforms, IDENTITY);
    fixed_state(&mut uniforms);
    let (attributes, enabled) = (HashMap::new(), BTreeSet::new());
    let state = State { uniforms, attributes, enabled, flat: false, planes: vec![[0.0; 4]; 8] };
    let events = vec![Event::Clear([0.0; 4])];
    let states_smooth = script.stages.iter().any(|(_, text)| text.contains("smooth in"));
    let tolerance = [0.01; 4];
    Ok(Some(Run { script, states_smooth, program, state, clear: [0.0; 4], events, tolerance }))
}

/// Skips tests with a command that is not here, before anything is compiled.
fn judge_commands(script: &Script) -> Result<(), Outcome> {
    for command in &script.commands {
        let words: Vec<&str> = command.split_whitespace().collect();
        let known = match words.as_slice() {
            ["uniform", ty, ..] => !ty.starts_with('d') && !ty.contains("64"),
            ["draw", "rect", kind, ..] => !matches!(*kind, "patch" | "instanced"),
            ["draw", "arrays", kind, ..] => {
                let has_geometry = script.stages.iter().any(|(stage, _)| *stage == Stage::Geometry);
                has_geometry && primitives(kind, 0, 0).is_some()
                    || kind.starts_with("GL_TRIANGLE") && !kind.ends_with("ADJACENCY")
                    || kind.starts_with("GL_QUAD")
            }
            ["probe", "all" | "rgb" | "rgba" | "rect", ..] => true,
            ["relative", "probe", "rgb" | "rgba" | "rect", ..] => true,
            ["enable" | "disable", what] => {
                what.starts_with("GL_CLIP") || *what == "GL_VERTEX_PROGRAM_TWO_SIDE"
            }
            ["clip", "plane", ..] | ["shade", "model", ..] | ["link" | "tolerance", ..] => true,
            ["clear" | "ortho" | "frustum" | "hint" | "attribute", ..] => true,
            _ => false,
        };
        if !known {
            let kind: Vec<&str> = words.iter().take(2).copied().collect();
            return Err(skip(&format!("command `{}`", kind.join(" "))));
        }
    }
    Ok(())
}

impl Run<'_> {
    fn command(&mut self, command: &str) -> Result<(), Outcome> {
        let tidy = command.replace(['(', ')', ','], " ");
        let words: Vec<&str> = tidy.split_whitespace().collect();
        match words.as_slice() {
            ["uniform", ty, name, values @ ..] => self.uniform(ty, name, values),
            ["attribute", _, name, values @ ..] => {
                let values = values.iter().map(|text| float(text)).collect();
                self.state.attributes.insert((*name).to_owned(), values);
            }
            ["enable", what] => {
                self.state.enabled.insert((*what).to_owned());
            }
            ["disable", what] => {
                self.state.enabled.remove(*what);
            }
            ["clip", "plane", plane, values @ ..] => {
                if let Some(slot) = plane.parse().ok().and_then(|n: usize| self.state.planes.get_mut(n)) {
                    *slot = numbers(values);
                }
            }
            ["shade", "model", kind] => self.state.flat = *kind == "flat",
            ["tolerance", values @ ..] => self.tolerance = numbers(values),
            ["clear", "color", values @ ..] => self.clear = numbers(values),
            ["clear", ..] => self.events.push(Event::Clear(self.clear)),
            ["ortho", values @ ..] => {
                let [width, height] = self.script.size;
                let [l, r, b, t] =
                    if values.len() >= 4 { numbers(values) } else { [0.0, width, 0.0, height] };
                set_matrices(&mut self.state.uniforms, ortho(l, r, b, t));
            }
            ["frustum", values @ ..] => set_matrices(&mut self.state.uniforms, frustum(values)),
            ["draw", "rect", rest @ ..] => self.rectangle(rest),
            ["draw", "arrays", primitive, first, count] => self.arrays(primitive, first, count)?,
            ["draw", ..] => return Err(skip("draws of other kinds")),
            ["probe", rest @ ..] => self.probe(rest, [1.0, 1.0])?,
            ["relative", "probe", rest @ ..] => self.probe(rest, self.script.size)?,
            _ => {}
        }
        Ok(())
    }

    fn uniform(&mut self, ty: &str, name: &str, values: &[&str]) {
        let integer = ty.starts_with(['i', 'u']) || ty.starts_with("int");
        let values = values.iter().map(|text| if integer { number(text) } else { float(text) }).collect();
        self.state.uniforms.insert(name.to_owned(), values);
    }

    /// `x y w h` in device coordinates, `ortho` in pixels, `tex` with coordinates of textures.
    fn rectangle(&mut self, words: &[&str]) {
        let (textured, words) = match words {
            ["tex", rest @ ..] => (true, rest),
            _ => (false, words),
        };
        let (pixels, words) = match words {
            ["ortho", rest @ ..] => (true, rest),
            _ => (false, words),
        };
        let [mut x, mut y, mut w, mut h] = numbers(words);
        if pixels {
            let [width, height] = self.script.size;
            (x, y) = (x / width * 2.0 - 1.0, y / height * 2.0 - 1.0);
            (w, h) = (w / width * 2.0, h / height * 2.0);
        }
        let [tx, ty, tw, th] = numbers(words.get(4..).unwrap_or(&[]));
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        let vertices = corners.map(|[u, v]| {
            let mut attributes = self.state.attributes.clone();
            let place = vec![x + w * u, y + h * v, 0.0, 1.0];
            let texture = vec![tx + tw * u, ty + th * v, 0.0, 1.0];
            for name in ["piglit_vertex", "gl_Vertex"] {
                attributes.insert(name.to_owned(), place.clone());
            }
            for name in ["piglit_texcoord", "gl_MultiTexCoord0"].iter().filter(|_| textured) {
                attributes.insert((*name).to_owned(), texture.clone());
            }
            attributes
        });
        self.draw(vertices.to_vec(), "GL_TRIANGLE_STRIP", 0, 4);
    }

    fn arrays(&mut self, primitive: &str, first: &str, count: &str) -> Result<(), Outcome> {
        let data = self.script.data.as_ref().ok_or_else(|| skip("draws without vertex data"))?;
        let rows = data.rows.iter().map(|row| {
            let mut attributes = self.state.attributes.clone();
            let mut at = 0;
            for (name, size) in &data.columns {
                let end = (at + size).min(row.len());
                attributes.insert(name.clone(), row.get(at..end).unwrap_or(&[]).to_vec());
                at = end;
            }
            attributes
        });
        let rows: Vec<_> = rows.collect();
        let first = first.parse().unwrap_or(0);
        let count = count.parse::<usize>().unwrap_or(0).min(rows.len().saturating_sub(first));
        if self.program.geometry.is_none() && triangles(primitive, first, count).is_none() {
            return Err(skip("points and lines"));
        }
        self.draw(rows, primitive, first, count);
        Ok(())
    }

    fn draw(&mut self, attributes: Vec<HashMap<String, Vec<f64>>>, kind: &str, first: usize, count: usize) {
        let state = self.state.clone();
        let primitives = primitives(kind, first, count).unwrap_or_default();
        let triangles = triangles(kind, first, count).unwrap_or_default();
        let draw = Draw { state, attributes, primitives, triangles, drawn: OnceCell::new() };
        self.events.push(Event::Draw(Box::new(draw)));
    }

    /// `[all|rect] rgb|rgba [place] colour`; places are multiplied by `scale`.
    fn probe(&self, words: &[&str], scale: [f64; 2]) -> Result<(), Outcome> {
        let [width, height] = self.script.size;
        let (pixels, channels, colour) = match words {
            ["all", format, colour @ ..] => (spread(0.0, 0.0, width, height), format, colour),
            ["rect", format, x, y, w, h, colour @ ..] => {
                let [x, y, w, h] = numbers(&[x, y, w, h]);
                (spread(x * scale[0], y * scale[1], w * scale[0], h * scale[1]), format, colour)
            }
            [format, x, y, colour @ ..] => {
                let place = [number(x) * scale[0], number(y) * scale[1]];
                (
                    vec![[place[0].floor().min(width - 1.0), place[1].floor().min(height - 1.0)]],
                    format,
                    colour,
                )
            }
            _ => return Err(skip("probes of other kinds")),
        };
        let channels = match *channels {
            "rgb" => 3,
            "rgba" => 4,
            _ => return Err(skip("probes of other kinds")),
        };
        let expected: [f64; 4] = numbers(colour);
        for pixel in pixels {
            let found = self.pixel(pixel)?;
            let near = |i: usize| (found[i] - expected[i]).abs() <= self.tolerance[i];
            if !(0..channels).all(near) {
                let [x, y] = pixel;
                return Err(Outcome::Fail(format!("at {x} {y}: expected {expected:.3?}, found {found:.3?}")));
            }
        }
        Ok(())
    }

    /// The colour of a pixel, as eight bits hold it.
    fn pixel(&self, pixel: [f64; 2]) -> Result<[f64; 4], Outcome> {
        let stored = |value: f64| (value.clamp(0.0, 1.0) * 255.0).round() / 255.0;
        for event in self.events.iter().rev() {
            match event {
                Event::Clear(colour) => return Ok(colour.map(stored)),
                Event::Draw(draw) => {
                    let failure = |reason: String| match reason.strip_prefix("SKIP ") {
                        Some(reason) => skip(reason),
                        None => Outcome::Fail(reason),
                    };
                    if let Some(colour) = self.drawn(draw, pixel).map_err(failure)? {
                        return Ok(colour.map(stored));
                    }
                }
            }
        }
        Ok([0.0; 4])
    }

    /// The colour that a draw gives to a pixel, if any.
    fn drawn(&self, draw: &Draw, pixel: [f64; 2]) -> Result<Option<[f64; 4]>, String> {
        let run = || {
            let vertices = self.program.vertices(&draw.state.uniforms, &draw.attributes)?;
            match self.program.geometry {
                Some(_) => self.program.primitives(&draw.state.uniforms, &vertices, &draw.primitives),
                None => Ok((vertices, draw.triangles.clone())),
            }
        };
        let (vertices, triangles) = draw.drawn.get_or_init(run).as_ref().map_err(Clone::clone)?;
        for triangle in triangles.iter().rev() {
            let Some(quad) = self.quad(draw, vertices, triangle, pixel) else { continue };
            let colours = self.program.fragments(&draw.state.uniforms, vertices, &quad)?;
            let own = (pixel[0] as usize % 2) + 2 * (pixel[1] as usize % 2);
            if let Some(Some(colour)) = colours.get(own) {
                return Ok(Some(*colour));
            }
        }
        Ok(None)
    }

    /// The four fragments around a pixel, if the triangle covers it.
    fn quad(
        &self,
        draw: &Draw,
        vertices: &Vertices,
        triangle: &Triangle,
        pixel: [f64; 2],
    ) -> Option<[Fragment; 4]> {
        let [width, height] = self.script.size;
        let mut corners = [[0.0; 4]; 3];
        for (corner, &vertex) in corners.iter_mut().zip(&triangle.corners) {
            *corner = vertices.position(vertex)?;
        }
        let at = |x: f64, y: f64| {
            let place = [x + 0.5, y + 0.5];
            let seen = hit(corners, place[0] / width * 2.0 - 1.0, place[1] / height * 2.0 - 1.0)?;
            Some(Fragment {
                place,
                corners: triangle.corners,
                provoking: triangle.provoking,
                hit: seen,
                two_sided: draw.state.enabled.contains("GL_VERTEX_PROGRAM_TWO_SIDE"),
                flat_shading: draw.state.flat && !self.states_smooth,
            })
        };
        if culled(vertices, triangle) {
            return None;
        }
        let own = at(pixel[0], pixel[1])?;
        if !own.hit.inside || self.clipped(draw, vertices, &own) {
            return None;
        }
        let [x, y] = pixel.map(|place| (place / 2.0).floor() * 2.0);
        Some([at(x, y)?, at(x + 1.0, y)?, at(x, y + 1.0)?, at(x + 1.0, y + 1.0)?])
    }

    /// Whether a plane of the user cuts a fragment away.
    fn clipped(&self, draw: &Draw, vertices: &Vertices, fragment: &Fragment) -> bool {
        (0..8).any(|plane| {
            let on = [format!("GL_CLIP_PLANE{plane}"), format!("GL_CLIP_DISTANCE{plane}")];
            if !on.iter().any(|name| draw.state.enabled.contains(name)) {
                return false;
            }
            let distance = |vertex: usize| {
                if let Some(distances) = vertices.floats("gl_ClipDistance", vertex) {
                    return distances.get(plane).copied().unwrap_or(0.0);
                }
                let clip = vertices
                    .floats("gl_ClipVertex", vertex)
                    .or_else(|| Some(vertices.position(vertex)?.to_vec()));
                clip.unwrap_or_default().iter().zip(draw.state.planes[plane]).map(|(a, b)| a * b).sum()
            };
            let parts = fragment.corners.iter().zip(fragment.hit.weights);
            parts.map(|(&corner, weight)| distance(corner) * weight).sum::<f64>() < 0.0
        })
    }
}

/// Whether all corners are on the wrong side of one plane of `gl_CullDistance`.
fn culled(vertices: &Vertices, triangle: &Triangle) -> bool {
    let distances =
        triangle.corners.map(|corner| vertices.floats("gl_CullDistance", corner).unwrap_or_default());
    (0..distances[0].len()).any(|plane| distances.iter().all(|d| d.get(plane).is_some_and(|&d| d < 0.0)))
}

/// Pixels all over a rectangle: corners, middle, and between.
fn spread(x: f64, y: f64, w: f64, h: f64) -> Vec<[f64; 2]> {
    let steps = |start: f64, length: f64| -> Vec<f64> {
        let last = (length - 1.0).max(0.0).floor();
        let mut places: Vec<f64> = (0..=3).map(|i| (start + last * f64::from(i) / 3.0).floor()).collect();
        places.dedup();
        places
    };
    let rows = steps(y, h);
    steps(x, w).into_iter().flat_map(|x| rows.iter().map(move |&y| [x, y])).collect()
}

/// The first numbers of some words, zeros where there are fewer.
fn numbers<const N: usize>(words: &[&str]) -> [f64; N] {
    std::array::from_fn(|i| words.get(i).map_or(0.0, |text| float(text)))
}

/// Values that fixed functions have at the start and that are not zero.
fn fixed_state(uniforms: &mut Uniforms) {
    const STATE: [(&str, &[f64]); 12] = [
        ("gl_DepthRange.far", &[1.0]),
        ("gl_DepthRange.diff", &[1.0]),
        ("gl_Point.size", &[1.0]),
        ("gl_Point.fadeThresholdSize", &[1.0]),
        ("gl_Point.distanceConstantAttenuation", &[1.0]),
        ("gl_Fog.density", &[1.0]),
        ("gl_Fog.end", &[1.0]),
        ("gl_Fog.scale", &[1.0]),
        ("gl_FrontMaterial.ambient", &[0.2, 0.2, 0.2, 1.0]),
        ("gl_FrontMaterial.diffuse", &[0.8, 0.8, 0.8, 1.0]),
        ("gl_FrontMaterial.specular", &[0.0, 0.0, 0.0, 1.0]),
        ("gl_LightModel.ambient", &[0.2, 0.2, 0.2, 1.0]),
    ];
    const LIGHT: [(&str, &[f64]); 6] = [
        ("ambient", &[0.0, 0.0, 0.0, 1.0]),
        ("position", &[0.0, 0.0, 1.0, 0.0]),
        ("spotDirection", &[0.0, 0.0, -1.0]),
        ("spotCutoff", &[180.0]),
        ("spotCosCutoff", &[-1.0]),
        ("constantAttenuation", &[1.0]),
    ];
    uniforms.extend(STATE.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())));
    for light in 0..8 {
        let row =
            |(name, values): &(&str, &[f64])| (format!("gl_LightSource[{light}].{name}"), values.to_vec());
        uniforms.extend(LIGHT.iter().map(row));
    }
    for name in ["diffuse", "specular"] {
        uniforms.insert(format!("gl_LightSource[0].{name}"), vec![1.0; 4]);
    }
}

/// The matrices of fixed functions: all but the projection is the identity.
fn set_matrices(uniforms: &mut Uniforms, projection: Matrix) {
    for name in ["gl_ModelViewProjectionMatrix", "gl_ProjectionMatrix"] {
        uniforms.insert(name.to_owned(), projection.to_vec());
        let rows: Vec<f64> = (0..16).map(|i| projection[i % 4 * 4 + i / 4]).collect();
        uniforms.insert(format!("{name}Transpose"), rows);
    }
    for name in ["gl_ModelViewMatrix", "gl_ModelViewMatrixTranspose", "gl_ModelViewMatrixInverse"] {
        uniforms.insert(name.to_owned(), IDENTITY.to_vec());
    }
    uniforms.insert("gl_NormalMatrix".to_owned(), vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

fn ortho(l: f64, r: f64, b: f64, t: f64) -> Matrix {
    let mut matrix = IDENTITY;
    (matrix[0], matrix[5], matrix[10]) = (2.0 / (r - l), 2.0 / (t - b), -1.0);
    (matrix[12], matrix[13]) = (-(r + l) / (r - l), -(t + b) / (t - b));
    matrix
}

fn frustum(words: &[&str]) -> Matrix {
    let [l, r, b, t, n, f] = numbers(words);
    let mut matrix = [0.0; 16];
    (matrix[0], matrix[5]) = (2.0 * n / (r - l), 2.0 * n / (t - b));
    (matrix[8], matrix[9], matrix[10]) = ((r + l) / (r - l), (t + b) / (t - b), -(f + n) / (f - n));
    (matrix[11], matrix[14]) = (-1.0, -2.0 * f * n / (f - n));
    matrix
}
