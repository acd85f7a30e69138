//! Prologs of fragments, in the order of spec 18.1: stipple, planes that cull, the counter, samples of the API.

use chiaro_ir::{Combine, Op as Ir, Scope, Semantics, Space, Stage, Value};

use super::draft::{Build, Draft, Element, build};
use crate::abi::key::FragmentProlog;
use crate::abi::link::Binding;
use crate::compile::select::Bound;
use crate::container::file::{self, Role};

/// The half of the address of the driver's root table, and addresses in it (spec 14.4).
const ROOT: u16 = 12;
const COUNTER: u32 = 512;
const STIPPLE: u32 = 592;
/// Special registers: place of the pixel, whether the lane is no helper, samples that the primitive covers.
const COLUMN: u8 = 80;
const ROW: u8 = 81;
const ACTIVE: u8 = 63;
const COVERED: u8 = 124;
/// The first slot of planes that cull [link.jsonl].
const CULLED: u8 = 28;
/// Elements of 32 bits.
const I32: u8 = 2;
/// Rows and columns of a stipple.
const STIPPLED: u32 = 32;
const ALL: u64 = 0xff;

/// The module of a prolog of fragments.
pub(super) fn draft(key: &FragmentProlog) -> Result<Draft, String> {
    let made = build(Stage::Fragment, |d| {
        body(key, d);
        Ok(())
    })?;
    // Four planes to a slot.
    let slots = (0..key.cull_distance_size).step_by(4);
    let binding = |first: u64| Binding {
        slot: CULLED + (first / 4) as u8,
        offset: 0,
        count: (key.cull_distance_size - first).min(4) as u8,
        base: (key.cf_base + first) as u16,
        smooth: true,
        perspective: false,
    };
    let bindings = slots.map(binding).collect();
    Ok(Draft { bindings, ..Draft::of(made, file::Stage::Fragment, Role::Prolog) })
}

fn body(key: &FragmentProlog, d: &mut Build<'_>) {
    let planes = (key.cull_distance_size > 0).then(|| culled(key, d));
    // What both kill is killed once.
    let stippled = (key.polygon_stipple == 1).then(|| stippled(d));
    let killed = match (stippled, planes) {
        (Some(a), Some(b)) => Some(d.b.or(a, b)),
        (a, b) => a.or(b),
    };
    let kept = key.api_sample_mask & ALL;
    let masks = kept != ALL;
    if let Some(killed) = killed.filter(|_| !masks || key.statistics == 1) {
        kill(d, killed, if masks { None } else { Some(key.run_zs_tests == 1) });
    }
    if key.statistics == 1 {
        count(d);
    }
    if masks {
        let killed = killed.filter(|_| key.statistics == 0);
        keep(d, kept, killed, key.run_zs_tests == 1);
    }
}

/// Kills samples that are not to be kept, and pixels that are killed anyway; tests the others if that is asked for.
fn keep(d: &mut Build<'_>, kept: u64, killed: Option<Value>, tests: bool) {
    let half = d.int(16);
    let (all, none) = (d.mask(ALL), d.mask(0));
    let (samples, living) = if tests { (all, d.mask(kept)) } else { (d.mask(ALL & !kept), none) };
    let (samples, living) = match killed {
        None => (samples, living),
        Some(killed) if tests => (samples, d.b.select(killed, none, living)),
        Some(killed) => (d.b.select(killed, all, samples), living),
    };
    let place = d.of_samples("coverage", half, Bound::Coverage, samples);
    d.b.store(place, living);
}

/// Kills pixels; the last one to do so tests the others, if that is asked for.
fn kill(d: &mut Build<'_>, killed: Value, last: Option<bool>) {
    let half = d.int(16);
    let (all, none) = (d.mask(ALL), d.mask(0));
    let (samples, living) = match last {
        // Of what it names nothing lives.
        None | Some(false) => (d.b.select(killed, all, none), none),
        Some(true) => (all, d.b.select(killed, none, all)),
    };
    let place = d.of_samples("coverage", half, Bound::Coverage, samples);
    d.b.store(place, living);
}

/// Whether the bit of the pattern is clear that stands for this pixel.
fn stippled(d: &mut Build<'_>) -> Value {
    let word = d.int(32);
    let long = d.int(64);
    let root = d.uniform("root table", long, ROOT);
    let pair = d.several(word, 2);
    let index = d.b.u32(STIPPLE / 4);
    let entry = d.memory((I32, 0b11), pair, None, Element { address: root, index, stride: 4 });
    let address = d.b.load(entry);
    let address = d.b.bitcast(address, long);
    let (row, last) = (d.special("row", ROW), d.b.u32(STIPPLED - 1));
    let index = d.b.and(row, last);
    let pattern = d.memory((I32, 1), word, None, Element { address, index, stride: 4 });
    let bits = d.b.load(pattern);
    let column = d.special("column", COLUMN);
    let turned = d.b.not(column);
    let place = d.b.and(turned, last);
    let one = d.b.u32(1);
    let bit = d.b.bitextractu(bits, place, one);
    let zero = d.b.u32(0);
    d.b.ieq(bit, zero)
}

/// Whether a plane has no distance that is not below 0 at any vertex: then it is 0 everywhere.
fn culled(key: &FragmentProlog, d: &mut Build<'_>) -> Value {
    let float = d.float(32);
    let three = d.several(float, 3);
    let mut least: Option<Value> = None;
    for n in 0..key.cull_distance_size as u16 {
        let register = key.cf_base as u16 + n;
        let place = d.variable(Space::Uniform, &format!("plane {n}"), three, Bound::Coefficients(register));
        let plane = d.b.load(place);
        let [a, b, c] = [0, 1, 2].map(|n| {
            let part = d.b.extract(plane, n);
            d.b.fabs(part)
        });
        let sum = d.b.fadd(c, b);
        let sum = d.b.fadd(sum, a);
        least = Some(least.map_or(sum, |least| d.b.fmin(least, sum)));
    }
    let zero = d.number(float, 0.0);
    let least = least.unwrap_or(zero);
    d.b.feq(least, zero)
}

/// Lanes that are no helpers count their samples.
fn count(d: &mut Build<'_>) {
    let (word, long) = (d.int(32), d.int(64));
    let (active, zero) = (d.special("active", ACTIVE), d.b.u32(0));
    let is_active = d.b.ine(active, zero);
    let root = d.uniform("root table", long, ROOT);
    let whole = d.variable(Space::Uniform, "covered samples", word, Bound::Special(COVERED));
    let pair = d.several(word, 2);
    let at = d.b.begin(Ir::If, &[is_active], &[], 2);
    d.b.enter(0);
    let covered = d.b.load(whole);
    let samples = d.b.bitcount(covered);
    let (index, first) = (d.b.u32(COUNTER / 4), zero);
    let entry = d.memory((I32, 0b11), pair, None, Element { address: root, index, stride: 4 });
    let address = d.b.load(entry);
    let address = d.b.bitcast(address, long);
    let counter = d.memory((I32, 1), word, None, Element { address, index: first, stride: 4 });
    d.b.atomic(Combine::IAdd, Scope::Device, Semantics(0), counter, samples);
    d.b.exit(at, &[]);
    d.b.enter(1);
    d.b.exit(at, &[]);
    d.b.leave();
}
