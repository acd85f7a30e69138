//! The two stages of a test, compiled, and run on vertices and fragments.

use std::collections::HashMap;

use chiaro_diag::{Severity, SourceMap};
use chiaro_glsl::compile_program;
use chiaro_glsl::source::{Options, Stage};
use chiaro_ir::interp::Exact;
use chiaro_ir::{Constant, ConstantKind, Interpolation, Module, Space, Ty};
use chiaro_spirv::Reading;

use super::raster::Hit;
use super::script::Script;
use crate::stages::scene::{Outcome, Scene, block_name};

/// A vertex and a fragment shader, and a geometry shader between them.
pub(super) struct Program {
    vertex: Reading,
    pub(super) geometry: Option<Reading>,
    fragment: Reading,
}

/// Uniforms by name, as scalars.
pub(super) type Uniforms = HashMap<String, Vec<f64>>;

/// What vertices come to: words of each output, by name.
pub(super) struct Vertices {
    outputs: HashMap<String, Vec<Vec<u32>>>,
}

/// A fragment to be run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    /// Middle of the pixel, in pixels.
    pub(super) place: [f64; 2],
    pub(super) corners: [usize; 3],
    pub(super) provoking: usize,
    pub(super) hit: Hit,
    /// Whether colours of the back are taken where it is seen.
    pub(super) two_sided: bool,
    pub(super) flat_shading: bool,
}

impl Program {
    /// Compiles and links both stages.
    ///
    /// # Errors
    /// The first message.
    pub(super) fn new(script: &Script) -> Result<Program, String> {
        let mut sources = SourceMap::new();
        let stages: Vec<_> = script
            .stages
            .iter()
            .map(|(stage, text)| {
                let name = match stage {
                    Stage::Vertex => "vertex",
                    Stage::Geometry => "geometry",
                    _ => "fragment",
                };
                let file = sources.add(name, text.as_str());
                (file, Options { version: Some(script.version), ..Options::new(*stage) })
            })
            .collect();
        let mut include = |_: &str, _: bool, _: &str| None;
        let (modules, found) = compile_program(&stages, false, &mut sources, &mut include);
        if let Some(error) = found.iter().find(|found| found.severity == Severity::Error) {
            return Err(error.message.clone());
        }
        let mut readings = modules.iter().map(|module| {
            chiaro_spirv::read_module(module, &chiaro_spirv::Options::default(), &mut sources)
                .map_err(|error| format!("reading SPIR-V: {error}"))
        });
        match (readings.next(), readings.next(), readings.next()) {
            (Some(vertex), Some(fragment), None) => {
                Ok(Program { vertex: vertex?, geometry: None, fragment: fragment? })
            }
            (Some(vertex), Some(geometry), Some(fragment)) => {
                Ok(Program { vertex: vertex?, geometry: Some(geometry?), fragment: fragment? })
            }
            _ => Err("a stage is missing".to_owned()),
        }
    }

    /// Initialisers of uniforms in either stage: they hold for both.
    pub(super) fn initial(&self) -> Uniforms {
        let mut uniforms = Uniforms::new();
        let geometry = self.geometry.as_ref();
        for module in
            [Some(&self.vertex), geometry, Some(&self.fragment)].into_iter().flatten().map(|r| &r.module)
        {
            let loose = module.globals.iter().filter(|g| g.space == Space::UniformConstant);
            for (global, init) in loose.filter_map(|g| Some((g, g.init?))) {
                let mut values = Vec::new();
                scalars(module, init, &mut values);
                uniforms.insert(global.name.clone(), values);
            }
        }
        uniforms
    }

    /// Runs the vertex shader: for each vertex its attributes by name.
    pub(super) fn vertices(
        &self,
        uniforms: &Uniforms,
        attributes: &[HashMap<String, Vec<f64>>],
    ) -> Result<Vertices, String> {
        let outcome = self.vertex_scene(uniforms, attributes)?.run()?;
        Ok(Vertices::of((0..attributes.len()).map(|vertex| outcome.all(vertex))))
    }

    /// The vertex shader.
    pub(super) fn vertex(&self) -> &Reading {
        &self.vertex
    }

    /// The vertex shader with its inputs.
    pub(super) fn vertex_scene(
        &self,
        uniforms: &Uniforms,
        attributes: &[HashMap<String, Vec<f64>>],
    ) -> Result<Scene<'_>, String> {
        let module = &self.vertex.module;
        let mut scene = Scene::new(module, Exact, attributes.len())?;
        set_uniforms(&mut scene, &self.vertex, uniforms);
        let unnamed = first_input(module);
        for (vertex, values) in attributes.iter().enumerate() {
            for (name, values) in values {
                scene.input(name, vertex, values);
            }
            // The position goes to attribute 0, whatever its name.
            if let (Some(name), Some(place)) = (&unnamed, values.get("piglit_vertex")) {
                scene.input(name, vertex, place);
            }
            for number in [spirv::BuiltIn::VertexId as u32, spirv::BuiltIn::VertexIndex as u32] {
                scene.builtin(number, vertex, &[vertex as f64]);
            }
        }
        Ok(scene)
    }

    /// Runs the fragment shader on quads: the colour of each fragment, `None` where discarded.
    pub(super) fn fragments(
        &self,
        uniforms: &Uniforms,
        vertices: &Vertices,
        fragments: &[Fragment],
    ) -> Result<Vec<Option<[f64; 4]>>, String> {
        let module = &self.fragment.module;
        let mut scene = Scene::new(module, Exact, fragments.len())?;
        set_uniforms(&mut scene, &self.fragment, uniforms);
        for global in module.globals.iter().filter(|g| g.space == Space::Input) {
            // Blocks meet by their own name, whatever their instances are called.
            let block = block_name(module, global.ty);
            let by_name = block.is_empty() || vertices.outputs.contains_key(&global.name);
            let name = if by_name { global.name.as_str() } else { block };
            let legacy_flat = global.name == "gl_Color" || global.name == "gl_SecondaryColor";
            for (number, fragment) in fragments.iter().enumerate() {
                let mode = match global.binding.interpolation {
                    Interpolation::Perspective if legacy_flat && fragment.flat_shading => Interpolation::Flat,
                    mode => mode,
                };
                if let Some(words) = vertices.at(name, fragment, mode) {
                    scene.input_words(&global.name, number, &words);
                }
            }
        }
        for (number, fragment) in fragments.iter().enumerate() {
            let hit = fragment.hit;
            let [x, y] = fragment.place;
            scene.builtin(
                spirv::BuiltIn::FragCoord as u32,
                number,
                &[x, y, hit.depth * 0.5 + 0.5, hit.inverse_w],
            );
            scene.builtin(spirv::BuiltIn::FrontFacing as u32, number, &[f64::from(u8::from(hit.front))]);
        }
        let outcome = scene.run()?;
        Ok((0..fragments.len()).map(|number| colour(&outcome, number)).collect())
    }
}

impl Vertices {
    /// The outputs of vertices, one after the other.
    pub(super) fn of(rows: impl Iterator<Item = Vec<(String, Vec<u32>)>>) -> Vertices {
        let mut outputs: HashMap<String, Vec<Vec<u32>>> = HashMap::new();
        for (name, words) in rows.flatten() {
            outputs.entry(name).or_default().push(words);
        }
        Vertices { outputs }
    }

    /// The words of an output of a vertex.
    pub(super) fn words(&self, name: &str, vertex: usize) -> Option<&[u32]> {
        self.outputs.get(name)?.get(vertex).map(Vec::as_slice)
    }

    /// Clip coordinates of a vertex.
    pub(super) fn position(&self, vertex: usize) -> Option<[f64; 4]> {
        let words = self.outputs.get("gl_Position")?.get(vertex)?;
        let floats: Vec<f64> = words.iter().map(|&word| f32::from_bits(word).into()).collect();
        floats.try_into().ok()
    }

    /// Scalars of an output of a vertex.
    pub(super) fn floats(&self, name: &str, vertex: usize) -> Option<Vec<f64>> {
        let words = self.outputs.get(name)?.get(vertex)?;
        Some(words.iter().map(|&word| f32::from_bits(word).into()).collect())
    }

    /// The words of a fragment's input.
    fn at(&self, name: &str, fragment: &Fragment, mode: Interpolation) -> Option<Vec<u32>> {
        let back = fragment.two_sided && !fragment.hit.front;
        let colour = match (name, back) {
            ("gl_Color", false) => Some("gl_FrontColor"),
            ("gl_Color", true) => Some("gl_BackColor"),
            ("gl_SecondaryColor", false) => Some("gl_FrontSecondaryColor"),
            ("gl_SecondaryColor", true) => Some("gl_BackSecondaryColor"),
            _ => None,
        };
        let rows = self.outputs.get(colour.unwrap_or(name))?;
        if mode == Interpolation::Flat {
            return rows.get(fragment.provoking).cloned();
        }
        let corners: Vec<&Vec<u32>> =
            fragment.corners.iter().filter_map(|&corner| rows.get(corner)).collect();
        let [a, b, c] = corners.as_slice() else { return None };
        let weights = if mode == Interpolation::Linear { fragment.hit.linear } else { fragment.hit.weights };
        let mix = |i: usize| -> f32 {
            let value = |words: &[u32]| words.get(i).map_or(0.0, |&word| f64::from(f32::from_bits(word)));
            let parts = [value(a), value(b), value(c)];
            let same = parts[0] == parts[1] && parts[1] == parts[2];
            let mixed = if same { parts[0] } else { parts.iter().zip(weights).map(|(v, w)| v * w).sum() };
            // Fixed functions clamp colours on their way.
            (if colour.is_some() { mixed.clamp(0.0, 1.0) } else { mixed }) as f32
        };
        Some((0..a.len()).map(|i| mix(i).to_bits()).collect())
    }
}

/// The colour that a fragment gives to the first attachment.
fn colour(outcome: &Outcome<'_>, number: usize) -> Option<[f64; 4]> {
    if outcome.report.ended.get(number) == Some(&true) {
        return None;
    }
    let names = outcome.names();
    let named = |wanted: &str| names.iter().find(|(name, ..)| name == wanted);
    let first =
        names.iter().filter(|(_, _, builtin)| builtin.is_none()).min_by_key(|(_, location, _)| *location);
    let (name, ..) = named("gl_FragColor").or_else(|| named("gl_FragData")).or(first)?;
    let values = outcome.output(name, number)?;
    let at = |i: usize, other: f64| values.get(i).copied().unwrap_or(other);
    Some([at(0, 0.0), at(1, 0.0), at(2, 0.0), at(3, 1.0)])
}

/// The first attribute of a shader that has none of piglit's names for the position.
fn first_input(module: &Module) -> Option<String> {
    let inputs = || module.globals.iter().filter(|g| g.space == Space::Input && g.binding.builtin.is_none());
    if inputs().any(|g| matches!(g.name.as_str(), "piglit_vertex" | "gl_Vertex")) {
        return None;
    }
    inputs().min_by_key(|g| g.binding.location.unwrap_or(u32::MAX)).map(|g| g.name.clone())
}

/// The scalars of a constant, in order.
fn scalars(module: &Module, constant: Constant, values: &mut Vec<f64>) {
    let ty = module.constants.ty(constant);
    match module.constants.get(constant) {
        ConstantKind::Scalar(bits) if module.types.is_float(ty) => {
            values.push(f32::from_bits(*bits as u32).into());
        }
        ConstantKind::Scalar(bits) => values.push((*bits as u32).into()),
        ConstantKind::Composite(parts) => parts.iter().for_each(|&part| scalars(module, part, values)),
        _ => zeros(module, ty, values),
    }
}

fn zeros(module: &Module, ty: Ty, values: &mut Vec<f64>) {
    match module.types.part_count(ty) {
        Some(count) => {
            (0..count).filter_map(|i| module.types.part(ty, i)).for_each(|part| zeros(module, part, values));
        }
        None => values.push(0.0),
    }
}

/// Gives a stage the uniforms that it has.
pub(super) fn set_uniforms(scene: &mut Scene<'_>, reading: &Reading, uniforms: &Uniforms) {
    // Whole variables and early elements first, so that what is set piece by piece stays.
    let mut names: Vec<&String> = uniforms.keys().collect();
    names.sort();
    for name in names {
        if let Some((global, path)) = find(reading, name) {
            scene.leaf(global, &path, &uniforms[name]);
        }
    }
}

/// The variable and the way in it to what a name means: `a`, `s.b[1]`, `Block.m`.
fn find(reading: &Reading, name: &str) -> Option<(chiaro_ir::GlobalRef, Vec<u32>)> {
    let plain = |text: &str| text.strip_suffix("[0]").unwrap_or(text).to_owned();
    let mut base = name.to_owned();
    let mut elements: Vec<u32> = Vec::new();
    loop {
        let wanted = plain(&base);
        let leaf =
            reading.interface.leaves.iter().find(|leaf| plain(&leaf.name) == wanted || leaf.name == base);
        if let Some(leaf) = leaf {
            let mut path = leaf.path.clone();
            // A name that ends in `[0]` means the first element only where elements are set.
            path.extend(elements.iter().rev());
            return Some((leaf.global, path));
        }
        let (rest, last) = base.strip_suffix(']')?.rsplit_once('[')?;
        elements.push(last.parse().ok()?);
        base = rest.to_owned();
    }
}
