//! chiaro for browsers: [`chiaro::host`] with JavaScript's strings and arrays in and out.
//!
//! Every function takes a [`Question`], which is what somebody would type with files in memory, and gives an [`Answer`];
//! nothing here knows a target or an option of a command. A browser cannot catch a panic: what it says goes to
//! `chiaroPanicked`, which the worker provides, and the worker is started anew. Work that does not end is stopped the
//! same way.
//!
//! | module | is |
//! |---|---|
//! | [`question`] | arguments and files |
//! | [`answer`] | results and messages, and how they are looked at |
//! | [`ask`] | one function for each question |
//! | [`panics`] | what is told before the end |

pub mod answer;
pub mod ask;
pub mod panics;
pub mod question;

pub use answer::Answer;
pub use question::Question;
