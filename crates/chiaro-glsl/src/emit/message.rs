//! Messages to the host: printed ones, and those that end the shader.

use chiaro_words::newer;
use chiaro_words::write::{Id, Part, encode};
use spirv::{Capability, Decoration, Op};

use crate::hir::ExprId;
use crate::token::Symbol;
use crate::ty::{Scalar, Type};

use super::arith::Typed;
use super::emitter::Emitter;
use crate::numeric::Num;

/// The set of instructions that mean nothing to the program itself, and its one instruction.
const PRINTF: (&str, u32) = ("NonSemantic.DebugPrintf", 1);
/// Bytes of a message's text; more cannot be counted by one constant.
const MOST_TEXT: usize = 0xff00;

impl Emitter<'_> {
    /// `debugPrintfEXT`: a string of the module, and the values as they are.
    pub(super) fn print(&mut self, text: Symbol, args: &[ExprId]) -> Id {
        self.out.extension("SPV_KHR_non_semantic_info");
        let set = self.out.import(PRINTF.0);
        let string = self.out.fresh();
        let mut operands = vec![string];
        operands.extend(encode(self.symbols.text(text)));
        self.out.push(Part::Source, Op::String, &operands);
        let mut operands = vec![set, PRINTF.1, string];
        operands.extend(args.iter().map(|&arg| self.value(arg)));
        let void = self.plain_ty(&Type::Void);
        self.op(Op::ExtInst, void, &operands)
    }

    /// The operands of an abort: the message's type, a structure of its text and all numbers one
    /// behind another, and its value.
    pub(super) fn abort_message(&mut self, text: Symbol, args: &[ExprId]) -> [Id; 2] {
        self.out.extension("SPV_KHR_abort");
        // The extension of aborts asks for this one too. [SPV_KHR_abort]
        self.out.extension("SPV_KHR_constant_data");
        self.out.copy(Op::Capability, &[newer::ABORT_CAPABILITY]);
        let values: Vec<Typed> = args.iter().map(|&arg| self.typed(arg)).collect();
        let mut leaves = Vec::new();
        for value in values {
            self.leaves(value, &mut leaves);
        }
        let bytes = self.symbols.text(text).len().min(MOST_TEXT);
        let room = (bytes + 1).next_multiple_of(4) as u32;
        let (text_ty, text) = self.text_constant(text, room);
        let mut members = vec![text_ty];
        let mut parts = vec![text];
        let (mut offset, mut offsets) = (room, vec![0]);
        for leaf in leaves {
            let Some(num) = Num::of(&leaf.ty) else { continue };
            let size = num.scalar.bits() / 8 * u32::from(num.rows);
            let align = num.scalar.bits() / 8 * if num.rows == 3 { 4 } else { num.rows.into() };
            offset = offset.next_multiple_of(align.max(1));
            offsets.push(offset);
            offset = offset.saturating_add(size);
            members.push(self.num_ty(num));
            parts.push(leaf.id);
        }
        let message = self.out.distinct(Op::TypeStruct, &members);
        for (i, offset) in offsets.into_iter().enumerate() {
            self.out.decorate_member(message, i as u32, Decoration::Offset, &[offset]);
        }
        let value = self.op(Op::CompositeConstruct, message, &parts);
        [message, value]
    }

    /// A text as an array of bytes, zeros behind: its type and value.
    fn text_constant(&mut self, text: Symbol, room: u32) -> (Id, Id) {
        self.out.capability(Capability::Int8);
        let mut bytes = self.symbols.text(text).as_bytes().to_vec();
        bytes.resize(room as usize, 0);
        let byte = self.num_ty(Num::scalar(Scalar::Int8));
        let length = self.out.uint(room);
        let array = self.out.distinct(Op::TypeArray, &[byte, length]);
        self.out.decorate(array, Decoration::ArrayStride, &[1]);
        // A literal that is narrower than a word is extended with its sign.
        let ids: Vec<Id> = bytes
            .iter()
            .map(|&b| self.out.constant(Op::Constant, byte, &[i32::from(b as i8) as u32]))
            .collect();
        let value = self.out.constant(Op::ConstantComposite, array, &ids);
        (array, value)
    }

    /// The scalars and vectors of a value in order. Truth values become numbers.
    fn leaves(&mut self, value: Typed, to: &mut Vec<Typed>) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if self.error.is_some() || to.len() > MOST_TEXT {
                self.fail("a message has too many parts");
                return;
            }
            match Num::of(&value.ty) {
                Some(num) if num.scalar == Scalar::Bool => {
                    let ty = Num { scalar: Scalar::Uint, ..num }.ty();
                    to.push(Typed { id: self.convert(value, &ty), ty });
                }
                Some(num) if !num.is_matrix() => to.push(value),
                _ => {
                    let parts = self.parts(&value.ty);
                    let mut inner = Vec::with_capacity(parts.len());
                    for (i, ty) in parts.into_iter().enumerate() {
                        let part = self.plain_ty(&ty);
                        let id = self.op(Op::CompositeExtract, part, &[value.id, i as u32]);
                        inner.push(Typed { id, ty });
                    }
                    open.extend(inner.into_iter().rev());
                }
            }
        }
    }
}
