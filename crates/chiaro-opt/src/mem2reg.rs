//! Promotes variables of the function to SSA values.
//!
//! ```text
//! %0 = var function 1                    (gone)
//! if %c { store %0, 2 exit }             %1: i32 = if %c { exit 2 }
//! else { exit }                          else { exit 1 }
//! %1 = load %0                           (what took %1 takes the result)
//! ```
//!
//! True before: nothing; `sroa` first leaves more to promote. True after: every
//! variable whose address is only loaded from and stored to is gone: its value is a result of the
//! constructs that change it, and a parameter of the loops that do. A component of a vector that
//! is stored is an insert, one that is loaded an extract. A variable without a value at its start
//! is `undef`. `dce` removes results that nothing uses.

use crate::{Changed, Cx};
use chiaro_ir::{
    ConstantKind, Draft, Forward, Function, FunctionRef, Inst, Module, Op, Space, Step, Tour, Ty, Type,
    Value, Walk,
};

/// Promotes all variables that can be.
pub fn mem2reg(module: &mut Module, f: FunctionRef, _: &mut Cx<'_>) -> Changed {
    let variables = Variables::find(module, module.function(f));
    if variables.types.is_empty() {
        return Changed::No;
    }
    let result = module.function(f).result;
    let function = std::mem::replace(module.function_mut(f), Function::new("", &[], result));
    let current = variables.types.iter().map(|_| Value(0)).collect();
    let mut promoter = Promoter {
        module,
        stored: stores(&function, &variables),
        f: function,
        variables,
        current,
        frames: Vec::new(),
        forward: Forward::new(),
        draft: Draft::new(),
    };
    promoter.run();
    let Promoter { f: function, .. } = promoter;
    *module.function_mut(f) = function;
    Changed::Yes
}

/// Where a pointer leads: to a variable, or a component of one.
#[derive(Clone, Copy, Debug)]
struct Place {
    variable: u32,
    /// The index of the component: the access.
    component: Option<Inst>,
}

/// The variables to promote.
struct Variables {
    /// By pointer.
    places: Vec<Option<Place>>,
    /// By variable: the type of its value.
    types: Vec<Ty>,
}

impl Variables {
    fn find(module: &Module, f: &Function) -> Variables {
        let mut found = Variables { places: vec![None; f.value_count()], types: Vec::new() };
        let mut vars = Vec::new();
        for inst in Walk::insts(f) {
            if let (Op::Var(Space::Function | Space::Private), Some(result)) = (f.op(inst), f.result_of(inst))
                && let Some((_, ty)) = module.types.pointee(f.ty(result))
            {
                let variable = vars.len() as u32;
                vars.push((ty, true));
                found.places[result.0 as usize] = Some(Place { variable, component: None });
            } else {
                found.uses(module, f, inst, &mut vars);
            }
        }
        found.renumber(&vars);
        found
    }

    /// Spoils variables that are used in other ways than by loads and stores.
    fn uses(&mut self, module: &Module, f: &Function, inst: Inst, vars: &mut [(Ty, bool)]) {
        let volatile = f.inst(inst).flags.volatile;
        for (i, &arg) in f.args(inst).iter().enumerate() {
            let Some(place) = self.places[arg.0 as usize] else { continue };
            let (ty, sound) = &mut vars[place.variable as usize];
            let fits = |value: Option<Value>| {
                value.is_some_and(|value| place.component.is_some() || f.ty(value) == *ty)
            };
            *sound &= match f.op(inst) {
                Op::Load => !volatile && fits(f.result_of(inst)),
                Op::Store => !volatile && i == 0 && fits(f.args(inst).get(1).copied()),
                Op::Access if i == 0 && f.args(inst).len() == 2 && place.component.is_none() => {
                    if let Some(result) = f.result_of(inst) {
                        self.places[result.0 as usize] = Some(Place { component: Some(inst), ..place });
                    }
                    matches!(module.types.get(*ty), Type::Vector(..))
                }
                _ => false,
            };
        }
    }

    /// Numbers those that are left without gaps.
    fn renumber(&mut self, vars: &[(Ty, bool)]) {
        let mut numbers = Vec::with_capacity(vars.len());
        for &(ty, sound) in vars {
            numbers.push(sound.then_some(self.types.len() as u32));
            if sound {
                self.types.push(ty);
            }
        }
        for place in &mut self.places {
            *place = place.and_then(|place| {
                let variable = numbers[place.variable as usize]?;
                Some(Place { variable, ..place })
            });
        }
    }

    fn place(&self, pointer: Value) -> Option<Place> {
        self.places.get(pointer.0 as usize).copied().flatten()
    }
}

/// By construct: the variables from outside of it that are stored to within, in order.
fn stores(f: &Function, variables: &Variables) -> Vec<Box<[u32]>> {
    let mut stored: Vec<Box<[u32]>> = vec![Box::default(); f.inst_count()];
    // Of each open construct: stores within, and variables declared within.
    let mut open: Vec<(Vec<u32>, Vec<u32>)> = vec![Default::default()];
    for step in Walk::new(f) {
        match step {
            Step::Open(Some(_), 0, _) => open.push(Default::default()),
            Step::Inst(inst) => {
                let pointer = match f.op(inst) {
                    Op::Store => f.args(inst).first().copied(),
                    Op::Var(_) => f.result_of(inst),
                    _ => None,
                };
                let Some(place) = pointer.and_then(|pointer| variables.place(pointer)) else { continue };
                let Some((stores, declared)) = open.last_mut() else { continue };
                if f.op(inst) == Op::Store {
                    stores.push(place.variable);
                } else {
                    declared.push(place.variable);
                }
            }
            Step::Leave(inst) => {
                let Some((mut stores, mut declared)) = open.pop() else { continue };
                declared.sort_unstable();
                stores.sort_unstable();
                stores.dedup();
                stores.retain(|variable| declared.binary_search(variable).is_err());
                if let Some((around, _)) = open.last_mut() {
                    around.extend_from_slice(&stores);
                }
                stored[inst.0 as usize] = stores.into();
            }
            _ => {}
        }
    }
    stored
}

struct Promoter<'a> {
    module: &'a mut Module,
    /// By construct: what is stored to within.
    stored: Vec<Box<[u32]>>,
    f: Function,
    variables: Variables,
    /// By variable: its value where the walk is.
    current: Vec<Value>,
    /// Of each open construct: what its variables hold at its start.
    frames: Vec<Box<[Value]>>,
    forward: Forward,
    draft: Draft,
}

impl Promoter<'_> {
    fn run(&mut self) {
        let mut tour = Tour::new();
        while let Some(step) = tour.step(&self.f) {
            match step {
                Step::Open(owner, index, block) => self.open(owner, index, block),
                Step::Inst(inst) => self.inst(inst),
                Step::Close(_, _, block) => self.draft.close(&mut self.f, block),
                Step::Leave(inst) => self.leave(inst),
                _ => {}
            }
        }
    }

    /// The values of the variables that are stored to in a construct.
    fn values(&self, construct: Inst) -> Box<[Value]> {
        self.stored(construct).iter().map(|&variable| self.current[variable as usize]).collect()
    }

    fn stored(&self, construct: Inst) -> &[u32] {
        self.stored.get(construct.0 as usize).map_or(&[], |list| list)
    }

    fn set(&mut self, construct: Inst, values: impl IntoIterator<Item = Value>) {
        let Some(stored) = self.stored.get(construct.0 as usize) else { return };
        for (&variable, value) in stored.iter().zip(values) {
            self.current[variable as usize] = value;
        }
    }

    fn open(&mut self, owner: Option<Inst>, index: u32, block: chiaro_ir::Block) {
        self.draft.open(&self.f, block);
        let Some(owner) = owner else { return };
        if index == 0 {
            let values = self.values(owner);
            self.frames.push(values);
        }
        if self.f.op(owner) == Op::Loop {
            let types: Vec<Ty> = self.types(owner).collect();
            let params: Vec<Value> = types.iter().map(|&ty| self.f.add_param(block, ty)).collect();
            self.set(owner, params);
        } else if let Some(values) = self.frames.last().cloned() {
            self.set(owner, values);
        }
    }

    fn types(&self, construct: Inst) -> impl Iterator<Item = Ty> + '_ {
        self.stored(construct).iter().map(|&variable| self.variables.types[variable as usize])
    }

    fn leave(&mut self, inst: Inst) {
        self.frames.pop();
        if self.stored(inst).is_empty() {
            return;
        }
        let old: Vec<Value> = self.f.results(inst).collect();
        let types: Vec<Ty> = old.iter().map(|&value| self.f.ty(value)).chain(self.types(inst)).collect();
        self.f.set_results(inst, &types);
        let new: Vec<Value> = self.f.results(inst).collect();
        old.iter().zip(&new).for_each(|(&old, &new)| self.forward.set(old, new));
        self.set(inst, new[old.len()..].to_vec());
    }

    fn inst(&mut self, inst: Inst) {
        self.forward.apply_to(&mut self.f, inst);
        let op = self.f.op(inst);
        match op {
            Op::Var(_) => self.declare(inst),
            Op::Load => self.load(inst),
            Op::Store => self.store(inst),
            Op::Access if self.place_of(inst).is_some() => {}
            _ => {
                let carried = if op == Op::Loop { Some(inst) } else { op.target() };
                let carried = carried.map(|construct| self.values(construct)).unwrap_or_default();
                if !carried.is_empty() {
                    self.f.push_args(inst, &carried);
                }
                self.draft.push(inst);
            }
        }
    }

    /// Where the first operand of an instruction leads.
    fn place_of(&self, inst: Inst) -> Option<Place> {
        self.f.args(inst).first().and_then(|&pointer| self.variables.place(pointer))
    }

    fn declare(&mut self, inst: Inst) {
        let place = self.f.result_of(inst).and_then(|result| self.variables.place(result));
        let Some(Place { variable, .. }) = place else { return self.draft.push(inst) };
        let ty = self.variables.types[variable as usize];
        let init = self.f.args(inst).first().copied();
        self.current[variable as usize] = init.unwrap_or_else(|| {
            let c = self.module.constants.intern(ty, ConstantKind::Undef);
            self.f.constant(c, ty)
        });
    }

    fn load(&mut self, inst: Inst) {
        let (Some(place), Some(result)) = (self.place_of(inst), self.f.result_of(inst)) else {
            return self.draft.push(inst);
        };
        let value = self.current[place.variable as usize];
        let Some((index, known)) = place.component.map(|access| self.index(access, place)) else {
            return self.forward.set(result, value);
        };
        match known {
            Some(n) => self.f.replace(inst, Op::Extract(n), &[value]),
            None => self.f.replace(inst, Op::ExtractDyn, &[value, index]),
        }
        self.draft.push(inst);
    }

    fn store(&mut self, inst: Inst) {
        let Some(place) = self.place_of(inst) else { return self.draft.push(inst) };
        let (value, ty) = (self.f.args(inst)[1], self.variables.types[place.variable as usize]);
        let at = place.variable as usize;
        let Some((index, known)) = place.component.map(|access| self.index(access, place)) else {
            self.current[at] = value;
            return;
        };
        let (old, span) = (self.current[at], self.f.inst(inst).span);
        self.current[at] = match known {
            Some(n) => self.draft.value(&mut self.f, (Op::Insert(n), &[old, value]), ty, span),
            None => self.draft.value(&mut self.f, (Op::InsertDyn, &[old, value, index]), ty, span),
        };
    }

    /// The index of a component, and its number if it is known and there is one.
    fn index(&mut self, access: Inst, place: Place) -> (Value, Option<u32>) {
        let index = self.f.args(access)[1];
        let index = self.forward.get(index);
        let n = self.module.value_bits(&self.f, index).and_then(|n| u32::try_from(n).ok());
        let ty = self.variables.types[place.variable as usize];
        (index, n.filter(|&n| n < u32::from(self.module.types.components(ty))))
    }
}
