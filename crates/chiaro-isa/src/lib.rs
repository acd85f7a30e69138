//! One declaration per instruction; everything else reads it.
//!
//! A target lists its instructions as plain `static` data ([`Set`], [`Operation`],
//! [`Format`], [`Field`]) and says in a few [`Kind`]s how its operands are coded and
//! spelled. [`Isa::new`] prepares the list for one generation; decoding, encoding,
//! assembling, printing, explaining, sampling and the HTML reference are ordinary
//! functions over it.
//!
//! Invariant: nothing here knows a target, an intermediate representation or a file
//! format. A new encoding trick is a new [`Kind`] or a new [`Length`].
//!
//! ```
//! use chiaro_isa::*;
//!
//! static PAPER: Source = Source { name: "paper", title: "an example" };
//! static ALU: Class =
//!     Class { name: "alu", unit: "alu", issue: Some(1), result: Wait::Slots(0), purpose: Purpose::Arithmetic, source: None };
//! static TWO: Format = Format {
//!     name: "two",
//!     length: Length::Bytes(2),
//!     opcode: at(12..=15),
//!     fields: &[dst("d", at(8..=11), &UInt, "result"), src("a", at(0..=7), &UInt, "operand")],
//!     syntax: &["{op} {d}, {a}"],
//!     ..Format::EMPTY
//! };
//! operations! {
//!     enum Op => OPS {
//!         /// Loads a number.
//!         Load "load" [TWO 1] ALU PAPER;
//!     }
//! }
//! static TOY: Set = Set {
//!     name: "toy",
//!     title: "Toy",
//!     about: "",
//!     operations: &[OPS],
//!     generations: &["one"],
//!     dialects: &["plain"],
//!     rules: &[],
//!     fold_case: false,
//! };
//!
//! let isa = Isa::new(&TOY, 0);
//! let parsed = isa.parse("load 3, 200", &Cx::default()).unwrap();
//! assert_eq!(parsed.inst.word, Word::from(0x13c8u64));
//! assert_eq!(isa.text(&parsed.inst, &Cx::default()).unwrap(), "load 3, 200");
//! assert_eq!(Op::of(isa.form(&parsed.inst).op), Op::Load);
//! ```

#![forbid(unsafe_code)]

mod assemble;
mod breach;
mod bundle;
mod cursor;
mod cx;
mod decl;
mod encode;
mod explain;
mod faults;
pub mod finding;
mod form;
mod html;
mod isa;
mod kind;
pub mod laws;
mod memo;
mod out;
mod parse;
mod print;
mod rows;
mod sample;
mod size;
mod steps;
mod template;
mod templates;
mod tree;
mod value;
mod word;

pub use assemble::{AssembleError, Assembled, Item, Patch, assemble};
pub use breach::{Breach, DecodeError, EncodeError, Fault, ParseCause, ParseError};
pub use bundle::Bundle;
pub use cursor::Cursor;
pub use cx::{Cx, Symbols};
pub use decl::{
    Class, Field, Format, Gens, Hazard, Implicit, Length, Operands, Operation, Purpose, Role, Rule, Set,
    Source, Wait, dst, inout, modifier, src, target,
};
pub use encode::Decided;
pub use explain::{Explained, Explanation, Part};
pub use form::{Form, Inst, MAX_FIELDS, Values};
pub use isa::Isa;
pub use kind::{Flag, Hex, Int, Kind, Label, Leading, Modes, Names, Partial, Tagged, UInt};
pub use out::{Out, Short};
pub use parse::Parsed;
pub use rows::{Operand, Row, Written};
pub use sample::Rng;
pub use value::{Covered, Reg, Value};
pub use word::{Bits, WORD_BITS, WORD_BYTES, Word, at, bit, dwords, split};
