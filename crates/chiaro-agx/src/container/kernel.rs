//! Kernels of Mesa's device library: a header of 44 bytes, then a compiled unit (spec 15.2).
//!
//! A unit is constants, the main program and the preamble in one allocation, each program at a multiple of
//! 128 bytes. There is no magic number: a kernel is what agrees with itself.

use std::cmp::Ordering;

use super::file::{File, Stage};
use super::{Error, Program};
use crate::regs::{GPR_HALVES, MOST_THREADS, UNIFORM_HALVES};

/// Bytes of the header.
pub const HEADER: usize = 44;
/// Programs begin at multiples of this.
const ALIGNED: usize = 128;

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kernel {
    /// Bytes from the start of the unit to the preamble; 0 without one.
    pub preamble_offset: u32,
    /// The same for the main program.
    pub main_offset: u32,
    /// Its bytes.
    pub main_size: u32,
    /// Constants: their place in the unit.
    pub constants_offset: u32,
    /// First half of uniforms that holds them.
    pub constants_first: u16,
    /// How many halves they are.
    pub constants_halves: u16,
    /// Halves of general registers.
    pub halves: u16,
    /// Those of the preamble; 0 is no preamble.
    pub preamble_halves: u16,
    /// Halves of uniforms that are pushed.
    pub pushed: u16,
    /// Threads of a workgroup.
    pub size: [u16; 3],
    /// Bytes of threadgroup memory.
    pub local: u16,
    /// Bytes of a sample of the imageblock.
    pub imageblock: u16,
    /// Whether it fetches texels.
    pub uses_txf: bool,
    /// The unit.
    pub unit: Vec<u8>,
}

impl Kernel {
    /// Reads a kernel; `None` if bytes are none.
    ///
    /// # Errors
    /// The unit is shorter than the header tells, which agrees with itself in all else.
    pub fn read(bytes: &[u8]) -> Result<Option<Kernel>, Error> {
        let Some((kernel, size)) = Kernel::head(bytes) else { return Ok(None) };
        let unit = &bytes[HEADER..];
        match unit.len().cmp(&size) {
            Ordering::Equal => Ok(Some(Kernel { unit: unit.to_vec(), ..kernel })),
            Ordering::Less => {
                let message = format!(
                    "the header of this kernel tells of {size} bytes behind it, and {} are there",
                    unit.len()
                );
                Err(Error::new(bytes.len(), message))
            }
            Ordering::Greater => Ok(None),
        }
    }

    /// Whether bytes begin as a kernel does that is whole, or of which the end is missing.
    #[must_use]
    pub fn begins(bytes: &[u8]) -> bool {
        Kernel::head(bytes).is_some_and(|(_, size)| bytes.len() - HEADER <= size)
    }

    /// A header without its unit, and the bytes of that; `None` if a field does not agree with the others.
    fn head(bytes: &[u8]) -> Option<(Kernel, usize)> {
        let header: &[u8; HEADER] = bytes.first_chunk()?;
        let long =
            |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        if header[40] > 1 || header[41..] != [0; 3] {
            return None;
        }
        let kernel = Kernel {
            preamble_offset: long(0),
            main_offset: long(4),
            main_size: long(8),
            constants_offset: long(16),
            constants_first: short(20),
            constants_halves: short(22),
            halves: short(24),
            preamble_halves: short(26),
            pushed: short(28),
            size: [short(30), short(32), short(34)],
            local: short(36),
            imageblock: short(38),
            uses_txf: header[40] == 1,
            unit: Vec::new(),
        };
        kernel.agrees(long(12)).then_some((kernel, long(12) as usize))
    }

    /// Whether places and numbers are within what a unit of some bytes has.
    fn agrees(&self, size: u32) -> bool {
        let ends = |first: u32, count: u64| u64::from(first) + count <= u64::from(size);
        let aligned = |place: u32| (place as usize).is_multiple_of(ALIGNED);
        let preamble =
            self.preamble_halves == 0 || aligned(self.preamble_offset) && ends(self.preamble_offset, 2);
        let threads = self.size.iter().fold(1u32, |all, n| all.saturating_mul((*n).into()));
        threads <= MOST_THREADS
            && self.main_size >= 2
            && self.main_size.is_multiple_of(2)
            && aligned(self.main_offset)
            && ends(self.main_offset, self.main_size.into())
            && ends(self.constants_offset, 2 * u64::from(self.constants_halves))
            && u32::from(self.constants_first) + u32::from(self.constants_halves) <= UNIFORM_HALVES.into()
            && (1..=GPR_HALVES).contains(&self.halves)
            && self.preamble_halves <= GPR_HALVES
            && self.pushed <= UNIFORM_HALVES
            && preamble
    }

    /// The kernel of a compute program of ours. What stands in uniforms and states the header does not say: whoever
    /// launches it knows.
    ///
    /// # Errors
    /// What the header has no place for, with what is allowed.
    pub fn of(file: &File) -> Result<Kernel, String> {
        if file.stage != Stage::Compute {
            return Err(format!(
                "a kernel is a compute program, and this one is of stage {}",
                file.stage.name()
            ));
        }
        let [main] = &file.parts[..] else {
            return Err(format!("a kernel has 1 part, and there are {}", file.parts.len()));
        };
        if main.scratch > 0 {
            return Err(format!("{} words of stack; the header of a kernel allows 0", main.scratch));
        }
        let fits = |what: &str, n: u32| {
            u16::try_from(n).map_err(|_| format!("{n} {what}; the header of a kernel allows {}", u16::MAX))
        };
        let [x, y, z] = file.size;
        let (first, constants) = in_one_run(&file.constants)?;
        let kernel = Kernel {
            constants_first: first,
            halves: main.halves,
            preamble_halves: file.preamble_halves,
            pushed: file.map().iter().map(|held| held.first + held.halves).max().unwrap_or(0),
            size: [fits("threads", x)?, fits("threads", y)?, fits("threads", z)?],
            local: fits("bytes of threadgroup memory", file.local)?,
            uses_txf: main.flags.uses_txf,
            ..Kernel::default()
        };
        Ok(kernel.with_unit(&constants, &file.code, &file.preamble))
    }

    /// The bytes of the file.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let longs = [self.preamble_offset, self.main_offset, self.main_size, self.unit.len() as u32];
        let mut bytes: Vec<u8> = longs.iter().flat_map(|n| n.to_le_bytes()).collect();
        bytes.extend(self.constants_offset.to_le_bytes());
        let [x, y, z] = self.size;
        let (first, count) = (self.constants_first, self.constants_halves);
        let shorts = [
            first,
            count,
            self.halves,
            self.preamble_halves,
            self.pushed,
            x,
            y,
            z,
            self.local,
            self.imageblock,
        ];
        bytes.extend(shorts.iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend([u8::from(self.uses_txf), 0, 0, 0]);
        bytes.extend(&self.unit);
        bytes
    }

    /// Puts constants, main program and preamble into the unit, and says in the header where they are.
    #[must_use]
    pub fn with_unit(mut self, constants: &[u8], main: &[u8], preamble: &[u8]) -> Kernel {
        let mut unit = constants.to_vec();
        let mut put = |code: &[u8]| {
            unit.resize(unit.len().next_multiple_of(ALIGNED), 0);
            let place = unit.len() as u32;
            unit.extend_from_slice(code);
            place
        };
        self.main_offset = put(main);
        self.main_size = main.len() as u32;
        self.preamble_offset = if preamble.is_empty() { 0 } else { put(preamble) };
        (self.constants_offset, self.constants_halves) = (0, constants.len().div_ceil(2) as u16);
        self.unit = unit;
        self
    }

    /// The main program and the preamble, where they stand in the file.
    #[must_use]
    pub fn programs(&self) -> Vec<Program> {
        let program = |name: &str, first: u32, end: usize, halves: u16| Program {
            stage: Some(Stage::Compute),
            halves: Some(halves),
            ..Program::new(name, HEADER + first as usize..HEADER + end)
        };
        let end = (self.main_offset + self.main_size) as usize;
        let mut all = vec![program("main", self.main_offset, end, self.halves)];
        if self.preamble_halves > 0 {
            let behind = self.preamble_offset < self.main_offset;
            let end = if behind { self.main_offset as usize } else { self.unit.len() };
            all.push(program("preamble", self.preamble_offset, end, self.preamble_halves));
        }
        all
    }

    /// The constants.
    #[must_use]
    pub fn constants(&self) -> &[u8] {
        let first = self.constants_offset as usize;
        self.unit.get(first..first + 2 * usize::from(self.constants_halves)).unwrap_or_default()
    }
}

/// Constants that follow one another in uniforms, as the one run that the header has a place for: its first half and
/// its bytes.
fn in_one_run(constants: &[(u16, Vec<u8>)]) -> Result<(u16, Vec<u8>), String> {
    let mut sorted: Vec<_> = constants.iter().filter(|(_, bytes)| !bytes.is_empty()).collect();
    sorted.sort_by_key(|(first, _)| *first);
    let start = sorted.first().map_or(0, |(first, _)| *first);
    let mut all = Vec::new();
    for (first, bytes) in sorted {
        if usize::from(first - start) * 2 != all.len() {
            return Err(format!(
                "constants in several runs, one from half {first} of uniforms; 1 is allowed"
            ));
        }
        all.extend_from_slice(bytes);
        all.resize(all.len().next_multiple_of(2), 0);
    }
    Ok((start, all))
}
