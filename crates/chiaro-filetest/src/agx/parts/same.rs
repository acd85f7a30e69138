//! Whether two parts of a key have done the same.

use chiaro_agx::abi::channels::{Format, Kind};
use chiaro_agx::abi::key::{FragmentEpilog, Key, Target, VertexProlog};
use chiaro_agx::abi::tilebuffer::{Layout, Physical, physical};
use chiaro_agx::machine::{Pixels, SimdGroup};
use chiaro_num::F16;
use chiaro_sim::LANES;
use chiaro_sim::mapped::Mapped;

use super::state::State;

/// Runs both from so many states; what differs first.
///
/// # Errors
/// A sentence about it, or the fault of one of them.
pub(crate) fn same(key: &Key, ours: &[u8], theirs: &[u8], states: u64) -> Result<(), String> {
    for seed in 0..states {
        let state = State::of(key, 0x1000 + seed);
        let mine = state.run(ours).map_err(|fault| format!("ours: {fault}"))?;
        let other = state.run(theirs).map_err(|fault| format!("the row's: {fault}"))?;
        match key {
            Key::VertexProlog(key) => vertex(key, &mine.0, &other.0)?,
            Key::FragmentProlog(_) => decided(&mine.0, &other.0)?,
            Key::FragmentEpilog(key) => {
                decided(&mine.0, &other.0)?;
                targets(key, &mine.0, &other.0)?;
            }
        }
        memory(&mine.1, &other.1)?;
    }
    Ok(())
}

fn memory(mine: &Mapped, other: &Mapped) -> Result<(), String> {
    let differ = mine.ranges().iter().zip(other.ranges()).find(|(a, b)| a.bytes != b.bytes);
    differ.map_or(Ok(()), |(range, _)| Err(format!("`{}` in memory differs", range.name)))
}

/// Samples that live, were decided on and passed, with depth and stencil.
fn decided(mine: &SimdGroup, other: &SimdGroup) -> Result<(), String> {
    let (Some(a), Some(b)) = (mine.pixels(), other.pixels()) else { return Ok(()) };
    let covered = |pixels: &Pixels, masks: &[u8; LANES]| -> Vec<u8> {
        masks.iter().zip(pixels.covered).map(|(mask, covered)| mask & covered).collect()
    };
    let tell =
        |what: &str, a: String, b: String| if a == b { Ok(()) } else { Err(format!("{what}: {a}, not {b}")) };
    tell("living samples", format!("{:?}", covered(a, &a.live)), format!("{:?}", covered(b, &b.live)))?;
    tell(
        "decided samples",
        format!("{:?}", covered(a, &a.decided)),
        format!("{:?}", covered(b, &b.decided)),
    )?;
    tell("samples that passed", a.passed.to_string(), b.passed.to_string())?;
    tell("depths", format!("{:?} {:?}", a.depth, a.depths), format!("{:?} {:?}", b.depth, b.depths))?;
    tell("stencils", format!("{:?}", a.stencil), format!("{:?}", b.stencil))
}

/// What targets hold, within the rounding of their arithmetic.
fn targets(key: &FragmentEpilog, mine: &SimdGroup, other: &SimdGroup) -> Result<(), String> {
    let (Some(mut a), Some(mut b)) = (mine.pixels().cloned(), other.pixels().cloned()) else { return Ok(()) };
    let name = |target: &Target| target.format.trim_start_matches("PIPE_FORMAT_").to_owned();
    let mut all = vec![None; 8];
    key.rts.iter().for_each(|target| all[target.i as usize] = physical(&name(target)));
    let layout = Layout::new(&all, key.nr_samples.max(1) as u32)?;
    for target in &key.rts {
        let Some(place) = layout.targets[target.i as usize] else { continue };
        let Some(offset) = place.offset else { continue };
        let bytes = (place.physical.bytes * place.physical.components) as usize;
        let kind = Format::named(&name(target)).map(|format| format.kind);
        let exact = key.logicop != 0 || matches!(kind, Some(Kind::Uint | Kind::Sint));
        let wide = target.loc.is_some_and(|loc| key.link.size_32 >> loc & 1 == 1);
        for (lane, sample) in
            (0..LANES).flat_map(|lane| (0..key.nr_samples.max(1) as usize).map(move |s| (lane, s)))
        {
            let of = |pixels: &mut Pixels| {
                let found = pixels.bytes_of(lane, sample, offset as usize, bytes);
                found.map(|bytes| bytes.to_vec()).unwrap_or_default()
            };
            let (x, y) = (of(&mut a), of(&mut b));
            if x == y || !exact && near(&name(target), place.physical, wide, &x, &y) {
                continue;
            }
            return Err(format!("target {}, lane {lane}, sample {sample}: {x:02x?}, not {y:02x?}", target.i));
        }
    }
    Ok(())
}

/// Steps and errors: of 16 bits and of 32.
const ERRORS: [f64; 2] = [6e-3, 4e-6];

fn near(name: &str, physical: Physical, wide: bool, a: &[u8], b: &[u8]) -> bool {
    let (a, b) = (values(name, physical, a), values(name, physical, b));
    let error = ERRORS[usize::from(wide)];
    a.iter().zip(&b).all(|((x, step), (y, _))| (x - y).abs() <= step + error * x.abs().max(1.0))
}

/// The components with the step to the next value.
fn values(name: &str, physical: Physical, bytes: &[u8]) -> Vec<(f64, f64)> {
    let word = || bytes.iter().rev().fold(0u32, |all, byte| all << 8 | u32::from(*byte));
    let halves = || bytes.chunks(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
    let fraction = |n: f64, m: f64| (n / m, 1.01 / m);
    let float = |bits: u32, mantissa: u32| {
        let (exponent, m) = ((bits >> mantissa) as i32, bits & ((1 << mantissa) - 1));
        let unit = 2f64.powi(exponent.max(1) - 15 - mantissa as i32);
        (unit * f64::from(if exponent > 0 { m | 1 << mantissa } else { m }), unit)
    };
    match physical.format {
        "u8norm" => bytes.iter().map(|n| fraction((*n).into(), 255.0)).collect(),
        // The curve is steep at its start.
        "srgba8" => bytes.iter().map(|n| ((f64::from(*n) / 255.0).powi(2), 4.0 / 255.0)).collect(),
        "s8norm" => bytes.iter().map(|n| fraction((*n as i8).into(), 127.0)).collect(),
        "u16norm" => halves().map(|n| fraction(n.into(), 65535.0)).collect(),
        "s16norm" => halves().map(|n| fraction((n as i16).into(), 32767.0)).collect(),
        "f16" => halves().map(|n| (F16.decode(n.into()), F16.decode(n.into()).abs() / 1000.0)).collect(),
        "rgb10a2" => (0..4)
            .map(|n| (word() >> (10 * n) & if n < 3 { 1023 } else { 3 }, if n < 3 { 1023.0 } else { 3.0 }))
            .map(|(n, m)| fraction(n.into(), m))
            .collect(),
        "rg11b10f" => vec![float(word() & 0x7ff, 6), float(word() >> 11 & 0x7ff, 6), float(word() >> 22, 5)],
        "rgb9e5" => {
            let unit = 2f64.powi((word() >> 27) as i32 - 24);
            (0..3).map(|n| (unit * f64::from(word() >> (9 * n) & 511), unit)).collect()
        }
        _ if name.ends_with("FLOAT") => bytes
            .chunks(4)
            .map(|four| (f64::from(f32::from_le_bytes([four[0], four[1], four[2], four[3]])), 0.0))
            .collect(),
        _ => bytes.iter().map(|n| ((*n).into(), 0.0)).collect(),
    }
}

/// The components of a key, and the numbers of vertex and instance.
fn vertex(key: &VertexProlog, mine: &SimdGroup, other: &SimdGroup) -> Result<(), String> {
    let components = key.attribs.iter().flat_map(|attribute| {
        let first = 8 + 4 * attribute.i as u16;
        (0..4).filter(|n| attribute.mask >> n & 1 == 1).map(move |n| first + n)
    });
    for register in [5, 6].into_iter().chain(components) {
        let (a, b) = (mine.word(register), other.word(register));
        let alike = |x: u32, y: u32| {
            let (f, g) = (f32::from_bits(x), f32::from_bits(y));
            x == y || (f - g).abs() <= 1e-6 * f.abs()
        };
        if let Some(lane) = (0..LANES).find(|&lane| !alike(a.0[lane], b.0[lane])) {
            return Err(format!("r{register}, lane {lane}: {:#x}, not {:#x}", a.0[lane], b.0[lane]));
        }
    }
    Ok(())
}
