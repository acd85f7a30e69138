//! Statistics of Mesa's reports against ours of the words.

use chiaro_agx::report::Statistics;

use super::linked::unit_of;
use crate::suite::{Miss, Row};

/// A row of `shaderdb.tsv`: of a unit's main part. What stands before it in the unit counts as bytes, and
/// the halves are those that are declared. Uniforms that are pushed and not read are not in the words.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let columns: Vec<&str> = row.text.split('\t').collect();
    let [name, stage, numbers @ ..] = &columns[..] else { return Err("the row has no columns".into()) };
    let unit = unit_of(name, stage, row.folder)?;
    let declared = unit.number("nr_gprs") as u16;
    let made = Statistics::of(&unit.main, 0, Some(declared));
    let before = unit.number("main_offset") as u32;
    let found = [
        ("instructions", made.instructions),
        ("alu", made.alu),
        ("fscib", made.fscib),
        ("ic", made.ic),
        ("bytes", made.bytes + before),
    ];
    let behind = [
        (8, "threads", made.threads.into()),
        (9, "loops", made.loops),
        (10, "spills", made.spills),
        (11, "fills", made.fills),
    ];
    let all = (0..).zip(found).map(|(n, (name, value))| (n, name, value)).chain(behind);
    for (n, name, value) in all {
        let wanted = numbers.get(n).copied().unwrap_or_default();
        if wanted != value.to_string() {
            return Err(format!("{name} is {value}, not {wanted}").into());
        }
    }
    // Words of the stack are taken in fours, ten more than are used (spec 8.6).
    let scratch: u32 = numbers.get(7).and_then(|n| n.parse().ok()).unwrap_or(0);
    let taken = if scratch == 0 { 0 } else { 4 * (scratch.div_ceil(4) + 10).next_multiple_of(4) };
    if made.scratch != taken {
        return Err(format!("{} bytes of stack are taken, not {taken}", made.scratch).into());
    }
    // A register may be declared for what the hardware writes before.
    if u32::from(made.halves) + 1 > declared.into() {
        return Err(format!("{} halves are used, {declared} declared", made.halves + 1).into());
    }
    Ok(())
}
