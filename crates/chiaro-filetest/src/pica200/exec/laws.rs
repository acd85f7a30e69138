//! What holds of any program: the rows serve as programs with every kind of control flow.

use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Event, Machine, Mode, Register};
use chiaro_sim::LANES;

use super::{Run, four, register, registers};
use crate::pica200::numbers::same;
use crate::suite::Miss;

/// Classes of rows whose results in float24 are not those of binary32.
const NOT_EXACT: [&str; 4] = ["transcendental", "scalar_fn", "cmp_reserved", "litp"];

/// Lanes that are sent other ways than their neighbours come out as if each had run alone
/// on the reference evaluator.
pub(super) fn lanes_are_independent(run: &Run<'_>) -> Result<(), Miss> {
    for mode in [Mode::Emu32, Mode::Hw24] {
        let mut together = run.machine(mode, EngineChoice::Batch, LANES)?;
        (0..LANES).for_each(|lane| vary(&mut together, run, lane, lane));
        together.execute();
        for lane in [0, 1, 5, 14, LANES - 1] {
            let mut alone = run.machine(mode, EngineChoice::Scalar, 1)?;
            vary(&mut alone, run, 0, lane);
            alone.execute();
            let (found, expected) = (seen(&together, lane), seen(&alone, 0));
            if found != expected {
                return Err(format!("{mode:?}: lane {lane} has {found:?}, alone {expected:?}").into());
            }
        }
    }
    Ok(())
}

/// Inputs for a lane that send it another way than its neighbours.
fn vary(machine: &mut Machine, run: &Run<'_>, lane: usize, variant: usize) {
    for &(register, mut value) in &run.inputs {
        value.rotate_left(variant % 4);
        let sign = if variant & 4 == 0 { 1.0 } else { -1.0 };
        machine.set_input(lane, register, value.map(|x| x * sign + (variant / 8) as f32));
    }
}

/// Everything that can be seen of a lane: registers, a0.x a0.y aL, flags, events.
type Seen = (Vec<[u32; 4]>, [i32; 3], [bool; 2], Vec<Event>);

fn seen(machine: &Machine, lane: usize) -> Seen {
    // NaNs differ in sign and payload where the host's arithmetic is used.
    let plain = |x: u32| if f32::from_bits(x).is_nan() { 0x7FC0_0000 } else { x };
    let registers = (0..16).flat_map(|n| [Register::Output(n), Register::Temporary(n)]);
    let registers = registers.map(|r| machine.register(lane, r).map(plain)).collect();
    let plain_event = |event: &Event| match event {
        Event::Vertex(rows) => Event::Vertex(rows.iter().map(|row| row.map(plain)).collect()),
        Event::Winding => Event::Winding,
    };
    let events = machine.events(lane).iter().map(plain_event).collect();
    (registers, machine.address(lane), machine.flags(lane), events)
}

/// Rows whose values are all float24 numbers say something about the console: they hold in
/// `hw24` as well, where there is no -0.
pub(super) fn exact_rows_hold_in_float24(run: &Run<'_>) -> Result<(), Miss> {
    let class = run.json["class"].as_str().unwrap_or("");
    let exact = run.json["expect"]["exact24"] == true;
    if !exact || class.starts_with("special") || NOT_EXACT.contains(&class) {
        return Ok(());
    }
    let mut machine = run.filled(Mode::Hw24, EngineChoice::Batch, LANES)?;
    machine.execute();
    for (bank, letter) in [("o", 'o'), ("r", 'r')] {
        for (n, expected) in registers(&run.json["expect"][bank]) {
            let n = n?;
            let expected = four(expected)?.map(|x| if x == 1 << 31 { 0 } else { x });
            let found = machine.register(3, register(letter, n));
            if !found.iter().zip(&expected).all(|(&a, &b)| same(a, b)) {
                return Err(format!("Hw24: {letter}{n} is {found:08x?}, not {expected:08x?}").into());
            }
        }
    }
    Ok(())
}
