//! Results that come back later than the next instruction issues: what a machine says of them.
//!
//! A counter (RDNA's `vmcnt`), a flag on the reader (A3xx's `(ss)`) and a slot of a scoreboard
//! (AGX) are all a [`Queue`]: instructions leave something under way in it, and a wait lets at
//! most so many of them stay there.

use crate::code::{Code, Inst};
use crate::file::RegFile;
use crate::operand::Operand;
use crate::{Clobber, File};

/// What counts how much has not come back yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Queue {
    /// Its name in messages.
    pub name: &'static str,
    /// The most that a wait can leave under way; 0: a flag or slot, which waits for everything.
    pub limit: u16,
}

/// What registers of an instruction are not free before it comes back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Holds {
    /// Its definitions: neither read nor written before.
    Results,
    /// Its uses: not written before.
    Sources,
}

/// That an instruction is still under way when the next one issues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Where it counts: a place in [`Queues::queues`].
    pub queue: u8,
    /// What comes back in the order of issue has the same kind; one kind may overtake another.
    /// `None`: it comes back whenever it likes.
    pub kind: Option<u8>,
    /// What it keeps until then.
    pub holds: Holds,
}

/// How many of a queue may stay under way; `None`: nobody waits.
pub type Left = Option<u16>;

/// The asynchronous side of a machine.
pub trait Queues: Sync {
    /// What counts.
    fn queues(&self) -> &[Queue];

    /// What of an instruction stays under way. Counted once per queue, however often one is named.
    fn pending(&self, code: &Code, inst: Inst) -> &[Pending];

    /// Queues that have to be empty before it issues, whatever it touches, as bits: ends, calls,
    /// barriers.
    fn drains(&self, code: &Code, inst: Inst) -> u32 {
        let _ = (code, inst);
        0
    }

    /// What an instruction waits for before it issues, by queue: as [`set_waits`](Self::set_waits)
    /// has written it; an empty list where that is nothing.
    fn waits(&self, code: &Code, inst: Inst) -> Vec<Left>;

    /// Makes an instruction wait, one entry by queue: by bits of its own, or by an instruction that
    /// comes back and is put in front of it.
    fn set_waits(&self, code: &mut Code, inst: Inst, left: &[Left]) -> Option<Inst>;
}

/// A unit of storage: that of the file which a file lies in, where it has none of its own.
pub(crate) type Place = (File, u16);

/// The units of an instruction that something under way may hold, or that must be free.
#[derive(Default)]
pub(crate) struct Touched {
    /// Read.
    pub(crate) read: Vec<Place>,
    /// Written, or destroyed.
    pub(crate) written: Vec<Place>,
}

/// What an instruction touches.
pub(crate) fn touched(code: &Code, files: &[RegFile], inst: Inst) -> Touched {
    let mut touched = Touched::default();
    touched.find(code, files, inst);
    touched
}

impl Touched {
    /// Becomes what an instruction touches: one list serves many.
    pub(crate) fn find(&mut self, code: &Code, files: &[RegFile], inst: Inst) {
        let add = |list: &mut Vec<Place>, operands: &[Operand]| {
            list.clear();
            for operand in operands.iter().filter(|operand| operand.in_file()) {
                let range = operand.reg.map_or(0..0, |reg| reg..reg.saturating_add(operand.size));
                list.extend(units(files, operand.file, range));
            }
        };
        add(&mut self.read, code.uses(inst));
        add(&mut self.written, code.defs(inst));
        for Clobber { file, units: range } in code.clobbered(inst) {
            self.written.extend(units(files, *file, range.clone()));
        }
    }

    /// What stays held when an instruction goes under way.
    pub(crate) fn held(&self, holds: Holds) -> &[Place] {
        match holds {
            Holds::Results => &self.written,
            Holds::Sources => &self.read,
        }
    }
}

fn units(files: &[RegFile], file: File, range: std::ops::Range<u16>) -> impl Iterator<Item = Place> + use<> {
    let alias = files.get(usize::from(file.0)).and_then(|facts| facts.alias);
    range.map(move |unit| alias.map_or((file, unit), |alias| (alias.file, alias.unit(unit))))
}
