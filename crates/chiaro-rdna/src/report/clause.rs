//! Accesses that can stand in one clause: how many groups there are (spec sections 12.1, 14.2).

use super::inst::{Inst, Kind};
use super::shape::Shape;

/// Groups and their members.
#[derive(Clone, Copy, Default)]
pub(super) struct Groups {
    pub(super) groups: u32,
    pub(super) members: u32,
}

/// Groups of consecutive accesses of a kind; one belongs to a group if any member of it allows.
pub(super) fn count(all: &[Inst], shape: &Shape, kind: Kind) -> Groups {
    let (mut found, mut open): (Groups, Vec<&Inst>) = (Groups::default(), Vec::new());
    for (n, inst) in all.iter().enumerate() {
        if shape.begins(n) || inst.kind != kind || !inst.has_operands() {
            open.clear();
        }
        if inst.kind != kind || !inst.has_operands() {
            continue;
        }
        if !open.iter().any(|other| together(inst, other)) {
            found.groups += 1;
        }
        found.members += 1;
        open.push(inst);
    }
    found
}

/// Whether two accesses are likely to be near each other.
fn together(a: &Inst, b: &Inst) -> bool {
    if a.dword >> 26 != b.dword >> 26 || stores(a) != stores(b) {
        return false;
    }
    match a.kind {
        Kind::Smem => {
            let (x, y) = (a.dword & 63, b.dword & 63);
            let by_address =
                |inst: &Inst| inst.name.starts_with("s_load") || inst.name.starts_with("s_atc_probe");
            by_address(a) && by_address(b) || by_address(a) == by_address(b) && x == y
        }
        // By address: flat, global and scratch.
        _ if a.dword >> 26 == 0b110111 => a.dword >> 14 & 3 == b.dword >> 14 & 3,
        _ => a.second >> 16 & 31 == b.second >> 16 & 31,
    }
}

fn stores(inst: &Inst) -> bool {
    inst.writes.is_empty()
}
