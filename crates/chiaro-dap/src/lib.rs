//! A debugger for shaders on the simulators, over the debug adapter protocol.
//!
//! A program is run once, to its end, and recorded: which instructions each invocation or wave took, what they
//! read and wrote. Debugging is moving in the recording, so that backward is as good as forward and every
//! target that records is a target that can be debugged. Who sets an input or a register gets a new recording.
//!
//! | module | is |
//! |---|---|
//! | [`lab`] | what is asked of the tool chain: programs, recorded |
//! | [`recording`] | where a recording is: waves and their lanes, frames, lines |
//! | [`registers`], [`memory`] | what registers and memory hold at a place of a wave |
//! | [`locals`], [`homes`] | where variables of the source stand |
//! | [`motion`] | steps and runs in both directions |
//! | [`breakpoints`] | where runs end |
//! | [`expression`] | conditions and what is typed |
//! | [`scopes`] | what is shown of a frame |
//! | [`shape`] | how registers hold matrices |
//! | [`setting`] | which registers are to hold what is set |
//! | [`server`] | the protocol |

#![forbid(unsafe_code)]

pub mod breakpoints;
pub mod disassembly;
pub mod expression;
pub mod homes;
pub mod lab;
pub mod locals;
pub mod memory;
pub mod motion;
pub mod recording;
pub mod registers;
pub mod scopes;
pub mod server;
pub mod setting;
pub mod shape;
pub mod value;

pub use lab::{Lab, Launch, Recorded, Source};
pub use server::serve;
