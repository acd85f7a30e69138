//! Register files divided among callers and callees (spec 18.3).

use super::convention::{Convention, Keeping};

/// Something of both register files.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Files<T> {
    /// Of the scalars.
    pub sgpr: T,
    /// Of the vector registers.
    pub vgpr: T,
}

/// One of the two register files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum File {
    /// Scalars, which the wave has once.
    Sgpr,
    /// Registers with a value for each lane.
    Vgpr,
}

impl File {
    /// Both.
    pub const BOTH: [File; 2] = [File::Sgpr, File::Vgpr];

    /// The letter of its registers.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            File::Sgpr => 's',
            File::Vgpr => 'v',
        }
    }

    /// Its name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            File::Sgpr => "sgpr",
            File::Vgpr => "vgpr",
        }
    }
}

impl<T> Files<T> {
    /// What is said of one file.
    pub fn of(&self, file: File) -> &T {
        match file {
            File::Sgpr => &self.sgpr,
            File::Vgpr => &self.vgpr,
        }
    }

    /// What is said of one file, to be changed.
    pub fn of_mut(&mut self, file: File) -> &mut T {
        match file {
            File::Sgpr => &mut self.sgpr,
            File::Vgpr => &mut self.vgpr,
        }
    }

    /// The same question asked of both files.
    pub fn each(mut ask: impl FnMut(File) -> T) -> Files<T> {
        Files { sgpr: ask(File::Sgpr), vgpr: ask(File::Vgpr) }
    }
}

/// Registers from the first to the last, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The first.
    pub first: u16,
    /// The last.
    pub last: u16,
}

impl Span {
    /// Whether a register is one of them.
    #[must_use]
    pub fn has(self, register: u16) -> bool {
        (self.first..=self.last).contains(&register)
    }

    /// How many there are.
    #[must_use]
    pub fn count(self) -> u16 {
        self.last + 1 - self.first
    }
}

/// Who keeps a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pool {
    /// The callee may leave anything in it.
    Clobbered,
    /// It is after the call what it was before.
    Preserved,
}

impl Pool {
    /// Its name in files and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Pool::Clobbered => "clobbered",
            Pool::Preserved => "preserved",
        }
    }
}

/// Runs of both kinds in turns, until the file is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Registers of a clobbered run; 0 for none.
    pub clobbered: Files<u16>,
    /// Registers of a preserved run; 0 for none.
    pub preserved: Files<u16>,
    /// Which comes first.
    pub clobbered_first: bool,
}

/// Who keeps each register of each file, by its number.
pub type Partition = Files<Vec<Pool>>;

/// The partition of a convention. A convention that keeps nothing has clobbered registers alone.
#[must_use]
pub fn partition(convention: &Convention) -> Partition {
    Files::each(|file| {
        let limit = *convention.limit.of(file);
        match &convention.keeping {
            Keeping::Blocks(block) => blocks(block, file, limit),
            Keeping::Nothing => vec![Pool::Clobbered; limit.into()],
            Keeping::Ranges(kept) => {
                let is_kept = |n: u16| kept.of(file).iter().any(|span| span.has(n));
                (0..limit).map(|n| if is_kept(n) { Pool::Preserved } else { Pool::Clobbered }).collect()
            }
        }
    })
}

/// One file, run by run. Where neither kind has a size nobody keeps anything.
fn blocks(block: &Block, file: File, limit: u16) -> Vec<Pool> {
    let clobbered = (Pool::Clobbered, *block.clobbered.of(file));
    let preserved = (Pool::Preserved, *block.preserved.of(file));
    let turns = if block.clobbered_first { [clobbered, preserved] } else { [preserved, clobbered] };
    if turns.iter().all(|(_, size)| *size == 0) {
        return vec![Pool::Clobbered; limit.into()];
    }
    let runs = turns.into_iter().cycle().flat_map(|(pool, size)| std::iter::repeat_n(pool, size.into()));
    runs.take(limit.into()).collect()
}

/// The registers of one file as runs, each as long as can be.
#[must_use]
pub fn runs(pools: &[Pool]) -> Vec<(Pool, Span)> {
    let mut runs: Vec<(Pool, Span)> = Vec::new();
    for (n, pool) in (0..).zip(pools) {
        match runs.last_mut() {
            Some((of, span)) if of == pool => span.last = n,
            _ => runs.push((*pool, Span { first: n, last: n })),
        }
    }
    runs
}
