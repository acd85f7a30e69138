//! Pipelines of rays on the interpreter: what stages are told, whom rays call, what is refused.

#[path = "rays/command.rs"]
mod command;
#[path = "rays/meaning.rs"]
mod meaning;
