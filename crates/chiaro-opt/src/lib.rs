//! Passes over the IR that know no target.
//!
//! A pass is a file with one public function of the file's name and the signature of
//! [`Pass::run`]; its test stands beside it, a text file with functions before and after.
//! [`Cx`] is the only driver, [`optimize`] the order: everything is inlined, variables become
//! values, and what is simpler replaces what is not until nothing changes.
//!
//! Every pass keeps the exact meaning: the interpreter gives the same bits before and after it,
//! but where a pass says which liberty of float arithmetic it takes. A value that is `exact`
//! keeps it in all of them. Convergent operations stay where they are.

#![forbid(unsafe_code)]

mod branches;
mod contract;
mod cx;
mod dead_code;
mod fold;
mod forward_memory;
mod forward_parts;
mod hoist;
mod if_convert;
mod inline;
mod limits;
mod localize;
mod loops;
mod merge_common;
mod merge_stores;
mod motion;
mod options;
mod parameters;
mod pipeline;
mod promote;
mod ranges;
mod readback;
mod reassociate;
mod rewrite;
mod rules;
mod scalarize;
mod simplify;
mod sink;
mod split_aggregates;
mod uniform;
mod unroll;
mod vectorize;

pub use branches::branches;
pub use contract::contract;
pub use cx::{Changed, Cx, Event, Pass};
pub use dead_code::dead_code;
pub use fold::fold;
pub use forward_memory::forward_memory;
pub use forward_parts::forward_parts;
pub use hoist::hoist;
pub use if_convert::if_convert;
pub use inline::inline;
pub use limits::{Assumptions, Conditions, Limits};
pub use localize::{localize, named};
pub use merge_common::merge_common;
pub use merge_stores::merge_stores;
pub use options::Options;
pub use parameters::parameters;
pub use pipeline::{
    AGAIN_TO_VALUES, ALGEBRA, CLEAN_UP, CONTROL, EXPRESSIONS, LEGALIZE, PASSES, TO_VALUES, optimize,
};
pub use promote::promote;
pub use ranges::{Fact, FloatRange, IntRange, Ranges, ranges};
pub use readback::readback;
pub use reassociate::reassociate;
pub use scalarize::scalarize;
pub use simplify::simplify;
pub use sink::sink;
pub use split_aggregates::split_aggregates;
pub use uniform::{UniformExpression, uniform_expressions};
pub use unroll::unroll;
pub use vectorize::vectorize;
