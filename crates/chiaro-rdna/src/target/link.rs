//! Parts from files to a program in a file: they are read, held against each other, and joined.
//!
//! | step | refuses |
//! |---|---|
//! | [`part`] | what is no part |
//! | [`agree`] | waves, modes and conventions that differ |
//! | [`Names`] | names that two parts have, or none; signatures that differ, parameter by parameter |
//! | [`depth`] | functions of several parts that call each other without a bound, a stack beyond the scratch |
//! | [`place`] | calls that go too far |
//!
//! What comes out is proven by its words: [`contracts`].

mod agree;
mod contracts;
mod depth;
mod names;
mod part;
mod place;

use chiaro_diag::Diagnostic;
use chiaro_target::{LinkedParts, Piece, Settings};

use crate::container;
use crate::target::contracts::Pointers;
use crate::target::{POINTERS, RECURSION};
use names::Names;
use part::Part;

type Wrong = Vec<Diagnostic>;

fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(None, message)
}

/// Links parts.
///
/// # Errors
/// What keeps them from being one program, all of one kind at once.
pub(super) fn link(given: &[Piece], settings: &Settings) -> Result<LinkedParts, Wrong> {
    if let Some((key, _)) = settings.iter().find(|(key, _)| key != RECURSION && key != POINTERS) {
        let message = format!("parts are linked as they were compiled: `-m {key}=` changes nothing");
        let help = "leave it out; `-m recursion=N` and `-m pointers=` are what linking takes";
        return Err(vec![error(message).help(help)]);
    }
    let pointers = Pointers::of(settings)?;
    let parts: Result<Vec<Part<'_>>, Box<Diagnostic>> = given.iter().map(Part::read).collect();
    let mut parts = parts.map_err(|error| vec![*error])?;
    // The kernel stands first, so that its descriptor is the program's.
    parts.sort_by_key(|part| !part.has_kernel());
    agree::agree(&parts)?;
    let names = Names::of(&parts)?;
    names.sound()?;
    let (chain, remark) = depth::deepest(&parts, &names, settings)?;
    let joined = place::joined(&parts, &names, &chain)?;
    let mut remarks = vec![remark];
    remarks.extend(contracts::proven(&joined, pointers)?);
    let bytes = container::write(&joined.object).map_err(|e| vec![error(e.to_string())])?;
    Ok(LinkedParts { bytes, remarks })
}
