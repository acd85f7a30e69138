//! Inputs for a shader: small and varied numbers that the machine has, the same for a seed; where it is
//! known what a shader does with an input, numbers that suit it ([`Wishes`]).

mod locations;
mod wish;

use std::collections::HashMap;

pub use wish::{Wish, Wishes};

use crate::interp::{Attributes, Exact, Interpreter};
use crate::{EntryPoint, Global, GlobalRef, Module, Space, Ty, Type};

/// What one run of a shader is given.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// How many vertices.
    pub lanes: usize,
    /// Inputs: for each variable the bytes of every vertex.
    pub attributes: Attributes,
    /// Uniforms: for each variable its bytes.
    pub uniforms: HashMap<GlobalRef, Vec<u8>>,
}

/// SplitMix64: numbers that are the same everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    state: u64,
    /// From 0 to 1 only.
    mild: bool,
    /// Whole numbers as often at their borders as not.
    bold: bool,
    /// To a number of the machine.
    round: fn(f32) -> f32,
}

impl Numbers {
    /// Those of a seed, from -4 to 4; `round` makes a number of the machine of any.
    #[must_use]
    pub fn new(seed: u64, round: fn(f32) -> f32) -> Numbers {
        Numbers { state: seed, mild: false, bold: false, round }
    }

    /// The same from 0 to 1, where every function of the languages is defined.
    #[must_use]
    pub fn mild(seed: u64, round: fn(f32) -> f32) -> Numbers {
        Numbers { mild: true, ..Numbers::new(seed, round) }
    }

    /// The same with whole numbers that go to their borders.
    #[must_use]
    pub fn bold(seed: u64, round: fn(f32) -> f32) -> Numbers {
        Numbers { bold: true, ..Numbers::new(seed, round) }
    }

    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From -4 to 4: half of them round numbers, where decisions change. Mild ones from 0 to 1.
    pub fn float(&mut self) -> f32 {
        let n = self.draw();
        let whole = ((n >> 8) % 17) as f32 * 0.5 - 4.0;
        match n % 2 {
            _ if self.mild => (self.round)(((n >> 40) | 0x1000) as f32 / 16_777_216.0),
            0 => whole,
            _ => (self.round)((n >> 40) as f32 / 2_097_152.0 - 4.0),
        }
    }

    /// A number of the machine between two.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f32 {
        let part = (self.draw() >> 40) as f64 / 16_777_216.0;
        (self.round)((low + (high - low) * part) as f32)
    }
}

impl Sample {
    /// Inputs for so many vertices of an entry point, of which nothing is known.
    #[must_use]
    pub fn new(module: &Module, entry: &EntryPoint, lanes: usize, numbers: Numbers) -> Sample {
        Sample::wished(module, entry, lanes, numbers, &Wishes::default())
    }

    /// The same with numbers that suit what the shader does with them.
    #[must_use]
    pub fn wished(
        module: &Module,
        entry: &EntryPoint,
        lanes: usize,
        mut numbers: Numbers,
        wishes: &Wishes,
    ) -> Sample {
        let layout = Interpreter::with(module, entry, Exact);
        let mut sample = Sample { lanes, ..Sample::default() };
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            let mut bytes = || Fill { module, layout: &layout, g, wishes }.bytes(global, &mut numbers);
            match global.space {
                Space::Input => {
                    let all = (0..lanes).map(|_| bytes()).collect();
                    sample.attributes.insert(g, all);
                }
                Space::Uniform | Space::UniformConstant | Space::PushConstant => {
                    let given = bytes();
                    sample.uniforms.insert(g, given);
                }
                _ => {}
            }
        }
        locations::share(&mut sample, module, &layout);
        sample
    }

    /// Some of the vertices, with all uniforms.
    #[must_use]
    pub fn only(&self, lanes: &[usize]) -> Sample {
        let some = |all: &Vec<Vec<u8>>| lanes.iter().filter_map(|&lane| all.get(lane).cloned()).collect();
        Sample {
            lanes: lanes.len(),
            attributes: self.attributes.iter().map(|(&g, all)| (g, some(all))).collect(),
            uniforms: self.uniforms.clone(),
        }
    }

    /// The same numbers as the machine holds them, and zeros for inputs that have none. Whether
    /// no integer is larger than `largest`.
    pub fn round(
        &mut self,
        module: &Module,
        entry: &EntryPoint,
        round: fn(f32) -> f32,
        largest: u32,
    ) -> bool {
        let layout = Interpreter::with(module, entry, Exact);
        for (i, global) in module.globals.iter().enumerate().filter(|(_, g)| g.space == Space::Input) {
            let rows = self.attributes.entry(GlobalRef(i as u32)).or_default();
            rows.resize(self.lanes, Vec::new());
            rows.iter_mut().for_each(|row| row.resize(layout.size_of(global.ty) as usize, 0));
        }
        let attributes =
            self.attributes.iter_mut().flat_map(|(g, rows)| rows.iter_mut().map(move |row| (g, row)));
        let mut most = 0;
        for (g, bytes) in attributes.chain(self.uniforms.iter_mut()) {
            most = most.max(round_floats(module, &layout, module.global(*g).ty, bytes, round));
        }
        most <= largest
    }
}

/// Rounds the floats of a variable; its largest integer.
fn round_floats(
    module: &Module,
    layout: &Interpreter<'_, Exact>,
    ty: Ty,
    bytes: &mut [u8],
    round: fn(f32) -> f32,
) -> u32 {
    let (mut largest, mut open) = (0, vec![(ty, 0usize)]);
    while let Some((ty, at)) = open.pop() {
        let Some(room) = bytes.get_mut(at..at + 4) else { continue };
        let word = u32::from_le_bytes([room[0], room[1], room[2], room[3]]);
        match module.types.get(ty) {
            Type::Float(32) => room.copy_from_slice(&round(f32::from_bits(word)).to_le_bytes()),
            Type::Int(32) => largest = largest.max((word as i32).unsigned_abs()),
            _ => open.extend(parts(module, layout, ty).map(|(part, offset)| (part, at + offset))),
        }
    }
    largest
}

/// A variable that is filled.
struct Fill<'a> {
    module: &'a Module,
    layout: &'a Interpreter<'a, Exact>,
    g: GlobalRef,
    wishes: &'a Wishes,
}

impl Fill<'_> {
    fn wish(&self, at: usize) -> Option<&Wish> {
        self.wishes.get(&(self.g, at))
    }

    /// The bytes of the variable.
    fn bytes(&self, global: &Global, numbers: &mut Numbers) -> Vec<u8> {
        let mut bytes = vec![0; self.layout.size_of(global.ty) as usize];
        let mut open = vec![(global.ty, 0usize)];
        while let Some((ty, at)) = open.pop() {
            let wish = self.wish(at);
            match self.module.types.get(ty) {
                Type::Vector(..) if wish.is_some_and(|wish| wish.unit) => {
                    self.direction(ty, at, &mut bytes, numbers);
                }
                Type::Float(32) => {
                    let x = wish.and_then(|wish| wish.float(numbers)).unwrap_or_else(|| numbers.float());
                    put(&mut bytes, at, x.to_bits());
                }
                Type::Int(32) => {
                    let n = wish.and_then(|wish| wish.int(numbers));
                    // Indices as well as numbers.
                    put(&mut bytes, at, n.unwrap_or_else(|| (numbers.draw() % 8) as i32) as u32);
                }
                Type::Bool => put(&mut bytes, at, (numbers.draw() % 2) as u32),
                _ => {
                    open.extend(
                        parts(self.module, self.layout, ty).map(|(part, offset)| (part, at + offset)),
                    );
                }
            }
        }
        bytes
    }

    /// A vector of length 1, as far as the machine's numbers go.
    fn direction(&self, ty: Ty, at: usize, bytes: &mut [u8], numbers: &mut Numbers) {
        let places: Vec<usize> = parts(self.module, self.layout, ty).map(|(_, offset)| at + offset).collect();
        let mut row: Vec<f32> = places.iter().map(|_| numbers.between(-1.0, 1.0)).collect();
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        if length < 0.125 {
            row.fill(0.0);
            row[0] = 1.0;
        } else {
            row.iter_mut().for_each(|x| *x = (numbers.round)(*x / length));
        }
        places.iter().zip(row).for_each(|(&at, x)| put(bytes, at, x.to_bits()));
    }
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    if let Some(room) = bytes.get_mut(at..at + 4) {
        room.copy_from_slice(&word.to_le_bytes());
    }
}

/// The parts of a composite with their byte offsets.
pub fn parts<'a>(
    module: &'a Module,
    layout: &'a Interpreter<'_, Exact>,
    ty: Ty,
) -> impl Iterator<Item = (Ty, usize)> + 'a {
    let count = module.types.part_count(ty).unwrap_or(0);
    (0..count).filter_map(move |i| {
        let part = module.types.part(ty, i)?;
        Some((part, layout.offset_of(ty, i) as usize))
    })
}

/// Where the floats of a variable lie: byte offsets.
#[must_use]
pub fn floats(module: &Module, layout: &Interpreter<'_, Exact>, ty: Ty) -> Vec<usize> {
    let (mut found, mut open) = (Vec::new(), vec![(ty, 0usize)]);
    while let Some((ty, at)) = open.pop() {
        match module.types.get(ty) {
            Type::Float(32) => found.push(at),
            _ => open.extend(parts(module, layout, ty).map(|(part, offset)| (part, at + offset))),
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_between_two_lie_there() {
        let mut numbers = Numbers::new(1, |x| x);
        let drawn: Vec<f32> = (0..1000).map(|_| numbers.between(2.0, 3.0)).collect();
        assert!(drawn.iter().all(|x| (2.0..=3.0).contains(x)));
        assert!(drawn.iter().any(|x| *x < 2.1) && drawn.iter().any(|x| *x > 2.9));
    }
}
