//! What a fragment program takes of vertices and the rasteriser, and which of its outputs is the colour.

use chiaro_ir::{Interpolation, Module, Space};
use chiaro_target::Varying as Told;

/// SPIR-V's numbers of built-ins.
pub(super) mod builtin {
    pub(crate) const POSITION: u32 = 0;
    pub(crate) const POINT_SIZE: u32 = 1;
    pub(crate) const FRAG_COORD: u32 = 15;
    pub(crate) const POINT_COORD: u32 = 16;
    pub(crate) const FRONT_FACING: u32 = 17;
    pub(crate) const SAMPLE_ID: u32 = 18;
    pub(crate) const SAMPLE_POSITION: u32 = 19;
    pub(crate) const SAMPLE_MASK: u32 = 20;
    pub(crate) const FRAG_DEPTH: u32 = 22;
}

/// Built-in inputs of programs that have no module.
const USUAL: [(u32, &str); 3] = [
    (builtin::FRAG_COORD, "gl_FragCoord"),
    (builtin::FRONT_FACING, "gl_FrontFacing"),
    (builtin::POINT_COORD, "gl_PointCoord"),
];

/// Something that a fragment program reads of the vertices.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Varying {
    pub(super) name: String,
    pub(super) location: Option<u32>,
    /// Outputs that hold its components where nothing has its name.
    pub(super) parts: Vec<String>,
    pub(super) interpolation: Interpolation,
    pub(super) taken: Taken,
}

/// Where in its pixel a varying is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Taken {
    Middle,
    Centroid,
    Sample,
}

/// What a fragment program takes and gives.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FragmentInterface {
    pub(super) varyings: Vec<Varying>,
    /// Names of the built-in inputs that it reads, by SPIR-V's number.
    pub(super) builtins: Vec<(u32, String)>,
    /// The output whose colour counts.
    pub(super) colour: String,
    /// All colours, by location and which of two that are blended.
    pub(super) colours: Vec<(u32, u32, String)>,
    /// Whether it is run for each sample.
    pub(super) by_sample: bool,
}

impl FragmentInterface {
    /// That of a container, whose program takes varyings itself where it wants them, given their values in the middle.
    #[must_use]
    pub fn of_container(varyings: Vec<Told>) -> FragmentInterface {
        let varying = |Told { name, parts, interpolation }| Varying {
            name,
            location: None,
            parts,
            interpolation,
            taken: Taken::Middle,
        };
        FragmentInterface {
            varyings: varyings.into_iter().map(varying).collect(),
            builtins: USUAL.map(|(number, name)| (number, name.to_owned())).to_vec(),
            colour: "colour".to_owned(),
            colours: Vec::new(),
            by_sample: false,
        }
    }

    /// The output of a location, the first or the second of two that are blended. An array has several locations.
    pub(super) fn colour_at(&self, location: u32, index: u32) -> Option<String> {
        let before = |(first, own, _): &&(u32, u32, String)| *first <= location && *own == index;
        let (first, _, name) = self.colours.iter().rfind(before)?;
        Some(if *first == location { name.clone() } else { format!("{name}[{}]", location - first) })
    }

    /// That of a module's variables.
    #[must_use]
    pub fn of(module: &Module) -> FragmentInterface {
        let mut all = FragmentInterface::default();
        for global in &module.globals {
            let binding = &global.binding;
            match (global.space, binding.builtin) {
                (Space::Input, Some(number)) => all.builtins.push((number, global.name.clone())),
                (Space::Input, None) => all.varyings.push(Varying {
                    name: global.name.clone(),
                    location: binding.location,
                    parts: Vec::new(),
                    interpolation: binding.interpolation,
                    taken: match (binding.sample, binding.centroid) {
                        (true, _) => Taken::Sample,
                        (_, true) => Taken::Centroid,
                        _ => Taken::Middle,
                    },
                }),
                (Space::Output, None) => {
                    let location = binding.location.unwrap_or(0);
                    all.colours.push((location, binding.index, global.name.clone()));
                }
                _ => {}
            }
        }
        all.colours.sort();
        all.colour = all.colours.first().map(|(.., name)| name.clone()).unwrap_or_default();
        let of_samples = [builtin::SAMPLE_ID, builtin::SAMPLE_POSITION];
        all.by_sample = all.varyings.iter().any(|varying| varying.taken == Taken::Sample)
            || all.builtins.iter().any(|(number, _)| of_samples.contains(number));
        all
    }
}
