//! Integer registers that the application sets for loops.

use super::{Abi, Interface};
use crate::container::UniformRegister;
use chiaro_ir::{GlobalRef, Module};

/// An integer register that the application sets for the loops that count to a uniform: beside
/// the uniform itself, which stays in its c register.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopCount {
    /// Its name in the uniform table: that of the uniform, and `_loop`.
    pub name: String,
    /// The uniform.
    pub uniform: String,
    /// The register's number.
    pub register: u8,
    /// x is the uniform plus this: rounds less one.
    pub more: i16,
    /// y and z: where aL starts, and what each round adds to it, in c registers.
    pub start: u8,
    /// See `start`.
    pub step: u8,
}

/// What the application puts into an integer register: a uniform plus `more`, where aL starts,
/// and what each round adds to it. The register's number is its place in [`Graph::counts`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub(crate) variable: GlobalRef,
    pub(crate) path: Vec<u32>,
    pub(crate) more: i16,
    pub(crate) start: u8,
    pub(crate) step: u8,
}

impl Count {
    /// The register for a value of the uniform; nothing for no round at all, and for too many.
    pub(crate) fn bytes(&self, value: i32) -> Option<[u8; 4]> {
        let last = u8::try_from(i64::from(value) + i64::from(self.more)).ok()?;
        Some([last, self.start, self.step, 0])
    }
}

impl Abi {
    /// Takes up the integer registers of loops.
    pub(crate) fn add_counts(&mut self, module: &Module, interface: &Interface, counts: &[Count]) {
        self.counts = counts.to_vec();
        for (register, count) in (0u8..).zip(counts) {
            let global = module.global(count.variable);
            let named = interface.name_of(count.variable, &count.path);
            let uniform = named.unwrap_or_else(|| global.name.clone());
            let again = self.loops.iter().filter(|other| other.uniform == uniform).count();
            let name =
                if again == 0 { format!("{uniform}_loop") } else { format!("{uniform}_loop{}", again + 1) };
            let Count { more, start, step, .. } = *count;
            self.names.push((name.clone(), UniformRegister::Int(register), 1));
            self.loops.push(LoopCount { name, uniform, register, more, start, step });
        }
    }
}
