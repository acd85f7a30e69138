//! Legality: what is not legal IR is reported where the source has it, with the reason.

use chiaro_diag::Diagnostic;
use chiaro_ir::{Def, Function, FunctionRef, Inst, Module, Op, Space, Ty, Type, Value, Walk};

use super::counters::counted;
use chiaro_opt::lower::{Native, number};

/// What a function has that no pass makes legal: to be reported before any pass runs, when the
/// source is still at hand.
#[must_use]
pub fn unsupported(module: &Module, f: FunctionRef) -> Vec<Diagnostic> {
    let f = module.function(f);
    let found =
        Walk::insts(f).filter_map(|inst| Fault::of(module, f, inst).map(|fault| fault.report(f, inst)));
    found.collect()
}

/// What a function has that is not legal IR; nothing after the passes, unless the machine
/// cannot do it.
#[must_use]
pub fn illegal(module: &Module, f: FunctionRef) -> Vec<Diagnostic> {
    let f = module.function(f);
    let checker = Checker { module, f, counting: counting(module, f) };
    let found = Walk::insts(f).filter_map(|inst| {
        let fault = Fault::of(module, f, inst).or_else(|| checker.fault(inst));
        fault.map(|fault| fault.report(f, inst))
    });
    found.collect()
}

/// Something that the machine does not have, and what to do instead.
struct Fault {
    message: String,
    help: Option<&'static str>,
}

impl Fault {
    fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), help: None }
    }

    fn help(message: impl Into<String>, help: &'static str) -> Fault {
        Fault { message: message.into(), help: Some(help) }
    }

    fn report(self, f: &Function, inst: Inst) -> Diagnostic {
        let error = Diagnostic::error(f.inst(inst).span, self.message);
        match self.help {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// What is wrong with an instruction in any IR.
    fn of(module: &Module, f: &Function, inst: Inst) -> Option<Fault> {
        let op = f.op(inst);
        by_operation(op).or_else(|| by_type(module, f, inst)).or_else(|| by_place(module, f, inst))
    }
}

/// Operations that this machine cannot have.
fn by_operation(op: Op) -> Option<Fault> {
    use Op::*;
    Some(match op {
        SampledImage | ImageOf | Sample(_) | Fetch | ImageRead | ImageWrite | TexelPointer
        | ImageQuery(_) => Fault::help(
            "the vertex processors of the PICA200 cannot reach textures",
            "pass the value as an attribute or a uniform",
        ),
        Ddx | Ddy | DdxFine | DdyFine | DdxCoarse | DdyCoarse => Fault::help(
            "a vertex has no neighbours to take a derivative from",
            "take it in the fragment part, or pass it as an attribute",
        ),
        Demote | Terminate | IsHelper => Fault::help(
            "a vertex cannot be discarded",
            "put it outside of the clip volume, for example at w = -1",
        ),
        Atomic(..) | AtomicCompare(..) | AtomicLoad(..) | AtomicStore(..) => Fault::help(
            "the vertex processors of the PICA200 cannot write memory",
            "results leave as outputs only",
        ),
        ControlBarrier(..) | MemoryBarrier(..) | Clock(_) => {
            let what = format!("every vertex is computed alone: there is no `{}`", op.info().name);
            Fault::help(what, "leave it out: there is nobody to wait for")
        }
        Elect | VoteAll | VoteAny | VoteEqual | Ballot | InverseBallot | BallotBit | BallotCount(_)
        | BallotLsb | BallotMsb | Broadcast | BroadcastFirst | LaneShuffle | LaneXor | LaneUp | LaneDown
        | LaneRotate(_) | LaneCombine(..) | QuadBroadcast | QuadSwap(_) => Fault::help(
            "every vertex is computed alone: there are no subgroups",
            "what vertices share has to be a uniform",
        ),
        EmitVertex(1..) | EndPrimitive(1..) => {
            Fault::help("geometry programs of the PICA200 have one stream", "send everything to stream 0")
        }
        TraceRay | ReportHit | ExecuteCallable | RayQuery(_) | EndHit(_) => {
            Fault::help("the PICA200 traces no rays", "let the application trace them and pass what they hit")
        }
        CallIndirect => Fault::help(
            "a function cannot be called through a value on the PICA200",
            "choose among calls by name with `if` or `switch`",
        ),
        ArrayLength(_) => Fault::help(
            "there are no arrays of unknown length on the PICA200",
            "give the array a length, or pass the length as a uniform",
        ),
        FQuantize16 => Fault::help(
            "half precision cannot be made on the PICA200: its floats have 24 bits",
            "leave the conversion out",
        ),
        Bitcast => Fault::help(
            "the bits of a number cannot be taken for another type on the PICA200",
            "its registers hold 24-bit floats and nothing else",
        ),
        UMulHigh | SMulHigh | UAddCarry | USubBorrow => Fault::help(
            "this needs integers of 32 bits",
            "the PICA200 computes with 24-bit floats, which hold integers up to 131072",
        ),
        BitCount | BitReverse | FindLsb | FindUMsb | FindSMsb => Fault::help(
            "the PICA200 has no operations on single bits",
            "divide by powers of two and take remainders, or pass what is counted as a uniform",
        ),
        _ => return None,
    })
}

/// Types that this machine cannot have.
fn by_type(module: &Module, f: &Function, inst: Inst) -> Option<Fault> {
    let values = f.results(inst).chain(f.args(inst).iter().copied());
    values.into_iter().find_map(|v| {
        let types = &module.types;
        Some(match *types.get(types.scalar(f.ty(v))) {
            Type::Float(64) => Fault::help(
                "double precision is not possible on the PICA200",
                "its floats have 24 bits: 17 significant ones",
            ),
            Type::Float(16) => {
                Fault::help("16-bit floats are not possible on the PICA200", "use 32-bit ones")
            }
            Type::Int(width @ (8 | 16 | 64)) => Fault {
                message: format!("{width}-bit integers are not possible on the PICA200"),
                help: Some("use 32-bit ones, which are exact up to 131072"),
            },
            _ => return None,
        })
    })
}

/// Memory that this machine cannot have, and inputs that nothing supplies.
fn by_place(module: &Module, f: &Function, inst: Inst) -> Option<Fault> {
    let op = f.op(inst);
    if !matches!(op, Op::Load | Op::Store | Op::Copy) {
        return None;
    }
    let pointer = *f.args(inst).first()?;
    let (space, _) = module.types.pointee(f.ty(pointer))?;
    match space {
        Space::Storage | Space::Device | Space::Image | Space::Workgroup => {
            return Some(Fault::help(
                "the vertex processors of the PICA200 have no buffers",
                "pass what is read as uniforms (96 vectors) or as attributes",
            ));
        }
        Space::Input => {}
        _ => return None,
    }
    let global = module.global(module.variable_of(f, pointer)?);
    let builtin = global.binding.builtin?;
    Some(match builtin {
        5 | 42 | 4424 => {
            Fault::help("vertices are not numbered on the PICA200", "pass the number as an attribute")
        }
        6 | 43 | 4425 | 4426 => {
            Fault::help("there are no instances on the PICA200", "draw each one by itself")
        }
        _ => Fault::help(
            format!("nothing gives `{}` (built-in {builtin}) a value on the PICA200", global.name),
            "pass the value as an attribute or a uniform",
        ),
    })
}

/// Values of loop counters that LOOP serves.
fn counting(module: &Module, f: &Function) -> Vec<Value> {
    let mut found = Vec::new();
    for inst in Walk::insts(f).filter(|&inst| f.op(inst) == Op::Loop) {
        let (Some(counted), &[body, continuing]) = (counted(module, f, inst), f.blocks_of(inst)) else {
            continue;
        };
        let params = || [counted.param].into_iter().chain(counted.index);
        found.extend(params().map(|param| f.block(body).params[param]));
        found.extend(f.block(continuing).params.iter().filter(|&&v| module.types.is_int(f.ty(v))));
        found.extend(f.args(counted.test).first());
        let next = f.block(continuing).insts.last().map_or(&[][..], |&repeat| f.args(repeat));
        found.extend(params().filter_map(|param| next.get(param)));
    }
    found
}

struct Checker<'a> {
    module: &'a Module,
    f: &'a Function,
    counting: Vec<Value>,
}

impl Checker<'_> {
    fn fault(&self, inst: Inst) -> Option<Fault> {
        let op = self.f.op(inst);
        match op {
            Op::If | Op::Loop | Op::Block => self.by_bools(inst),
            _ if op.is_exit() => self.by_bools(inst).or_else(|| self.by_aggregates(inst)),
            Op::Load | Op::Store => self.by_memory(inst),
            Op::Access => self.by_index(inst),
            Op::SToF => self.by_integer(inst),
            Op::FToS | Op::EmitVertex(0) | Op::EndPrimitive(0) => None,
            Op::Native(n) => match Native::of(n) {
                Some(native) if !native.is_scalar() || self.components(inst) == 1 => None,
                _ => Some(Fault::new(format!("native operation {n} does not exist"))),
            },
            _ if is_legal(op) => self.by_bools(inst).or_else(|| self.by_aggregates(inst)),
            Op::FEq | Op::FNe | Op::FLt | Op::FLe | Op::IsNan | Op::IsInf | Op::And | Op::Or | Op::Not
                if self.components(inst) == 1 && self.is_bool(inst) =>
            {
                None
            }
            _ if self.f.result_of(inst).is_some_and(|v| self.counting.contains(&v)) => None,
            Op::IAdd if self.f.args(inst).iter().all(|&v| self.is_index(v)) => None,
            Op::IMul | Op::LShr => Some(Fault::help(
                "this needs integers of more than 17 bits, which the PICA200 does not have",
                "it holds them as floats: they are exact up to 131072",
            )),
            Op::Call(_) => Some(Fault::help(
                "a function is left that cannot be put in the place of its call",
                "it calls itself, or the program is too large for 512 words of code",
            )),
            Op::Var(_) => {
                Some(Fault::new("a local variable is left in memory, which the PICA200 does not have"))
            }
            Op::And | Op::Or | Op::Xor => Some(Fault::help(
                "bits of two numbers cannot be combined on the PICA200, unless one is a constant with few runs of ones",
                "its registers hold floats; use arithmetic, or bools",
            )),
            _ => Some(Fault::new(format!("the PICA200 has no exact form of `{}` here", op.info().name))),
        }
    }

    fn components(&self, inst: Inst) -> u8 {
        self.f.result_of(inst).map_or(0, |v| self.module.types.components(self.f.ty(v)))
    }

    fn is_bool(&self, inst: Inst) -> bool {
        self.f.result_of(inst).is_some_and(|v| self.module.types.is_bool(self.f.ty(v)))
    }

    fn is_constant(&self, v: Value) -> bool {
        matches!(self.f.def(v), Def::Constant(_))
    }

    /// Whether a value can be an index: a constant, a float's, a counter, or one of these
    /// plus a constant.
    fn is_index(&self, v: Value) -> bool {
        let plain = |v: Value| {
            self.is_constant(v)
                || self.counting.contains(&v)
                || matches!(self.f.def(v), Def::Result(inst, _) if self.f.op(inst) == Op::FToS)
        };
        plain(v)
            || matches!(self.f.def(v), Def::Result(inst, _)
                if self.f.op(inst) == Op::IAdd && self.f.args(inst).iter().all(|&v| plain(v)))
    }

    fn by_index(&self, inst: Inst) -> Option<Fault> {
        let indices = self.f.args(inst).iter().skip(1);
        let outside = self.f.result_of(inst).and_then(|v| self.module.types.pointee(self.f.ty(v)));
        let dynamic = indices.clone().any(|&v| !self.is_constant(v));
        match outside {
            Some((Space::Input, _)) if dynamic => Some(Fault::help(
                "attributes cannot be indexed by a number that is computed",
                "the index register reaches uniforms only",
            )),
            _ if indices.into_iter().all(|&v| self.is_index(v)) => None,
            _ => Some(Fault::new("an index is no number that the PICA200 can compute")),
        }
    }

    /// Bools are for conditions only.
    fn by_bools(&self, inst: Inst) -> Option<Fault> {
        let asks = self.f.op(inst) == Op::If;
        let bools = self.f.args(inst).iter().filter(|_| !asks).copied().chain(self.f.results(inst));
        let mut bools = bools.filter(|&v| self.module.types.is_bool(self.f.ty(v)));
        bools.next().map(|_| Fault::new(format!("a bool is left in `{}`", self.f.op(inst).info().name)))
    }

    fn by_aggregates(&self, inst: Inst) -> Option<Fault> {
        let plain = |ty: Ty| self.module.types.is_float(ty) && self.module.types.components(ty) > 0;
        let all = self.f.args(inst).iter().copied().chain(self.f.results(inst));
        let mut rest = all.filter(|&v| !plain(self.f.ty(v)) && !self.counting.contains(&v));
        let first = rest.next()?;
        // A counter starts from a constant.
        if self.is_constant(first) && self.module.types.is_int(self.f.ty(first)) {
            return None;
        }
        Some(Fault::new(format!(
            "`{}` is left with a value that fits no register",
            self.f.op(inst).info().name
        )))
    }

    fn by_memory(&self, inst: Inst) -> Option<Fault> {
        let pointer = *self.f.args(inst).first()?;
        let (space, to) = self.module.types.pointee(self.f.ty(pointer))?;
        let is_load = self.f.op(inst) == Op::Load;
        if self.module.types.components(to) == 0 {
            return Some(Fault::new("a value that fits no register is moved as a whole"));
        }
        match (space, is_load) {
            (Space::Input | Space::Uniform | Space::UniformConstant | Space::PushConstant, true)
            | (Space::Output, false) => None,
            (Space::Output, true) => Some(Fault::new("outputs cannot be read on the PICA200")),
            _ => Some(Fault::new("a variable is left in memory, which the PICA200 does not have")),
        }
    }

    /// Only what is loaded is an integer that a register holds as a float.
    fn by_integer(&self, inst: Inst) -> Option<Fault> {
        let &v = self.f.args(inst).first()?;
        match self.f.def(v) {
            Def::Constant(c) => {
                let n = number(self.module, c).map_or(String::new(), |n| format!(" {n}"));
                Some(Fault {
                    message: format!("the integer{n} is not exact in the PICA200's floats"),
                    help: Some("they have 17 significant bits: integers are exact up to 131072"),
                })
            }
            // What made it is reported.
            _ => None,
        }
    }
}

/// Operations of legal IR on floats. Two of them the optimiser finds behind legalisation.
fn is_legal(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        FAdd | FSub
            | FMul
            | Fma
            | FNeg
            | FAbs
            | FMin
            | FMax
            | FClamp
            | FFloor
            | FFract
            | FDot
            | Construct
            | Extract(_)
            | Insert(_)
            | Shuffle(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::legalize::samples::{legal, shader};
    use chiaro_diag::FileId;
    use chiaro_ir::Builder;

    const HERE: chiaro_diag::Span = chiaro_diag::Span { file: FileId(0), start: 3, end: 9 };

    /// A shader whose value is made at a known place.
    fn at_a_place(build: impl FnOnce(&mut Builder<'_>, Value) -> Value) -> Module {
        shader(1, |b, args| {
            b.span = Some(HERE);
            build(b, args[0])
        })
    }

    #[test]
    fn what_can_never_be_is_told_first_and_where() {
        let module = at_a_place(|b, x| {
            let f64 = b.types().intern(Type::Float(64));
            let wide = b.convert(Op::FToF, x, f64);
            let f32 = b.ty(x);
            b.convert(Op::FToF, wide, f32)
        });
        let found = unsupported(&module, FunctionRef(0));
        assert!(found[0].message.contains("double precision"), "{found:?}");
        assert_eq!(found[0].span, Some(HERE));

        #[allow(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general in its lifetime"
        )]
        let module = at_a_place(|b, x| b.ddx(x));
        assert!(unsupported(&module, FunctionRef(0))[0].message.contains("derivative"));

        let module = at_a_place(|b, x| {
            let i32 = b.types().intern(Type::Int(32));
            let bits = b.bitcast(x, i32);
            let f32 = b.ty(x);
            b.convert(Op::SToF, bits, f32)
        });
        assert!(unsupported(&module, FunctionRef(0))[0].message.contains("bits of a number"));
    }

    #[test]
    fn what_has_no_exact_form_is_told_afterwards() {
        let integers = |build: fn(&mut Builder<'_>, Value) -> Value| {
            let module = at_a_place(|b, x| {
                let (i32, f32) = (b.types().intern(Type::Int(32)), b.ty(x));
                let n = b.convert(Op::FToS, x, i32);
                let n = build(b, n);
                b.convert(Op::SToF, n, f32)
            });
            assert!(unsupported(&module, FunctionRef(0)).is_empty());
            illegal(&legal(&module), FunctionRef(0))
        };
        let found = integers(|b, n| {
            let m = b.iadd(n, n);
            b.xor(n, m)
        });
        assert!(found[0].message.contains("bits of two numbers"), "{found:?}");
        assert_eq!(found[0].span, Some(HERE));
        let found = integers(|b, n| {
            let large = b.i32(1_000_003);
            b.iadd(n, large)
        });
        assert!(found[0].message.contains("1000003 is not exact"), "{found:?}");
        let found = integers(|b, n| {
            let large = b.u32(u32::MAX);
            b.umin(n, large)
        });
        assert!(found[0].message.contains("umin"), "{found:?}");
        let found = integers(|b, n| b.iadd(n, n));
        assert!(found.is_empty(), "{found:?}");
    }
}
