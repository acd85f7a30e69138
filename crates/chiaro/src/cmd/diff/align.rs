//! Which instruction of one program stands for which of the other.
//!
//! Source lines are aligned first, by their text; then instructions, by their aligned line and operation, so
//! that what changed its place within its line is still itself. Two targets have no operations in common: there it
//! is what instructions are there for.

use std::collections::HashMap;

use chiaro::anatomy::Instruction;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::made::{Line, Made};

/// An instruction on either side, or on both; by number.
pub type Pair = (Option<usize>, Option<usize>);

/// All instructions of both, in the order of both.
pub fn align(before: &Made, after: &Made) -> Vec<Pair> {
    let lines = source_lines(before, after);
    let is_one_target = before.target.about().name == after.target.about().name;
    let what = |(line, one): (&Line, &Instruction)| match is_one_target {
        true => operation(&line.text).to_owned(),
        false => one.cause.name().to_owned(),
    };
    // Lines of the second program under the names of the first.
    let renamed = |place: (usize, u32)| lines.get(&place).copied().unwrap_or((usize::MAX - place.0, place.1));
    let all = |made: &Made| made.lines.iter().zip(&made.anatomy.instructions).map(what).collect::<Vec<_>>();
    let old: Vec<_> = before.lines.iter().map(|line| line.place).zip(all(before)).collect();
    let new: Vec<_> = after.lines.iter().map(|line| line.place.map(renamed)).zip(all(after)).collect();
    let mut pairs = Vec::with_capacity(old.len().max(new.len()));
    for op in capture_diff_slices(Algorithm::Patience, &old, &new) {
        add(&op, &mut pairs);
    }
    pairs
}

fn add(op: &DiffOp, pairs: &mut Vec<Pair>) {
    match *op {
        DiffOp::Equal { old_index, new_index, len } => {
            pairs.extend((0..len).map(|n| (Some(old_index + n), Some(new_index + n))));
        }
        DiffOp::Delete { old_index, old_len, .. } => {
            pairs.extend((old_index..old_index + old_len).map(|n| (Some(n), None)));
        }
        DiffOp::Insert { new_index, new_len, .. } => {
            pairs.extend((new_index..new_index + new_len).map(|n| (None, Some(n))));
        }
        DiffOp::Replace { old_index, old_len, new_index, new_len } => {
            pairs.extend((old_index..old_index + old_len).map(|n| (Some(n), None)));
            pairs.extend((new_index..new_index + new_len).map(|n| (None, Some(n))));
        }
    }
}

/// For lines of the second program those of the first that they are, file by file in their order.
pub fn source_lines(before: &Made, after: &Made) -> HashMap<(usize, u32), (usize, u32)> {
    let mut known = HashMap::new();
    for (n, (old, new)) in before.sources.iter().zip(&after.sources).enumerate() {
        let trimmed = |lines: &[String]| lines.iter().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        for op in capture_diff_slices(Algorithm::Patience, &trimmed(&old.lines), &trimmed(&new.lines)) {
            let (old, new) = (op.old_range(), op.new_range());
            // Of what was replaced, the lines at the same place are taken for each other.
            let pairs = old.zip(new).map(|(old, new)| ((n, new as u32 + 1), (n, old as u32 + 1)));
            known.extend(pairs);
        }
    }
    known
}

/// What an instruction does, without its operands.
fn operation(text: &str) -> &str {
    text.trim().split([' ', ',']).find(|word| !word.is_empty() && !word.starts_with('(')).unwrap_or("")
}
