//! Where a kernel and those who launch it meet: registers, memory, arguments.
//!
//! | module | is |
//! |---|---|
//! | `launch` | what a kernel finds when it begins (feature `sim`) |
//! | `interface` | what a compiled kernel expects there (feature `compile`) |
//! | `layout` | bytes of types in memory (feature `compile`) |

#[cfg(feature = "compile")]
pub mod interface;
#[cfg(feature = "sim")]
mod launch;
#[cfg(feature = "compile")]
pub mod layout;

#[cfg(feature = "sim")]
pub use launch::{Dispatch, Places, enter, group_info, mode, threads};
