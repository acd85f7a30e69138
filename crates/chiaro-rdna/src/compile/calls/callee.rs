//! A function as its callers see it.

use chiaro_ir::{Function, Module, Ty, Type, Uniformity, Variance};

use crate::abi::convention::{Convention, Keeping, SystemParameter};
use crate::abi::interface::Argument;
use crate::abi::partition::{File, Files, Span};
use crate::abi::place::{Hints, NoPlace, Place, Placed, Placement, kept, place};
use crate::abi::signature::{Parameter, Signature};

/// What a kernel found when it began and hands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// A scalar argument.
    Argument(Argument),
    /// The number of the thread in its group, in a dimension.
    Thread(u8),
}

/// A scalar that travels: how many bits it has, whether it is a bool, whether all lanes have the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// 16 (or fewer), 32 or 64.
    pub bits: u8,
    /// A truth value.
    pub is_bool: bool,
    /// In scalar registers.
    pub in_wave: bool,
}

/// What the code of a function turned out to need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// Registers that it or those that it calls write.
    pub written: Files<Vec<bool>>,
    /// Bytes of a lane that its own frame takes.
    pub frame: u32,
    /// Bytes of a lane's stack from its own stack pointer on, those of its callees included; 0 for none.
    pub depth: u32,
    /// Whether it calls others and comes back from them.
    pub nests: bool,
}

/// A function that is called.
#[derive(Clone, Debug)]
pub struct Callee {
    /// What it has agreed on.
    pub convention: Convention,
    /// Whether callers rely on what it writes in truth, and not on what it may write.
    pub is_fitted: bool,
    /// Its parameters: what kernels hand on, its own, results that take no parameter's place.
    pub signature: Signature,
    /// Where they stand.
    pub placement: Placement,
    /// What kernels hand on, in the order of the signature.
    pub given: Vec<Given>,
    /// By parameter in the IR: its scalars, each with its number in the signature.
    pub parameters: Vec<Vec<(usize, Scalar)>>,
    /// The same of the result.
    pub results: Vec<(usize, Scalar)>,
    /// Known once it is compiled.
    pub made: Option<Made>,
}

/// Whether values of a type that all lanes share travel in scalar registers: integers and bools. Floats are computed
/// by lanes.
#[must_use]
pub fn is_of_wave(module: &Module, ty: Ty) -> bool {
    match module.types.part_count(ty) {
        Some(count) => {
            (0..count).filter_map(|n| module.types.part(ty, n)).all(|part| is_of_wave(module, part))
        }
        None => !module.types.is_float(ty),
    }
}

/// The scalars of a type that travels.
fn scalars(module: &Module, ty: Ty, in_wave: bool, found: &mut Vec<Scalar>) {
    match module.types.part_count(ty) {
        Some(count) => {
            let parts = (0..count).filter_map(|n| module.types.part(ty, n));
            parts.for_each(|part| scalars(module, part, in_wave, found));
        }
        None => {
            let is_bool = module.types.is_bool(ty);
            let bits = if is_bool { 32 } else { module.types.bits(ty).unwrap_or(64) };
            found.push(Scalar { bits, is_bool, in_wave });
        }
    }
}

impl Scalar {
    fn parameter(self, name: String) -> Parameter {
        // A bool of the wave is a number.
        let bits = if self.is_bool && !self.in_wave { 1 } else { u16::from(self.bits.max(32)) };
        Parameter { name, bits, components: 1, uniform: self.in_wave, discardable: true, returned: false }
    }
}

impl Callee {
    /// A function by what is known of its values, with what its body and its callees need of the kernel's arguments.
    ///
    /// # Errors
    /// The convention has no place for it.
    pub fn new(
        module: &Module,
        f: &Function,
        known: &Uniformity,
        (convention, given, wave): (Option<&Convention>, Vec<Given>, u8),
    ) -> Result<Callee, NoPlace> {
        let is_fitted = convention.is_none();
        let convention = convention.cloned().unwrap_or_else(Convention::closed);
        let mut signature = Signature::default();
        for (n, &given) in given.iter().enumerate() {
            signature.parameters.push(handed_on(given, n, !is_fitted));
        }
        let travels = |ty: Ty, variance: Variance| {
            let mut found = Vec::new();
            scalars(module, ty, variance != Variance::Lane && is_of_wave(module, ty), &mut found);
            found
        };
        let mut parameters = Vec::new();
        if f.dispatches {
            parameters.extend(wanted(&mut signature));
        }
        let first = signature.parameters.len();
        for &value in &f.params[parameters.len()..] {
            let mut numbers = Vec::new();
            for scalar in travels(f.ty(value), known.value(value)) {
                let n = signature.parameters.len();
                signature.parameters.push(scalar.parameter(format!("a{}", n - first)));
                numbers.push((n, scalar));
            }
            parameters.push(numbers);
        }
        let is_void = *module.types.get(f.result) == Type::Void;
        let returned = if is_void { Vec::new() } else { travels(f.result, known.result) };
        let results = match f.dispatches {
            true => in_place(&mut signature, &parameters, returned),
            false => results(&mut signature, given.len(), returned),
        };
        let placement = place(&convention, &signature, wave, &Hints::default())?;
        Ok(Callee { convention, is_fitted, signature, placement, given, parameters, results, made: None })
    }

    /// Bytes of a lane that its parameters on the stack take, with what stands before them so that its own part begins
    /// where the convention lets it.
    #[must_use]
    pub fn stack_room(&self) -> u32 {
        self.placement.stack_bytes.next_multiple_of(u32::from(self.convention.stack.alignment.max(1)))
    }

    /// Bytes from the end of its caller's frame to a parameter on the stack.
    #[must_use]
    pub fn behind(&self, offset: u32) -> i32 {
        (self.stack_room() - self.placement.stack_bytes + offset) as i32
    }

    /// The first registers of what lanes want and of who runs, where it goes over lanes that want different functions.
    #[must_use]
    pub fn dispatch(&self) -> Option<[u16; 2]> {
        let both = [SystemParameter::DivergentPc, SystemParameter::UniformPc];
        let takes =
            |system: &SystemParameter| self.signature.parameters.iter().any(|p| p.name == system.name());
        both.iter().all(takes).then(|| both.map(|system| self.system(system)))
    }

    /// Where a parameter stands, by its number.
    #[must_use]
    pub fn placed(&self, n: usize) -> Option<&Placed> {
        self.placement.get(&self.signature.parameters.get(n)?.name)
    }

    /// The first register of a parameter of the system.
    #[must_use]
    pub fn system(&self, parameter: SystemParameter) -> u16 {
        self.placement.system(parameter).unwrap_or(0)
    }

    /// The first of the two scalars in which a pointer to it stands at a call: those of the return address, unless that stays
    /// where it is; then such that it does not keep and that hold nothing else. `None` where there are none.
    #[must_use]
    pub fn pointer_pair(&self) -> Option<u16> {
        let back = self.system(SystemParameter::ReturnAddress);
        if self.convention.return_stack().is_none() {
            return Some(back);
        }
        let mut taken = self.kept().sgpr;
        taken[usize::from(back)..usize::from(back) + 2].fill(true);
        for (first, size) in self.placement.parameters.iter().filter_map(|placed| match register(placed)? {
            (File::Sgpr, first) => Some((first, placed.size)),
            _ => None,
        }) {
            taken[usize::from(first)..usize::from(first + size)].fill(true);
        }
        let pairs = (0..self.convention.limit.sgpr.saturating_sub(1)).step_by(2);
        pairs.into_iter().find(|&n| !taken[usize::from(n)] && !taken[usize::from(n) + 1])
    }

    /// Registers of each file that it has to leave as they are.
    #[must_use]
    pub fn kept(&self) -> Files<Vec<bool>> {
        kept(&self.convention, &self.signature, &self.placement)
    }

    /// Registers of each file in which its callers find anything.
    #[must_use]
    pub fn clobbered(&self) -> Files<Vec<bool>> {
        let kept = self.kept();
        let back = self.system(SystemParameter::ReturnAddress);
        let mut all = match &self.made {
            Some(made) if self.is_fitted => made.written.clone(),
            _ => Files::each(|file| kept.of(file).iter().map(|kept| !kept).collect()),
        };
        (0..2).for_each(|half| all.sgpr[usize::from(back + half)] = true);
        all
    }

    /// Whether calls have to hand over a stack pointer. Who agreed on a convention always does.
    #[must_use]
    pub fn has_stack(&self) -> bool {
        let needs = self.made.as_ref().is_none_or(|made| made.depth > 0);
        needs || self.placement.stack_bytes > 0 || !self.is_fitted
    }

    /// The convention that it keeps: what it writes in truth, where that is what its callers rely on.
    #[must_use]
    pub fn kept_convention(&self) -> Convention {
        if !self.is_fitted {
            return self.convention.clone();
        }
        let clobbered = self.clobbered();
        let ranges = Files::each(|file| {
            let limit = *self.convention.limit.of(file);
            let mut spans: Vec<Span> = Vec::new();
            for n in (0..limit).filter(|n| !clobbered.of(file)[usize::from(*n)]) {
                match spans.last_mut() {
                    Some(span) if span.last + 1 == n => span.last = n,
                    _ => spans.push(Span { first: n, last: n }),
                }
            }
            spans
        });
        Convention { keeping: Keeping::Ranges(ranges), ..self.convention.clone() }
    }
}

/// What lanes want, and who runs, as parameters of a function that dispatches: by their names they are the system's.
fn wanted(signature: &mut Signature) -> [Vec<(usize, Scalar)>; 2] {
    [SystemParameter::DivergentPc, SystemParameter::UniformPc].map(|system| {
        let scalar = Scalar { bits: 64, is_bool: false, in_wave: !system.is_divergent() };
        signature.parameters.push(scalar.parameter(system.name().to_owned()));
        vec![(signature.parameters.len() - 1, scalar)]
    })
}

/// Gives results the places of parameters: what lanes want that of what they wanted, the others those behind both in their
/// order.
fn in_place(
    signature: &mut Signature,
    parameters: &[Vec<(usize, Scalar)>],
    scalars: Vec<Scalar>,
) -> Vec<(usize, Scalar)> {
    let places = parameters.iter().enumerate().filter(|(n, _)| *n != 1).flat_map(|(_, numbers)| numbers);
    let results: Vec<(usize, Scalar)> = places.zip(scalars).map(|(&(n, _), scalar)| (n, scalar)).collect();
    for &(n, _) in &results {
        (signature.parameters[n].returned, signature.parameters[n].discardable) = (true, false);
    }
    results
}

/// A kernel's argument as a parameter, which callers need again, or may.
fn handed_on(given: Given, n: usize, stays: bool) -> Parameter {
    let (name, size, uniform) = match given {
        Given::Argument(argument) => (argument.name(), argument.size(), true),
        Given::Thread(axis) => (format!("thread_{}", ["x", "y", "z"][usize::from(axis.min(2))]), 1, false),
    };
    let name = format!("{name}.{n}");
    Parameter { name, bits: 32, components: size, uniform, discardable: !stays, returned: false }
}

/// Gives results their places: those of parameters that the callee is given, as far as they are alike.
fn results(signature: &mut Signature, own: usize, scalars: Vec<Scalar>) -> Vec<(usize, Scalar)> {
    let mut numbers = Vec::new();
    for scalar in scalars {
        let wanted = scalar.parameter(String::new());
        let alike = |p: &Parameter| !p.returned && (p.bits, p.uniform) == (wanted.bits, wanted.uniform);
        let found = signature.parameters.iter().skip(own).position(alike).map(|n| n + own);
        let n = found.unwrap_or(signature.parameters.len());
        if found.is_none() {
            signature.parameters.push(scalar.parameter(format!("r{}", numbers.len())));
        }
        (signature.parameters[n].returned, signature.parameters[n].discardable) = (true, false);
        numbers.push((n, scalar));
    }
    numbers
}

/// Registers of a placed parameter: file, the first.
#[must_use]
pub fn register(placed: &Placed) -> Option<(File, u16)> {
    match placed.place {
        Place::Register { first, .. } => Some((placed.file, first)),
        Place::Stack(_) => None,
    }
}
