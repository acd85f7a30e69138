//! Inputs that a seed makes: numbers for which the units' operations are made.

use chiaro_ir::interp::Attributes;
use chiaro_ir::{GlobalRef, Module, Space};
use chiaro_isa::Rng;

use super::scalars::{Scalar, scalars};
use super::textures::Store;

/// Elements of arrays whose size nobody says: as many as the units' indices reach.
pub(super) const ELEMENTS: u32 = 8192;

/// What a run of a source is given.
pub(in crate::agx) struct Given {
    /// Buffers and blocks of uniforms.
    pub(in crate::agx) buffers: Vec<(GlobalRef, Vec<u8>)>,
    /// Inputs of invocations.
    pub(in crate::agx) inputs: Attributes,
    pub(in crate::agx) count: usize,
    /// Workgroups, of kernels.
    pub(in crate::agx) groups: Option<[u32; 3]>,
    pub(in crate::agx) images: Store,
    /// Whether floats of 32 bits may be computed in 16.
    pub(in crate::agx) in_halves: bool,
    /// What is where nobody defines anything.
    pub(in crate::agx) undefined: u64,
}

impl Given {
    /// The same without its buffers.
    pub(super) fn shallow(&self) -> Given {
        let Given { count, groups, in_halves, undefined, .. } = *self;
        let (inputs, images) = (self.inputs.clone(), self.images.clone());
        Given { buffers: Vec::new(), inputs, count, groups, images, in_halves, undefined }
    }
}

/// What integers of a unit's buffers are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Integers {
    /// Whatever.
    Any,
    /// Counts that threads go up to.
    Small,
    /// Nothing below 0: quotients of such numbers are what languages leave open.
    Natural,
    /// Two floats of 16 bits.
    Halves,
    /// Counts of rounds, which the units' arrays hold.
    Counts,
}

/// Buffers and blocks of uniforms. All buffers of a unit lie at one address, and so they begin as one.
pub(super) fn buffers(module: &Module, name: &str, seed: u64) -> Vec<(GlobalRef, Vec<u8>)> {
    let of = |space: Space| {
        let globals = module.globals.iter().enumerate().filter(move |(_, g)| g.space == space);
        globals
            .map(|(n, global)| (GlobalRef(n as u32), scalars(module, global.ty, ELEMENTS)))
            .collect::<Vec<_>>()
    };
    let integers = match name {
        "half_pack" => Integers::Halves,
        "int_div" => Integers::Natural,
        "early_ret" => Integers::Small,
        _ => Integers::Any,
    };
    let storage = of(Space::Storage);
    let mut shared = Vec::new();
    // What the first says of a byte, the others find there.
    for (_, scalars) in storage.iter().rev() {
        fill(scalars, integers, &mut Rng(seed), &mut shared);
    }
    let mut all: Vec<(GlobalRef, Vec<u8>)> = storage.into_iter().map(|(g, _)| (g, shared.clone())).collect();
    for (g, scalars) in of(Space::Uniform) {
        let mut bytes = Vec::new();
        fill(&scalars, Integers::Counts, &mut Rng(seed ^ 1), &mut bytes);
        all.push((g, bytes));
    }
    all
}

fn fill(scalars: &[Scalar], integers: Integers, rng: &mut Rng, bytes: &mut Vec<u8>) {
    let end = scalars.iter().map(|scalar| scalar.at + usize::from(scalar.width) / 8).max().unwrap_or(0);
    bytes.resize(bytes.len().max(end.next_multiple_of(16)), 0);
    for scalar in scalars {
        let bits = number(*scalar, integers, rng).to_le_bytes();
        let width = usize::from(scalar.width) / 8;
        bytes[scalar.at..scalar.at + width].copy_from_slice(&bits[..width]);
    }
}

/// A float from -2 to 2, half of them round; an integer that is small as often as not, and never 0.
fn number(scalar: Scalar, integers: Integers, rng: &mut Rng) -> u64 {
    let bits = rng.next();
    let float = match bits & 1 {
        0 => (bits >> 8 & 31) as f64 / 8.0 - 2.0,
        _ => (bits >> 40) as f64 / f64::from(1 << 22) - 2.0,
    };
    let half = |x: f64| chiaro_ir::interp::float_bits(x, 16);
    match (scalar.is_float, integers) {
        (true, _) => chiaro_ir::interp::float_bits(float, scalar.width),
        (false, Integers::Halves) => half(float) | half((bits >> 20 & 63) as f64 / 16.0) << 16,
        // Loops go through 64 elements at a time.
        (false, Integers::Counts) => 64,
        (false, Integers::Small) => 1 + (bits & 15),
        (false, _) => match bits >> 62 {
            0 => 1 + (bits & 15),
            1 => 1 + (bits & 0xff),
            3 if integers == Integers::Any => bits | 1,
            _ => bits & 0x7fff_ffff | 1,
        },
    }
}

/// Numbers for an input: floats as in buffers, small integers.
pub(super) fn input(scalar: Scalar, rng: &mut Rng) -> u64 {
    match scalar.is_float {
        true => number(scalar, Integers::Any, rng),
        false => rng.next() & 15,
    }
}

#[cfg(test)]
mod tests {
    use chiaro_ir::interp::float_value;
    use chiaro_ir::{Module, parse};

    use super::*;

    const MODULE: &str = "
global @a: storage array<i32, 64, stride 4> set(0) binding(0)
global @b: storage array<f32, 64, stride 4> set(0) binding(1)
global @c: uniform array<i32, 4, stride 16> set(0) binding(2)
entry compute \"main\" = @main interface(@a, @b, @c)
fn @main() { return }
";

    fn module() -> Module {
        parse(MODULE, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"))
    }

    /// What the first storage buffer of a unit holds, as integers.
    fn words(name: &str) -> Vec<u32> {
        let all = buffers(&module(), name, 7);
        assert_eq!(all[0].1, all[1].1, "both lie at one address");
        all[0].1.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    /// No integer is 0, and units that need particular ones get those.
    #[test]
    fn units_get_numbers_that_they_are_made_for() {
        let any = words("whatever");
        assert!(any.len() >= 64 && !any.contains(&0) && any.iter().any(|word| word >> 31 != 0), "{any:?}");
        assert!(words("int_div").iter().all(|word| word >> 31 == 0 && *word != 0));
        assert!(words("early_ret").iter().all(|word| (1..=16).contains(word)));
        for [low, high] in words("half_pack").into_iter().map(|word| [word & 0xffff, word >> 16]) {
            let [low, high] = [low, high].map(|half| float_value(half.into(), 16));
            assert!((-2.0..=2.0).contains(&low) && (0.0..4.0).contains(&high), "{low} {high}");
        }
        let uniform = &buffers(&module(), "whatever", 7)[2].1;
        let rounds = (0..4).map(|n| u32::from_le_bytes(std::array::from_fn(|i| uniform[n * 16 + i])));
        assert!(rounds.into_iter().all(|count| count == 64), "{uniform:?}");
    }
}
