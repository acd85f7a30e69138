//! The instruction word: 128 bits, and what each of them is called.
//!
//! One table says where every field stands and what it holds when its unit is idle; rows,
//! listings, checker and simulator all read it. spec section 3.

use chiaro_isa::{Bits, at};

use crate::regs::{NO_OFFSET, NO_STORE, UNUSED};

/// An instruction; bit 0 is bit 0 of the first of four little-endian 32-bit words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Word(pub u128);

/// Bytes of an instruction.
pub const BYTES: usize = 16;

impl Word {
    /// Every unit idle, every port unused: what all compilers write for "nothing".
    pub const IDLE: Word = idle();

    /// The instruction of four 32-bit words, the lowest first.
    #[must_use]
    pub const fn of(words: [u32; 4]) -> Word {
        let mut all = 0;
        let mut i = 4;
        while i > 0 {
            i -= 1;
            all = all << 32 | words[i] as u128;
        }
        Word(all)
    }

    /// Its four 32-bit words, the lowest first.
    #[must_use]
    pub const fn words(self) -> [u32; 4] {
        [self.0 as u32, (self.0 >> 32) as u32, (self.0 >> 64) as u32, (self.0 >> 96) as u32]
    }

    /// The instruction of its bytes in memory.
    #[must_use]
    pub const fn load(bytes: [u8; BYTES]) -> Word {
        Word(u128::from_le_bytes(bytes))
    }

    /// Its bytes in memory.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; BYTES] {
        self.0.to_le_bytes()
    }

    /// The value of a field.
    #[inline]
    #[must_use]
    pub const fn get(self, field: Field) -> u32 {
        (self.0 >> field.lo) as u32 & field.most()
    }

    /// The same word with another value in a field; higher bits of the value are dropped.
    #[inline]
    #[must_use]
    pub const fn with(self, field: Field, value: u32) -> Word {
        let cleared = self.0 & !((field.most() as u128) << field.lo);
        Word(cleared | ((value & field.most()) as u128) << field.lo)
    }
}

impl Word {
    /// The instruction that its branch leads to; `None` for an instruction without. The ninth bit
    /// is stored inverted. spec section 8.
    #[must_use]
    pub const fn target(self) -> Option<u32> {
        let high = 1 - self.get(TARGET_LOW);
        if self.get(BRANCH) == 1 { Some(high << 8 | self.get(TARGET)) } else { None }
    }

    /// The same word with another target.
    #[must_use]
    pub const fn with_target(self, target: u32) -> Word {
        self.with(TARGET, target & 255).with(TARGET_LOW, (target < 256) as u32)
    }
}

/// A field of the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name in listings.
    pub name: &'static str,
    /// Its lowest bit.
    pub lo: u8,
    /// How many bits.
    pub width: u8,
    /// What it holds where it is not used.
    pub idle: u32,
    /// What it says.
    pub doc: &'static str,
}

impl Field {
    /// The largest value.
    #[inline]
    #[must_use]
    pub const fn most(self) -> u32 {
        (1 << self.width) - 1
    }

    /// Its bits, for the rows.
    #[must_use]
    pub const fn bits(self) -> Bits {
        at(self.lo..=self.lo + self.width - 1)
    }
}

macro_rules! fields {
    ($($constant:ident $name:literal $lo:literal + $width:literal idle $idle:tt $doc:literal;)*) => {
        $(#[doc = $doc] pub const $constant: Field =
            Field { name: $name, lo: $lo, width: $width, idle: $idle, doc: $doc };)*
        /// Every field in the order of its bits; together they are the whole word.
        pub static FIELDS: &[Field] = &[$($constant),*];
        const fn idle() -> Word {
            let word = Word(0);
            $(let word = word.with($constant, $idle);)*
            word
        }
    };
}

fields! {
    MUL0_A "mul0_a" 0 + 5 idle UNUSED "Multiplier 0, operand A.";
    MUL0_B "mul0_b" 5 + 5 idle UNUSED "Multiplier 0, operand B.";
    MUL1_A "mul1_a" 10 + 5 idle UNUSED "Multiplier 1, operand A; C of a wide operation.";
    MUL1_B "mul1_b" 15 + 5 idle UNUSED "Multiplier 1, operand B; D of a wide operation.";
    MUL0_NEG "mul0_neg" 20 + 1 idle 0 "Negates the result of multiplier 0.";
    MUL1_NEG "mul1_neg" 21 + 1 idle 0 "Negates the result of multiplier 1.";
    ADD0_A "add0_a" 22 + 5 idle UNUSED "Adder 0, operand A.";
    ADD0_B "add0_b" 27 + 5 idle UNUSED "Adder 0, operand B.";
    ADD1_A "add1_a" 32 + 5 idle UNUSED "Adder 1, operand A.";
    ADD1_B "add1_b" 37 + 5 idle UNUSED "Adder 1, operand B.";
    ADD0_NEG_A "add0_neg_a" 42 + 1 idle 0 "Negates operand A of adder 0.";
    ADD0_NEG_B "add0_neg_b" 43 + 1 idle 0 "Negates operand B of adder 0.";
    ADD1_NEG_A "add1_neg_a" 44 + 1 idle 0 "Negates operand A of adder 1.";
    ADD1_NEG_B "add1_neg_b" 45 + 1 idle 0 "Negates operand B of adder 1.";
    LOAD_ADDRESS "load_address" 46 + 9 idle 0 "Load port 2: which vec4 of uniform memory.";
    LOAD_OFFSET "load_offset" 55 + 3 idle NO_OFFSET "Load port 2: the address register that is added; 7 is none.";
    PORT0_INDEX "port0_index" 58 + 4 idle 0 "Load port 0: which register or attribute.";
    PORT0_ATTRIBUTE "port0_attribute" 62 + 1 idle 0 "Load port 0: an attribute, not a register.";
    PORT1_INDEX "port1_index" 63 + 4 idle 0 "Load port 1: which register.";
    STORE0_TEMPORARY "store0_temporary" 67 + 1 idle 0 "Store half 0 writes a temporary.";
    STORE1_TEMPORARY "store1_temporary" 68 + 1 idle 0 "Store half 1 writes a temporary.";
    BRANCH "branch" 69 + 1 idle 0 "Branches if the pass unit's result is true.";
    TARGET_LOW "target_low" 70 + 1 idle 0 "The target is below 256.";
    STORE0_X "store0_x" 71 + 3 idle NO_STORE "The unit whose result goes to component x.";
    STORE0_Y "store0_y" 74 + 3 idle NO_STORE "The unit whose result goes to component y.";
    STORE1_Z "store1_z" 77 + 3 idle NO_STORE "The unit whose result goes to component z.";
    STORE1_W "store1_w" 80 + 3 idle NO_STORE "The unit whose result goes to component w.";
    ADD_OP "add_op" 83 + 3 idle 0 "Operation of both adders.";
    COMPLEX_OP "complex_op" 86 + 4 idle 0 "Operation of the complex unit.";
    STORE0_INDEX "store0_index" 90 + 4 idle 0 "Register or output that store half 0 writes.";
    STORE0_VARYING "store0_varying" 94 + 1 idle 0 "Store half 0 writes an output, not a register.";
    STORE1_INDEX "store1_index" 95 + 4 idle 0 "Register or output that store half 1 writes.";
    STORE1_VARYING "store1_varying" 99 + 1 idle 0 "Store half 1 writes an output, not a register.";
    MUL_OP "mul_op" 100 + 3 idle 0 "Operation of the pair of multipliers.";
    PASS_OP "pass_op" 103 + 3 idle 2 "Operation of the pass unit.";
    COMPLEX_A "complex_a" 106 + 5 idle UNUSED "Operand of the complex unit.";
    PASS_A "pass_a" 111 + 5 idle UNUSED "Operand of the pass unit.";
    UNKNOWN "unknown" 116 + 4 idle 0 "Not known: 0, 12 with a temporary store, 13 with a branch.";
    TARGET "target" 120 + 8 idle 0 "Low 8 bits of the branch's target.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_the_whole_word() {
        let mut next = 0;
        for field in FIELDS {
            assert_eq!(field.lo, next, "{}", field.name);
            next += field.width;
        }
        assert_eq!(next, 128);
    }

    #[test]
    fn the_idle_word_is_the_one_that_compilers_write() {
        assert_eq!(Word::IDLE.words(), [0xad4a_d6b5, 0x0380_02b5, 0x0007_ff80, 0x000a_d500]);
    }
}
