//! What editors ask: a language service for GLSL, WGSL and the assemblies of all targets.
//!
//! A [`Document`] is a text with its language; each capability is a function of it, in a file of its
//! own, and [`serve`] answers the protocol with them. Nothing is known here of a language or a target:
//! an [`Outline`] asks the front end or the target's rows for the names, hover is what `explain` says,
//! completion comes from the rows and tables, and [`Tools`] checks and compiles.
//!
//! | module | answers |
//! |---|---|
//! | [`document`], [`language`] | texts with edits and positions, and what language they are in |
//! | [`outline`] | names, where they are declared and used, tokens, regions |
//! | [`diagnostics`], [`actions`] | what is wrong, and what mends it |
//! | [`vocabulary`] | what a language brings itself |
//! | [`hover`], [`signature`], [`completion`] | what something is, and what can be written |
//! | [`definition`], [`references`], [`rename`], [`symbols`] | names |
//! | [`folding`], [`tokens`], [`format`] | how texts look |
//! | [`hints`], [`lenses`] | what it costs on each target |
//! | [`grammar`] | patterns for editors that colour by themselves |
//! | [`server`] | the protocol over standard input and output |

#![forbid(unsafe_code)]

pub mod actions;
pub mod completion;
pub mod costs;
pub mod definition;
pub mod diagnostics;
pub mod document;
pub mod folding;
pub mod format;
pub mod grammar;
pub mod hints;
pub mod hover;
pub mod language;
pub mod lenses;
pub mod lex;
pub mod outline;
pub mod references;
pub mod rename;
pub mod server;
pub mod signature;
pub mod statement;
pub mod symbols;
pub mod tokens;
pub mod tools;
pub mod vocabulary;

pub use document::Document;
pub use language::Language;
pub use outline::Outline;
pub use server::serve;
pub use tools::{Checked, Tools};
