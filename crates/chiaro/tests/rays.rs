//! Pipelines of rays on the interpreter and in words: what stages are told, whom rays call, what is refused.

mod command;
mod contracts;
mod depth;
mod forms;
mod meaning;
mod program;
