//! How to simulate: the two numeric modes, and a named option for everything
//! that public sources leave open (spec section 26).

use chiaro_num::Rounding;
use chiaro_sim::{Assumption, FloatEnv};

/// What numbers registers hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// binary32 with the rule that zero times infinity is zero, as today's
    /// emulators compute. \[azahar]
    #[default]
    Emu32,
    /// float24 with the rules of spec section 5: what the console is expected to
    /// compute.
    Hw24,
}

/// Order of the additions in dot products. \[unknown]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SumOrder {
    /// From the left, starting at 0. [azahar, interpreter]
    #[default]
    Left,
    /// (x + y) + (z + w). [azahar, x64 code]
    Pairs,
}

/// MOVA of values that no integer of 32 bits holds. \[unknown]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum AddressRange {
    /// -2^31, as x86 converts. \[azahar]
    #[default]
    X86,
    /// The nearest integer of 32 bits, 0 for NaN.
    Saturate,
}

/// The comparisons 6 and 7 of CMP.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ReservedCompare {
    /// Always true. \[3dbrew] \[Panda3DS]
    #[default]
    True,
    /// Always false.
    False,
    /// The flag stays. \[azahar]
    Unchanged,
}

/// Execution behind the last word. \[unknown]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PastEnd {
    /// Words of zero up to word 4095, which ends the program. \[azahar]
    #[default]
    ZeroWords,
    /// A fault.
    Fault,
}

/// Everything that a simulation depends on besides program and data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Number format.
    pub mode: Mode,
    /// float24 results are rounded to nearest even; else toward zero. \[unknown]
    pub rounds_to_nearest: bool,
    /// Dot products.
    pub sum_order: SumOrder,
    /// Mantissa bits that RCP, RSQ, EX2 and LG2 get right, 1 to 23; those below
    /// are zero. \[unknown]
    pub estimate_bits: u8,
    /// float24 MAX, MIN, SGE, SLT and MOV flush subnormal operands. Known to be
    /// false for MAX. [gpu-tests]
    pub choices_flush: bool,
    /// MOVA out of range.
    pub address_range: AddressRange,
    /// Bits of aL; 32 never wraps in practice. \[unknown]
    pub loop_counter_bits: u8,
    /// Reserved comparisons.
    pub reserved_compare: ReservedCompare,
    /// LITP sets its flags for exactly zero. \[3dbrew]
    pub litp_zero: bool,
    /// What temporaries, outputs and inputs hold at the start, as binary32 bits.
    /// \[unknown]
    pub start_value: u32,
    /// Behind the last word.
    pub past_end: PastEnd,
    /// Words that one vertex may execute before it is stopped with a fault.
    pub fuel: u32,
    /// A geometry program with this output mask.
    pub geometry: Option<u16>,
    /// Which engine runs the micro-ops.
    pub engine: EngineChoice,
}

/// Which engine runs the micro-ops; all give the same results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EngineChoice {
    /// The batch engine, in its fastest compilation for this processor.
    #[default]
    Batch,
    /// The batch engine as compiled for any processor.
    Portable,
    /// The reference evaluator, lane by lane.
    Scalar,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::Emu32,
            rounds_to_nearest: true,
            sum_order: SumOrder::Left,
            estimate_bits: 23,
            choices_flush: false,
            address_range: AddressRange::X86,
            loop_counter_bits: 32,
            reserved_compare: ReservedCompare::True,
            litp_zero: true,
            start_value: 0,
            past_end: PastEnd::ZeroWords,
            fuel: 1 << 20,
            geometry: None,
            engine: EngineChoice::Batch,
        }
    }
}

/// All assumptions.
pub static ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        name: "rounding",
        values: "nearest truncate",
        about: "hw24: direction in which results are rounded to float24; no source says",
    },
    Assumption {
        name: "sum-order",
        values: "left pairs",
        about: "order of additions in dot products: azahar's interpreter goes from the left, its x64 code in pairs",
    },
    Assumption {
        name: "estimate-bits",
        values: "23 N",
        about: "mantissa bits that rcp, rsq, ex2 and lg2 get right, 1 to 23; no source says",
    },
    Assumption {
        name: "choices-flush",
        values: "false true",
        about: "hw24: max, min, sge, slt and mov flush subnormal operands; max was seen not to",
    },
    Assumption {
        name: "address-range",
        values: "x86 saturate",
        about: "mova of values beyond 32-bit integers: azahar converts as the host does",
    },
    Assumption {
        name: "loop-counter-bits",
        values: "32 N",
        about: "width of aL, 8 to 32; azahar lets it grow, the index rule drops it past 127",
    },
    Assumption {
        name: "reserved-compare",
        values: "true false unchanged",
        about: "comparisons 6 and 7: 3dbrew and Panda3DS say true, azahar leaves the flag",
    },
    Assumption {
        name: "litp-zero",
        values: "true false",
        about: "litp sets its flags for exactly zero; 3dbrew says >=, nobody tested",
    },
    Assumption {
        name: "start-value",
        values: "0 0xN",
        about: "registers at the start, as binary32 bits; azahar keeps those of the last run, its tests start from 0",
    },
    Assumption {
        name: "past-end",
        values: "zero fault",
        about: "behind the last word: azahar runs zero words and ends at word 4095",
    },
    Assumption {
        name: "fuel",
        values: "1048576 N",
        about: "words that one vertex may execute before it is stopped (a limit of ours)",
    },
];

impl Config {
    /// The bits that aL has.
    pub(crate) fn counter_mask(&self) -> u32 {
        u32::MAX >> (32 - self.loop_counter_bits.clamp(1, 32))
    }

    /// Sets an assumption by its name.
    ///
    /// # Errors
    /// A sentence that says which names or values there are.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let known = match name {
            "rounding" => pick(value, &[("nearest", true), ("truncate", false)], &mut self.rounds_to_nearest),
            "sum-order" => {
                pick(value, &[("left", SumOrder::Left), ("pairs", SumOrder::Pairs)], &mut self.sum_order)
            }
            "estimate-bits" => number(value, 1..=23).map(|n| self.estimate_bits = n as u8),
            "choices-flush" => pick(value, &BOOLS, &mut self.choices_flush),
            "address-range" => pick(
                value,
                &[("x86", AddressRange::X86), ("saturate", AddressRange::Saturate)],
                &mut self.address_range,
            ),
            "loop-counter-bits" => number(value, 8..=32).map(|n| self.loop_counter_bits = n as u8),
            "reserved-compare" => pick(
                value,
                &[
                    ("true", ReservedCompare::True),
                    ("false", ReservedCompare::False),
                    ("unchanged", ReservedCompare::Unchanged),
                ],
                &mut self.reserved_compare,
            ),
            "litp-zero" => pick(value, &BOOLS, &mut self.litp_zero),
            "start-value" => number(value, 0..=u32::MAX).map(|n| self.start_value = n),
            "past-end" => {
                pick(value, &[("zero", PastEnd::ZeroWords), ("fault", PastEnd::Fault)], &mut self.past_end)
            }
            "fuel" => number(value, 1..=u32::MAX).map(|n| self.fuel = n),
            _ => return Err(unknown_name(name)),
        };
        known.ok_or_else(|| {
            let values = ASSUMPTIONS.iter().find(|a| a.name == name).map_or("", |a| a.values);
            format!("`{name}` cannot be `{value}`; possible: {}", values.replace(' ', ", "))
        })
    }

    /// The float environment of the mode.
    #[must_use]
    pub fn env(&self) -> FloatEnv {
        match self.mode {
            Mode::Emu32 => FloatEnv::PICA_EMU32,
            Mode::Hw24 if self.rounds_to_nearest => FloatEnv::pica_hw24(Rounding::NearestEven),
            Mode::Hw24 => FloatEnv::pica_hw24(Rounding::TowardZero),
        }
    }
}

const BOOLS: [(&str, bool); 2] = [("false", false), ("true", true)];

fn unknown_name(name: &str) -> String {
    let names: Vec<&str> = ASSUMPTIONS.iter().map(|a| a.name).collect();
    format!("there is no option `{name}`; there are {}", names.join(", "))
}

fn pick<T: Copy>(value: &str, values: &[(&str, T)], to: &mut T) -> Option<()> {
    let (_, found) = values.iter().find(|(name, _)| *name == value)?;
    *to = *found;
    Some(())
}

fn number(value: &str, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
    let parsed = match value.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => value.parse(),
    };
    parsed.ok().filter(|n| range.contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_can_be_set_by_name() {
        for assumption in ASSUMPTIONS {
            let mut config = Config::default();
            let default = assumption.values.split(' ').next().unwrap();
            config.set(assumption.name, default).unwrap();
            assert_eq!(config, Config::default(), "{}", assumption.name);
            assert!(config.set(assumption.name, "no such value").is_err());
        }
        assert!(Config::default().set("colour", "red").unwrap_err().contains("rounding"));
    }
}
