//! Running foreign code that may panic or nest deeply.
//!
//! The code runs on a thread with a large stack. Its panics come back as messages; nothing
//! is printed for them, because a hook in front of the program's own one keeps silent on
//! threads that are marked. Panics elsewhere reach the program's hook as before.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Bytes of stack: naga nests at most 200 levels in its parser, but its later steps follow
/// chains of operators as deep as they are long. The system gives memory only as it is used.
const STACK: usize = 64 << 20;

/// What became of a call.
pub(super) enum Contained<T> {
    /// It returned.
    Answer(T),
    /// It panicked, with this message.
    Panic(String),
}

/// Calls with a deep stack and a net below.
pub(super) fn contain<T: Send>(call: impl FnOnce() -> T + Send) -> Contained<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(silence_marked_threads);
    // The call stays here if no thread can be had, as in a browser.
    let mut call = Some(call);
    let mut guarded = || call.take().map(guard);
    let answer = std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn_scoped(scope, &mut guarded).ok().and_then(|thread| thread.join().ok())
    });
    match answer.unwrap_or_else(guarded) {
        Some(contained) => contained,
        None => Contained::Panic("the call ended without an answer".to_owned()),
    }
}

fn guard<T>(call: impl FnOnce() -> T) -> Contained<T> {
    let before = QUIET.replace(true);
    let answer = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(before);
    answer.map_or_else(|payload| Contained::Panic(message(payload.as_ref())), Contained::Answer)
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

fn silence_marked_threads() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !QUIET.get() {
            before(info);
        }
    }));
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
        assert!(matches!(contain(|| 7), Contained::Answer(7)));
        assert!(!QUIET.get());
    }
}
