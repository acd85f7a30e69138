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

use crate::check::step::{self, Step};
use crate::check::tables::Steer;
use crate::container::note::Item;
use crate::container::part::{Linked, Part as Record, Role};
use crate::container::{self, CodeObject, Section, Symbol, SymbolKind};
use crate::isa::isa;
use crate::regs::LDS;
use crate::regs::file;
use crate::target::RECURSION;
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

/// The byte that a call or a jump by name leads to.
fn goes_to(step: &Step) -> Option<u64> {
    let distance = match step.steer {
        Steer::Branch(distance) => i64::from(distance),
        Steer::Call if step.name == "s_call_b64" => i64::from(step.dword as u16 as i16),
        _ => return None,
    };
    u64::try_from((i64::from(step.word) + 1 + distance) * 4).ok()
}

impl CodeObject {
    /// The function that begins at a byte of the code.
    fn begins(&self, byte: u64) -> Option<String> {
        let is_here =
            |s: &&Symbol| s.section == Section::Text && s.kind == SymbolKind::Function && s.value == byte;
        self.symbols.iter().find(is_here).map(|symbol| symbol.name.clone())
    }
}

/// Links parts.
///
/// # Errors
/// What keeps them from being one program, all of one kind at once.
pub(super) fn link(given: &[Piece], settings: &Settings) -> Result<LinkedParts, Wrong> {
    if let Some((key, _)) = settings.iter().find(|(key, _)| key != RECURSION) {
        let message = format!("parts are linked as they were compiled: `-m {key}=` changes nothing");
        return Err(vec![error(message).help("leave it out; `-m recursion=N` is what linking takes")]);
    }
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
        let document = object.document().ok_or_else(none)?;
        let record = Record::of(&document).map_err(|why| error(format!("`{name}`: {why}")))?;
        let record = record.ok_or_else(none)?;
        if !object.text.len().is_multiple_of(4) {
            let message =
                format!("`{name}`: {} bytes of code are no whole number of words", object.text.len());
            return Err(Box::new(error(message)));
        }
        let beyond = record
            .sites
            .iter()
            .find(|(at, _)| object.text.get(*at as usize..).is_none_or(|rest| rest.len() < 4));
        if let Some((at, _)) = beyond {
            let message = format!("`{name}`: its note has a call at byte {at}, and there is no code");
            return Err(Box::new(error(message)));
        }
        if let Some(f) = record.functions.iter().find(|f| f.lds > LDS) {
            let message = format!("`{name}`: `{}` asks for {} bytes of LDS, {LDS} are there", f.name, f.lds);
            return Err(Box::new(error(message)));
        }
        let mut part = Part { given, object, document, record };
        part.believe_words();
        Ok(part)
    }

    /// What the words say of who calls whom and of the registers that a wave needs counts, whatever the note says.
    fn believe_words(&mut self) {
        let steps = step::steps(&self.object.text, isa(self.record.wave));
        for f in self.record.functions.iter_mut().filter(|f| f.role != Role::Import) {
            let is_own = |s: &&Symbol| s.name == f.name && s.section == Section::Text;
            let Some(own) = self.object.symbols.iter().find(is_own) else { continue };
            let bytes = own.value..own.value.saturating_add(own.size);
            let places = self.object.relocations.iter().filter(|r| r.section == Section::Text);
            let far = places.filter(|r| bytes.contains(&r.offset)).map(|r| r.symbol.clone());
            let inside = steps.iter().filter(|step| bytes.contains(&(u64::from(step.word) * 4)));
            let near = inside.clone().filter_map(|step| {
                let name = self.object.begins(goes_to(step)?)?;
                // A loop may lead back to the begin.
                (step.steer == Steer::Call || name != f.name).then_some(name)
            });
            let called: Vec<String> = far.chain(near).collect();
            called.into_iter().for_each(|name| {
                if !f.calls.contains(&name) {
                    f.calls.push(name);
                }
            });
            let registers = inside.flat_map(|step| step.reads.iter().chain(&step.writes));
            let vectors =
                registers.filter(|(in_file, _)| *in_file == file::VGPR).map(|(_, n)| u32::from(*n) + 1);
            f.vectors = vectors.max().unwrap_or(0).max(f.vectors);
        }
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
