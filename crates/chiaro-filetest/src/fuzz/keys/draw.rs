//! The shader and the keys of a seed.

use chiaro_agx::abi::key::{FACTORS, FUNCTIONS, LOGIC};
use chiaro_agx::verify::Words;
use chiaro_ir::random::{Rng, fragment, vertex};
use chiaro_ir::{Module, Space, Stage};
use serde_json::{Value as Json, json};

use super::formats::{FLOATS, INTEGERS, Layout};

/// Operations of a shader, at most about.
const LARGEST: u64 = 16;
/// Formats of targets.
const TARGETS: [&str; 16] = [
    "R8G8B8A8_UNORM",
    "B8G8R8A8_UNORM",
    "R8G8B8A8_SRGB",
    "R8G8_UNORM",
    "R8_SNORM",
    "R16G16B16A16_FLOAT",
    "R16_FLOAT",
    "R16G16_UNORM",
    "R16G16B16A16_SNORM",
    "R32G32B32A32_FLOAT",
    "R32G32_FLOAT",
    "R32_FLOAT",
    "R10G10B10A2_UNORM",
    "R11G11B10_FLOAT",
    "B5G6R5_UNORM",
    "B5G5R5A1_UNORM",
];
/// Factors of blending that read a second colour.
const OF_SECOND: std::ops::Range<usize> = 14..18;

/// A shader with the keys of its parts.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) seed: u64,
    pub(super) module: Module,
    pub(super) keys: Json,
    /// Vertices are threads of a grid.
    pub(super) software: bool,
    /// Attributes are numbers that their formats hold exactly.
    pub(super) exact: bool,
}

impl Case {
    pub(super) fn of(seed: u64) -> Case {
        let mut rng = Rng(seed ^ 0x6b65_7973);
        let size = 4 + (seed / 2 % LARGEST) as u32;
        if seed.is_multiple_of(2) {
            let software = rng.once_in(4);
            let exact = !rng.once_in(3);
            let module = vertex::module(seed, size);
            let keys = json!({ "prolog": vertex_prolog(&mut rng, &module, software) });
            return Case { seed, module, keys, software, exact };
        }
        let mut module = fragment::module(seed, size);
        let samples = [1, 2, 4][rng.below(3)];
        if samples > 1 && rng.once_in(4) {
            by_sample(&mut module);
        }
        let mut keys = json!({ "epilog": epilog(&mut rng, samples) });
        if rng.once_in(2) {
            keys["prolog"] = fragment_prolog(&mut rng, samples);
        }
        Case { seed, module, keys, software: false, exact: true }
    }

    pub(super) fn is_fragment(&self) -> bool {
        self.module.entries[0].stage == Stage::Fragment
    }

    pub(super) fn samples(&self) -> usize {
        self.keys["epilog"]["nr_samples"].as_u64().unwrap_or(1) as usize
    }

    /// The same without attributes behind the last that the main part reads: uniforms stand by their number, and so
    /// both parts have to know it. A prolog of fragments that kills tests, unless somebody behind does (spec 14.5).
    pub(super) fn fitted(&self, words: &Words<'_>) -> Case {
        let mut case = self.clone();
        let read = words.compiled.interface.inputs.iter();
        let last = read.filter_map(|placed| self.module.global(placed.variable).binding.location).max();
        if let Some(attributes) = case.keys.pointer_mut("/prolog/attribs").and_then(Json::as_array_mut) {
            attributes.retain(|attribute| attribute["i"].as_u64() <= last.map(u64::from));
        }
        let (main, told) = (words.compiled.file.parts.first(), told(words));
        let others =
            main.is_some_and(|part| part.contract.tests || part.contract.kills) || told["write_z"] == 1;
        // A shader that leaves no colour has nothing to cover by.
        let writes = |location: u64| told["loc_written"].as_u64().unwrap_or(0xff) >> location & 1 == 1;
        if let Some(epilog) = case.keys.pointer_mut("/epilog").filter(|_| !writes(0)) {
            epilog["alpha_to_coverage"] = 0.into();
        }
        let targets = case.keys.pointer_mut("/epilog/rts").and_then(Json::as_array_mut);
        for target in targets.into_iter().flatten() {
            if target["loc"].as_u64().is_some_and(|location| !writes(location)) {
                target["loc"] = (-1).into();
            }
        }
        let covers = case.keys.pointer("/epilog/alpha_to_coverage").is_some_and(|covers| *covers == 1);
        if let Some(prolog) = case.keys.pointer_mut("/prolog").filter(|_| self.is_fragment()) {
            let is_set = |field: &str, none: u64| prolog[field].as_u64().unwrap_or(none) != none;
            let kills = is_set("api_sample_mask", 0xff)
                || is_set("polygon_stipple", 0)
                || is_set("cull_distance_size", 0);
            prolog["run_zs_tests"] = u64::from(kills && !others && !covers).into();
        }
        case
    }

    /// The same with vertices of the hardware.
    pub(super) fn hardware(&self) -> Case {
        let mut keys = self.keys.clone();
        keys["prolog"]["hw"] = 1.into();
        Case { keys, software: false, ..self.clone() }
    }
}

/// What a main part tells the key of its epilog.
pub(super) fn told(words: &Words<'_>) -> Json {
    let main = words.compiled.file.parts.first();
    main.and_then(|part| serde_json::from_str(&part.key).ok()).unwrap_or_default()
}

/// An input is one of each sample.
fn by_sample(module: &mut Module) {
    if let Some(input) = module.globals.iter_mut().find(|g| g.space == Space::Input && g.name == "a") {
        input.binding.sample = true;
    }
}

fn vertex_prolog(rng: &mut Rng, module: &Module, software: bool) -> Json {
    let inputs = module.globals.iter().filter(|g| g.space == Space::Input);
    let attributes: Vec<Json> = inputs
        .map(|input| {
            let components = module.types.components(input.ty);
            let is_float = module.types.is_float(input.ty);
            let formats = if is_float { &FLOATS[..] } else { &INTEGERS };
            let format = formats[rng.below(formats.len())];
            let (bytes, aligned) = Layout::named(format).map_or((16, 4), |layout| (layout.bytes(), layout.aligned()));
            let stride = (bytes + aligned * rng.below(4)).next_multiple_of(aligned);
            let instanced = u32::from(rng.once_in(5));
            json!({
                "i": input.binding.location, "mask": (1u32 << components) - 1 | rng.below(16) as u32, "stride": stride,
                "instanced": instanced, "divisor": if instanced == 1 { rng.below(4) } else { 0 },
                "format": format!("PIPE_FORMAT_{format}"),
            })
        })
        .collect();
    json!({
        "hw": u32::from(!software), "index_size": 0, "adjacency": 0, "robustness": rng.below(4),
        "soft_fault": rng.below(2), "attribs": attributes,
    })
}

fn epilog(rng: &mut Rng, samples: u32) -> Json {
    let logic = if rng.once_in(4) { LOGIC[rng.below(LOGIC.len())] } else { "copy" };
    let blends = rng.once_in(2);
    let targets: Vec<Json> = (0..1 + rng.below(2))
        .map(|n| {
            let format = TARGETS[rng.below(TARGETS.len())];
            let mask = if rng.once_in(3) { rng.below(16) } else { 15 };
            let [rgb, alpha] = [(); 2].map(|()| if blends { blend(rng) } else { "add one zero".to_owned() });
            json!({
                "i": n * (1 + rng.below(2)), "format": format!("PIPE_FORMAT_{format}"), "loc": n, "colormask": mask,
                "rgb": rgb, "alpha": alpha,
            })
        })
        .collect();
    let coverage = u32::from(samples > 1 && rng.once_in(4));
    json!({
        "nr_samples": samples, "force_small_tile": rng.below(2), "logicop": logic, "alpha_to_coverage": coverage,
        "alpha_to_one": u32::from(rng.once_in(5)), "rts": targets,
    })
}

fn blend(rng: &mut Rng) -> String {
    let function = FUNCTIONS[rng.below(FUNCTIONS.len())];
    let [source, there] = [(); 2].map(|()| {
        loop {
            let n = rng.below(FACTORS.len());
            if !OF_SECOND.contains(&n) {
                break FACTORS[n];
            }
        }
    });
    format!("{function} {source} {there}")
}

/// Who has to test is said when the main part is known.
fn fragment_prolog(rng: &mut Rng, samples: u32) -> Json {
    let mask = if samples > 1 && rng.once_in(2) { 1 + rng.below((1 << samples) - 1) } else { 0xff };
    let stipple = u32::from(rng.once_in(4));
    let planes = if rng.once_in(4) { 1 + rng.below(3) } else { 0 };
    json!({
        "api_sample_mask": mask, "cull_distance_size": planes, "statistics": rng.below(2), "polygon_stipple": stipple,
        "run_zs_tests": 0,
    })
}
