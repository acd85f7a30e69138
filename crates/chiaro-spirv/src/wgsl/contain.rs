//! Running foreign code that may panic or nest deeply.
//!
//! The code runs on a deep stack that is taken for the call, on the caller's own thread. Its panics
//! come back as messages. A panic reaches the program's hook first, as every panic does; a hook
//! that wants to keep silent about these asks [`is_contained`].

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes of stack: naga nests at most 200 levels in its parser, but its later steps follow
/// chains of operators as deep as they are long; [`budget`](super::budget) bounds those. The system
/// gives memory only as it is used.
const STACK: usize = 64 << 20;

/// What became of a call.
pub(crate) enum Contained<T> {
    /// It returned.
    Answer(T),
    /// It panicked, with this message.
    Panic(String),
}

/// Calls with a deep stack and a net below.
pub(crate) fn contain<T>(call: impl FnOnce() -> T) -> Contained<T> {
    let before = CONTAINED.replace(true);
    let answer = stacker::grow(STACK, || catch_unwind(AssertUnwindSafe(call)));
    CONTAINED.set(before);
    answer.map_or_else(|payload| Contained::Panic(message(payload.as_ref())), Contained::Answer)
}

/// Whether this thread is inside of code whose panics are caught and become diagnostics.
#[must_use]
pub fn is_contained() -> bool {
    CONTAINED.get()
}

thread_local! {
    static CONTAINED: Cell<bool> = const { Cell::new(false) };
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_come_back_as_messages() {
        let Contained::Panic(message) = contain(|| -> u32 { panic!("no {}", "luck") }) else {
            panic!("the panic is lost")
        };
        assert_eq!(message, "no luck");
        assert!(matches!(contain(is_contained), Contained::Answer(true)));
        assert!(!is_contained());
    }
}
