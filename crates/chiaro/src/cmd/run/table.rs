//! A trace as a table: a line for each instruction, a column for each unit.

use std::fmt::Write;

use chiaro::Step;

/// Width of a column of values.
const WIDTH: usize = 12;

/// The tables of all vertices.
pub fn of(traces: &[Vec<Step>]) -> String {
    let mut out = String::new();
    for (vertex, steps) in traces.iter().enumerate() {
        let _ = writeln!(out, "vertex {vertex}");
        let units = units(steps);
        let _ = write!(out, "{:>4}", "at");
        for unit in &units {
            let _ = write!(out, " {unit:>WIDTH$}");
        }
        out.push_str("  instruction\n");
        for step in steps {
            row(step, &units, &mut out);
        }
    }
    out
}

/// What was written, component by component or lane by lane.
fn values(bits: &[u32]) -> String {
    // Too small for a float, it is likely an integer.
    let one = |bits: u32| match f32::from_bits(bits) {
        x if x.is_subnormal() => format!("{bits:#x}"),
        x => x.to_string(),
    };
    match bits {
        // More than components: lanes.
        [first, rest @ ..] if rest.len() >= 4 && rest.iter().all(|other| other == first) => {
            format!("{} in all {}", one(*first), bits.len())
        }
        _ => bits.iter().map(|&bits| one(bits)).collect::<Vec<_>>().join(", "),
    }
}

/// Units that compute something at least once.
fn units(steps: &[Step]) -> Vec<&'static str> {
    let mut units = Vec::new();
    for (unit, _) in steps.iter().flat_map(|step| &step.results) {
        if !units.contains(unit) {
            units.push(*unit);
        }
    }
    units.sort_unstable();
    units
}

fn row(step: &Step, units: &[&str], out: &mut String) {
    let _ = write!(out, "{:>4}", step.at);
    for unit in units {
        let value = step.results.iter().find(|(name, _)| name == unit);
        let value = value.map(|(_, bits)| f32::from_bits(*bits).to_string()).unwrap_or_default();
        // Long decimals keep their head, which says most.
        let shown =
            if value.len() > WIDTH { format!("{:.5e}", value.parse().unwrap_or(0.0_f32)) } else { value };
        let _ = write!(out, " {shown:>WIDTH$}");
    }
    let mut tail = vec![step.text.clone()];
    if let Some((name, bits)) = &step.write {
        tail.push(format!("{name} = {}", values(bits)));
    }
    tail.extend(step.effects.iter().cloned());
    let _ = writeln!(out, "  {}", tail.join(" | "));
}
