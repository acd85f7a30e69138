//! Pipelines of rays on the interpreter and in words: what stages are told, whom rays call, what is refused.

#[path = "rays/command.rs"]
mod command;
#[path = "rays/contracts.rs"]
mod contracts;
#[path = "rays/depth.rs"]
mod depth;
#[path = "rays/forms.rs"]
mod forms;
#[path = "rays/meaning.rs"]
mod meaning;
#[path = "rays/program.rs"]
mod program;
