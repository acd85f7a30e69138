//! Diagnostics: what is wrong with an input, where, and what to do about it.
//!
//! Front ends and assemblers make [`Diagnostic`]s whose [`Span`]s point into a
//! [`SourceMap`]; only a command line turns them into text, with [`Printer`].
//! The crate itself prints nothing and reads nothing.
//!
//! ```
//! use chiaro_diag::{Diagnostic, Printer, SourceMap};
//!
//! let mut sources = SourceMap::new();
//! let file = sources.add("a.pica", "mvo r0, v0\n");
//! let error = Diagnostic::error(file.span(0..3), "unknown instruction `mvo`")
//!     .label("no such instruction")
//!     .help("did you mean `mov`?");
//! let text = Printer::plain().print(&[error], &sources);
//! assert!(text.starts_with("error: unknown instruction `mvo`\n --> a.pica:1:1\n"));
//! ```

#![forbid(unsafe_code)]

mod budget;
mod diagnostic;
mod fix;
mod json;
mod print;
mod source;
mod suggest;
mod tally;

pub use budget::{Budget, Exceeded};
pub use diagnostic::{Counts, Diagnostic, Severity, sort, sort_by_reading};
pub use fix::{Advice, Fix, Replacement};
pub use print::{Format, Printer};
pub use source::{FileId, Location, Position, SourceMap, Span};
pub use suggest::did_you_mean;
pub use tally::Tally;
