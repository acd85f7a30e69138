//! Prologs of vertices (spec 17): numbers of vertex and instance, then every attribute.

use chiaro_ir::{Op as Ir, Space, Stage, Value};

use super::draft::{Build, Draft, Element, build};
use super::fetch::Fetch;
use crate::abi::key::{Attribute, VertexProlog};
use crate::abi::uniforms::Vertex;
use crate::compile::code::format;
use crate::compile::select::Bound;
use crate::container::file::{self, Role};

/// Halves of the numbers of vertex and instance, and of the first attribute (spec 14.1).
const VERTEX: u16 = 10;
const INSTANCE: u16 = 12;
const ATTRIBUTES: u16 = 16;
const EACH_ATTRIBUTE: u16 = 8;
/// Special registers: place in the grid.
const COLUMN: u8 = 80;
const ROW: u8 = 81;

/// Levels of robustness, by number.
const OPENGL: u64 = 2;
const DIRECT3D: u64 = 3;

/// Primitives with adjacency, by Mesa's number.
mod adjacency {
    pub(super) const LINES: u64 = 10;
    pub(super) const LINE_STRIP: u64 = 11;
    pub(super) const TRIANGLES: u64 = 12;
    pub(super) const TRIANGLE_STRIP: u64 = 13;
}

/// Results that are zeroed at most where a zero address would cost more.
const FEW: usize = 2;

/// The module of a prolog of vertices.
pub(super) fn draft(key: &VertexProlog) -> Result<Draft, String> {
    let count = key.attribs.iter().map(|attribute| attribute.i as u16 + 1).max().unwrap_or(0);
    let abi = Vertex::new(count, key.hw == 0)?;
    let made = build(Stage::Vertex, |d| {
        let numbers = numbers(key, abi, d)?;
        key.attribs.iter().try_for_each(|attribute| fetch(key, abi, d, numbers, attribute))
    })?;
    let stage = if key.hw == 1 { file::Stage::Vertex } else { file::Stage::SoftwareVertex };
    Ok(Draft::of(made, stage, Role::Prolog))
}

/// Numbers of vertex and instance, left where the main part finds them.
fn numbers(key: &VertexProlog, abi: Vertex, d: &mut Build<'_>) -> Result<[Value; 2], String> {
    let word = d.int(32);
    let (vertex, instance) = match key.hw {
        1 => (d.register("vertex", word, VERTEX), d.register("instance", word, INSTANCE)),
        _ => (d.special("column", COLUMN), d.special("row", ROW)),
    };
    let mut number = match key.adjacency {
        0 => vertex,
        primitive => adjacent(d, primitive, vertex)
            .ok_or_else(|| format!("`adjacency` is {primitive}; it is 0, or 10 to 13"))?,
    };
    if key.hw == 0 || key.adjacency != 0 {
        if key.index_size > 0 {
            number = indexed(key, abi, d, number);
        }
        let base = d.uniform("base vertex", word, abi.base_vertex());
        number = d.b.iadd(number, base);
    }
    for (name, half, value) in
        [("vertex at the end", VERTEX, number), ("instance at the end", INSTANCE, instance)]
    {
        let place = d.variable(Space::Output, name, word, Bound::Register(half));
        d.b.store(place, value);
    }
    Ok([number, instance])
}

/// The number, among those with adjacency, of a vertex of the primitives without.
fn adjacent(d: &mut Build<'_>, primitive: u64, vertex: Value) -> Option<Value> {
    let [one, two, three] = [1, 2, 3].map(|n| d.b.u32(n));
    Some(match primitive {
        adjacency::LINES => {
            // 2 (v - odd) + odd + 1 is 2 v - odd + 1.
            let odd = d.b.and(vertex, one);
            let rest = d.b.isub(one, odd);
            let twice = d.b.shl(vertex, one);
            d.b.iadd(rest, twice)
        }
        adjacency::LINE_STRIP => {
            // v / 2 + odd is half of v + odd: what v + 1 is, halved.
            let next = d.b.iadd(vertex, one);
            let half = d.b.lshr(next, one);
            d.b.iadd(half, one)
        }
        adjacency::TRIANGLES => d.b.shl(vertex, one),
        adjacency::TRIANGLE_STRIP => {
            let triangle = quotient(d, vertex, 3);
            let whole = d.b.imul(triangle, three);
            let corner = d.b.isub(vertex, whole);
            // Of odd triangles corners 1 and 2 change places: that is minus the corner, modulo 3.
            let odd = d.b.and(triangle, one);
            let zero = d.b.u32(0);
            let turned = d.b.isub(three, corner);
            let first = d.b.ieq(corner, zero);
            let turned = d.b.select(first, zero, turned);
            let even = d.b.ieq(odd, zero);
            let corner = d.b.select(even, corner, turned);
            let sum = d.b.iadd(triangle, corner);
            d.b.imul(sum, two)
        }
        _ => return None,
    })
}

/// n / d by one product: m (n + 1) / 2^(32 + k), where m is 2^(32 + k) / d rounded down, is right for every n
/// if the rest is at most 2^k; where it is not, rounding up is, which the passes do (Robison 2005).
fn quotient(d: &mut Build<'_>, n: Value, by: u32) -> Value {
    let k = by.ilog2();
    let power = 1u64 << (32 + k);
    let plain = d.b.u32(by);
    // Rounding up would need no sum.
    let up = u64::from(by) - power % u64::from(by);
    if by.is_power_of_two() || up <= 1 << k || power % u64::from(by) > 1 << k {
        return d.b.udiv(n, plain);
    }
    let (word, long) = (d.int(32), d.int(64));
    let wide = d.b.convert(Ir::ZExt, n, long);
    let m = d.b.bits(long, power / u64::from(by));
    let product = d.b.imul(wide, m);
    let product = d.b.iadd(product, m);
    let pair = d.several(word, 2);
    let halves = d.b.bitcast(product, pair);
    let high = d.b.extract(halves, 1);
    let k = d.b.u32(k);
    d.b.lshr(high, k)
}

/// What stands in the index buffer; 0 beyond its end, and what is read there is the first (spec 17).
fn indexed(key: &VertexProlog, abi: Vertex, d: &mut Build<'_>, number: Value) -> Value {
    let (word, long) = (d.int(32), d.int(64));
    let three = d.several(word, 3);
    let zero = d.b.u32(0);
    // The state stands behind the numbers also where the hardware counts vertices.
    let state = d.uniform("input assembly", long, abi.base_vertex() + 8);
    let entry =
        d.memory((format::I32, 0b111), three, None, Element { address: state, index: zero, stride: 4 });
    let entry = d.b.load(entry);
    let [low, high, size] = [0, 1, 2].map(|n| d.b.extract(entry, n));
    let address = d.b.vector(&[low, high]);
    let address = d.b.bitcast(address, long);
    let inside = d.b.ult(number, size);
    let index = d.b.select(inside, number, zero);
    let stride = key.index_size as u32;
    let found =
        d.memory((format::integer(key.index_size as u8), 1), word, None, Element { address, index, stride });
    let found = d.b.load(found);
    d.b.select(inside, found, zero)
}

/// An attribute in its registers.
fn fetch(
    key: &VertexProlog,
    abi: Vertex,
    d: &mut Build<'_>,
    [vertex, instance]: [Value; 2],
    attribute: &Attribute,
) -> Result<(), String> {
    let fetch = Fetch::named(&attribute.format)
        .ok_or_else(|| format!("`{}` is no format of vertices", attribute.format))?;
    let (n, mask) = (attribute.i as u16, attribute.mask as u8);
    let (word, long) = (d.int(32), d.int(64));
    let zero = d.b.u32(0);
    let number = match attribute.instanced {
        0 => vertex,
        _ => {
            let base = d.uniform("base instance", word, abi.base_instance());
            match attribute.divisor {
                0 => base,
                1 => d.b.iadd(base, instance),
                divisor => {
                    let step = quotient(d, instance, divisor as u32);
                    d.b.iadd(base, step)
                }
            }
        }
    };
    let level = if key.soft_fault == 1 { key.robustness } else { key.robustness.max(OPENGL) };
    let mut address = d.uniform(&format!("base {n}"), long, abi.base(n));
    let (mut index, mut zeroed) = (number, None);
    if level >= OPENGL {
        let clamp = d.uniform(&format!("clamp {n}"), word, abi.clamp(n));
        let outside = d.b.ult(clamp, number);
        let by_address = level == DIRECT3D && key.soft_fault == 1 && fetch.loaded(mask) > FEW;
        if by_address {
            // Nothing is mapped there: what is read is 0.
            let nothing = d.b.bits(long, 0);
            address = d.b.select(outside, nothing, address);
        } else {
            // With faults that give 0 the element may be read where it is: what comes of it is not kept.
            let keeps = level == DIRECT3D && key.soft_fault == 1;
            index = if keeps { index } else { d.b.select(outside, zero, index) };
            zeroed = (level == DIRECT3D).then_some(outside);
        }
    }
    let unit = fetch.unit();
    let elements = attribute.stride as u32 / unit;
    let shift = if fetch.shifts() && matches!(elements, 2 | 4) { elements } else { 1 };
    let steps = d.b.u32(elements / shift);
    let index = d.b.imul(index, steps);
    let first = ATTRIBUTES + EACH_ATTRIBUTE * n;
    let place = Element { address, index, stride: unit * shift };
    let components = fetch.components(d, mask, first, place, zeroed);
    for (c, value) in (0..).zip(components) {
        let Some(value) = value else { continue };
        let bound = Bound::Register(first + 2 * c);
        let place = d.variable(Space::Output, &format!("attribute {n}, component {c}"), word, bound);
        d.b.store(place, value);
    }
    Ok(())
}
