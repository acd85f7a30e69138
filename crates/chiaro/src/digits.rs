//! Words of instructions as hexadecimal digits: numbers of 32 bits, or where a target's instructions are no multiples of
//! those, their bytes in the order of memory.

use chiaro_isa::{WORD_BITS, WORD_BYTES, Word};

use crate::Instructions;

/// Bytes that stand together where bytes are written in groups.
const GROUP: usize = 4;

/// Reads digits that somebody has split anywhere, with the number of bytes given.
///
/// # Errors
/// What is no digit, or more than any instruction has.
pub fn read(set: &dyn Instructions, words: &[String]) -> Result<(Word, usize), String> {
    if set.in_bytes() { bytes(&words.concat()) } else { join(words) }
}

/// So many bytes of a word as text: words, the lowest first, or bytes in a row.
#[must_use]
pub fn write(set: &dyn Instructions, word: &Word, bytes: usize) -> String {
    groups(set, &word.to_bytes()[..bytes.min(WORD_BYTES)]).join(if set.in_bytes() { "" } else { " " })
}

/// Bytes of code in groups: words, or a few bytes each.
#[must_use]
pub fn groups(set: &dyn Instructions, bytes: &[u8]) -> Vec<String> {
    match set.in_bytes() {
        true => bytes
            .chunks(GROUP)
            .map(|group| group.iter().map(|byte| format!("{byte:02x}")).collect())
            .collect(),
        false => chiaro_isa::dwords(bytes).map(|word| format!("{word:08x}")).collect(),
    }
}

/// Bytes in the order of memory.
fn bytes(text: &str) -> Result<(Word, usize), String> {
    let digits: String = text.trim_start_matches("0x").chars().filter(|&c| c != '_').collect();
    if digits.is_empty() || !digits.len().is_multiple_of(2) || !digits.bytes().all(|b| b.is_ascii_hexdigit())
    {
        return Err(format!("`{text}` is not hexadecimal bytes"));
    }
    let count = digits.len() / 2;
    if count > WORD_BYTES {
        return Err("these are more bytes than any instruction has".into());
    }
    let byte = |n: usize| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).unwrap_or(0);
    Ok((Word::load(&(0..count).map(byte).collect::<Vec<_>>()), count))
}

/// One word from several, low words first, with the number of bytes given.
///
/// A word has as many bits as its digits, rounded up to 32.
fn join(words: &[String]) -> Result<(Word, usize), String> {
    let (mut word, mut bits) = (Word::ZERO, 0);
    for text in words {
        let digits: String = text.trim_start_matches("0x").chars().filter(|&c| c != '_').collect();
        let width = digits.len().div_ceil(8) * 32;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(format!("`{text}` is not a hexadecimal word"));
        }
        if bits + width > usize::from(WORD_BITS) {
            return Err("these are more words than any instruction has".into());
        }
        for (i, digit) in digits.bytes().rev().enumerate() {
            let at = bits + i * 4;
            let value = u64::from(char::from(digit).to_digit(16).unwrap_or(0));
            word.0[at / 64] |= value << (at % 64);
        }
        bits += width;
    }
    Ok((word, bits / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_join_from_the_low_end() {
        let join = |text: &str| join(&text.split(' ').map(String::from).collect::<Vec<_>>());
        assert_eq!(join("4c010000 36f"), Ok((Word([0x0000_036f_4c01_0000, 0, 0]), 8)));
        assert_eq!(join("0x0000036f_4c010000"), Ok((Word([0x0000_036f_4c01_0000, 0, 0]), 8)));
        assert_eq!(join("1 2 3"), Ok((Word([0x2_0000_0001, 3, 0]), 12)));
        assert!(join("0x").is_err() && join("1 xyz").is_err() && join("1 2 3 4 5 6 7").is_err());
    }

    #[test]
    fn bytes_stand_in_the_order_of_memory() {
        assert_eq!(bytes("620401_00"), Ok((Word([0x0001_0462, 0, 0]), 4)));
        assert!(bytes("").is_err() && bytes("123").is_err() && bytes("xy").is_err());
        assert!(bytes(&"00".repeat(WORD_BYTES + 1)).is_err());
    }
}
