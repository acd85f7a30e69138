//! Demanded outputs: which components a program has to write.

use crate::container::Output;
use std::collections::BTreeMap;

/// Which outputs the program has to write.
pub(super) enum Outputs<'a> {
    /// Those of a table.
    Table(&'a [Output]),
    /// Nobody says; only double writes can be found.
    Unknown,
}

/// Output components by what the table says of them.
#[derive(Default)]
pub(super) struct Demand {
    /// Enabled with a property.
    pub(super) named: u64,
    /// Enabled, but passed on without a property.
    pub(super) generic: u64,
    /// Components of registers that the table does not name at all.
    pub(super) unmapped: u64,
    /// Those that may be written once only.
    pub(super) once: u64,
    /// Property names by register, for messages.
    names: BTreeMap<u16, &'static str>,
}

impl Demand {
    pub(super) fn of(outputs: &Outputs) -> Demand {
        let Outputs::Table(table) = outputs else {
            return Demand { once: u64::MAX, ..Demand::default() };
        };
        let mut demand = Demand { unmapped: u64::MAX, ..Demand::default() };
        for output in table.iter().filter(|output| output.register < 16) {
            let set = u64::from(enabled(output)) << (4 * output.register);
            demand.unmapped &= !(15 << (4 * output.register));
            let property = output.property().filter(|property| property.name != "dummy");
            *if property.is_some() { &mut demand.named } else { &mut demand.generic } |= set;
            if let Some(property) = property {
                demand.names.entry(output.register).or_insert(property.name);
            }
        }
        demand.once = demand.named | demand.generic;
        demand.generic &= !demand.named;
        demand
    }

    /// `o2.xy (texcoord0)`, `o3.w` for a set of components.
    pub(super) fn spell(&self, set: u64) -> String {
        let registers = (0..16u16).filter(|register| set >> (4 * register) & 15 != 0).map(|register| {
            let property = self.names.get(&register).map(|name| format!(" ({name})"));
            format!("{}{}", spell('o', register, set), property.unwrap_or_default())
        });
        registers.collect::<Vec<_>>().join(", ")
    }
}

/// The components of an output that its property takes. A texture coordinate with a mask of four has
/// a meaning for two of them: the map says of the others that they are unused, and nobody waits for
/// them. \[libctru] \[3dbrew]
fn enabled(output: &Output) -> u16 {
    let named = output.property().filter(|property| property.name != "dummy");
    let most = named.map_or(4, |property| property.components);
    let bits = (0..4).map(|bit| output.mask & 1 << bit).filter(|&bit| bit != 0);
    bits.take(most.into()).fold(0, |mask, bit| mask | bit)
}

/// `r2.xy`, or `r2` for all four components.
pub(super) fn spell(bank: char, register: u16, set: u64) -> String {
    let parts = set >> (4 * register) & 15;
    let letters: String =
        "xyzw".chars().enumerate().filter(|(c, _)| parts >> c & 1 != 0).map(|(_, l)| l).collect();
    if parts == 15 { format!("{bank}{register}") } else { format!("{bank}{register}.{letters}") }
}
