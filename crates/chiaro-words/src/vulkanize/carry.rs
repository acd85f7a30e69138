//! The interface of the new words: derived from them, with what only the old one knows.

use std::collections::HashMap;

use crate::module::{Interface, Leaf, Variable};
use crate::write::Id;

/// The new words' interface with what only the old one knows. A variable that stays keeps its
/// leaves; those of the others are found by their names.
pub(super) fn carry_over(old: &Interface, new: Interface, splits: &[(Id, Vec<String>)]) -> Interface {
    let leaves = old.variables.iter().flat_map(|v| &v.leaves);
    let known: HashMap<&str, &Leaf> = leaves.map(|l| (l.name.as_str(), l)).collect();
    let before: HashMap<Id, &Variable> = old.variables.iter().map(|v| (v.id, v)).collect();
    let splits: HashMap<Id, &Vec<String>> = splits.iter().map(|(id, names)| (*id, names)).collect();
    let each = |new: Variable| match (before.get(&new.id), splits.get(&new.id)) {
        (Some(before), _) => keep(before, new),
        (None, Some(names)) => {
            let named = |name: &String| Leaf { name: name.clone(), ..Leaf::default() };
            Variable { leaves: names.iter().map(|n| moved(named(n), &known)).collect(), ..new }
        }
        (None, None) => {
            Variable { leaves: new.leaves.into_iter().map(|l| moved(l, &known)).collect(), ..new }
        }
    };
    let variables = new.variables.into_iter().map(each).collect();
    Interface { source: old.source, clip: old.clip, variables, settings: old.settings.clone() }
}

/// A variable that got numbers, and is else as it was.
fn keep(before: &Variable, new: Variable) -> Variable {
    let mut kept = Variable { set: new.set, binding: new.binding, ..before.clone() };
    for (leaf, new) in kept.leaves.iter_mut().zip(new.leaves) {
        leaf.location = leaf.location.or(new.location);
    }
    kept
}

/// A leaf of a new variable, which the host knows already.
fn moved(leaf: Leaf, known: &HashMap<&str, &Leaf>) -> Leaf {
    match known.get(leaf.name.as_str()) {
        Some(before) => {
            Leaf { location: before.location, precision: before.precision, external: before.external, ..leaf }
        }
        None => leaf,
    }
}
