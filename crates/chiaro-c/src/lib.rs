//! chiaro for C: `libchiaro`, whose header is `include/chiaro.h`.
//!
//! Every function takes a [`Question`] and gives a [`Status`]; what comes back is an [`Answer`], which the caller
//! frees, or bytes in the caller's memory. Functions are those of [`chiaro::host`], so nothing here knows a target or an
//! option. Pointers are checked for null and texts for UTF-8; no panic leaves the library.
//!
//! | module | is |
//! |---|---|
//! | [`status`] | what went wrong, as numbers with a text each |
//! | [`question`] | files and options of the caller, read |
//! | [`answer`] | results and messages, and how they are looked at |
//! | [`ask`] | one function for each question |
//! | [`columns`] | vertices and fragments out of the caller's arrays |
//! | [`cache`] | results that are kept in memory of the caller's |

pub mod answer;
pub mod ask;
pub mod cache;
pub mod columns;
pub mod question;
pub mod status;

#[cfg(test)]
mod tests;
