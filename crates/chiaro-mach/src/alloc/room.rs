//! Which units of a file values may have: what the function leaves, what others have borrowed, and
//! as few as the step of occupancy has that the pressure asks for.

use crate::code::Code;
use crate::copies::is_memory;
use crate::file::{File, RegFile};
use crate::touch::Touches;

use super::Work;
use super::error::AllocateError;
use super::units::UnitSet;

/// The files that values of a file are spilled to, one behind the other.
pub(super) fn hosts(files: &[RegFile], file: File) -> impl Iterator<Item = File> + '_ {
    let next = |file: File| files.get(usize::from(file.0)).and_then(|facts| facts.spill_to);
    // As many steps as there are files keep a circle of declarations harmless.
    std::iter::successors(next(file), move |&host| next(host))
        .take(files.len())
        .filter(|&host| is_memory(files, host))
}

/// Units of all files that values of a file are spilled to.
pub(super) fn behind(files: &[RegFile], file: File) -> u32 {
    hosts(files, file).map(|to| u32::from(files[usize::from(to.0)].count)).sum()
}

/// The limit of the next step of occupancy; the same if there is none.
pub(super) fn next_limit(files: &[RegFile], file: File, limit: u16) -> u16 {
    let facts = &files[usize::from(file.0)];
    if limit >= facts.count { limit } else { facts.step(limit + 1) }
}

impl Work {
    /// One past the last unit of the step that the pressure asks for.
    pub(super) fn first_limit(&self, code: &Code, files: &[RegFile], file: File) -> u16 {
        let facts = &files[usize::from(file.0)];
        let borrowed = self.borrowed(files, file).len() as u32;
        let spare = u32::from(facts.keeps_spare(usize::from(facts.count)));
        let needed = self.known.pressure.most()[usize::from(file.0)]
            + borrowed
            + spare
            + closed_below(code, files, file);
        // What is asked for by number has to be within it as well.
        let needed = needed.max(self.asked[usize::from(file.0)].end() as u32);
        facts.step(needed.min(u32::from(facts.count)) as u16)
    }

    /// Units of a file in which units of others lie that are taken.
    fn borrowed(&self, files: &[RegFile], file: File) -> Vec<u16> {
        let mut borrowed = Vec::new();
        for (guest, taken) in files.iter().zip(&self.taken) {
            let Some(alias) = guest.alias.filter(|alias| alias.file == file) else { continue };
            borrowed.extend(taken.units().map(|unit| alias.unit(unit)));
        }
        borrowed.sort_unstable();
        borrowed.dedup();
        borrowed
    }

    /// Which units of a file values may have. Where it has no exchanges, the last of them that nobody asks for
    /// by number is kept aside to turn cycles.
    pub(super) fn allowed(
        &mut self,
        code: &Code,
        files: &[RegFile],
        file: File,
        limit: u16,
    ) -> Result<Vec<bool>, AllocateError> {
        let facts = &files[usize::from(file.0)];
        if let Some(to) = facts.spill_to.and_then(|to| files.get(usize::from(to.0)))
            && to.unit_bits < facts.unit_bits
        {
            return Err(AllocateError::Unfit { file, rule: "spills to smaller units" });
        }
        let mut allowed = code.open_units(files, file);
        allowed[usize::from(limit.min(facts.count))..].fill(false);
        self.borrowed(files, file).into_iter().for_each(|unit| allowed[usize::from(unit)] = false);
        if facts.keeps_spare(allowed.iter().filter(|&&free| free).count()) {
            let asked = &self.asked[usize::from(file.0)];
            let unasked = (0..allowed.len()).rev().find(|&unit| allowed[unit] && !asked.has(unit));
            let last = unasked.or_else(|| allowed.iter().rposition(|&free| free));
            let last = last.ok_or(AllocateError::Unfit { file, rule: "has no units" })?;
            allowed[last] = false;
            self.home.spare[usize::from(file.0)].register = Some(last as u16);
        }
        Ok(allowed)
    }

    /// Units of a spill file that slots may not have: those that the function does not leave,
    /// those with values of their own, those of files spilled before, what any instruction
    /// destroys, and, in lanes of another file, what that needs for itself.
    /// `squeeze` lends what the other needs all the same: then its values leave for memory.
    pub(super) fn closed(&self, code: &Code, files: &[RegFile], to: File, squeeze: bool) -> Vec<bool> {
        let facts = &files[usize::from(to.0)];
        let own = if has_own_values(code, to) { self.totals.used[usize::from(to.0)] } else { 0 };
        let host = facts.alias.map(|alias| (alias, self.unlent(code, files, alias.file, squeeze)));
        let closed = |unit: u16| {
            let destroyed = code.all_clobbers().any(|c| c.file == to && c.units.contains(&unit));
            let under = host.as_ref().is_some_and(|(alias, closed)| {
                closed.get(usize::from(alias.unit(unit))).copied().unwrap_or(true)
            });
            let free = code.is_free(files, to, unit) && unit >= own;
            !free || destroyed || under || self.taken[usize::from(to.0)].has(usize::from(unit))
        };
        (0..facts.count).map(closed).collect()
    }

    /// Units of a file that cannot be lent to another: what its values are expected to take, what
    /// an operand asks for by number, and what any instruction destroys.
    fn unlent(&self, code: &Code, files: &[RegFile], file: File, squeeze: bool) -> Vec<bool> {
        let count = files[usize::from(file.0)].count;
        let needed = if squeeze { 0 } else { self.known.pressure.most()[usize::from(file.0)] };
        let mut open = 0;
        let mut unlent: Vec<bool> = (0..count)
            .map(|unit| {
                let free = code.is_free(files, file, unit);
                open += u32::from(free);
                !free || open <= needed
            })
            .collect();
        for clobber in code.all_clobbers().filter(|clobber| clobber.file == file) {
            let end = usize::from(clobber.units.end).min(unlent.len());
            unlent[usize::from(clobber.units.start).min(end)..end].fill(true);
        }
        let asked = &self.asked[usize::from(file.0)];
        asked.units().for_each(|unit| unlent[usize::from(unit)] = true);
        unlent
    }
}

/// The units of each file that operands ask for by number.
pub(super) fn asked(code: &Code, files: &[RegFile], touches: &[Touches]) -> Vec<UnitSet> {
    let of_file = |(file, touches): (&RegFile, &Touches)| {
        let mut asked = UnitSet::default();
        let mut ask = |unit: u16, size: u16| {
            let end = unit.saturating_add(size).min(file.count);
            asked.add(usize::from(unit.min(end))..usize::from(end));
        };
        touches.bare.iter().for_each(|&(unit, size)| ask(unit, size));
        for &(value, offset, unit) in &touches.fixed {
            // From the value's first unit to the end of it.
            let size = code.value_data(value).size;
            ask(unit.saturating_sub(offset), size.saturating_sub(offset) + unit.min(offset));
        }
        asked
    };
    files.iter().zip(touches).map(of_file).collect()
}

fn has_own_values(code: &Code, file: File) -> bool {
    (0..code.value_count() as u32).any(|value| code.value_data(crate::Value(value)).file == file)
}

/// Units of a file that values may not have, below the last one that they may.
fn closed_below(code: &Code, files: &[RegFile], file: File) -> u32 {
    let open = code.open_units(files, file);
    let end = open.iter().rposition(|&open| open).map_or(0, |last| last + 1);
    open[..end].iter().filter(|&&open| !open).count() as u32
}
