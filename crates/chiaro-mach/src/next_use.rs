//! Next uses: for every touch of a value, where the value is read next.

use crate::code::Code;
use crate::liveness::Liveness;
use crate::touch::{ELSEWHERE, NEVER, Touch, Touches};

/// Finds, for every touch, where in its block the value is read next behind that instruction.
pub(crate) fn look_ahead(code: &Code, live: &Liveness, all: &mut [Touches]) {
    let mut next = vec![NEVER; code.value_count()];
    for block in code.blocks() {
        live.out(block).for_each(|value| next[value.0 as usize] = ELSEWHERE);
        for touches in &mut *all {
            look_back(touches.of_mut(block), &mut next);
        }
        live.out(block).for_each(|value| next[value.0 as usize] = NEVER);
    }
}

/// One block of a file, from its end. Leaves `next` of values that are touched here at [`NEVER`].
fn look_back(list: &mut [Touch], next: &mut [u32]) {
    for group in list.chunk_by_mut(|a, b| a.pos == b.pos).rev() {
        group.iter_mut().for_each(|touch| touch.next = next[touch.value.0 as usize]);
        for touch in group.iter().filter(|touch| !touch.is_def() && !touch.is_phi()) {
            next[touch.value.0 as usize] = touch.pos;
        }
    }
    list.iter().for_each(|touch| next[touch.value.0 as usize] = NEVER);
}
