//! Cycles by unit where every instruction counts, and what waits wait for: ours, beside Mesa's model, which
//! has no figures for half of the machine (spec 11.1, 11.2).

use crate::explain;
use crate::isa::Op;
use crate::isa::memory::Memory;

/// Tenths of a cycle: measured figures have one digit behind the point.
const TENTHS: u32 = 10;
/// Cycles of a unit for an instruction that nobody measured: simple units, and the one for complex
/// operations, which takes 32 lanes every four cycles [assumed].
pub const UNMEASURED: u32 = 1;
const UNMEASURED_COMPLEX: u32 = 4;

/// Sequences whose cycles were measured on M1 Max at full occupancy, in tenths of a cycle: their name at
/// metal-benchmarks, and code (spec 11.2, "Sequences", "Mixed").
pub const SEQUENCES: [(&str, &str, u32); 6] = [
    ("DIV32", "rcp r1, r0\nfmul32 r2, r1, r4\n", 60),
    ("SQRT32", "rsqrt r1, r0\nfmul32 r2, r1, r0\n", 80),
    ("FRACT32", "floor r1, r0\nfadd32 r2, r0, r1.neg\n", 40),
    ("IADD64", "iadd r4, r0, r2\nicmpsel ult, r6, r4, r0, r8, r9\niadd r5, r1, r3\niadd r5, r5, r6\n", 47),
    ("IMUL32 + bitrev", "imadd r2, r0, r1, 0\nbitrev r3, r4\n", 80),
    (
        "IMUL32 + 3 FMUL32",
        "imadd r2, r0, r1, 0\nfmul32 r3, r0, r1\nfmul32 r4, r0, r1\nfmul32 r5, r0, r1\n",
        52,
    ),
];

/// How far [`Cycles::longest`] is from them; `tests/measured.rs` computes it.
pub const ERROR: &str = "cycles of arithmetic are 0 to 23 percent below six sequences measured on M1 Max \
     [metal-benchmarks, spec 11.2]; latencies, memory, textures unmeasured";

/// Cycles that each operation keeps its unit busy, where no source has measured it (spec 21).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    /// A load, store or atomic.
    pub memory: u32,
    /// A texture or image operation.
    pub textures: u32,
    /// A varying, coverage, the tilebuffer.
    pub pixels: u32,
}

impl Default for Costs {
    /// One each: nothing is known but that it is issued.
    fn default() -> Costs {
        Costs { memory: 1, textures: 1, pixels: 1 }
    }
}

/// Sums over straight code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cycles {
    /// Floats, selects, simple integers, bits; in tenths of a cycle.
    simple: u32,
    /// Products of integers, functions, conversions; in tenths of a cycle.
    complex: u32,
    /// Loads, stores, atomics.
    pub memory: u32,
    /// Textures and images.
    pub textures: u32,
    /// Varyings, coverage, the tilebuffer.
    pub pixels: u32,
    /// Masks, branches, waits, ends.
    pub control: u32,
    /// Waits behind which a load is done, a store, a texture; several may be behind one.
    pub waits: [u32; 3],
    /// What is on its way, by slot and kind.
    on_way: [[bool; 3]; 2],
}

impl Cycles {
    /// Counts an instruction; the slot of a wait or of what is waited for.
    pub(crate) fn count(&mut self, op: Op, name: &str, unit: &str, slot: Option<u8>) {
        let tenths = |unmeasured: u32| explain::measured(name).unwrap_or(TENTHS * unmeasured);
        match op {
            Op::Memory(Memory::Wait) => {
                self.control += 1;
                let way = &mut self.on_way[usize::from(slot.unwrap_or(0) & 1)];
                for (count, was) in self.waits.iter_mut().zip(way.iter_mut()) {
                    *count += u32::from(std::mem::take(was));
                }
            }
            Op::Memory(_) => {
                self.memory += 1;
                let kind = usize::from(name.contains("store"));
                self.issue(slot, kind);
            }
            Op::Texture(_) => {
                self.textures += 1;
                self.issue(slot, 2);
            }
            Op::Graphics(_) => self.pixels += 1,
            Op::Control(_) => self.control += 1,
            _ if unit == "IC" || explain::is_complex(name) => self.complex += tenths(UNMEASURED_COMPLEX),
            _ => self.simple += tenths(UNMEASURED),
        }
    }

    fn issue(&mut self, slot: Option<u8>, kind: usize) {
        if let Some(slot) = slot {
            self.on_way[usize::from(slot & 1)][kind] = true;
        }
    }

    /// Whole cycles of the simple units.
    #[must_use]
    pub fn simple(&self) -> u32 {
        self.simple.div_ceil(TENTHS)
    }

    /// Whole cycles of the unit for complex operations.
    #[must_use]
    pub fn complex(&self) -> u32 {
        self.complex.div_ceil(TENTHS)
    }

    /// The unit that works longest: code is done no earlier. Each of the others gets an instruction a cycle.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.longest_at(Costs::default())
    }

    /// The same where the others take longer.
    #[must_use]
    pub fn longest_at(&self, costs: Costs) -> u32 {
        let others =
            [(self.memory, costs.memory), (self.textures, costs.textures), (self.pixels, costs.pixels)];
        let others = others.map(|(count, cost)| count.saturating_mul(cost));
        others.into_iter().fold(self.simple().max(self.complex()), u32::max)
    }
}
