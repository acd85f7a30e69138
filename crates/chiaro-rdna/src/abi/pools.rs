//! The two register files, spans and runs of their registers, and who keeps them.

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
