//! The road through a module: head, types and constants, functions.

use crate::error::{Fault, ReadError, Res, fail};
use crate::ids::{Id, Set};
use crate::lines::text_at;
use crate::reader::{Reader, text_of};
use crate::reading::{Options, Reading};
use crate::words::{Inst, Words, between};
use crate::{entry, function, interface};
use chiaro_diag::{SourceMap, Span};
use chiaro_ir::FunctionRef;
use spirv::{NonsemanticShaderDebuginfo100Op as Debug100, Op};

/// Reads a whole module.
pub(crate) fn read(
    words: &[u32],
    spans: &[Option<Span>],
    options: &Options,
    sources: &mut SourceMap,
) -> Result<Reading, ReadError> {
    let words = Words::new(words)?;
    let mut reader = Reader::new(words, options);
    reader.lines.give(by_word(&reader.words, spans));
    reader.each(Reader::head)?;
    reader.notes.seal();
    reader.lines.no_line();
    reader.each(Reader::declare)?;
    reader.announce_functions()?;
    for i in 0..reader.starts.len() {
        let at = reader.starts[i];
        function::read(&mut reader, at).map_err(|(at, fault)| reader.error(at, fault))?;
    }
    entry::finish(&mut reader).map_err(|(at, fault)| reader.error(at, fault))?;
    Ok(reader.finish(sources))
}

/// The spans of instructions by the word that each starts at.
fn by_word(words: &Words<'_>, spans: &[Option<Span>]) -> Vec<(usize, Span)> {
    let mut instructions = words.instructions();
    let mut given = Vec::new();
    for span in spans {
        let at = instructions.at();
        let Ok(Some(_)) = instructions.step() else { break };
        given.extend(span.map(|span| (at, span)));
    }
    given
}

impl Reader<'_> {
    /// Calls a pass for every instruction; a fault gets its place.
    fn each(&mut self, pass: fn(&mut Self, &Inst<'_>, Op) -> Res<()>) -> Result<(), ReadError> {
        let mut instructions = self.words.instructions();
        loop {
            let at = instructions.at();
            let inst = match instructions.step() {
                Ok(Some(inst)) => inst,
                Ok(None) => return Ok(()),
                Err(fault) => return Err(self.error(at, fault)),
            };
            let Some(op) = inst.opcode() else {
                return Err(self.error(at, Fault::from(format!("opcode {} is unknown", inst.op))));
            };
            pass(self, &inst, op).map_err(|fault| self.error(at, fault))?;
        }
    }

    /// First pass: names, decorations, strings and where functions start.
    fn head(&mut self, inst: &Inst<'_>, op: Op) -> Res<()> {
        match op {
            Op::String => self.define(inst.word(0)?, Id::Text(inst.at as u32)),
            Op::Source => {
                self.lines.source(inst);
                Ok(())
            }
            Op::SourceContinued => {
                self.lines.source_continued(&text_at(inst, 0).unwrap_or_default());
                Ok(())
            }
            Op::ExtInstImport => self.define(inst.word(0)?, Id::Set(Set::named(&inst.text(1)?.0))),
            Op::MemoryModel => entry::check_model(inst.word(0)?, inst.word(1)?),
            Op::EntryPoint => {
                self.entries.push(inst.at);
                entry::check_stage(inst.word(0)?)
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                self.modes.push(inst.at);
                Ok(())
            }
            Op::Line => {
                self.lines.line(inst.word(0)?, inst.word(1)?, inst.word(2)?);
                Ok(())
            }
            Op::NoLine => {
                self.lines.no_line();
                Ok(())
            }
            Op::Function => {
                self.starts.push(inst.at);
                Ok(())
            }
            _ => self.notes.read(inst, op),
        }
    }

    /// Second pass: types, constants and variables, up to the first function.
    fn declare(&mut self, inst: &Inst<'_>, op: Op) -> Res<()> {
        if self.starts.first().is_some_and(|&start| inst.at >= start) {
            return Ok(());
        }
        match op {
            Op::Line => {
                self.lines.line(inst.word(0)?, inst.word(1)?, inst.word(2)?);
                Ok(())
            }
            Op::NoLine => {
                self.lines.no_line();
                Ok(())
            }
            Op::TypeForwardPointer => self.announce_pointer(inst),
            Op::Variable => self.declare_variable(inst),
            Op::ExtInst => self.declare_extended(inst),
            Op::Undef => self.declare_undef(inst),
            _ if is_type(op) => self.declare_type(inst, op),
            _ if is_constant(op) => self.declare_constant(inst, op),
            _ if is_head(op) => Ok(()),
            _ => fail(format!("Op{op:?} does not belong here")),
        }
    }

    /// An extended instruction outside of functions: debug information.
    fn declare_extended(&mut self, inst: &Inst<'_>) -> Res<()> {
        match self.id(inst.word(2)?)? {
            Id::Set(Set::Debug) => self.debug_information(inst)?,
            Id::Set(Set::Silent | Set::Print) => {}
            _ => return fail("an extended instruction that computes stands outside of a function"),
        }
        self.define(inst.word(1)?, Id::Ignored)
    }

    /// A piece of `NonSemantic.Shader.DebugInfo.100`; only what names lines is of interest.
    pub(crate) fn debug_information(&mut self, inst: &Inst<'_>) -> Res<()> {
        match Debug100::from_u32(inst.word(3)?) {
            Some(Debug100::DebugSource) => {
                let text = inst.word(5).ok().map(|id| self.text(id));
                self.lines.debug_source(inst.word(1)?, inst.word(4)?, text);
            }
            Some(Debug100::DebugSourceContinued) => {
                let more = self.text(inst.word(4)?);
                self.lines.source_continued(&more);
            }
            Some(Debug100::DebugLine) => {
                let (line, column) = (self.constant_u32(inst.word(5)?)?, self.constant_u32(inst.word(7)?)?);
                self.lines.debug_line(inst.word(4)?, line, column);
            }
            Some(Debug100::DebugNoLine) => self.lines.no_line(),
            Some(_) => {}
            None => self.warn_once(&format!("debug instruction {} is unknown and ignored", inst.word(3)?)),
        }
        Ok(())
    }

    /// Gives every function its number, so that calls may come before the callee.
    fn announce_functions(&mut self) -> Result<(), ReadError> {
        for i in 0..self.starts.len() {
            let at = self.starts[i];
            self.announce_function(i, at).map_err(|fault| self.error(at, fault))?;
        }
        Ok(())
    }

    fn announce_function(&mut self, i: usize, at: usize) -> Res<()> {
        let Some(inst) = self.words.from(at).step()? else { return Ok(()) };
        let result = self.type_of_id(inst.word(0)?)?;
        self.define(inst.word(1)?, Id::Function(FunctionRef(i as u32), result))
    }

    fn finish(mut self, sources: &mut SourceMap) -> Reading {
        for i in 0..self.notes.unknown.len() {
            let kind = self.notes.unknown[i];
            self.warn(format!("decoration {kind} is unknown and ignored"));
        }
        let interface = interface::build(&self);
        let Reader { words, ids, lines, mut module, warnings, .. } = self;
        lines.finish(|id| text_of(&words, &ids, id), sources, &mut module);
        Reading { module, interface, warnings }
    }
}

fn is_type(op: Op) -> bool {
    between(op, Op::TypeVoid, Op::TypePipe)
        || matches!(
            op,
            Op::TypeAccelerationStructureKHR
                | Op::TypeRayQueryKHR
                | Op::TypeCooperativeMatrixKHR
                | Op::TypeHitObjectNV
                | Op::TypeHitObjectEXT
                | Op::TypeUntypedPointerKHR
        )
}

fn is_constant(op: Op) -> bool {
    between(op, Op::ConstantTrue, Op::SpecConstantOp)
        || matches!(
            op,
            Op::ConstantCompositeReplicateEXT
                | Op::SpecConstantCompositeReplicateEXT
                | Op::ConstantFunctionPointerINTEL
        )
}

/// Instructions of the module's head that the first pass has taken, or that say nothing
/// about its meaning.
fn is_head(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::SourceContinued
            | Op::Source
            | Op::SourceExtension
            | Op::Name
            | Op::MemberName
            | Op::String
            | Op::Extension
            | Op::ExtInstImport
            | Op::MemoryModel
            | Op::EntryPoint
            | Op::ExecutionMode
            | Op::ExecutionModeId
            | Op::Capability
            | Op::Decorate
            | Op::MemberDecorate
            | Op::DecorationGroup
            | Op::GroupDecorate
            | Op::GroupMemberDecorate
            | Op::DecorateId
            | Op::DecorateString
            | Op::MemberDecorateString
            | Op::ModuleProcessed
    )
}
