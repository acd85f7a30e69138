//! Names to registers and memory.

use chiaro_diag::Diagnostic;
use chiaro_sim::Lanes;
use chiaro_sim::mapped::{Mapped, Range};
use chiaro_target::blocks::{Given, fill};
use chiaro_target::{Kind, Value};

use super::blocks;
use crate::abi::counts::MOST_TEXTURES as TEXTURE_STATES;
use crate::abi::descriptor::TEXTURE_BYTES;
use crate::container::file::{GROUPS, HEAP, Held, INPUT_ASSEMBLY, Member, OUTPUTS, State, What};
use crate::machine::{SimdGroup, States};
use crate::regs::{GPR_HALVES, LANES, UNIFORM_HALVES};
use crate::verify::image;

/// Where buffers lie: far enough apart that no small mistake leads from one to the other, and within the 40 bits that
/// descriptors have.
const BUFFERS: u64 = 0x10_0000_0000;
const APART: u64 = 0x1_0000_0000;
/// Descriptors of a heap.
const MOST_DESCRIPTORS: usize = 1 << 10;
/// What the records of vertices are called.
const RECORDS: &str = "vertex outputs";

/// What a file says of the names that its program is given.
#[derive(Default)]
pub(super) struct Interface {
    /// What uniforms hold.
    pub(super) held: Vec<Held>,
    /// What texture and sampler states hold.
    pub(super) states: Vec<State>,
    /// The first half of uniforms where the address of the descriptors of all textures has to stand.
    pub(super) heap: Option<u16>,
    /// Members of buffers.
    pub(super) members: Vec<Member>,
}

/// Memory and registers at the start of a run.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) memory: Mapped,
    /// First register, and words.
    uniforms: Vec<(u16, Vec<u32>)>,
    /// A register, and a word for each thread of a threadgroup, or one for all.
    general: Vec<(u16, Vec<u32>)>,
    buffers: Vec<String>,
    /// How many ranges have a place that was chosen here.
    placed: u64,
    /// Buffers whose members are given one by one: the first register of the address, the name, the bytes.
    blocks: Vec<(u16, String, Vec<u8>)>,
    /// Descriptors of the heap of textures, by number.
    descriptors: Vec<(usize, Vec<u8>)>,
    /// Texture states, and sampler states, by number.
    textures: Vec<(usize, [u8; 24])>,
    samplers: Vec<(usize, [u8; 8])>,
}

/// What a name means.
enum Place {
    General(u16),
    Uniform(u16),
    /// First register of an address.
    Pointer(u16),
    Memory(u64),
    /// The first of some descriptors in the heap of textures.
    Descriptors(usize),
    /// A texture state with the one of its sampler.
    Texture(u16, u16),
}

fn place(name: &str) -> Option<Place> {
    let numbered = |text: &str, letter: char, count: u16| {
        text.strip_prefix(letter).and_then(|n| n.parse().ok()).filter(|n: &u16| *n < count)
    };
    if let Some(base) = name.strip_prefix("memory:0x") {
        return u64::from_str_radix(base, 16).ok().map(Place::Memory);
    }
    if let Some(first) = name.strip_prefix("heap:") {
        return first.parse().ok().filter(|n| *n < MOST_DESCRIPTORS).map(Place::Descriptors);
    }
    if let Some(first) = name.strip_prefix("pointer:") {
        return numbered(first, 'u', UNIFORM_HALVES / 2 - 1).map(Place::Pointer);
    }
    if let Some(n) = name.strip_prefix("ts").and_then(|n| n.parse().ok()).filter(|n| *n < TEXTURE_STATES) {
        return Some(Place::Texture(n, n + 1));
    }
    let general = numbered(name, 'r', GPR_HALVES / 2).map(Place::General);
    general.or_else(|| numbered(name, 'u', UNIFORM_HALVES / 2).map(Place::Uniform))
}

/// The place of what the source calls so.
fn named(name: &str, held: &[Held], states: &[State]) -> Option<Place> {
    let is_buffer = |held: &&Held| held.what == What::Address && held.set != HEAP && held.name == name;
    let state = |is_sampler: bool| {
        let is_it = |state: &&State| state.is_sampler == is_sampler && state.name == name;
        states.iter().find(is_it).map(|state| u16::from(state.register))
    };
    match held.iter().find(is_buffer) {
        Some(held) => Some(Place::Pointer(held.first / 2)),
        None => state(false).map(|texture| Place::Texture(texture, state(true).unwrap_or(texture + 1))),
    }
}

/// Sets up what is given; other names are another stage's where that is said.
pub(super) fn bind(
    given: &[(String, Value)],
    shared: bool,
    interface: &Interface,
) -> Result<Bound, Vec<Diagnostic>> {
    let Interface { held, states, heap, members } = interface;
    let mut bound = Bound::default();
    let mut errors = Vec::new();
    for (name, value) in given {
        if let Some((buffer, given)) = blocks::block(name, value, held, members) {
            errors.extend(bound.members(buffer, members, &given).err());
            continue;
        }
        match named(name, held, states).or_else(|| place(name)) {
            Some(place) => errors.extend(bound.resource(place, name, value).err()),
            None if shared => {}
            None => errors.push(unknown(name, held, states)),
        }
    }
    errors.extend(bound.map_blocks().err());
    // Programs that say of no heap are fragments whose targets stand there: at the start of all uniforms (spec 14.4).
    let heap = heap.or((!bound.descriptors.is_empty()).then_some(0));
    errors.extend(heap.and_then(|first| bound.heap(first).err()));
    bound.sizes(held);
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

    /// Gives a dispatch the numbers of its threadgroups.
    pub(super) fn count(&mut self, held: &[Held], groups: [u32; 3]) {
        let counts = held.iter().filter(|held| held.what == What::Draw && held.name == GROUPS);
        let word = |held: &Held| (held.first / 2, vec![groups[held.member as usize / 4 % 3]]);
        self.uniforms.extend(counts.map(word));
    }

    /// How many bytes the buffers have that the source has names for; nothing is there of one that is not given.
    fn sizes(&mut self, held: &[Held]) {
        for held in held.iter().filter(|held| held.what == What::Size) {
            let bytes = self.memory.named(&held.name).map_or(0, |range| range.bytes.len());
            self.uniforms.push((held.first / 2, vec![bytes as u32]));
        }
    }

    /// The descriptors of all textures in memory, where the program reads them there; an address that is given stays.
    fn heap(&mut self, first: u16) -> Result<(), String> {
        if self.uniforms.iter().any(|(given, _)| *given == first / 2) {
            return Ok(());
        }
        let mut all = Vec::new();
        let given = self.descriptors.iter().map(|(n, bytes)| (*n, &bytes[..]));
        for (n, bytes) in self.textures.iter().map(|(n, bytes)| (*n, &bytes[..])).chain(given) {
            let at = n * TEXTURE_BYTES;
            all.resize(all.len().max(at + bytes.len()), 0);
            all[at..at + bytes.len()].copy_from_slice(bytes);
        }
        let base = self.place();
        self.map("textures", base, all)?;
        self.buffers.pop();
        self.uniforms.push((first / 2, vec![base as u32, (base >> 32) as u32]));
        Ok(())
    }

    fn resource(&mut self, place: Place, name: &str, value: &Value) -> Result<(), String> {
        match place {
            Place::General(register) => self.general.push((register, words(value, name)?)),
            Place::Uniform(first) => {
                let words = words(value, name)?;
                let room = usize::from(UNIFORM_HALVES / 2 - first);
                if words.len() > room {
                    return Err(format!("`{name}` has {} words, and {room} registers are left", words.len()));
                }
                self.uniforms.push((first, words));
            }
            Place::Pointer(first) => self.buffer(first, name, bytes(value, name)?)?,
            Place::Descriptors(first) => self.descriptors.push((first, bytes(value, name)?)),
            Place::Texture(n, sampler) => self.texture([n, sampler], name, value)?,
            Place::Memory(base) => self.map(name, base, bytes(value, name)?)?,
        }
        Ok(())
    }

    /// An address behind all that have been given out.
    fn place(&mut self) -> u64 {
        self.placed += 1;
        BUFFERS + (self.placed - 1) * APART
    }

    /// A buffer whose address stands in uniforms.
    fn buffer(&mut self, first: u16, name: &str, bytes: Vec<u8>) -> Result<(), String> {
        let base = self.place();
        self.map(name, base, bytes)?;
        self.uniforms.push((first, vec![base as u32, (base >> 32) as u32]));
        Ok(())
    }

    /// Memory for the records of so many vertices, and the state that says how many an instance has.
    pub(super) fn records(&mut self, held: &[Held], words: usize, vertices: usize) -> Result<(), String> {
        for held in held {
            let (name, bytes) = match held.what {
                What::Address if held.set == OUTPUTS => (RECORDS, vec![0; 4 * words * vertices]),
                What::Draw if held.name == INPUT_ASSEMBLY => {
                    let state = [0, 0, 0, vertices as u32];
                    (INPUT_ASSEMBLY, state.iter().flat_map(|word| word.to_le_bytes()).collect())
                }
                _ => continue,
            };
            self.buffer(held.first / 2, name, bytes)?;
            self.buffers.pop();
        }
        Ok(())
    }

    /// Words of records, each of all vertices in order.
    pub(super) fn recorded(&self, words: usize, vertices: usize) -> Vec<(u32, Vec<u32>)> {
        let bytes = self.memory.named(RECORDS).map_or(&[][..], |range| &range.bytes);
        let all = bytes.as_chunks::<4>().0;
        let word =
            |vertex: usize, n: usize| all.get(vertex * words + n).map_or(0, |word| u32::from_le_bytes(*word));
        (0..words).map(|n| (u32::MAX, (0..vertices).map(|vertex| word(vertex, n)).collect())).collect()
    }

    /// A buffer that a prolog fetches from, up to an element: halves of the address and of the element.
    pub(super) fn fetched(
        &mut self,
        (base, clamp): (u16, u16),
        last: u32,
        name: &str,
        bytes: Vec<u8>,
    ) -> Result<(), String> {
        self.buffer(base / 2, name, bytes)?;
        self.buffers.pop();
        self.uniforms.push((clamp / 2, vec![last]));
        Ok(())
    }

    /// Members of a buffer; others of it may come later.
    fn members(&mut self, buffer: &Held, members: &[Member], given: &Given) -> Result<(), String> {
        let first = buffer.first / 2;
        let known = self.blocks.iter().position(|(other, ..)| *other == first);
        let n = known.unwrap_or_else(|| {
            self.blocks.push((first, buffer.name.clone(), Vec::new()));
            self.blocks.len() - 1
        });
        fill(&buffer.name, &blocks::fields(buffer, members), given, &mut self.blocks[n].2)
    }

    fn map_blocks(&mut self) -> Result<(), String> {
        let all = std::mem::take(&mut self.blocks);
        all.into_iter().try_for_each(|(first, name, bytes)| self.buffer(first, &name, bytes))
    }

    /// An image as a texture of 32-bit floats; sampler 0 is the drivers' (spec 23.1).
    fn texture(&mut self, [n, sampler]: [u16; 2], name: &str, value: &Value) -> Result<(), String> {
        let image = match value {
            Value::Image(image) => image,
            Value::Bytes(bytes) => {
                let wrong =
                    |_| format!("`{name}` takes an image, or the {TEXTURE_BYTES} bytes of a descriptor");
                self.textures.push((n.into(), bytes[..].try_into().map_err(wrong)?));
                return Ok(());
            }
            _ => return Err(format!("`{name}` takes an image")),
        };
        let base = self.place();
        let made = image::of(image, base)?;
        self.map(name, base, made.bytes)?;
        self.buffers.pop();
        self.textures.push((n.into(), made.texture));
        self.samplers.push((sampler.into(), made.sampler));
        Ok(())
    }

    /// Sets the states that are given, and the drivers' own sampler.
    pub(super) fn states(&self, states: &mut States) {
        states.samplers[0] = Some(image::FETCH);
        let registers = self.textures.iter().filter(|(n, _)| *n < usize::from(TEXTURE_STATES));
        registers.for_each(|(n, bytes)| states.textures[*n] = Some(*bytes));
        self.samplers.iter().for_each(|(n, bytes)| states.samplers[*n] = Some(*bytes));
    }

    fn map(&mut self, name: &str, base: u64, bytes: Vec<u8>) -> Result<(), String> {
        let range = Range { name: name.to_owned(), base, bytes };
        let over = |other| format!("`{name}` lies over `{other}`, or beyond the last address");
        self.memory.map(range).map_err(over)?;
        self.buffers.push(name.to_owned());
        Ok(())
    }
}

fn unknown(name: &str, held: &[Held], states: &[State]) -> String {
    let buffers = held.iter().filter(|held| held.what == What::Address && held.set != HEAP);
    let textures = states.iter().filter(|state| !state.is_sampler).map(|state| &state.name);
    let known: Vec<&str> = buffers.map(|held| &held.name).chain(textures).map(String::as_str).collect();
    if !known.is_empty() {
        return format!("the program has no `{name}`; there are {}", known.join(", "));
    }
    format!(
        "the program has no register `{name}`; there are r0 to r127, u0 to u255, ts0 to ts15, \
         pointer:u2 for a buffer whose address is in u2_u3, memory:0x1000 for one at an address, heap:5 for \
         descriptors of textures in memory"
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Descriptors stand in the heap by their numbers, in whatever order they are given.
    #[test]
    fn descriptors_stand_in_the_heap_by_their_numbers() {
        let given = |n: usize, byte: u8| (format!("heap:{n}"), Value::Bytes(vec![byte; 24]));
        let bound = bind(&[given(2, 5), given(0, 7)], false, &Interface::default());
        let bound = bound.unwrap_or_else(|errors| panic!("{}", errors[0].message));
        let heap = bound.memory.named("textures").expect("a heap");
        assert_eq!(heap.bytes, [[7; 24], [0; 24], [5; 24]].concat());
        assert_eq!(bound.uniforms, [(0, vec![heap.base as u32, (heap.base >> 32) as u32])]);
    }
}
