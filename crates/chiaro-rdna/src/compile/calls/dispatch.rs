//! Which functions serve lanes that want different ones (spec section 18.6).
//!
//! ```text
//! fn @f(%0: i32, %1: i32) -> i32 {        ->    dispatch fn @f(..) { .. }
//!   if %2 { return %1 } else { exit }           and so @g, or all that %p may be
//!   %3 = call @g(%4, %5)        lanes that are done wait here for the others
//!   return %3
//! }
//! ```
//!
//! A call behind which a function ends needs no place to come back to. Where all lanes make it, a jump does
//! (`select::tail`). Where some do, or each its own, lanes go on from the function that they are in: so that function and
//! those that they may go on to have to be such that go over what lanes want. It is worth that where the call leads back
//! to the function, for such chains are long, and where lanes have pointers of their own, which need a loop otherwise.
//!
//! Before: the optimiser has run. After: [`Function::dispatches`] is set of such functions, and of all that pointers may
//! lead to in their place.

use chiaro_ir::{Function, FunctionRef, Inst, Linkage, Module, Op, Ty, Uniformity, Variance, uniformity};
use chiaro_opt::{Changed, Cx};

use crate::abi::convention::{Convention, Seat, SystemParameter};
use crate::compile::calls::ends::tails;
use crate::compile::select::control::parts_lanes;

/// Whether a convention says where lanes have what they want, and where it stands that runs.
#[must_use]
pub fn has_places(convention: &Convention) -> bool {
    let both = [SystemParameter::DivergentPc, SystemParameter::UniformPc];
    both.into_iter().all(|parameter| convention.system.seat(parameter) != Seat::Absent)
}

/// Marks the functions that an entry point reaches; asked of any other it does nothing.
pub fn dispatch(module: &mut Module, f: FunctionRef, cx: &mut Cx<'_>) -> Changed {
    let pointed = chiaro_opt::pointed_at(module, f);
    let is_entry = module.entries.iter().any(|entry| entry.function == f);
    if !is_entry || pointed.is_empty() && chiaro_opt::recursive(module, f).is_empty() {
        return Changed::No;
    }
    let mut others = chiaro_opt::reached(module, f);
    others.retain(|&other| other != f);
    // Lanes that are done wait at the end of what all returns leave.
    let mut whole = module.clone();
    for &other in &others {
        let _ = chiaro_opt::single_return(&mut whole, other, cx);
    }
    let known = uniformity(&whole);
    let module_of = Calls { module: &whole, pointed: &pointed };
    let found: Vec<FunctionRef> =
        others.iter().flat_map(|&other| module_of.gone_on(other, &known[other.0 as usize])).collect();
    found.iter().for_each(|f| module.function_mut(*f).dispatches = true);
    (!found.is_empty()).into()
}

struct Calls<'a> {
    module: &'a Module,
    /// Functions that pointers lead to.
    pointed: &'a [FunctionRef],
}

impl Calls<'_> {
    /// A function with all that its lanes go on to, and with what may stand in the place of any; nothing if they do not.
    fn gone_on(&self, number: FunctionRef, known: &Uniformity) -> Vec<FunctionRef> {
        let f = self.module.function(number);
        let mut found = Vec::new();
        for call in tails(f) {
            let to = self.callees(f, call);
            let together = self.together(number, &to);
            let is_alike = |other: &FunctionRef| {
                let other = self.module.function(*other);
                other.linkage == Linkage::Own && signature(other) == signature(f)
            };
            if !to.is_empty() && together.iter().all(is_alike) && self.pays((number, f), (call, &to), known) {
                found.extend(together);
            }
        }
        found
    }

    fn callees(&self, f: &Function, call: Inst) -> Vec<FunctionRef> {
        match f.op(call) {
            Op::Call(callee) => vec![callee],
            _ => chiaro_opt::targets(self.module, self.pointed, f.ty(f.args(call)[0])),
        }
    }

    /// A function, those that it goes on to, and all of its type that pointers lead to: what dispatches is told by the type.
    fn together(&self, number: FunctionRef, to: &[FunctionRef]) -> Vec<FunctionRef> {
        let alike = chiaro_opt::alike(self.module, self.pointed, number);
        to.iter().copied().chain([number]).chain(alike).collect()
    }

    /// Whether lanes have pointers of their own, or only some of them go where they come back here.
    fn pays(
        &self,
        (number, f): (FunctionRef, &Function),
        (call, to): (Inst, &[FunctionRef]),
        known: &Uniformity,
    ) -> bool {
        let differs = |value| known.value(value) == Variance::Lane;
        let comes_back =
            || to.iter().any(|to| chiaro_opt::with_callees(self.module, *to, self.pointed).contains(&number));
        f.op(call) == Op::CallIndirect && differs(f.args(call)[0])
            || parts_lanes(f, call, &differs) && comes_back()
    }
}

/// The types of what a function takes, and of its result.
pub(super) fn signature(f: &Function) -> (Vec<Ty>, Ty) {
    (f.param_types(), f.result)
}
