//! Numbers in operands: the codes of small constants, and literals.
//!
//! An operand's code says "constant 7" or "0.5" by itself; any other number is a dword
//! behind the instruction. LLVM prints a literal that equals a small constant like that
//! constant; here it is `lit(0x7)`, so that no listing loses a byte.

use chiaro_isa::{Cursor, Out};

/// Code that asks for a literal behind the instruction.
pub const LITERAL: u16 = 255;

/// What a number in an operand is taken as, which decides about its small constants and
/// the spelling of its literals (spec 3.1, 3.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// 32 bits, integer or float: the two are spelled alike.
    Word,
    /// A 16-bit integer: no float constants.
    Short,
    /// A 16-bit float.
    Half,
    /// Two 16-bit integers.
    Shorts,
    /// Two 16-bit floats.
    Halves,
    /// A 64-bit integer or mask: literals are extended with zeros.
    Long,
    /// A 64-bit float: a literal is its upper half.
    Double,
}

/// Codes that are no numbers, with their names.
const SOURCES: [(u16, &str); 9] = [
    (235, "src_shared_base"),
    (236, "src_shared_limit"),
    (237, "src_private_base"),
    (238, "src_private_limit"),
    (239, "src_pops_exiting_wave_id"),
    (251, "src_vccz"),
    (252, "src_execz"),
    (253, "src_scc"),
    (254, "src_lds_direct"),
];

/// Codes of floats: text, and bits as f16, f32 and f64.
const FLOATS: [(u16, &str, u16, u32, u64); 9] = [
    (240, "0.5", 0x3800, 0x3f00_0000, 0x3fe0_0000_0000_0000),
    (241, "-0.5", 0xb800, 0xbf00_0000, 0xbfe0_0000_0000_0000),
    (242, "1.0", 0x3c00, 0x3f80_0000, 0x3ff0_0000_0000_0000),
    (243, "-1.0", 0xbc00, 0xbf80_0000, 0xbff0_0000_0000_0000),
    (244, "2.0", 0x4000, 0x4000_0000, 0x4000_0000_0000_0000),
    (245, "-2.0", 0xc000, 0xc000_0000, 0xc000_0000_0000_0000),
    (246, "4.0", 0x4400, 0x4080_0000, 0x4010_0000_0000_0000),
    (247, "-4.0", 0xc400, 0xc080_0000, 0xc010_0000_0000_0000),
    (248, "0.15915494", 0x3118, 0x3e22_f983, 0x3fc4_5f30_6dc9_c882),
];

/// 1/(2 pi) as 64-bit operands spell it.
const INVERSE_TWO_PI: &str = "0.15915494309189532";

/// Whether a code from 128 on is a constant of any kind.
pub fn is_constant(code: u16) -> bool {
    matches!(code, 128..=208 | 235..=248 | 251..=254)
}

/// Whether a code stands for a number that takes no part in the limit of scalar reads.
pub fn is_number(code: u16) -> bool {
    matches!(code, 128..=208 | 240..=248)
}

/// The name of a code that is no number; empty for others.
pub fn name(code: u16) -> &'static str {
    SOURCES.iter().find(|(c, _)| *c == code).map_or("", |(_, name)| name)
}

/// The code of a name such as `src_scc`.
pub fn named(s: &mut Cursor<'_>) -> Option<u16> {
    let before = s.at();
    let word = s.take(|c| c.is_ascii_alphanumeric() || c == b'_')?;
    let found = SOURCES.iter().find(|(_, name)| *name == word);
    if found.is_none() {
        s.rewind(before);
    }
    found.map(|(code, _)| *code)
}

/// The integer that a code stands for.
pub fn integer(code: u16) -> Option<i64> {
    match code {
        128..=192 => Some(i64::from(code) - 128),
        193..=208 => Some(192 - i64::from(code)),
        _ => None,
    }
}

/// The code of a small integer.
pub fn code_of(n: i64) -> Option<u16> {
    match n {
        0..=64 => Some(128 + n as u16),
        -16..=-1 => Some((192 - n) as u16),
        _ => None,
    }
}

/// The bits of a float constant as an operand of this type reads it.
pub fn float_bits(code: u16, number: Number) -> Option<u64> {
    let (_, _, half, word, long) = FLOATS.iter().find(|(c, ..)| *c == code)?;
    Some(match number {
        Number::Half | Number::Halves => u64::from(*half),
        Number::Long | Number::Double => *long,
        _ => u64::from(*word),
    })
}

/// Appends a constant by its code.
pub fn print(code: u16, number: Number, out: &mut Out) {
    match integer(code) {
        Some(n) => out.push_int(n),
        None if code == 248 && matches!(number, Number::Long | Number::Double) => {
            out.push_str(INVERSE_TWO_PI);
        }
        None => match FLOATS.iter().find(|(c, ..)| *c == code) {
            Some((_, text, ..)) => out.push_str(text),
            None => out.push_str(name(code)),
        },
    }
}

impl Number {
    /// The code that an assembler takes for a number written as an integer, if there is one:
    /// small integers, and the bits of float constants where the operand is one [LLVM].
    pub fn code(self, n: i64) -> Option<u16> {
        code_of(self.narrowed(n)).or_else(|| {
            let bits = n as u64;
            let fits = |(_, _, half, word, long): &(u16, &str, u16, u32, u64)| match self {
                Number::Word => bits == u64::from(*word),
                Number::Half | Number::Halves => bits == u64::from(*half),
                Number::Long | Number::Double => bits == *long,
                Number::Short | Number::Shorts => false,
            };
            FLOATS.iter().find(|float| fits(float)).map(|(code, ..)| *code)
        })
    }

    /// A number as the operand's width has it, so that 0xfffffff0 is -16 in 32 bits.
    fn narrowed(self, n: i64) -> i64 {
        match self {
            Number::Long | Number::Double => n,
            Number::Word if u32::try_from(n).is_ok() => i64::from(n as u32 as i32),
            Number::Short | Number::Half | Number::Shorts | Number::Halves if u16::try_from(n).is_ok() => {
                i64::from(n as u16 as i16)
            }
            _ => n,
        }
    }

    /// The dword that holds a number written as an integer; `None` if none does.
    pub fn literal(self, n: i64) -> Option<u32> {
        let whole = u32::try_from(n).ok().or_else(|| i32::try_from(n).ok().map(|n| n as u32))?;
        match self {
            Number::Short | Number::Half if n < 0 => i16::try_from(n).ok().map(|n| u32::from(n as u16)),
            _ => Some(whole),
        }
    }

    /// What is to be said of a number that is neither a small constant nor a literal.
    pub fn refusal(self) -> &'static str {
        match self {
            Number::Double => {
                "a literal is the upper half of a double: a number that needs its lower half comes from two registers"
            }
            _ => "this number has no literal, which is 32 bits: load it into registers before",
        }
    }

    /// The code or dword of a number written as a float.
    pub fn float(self, x: f64) -> Option<Result<u16, u32>> {
        let value = |text: &str| text.parse::<f64>().unwrap_or(0.0);
        if let Some((code, ..)) = FLOATS[..8].iter().find(|(_, text, ..)| value(text) == x) {
            return Some(Ok(*code));
        }
        if x as f32 == f32::from_bits(0x3e22_f983) {
            return Some(Ok(248));
        }
        match self {
            Number::Word => Some(Err((x as f32).to_bits())),
            Number::Double => (x.to_bits() as u32 == 0).then_some(Err((x.to_bits() >> 32) as u32)),
            Number::Half | Number::Halves => {
                Some(Err(chiaro_num::F16.encode(x, chiaro_num::Encoding::default())))
            }
            Number::Short | Number::Shorts | Number::Long => None,
        }
    }

    /// Whether the plain spelling of a literal would be read as a small constant or another
    /// dword, so that it has to be asked for.
    pub fn is_ambiguous(self, literal: u32) -> bool {
        self.code(literal.into()).is_some()
            || self == Number::Double && FLOATS.iter().any(|f| f.4 == u64::from(literal) << 32)
    }
}
