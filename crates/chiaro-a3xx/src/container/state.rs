//! Registers of state that follow from a program alone. Fields that depend on both stages, on
//! addresses or on what is drawn are the driver's. spec section 21.

use crate::abi::{Interface, Interpolation, Sink, Source, Stage};
use crate::regs::{GRANULE, NONE};
use crate::report::Statistics;

/// Bits of a field: value, lowest bit.
fn field(value: u32, low: u32) -> u32 {
    value << low
}

/// Names and bits.
#[must_use]
pub(super) fn state(interface: &Interface, words: &[u64]) -> Vec<(String, u32)> {
    match interface.stage {
        Stage::Vertex => vertex(interface, words),
        Stage::Fragment => fragment(interface, words),
        // What starts groups on A3xx is in no public source.
        Stage::Compute => Vec::new(),
    }
}

/// SP_xS_CTRL_REG0: multi-threaded, buffer mode, footprints, length in granules.
fn control(s: &Statistics, words: &[u64], four_quads: bool) -> u32 {
    let granules = words.len().div_ceil(GRANULE) as u32;
    field(2, 0)
        | field(s.half.min(63), 4)
        | field(s.full.min(63), 10)
        | field(u32::from(four_quads), 20)
        | field(granules.min(255), 24)
}

/// The first register of an input, or none.
fn register_of(interface: &Interface, wanted: impl Fn(&Source) -> bool) -> u32 {
    let found = interface.inputs.iter().find(|input| wanted(&input.source)).and_then(|input| input.register);
    u32::from(found.unwrap_or(NONE))
}

fn output_of(interface: &Interface, sink: Sink) -> u32 {
    let found = interface.outputs.iter().find(|output| output.sink == sink);
    found.map_or(u32::from(NONE), |output| u32::from(output.register))
}

fn vertex(interface: &Interface, words: &[u64]) -> Vec<(String, u32)> {
    let s = Statistics::of(words, Stage::Vertex);
    let constants = u32::from(interface.constant_length()).max(s.constlen);
    let scalars: u32 = interface.inputs.iter().map(|input| u32::from(input.components)).sum();
    let varyings: Vec<_> = interface.outputs.iter().filter(|o| matches!(o.sink, Sink::Varying(_))).collect();
    let mut all = vec![
        ("SP_VS_CTRL_REG0".to_owned(), control(&s, words, false)),
        (
            "SP_VS_CTRL_REG1".to_owned(),
            field(constants, 0) | field(constants.saturating_sub(1), 10) | field(scalars, 24),
        ),
        (
            "SP_VS_PARAM_REG".to_owned(),
            field(output_of(interface, Sink::Position), 0)
                | field(output_of(interface, Sink::PointSize), 8)
                | field(varyings.len() as u32, 20),
        ),
        (
            "VFD_CONTROL_1".to_owned(),
            field(register_of(interface, |s| *s == Source::Vertex), 16)
                | field(register_of(interface, |s| *s == Source::Instance), 24),
        ),
    ];
    for (n, pair) in varyings.chunks(2).enumerate() {
        let one = |o: &crate::abi::Output| u32::from(o.register) | ((1 << o.components) - 1) << 9;
        let bits = pair.iter().enumerate().fold(0, |bits, (i, o)| bits | one(o) << (16 * i));
        all.push((format!("SP_VS_OUT[{n}]"), bits));
    }
    all
}

fn fragment(interface: &Interface, words: &[u64]) -> Vec<(String, u32)> {
    let s = Statistics::of(words, Stage::Fragment);
    let constants = u32::from(interface.constant_length()).max(s.constlen);
    let place = register_of(interface, |s| *s == Source::FragCoord);
    let depth = if place == u32::from(NONE) { place } else { place + 2 };
    let systems = interface.inputs.iter().filter(|input| input.register.is_some()).count() as u32;
    let none = u32::from(NONE);
    let mut all = vec![
        ("SP_FS_CTRL_REG0".to_owned(), control(&s, words, s.full * 2 <= crate::regs::FILE_SLOTS)),
        (
            "SP_FS_CTRL_REG1".to_owned(),
            field(constants, 0) | field(constants.saturating_sub(1), 10) | field(systems, 20) | field(63, 24),
        ),
        ("HLSQ_CONTROL_1".to_owned(), field(place, 16) | field(depth, 24)),
        ("HLSQ_CONTROL_2".to_owned(), field(register_of(interface, |s| *s == Source::Facing), 2)),
        (
            "HLSQ_CONTROL_3".to_owned(),
            register_of(interface, |s| *s == Source::Barycentric)
                | field(none, 8)
                | field(none, 16)
                | field(none, 24),
        ),
    ];
    let colour =
        |o: &crate::abi::Output| if let Sink::Colour(n) = o.sink { Some(u32::from(n)) } else { None };
    let last = interface.outputs.iter().filter_map(colour).max().unwrap_or(0);
    let depth = output_of(interface, Sink::Depth);
    let has_depth = u32::from(depth != none);
    all.push(("SP_FS_OUTPUT".to_owned(), field(last, 0) | field(has_depth, 7) | field(depth, 8)));
    for output in &interface.outputs {
        if let Sink::Colour(n) = output.sink {
            all.push((
                format!("SP_FS_MRT[{n}]"),
                u32::from(output.register) | field(u32::from(output.half), 8),
            ));
        }
    }
    let flat = flat_scalars(interface);
    all.push(("SP_FS_FLAT_SHAD_MODE[0]".to_owned(), flat as u32));
    all.push(("SP_FS_FLAT_SHAD_MODE[1]".to_owned(), (flat >> 32) as u32));
    all
}

/// A bit for each scalar of a flat varying.
fn flat_scalars(interface: &Interface) -> u64 {
    let bits = |input: &crate::abi::Input| match input.source {
        Source::Varying { slot, interpolation: Interpolation::Flat, .. } => {
            ((1u64 << input.components) - 1).checked_shl(slot.into()).unwrap_or(0)
        }
        _ => 0,
    };
    interface.inputs.iter().fold(0, |all, input| all | bits(input))
}
