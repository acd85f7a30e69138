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

/// What the application puts into an integer register. The register's number is its place in
/// [`Graph::counts`](crate::compile::graph::Graph::counts).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Count {
    pub(crate) variable: GlobalRef,
    pub(crate) path: Vec<u32>,
    pub(crate) bytes: Bytes,
}

/// How the bytes of an integer register follow from a uniform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bytes {
    /// The uniform plus `more`, where aL starts, and what each round adds to it.
    Number { more: i16, start: u8, step: u8 },
    /// They are its components.
    Components,
}

impl Count {
    /// Integers of the uniform that count.
    pub(crate) fn components(&self) -> u32 {
        if self.bytes == Bytes::Components { 4 } else { 1 }
    }

    /// The largest value of the uniform that there is a register for: one more and a loop runs more than 256 times.
    /// Components are bytes each.
    pub(crate) fn most(&self) -> Option<i32> {
        match self.bytes {
            Bytes::Number { more, .. } => Some(i32::from(u8::MAX) - i32::from(more)),
            Bytes::Components => None,
        }
    }

    /// The register for a value of the uniform; nothing for no round at all, and for too many.
    pub(crate) fn register(&self, values: &[i32]) -> Option<[u8; 4]> {
        match self.bytes {
            Bytes::Number { more, start, step } => {
                let last = i64::from(*values.first()?) + i64::from(more);
                Some([u8::try_from(last).ok()?, start, step, 0])
            }
            Bytes::Components => {
                let mut bytes = [0; 4];
                for (byte, &value) in bytes.iter_mut().zip(values) {
                    *byte = u8::try_from(value).ok()?;
                }
                Some(bytes)
            }
        }
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
            let Bytes::Number { more, start, step } = count.bytes else {
                self.names.push((uniform, UniformRegister::Int(register), 1));
                continue;
            };
            let again = self.loops.iter().filter(|other| other.uniform == uniform).count();
            let name =
                if again == 0 { format!("{uniform}_loop") } else { format!("{uniform}_loop{}", again + 1) };
            self.names.push((name.clone(), UniformRegister::Int(register), 1));
            self.loops.push(LoopCount { name, uniform, register, more, start, step });
        }
    }
}
