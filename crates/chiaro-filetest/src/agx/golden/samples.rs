//! Fragments of pixels with four samples: what each sample holds, on the driver of others and by our words.

#[cfg(feature = "lavapipe")]
use chiaro_ir::Global;
use chiaro_ir::interp::Attributes as Rows;
use chiaro_ir::{Module, Space};
use chiaro_target::{Attributes, Work};

use super::super::driver::given::Given;
use super::super::driver::source::{Left, Output, bits, run, runs, variables};
use super::super::named::{Program, column, vector};
use super::{
    DISCARDED, Golden, Judge, NUDGES, Nudged, PIXELS, bound, builtin, centre, coordinate, of_rows, pixel,
    resources, work,
};
use crate::suite::Miss;

/// Samples of a pixel, and where they are in it: as Vulkan's standard has them, and the machine (spec 25.2).
const SAMPLES: usize = 4;
const PLACES: [[f32; 2]; SAMPLES] = [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];
/// SPIR-V's numbers of built-ins.
const SAMPLE_ID: u32 = 18;
const SAMPLE_POSITION: u32 = 19;
const SAMPLE_MASK: u32 = 20;

/// Whether fragments of a module have to do with samples.
#[cfg(feature = "lavapipe")]
pub(crate) fn has_samples(module: &Module) -> bool {
    let is_mask = |g: &Global| g.space == Space::Output && g.binding.builtin == Some(SAMPLE_MASK);
    runs_for_each(module) || module.globals.iter().any(is_mask)
}

/// Whether fragments run once for each sample.
fn runs_for_each(module: &Module) -> bool {
    let inputs = module.globals.iter().filter(|g| g.space == Space::Input);
    let mut own =
        inputs.map(|g| g.binding.sample || matches!(g.binding.builtin, Some(SAMPLE_ID | SAMPLE_POSITION)));
    own.any(|is_own| is_own)
}

/// Compares a row.
///
/// # Errors
/// The first number that differs.
pub(super) fn check(golden: &Golden, module: &Module) -> Result<(), Miss> {
    let each = if runs_for_each(module) { SAMPLES } else { 1 };
    let given = given(golden, module, each);
    let mut left = runs(module, &given)?;
    for n in 1..=NUDGES {
        left.push(run(module, &given, Nudged { run: n, reduced: true, errors: of_rows })?);
    }
    let program = Program::of_samples(module, SAMPLES)?;
    let made = program.run(resources(golden, module, (&program, None)), over_nothing(golden, module))?;
    let colours =
        made.outputs.iter().find(|output| output.name == "colour").ok_or("our words leave no colour")?;
    let (name, words) = golden.out.first().ok_or("the row has no results")?;
    let outputs = variables(module, Space::Output);
    let output =
        outputs.iter().find(|output| output.builtin.is_none()).ok_or("the source leaves no colour")?;
    let mut judge = Judge::default();
    for lane in 0..PIXELS[0] * PIXELS[1] {
        let [x, y] = pixel(lane);
        for sample in 0..SAMPLES {
            let invocation = if each == 1 { lane } else { SAMPLES * lane + sample };
            let at = SAMPLES * (y * PIXELS[0] + x) + sample;
            let driver = words.get(4 * at..4 * at + 4).ok_or("the row is short")?;
            let found =
                colours.of(lane).get(4 * sample..4 * sample + 4).ok_or("our words leave too little")?;
            if !lives(&outputs, &left[0], invocation, sample) {
                let is_gone = driver.iter().all(|word| *word == DISCARDED);
                if !is_gone || found.iter().any(|bits| *bits as u32 != DISCARDED) {
                    return Err(format!("`{name}`, pixel {x}, {y}: sample {sample} is written").into());
                }
                continue;
            }
            for (component, scalar) in output.scalars.iter().enumerate() {
                let place = || format!("`{name}`, pixel {x}, {y}, sample {sample}, component {component}");
                let of =
                    |left: &Left| Some(bits(left.outputs.get(&output.global)?.get(invocation)?, *scalar));
                let source: Vec<u64> = left.iter().filter_map(of).collect();
                judge.number(&place, *scalar, &source, (driver[component].into(), found[component]))?;
            }
        }
    }
    Ok(judge.finish()?)
}

/// Whether a sample is written, as the source means it.
fn lives(outputs: &[Output], left: &Left, invocation: usize, sample: usize) -> bool {
    let mask = outputs.iter().find(|output| output.builtin == Some(SAMPLE_MASK));
    let mask = mask.and_then(|output| left.outputs.get(&output.global)?.get(invocation)?.first().copied());
    !left.ended.get(invocation).copied().unwrap_or(false) && mask.unwrap_or(0xf) >> sample & 1 == 1
}

/// What the interpreter is given: each sample is an invocation where fragments run for each.
fn given(golden: &Golden, module: &Module, each: usize) -> Given {
    let count = PIXELS[0] * PIXELS[1] * each;
    let buffers = golden.buffers.iter().filter_map(|buffer| {
        let bytes = buffer.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Some((bound(module, buffer.binding)?, bytes))
    });
    let inputs = variables(module, Space::Input);
    let inputs: Rows = inputs
        .iter()
        .map(|input| (input.global, (0..count).map(|n| row(golden, module, input, (n, each))).collect()))
        .collect();
    Given {
        buffers: buffers.collect(),
        inputs,
        count,
        groups: None,
        images: Default::default(),
        in_halves: false,
        undefined: 0,
    }
}

/// The bytes of an input of an invocation.
fn row(golden: &Golden, module: &Module, input: &Output, (n, each): (usize, usize)) -> Vec<u8> {
    let (lane, sample) = (n / each, n % each);
    let corner = centre(lane).map(|at| at - 0.5);
    let is_own = module.global(input.global).binding.sample;
    let inside = if is_own { PLACES[sample] } else { [0.5; 2] };
    let at = [corner[0] + inside[0], corner[1] + inside[1]];
    let planes = golden.planes.iter().find(|(location, _)| *location == input.location);
    let word = |component: usize| match input.builtin {
        None => {
            let plane = planes.and_then(|(_, all)| all.get(component)).copied().unwrap_or_default();
            Golden::varying(plane, at).to_bits()
        }
        Some(builtin::FRAG_COORD) => coordinate(lane)[component],
        Some(SAMPLE_ID) => sample as u32,
        Some(SAMPLE_POSITION) => PLACES[sample][component].to_bits(),
        Some(SAMPLE_MASK) if each == 1 => 0xf,
        Some(SAMPLE_MASK) => 1 << sample,
        _ => 0,
    };
    let size = input.scalars.iter().map(|s| s.at + 4).max().unwrap_or(4);
    let mut bytes = vec![0; size];
    for (component, scalar) in input.scalars.iter().enumerate() {
        bytes[scalar.at..scalar.at + 4].copy_from_slice(&word(component).to_le_bytes());
    }
    bytes
}

/// Fragments that cover all samples, over what nobody has written.
fn over_nothing(golden: &Golden, module: &Module) -> Work {
    let lanes = PIXELS[0] * PIXELS[1];
    let Work::Fragments(Attributes { count, mut columns }) = work(golden, module) else {
        return Work::Fragments(Attributes::default());
    };
    columns.retain(|(name, _)| name != "below");
    columns.push(column("below", (0..lanes).map(|_| vector(&[DISCARDED; 4 * SAMPLES]))));
    columns.push(column("covered", (0..lanes).map(|_| chiaro_target::Value::Bits(0xf))));
    Work::Fragments(Attributes { count, columns })
}
