//! Which function a record means.

use chiaro_ir::{Builder, ConstantKind, FunctionRef, Op, Ty, Type, Value};

/// Functions that are compared with a record one after the other. A pointer costs its halves for each function and a loop, and
/// functions that pointers lead to cannot be fitted to their callers; many are more to compare.
const FEW: usize = 3;

/// Functions of one type, each with the records that name it.
#[derive(Clone, Debug)]
pub struct Cases {
    all: Vec<(Vec<u32>, FunctionRef)>,
    /// Records that there are.
    count: usize,
    /// Whether the record is known to be one of these.
    is_known: bool,
}

impl Cases {
    /// Nothing yet, of so many records.
    pub fn new(count: usize) -> Cases {
        Cases { all: Vec::new(), count, is_known: false }
    }

    /// A record names a function.
    pub fn add(&mut self, record: u32, f: FunctionRef) {
        match self.all.iter_mut().find(|(_, other)| *other == f) {
            Some((numbers, _)) => numbers.push(record),
            None => self.all.push((vec![record], f)),
        }
    }

    /// Whether no record names a function.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The same, where the record is none but of these.
    pub fn known(self) -> Cases {
        Cases { is_known: true, ..self }
    }

    /// Calls the function of a record, if there is one: one of few by its name, one of many through a pointer.
    pub fn call(
        &self,
        b: &mut Builder<'_>,
        record: Value,
        args: impl FnOnce(&mut Builder<'_>) -> Vec<Value>,
        then: impl Fn(&mut Builder<'_>, Option<Value>),
    ) {
        if self.all.is_empty() {
            return;
        }
        let go = |b: &mut Builder<'_>| {
            let args = args(b);
            if self.all.len() <= FEW {
                return named(b, record, &self.all, &|b, f| {
                    let result = b.call(f, &args);
                    then(b, result);
                });
            }
            let function = self.chosen(b, record);
            let result = b.call_indirect(function, &args);
            then(b, result);
        };
        let listed: Vec<u32> = self.all.iter().flat_map(|(numbers, _)| numbers.iter().copied()).collect();
        if self.is_known || listed.len() == self.count {
            return go(b);
        }
        let is_one = among(b, record, &listed);
        b.when(is_one, |b, _| go(b));
    }

    /// The function that a record names, of several.
    fn chosen(&self, b: &mut Builder<'_>, record: Value) -> Value {
        let mut chosen = None;
        for (numbers, f) in &self.all {
            let own = address(b, *f);
            chosen = Some(match chosen {
                None => own,
                Some(other) => {
                    let is_own = among(b, record, numbers);
                    b.select(is_own, own, other)
                }
            });
        }
        let ty = self.all.first().map(|(_, f)| type_of(b, *f));
        match chosen.zip(ty) {
            Some((chosen, ty)) => b.bitcast(chosen, ty),
            None => record,
        }
    }
}

/// Calls the function that a record names: what is none of the others is the last.
fn named(
    b: &mut Builder<'_>,
    record: Value,
    all: &[(Vec<u32>, FunctionRef)],
    call: &dyn Fn(&mut Builder<'_>, FunctionRef),
) {
    match all {
        [] => {}
        [(_, f)] => call(b, *f),
        [(numbers, f), others @ ..] => {
            let is_own = among(b, record, numbers);
            b.if_else(is_own, |b, _| call(b, *f), |b, _| named(b, record, others, call));
        }
    }
}

fn among(b: &mut Builder<'_>, record: Value, numbers: &[u32]) -> Value {
    let mut is_one = b.bool(false);
    for &n in numbers {
        let n = b.u32(n);
        let same = b.ieq(record, n);
        is_one = b.or(is_one, same);
    }
    is_one
}

fn type_of(b: &mut Builder<'_>, f: FunctionRef) -> Ty {
    let function = b.module().function(f);
    let params = function.params.iter().map(|&param| function.ty(param)).collect();
    let ty = Type::Function(params, function.result);
    b.types().intern(ty)
}

/// The function's name as a number.
fn address(b: &mut Builder<'_>, f: FunctionRef) -> Value {
    let ty = type_of(b, f);
    let named = b.module().constants.intern(ty, ConstantKind::Function(f));
    let (named, int) = (b.constant(named), b.int_ty(64));
    b.op_as(Op::Bitcast, &[named], int)
}
