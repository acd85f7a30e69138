//! A part: its file, its record, and what its words say whatever the record says.

use std::collections::HashSet;

use chiaro_diag::Diagnostic;
use chiaro_target::Piece;

use super::error;
use crate::check::flow;
use crate::check::step::{self, Step};
use crate::check::tables::Steer;
use crate::container::note::Item;
use crate::container::part::{Part as Record, Role};
use crate::container::{self, CodeObject, Section, Symbol, SymbolKind};
use crate::isa::isa;
use crate::regs::{LDS, file};

/// A part as its file has it.
pub(super) struct Part<'a> {
    given: &'a Piece,
    pub(super) object: CodeObject,
    pub(super) document: Item,
    pub(super) record: Record,
}

impl<'a> Part<'a> {
    /// Reads a part.
    ///
    /// # Errors
    /// The file is none, or its record cannot be true.
    pub(super) fn read(given: &'a Piece) -> Result<Part<'a>, Box<Diagnostic>> {
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
        if let Some(why) = untrue(&object, &record) {
            return Err(Box::new(error(format!("`{name}`: {why}"))));
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
            let inside = body(&steps, own);
            let words: HashSet<u64> = inside.iter().flat_map(|step| words(step)).collect();
            let places = self.object.relocations.iter().filter(|r| r.section == Section::Text);
            let far = places.filter(|r| words.contains(&(r.offset / 4))).map(|r| r.symbol.clone());
            let near = inside.iter().filter_map(|step| {
                let name = begins(&self.object, goes_to(step)?)?;
                // A loop may lead back to the begin.
                (step.steer == Steer::Call || name != f.name).then_some(name)
            });
            let called: Vec<String> = far.chain(near).collect();
            called.into_iter().for_each(|name| {
                if !f.calls.contains(&name) {
                    f.calls.push(name);
                }
            });
            let registers = inside.iter().flat_map(|step| step.reads.iter().chain(&step.writes));
            let vectors =
                registers.filter(|(in_file, _)| *in_file == file::VGPR).map(|(_, n)| u32::from(*n) + 1);
            f.vectors = vectors.max().unwrap_or(0).max(f.vectors);
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.given.name
    }

    pub(super) fn has_kernel(&self) -> bool {
        self.record.functions.iter().any(|f| f.role == Role::Kernel)
    }
}

/// What keeps a record from being that of a file.
fn untrue(object: &CodeObject, record: &Record) -> Option<String> {
    let bytes = object.text.len();
    if !bytes.is_multiple_of(4) {
        return Some(format!("{bytes} bytes of code are no whole number of words"));
    }
    let is_beyond = |at: &u32| object.text.get(*at as usize..).is_none_or(|rest| rest.len() < 4);
    if let Some((at, _)) = record.sites.iter().find(|(at, _)| is_beyond(at)) {
        return Some(format!("its note has a call at byte {at}, and there is no code"));
    }
    let mut names = HashSet::new();
    if let Some(f) = record.functions.iter().find(|f| !names.insert(&f.name)) {
        return Some(format!("its note has `{}` twice", f.name));
    }
    let f = record.functions.iter().find(|f| f.lds > LDS)?;
    Some(format!("`{}` asks for {} bytes of LDS, {LDS} are there", f.name, f.lds))
}

/// Instructions of a function: those that its begin leads to, and all as far as its symbol says that it goes.
fn body<'s>(steps: &'s [Step], own: &Symbol) -> Vec<&'s Step> {
    let bytes = own.value..own.value.saturating_add(own.size);
    let first = i64::try_from(own.value / 4).ok().and_then(|word| step::at(steps, word));
    let reached = flow::reached(steps, first.as_slice());
    let is_own = |step: &Step| bytes.contains(&(u64::from(step.word) * 4));
    steps
        .iter()
        .zip(reached)
        .filter(|(step, reached)| *reached || is_own(step))
        .map(|(step, _)| step)
        .collect()
}

/// The words of an instruction, by their numbers.
fn words(step: &Step) -> std::ops::Range<u64> {
    let first = u64::from(step.word);
    first..first + u64::from(step.length)
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

/// The function of an object that begins at a byte of its code.
fn begins(object: &CodeObject, byte: u64) -> Option<String> {
    let is_here =
        |s: &&Symbol| s.section == Section::Text && s.kind == SymbolKind::Function && s.value == byte;
    object.symbols.iter().find(is_here).map(|symbol| symbol.name.clone())
}
