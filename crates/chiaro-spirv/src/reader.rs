//! The state of reading a module: what is known of ids and types, and what is to be said.

use crate::error::{Fault, ReadError, Res, fail};
use crate::ids::Id;
use crate::lines::{Lines, text_at};
use crate::notes::Notes;
use crate::reading::Options;
use crate::type_info::{Part, TypeId, TypeInfo};
use crate::words::Words;
use chiaro_diag::Diagnostic;
use chiaro_ir::{Constant, Module};
use std::collections::{HashMap, HashSet};

/// A module that is being read.
pub(crate) struct Reader<'a> {
    pub(crate) words: Words<'a>,
    pub(crate) options: &'a Options,
    pub(crate) module: Module,
    pub(crate) ids: Vec<Id>,
    pub(crate) types: Vec<TypeInfo>,
    /// Members of structures.
    pub(crate) parts: Vec<Part>,
    pub(crate) notes: Notes,
    pub(crate) lines: Lines,
    /// Integer types that are signed, by id; only images ask.
    pub(crate) signed: HashSet<u32>,
    /// Numbers of specialisation constants so far.
    pub(crate) numbers: HashSet<u32>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// Entry points and their execution modes, read once functions are known.
    pub(crate) entries: Vec<usize>,
    pub(crate) modes: Vec<usize>,
    /// The constant that is decorated as the built-in workgroup size.
    pub(crate) workgroup: Option<Constant>,
    /// Ids of the variables, in the order of the module's.
    pub(crate) variables: Vec<u32>,
    /// Names of variables and functions so far.
    pub(crate) names_taken: HashSet<String>,
    /// The words of `OpFunction`.
    pub(crate) starts: Vec<usize>,
    /// By id: texts of the module that are printed.
    pub(crate) texts: HashMap<u32, u32>,
}

impl<'a> Reader<'a> {
    /// A reader that has seen nothing yet.
    pub(crate) fn new(words: Words<'a>, options: &'a Options) -> Reader<'a> {
        let bound = words.bound;
        Reader {
            options,
            module: Module::default(),
            ids: vec![Id::Unknown; bound as usize],
            types: Vec::new(),
            parts: Vec::new(),
            notes: Notes::new(bound),
            lines: Lines::default(),
            signed: HashSet::new(),
            numbers: HashSet::new(),
            warnings: Vec::new(),
            entries: Vec::new(),
            modes: Vec::new(),
            workgroup: None,
            variables: Vec::new(),
            names_taken: HashSet::new(),
            starts: Vec::new(),
            texts: HashMap::new(),
            words,
        }
    }

    /// Gives an id its meaning.
    #[inline]
    pub(crate) fn define(&mut self, id: u32, meaning: Id) -> Res<()> {
        match self.ids.get_mut(id as usize) {
            Some(slot @ Id::Unknown) => {
                *slot = meaning;
                Ok(())
            }
            Some(_) => fail(format!("id %{id} is defined twice")),
            None => fail(format!("id %{id} is not below the bound")),
        }
    }

    /// What an id stands for.
    #[inline]
    pub(crate) fn id(&self, id: u32) -> Res<Id> {
        match self.ids.get(id as usize) {
            Some(Id::Unknown) => fail(format!("id %{id} is used before it is defined")),
            Some(meaning) => Ok(*meaning),
            None => fail(format!("id %{id} is not below the bound")),
        }
    }

    /// The type that an id stands for.
    #[inline]
    pub(crate) fn type_of_id(&self, id: u32) -> Res<TypeId> {
        match self.id(id)? {
            Id::Type(ty) => Ok(ty),
            _ => fail(format!("id %{id} is no type")),
        }
    }

    /// The text that an id stands for, or empty.
    /// The number in the module of a text that is printed.
    pub(crate) fn printed(&mut self, id: u32) -> u32 {
        let text = if self.texts.contains_key(&id) { String::new() } else { self.text(id) };
        *self.texts.entry(id).or_insert_with(|| {
            self.module.texts.push(text);
            self.module.texts.len() as u32 - 1
        })
    }

    pub(crate) fn text(&self, id: u32) -> String {
        text_of(&self.words, &self.ids, id)
    }

    pub(crate) fn name(&self, id: u32) -> String {
        self.notes.name(self.words.all, id)
    }

    pub(crate) fn warn(&mut self, what: impl Into<String>) {
        self.warnings.push(Diagnostic::warning(None, what));
    }

    /// As [`warn`](Self::warn), unless it was said before.
    pub(crate) fn warn_once(&mut self, what: &str) {
        if self.warnings.len() < 100 && !self.warnings.iter().any(|w| w.message == what) {
            self.warn(what);
        }
    }

    /// A fault with its place.
    pub(crate) fn error(&self, at: usize, fault: Fault) -> ReadError {
        let op = self.words.all.get(at).map_or(0, |head| head & 0xffff);
        let opcode = spirv::Op::from_u32(op).map_or_else(|| format!("opcode {op}"), |op| format!("Op{op:?}"));
        let line = self.lines.current().map(|(file, line)| (self.text(file), line));
        ReadError { at, opcode, line, what: fault.what.into_owned(), help: fault.help }
    }
}

pub(crate) fn text_of(words: &Words<'_>, ids: &[Id], id: u32) -> String {
    let Some(&Id::Text(at)) = ids.get(id as usize) else { return String::new() };
    let inst = words.from(at as usize).step();
    inst.ok().flatten().and_then(|inst| text_at(&inst, 1)).unwrap_or_default()
}
