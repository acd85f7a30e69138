//! Keys: everything that the code of a part depends on (spec 14.5).
//!
//! A key is a declaration: its fields with the greatest value of each drive the JSON, the checks and the
//! bytes. Equal work has equal keys once they are [normalised](Key::normalised); their bytes are stable:
//! a byte for the kind of part, one for this layout, then the fields in the order of the declaration, eight
//! bytes each, lists behind their length, names behind theirs.

#[cfg(feature = "json")]
mod json;

use std::collections::HashMap;

use super::channels::Format;
use super::tilebuffer;

/// The layout of the bytes of keys.
const LAYOUT: u8 = 1;
/// Samples in a mask that leaves all of them.
const ALL_SAMPLES: u64 = 0xff;

/// Declares a group of fields that are numbers.
macro_rules! fields {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $field:ident <= $most:expr),* $(,)? } $({ $($(#[$other_doc:meta])* $other:ident: $ty:ty),* $(,)? })?) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
        pub struct $name {
            $($(#[$about])* pub $field: u64,)*
            $($($(#[$other_doc])* pub $other: $ty,)*)?
        }

        impl $name {
            /// The fields that are numbers, with the greatest value of each.
            pub const NUMBERS: &[(&str, u64)] = &[$((stringify!($field), $most)),*];

            /// Those numbers.
            pub fn numbers(&self) -> Vec<u64> {
                vec![$(self.$field),*]
            }

            /// Sets one of them by its place.
            #[cfg(feature = "json")]
            fn set(&mut self, place: usize, value: u64) {
                let all = [$(&mut self.$field),*];
                if let Some(field) = all.into_iter().nth(place) {
                    *field = value;
                }
            }
        }
    };
}

fields! {
    /// How an attribute of a vertex is fetched.
    Attribute {
        /// Which one. Those of r8 to r127: 30 fit.
        i <= 29,
        /// Which components are read.
        mask <= 15,
        /// Bytes from an element to the next.
        stride <= 0xffff,
        /// Whether it goes on from instance to instance.
        instanced <= 1,
        /// Instances of an element.
        divisor <= u32::MAX as u64,
    } {
        /// Mesa's name of its format.
        format: String,
    }
}

fields! {
    /// What the prolog of a vertex program depends on.
    VertexProlog {
        /// Whether it runs in front of a vertex program of the hardware.
        hw <= 1,
        /// Bytes of an index, 0 for none, where it does not.
        index_size <= 4,
        /// The primitive with adjacency to emulate, by Mesa's number.
        adjacency <= 13,
        /// Bounds: none, OpenGL ES's, OpenGL's, Direct3D's.
        robustness <= 3,
        /// Whether loads of what is not mapped give 0.
        soft_fault <= 1,
    } {
        /// The attributes.
        attribs: Vec<Attribute>,
    }
}

fields! {
    /// What the prolog of a fragment program depends on.
    FragmentProlog {
        /// Samples that are kept.
        api_sample_mask <= ALL_SAMPLES,
        /// Planes that cull by distance.
        cull_distance_size <= 8,
        /// Whether invocations are counted.
        statistics <= 1,
        /// Whether there is a stipple.
        polygon_stipple <= 1,
        /// Whether it has to test when it kills.
        run_zs_tests <= 1,
        /// First coefficient register that is free.
        cf_base <= 255,
    }
}

fields! {
    /// What the main part of a fragment program tells its epilog.
    Link {
        /// Where spilled targets begin among the textures.
        rt_spill_base <= 255,
        /// Locations that have 32 bits.
        size_32 <= 255,
        /// Locations that are written.
        loc_written <= 255,
        /// Whether it runs once for each sample.
        sample_shading <= 1,
        /// Whether location 0 goes to all targets.
        broadcast_rt0 <= 1,
        /// Whether the fourth component of location 0 is 1, and not there.
        loc0_w_1 <= 1,
        /// Whether it leaves a depth.
        write_z <= 1,
        /// Whether it leaves a stencil.
        write_s <= 1,
        /// Whether it has tested.
        already_ran_zs <= 1,
        /// Whether it leaves a mask of samples behind early tests.
        sample_mask_after_force_early <= 1,
    }
}

fields! {
    /// A render target.
    Target {
        /// Which one.
        i <= 7,
        /// Components that are written.
        colormask <= 15,
    } {
        /// Mesa's name of its format.
        format: String,
        /// The location that goes there; `None` for none.
        loc: Option<u8>,
        /// How colours blend.
        rgb: Blend,
        /// How the fourth component blends.
        alpha: Blend,
    }
}

fields! {
    /// What the epilog of a fragment program depends on.
    FragmentEpilog {
        /// Samples of a pixel.
        nr_samples <= 4,
        /// Whether tiles are the smallest.
        force_small_tile <= 1,
        /// Whether the fourth component kills samples.
        alpha_to_coverage <= 1,
        /// Whether it is 1 behind that.
        alpha_to_one <= 1,
    } {
        /// What the main part says.
        link: Link,
        /// The logical operation, an index of [`LOGIC`].
        logicop: u8,
        /// The targets.
        rts: Vec<Target>,
    }
}

/// How a component blends: indices of [`FUNCTIONS`] and [`FACTORS`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Blend {
    /// The function.
    pub function: u8,
    /// Factor of the source, and of what is there.
    pub factors: [u8; 2],
}

/// Functions of blending.
pub const FUNCTIONS: [&str; 5] = ["add", "subtract", "reverse_subtract", "min", "max"];
/// Factors of blending.
pub const FACTORS: [&str; 19] = [
    "one",
    "zero",
    "src_color",
    "inv_src_color",
    "src_alpha",
    "inv_src_alpha",
    "dst_color",
    "inv_dst_color",
    "dst_alpha",
    "inv_dst_alpha",
    "const_color",
    "inv_const_color",
    "const_alpha",
    "inv_const_alpha",
    "src1_color",
    "inv_src1_color",
    "src1_alpha",
    "inv_src1_alpha",
    "src_alpha_saturate",
];

/// The name of a factor without `inv_`, and whether it had that.
#[must_use]
pub fn factor_name(factor: u8) -> (&'static str, bool) {
    let name = FACTORS[usize::from(factor)];
    name.strip_prefix("inv_").map_or((name, false), |name| (name, true))
}

/// A factor of a channel, of both colours of the source, what is there, and the constant (spec 18.2).
#[must_use]
pub fn factor_of(factor: u8, channel: usize, [source, second, there, constant]: [[f64; 4]; 4]) -> f64 {
    let (name, inverted) = factor_name(factor);
    let value = match name {
        "zero" => 0.0,
        "src_color" => source[channel],
        "src_alpha" => source[3],
        "src1_color" => second[channel],
        "src1_alpha" => second[3],
        "dst_color" => there[channel],
        "dst_alpha" => there[3],
        "const_color" => constant[channel],
        "const_alpha" => constant[3],
        "src_alpha_saturate" if channel < 3 => source[3].min(1.0 - there[3]),
        _ => 1.0,
    };
    if inverted { 1.0 - value } else { value }
}

/// Logical operations.
pub const LOGIC: [&str; 16] = [
    "copy",
    "clear",
    "nor",
    "and_inverted",
    "copy_inverted",
    "and_reverse",
    "invert",
    "xor",
    "nand",
    "and",
    "equiv",
    "noop",
    "or_inverted",
    "or_reverse",
    "or",
    "set",
];

const ONE: u8 = 0;
const ZERO: u8 = 1;
const SRC_ALPHA: u8 = 4;
const INV_SRC_ALPHA: u8 = 5;

/// The key of a part.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A prolog of vertices.
    VertexProlog(VertexProlog),
    /// A prolog of fragments.
    FragmentProlog(FragmentProlog),
    /// An epilog of fragments.
    FragmentEpilog(FragmentEpilog),
}

impl Key {
    /// The key without what changes nothing, so that equal work has equal keys.
    #[must_use]
    pub fn normalised(&self) -> Key {
        match self {
            Key::VertexProlog(key) => Key::VertexProlog(vertex(key.clone())),
            Key::FragmentProlog(key) => Key::FragmentProlog(fragment(key.clone())),
            Key::FragmentEpilog(key) => Key::FragmentEpilog(epilog(key.clone())),
        }
    }

    /// The bytes of the key as it is.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Bytes(Vec::new());
        match self {
            Key::VertexProlog(key) => {
                out.start(0, &key.numbers());
                out.number(key.attribs.len() as u64);
                for attribute in &key.attribs {
                    out.numbers(&attribute.numbers());
                    out.name(&attribute.format);
                }
            }
            Key::FragmentProlog(key) => out.start(1, &key.numbers()),
            Key::FragmentEpilog(key) => {
                out.start(2, &key.numbers());
                out.numbers(&key.link.numbers());
                out.number(key.logicop.into());
                out.number(key.rts.len() as u64);
                key.rts.iter().for_each(|target| out.target(target));
            }
        }
        out.0
    }
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn start(&mut self, kind: u8, numbers: &[u64]) {
        self.0.extend_from_slice(&[kind, LAYOUT]);
        self.numbers(numbers);
    }

    fn number(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }

    fn numbers(&mut self, all: &[u64]) {
        all.iter().for_each(|n| self.number(*n));
    }

    fn name(&mut self, name: &str) {
        self.number(name.len() as u64);
        self.0.extend_from_slice(name.as_bytes());
    }

    fn target(&mut self, target: &Target) {
        self.numbers(&target.numbers());
        self.name(&target.format);
        self.number(target.loc.map_or(u64::MAX, u64::from));
        for blend in [target.rgb, target.alpha] {
            self.0.extend_from_slice(&[blend.function, blend.factors[0], blend.factors[1]]);
        }
    }
}

/// Attributes by number, without those that nobody reads; divisors and indices where they count.
fn vertex(mut key: VertexProlog) -> VertexProlog {
    key.attribs.retain(|attribute| attribute.mask != 0);
    key.attribs.sort_by_key(|attribute| attribute.i);
    for attribute in &mut key.attribs {
        attribute.divisor *= attribute.instanced;
        // An element for all of them: there is no step.
        if attribute.instanced == 1 && attribute.divisor == 0 {
            attribute.stride = 0;
        }
    }
    // Vertices of primitives with adjacency are fetched by index here even where the hardware counts them.
    if key.hw == 1 && key.adjacency == 0 {
        key.index_size = 0;
    }
    if key.hw == 0 {
        key.adjacency = 0;
    }
    key
}

/// Tests and coefficients where it kills, or has planes.
fn fragment(mut key: FragmentProlog) -> FragmentProlog {
    let kills = key.api_sample_mask != ALL_SAMPLES || key.cull_distance_size > 0 || key.polygon_stipple == 1;
    key.run_zs_tests *= u64::from(kills);
    key.cf_base *= u64::from(key.cull_distance_size > 0);
    key
}

impl FragmentProlog {
    /// The mask that an API gives for so many samples: none where it keeps all of them (spec 14.5).
    #[must_use]
    pub fn sample_mask(mask: u64, samples: u32) -> u64 {
        let all = (1 << samples.min(8)) - 1;
        if samples <= 1 || mask & all == all { ALL_SAMPLES } else { mask & ALL_SAMPLES }
    }
}

impl FragmentEpilog {
    /// Whether a target has no room in the tilebuffer.
    #[must_use]
    pub fn spills(&self) -> bool {
        let mut targets = vec![None; 8];
        for target in &self.rts {
            let name = target.format.trim_start_matches("PIPE_FORMAT_");
            if let Some(place) = targets.get_mut(target.i as usize) {
                *place = tilebuffer::physical(name);
            }
        }
        let layout = tilebuffer::Layout::new(&targets, self.nr_samples.max(1) as u32);
        // What has no layout is not drawn to at all.
        layout.is_ok_and(|layout| layout.targets.iter().flatten().any(|target| target.offset.is_none()))
    }
}

/// What the specification replaces (14.5), targets by number, and no blending under a logical operation.
fn epilog(mut key: FragmentEpilog) -> FragmentEpilog {
    key.rts.sort_by_key(|target| target.i);
    if key.nr_samples <= 1 {
        key.alpha_to_coverage = 0;
    }
    if !key.spills() {
        key.link.rt_spill_base = 0;
    }
    for target in &mut key.rts {
        let replaced = key.link.loc0_w_1 == 1 && target.i == 0;
        for blend in [&mut target.rgb, &mut target.alpha] {
            if key.logicop != 0 {
                *blend = Blend { function: 0, factors: [ONE, ZERO] };
            }
            for factor in blend.factors.iter_mut().filter(|_| replaced) {
                *factor = match *factor {
                    SRC_ALPHA => ONE,
                    INV_SRC_ALPHA => ZERO,
                    other => other,
                };
            }
        }
    }
    key
}

/// Kinds of numbers that a prolog makes floats of, or leaves.
const VERTEX_KINDS: [&str; 9] =
    ["NORM", "UNORM", "SNORM", "UINT", "SINT", "FLOAT", "USCALED", "SSCALED", "FIXED"];

/// Whether a format can be fetched by a prolog (spec 17): plain channels of at most 32 bits.
#[must_use]
pub fn is_vertex_format(name: &str) -> bool {
    let Some((channels, kind)) = name.trim_start_matches("PIPE_FORMAT_").rsplit_once('_') else {
        return false;
    };
    // Signs that differ stand behind the widths: R10SG10SB10SA2U_NORM.
    let channels = if kind == "NORM" { channels.replace(['S', 'U'], "") } else { channels.to_owned() };
    let known = Format::named(&format!("{channels}_UNORM"));
    let fits = known.is_some_and(|format| {
        let shared = format.widths.contains(&9);
        !format.is_block()
            && !format.depth_stencil
            && !shared
            && format.widths.iter().all(|width| *width <= 32)
    });
    fits && VERTEX_KINDS.contains(&kind)
}

/// Parts that have been made, by key. The same work is done once.
#[derive(Clone, Debug)]
pub struct PartCache<T> {
    parts: HashMap<Vec<u8>, T>,
}

impl<T> Default for PartCache<T> {
    fn default() -> PartCache<T> {
        PartCache { parts: HashMap::new() }
    }
}

impl<T> PartCache<T> {
    /// The part of a key; it is made if it has not been asked for before.
    ///
    /// # Errors
    /// Those of making it; nothing is kept then.
    pub fn get<E>(&mut self, key: &Key, make: impl FnOnce(&Key) -> Result<T, E>) -> Result<&T, E> {
        let key = key.normalised();
        let bytes = key.bytes();
        if !self.parts.contains_key(&bytes) {
            let made = make(&key)?;
            self.parts.insert(bytes.clone(), made);
        }
        Ok(&self.parts[&bytes])
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
