//! The numbers by which uniform tables name registers (spec section 18.8). [3dbrew], [picasso]

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A register as the uniform table of a DVLE names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UniformRegister {
    /// v0..v15, numbers 0x00-0x0F.
    Input(u8),
    /// c0..c95, numbers 0x10-0x6F.
    Float(u8),
    /// i0..i3, numbers 0x70-0x73.
    Int(u8),
    /// b0..b15, numbers 0x78-0x87.
    Bool(u8),
}

/// A bank of registers and the numbers that stand for it.
struct Bank {
    letter: char,
    numbers: RangeInclusive<u16>,
    register: fn(u8) -> UniformRegister,
}

const BANKS: [Bank; 4] = [
    Bank { letter: 'v', numbers: 0x00..=0x0f, register: UniformRegister::Input },
    Bank { letter: 'c', numbers: 0x10..=0x6f, register: UniformRegister::Float },
    Bank { letter: 'i', numbers: 0x70..=0x73, register: UniformRegister::Int },
    Bank { letter: 'b', numbers: 0x78..=0x87, register: UniformRegister::Bool },
];

impl UniformRegister {
    /// The register with this number in a uniform entry; `None` between and behind the banks.
    pub fn from_number(number: u16) -> Option<UniformRegister> {
        let bank = BANKS.iter().find(|bank| bank.numbers.contains(&number))?;
        Some((bank.register)((number - bank.numbers.start()) as u8))
    }

    /// The number for a uniform entry. An index past its bank gives a number past the bank.
    pub fn number(self) -> u16 {
        self.bank().numbers.start() + u16::from(self.index())
    }

    /// Number within the bank.
    pub fn index(self) -> u8 {
        match self {
            Self::Input(n) | Self::Float(n) | Self::Int(n) | Self::Bool(n) => n,
        }
    }

    /// Registers in the bank.
    pub fn bank_size(self) -> u16 {
        let numbers = &self.bank().numbers;
        numbers.end() - numbers.start() + 1
    }

    /// The letter that assemblers use for the bank.
    pub fn letter(self) -> char {
        self.bank().letter
    }

    fn bank(self) -> &'static Bank {
        &BANKS[match self {
            Self::Input(_) => 0,
            Self::Float(_) => 1,
            Self::Int(_) => 2,
            Self::Bool(_) => 3,
        }]
    }
}

impl fmt::Display for UniformRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter(), self.index())
    }
}

/// The text is no register that a uniform table can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParseRegisterError;

impl std::error::Error for ParseRegisterError {}

impl fmt::Display for ParseRegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected one of v0..v15, c0..c95, i0..i3, b0..b15")
    }
}

impl FromStr for UniformRegister {
    type Err = ParseRegisterError;

    /// Reads `c4` and the like.
    fn from_str(text: &str) -> Result<UniformRegister, ParseRegisterError> {
        let mut chars = text.chars();
        let letter = chars.next().ok_or(ParseRegisterError)?;
        let digits = chars.as_str();
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let bank = BANKS.iter().find(|bank| bank.letter == letter).ok_or(ParseRegisterError)?;
        let index: u8 = digits.parse().ok().filter(|_| plain).ok_or(ParseRegisterError)?;
        let register = (bank.register)(index);
        if u16::from(index) < register.bank_size() { Ok(register) } else { Err(ParseRegisterError) }
    }
}
