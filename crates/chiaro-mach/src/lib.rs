//! Back ends: machine operations in blocks, and everything between selection and words that
//! no target needs to write again.
//!
//! | module | is |
//! |---|---|
//! | [`code`], [`op`], [`operand`] | [`Code`]: blocks, instructions, operands, values |
//! | [`unit`](mod@unit) | [`Unit`]: all that one compilation makes of functions, data and interface |
//! | [`file`](mod@file) | [`RegFile`]: what is to be known of a register file |
//! | [`config`], [`timing`] | what the user chose; when instructions may follow one another |
//! | [`control`] | structured control of the IR to blocks, edges and phis |
//! | [`back_end`] | [`BackEnd`]: what a back end says about its machine |
//! | [`compile`](mod@compile) | the driver; the order of the steps is read there from top to bottom |
//! | [`liveness`](mod@liveness), [`pressure`](mod@pressure) | what lives where, and how much at once |
//! | [`split_critical_edges`] | a block for every edge on which something may have to move |
//! | [`park`] | values of flags and addresses that do not fit go into other registers |
//! | [`allocate`], [`check_allocation`] | registers for values, and the proof that they are right |
//! | [`copies`], [`lower_copies`] | parallel copies made sequential |
//! | [`deps`], [`schedule_for_pressure`], [`schedule_for_latency`] | the order within blocks |
//! | [`queues`], [`insert_waits`], [`check_waits`] | results that come back late, waits for them, and the proof |
//! | [`print`](mod@print), [`parse`](mod@parse), [`verify`](mod@verify) | code as text, both ways, and the rules that it keeps |
//! | `toy` | a machine with random code, for tests (feature `random`) |
//!
//! Invariants:
//!
//! - Before allocation, code is SSA over [`Value`]s: one definition each, which dominates the
//!   uses. After it, every operand that is a value also names its register, phis remain as
//!   statements of what is equal to what, and copies may put a value into several places.
//! - A value of the lane domain lives along the logical edges, all others along the linear
//!   ones. The two graphs are equal except on machines that mask lanes off.
//! - Engines here ask facts ([`RegFile`], [`Timing`], [`Effects`]) and never which target it is.

#![forbid(unsafe_code)]

mod alive;
mod alloc;
pub mod back_end;
mod check;
mod check_waits;
pub mod code;
pub mod compile;
pub mod config;
pub mod control;
pub mod copies;
mod cx;
mod dead_code;
pub mod deps;
pub mod file;
mod id;
mod insert_waits;
pub mod liveness;
mod lower_copies;
mod made;
mod next_use;
pub mod op;
pub mod operand;
mod park;
pub mod parse;
pub mod pressure;
pub mod print;
pub mod queues;
mod registers;
mod schedule_before_allocation;
mod schedule_for_latency;
mod schedule_for_pressure;
mod split_critical_edges;
pub mod timing;
mod touch;
#[cfg(feature = "random")]
pub mod toy;
pub mod unit;
pub mod verify;

pub use alloc::{AllocateError, Fault, Totals, allocate, allocate_with_fault};
pub use back_end::{Artifact, BackEnd, Part, Relocation, Resource, Step};
pub use check::check_allocation;
pub use check_waits::check_waits;
pub use code::{
    Block, BlockData, Clobber, Clobbers, Code, Edges, Graph, Inst, InstData, Room, Value, ValueData,
};
pub use compile::{STEPS, compile};
pub use config::{Config, PartKey, PartKind};
pub use control::{Ends, Selector, lower_control};
pub use cx::{Cx, Event, Outcome};
pub use dead_code::dead_code;
pub use file::{Alias, Class, Domain, File, Occupancy, RegFile};
pub use insert_waits::insert_waits;
pub use liveness::{Liveness, liveness};
pub use lower_copies::lower_copies;
pub use made::Made;
pub use op::{Effects, Op};
pub use operand::{Comps, Operand, What};
pub use park::park;
pub use parse::{ParseError, Words, parse};
pub use pressure::{Pressure, pressure};
pub use print::{Names, print};
pub use queues::{Holds, Left, Pending, Queue, Queues};
pub use registers::{Checks, Failure, registers};
pub use schedule_before_allocation::Schedules;
pub use schedule_for_latency::{block_slots, schedule_for_latency};
pub use schedule_for_pressure::schedule_for_pressure;
pub use split_critical_edges::split_critical_edges;
pub use timing::Timing;
pub use unit::{Datum, Entry, Link, Unit};
pub use verify::{Breach, verify};
