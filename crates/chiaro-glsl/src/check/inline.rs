//! Words of SPIR-V in the source: instructions as functions, decorations, modes. What they mean
//! is the source's affair; here their numbers are taken. [GL_EXT_spirv_intrinsics]

use super::checker::Checker;
use super::overload::Param;
use super::state::{Place, Qualifiers};
use crate::ast::{SpirvArg, SpirvArgs, SpirvWord};
use crate::builtin::When;
use crate::hir::{ExprId, ExprKind, FunctionId};
use crate::inline::{
    SpirvDecoration, SpirvInstruction, SpirvMode, SpirvNeeds, SpirvOperand, SpirvParam, SpirvType, SpirvValue,
};
use crate::token::At;
use crate::ty::{ForeignId, Opaque, Scalar, Ty, Type};

impl<'a> Checker<'a> {
    /// A qualifier: an instruction, a decoration, or how a parameter is passed.
    pub(super) fn spirv_qualifier(
        &mut self,
        word: SpirvWord,
        args: &'a SpirvArgs,
        at: At,
        all: &mut Qualifiers,
    ) {
        let (used, decorations) = (&mut all.spirv, &mut all.layout.decorations);
        match word {
            SpirvWord::ByReference => used.passed = Some(SpirvParam::Pointer),
            SpirvWord::Literal => used.passed = Some(SpirvParam::Literal),
            SpirvWord::Instruction => {
                let needs = self.spirv_needs(args);
                let Some(id) = args.id else {
                    self.error(at, "an instruction needs its number: `id = 61`");
                    return;
                };
                let Some(number) = self.spirv_number(id) else { return };
                if args.set.is_none() && spirv::Op::from_u32(number).is_none() {
                    self.error(at, format!("SPIR-V has no instruction {number} that is known here"));
                }
                let params = Vec::new();
                used.instruction = Some(SpirvInstruction { needs, set: args.set, number, params });
            }
            SpirvWord::Decorate | SpirvWord::DecorateString | SpirvWord::DecorateId => {
                decorations.extend(self.spirv_decoration(word, args, at));
            }
            SpirvWord::StorageClass => self.spirv_storage(args, at, all),
            SpirvWord::Mode | SpirvWord::ModeId => {}
        }
    }

    /// `spirv_storage_class(...)`
    fn spirv_storage(&mut self, args: &'a SpirvArgs, at: At, all: &mut Qualifiers) {
        let needs = self.spirv_needs(args);
        let [SpirvArg::Value(number)] = *args.list.as_slice() else {
            self.error(at, "a storage class is one number");
            return;
        };
        let Some(number) = self.spirv_number(number) else { return };
        let Some(class) = spirv::StorageClass::from_u32(number) else {
            self.error(at, format!("SPIR-V has no storage class {number} that is known here"));
            return;
        };
        all.layout.spirv = Some(needs);
        self.place(all, Place::Spirv(class), "spirv_storage_class", When::ALWAYS, true, at);
    }

    fn spirv_decoration(&mut self, word: SpirvWord, args: &'a SpirvArgs, at: At) -> Option<SpirvDecoration> {
        let needs = self.spirv_needs(args);
        let Some((SpirvArg::Value(number), rest)) = args.list.split_first() else {
            self.error(at, "a decoration needs its number first");
            return None;
        };
        let number = self.spirv_number(*number)?;
        let values = match word {
            SpirvWord::DecorateId => self.spirv_ids(rest, at)?,
            _ => self.spirv_values(rest, at)?,
        };
        Some(SpirvDecoration { needs, number, values })
    }

    /// `spirv_execution_mode(...);`
    pub(super) fn spirv_mode(&mut self, word: SpirvWord, args: &'a SpirvArgs, at: At) {
        let needs = self.spirv_needs(args);
        let Some((SpirvArg::Value(number), rest)) = args.list.split_first() else {
            self.error(at, "an execution mode needs its number first");
            return;
        };
        let (Some(number), Some(values)) = (self.spirv_number(*number), self.spirv_values(rest, at)) else {
            return;
        };
        let by_id = word == SpirvWord::ModeId;
        self.modes.spirv.push(SpirvMode { needs, number, by_id, values });
    }

    /// Variables and constants that a decoration names.
    fn spirv_ids(&mut self, args: &[SpirvArg], at: At) -> Option<Vec<SpirvValue>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let &SpirvArg::Value(written) = arg else {
                self.error(at, "a variable or constant is expected");
                return None;
            };
            let value = self.expr(written);
            let fixed = self.bits(value).is_some() || self.is_spec(value);
            if !fixed && !matches!(self.at(value).kind, ExprKind::Global(_)) {
                let at = self.at(value).at;
                self.error(at, "this must be a variable of the outermost level or a constant");
                return None;
            }
            values.push(SpirvValue::Id(value));
        }
        Some(values)
    }

    fn spirv_needs(&mut self, args: &SpirvArgs) -> SpirvNeeds {
        let mut capabilities = Vec::with_capacity(args.capabilities.len());
        for &written in &args.capabilities {
            let Some(number) = self.spirv_number(written) else { continue };
            match spirv::Capability::from_u32(number) {
                Some(capability) => capabilities.push(capability),
                None => {
                    let at = self.ast.exprs[written.0 as usize].at;
                    self.error(at, format!("SPIR-V has no capability {number} that is known here"));
                }
            }
        }
        SpirvNeeds { extensions: args.extensions.clone(), capabilities }
    }

    /// `spirv_type(id = 22, 16)`: a type of the language where SPIR-V's is that of one.
    pub(super) fn spirv_type(&mut self, args: &'a SpirvArgs, at: At) -> Ty {
        let needs = self.spirv_needs(args);
        let Some(id) = args.id else {
            self.error(at, "a type needs the number of its instruction: `id = 22`");
            return self.known.error;
        };
        let Some(number) = self.spirv_number(id) else { return self.known.error };
        let mut operands = Vec::with_capacity(args.list.len());
        for arg in &args.list {
            operands.push(match arg {
                SpirvArg::Type(spec) => SpirvOperand::Type(self.resolve(spec, &[])),
                SpirvArg::Value(written) => match self.spirv_number(*written) {
                    Some(number) => SpirvOperand::Number(number),
                    None => return self.known.error,
                },
                SpirvArg::Text(_) => {
                    self.error(at, "a type takes numbers and types");
                    return self.known.error;
                }
            });
        }
        if operands.contains(&SpirvOperand::Type(self.known.error)) {
            return self.known.error;
        }
        match (spirv::Op::from_u32(number), language_type(number, &operands)) {
            (_, Some(known)) => self.types.intern(known),
            (Some(op), None) if op.is_type() => self.foreign(SpirvType { needs, number, operands }),
            _ => {
                self.error(at, format!("instruction {number} of SPIR-V declares no type that is known here"));
                self.known.error
            }
        }
    }

    fn foreign(&mut self, ty: SpirvType) -> Ty {
        let known = self.types.foreign.iter().position(|known| *known == ty);
        let place = known.unwrap_or_else(|| {
            self.types.foreign.push(ty);
            self.types.foreign.len() - 1
        });
        self.types.intern(Type::Foreign(ForeignId(place as u32)))
    }

    fn spirv_values(&mut self, args: &'a [SpirvArg], at: At) -> Option<Vec<SpirvValue>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match arg {
                SpirvArg::Text(text) => SpirvValue::Text(*text),
                SpirvArg::Value(written) => SpirvValue::Number(self.spirv_number(*written)?),
                SpirvArg::Type(spec) => {
                    self.error(spec.at, "a number or text is expected here, not a type");
                    return None;
                }
            });
        }
        let texts = values.iter().filter(|value| matches!(value, SpirvValue::Text(_))).count();
        if texts != 0 && texts != values.len() {
            self.error(at, "numbers and texts cannot be mixed here");
            return None;
        }
        Some(values)
    }

    /// The word of a constant: an integer, a float's bits or a truth value.
    fn spirv_number(&mut self, written: crate::ast::ExprId) -> Option<u32> {
        let value = self.expr(written);
        if self.is_error(value) {
            return None;
        }
        let word = self.spirv_word(value);
        if word.is_none() {
            let at = self.at(value).at;
            self.error(at, "this must be a constant of 32 bits or fewer");
        }
        word
    }

    fn spirv_word(&self, value: ExprId) -> Option<u32> {
        let shape = self.numeric(self.ty_of(value)).filter(|shape| shape.is_scalar())?;
        let small = !matches!(shape.scalar, Scalar::Double | Scalar::Int64 | Scalar::Uint64);
        self.bits(value).and_then(<[u64]>::first).map(|&bits| bits as u32).filter(|_| small)
    }

    /// Makes a function the instruction that its qualifier says.
    pub(super) fn declare_instruction(
        &mut self,
        id: FunctionId,
        instruction: SpirvInstruction,
        params: Vec<SpirvParam>,
    ) {
        let number = self.instructions.len() as u32;
        self.instructions.push(SpirvInstruction { params, ..instruction });
        self.functions[id.0 as usize].instruction = Some(number);
    }

    /// Calls an instruction.
    pub(super) fn call_instruction(
        &mut self,
        number: u32,
        args: Vec<ExprId>,
        params: &[Param],
        ty: Ty,
        at: At,
    ) -> ExprId {
        let passed = self.instructions.get(number as usize).map(|known| known.params.clone());
        let passed = passed.unwrap_or_default();
        let mut made = Vec::with_capacity(args.len());
        for (n, (arg, param)) in args.into_iter().zip(params).enumerate() {
            made.push(match passed.get(n) {
                Some(SpirvParam::Pointer) => {
                    if !self.at(arg).kind.is_place() {
                        let at = self.at(arg).at;
                        self.error(at, "an argument by reference must be a variable");
                    }
                    arg
                }
                Some(SpirvParam::Literal) => {
                    let arg = self.convert(arg, param.ty);
                    if self.spirv_word(arg).is_none() {
                        let at = self.at(arg).at;
                        self.error(at, "a literal argument must be a constant of 32 bits or fewer");
                    }
                    arg
                }
                _ => self.convert(arg, param.ty),
            });
        }
        self.push(ExprKind::Spirv(number, made), ty, None, at)
    }
}

/// The language's own type that an instruction declares, so that both are one.
fn language_type(number: u32, operands: &[SpirvOperand]) -> Option<Type> {
    use SpirvOperand::Number;
    use spirv::Op;
    let scalar = match (Op::from_u32(number)?, operands) {
        (Op::TypeRayQueryKHR, []) => return Some(Type::Opaque(Opaque::RayQuery)),
        (Op::TypeAccelerationStructureKHR, []) => return Some(Type::Opaque(Opaque::AccelerationStructure)),
        (Op::TypeVoid, []) => return Some(Type::Void),
        (Op::TypeBool, []) => Scalar::Bool,
        (Op::TypeFloat, [Number(16)]) => Scalar::Float16,
        (Op::TypeFloat, [Number(32)]) => Scalar::Float,
        (Op::TypeFloat, [Number(64)]) => Scalar::Double,
        (Op::TypeInt, [Number(8), Number(0)]) => Scalar::Uint8,
        (Op::TypeInt, [Number(8), Number(1)]) => Scalar::Int8,
        (Op::TypeInt, [Number(16), Number(0)]) => Scalar::Uint16,
        (Op::TypeInt, [Number(16), Number(1)]) => Scalar::Int16,
        (Op::TypeInt, [Number(32), Number(0)]) => Scalar::Uint,
        (Op::TypeInt, [Number(32), Number(1)]) => Scalar::Int,
        (Op::TypeInt, [Number(64), Number(0)]) => Scalar::Uint64,
        (Op::TypeInt, [Number(64), Number(1)]) => Scalar::Int64,
        _ => return None,
    };
    Some(Type::Scalar(scalar))
}
