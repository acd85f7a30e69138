//! Parts from files to a program in a file: they are read, held against each other, and joined.
//!
//! | step | refuses |
//! |---|---|
//! | [`read`](Part::read) | what is no part |
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
mod place;

use chiaro_diag::Diagnostic;
use chiaro_target::{LinkedParts, Piece, Settings};

use crate::container::note::{self, Item};
use crate::container::part::{Linked, Part as Record, Role};
use crate::container::{self, CodeObject};
use names::Names;

/// A part as its file has it.
struct Part<'a> {
    given: &'a Piece,
    object: CodeObject,
    document: Item,
    record: Record,
}

type Wrong = Vec<Diagnostic>;

fn error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(None, message)
}

/// Links parts.
///
/// # Errors
/// What keeps them from being one program, all of one kind at once.
pub(super) fn link(given: &[Piece], settings: &Settings) -> Result<LinkedParts, Wrong> {
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
    remarks.extend(contracts::proven(&joined)?);
    let bytes = container::write(&joined.object).map_err(|e| vec![error(e.to_string())])?;
    Ok(LinkedParts { bytes, remarks })
}

impl<'a> Part<'a> {
    fn read(given: &'a Piece) -> Result<Part<'a>, Box<Diagnostic>> {
        let name = &given.name;
        if let Some(role) = &given.role {
            let message = format!("`{role}={name}`: parts of this machine say themselves what they have");
            return Err(Box::new(error(message).help("name the file alone")));
        }
        let object = container::read(&given.bytes).map_err(|e| error(format!("`{name}`, {e}")))?;
        let none = || {
            let message = format!("`{name}` does not say what its functions agree on with others");
            let help = "compile it so that it is a part: with functions that others call (`--library`), or that others have";
            Box::new(error(message).help(help))
        };
        let document = object.note.as_deref().and_then(|bytes| note::read(bytes).ok()).ok_or_else(none)?;
        let record = Record::of(&document).map_err(|why| error(format!("`{name}`: {why}")))?;
        let record = record.ok_or_else(none)?;
        if !object.text.len().is_multiple_of(4) {
            let message =
                format!("`{name}`: {} bytes of code are no whole number of words", object.text.len());
            return Err(Box::new(error(message)));
        }
        Ok(Part { given, object, document, record })
    }

    fn name(&self) -> &str {
        &self.given.name
    }

    fn has_kernel(&self) -> bool {
        self.own().any(|f| f.role == Role::Kernel)
    }

    /// Its functions that have bodies here.
    fn own(&self) -> impl Iterator<Item = &Linked> {
        self.record.functions.iter().filter(|f| f.role != Role::Import)
    }
}
