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
        let values: Vec<String> = bits.iter().map(|&bits| f32::from_bits(bits).to_string()).collect();
        tail.push(format!("{name} = {}", values.join(", ")));
    }
    tail.extend(step.effects.iter().cloned());
    let _ = writeln!(out, "  {}", tail.join(" | "));
}
