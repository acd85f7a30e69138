//! Where a kernel and those who launch it meet, and where functions do: registers, memory, arguments.
//!
//! | module | is |
//! |---|---|
//! | [`convention`] | the contract between functions as data |
//! | [`partition`] | register files divided among callers and callees |
//! | [`signature`] | what a function takes, and the notation for it |
//! | [`place`] | where its parameters stand |
//! | [`sequence`] | the instructions of a call |
//! | [`dispatch`] | who runs when, where lanes call different functions |
//! | [`stack`] | frames, and where a lane's bytes lie |
//! | `file`, `shipped` | conventions as JSON, and those that come with us (feature `compile`) |
//! | `launch` | what a kernel finds when it begins (feature `sim`) |
//! | `interface` | what a compiled kernel expects there (feature `compile`) |
//! | `layout` | bytes of types in memory (feature `compile`) |
//! | `write` | conventions back to JSON (feature `compile`) |
//! | `tree` | acceleration structures as nodes (feature `compile`) |

pub mod convention;
pub mod dispatch;
#[cfg(feature = "compile")]
pub mod file;
#[cfg(feature = "compile")]
pub mod interface;
#[cfg(feature = "compile")]
mod json;
#[cfg(feature = "sim")]
mod launch;
#[cfg(feature = "compile")]
pub mod layout;
pub mod partition;
pub mod place;
pub mod pools;
pub mod sequence;
#[cfg(feature = "compile")]
pub mod shipped;
pub mod signature;
pub mod stack;
#[cfg(feature = "compile")]
pub mod tree;
#[cfg(feature = "compile")]
mod write;

#[cfg(feature = "sim")]
pub use launch::{Dispatch, Places, enter, group_info, threads};
