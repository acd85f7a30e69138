//! A debugger for shaders on the simulators, over the debug adapter protocol.
//!
//! A program is run once, to its end, and recorded: which instructions each invocation or wave took, what they
//! read and wrote. Debugging is moving in the recording, so that backward is as good as forward and every
//! target that records is a target that can be debugged. Who sets an input or uniform gets a new recording.
//!
//! | module | is |
//! |---|---|
//! | [`lab`] | what is asked of the tool chain: programs, recorded |
//! | [`recording`] | where a recording is: threads with their places, frames, lines |
//! | [`registers`] | what registers hold at a place of a thread |
//! | [`motion`] | steps and runs in both directions |
//! | [`breakpoints`] | where runs end |
//! | [`expression`] | conditions and what is typed |
//! | [`scopes`] | what is shown of a frame |
//! | [`server`] | the protocol |

#![forbid(unsafe_code)]

pub mod breakpoints;
pub mod disassembly;
pub mod expression;
pub mod lab;
pub mod motion;
pub mod recording;
pub mod registers;
pub mod scopes;
pub mod server;
pub mod value;

pub use lab::{Lab, Launch, Recorded, Source};
pub use server::serve;
