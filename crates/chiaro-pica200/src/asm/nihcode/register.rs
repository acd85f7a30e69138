//! nihstro's single numbering of all registers.

use crate::regs::bank;

/// A run of register numbers that is one bank.
pub(super) struct Bank {
    pub(super) file: u8,
    /// What programs write in front of the number, or the whole name.
    pub(super) letter: &'static str,
    pub(super) first: i32,
    pub(super) count: i32,
}

/// nihstro's single numbering of all registers [nihstro]: a static index is added to
/// such a number, and may leave its bank.
pub(super) static BANKS: [Bank; 8] = [
    Bank { file: bank::INPUT, letter: "v", first: 0x00, count: 16 },
    Bank { file: bank::TEMP, letter: "r", first: 0x10, count: 16 },
    Bank { file: bank::FLOAT, letter: "c", first: 0x20, count: 96 },
    Bank { file: bank::OUTPUT, letter: "o", first: 0x80, count: 16 },
    Bank { file: bank::ADDRESS, letter: "a", first: ADDRESS, count: 3 },
    Bank { file: bank::FLAG, letter: "cc", first: 0x93, count: 1 },
    Bank { file: bank::INT, letter: "i", first: 0x94, count: 4 },
    Bank { file: bank::BOOL, letter: "b", first: 0x98, count: 16 },
];

/// The number of a0; a1 and lcnt follow.
pub(super) const ADDRESS: i32 = 0x90;

/// The number of a register that needs no declaration; `tool` asks for nihstro's names.
pub(super) fn builtin(name: &str, tool: bool) -> Option<i32> {
    match name {
        "cc" => return Some(0x93),
        "lcnt" => return Some(ADDRESS + 2),
        "aL" if !tool => return Some(ADDRESS + 2),
        "a2" => return None,
        _ => {}
    }
    let bank = BANKS.iter().find(|bank| bank.letter.len() == 1 && name.starts_with(bank.letter))?;
    let digits = &name[1..];
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    let number = digits.parse::<i32>().ok().filter(|n| plain && *n < bank.count)?;
    Some(bank.first + number)
}

/// The bank of a register number and the place in it. Numbers past the last bank belong
/// to it, as in nihstro; negative ones to none.
pub(super) fn place(number: i32) -> Option<(u8, i32)> {
    let bank = BANKS.iter().rev().find(|bank| number >= bank.first)?;
    Some((bank.file, number - bank.first))
}
