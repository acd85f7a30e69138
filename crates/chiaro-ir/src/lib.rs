//! What a shader means, exactly, independent of any machine: structured SSA.
//!
//! A [`Module`] holds types, constants, variables and [`Function`]s. A function is a tree of
//! blocks: constructs (`if`, `switch`, `loop`, `block`) are instructions that own blocks.
//!
//! Rules that hold everywhere and that the verifier checks:
//!
//! - A block ends with its only exit: `exit @construct`, `continue @loop`, `repeat @loop`,
//!   `return`, `terminate` or `unreachable`. Exits may leave any number of levels.
//! - Values leave a construct as its results: every `exit` of it carries one value for each.
//!   A loop's `continue` carries the parameters of its continuing block, its `repeat` (and the
//!   loop's own operands, at the start) the parameters of its body.
//! - A value is used only where it is known: behind its definition in the same block, or in a
//!   block inside. A continuing block sees the values of no body; it gets what it needs as
//!   parameters.
//! - Lanes that entered a construct together are together again behind it. Operations whose
//!   [`Effect`] is `Convergent` or `Barrier` are never moved across, duplicated into or merged
//!   over a condition that may diverge.
//! - `undef` is one arbitrary value per execution. Access out of bounds, division by zero,
//!   oversized shifts and overflow of conversions have the one meaning that the row of the
//!   operation states ([`Op`]); a load out of bounds gives zeros, a store has no effect.
//! - Pointers are not compared or stored, except those into [`Space::Device`].
//!
//! [`Builder`] makes functions, [`print()`] and [`parse()`] turn modules into text and back,
//! [`verify()`] checks the rules. [`stats()`] and [`uniformity()`] say what a function consists
//! of and which of its values differ between lanes; [`lower_exits()`] rewrites exits that a
//! target does not have. What walks over a function in the order of its text uses [`Walk`]; what
//! changes one on its way [`Tour`], [`Draft`], [`Forward`] and [`Copies`].

#![forbid(unsafe_code)]

mod build;
mod constant;
mod copy;
mod edit;
mod field;
mod function;
mod id;
mod index;
pub mod interface;
pub mod interp;
mod lower_exits;
mod merge;
mod module;
mod op;
mod parse;
mod path;
mod print;
#[cfg(feature = "random")]
pub mod random;
pub mod rays;
pub mod sample;
mod stats;
mod ty;
mod typing;
mod uniformity;
mod verify;
mod walk;
mod words;

pub use build::{Builder, Mistake};
pub use constant::{Constant, ConstantKind, Constants};
pub use copy::Copies;
pub use edit::{Draft, Forward, remove_marked};
pub use field::{Field, Scalar, fields};
pub use function::{BlockData, Def, Flags, Function, InstData, Linkage};
pub use id::{Block, FunctionRef, GlobalRef, Inst, Value};
pub use interface::{Interface, Leaf};
pub use lower_exits::{Exits, has_other_exits, lower_exits};
pub use merge::{Added, merge};
pub use module::{Binding, EntryPoint, Global, Interpolation, Module, Spec, Stage};
pub use op::{Combine, Effect, Group, Info, Op, Query, ROWS, Sampling, Scope, Semantics, Shape, Taken};
pub use parse::parse;
pub use path::{Path, PathStep, Root};
pub use print::{PrintOptions, print, print_function, print_with, signature};
pub use stats::{Stats, stats, use_counts};
pub use ty::{Dim, ImageType, Member, Space, Ty, Type, Types};
pub use uniformity::{Uniformity, Variance, uniformity};
pub use verify::{Breach, verify, verify_function};
pub use walk::{Step, Tour, Walk};
