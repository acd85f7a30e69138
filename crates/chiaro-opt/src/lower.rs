//! Lowering: functions, integers and bits as the few operations that small machines have.
//!
//! | file | lowers |
//! |---|---|
//! | [`functions`](functions()) | float functions, by `trigonometry`, `exponential`, `rounding` and `quotient` |
//! | [`integers`](integers()) | integers as floats of the same value, by `division` and `bits` |
//! | [`words`](words()) | quotients of 32-bit integers, exact, by products and a reciprocal |
//! | [`longs`](longs()) | those of 64-bit integers, by words and the same |
//! | [`long_floats`](long_floats()) | conversions of those, by integers of 32 bits |
//! | [`widen`](widen()) | functions and quotients of narrow numbers as those of 32 bits |
//! | [`offsets`](offsets()) | inputs beside the middle of a pixel, by how they change over a quad |
//! | [`atomic_loops`](atomic_loops()) | atomic operations, by exchanges of what is still there |
//! | [`mask`] | parts at computed indices, by products with 0 and 1 |
//!
//! A target says in [`Facts`] what it has; a rewrite asks them for the form that costs least
//! there. What comes out are operations of the IR and [`Native`] ones, whose meaning both the
//! interpreter and the target's words take from one table.

mod arith;
mod arithmetic;
mod atomic_loops;
mod bits;
mod division;
mod exponential;
mod facts;
mod functions;
mod integers;
mod long_floats;
mod longs;
pub mod mask;
mod native;
mod offsets;
mod quotient;
pub mod rewrite;
mod rounding;
mod trigonometry;
mod widen;
mod words;

pub use arith::{Arith, number};
pub use arithmetic::Arithmetic;
pub use atomic_loops::{Atomic, atomic_loops};
pub use facts::Facts;
pub use functions::functions;
pub use integers::{holds_int, integers};
pub use long_floats::long_floats;
pub use longs::longs;
pub use native::Native;
pub use offsets::offsets;
pub use widen::{widen, widen_but};
pub use words::words;
