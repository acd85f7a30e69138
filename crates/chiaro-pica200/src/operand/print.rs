//! Registers, masks and selectors as text.

use super::{INDEX, PICASSO};
use crate::regs::{ALL, BANKS, bank, selected};
use chiaro_isa::{Cx, Out, Reg};

/// Appends the register's name or number, and its index.
pub(super) fn print_indexed(r: Reg, out: &mut Out, cx: &Cx) {
    let offset = match name_of(r, cx) {
        Some((name, offset)) => {
            out.push_str(name);
            offset
        }
        // picasso refuses v15 by name, but takes it through a static index.
        None if r.file == bank::INPUT && r.index == 15 && cx.dialect == PICASSO => {
            return out.push_str("v14[1]");
        }
        None => {
            print_register(r, out);
            None
        }
    };
    let index = INDEX[usize::from(r.indexed & 3)];
    if index.is_empty() && offset.is_none() {
        return;
    }
    out.push('[');
    out.push_str(index);
    match offset {
        Some(n) if index.is_empty() => out.push_int(n.into()),
        Some(n) if n > 0 => {
            out.push('+');
            out.push_int(n.into());
        }
        _ => {}
    }
    out.push(']');
}

/// The name that the listing declares for a register.
fn name_of<'a>(r: Reg, cx: &Cx<'a>) -> Option<(&'a str, Option<u16>)> {
    cx.symbols.filter(|_| cx.dialect == PICASSO)?.register(r.file, r.index)
}

/// Appends bank letter and number.
pub fn print_register(r: Reg, out: &mut Out) {
    out.push(BANKS[usize::from(r.file).min(BANKS.len() - 1)].letter as char);
    out.push_int(r.index.into());
}

/// Appends `.xyz` for a write mask (x in bit 3), nothing for a full one.
pub(super) fn print_mask(mask: u16, out: &mut Out) {
    if mask == ALL {
        return;
    }
    out.push('.');
    for (i, c) in "xyzw".chars().enumerate() {
        if mask >> (3 - i) & 1 == 1 {
            out.push(c);
        }
    }
    if mask == 0 {
        out.push('_');
    }
}

/// Appends a selector; trailing repetitions are left out.
pub(super) fn print_selector(selector: u16, out: &mut Out) {
    out.push('.');
    let last = selected(selector, 3);
    let used = (0..3).rev().find(|&i| selected(selector, i) != last).map_or(1, |i| i + 2);
    for i in 0..used {
        out.push(b"xyzw"[selected(selector, i) as usize] as char);
    }
}
