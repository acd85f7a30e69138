//! All tests of this crate in one program: with one for each file, most of a build would be to link them.

mod cli;
#[cfg(unix)]
mod closed;
mod dap;
mod documents;
mod draw;
mod editors;
#[cfg(target_os = "linux")]
mod extremes;
#[cfg(target_os = "linux")]
mod full;
mod invariants;
mod lsp;
#[cfg(unix)]
mod makefile;
mod meaning;
mod outputs;
mod pictures;
mod rays;
mod schemas;
mod stub;
mod watch;
