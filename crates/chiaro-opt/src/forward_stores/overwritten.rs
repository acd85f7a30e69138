//! Dead store elimination: drops a store that a later store of its block overwrites before
//! anything may read the place.

use super::place::{Place, Places};
use chiaro_ir::{Effect, Function, Inst, Module, Op};

/// Removes them from a block's list. Whether there were any.
pub(super) fn remove(module: &Module, f: &Function, places: &Places, list: &mut Vec<Inst>) -> bool {
    let stores = list.iter().filter(|&&inst| f.op(inst) == Op::Store).count();
    if stores < 2 {
        return false;
    }
    // Places that will be written before they are read, from the end of the block.
    let mut covered: Vec<Place> = Vec::new();
    let mut dead = vec![false; list.len()];
    for (i, &inst) in list.iter().enumerate().rev() {
        let op = f.op(inst);
        match op {
            _ if f.inst(inst).flags.volatile => covered.clear(),
            Op::Store => match places.of(module, f, f.args(inst)[0]) {
                Some(place) if covered.iter().any(|other| other.is_same(&place)) => dead[i] = true,
                Some(place) if covered.len() < super::WINDOW => covered.push(place),
                _ => {}
            },
            Op::Load => match places.of(module, f, f.args(inst)[0]) {
                Some(place) => covered.retain(|other| !other.touches(&place)),
                None => covered.clear(),
            },
            _ if matches!(op.effect(), Effect::Pure | Effect::Convergent) => {}
            // A variable that is declared again begins anew.
            _ => covered.clear(),
        }
    }
    let mut at = dead.iter();
    list.retain(|_| !at.next().copied().unwrap_or(false));
    dead.contains(&true)
}
