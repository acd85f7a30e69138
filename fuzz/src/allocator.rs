//! Random machine code through the register allocator: the checker accepts what comes out,
//! and it computes the same.
//!
//! An input is a seed with a size, so that shrinking it makes the code smaller.

use chiaro_isa::Rng;
use chiaro_mach::toy::{self, MACHINES, Shape};

/// Eight bytes of seed, then instructions, depth, values alive, machine.
pub fn make(_: &[Vec<u8>], rng: &mut Rng) -> Vec<u8> {
    let mut input = rng.next().to_le_bytes().to_vec();
    let machine = rng.below(MACHINES.len()) as u8;
    input.extend([5 + rng.below(60) as u8, rng.below(4) as u8, 3 + rng.below(24) as u8, machine]);
    input
}

/// Allocates, checks, runs before and after.
pub fn run(input: &[u8]) {
    let (seed, shape, machine) = read(input);
    if let Err(message) = toy::trial(seed, shape, machine) {
        panic!("{message}");
    }
}

/// The code before allocation.
pub fn show(input: &[u8]) -> String {
    let (seed, shape, machine) = read(input);
    let code = toy::generate(seed, shape);
    format!("seed {seed}, {shape:?}, machine {machine}\n{}", toy::text(&code, &MACHINES[machine]))
}

fn read(input: &[u8]) -> (u64, Shape, usize) {
    let at = |i: usize| input.get(i).copied().unwrap_or(0);
    let seed = u64::from_le_bytes(std::array::from_fn(at));
    let shape = Shape { insts: usize::from(at(8)), depth: at(9).min(4), alive: usize::from(at(10)).max(1) };
    (seed, shape, usize::from(at(11)) % MACHINES.len())
}
