//! Buffers in memory, scalar by scalar: what invocations find in them, and what they leave.

use chiaro_ir::interp::{Counterexample, Domain, Exact, HALF_TINY, Interpreter, float_bits, float_value};
use chiaro_ir::sample::Sample;
use chiaro_ir::{EntryPoint, GlobalRef, Module, Space, Ty, Type};

/// Bytes of a buffer at most.
const MOST_BYTES: u32 = 1 << 16;
/// Elements of an array whose size nobody says, where every invocation has buffers of its own.
pub(super) const ELEMENTS: u32 = 16;

/// Gives a sample contents of the storage buffers: numbers that tell scalars apart, small
/// enough for indices. Each invocation finds the same, and what it leaves of them is compared.
pub fn fill(module: &Module, entry: &EntryPoint, sample: &mut Sample) {
    let layout = Interpreter::with(module, entry, Exact);
    for (n, global) in (0u32..).zip(&module.globals) {
        if global.space != Space::Storage {
            continue;
        }
        let buffer = Buffer::new(module, &layout, GlobalRef(n), ELEMENTS);
        let mut bytes = vec![0; buffer.size];
        for leaf in &buffer.leaves {
            let hash = (n + 1).wrapping_mul(0x9e37_79b9) ^ (leaf.at as u32).wrapping_mul(0x85eb_ca6b);
            let bits = hash.wrapping_mul(0x01b3) >> 28;
            let number = match () {
                () if leaf.is_bool => u64::from(bits & 1),
                () if leaf.is_float => float_bits(f64::from(bits) / 4.0 - 2.0, leaf.bits),
                () => bits.into(),
            };
            leaf.set(&mut bytes, number);
        }
        sample.uniforms.insert(buffer.global, bytes);
    }
}

/// A scalar of a buffer behind an invocation.
#[derive(Clone, PartialEq, Debug)]
pub struct Held {
    global: GlobalRef,
    leaf: Leaf,
    /// As an integer.
    bits: u64,
    /// As a float, and how far it may be off: infinitely if nothing is known of it.
    float: Option<(f64, f64)>,
}

/// What an invocation of the source has left in the storage buffers of its sample.
pub(super) fn held<D: Domain>(module: &Module, run: &Interpreter<'_, D>, sample: &Sample) -> Vec<Held> {
    let is_stored = |g: &&GlobalRef| module.global(**g).space == Space::Storage;
    let mut all: Vec<GlobalRef> = sample.uniforms.keys().filter(is_stored).copied().collect();
    all.sort_unstable();
    let scalars = |global: GlobalRef| {
        let one = move |leaf: Leaf| {
            let (value, error, is_sure) = run.float_at(global, leaf.at, leaf.bits)?;
            let is_known = is_sure && value.is_finite() && error.is_finite();
            let bits = run.bytes(global).map_or(0, |bytes| leaf.number(bytes));
            let float = leaf.is_float.then_some((value, if is_known { error } else { f64::INFINITY }));
            Some(Held { global, leaf, bits, float })
        };
        Buffer::new(module, run, global, ELEMENTS).leaves.into_iter().filter_map(one)
    };
    all.into_iter().flat_map(scalars).collect()
}

/// The first scalar behind the words that is not what the source leaves there. Buffers that the words do not have are
/// as they were.
pub(super) fn wrong(
    module: &Module,
    sample: &Sample,
    (vertex, held): (usize, &[Held]),
    found: &[(GlobalRef, Vec<u8>)],
) -> Option<Counterexample> {
    held.iter().find_map(|Held { global, leaf, bits, float }| {
        let own = found.iter().find(|(g, _)| g == global).map(|(_, bytes)| bytes);
        let number = leaf.number(own.or_else(|| sample.uniforms.get(global))?);
        let (expected, allowed, found) = match float {
            None => (*bits as f64, 0.0, number as f64),
            Some((value, error)) => {
                let tiny = if leaf.bits == 16 { HALF_TINY } else { f64::from(f32::MIN_POSITIVE) };
                (*value, error + tiny, float_value(number, leaf.bits))
            }
        };
        let is_right = match float {
            None => *bits == number,
            Some(_) => allowed.is_infinite() || (expected - found).abs() <= allowed,
        };
        let output = format!("{} at byte {}", module.global(*global).name, leaf.at);
        (!is_right).then_some(Counterexample { vertex, output, component: 0, expected, allowed, found })
    })
}

/// A scalar in memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Leaf {
    /// Bytes from the start of the buffer.
    pub(super) at: usize,
    pub(super) bits: u8,
    pub(super) is_bool: bool,
    pub(super) is_float: bool,
}

impl Leaf {
    pub(super) fn number(self, bytes: &[u8]) -> u64 {
        let here = bytes.get(self.at..).unwrap_or_default();
        here.iter()
            .take(usize::from(self.bits) / 8)
            .rev()
            .fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    pub(super) fn set(self, bytes: &mut [u8], number: u64) {
        let room = bytes.get_mut(self.at..).unwrap_or_default();
        let number = number.to_le_bytes();
        room.iter_mut().zip(number).take(usize::from(self.bits) / 8).for_each(|(to, byte)| *to = byte);
    }
}

/// A variable in memory with its scalars, those of a runtime array as often as it has elements here.
pub(super) struct Buffer {
    pub(super) global: GlobalRef,
    pub(super) space: Space,
    pub(super) name: String,
    pub(super) size: usize,
    pub(super) leaves: Vec<Leaf>,
}

impl Buffer {
    /// That of a variable, with so many elements of an array whose size nobody says.
    pub(super) fn new<D: Domain>(
        module: &Module,
        source: &Interpreter<'_, D>,
        global: GlobalRef,
        elements: u32,
    ) -> Buffer {
        let data = module.global(global);
        let mut leaves = Vec::new();
        let end = add(module, source, (data.ty, 0, elements), &mut leaves);
        let size = (end as usize).next_multiple_of(4);
        Buffer { global, space: data.space, name: data.name.clone(), size, leaves }
    }
}

/// Adds the scalars of a type; the byte behind it. Buffers that stand in an array have no runtime arrays.
fn add<D: Domain>(
    module: &Module,
    source: &Interpreter<'_, D>,
    (ty, at, elements): (Ty, u32, u32),
    leaves: &mut Vec<Leaf>,
) -> u32 {
    let types = &module.types;
    let (count, elements) = match types.get(ty) {
        Type::RuntimeArray(..) => {
            let room = MOST_BYTES.saturating_sub(at) / source.stride_of(ty).max(1);
            (Some(elements.min(room.max(1))), 0)
        }
        Type::Array(..) => (types.part_count(ty), 0),
        _ => (types.part_count(ty), elements),
    };
    let Some(count) = count else {
        let is_bool = matches!(types.get(ty), Type::Bool);
        let bits = if is_bool { 32 } else { types.bits(ty).unwrap_or(32) };
        leaves.push(Leaf { at: at as usize, bits, is_bool, is_float: types.is_float(ty) });
        return at + u32::from(bits) / 8;
    };
    let mut end = at + source.size_of(ty);
    for n in 0..count {
        if let Some(part) = types.part(ty, n) {
            let place = at + source.offset_of(ty, n);
            end = end.max(add(module, source, (part, place, elements), leaves));
        }
    }
    end
}
