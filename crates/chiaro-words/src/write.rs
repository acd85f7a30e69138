//! Writing words: a module in memory, its sections in the order that SPIR-V asks for.
//!
//! A [`Builder`] keeps a list of words for each [`Part`], so that a front end may add a type,
//! a name or a capability while it writes a function. Types and constants that are asked for
//! twice are declared once. Each instruction gets the source text that was set last.

mod known;

use chiaro_diag::Span;
use spirv::{Decoration, Op, StorageClass};

use crate::instruction::HEADER;
use crate::module::Module;

pub use crate::module::Id;
use known::{Known, Said};

/// Most words that an instruction can have.
pub const MOST_WORDS: usize = 0xffff;
/// Words for which a section makes room at first: that of most small shaders, where growing by
/// doubling from nothing would take a fifth of the time.
const FIRST_WORDS: usize = 256;
/// Most bytes of a text, so that its instruction stays short enough.
const MOST_TEXT: usize = 0xfff0 * 4;

/// The sections of a module, in their order. [SPIR-V 1.6, 2.4]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// Capabilities.
    Capability,
    /// Extensions.
    Extension,
    /// Imports of instruction sets.
    Import,
    /// The memory model: one instruction.
    MemoryModel,
    /// Entry points.
    EntryPoint,
    /// Modes of entry points.
    ExecutionMode,
    /// Strings and source text.
    Source,
    /// Names.
    Name,
    /// What processed the module.
    Processed,
    /// Decorations.
    Annotation,
    /// Types, constants and global variables.
    Declaration,
    /// Functions.
    Function,
}

/// Number of sections.
const PARTS: usize = Part::Function as usize + 1;

impl Part {
    /// The section of an instruction outside of functions.
    #[must_use]
    pub fn of(op: Op) -> Part {
        match op {
            Op::Capability => Part::Capability,
            Op::Extension => Part::Extension,
            Op::ExtInstImport => Part::Import,
            Op::MemoryModel | Op::SamplerImageAddressingModeNV => Part::MemoryModel,
            Op::EntryPoint => Part::EntryPoint,
            Op::ExecutionMode | Op::ExecutionModeId => Part::ExecutionMode,
            Op::String | Op::Source | Op::SourceContinued | Op::SourceExtension => Part::Source,
            Op::Name | Op::MemberName => Part::Name,
            Op::ModuleProcessed => Part::Processed,
            _ if op.is_annotation() => Part::Annotation,
            Op::Function => Part::Function,
            _ => Part::Declaration,
        }
    }
}

/// An instruction has more words than SPIR-V can count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong {
    /// The instruction.
    pub op: Op,
    /// Its source text.
    pub span: Option<Span>,
}

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an `Op{:?}` has more than {MOST_WORDS} words, which SPIR-V does not allow", self.op)
    }
}

impl std::error::Error for TooLong {}

/// A module in the making.
#[derive(Clone, Debug)]
pub struct Builder {
    version: u32,
    next: Id,
    parts: [Section; PARTS],
    span: Option<Span>,
    in_functions: bool,
    /// Where declarations that stand once are written, by a hash of what they say.
    known: Known,
    too_long: Option<TooLong>,
}

#[derive(Clone, Debug, Default)]
struct Section {
    words: Vec<u32>,
    /// How many instructions it has.
    count: usize,
    /// Of instructions past the end of the list there is no source text.
    spans: Vec<Option<Span>>,
}

impl Section {
    /// Begins an instruction of so many words.
    fn begin(&mut self, op: Op, length: usize, span: Option<Span>) {
        if self.count == 0 {
            self.words.reserve(FIRST_WORDS);
        }
        self.words.push((length as u32) << 16 | u32::from(crate::newer::number(op)));
        if span.is_some() {
            self.spans.resize(self.count, None);
            self.spans.push(span);
        }
        self.count += 1;
    }
}

impl Builder {
    /// An empty module of SPIR-V `major.minor`.
    #[must_use]
    pub fn new(major: u8, minor: u8) -> Builder {
        Builder::resume(u32::from(major) << 16 | u32::from(minor) << 8, 1)
    }

    /// An empty module of a version word; new ids start at `bound`.
    ///
    /// Passes use it to copy a module and add to it.
    #[must_use]
    pub fn resume(version: u32, bound: Id) -> Builder {
        Builder {
            version,
            next: bound.max(1),
            parts: Default::default(),
            span: None,
            in_functions: false,
            known: Known::default(),
            too_long: None,
        }
    }

    /// The source text of the instructions that follow.
    pub fn at(&mut self, span: Option<Span>) {
        self.span = span;
    }

    /// A number that nothing else has.
    pub fn fresh(&mut self) -> Id {
        let id = self.next;
        self.next = self.next.saturating_add(1);
        id
    }

    /// Adds an instruction to a section as it is.
    pub fn push(&mut self, part: Part, op: Op, operands: &[u32]) {
        self.push_pieces(part, op, [operands, &[]]);
    }

    /// Adds an instruction whose operands stand in two places.
    fn push_pieces(&mut self, part: Part, op: Op, [head, tail]: [&[u32]; 2]) {
        if let Some(words) = self.begin(part, op, head.len() + tail.len()) {
            words.extend_from_slice(head);
            words.extend_from_slice(tail);
        }
    }

    /// Adds an instruction with a text among its operands.
    fn push_text(&mut self, part: Part, op: Op, [head, tail]: [&[u32]; 2], text: &str) {
        let text = bytes_of(text);
        if let Some(words) = self.begin(part, op, head.len() + text.len() / 4 + 1 + tail.len()) {
            words.extend_from_slice(head);
            encode_into(words, text);
            words.extend_from_slice(tail);
        }
    }

    /// Begins an instruction of so many operands, which are to be added to what is answered.
    fn begin(&mut self, part: Part, op: Op, operands: usize) -> Option<&mut Vec<u32>> {
        let length = operands + 1;
        if length > MOST_WORDS {
            self.too_long.get_or_insert(TooLong { op, span: self.span });
            return None;
        }
        let section = &mut self.parts[part as usize];
        section.begin(op, length, self.span);
        Some(&mut section.words)
    }

    /// Adds so many instructions of the function as their words, each with its length.
    pub fn function_words(&mut self, words: &[u32], count: usize) {
        let section = &mut self.parts[Part::Function as usize];
        section.words.extend_from_slice(words);
        section.count += count;
    }

    /// Adds an instruction of another module where it belongs; its ids are taken as they are.
    ///
    /// Its types and constants are found again by [`Builder::ty`] and [`Builder::constant`].
    pub fn copy(&mut self, op: Op, operands: &[u32]) {
        self.in_functions |= op == Op::Function;
        if self.in_functions {
            return self.push(Part::Function, op, operands);
        }
        let part = Part::of(op);
        match operands {
            [_, after @ ..] if is_shared_type(op) => {
                self.remember(Said { part, op, before: &[], after, has_result: true });
            }
            [ty, _, after @ ..] if is_shared_constant(op) => {
                self.remember(Said { part, op, before: &[*ty], after, has_result: true });
            }
            _ if matches!(op, Op::Capability | Op::Extension) => return self.once(part, op, operands),
            _ => {}
        }
        self.push(part, op, operands);
    }

    /// Notes that the next instruction of the part says this, if nothing has said it before.
    fn remember(&mut self, said: Said<'_>) {
        if let Err(key) = self.known.find(said, &self.parts) {
            self.known.note(key, said.part, &self.parts);
        }
    }

    /// Asks for a capability, once.
    pub fn capability(&mut self, capability: spirv::Capability) {
        self.once(Part::Capability, Op::Capability, &[capability as u32]);
    }

    /// Asks for an extension, once.
    pub fn extension(&mut self, name: &str) {
        self.once(Part::Extension, Op::Extension, &encode(name));
    }

    fn once(&mut self, part: Part, op: Op, operands: &[u32]) {
        let said = Said { part, op, before: operands, after: &[], has_result: false };
        if let Err(key) = self.known.find(said, &self.parts) {
            self.known.note(key, part, &self.parts);
            self.push(part, op, operands);
        }
    }

    /// An imported instruction set.
    pub fn import(&mut self, name: &str) -> Id {
        self.declared(Part::Import, Op::ExtInstImport, &encode(name))
    }

    /// Adds an entry point with the variables that it touches.
    pub fn entry_point(&mut self, model: spirv::ExecutionModel, function: Id, name: &str, variables: &[Id]) {
        self.push_text(Part::EntryPoint, Op::EntryPoint, [&[model as u32, function], variables], name);
    }

    /// Names a result.
    pub fn name(&mut self, id: Id, name: &str) {
        self.push_text(Part::Name, Op::Name, [&[id], &[]], name);
    }

    /// Names a member of a structure.
    pub fn member_name(&mut self, structure: Id, member: u32, name: &str) {
        self.push_text(Part::Name, Op::MemberName, [&[structure, member], &[]], name);
    }

    /// Decorates a result.
    pub fn decorate(&mut self, id: Id, decoration: Decoration, literals: &[u32]) {
        self.push_pieces(Part::Annotation, Op::Decorate, [&[id, decoration as u32], literals]);
    }

    /// The same without literals, for decorations of almost every result.
    #[inline]
    pub fn mark(&mut self, id: Id, decoration: Decoration) {
        let section = &mut self.parts[Part::Annotation as usize];
        section.begin(Op::Decorate, 3, self.span);
        section.words.extend_from_slice(&[id, decoration as u32]);
    }

    /// Decorates a member of a structure.
    pub fn decorate_member(&mut self, structure: Id, member: u32, decoration: Decoration, literals: &[u32]) {
        let head = [structure, member, decoration as u32];
        self.push_pieces(Part::Annotation, Op::MemberDecorate, [&head, literals]);
    }

    /// A type by its operands, declared at its first use.
    ///
    /// Structures, and arrays that get a stride, have an identity: use [`Builder::distinct`].
    pub fn ty(&mut self, op: Op, operands: &[u32]) -> Id {
        self.declared(Part::Declaration, op, operands)
    }

    /// A type that is like no other, however much it looks alike.
    pub fn distinct(&mut self, op: Op, operands: &[u32]) -> Id {
        let id = self.fresh();
        self.push_pieces(Part::Declaration, op, [&[id], operands]);
        id
    }

    /// A pointer type.
    pub fn pointer(&mut self, class: StorageClass, to: Id) -> Id {
        self.ty(Op::TypePointer, &[class as u32, to])
    }

    /// A constant (`OpConstant`, `OpConstantTrue`, `OpConstantComposite`, `OpConstantNull`...)
    /// by its operands, declared at its first use. Specialisation constants have an identity:
    /// use [`Builder::declare`].
    pub fn constant(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let said = Said { part: Part::Declaration, op, before: &[ty], after: operands, has_result: true };
        match self.known.find(said, &self.parts) {
            Ok(found) => found[1],
            Err(key) => {
                self.known.note(key, said.part, &self.parts);
                self.declare(op, ty, operands)
            }
        }
    }

    /// An unsigned 32-bit number.
    pub fn uint(&mut self, value: u32) -> Id {
        let ty = self.ty(Op::TypeInt, &[32, 0]);
        self.constant(Op::Constant, ty, &[value])
    }

    /// A value among the declarations: a specialisation constant, or a global variable.
    pub fn declare(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.fresh();
        self.push_pieces(Part::Declaration, op, [&[ty, id], operands]);
        id
    }

    /// A global variable; `ty` is the pointer's type.
    pub fn variable(&mut self, class: StorageClass, ty: Id) -> Id {
        self.declare(Op::Variable, ty, &[class as u32])
    }

    /// An instruction in the function, without a value.
    pub fn effect(&mut self, op: Op, operands: &[u32]) {
        self.push(Part::Function, op, operands);
    }

    /// An instruction in the function, with a value.
    pub fn value(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.fresh();
        self.push_pieces(Part::Function, op, [&[ty, id], operands]);
        id
    }

    fn declared(&mut self, part: Part, op: Op, operands: &[u32]) -> Id {
        let said = Said { part, op, before: &[], after: operands, has_result: true };
        match self.known.find(said, &self.parts) {
            Ok(found) => found[0],
            Err(key) => {
                let id = self.fresh();
                self.known.note(key, part, &self.parts);
                self.push_pieces(part, op, [&[id], operands]);
                id
            }
        }
    }

    /// The words of the module alone, without the source text of each instruction.
    ///
    /// # Errors
    /// The first instruction that had too many words.
    pub fn finish_words(self) -> Result<Vec<u32>, TooLong> {
        if let Some(error) = self.too_long {
            return Err(error);
        }
        let count: usize = self.parts.iter().map(|p| p.words.len()).sum();
        let mut words = Vec::with_capacity(HEADER + count);
        words.extend([spirv::MAGIC_NUMBER, self.version, 0, self.next, 0]);
        self.parts.iter().for_each(|part| words.extend_from_slice(&part.words));
        Ok(words)
    }

    /// The module, with an empty interface.
    ///
    /// # Errors
    /// The first instruction that had too many words.
    pub fn finish(mut self) -> Result<Module, TooLong> {
        let mut spans = Vec::with_capacity(self.parts.iter().map(|part| part.count).sum());
        for part in &mut self.parts {
            let insts = spans.len() + part.count;
            spans.append(&mut part.spans);
            spans.resize(insts, None);
        }
        Ok(Module { words: self.finish_words()?, spans, ..Module::default() })
    }
}

/// Types that are the same where their operands are.
fn is_shared_type(op: Op) -> bool {
    op == Op::ExtInstImport
        || op.is_type()
            && !matches!(op, Op::TypeStruct | Op::TypeArray | Op::TypeRuntimeArray | Op::TypeOpaque)
}

fn is_shared_constant(op: Op) -> bool {
    matches!(
        op,
        Op::Constant | Op::ConstantTrue | Op::ConstantFalse | Op::ConstantComposite | Op::ConstantNull
    )
}

/// The words of a text. It ends at a zero byte, and after 262,080 bytes, which nothing that
/// people write reaches.
#[must_use]
pub fn encode(text: &str) -> Vec<u32> {
    let bytes = bytes_of(text);
    let mut words = Vec::with_capacity(bytes.len() / 4 + 1);
    encode_into(&mut words, bytes);
    words
}

/// The bytes of a text that [`encode`] writes.
fn bytes_of(text: &str) -> &[u8] {
    let bytes = &text.as_bytes()[..text.floor_char_boundary(MOST_TEXT)];
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}

fn encode_into(words: &mut Vec<u32>, bytes: &[u8]) {
    let (whole, rest) = bytes.as_chunks::<4>();
    words.extend(whole.iter().map(|word| u32::from_le_bytes(*word)));
    words.push(rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)));
}
