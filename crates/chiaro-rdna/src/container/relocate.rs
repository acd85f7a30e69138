//! Relocations filled in, as a loader does it (spec 19.2).

use std::collections::BTreeMap;

use chiaro_sim::mapped::put;

use super::{
    ABS32, ABS32_HI, ABS32_LO, ABS64, CodeObject, GOTPCREL, GOTPCREL32_HI, GOTPCREL32_LO, REL16, REL32,
    REL32_HI, REL32_LO, REL64, Relocation, Section, Symbol,
};

/// Code and constants of an object whose parts lie at these addresses. Addresses that code looks up
/// stand behind the constants.
pub(crate) fn link(object: &CodeObject, code: u64, constants: u64) -> (Vec<u8>, Vec<u8>) {
    let (mut text, mut rodata) = (object.text.clone(), object.rodata.clone());
    let symbols: BTreeMap<&str, &Symbol> = object.symbols.iter().map(|s| (s.name.as_str(), s)).collect();
    let mut table: BTreeMap<&str, u64> = BTreeMap::new();
    for place in &object.relocations {
        let Some(symbol) = symbols.get(place.symbol.as_str()) else { continue };
        let target = match symbol.section {
            Section::Text => code.wrapping_add(symbol.value),
            Section::Rodata => constants.wrapping_add(symbol.value),
            Section::Undefined => continue,
        };
        let by_table = matches!(place.kind, GOTPCREL | GOTPCREL32_LO | GOTPCREL32_HI);
        let target = if by_table {
            *table
                .entry(&place.symbol)
                .or_insert_with(|| constants.wrapping_add(look_up(&mut rodata, target)))
        } else {
            target
        };
        let (base, bytes) = match place.section {
            Section::Text => (code, &mut text[..]),
            _ => (constants, &mut rodata[..object.rodata.len()]),
        };
        fill(place, target.wrapping_add(place.addend as u64), base.wrapping_add(place.offset), bytes);
    }
    (text, rodata)
}

/// Puts an address behind the constants; where it stands.
fn look_up(rodata: &mut Vec<u8>, address: u64) -> u64 {
    rodata.resize(rodata.len().next_multiple_of(8), 0);
    rodata.extend_from_slice(&address.to_le_bytes());
    rodata.len() as u64 - 8
}

/// Writes a place from the address that it names; what lies outside of the section, or is of another kind, is left.
pub(crate) fn fill(place: &Relocation, target: u64, from: u64, bytes: &mut [u8]) {
    let distance = target.wrapping_sub(from);
    let (value, size) = match place.kind {
        ABS64 => (target, 8),
        REL64 => (distance, 8),
        ABS32 | ABS32_LO => (target, 4),
        ABS32_HI => (target >> 32, 4),
        REL32 | REL32_LO | GOTPCREL | GOTPCREL32_LO => (distance, 4),
        REL32_HI | GOTPCREL32_HI => (distance >> 32, 4),
        REL16 => (distance.wrapping_sub(4) >> 2, 2),
        _ => return,
    };
    let at = usize::try_from(place.offset).unwrap_or(usize::MAX);
    if let Some(room) = at.checked_add(size).and_then(|end| bytes.get_mut(at..end)) {
        put(value, room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::{SymbolKind, Visibility};

    #[test]
    fn every_kind_is_filled_in() {
        let symbol = |name: &str, section, value| Symbol {
            name: name.to_owned(),
            section,
            value,
            size: 0,
            kind: SymbolKind::None,
            global: true,
            visibility: Visibility::Default,
        };
        let at = |section, offset, kind, symbol: &str, addend| Relocation {
            section,
            offset,
            kind,
            symbol: symbol.to_owned(),
            addend,
        };
        let object = CodeObject {
            text: vec![0; 40],
            rodata: vec![0; 16],
            symbols: vec![symbol("f", Section::Text, 8), symbol("c", Section::Rodata, 4)],
            relocations: vec![
                at(Section::Text, 0, REL32_LO, "c", 4),
                at(Section::Text, 4, REL32_HI, "c", 0),
                at(Section::Text, 8, GOTPCREL32_LO, "f", 0),
                at(Section::Text, 12, GOTPCREL32_HI, "f", 0),
                at(Section::Text, 16, REL16, "f", 0),
                at(Section::Rodata, 0, ABS64, "f", 1),
                at(Section::Rodata, 8, REL64, "f", 0),
                at(Section::Rodata, 12, ABS64, "f", 0),
                at(Section::Text, 24, 99, "f", 0),
                at(Section::Text, 32, ABS32_HI, "c", 0),
                at(Section::Text, 36, ABS32, "c", 0),
                at(Section::Text, 24, ABS64, "missing", 0),
            ],
            ..CodeObject::default()
        };
        let (text, rodata) = link(&object, 0x1000, 0x2_0000_0000);
        let dword = |n: usize| u32::from_le_bytes(text[n..n + 4].try_into().unwrap());
        let quad = |n: usize| u64::from_le_bytes(rodata[n..n + 8].try_into().unwrap());
        assert_eq!([0, 4].map(dword), [0xffff_f008, 1]);
        assert_eq!([8, 12].map(dword), [0xffff_f008, 1]);
        assert_eq!([16, 24, 28].map(dword), [0xfffd, 0, 0]);
        assert_eq!([32, 36].map(dword), [2, 4]);
        assert_eq!([0, 8].map(quad), [0x1009, 0xffff_fffe_0000_1000]);
        assert_eq!((rodata.len(), quad(16)), (24, 0x1008));
    }
}
