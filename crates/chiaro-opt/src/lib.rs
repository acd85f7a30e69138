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

mod by_value;
mod components;
mod const_fold;
mod contract;
mod copy_prop;
mod cse;
mod cx;
mod dce;
mod drop_prints;
mod endless;
mod forward_stores;
mod globals_to_locals;
mod if_convert;
mod implied;
mod inline;
mod known_params;
mod licm;
mod limits;
mod loops;
pub mod lower;
mod make_legal;
mod matrix_chains;
mod mem2reg;
mod merge_stores;
mod missing;
mod motion;
mod options;
mod outputs_to_locals;
mod pipeline;
mod prints_to_buffer;
mod ranges;
mod reassociate;
mod rewrite;
mod rules;
mod scalarize;
mod simplify;
mod simplify_cfg;
mod single_return;
mod sink;
mod square_quads;
mod sroa;
mod trivial_phis;
mod uniform;
mod unroll;
mod vectorize;

pub use by_value::by_value;
pub use components::components;
pub use const_fold::const_fold;
pub use contract::contract;
pub use copy_prop::copy_prop;
pub use cse::cse;
pub use cx::{Changed, Cx, Event, Pass, Settled};
pub use dce::dce;
pub use drop_prints::{drop_prints, warn_of_prints};
pub use endless::endless;
pub use forward_stores::forward_stores;
pub use globals_to_locals::{globals_to_locals, named, to_locals};
pub use if_convert::if_convert;
pub use implied::implied;
pub use inline::{
    alike, call_left, callees, exported, inline, inline_calls_of, pointed_at, reached, recursive, targets,
    with_callees,
};
pub use known_params::{Fewer, known_params};
pub use licm::licm;
pub use limits::{Assumptions, Conditions, Limits};
pub use make_legal::{Legal, make_legal};
pub use matrix_chains::matrix_chains;
pub use mem2reg::mem2reg;
pub use merge_stores::merge_stores;
pub use missing::missing_types;
pub use options::Options;
pub use outputs_to_locals::{outputs_at_end, outputs_to_locals};
pub use pipeline::{
    AGAIN_TO_VALUES, ALGEBRA, CLEAN_UP, CONTRACT, CONTROL, EXPRESSIONS, LEGALIZE, OUTPUTS_AT_END, PASSES,
    TO_VALUES, clean_up, optimize,
};
pub use prints_to_buffer::{PrintFormat, Prints, prints_to_buffer};
pub use ranges::{Fact, FloatRange, IntRange, Ranges, ranges};
pub use reassociate::reassociate;
pub use scalarize::scalarize;
pub use simplify::simplify;
pub use simplify_cfg::simplify_cfg;
pub use single_return::single_return;
pub use sink::sink;
pub use square_quads::square_quads;
pub use sroa::sroa;
pub use trivial_phis::trivial_phis;
pub use uniform::{UniformExpression, uniform_expressions};
pub use unroll::unroll;
pub use vectorize::vectorize;
