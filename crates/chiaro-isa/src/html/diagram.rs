//! The bits of one encoding as rows of 32, the highest first.

use super::escape;
use crate::decl::{Field, Role};
use crate::isa::Isa;
use std::fmt::Write;

/// Bits in a row.
const ROW: u8 = 32;

/// What a bit belongs to; neighbours that belong to the same make one cell.
#[derive(Clone, PartialEq)]
enum Owner {
    /// The opcode or a fixed bit.
    Fixed,
    /// Fields, by index in the format.
    Fields(Vec<usize>),
    /// Decides the length.
    Marker,
    /// Nothing that is known.
    Spare,
}

pub(super) fn write(isa: &Isa, form: u16, out: &mut String) {
    let bits = isa.forms[form as usize].format.length.longest().saturating_mul(8);
    let mut rest = bits;
    out.push_str("<div class=\"scroll\">\n");
    while rest > 0 {
        let row = (rest - 1) % ROW + 1;
        out.push_str("<div class=\"bits\">");
        cells(isa, form, rest - row, rest - 1, out);
        out.push_str("</div>\n");
        rest -= row;
    }
    out.push_str("</div>\n");
}

/// The cells of bits `low` to `high`.
fn cells(isa: &Isa, form: u16, low: u8, high: u8, out: &mut String) {
    let mut top = high;
    // A short row stands at the right.
    let mut column = ROW - (high - low);
    loop {
        let owner = owner(isa, form, top);
        let bottom = (low..=top).rev().take_while(|&bit| self::owner(isa, form, bit) == owner).last();
        let bottom = bottom.unwrap_or(top);
        cell(isa, form, &owner, &Place { low: bottom, high: top, column }, out);
        column += top - bottom + 1;
        if bottom == low {
            return;
        }
        top = bottom - 1;
    }
}

/// Which bits a cell shows, and where it stands in its row.
struct Place {
    low: u8,
    high: u8,
    column: u8,
}

fn cell(isa: &Isa, form: u16, owner: &Owner, place: &Place, out: &mut String) {
    let &Place { low, high, column } = place;
    let fields = isa.forms[form as usize].format.fields;
    let (class, label) = match owner {
        Owner::Fixed => {
            let (_, value) = isa.pattern(form);
            ("op", (low..=high).rev().map(|bit| if value.bit(bit) { '1' } else { '0' }).collect())
        }
        Owner::Fields(owners) => {
            let names: Vec<&str> = owners.iter().map(|&i| fields[i].name).collect();
            (style(&fields[owners[0]]), names.join(" "))
        }
        Owner::Marker => ("op", "length".to_owned()),
        Owner::Spare => ("spare", "-".to_owned()),
    };
    let range = if low == high { low.to_string() } else { format!("{high}:{low}") };
    let (span, label) = (high - low + 1, escape(&label));
    let _ = write!(
        out,
        "<span class=\"{class}\" style=\"grid-column:{column}/span {span}\" title=\"{label}, {range}\">\
         {label}<small>{range}</small></span>"
    );
}

fn owner(isa: &Isa, form: u16, bit: u8) -> Owner {
    let (mask, _) = isa.pattern(form);
    if mask.bit(bit) {
        return Owner::Fixed;
    }
    let fields = isa.forms[form as usize].format.fields.iter().enumerate();
    let owns = |f: &Field| !f.view && f.when.has(isa.generation) && f.bits.mask().bit(bit);
    let owners: Vec<usize> = fields.filter(|(_, f)| owns(f)).map(|(i, _)| i).collect();
    match owners.is_empty() {
        false => Owner::Fields(owners),
        true if isa.claimed(form).bit(bit) => Owner::Marker,
        true => Owner::Spare,
    }
}

fn style(field: &Field) -> &'static str {
    match field.role {
        Role::Def => "def",
        Role::Use => "use",
        Role::DefUse => "defuse",
        Role::Target => "target",
        Role::Modifier => "modifier",
    }
}
