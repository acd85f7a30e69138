//! Exact listings: a program spelled out, nothing derived, nothing merged, nothing left out.
//!
//! What picasso's language cannot say (other tools' layouts, overlapping procedures,
//! version words) is written as directives with every field of the container, and the
//! code one instruction a line in the plain dialect with its descriptor's number. Any
//! [`Shbin`] has such a listing, and it reads back to the same file.
//!
//! | line | is |
//! |---|---|
//! | `.exact` | first line; what follows is in this format |
//! | `.raw` | no container: words and descriptors alone |
//! | `.layout TEXT` | order of the parts, see [`Layout`](crate::container::Layout) |
//! | `.program VERSION "NAMES"` | DVLP version and file name symbols |
//! | `.opdesc INDEX WORD SECOND` | an entry of the descriptor table |
//! | `.word WORD` | an instruction as it is |
//! | `.dvle TYPE VERSION MERGE ENTRY END INPUTS OUTPUTS MODE START FULL COUNT` | begins an executable |
//! | `.constant KIND REGISTER W W W W`, `.label ID UNKNOWN OFFSET SIZE NAME`, `.output KIND REGISTER MASK UNKNOWN`, `.uniform NAME FIRST LAST` | entries of its tables |
//! | `.symbols "TEXT"` | its symbols, with `\0`, `\"`, `\\` and `\xNN` |

mod print;
#[cfg(feature = "asm")]
mod read;

pub use print::{print, print_raw};
#[cfg(feature = "asm")]
pub use read::{is_exact, read};

use crate::container::Shbin;

/// What an exact listing holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exact {
    /// A whole file.
    Shbin(Shbin),
    /// Instructions and descriptor table without a container.
    Raw {
        /// Instructions.
        code: Vec<u32>,
        /// Descriptors with their second words.
        descriptors: Vec<[u32; 2]>,
    },
}
