//! Text to words: the languages of the two assemblers for this machine.
//!
//! | module | language |
//! |---|---|
//! | [`picasso`] | that of picasso, which nearly all homebrew is written in |
//! | [`nihcode`] | that of nihstro, the older tool |

pub mod nihcode;
pub mod picasso;
mod report;

use chiaro_diag::FileId;

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name, for messages without a place in the text.
    pub name: &'a str,
    /// Its text; at most 4 GiB.
    pub text: &'a str,
    /// What spans call it.
    pub file: FileId,
}
