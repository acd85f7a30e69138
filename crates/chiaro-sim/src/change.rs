//! Registers that are set in the middle of a run, for who looks at its steps.

use chiaro_num::{Encoding, F16};

/// A register that is set before a step of a wave, or of an invocation that goes alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// The wave, by its number among those whose steps are recorded.
    pub wave: usize,
    /// Before which of its recorded steps, from 0.
    pub step: usize,
    /// The register or one component of it, as steps spell it: `r0.x`, `v3`.
    pub register: String,
    /// The lane; without a meaning where lanes have the register in common.
    pub lane: usize,
    /// What it holds from now on.
    pub value: Given,
}

/// A value for a register whose form its machine knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// The bits; those of binary32 if it is a number.
    pub bits: u32,
    /// Whether it is meant as a number, in whatever form the register has numbers.
    pub is_number: bool,
}

impl Given {
    /// For a register of 32 bits that holds floats.
    #[must_use]
    pub fn float(self) -> u32 {
        self.bits
    }

    /// For half a register: a number is rounded to 16 bits.
    #[must_use]
    pub fn half(self) -> u32 {
        if self.is_number {
            F16.encode(f32::from_bits(self.bits).into(), Encoding::default())
        } else {
            self.bits & 0xffff
        }
    }

    /// For a register that holds whole numbers: what is behind the point is lost.
    #[must_use]
    pub fn int(self) -> u32 {
        if self.is_number { f32::from_bits(self.bits) as i32 as u32 } else { self.bits }
    }

    /// For a flag.
    #[must_use]
    pub fn truth(self) -> bool {
        if self.is_number { f32::from_bits(self.bits) != 0.0 } else { self.bits != 0 }
    }
}

/// The changes of a wave that are still to come, in the order of its steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    rest: Vec<Change>,
    /// Steps taken so far.
    taken: usize,
}

impl Changes {
    /// Those of a wave. Of two before the same step the later one of the list wins.
    #[must_use]
    pub fn of(all: &[Change], wave: usize) -> Changes {
        let mut rest: Vec<Change> = all.iter().filter(|change| change.wave == wave).cloned().collect();
        rest.sort_by_key(|change| change.step);
        Changes { rest, taken: 0 }
    }

    /// Whether none is to come.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is to be set before the next step, which is taken then.
    pub fn step(&mut self) -> Vec<Change> {
        let due = self.rest.partition_point(|change| change.step <= self.taken);
        self.taken += 1;
        self.rest.drain(..due).collect()
    }
}

/// A register's name taken apart, as letters, number and component: `r12.y`, `t[4].x`, `$3.w`, `v7`.
#[must_use]
pub fn apart(name: &str) -> Option<(&str, u16, Option<u16>)> {
    let (register, component) = match name.split_once('.') {
        Some((register, letter)) => {
            (register, Some("xyzw".find(letter).filter(|_| letter.len() == 1)? as u16))
        }
        None => (name, None),
    };
    let at = register.find(|c: char| c.is_ascii_digit() || c == '[')?;
    let (letters, number) = register.split_at(at);
    let number = match number.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']')?,
        None => number,
    };
    Some((letters, number.parse().ok()?, component))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_before_their_steps() {
        let change = |wave, step, bits| {
            let value = Given { bits, is_number: false };
            Change { wave, step, value, ..Change::default() }
        };
        let all = [change(0, 2, 7), change(1, 0, 8), change(0, 0, 9), change(0, 2, 10)];
        let mut changes = Changes::of(&all, 0);
        let mut bits = || changes.step().iter().map(|change| change.value.bits).collect::<Vec<_>>();
        assert_eq!([bits(), bits()], [vec![9], vec![]]);
        assert_eq!(bits(), [7, 10]);
        assert!(changes.is_empty());
    }

    #[test]
    fn values_take_the_form_of_their_register() {
        let number = Given { bits: 2.5f32.to_bits(), is_number: true };
        assert_eq!([number.half(), number.int()], [0x4100, 2]);
        let bits = Given { bits: 0x1_0007, is_number: false };
        assert_eq!([bits.float(), bits.half(), bits.int()], [0x1_0007, 7, 0x1_0007]);
        assert!(bits.truth() && !Given { bits: 1 << 31, is_number: true }.truth());
    }

    #[test]
    fn names_have_numbers_and_components() {
        assert_eq!(apart("r12.y"), Some(("r", 12, Some(1))));
        assert_eq!(apart("t[4].x"), Some(("t", 4, Some(0))));
        assert_eq!(apart("$3.w"), Some(("$", 3, Some(3))));
        assert_eq!(apart("v7"), Some(("v", 7, None)));
        for wrong in ["", "x", "r1.q", "r1.xy", "t[4", "r99999999"] {
            assert_eq!(apart(wrong), None, "{wrong}");
        }
    }
}
