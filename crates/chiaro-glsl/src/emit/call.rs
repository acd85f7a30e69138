//! Calls: copies in, copies back, opaque arguments.

use chiaro_words::write::Id;
use spirv::Op;

use crate::hir::{ExprId, FunctionId, Passing, Program};
use crate::ty::Type;

use super::arith::Typed;
use super::emitter::Emitter;
use super::state::Place;

impl<'a> Emitter<'a> {
    /// Calls a function of the source. Arguments that are written go through variables, whose
    /// values are copied back from left to right.
    pub(super) fn call(&mut self, id: FunctionId, args: &[ExprId]) -> Id {
        let program: &'a Program = self.program;
        let function = &program.functions[id.0 as usize];
        let (mut operands, mut handles, mut back) = (Vec::new(), Vec::new(), Vec::new());
        for ((&arg, passing), local) in args.iter().zip(&function.params).zip(&function.locals) {
            let ty = self.what(local.ty);
            match passing {
                Passing::In => {
                    let value = self.typed(arg);
                    operands.push(self.convert(value, &ty));
                }
                Passing::Handle => {
                    if !self.is_place(arg) {
                        return self.fail("an opaque argument must be a variable");
                    }
                    let place = self.place(arg);
                    operands.extend(place.chain.iter().filter(|l| l.dynamic.is_some()).map(|l| l.id));
                    handles.push(place);
                }
                Passing::Out | Passing::Inout => {
                    let place = self.place(arg);
                    let own = self.what(program.exprs[arg.0 as usize].ty);
                    let copy = self.temporary(ty);
                    if *passing == Passing::Inout {
                        let value = Typed { id: self.load(&place), ty: own };
                        let value = self.convert(value, &ty);
                        self.store(&copy, value);
                    }
                    operands.push(copy.base);
                    back.push((place, own, copy));
                }
            }
        }
        let target = self.instance(id, handles);
        let result = self.what(function.result);
        let result = self.plain_ty(&result);
        let operands: Vec<Id> = std::iter::once(target).chain(operands).collect();
        let value = self.op(Op::FunctionCall, result, &operands);
        for (place, own, copy) in back {
            self.copy_back(&place, &own, &copy);
        }
        value
    }

    fn copy_back(&mut self, place: &Place, own: &Type, copy: &Place) {
        let value = Typed { id: self.load(copy), ty: copy.ty };
        let value = self.convert(value, own);
        self.store(place, value);
    }
}
