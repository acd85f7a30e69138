//! What variables of functions are given while a program runs, for who looks for them elsewhere.

use std::collections::HashMap;

use chiaro_diag::Span;

use super::memory::Place;
use crate::{Function, Inst, Ty};

/// A variable of a function, as the source calls it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The function that declares it.
    pub function: String,
    /// Its type.
    pub ty: Ty,
}

/// A scalar that a lane has stored in a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assigned {
    /// The variable, by its number in [`Watched::variables`].
    pub variable: u32,
    /// The lane; those of later groups come behind those of earlier ones.
    pub lane: u32,
    /// Bytes from the start of the variable.
    pub offset: u32,
    /// The scalar's bits.
    pub bits: u64,
    /// The source text of the store.
    pub span: Option<Span>,
}

/// Stores to variables of functions.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// The variables in the order of their declarations.
    pub variables: Vec<Variable>,
    /// The stores in the order of the run, lane by lane.
    pub assigned: Vec<Assigned>,
    /// The numbers of variables by function and instruction, and by the region where each is now.
    known: HashMap<(String, Inst), u32>,
    regions: HashMap<u32, u32>,
}

impl Watched {
    /// Takes the stores of another group, whose first lane has a number; so many in all.
    pub(super) fn append(&mut self, other: Watched, first: u32, most: usize) {
        let mut numbers: Vec<((String, Inst), u32)> = other.known.into_iter().collect();
        numbers.sort_by_key(|(_, number)| *number);
        let ours: Vec<u32> = numbers
            .into_iter()
            .zip(other.variables)
            .map(|((key, _), variable)| {
                *self.known.entry(key).or_insert_with(|| {
                    self.variables.push(variable);
                    self.variables.len() as u32 - 1
                })
            })
            .collect();
        let room = most.saturating_sub(self.assigned.len());
        let moved = other.assigned.into_iter().take(room).map(|one| Assigned {
            variable: ours[one.variable as usize],
            lane: first + one.lane,
            ..one
        });
        self.assigned.extend(moved);
    }

    /// A variable begins to be in a region. One without a name is not watched.
    pub(super) fn declare(&mut self, f: &Function, inst: Inst, ty: Ty, region: u32) {
        self.regions.remove(&region);
        let Some(name) = f.variable_names.get(&inst) else { return };
        let number = *self.known.entry((f.name.clone(), inst)).or_insert_with(|| {
            self.variables.push(Variable { name: name.to_string(), function: f.name.clone(), ty });
            self.variables.len() as u32 - 1
        });
        self.regions.insert(region, number);
    }

    /// A lane stores a scalar.
    pub(super) fn assign(&mut self, place: Place, lane: u32, bits: u64, span: Option<Span>) {
        if let Some(&variable) = self.regions.get(&place.region) {
            self.assigned.push(Assigned { variable, lane, offset: place.offset, bits, span });
        }
    }
}
