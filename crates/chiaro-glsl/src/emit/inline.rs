//! Words of SPIR-V that the source brings itself. [GL_EXT_spirv_intrinsics]

use chiaro_words::write::{Id, Part, encode};
use spirv::Op;

use crate::hir::{ExprId, ExprKind, Program};
use crate::inline::{SpirvDecoration, SpirvNeeds, SpirvOperand, SpirvParam, SpirvValue};
use crate::ty::{ForeignId, Scalar, Type};

use super::emitter::Emitter;
use super::state::{Link, Root};

impl<'a> Emitter<'a> {
    pub(super) fn spirv_needs(&mut self, needs: &SpirvNeeds) {
        for &extension in &needs.extensions {
            self.out.extension(self.symbols.text(extension));
        }
        let addresses = spirv::Capability::PhysicalStorageBufferAddresses;
        if needs.capabilities.contains(&addresses) {
            self.references.announce();
            self.out.extension("SPV_KHR_physical_storage_buffer");
        }
        for &capability in &needs.capabilities {
            self.out.capability(capability);
        }
    }

    /// A type of the source.
    pub(super) fn foreign_ty(&mut self, id: ForeignId) -> Id {
        let program: &'a Program = self.program;
        let Some(ty) = program.types.foreign.get(id.0 as usize) else {
            return self.fail("a type is used that nothing declares");
        };
        self.spirv_needs(&ty.needs);
        let mut operands = Vec::with_capacity(ty.operands.len());
        for operand in &ty.operands {
            operands.push(match *operand {
                SpirvOperand::Number(number) => number,
                SpirvOperand::Type(ty) => {
                    let ty = self.what(ty);
                    self.plain_ty(&ty)
                }
            });
        }
        match Op::from_u32(ty.number) {
            Some(op) => self.out.ty(op, &operands),
            None => self.fail("a type has a number that is not known"),
        }
    }

    /// Whether a type of the source asks for addresses.
    pub(super) fn brings_addresses(&self) -> bool {
        let addresses = spirv::Capability::PhysicalStorageBufferAddresses;
        self.program.types.foreign.iter().any(|ty| ty.needs.capabilities.contains(&addresses))
    }

    /// Calls an instruction of the source.
    pub(super) fn spirv_call(&mut self, number: u32, args: &[ExprId], ty: &Type) -> Id {
        let program: &'a Program = self.program;
        let Some(instruction) = program.instructions.get(number as usize) else {
            return self.fail("an instruction is called that nothing declares");
        };
        self.spirv_needs(&instruction.needs);
        let mut operands = Vec::with_capacity(args.len() + 2);
        if let Some(set) = instruction.set {
            operands.extend([self.out.import(self.symbols.text(set)), instruction.number]);
        }
        for (n, &arg) in args.iter().enumerate() {
            operands.push(match instruction.params.get(n) {
                Some(SpirvParam::Literal) => self.constant_index(arg).unwrap_or(0),
                Some(SpirvParam::Pointer) => self.spirv_pointer(arg),
                _ => self.value(arg),
            });
        }
        let op = match instruction.set {
            Some(_) => Some(Op::ExtInst),
            None => Op::from_u32(instruction.number),
        };
        let Some(op) = op else { return self.fail("an instruction has a number that is not known") };
        // Instructions of a set have a value even if it is `void`.
        if *ty == Type::Void && instruction.set.is_none() {
            self.effect(op, &operands);
            return 0;
        }
        let ty = self.plain_ty(ty);
        self.op(op, ty, &operands)
    }

    /// A pointer to a place; one component of a vector is memory of its own.
    fn spirv_pointer(&mut self, e: ExprId) -> Id {
        let mut place = self.place(e);
        if let (Some((components, 1)), Type::Vector(scalar, _)) = (place.pick, place.ty) {
            let index = self.out.uint(components[0].into());
            place.chain.push(Link::fixed(index));
            place.ty = Type::Scalar(scalar);
        } else if place.pick.is_some() {
            return self.fail("several components cannot be passed by reference");
        }
        self.pointer(&place)
    }

    /// Decorates what was declared with decorations of the source.
    pub(super) fn spirv_decorate(&mut self, id: Id, decorations: &[SpirvDecoration]) {
        for decoration in decorations {
            self.spirv_needs(&decoration.needs);
            let texts = decoration.values.iter().any(|value| matches!(value, SpirvValue::Text(_)));
            let ids = decoration.values.iter().any(|value| matches!(value, SpirvValue::Id(_)));
            let op = match (texts, ids) {
                (true, _) => Op::DecorateString,
                (_, true) => Op::DecorateId,
                _ => Op::Decorate,
            };
            let mut operands = vec![id, decoration.number];
            operands.extend(self.spirv_words(&decoration.values));
            self.out.push(Part::Annotation, op, &operands);
        }
    }

    /// Modes of the source.
    pub(super) fn spirv_modes(&mut self, main: Id) {
        let program: &'a Program = self.program;
        for mode in &program.modes.spirv {
            self.spirv_needs(&mode.needs);
            let mut operands = vec![main, mode.number];
            let words = self.spirv_words(&mode.values);
            let op = if mode.by_id { Op::ExecutionModeId } else { Op::ExecutionMode };
            if mode.by_id {
                operands.extend(words.iter().map(|&word| self.scalar_constant(Scalar::Uint, word.into())));
            } else {
                operands.extend(words);
            }
            self.out.push(Part::ExecutionMode, op, &operands);
        }
    }

    /// The id of a variable or constant that stands outside of functions.
    fn spirv_id(&mut self, e: ExprId) -> Id {
        let expr = &self.program.exprs[e.0 as usize];
        match &expr.kind {
            ExprKind::Global(id) => match self.globals.get(id.0 as usize) {
                Some(Root::Place(place)) => place.base,
                _ => self.fail("a decoration names a variable that nothing uses"),
            },
            ExprKind::Spec(id) => self.specs.get(id.0 as usize).copied().unwrap_or(0),
            ExprKind::Constant(bits) => {
                let ty = self.what(expr.ty);
                self.constant(&ty, bits)
            }
            _ => self.fail("a variable or constant is expected"),
        }
    }

    fn spirv_words(&mut self, values: &[SpirvValue]) -> Vec<u32> {
        let mut words = Vec::with_capacity(values.len());
        for value in values {
            match *value {
                SpirvValue::Number(number) => words.push(number),
                SpirvValue::Id(e) => words.push(self.spirv_id(e)),
                SpirvValue::Text(text) => words.extend(encode(self.symbols.text(text))),
            }
        }
        words
    }
}
