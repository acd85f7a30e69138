//! Names to registers and memory.

use chiaro_diag::Diagnostic;
use chiaro_sim::Lanes;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::{Kind, Value};

use crate::machine::SimdGroup;
use crate::regs::{GPR_HALVES, LANES, UNIFORM_HALVES};

/// Where buffers lie: far enough apart that no small mistake leads from one to the other.
const BUFFERS: u64 = 0x100_0000_0000;
const APART: u64 = 0x1_0000_0000;

/// Memory and registers at the start of a run.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) memory: Mapped,
    /// First register, and words.
    uniforms: Vec<(u16, Vec<u32>)>,
    /// A register, and a word for each thread of a threadgroup, or one for all.
    general: Vec<(u16, Vec<u32>)>,
    buffers: Vec<String>,
}

/// What a name means.
enum Place {
    General(u16),
    Uniform(u16),
    /// First register of an address.
    Pointer(u16),
    Memory(u64),
}

fn place(name: &str) -> Option<Place> {
    let numbered = |text: &str, letter: char, count: u16| {
        text.strip_prefix(letter).and_then(|n| n.parse().ok()).filter(|n: &u16| *n < count)
    };
    if let Some(base) = name.strip_prefix("memory:0x") {
        return u64::from_str_radix(base, 16).ok().map(Place::Memory);
    }
    if let Some(first) = name.strip_prefix("pointer:") {
        return numbered(first, 'u', UNIFORM_HALVES / 2 - 1).map(Place::Pointer);
    }
    let general = numbered(name, 'r', GPR_HALVES / 2).map(Place::General);
    general.or_else(|| numbered(name, 'u', UNIFORM_HALVES / 2).map(Place::Uniform))
}

/// Sets up what is given.
pub(super) fn bind(given: &[(String, Value)]) -> Result<Bound, Vec<Diagnostic>> {
    let mut bound = Bound::default();
    let mut errors = Vec::new();
    for (name, value) in given {
        errors.extend(bound.resource(name, value).err());
    }
    let errors: Vec<Diagnostic> = errors.into_iter().map(|why| Diagnostic::error(None, why)).collect();
    if errors.is_empty() { Ok(bound) } else { Err(errors) }
}

impl Bound {
    /// Buffers as the run left them.
    pub(super) fn written(&self) -> Vec<(String, Value)> {
        let bytes =
            |name: &String| Some((name.clone(), Value::Bytes(self.memory.named(name)?.bytes.clone())));
        self.buffers.iter().filter_map(bytes).collect()
    }

    /// Halves of uniforms with their values.
    pub(super) fn uniforms(&self) -> impl Iterator<Item = (u16, u16)> {
        let halves = |(first, words): &(u16, Vec<u32>)| {
            let words = (2 * first..).step_by(2).zip(words.clone());
            words.flat_map(|(half, word)| [(half, word as u16), (half + 1, (word >> 16) as u16)])
        };
        self.uniforms.iter().flat_map(halves)
    }

    /// Sets the registers of a SIMD-group that are given by name.
    pub(super) fn enter(&self, group: &mut SimdGroup) {
        let first = (group.index() * LANES) as usize;
        for (register, words) in &self.general {
            let word = |lane: usize| match words[..] {
                [one] => one,
                _ => words.get(first + lane).copied().unwrap_or(0),
            };
            group.set_word(*register, Lanes(std::array::from_fn(word)));
        }
    }

    fn resource(&mut self, name: &str, value: &Value) -> Result<(), String> {
        match place(name) {
            Some(Place::General(register)) => self.general.push((register, words(value, name)?)),
            Some(Place::Uniform(first)) => {
                let words = words(value, name)?;
                let room = usize::from(UNIFORM_HALVES / 2 - first);
                if words.len() > room {
                    return Err(format!("`{name}` has {} words, and {room} registers are left", words.len()));
                }
                self.uniforms.push((first, words));
            }
            Some(Place::Pointer(first)) => {
                let base = BUFFERS + self.buffers.len() as u64 * APART;
                self.map(name, base, bytes(value, name)?)?;
                self.uniforms.push((first, vec![base as u32, (base >> 32) as u32]));
            }
            Some(Place::Memory(base)) => self.map(name, base, bytes(value, name)?)?,
            None => {
                return Err(format!(
                    "the program has no register `{name}`; there are r0 to r127, u0 to u255, pointer:u2 for \
                     a buffer whose address is in u2_u3, memory:0x1000 for one at an address"
                ));
            }
        }
        Ok(())
    }

    fn map(&mut self, name: &str, base: u64, bytes: Vec<u8>) -> Result<(), String> {
        let range = Range { name: name.to_owned(), base, bytes };
        let over = |other| format!("`{name}` lies over `{other}`, or beyond the last address");
        self.memory.map(range).map_err(over)?;
        self.buffers.push(name.to_owned());
        Ok(())
    }
}

fn words(value: &Value, name: &str) -> Result<Vec<u32>, String> {
    value.words(name, Kind::Float(32))
}

fn bytes(value: &Value, name: &str) -> Result<Vec<u8>, String> {
    match value {
        Value::Bytes(bytes) => Ok(bytes.clone()),
        other => Ok(words(other, name)?.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}
