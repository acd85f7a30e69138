//! Known parameters: where every call of a function is seen, what all of them hand over alike is no parameter, and
//! neither is what nobody reads.
//!
//! ```text
//! fn @f(%0: i32, %1: i32, %2: i32) -> i32       fn @f(%0: i32) -> i32
//!   %3: i32 = iadd %0, %1                   ->    %1: i32 = iadd %0, 7
//!   ...
//! call @f(%0, 7, %1)                            call @f(%0)
//! call @f(%1, 7, %0)                            call @f(%1)
//! ```
//!
//! A function that hands a parameter of its own on to itself, in the same place, neither changes nor reads it.
//!
//! Functions of other parts, those that other parts or pointers come to, and entry points keep what they have: not all of
//! their callers are here. It serves targets that call functions: registers that a call need not fill.

use chiaro_ir::{Constant, Copies, Def, Function, FunctionRef, Linkage, Module, Op, Value, Walk};

use crate::inline::{pointed_at, reached};

/// What calls hand over for a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// No call was seen.
    Nothing,
    Always(Constant),
    Varies,
}

/// What is known of a parameter.
#[derive(Clone, Copy)]
struct Param {
    given: Given,
    is_read: bool,
}

impl Param {
    const UNSEEN: Param = Param { given: Given::Nothing, is_read: false };

    fn is_needed(&self) -> bool {
        self.is_read && self.given == Given::Varies
    }

    fn note(&mut self, given: Given) {
        self.given = match self.given {
            Given::Nothing => given,
            known if known == given => known,
            _ => Given::Varies,
        };
    }
}

/// By function: what is known of each parameter; nothing where there are none, or where other callers may be.
type Table = Vec<Vec<Param>>;

/// Functions that changed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fewer {
    /// Those that have fewer parameters: there is more to simplify.
    pub functions: Vec<FunctionRef>,
    /// Others, that call them: what they handed over may be dead.
    pub callers: Vec<FunctionRef>,
}

/// Takes parameters that are known away from the functions that an entry point comes to, but for some, by their names,
/// whose parameters are agreed on.
pub fn known_params(module: &mut Module, entry: FunctionRef, agreed: &[String]) -> Fewer {
    let here = reached(module, entry);
    let mut table = closed(module, entry, (&here, agreed));
    if table.iter().all(Vec::is_empty) {
        return Fewer::default();
    }
    for &caller in &here {
        look(module.function(caller), caller, &mut table);
    }
    let is_kept = |params: &Vec<Param>| params.iter().all(Param::is_needed);
    if table.iter().all(is_kept) {
        return Fewer::default();
    }
    let mut fewer = Fewer::default();
    for f in (0..module.functions.len() as u32).map(FunctionRef) {
        let calls = hand_over_less(module.function_mut(f), &table);
        let params = &table[f.0 as usize];
        if !is_kept(params) {
            take_away(module.function_mut(f), params);
            fewer.functions.push(f);
        } else if calls && here.contains(&f) {
            fewer.callers.push(f);
        }
    }
    fewer
}

/// Functions whose callers are all among those that an entry point comes to, and which nothing is agreed on.
fn closed(module: &Module, entry: FunctionRef, (here, agreed): (&[FunctionRef], &[String])) -> Table {
    let pointed = pointed_at(module, entry);
    let mut table = vec![Vec::new(); module.functions.len()];
    for &f in here {
        let function = module.function(f);
        let is_entry = f == entry || module.entries.iter().any(|other| other.function == f);
        let is_agreed = agreed.contains(&function.name);
        if function.linkage == Linkage::Own && !is_entry && !is_agreed && !pointed.contains(&f) {
            table[f.0 as usize] = vec![Param::UNSEEN; function.params.len()];
        }
    }
    table
}

/// Notes what a function hands over to others, and what it reads of its own.
fn look(f: &Function, own: FunctionRef, table: &mut Table) {
    for inst in Walk::insts(f) {
        let callee = match f.op(inst) {
            Op::Call(callee) => Some(callee),
            _ => None,
        };
        for (n, &arg) in f.args(inst).iter().enumerate() {
            let param = param(f, arg);
            if callee == Some(own) && param == Some(n) {
                continue;
            }
            if let Some(read) = param.and_then(|n| table[own.0 as usize].get_mut(n)) {
                read.is_read = true;
            }
            if let Some(handed) = callee.and_then(|callee| table[callee.0 as usize].get_mut(n)) {
                handed.note(match f.def(arg) {
                    Def::Constant(c) => Given::Always(c),
                    _ => Given::Varies,
                });
            }
        }
    }
}

/// Which parameter of its function a value is.
fn param(f: &Function, value: Value) -> Option<usize> {
    match f.def(value) {
        Def::Param(n) => Some(n as usize),
        _ => None,
    }
}

/// Has the calls of a function hand over what is needed; whether any of them handed over more.
fn hand_over_less(f: &mut Function, table: &Table) -> bool {
    let calls: Vec<_> = Walk::insts(f)
        .filter_map(|inst| match f.op(inst) {
            Op::Call(callee) => Some((inst, &table[callee.0 as usize])),
            _ => None,
        })
        .filter(|(_, params)| params.iter().any(|param| !param.is_needed()))
        .collect();
    for &(inst, params) in &calls {
        let args = f.args(inst).iter().zip(params).filter(|(_, param)| param.is_needed());
        let args: Vec<Value> = args.map(|(&arg, _)| arg).collect();
        f.set_args(inst, &args);
    }
    !calls.is_empty()
}

/// Makes a function one that has the parameters that are needed, and constants for those that are read.
fn take_away(f: &mut Function, params: &[Param]) {
    let old = f.clone();
    let needed = old.params.iter().zip(params).filter(|(_, param)| param.is_needed());
    let types: Vec<_> = needed.map(|(&param, _)| old.ty(param)).collect();
    *f = old.successor(&types, old.result);
    let mut copies = Copies::new(&old);
    let mut left = f.params.clone().into_iter();
    for (&from, param) in old.params.iter().zip(params) {
        let to = match param.given {
            _ if param.is_needed() => left.next(),
            Given::Always(c) => Some(f.constant(c, old.ty(from))),
            _ => None,
        };
        to.into_iter().for_each(|to| copies.set(from, to));
    }
    let body = f.body;
    copies.block(f, Some(&old), old.body, body);
}

#[cfg(test)]
mod tests {
    use chiaro_ir::{parse, print, verify};

    use super::*;

    fn loaded(text: &str) -> Module {
        parse(text, chiaro_diag::FileId::default()).unwrap_or_else(|why| panic!("{why:?}"))
    }

    /// The parameters of each function afterwards.
    fn left(text: &str) -> (Vec<usize>, String) {
        let mut module = loaded(text);
        let entry = FunctionRef(module.functions.len() as u32 - 1);
        known_params(&mut module, entry, &["agreed".to_owned()]);
        let text = print(&module);
        assert!(verify(&module).is_ok(), "{text}");
        (module.functions.iter().map(|f| f.params.len()).collect(), text)
    }

    #[test]
    fn constants_and_what_nobody_reads_are_no_parameters() {
        let text = "
fn @f(%0: i32, %1: i32, %2: i32, %3: i32) -> i32 {
  %4: i32 = isub %0, %1
  %5: i32 = isub %4, %3
  return %5
}
fn @main(%0: i32) -> i32 {
  %1: i32 = call @f(%0, 7, %0, 1)
  %2: i32 = call @f(%1, 7, %1, 2)
  return %2
}
";
        let (params, text) = left(text);
        assert_eq!(params, [2, 1], "{text}");
        assert!(text.contains("isub %0, 7"), "{text}");
        assert!(text.contains("call @f(%0, 1)"), "{text}");
    }

    #[test]
    fn what_a_function_hands_on_to_itself_is_as_it_was() {
        let function = "
fn @f(%0: i32, %1: i32, %2: i32) -> i32 {
  %3: bool = slt %0, 1
  if %3 { return %1 } else { exit }
  %4: i32 = isub %0, 1
  %5: i32 = call @f(%4, ARGUMENT, %2)
  return %5
}
fn @main(%0: i32) -> i32 {
  %1: i32 = call @f(%0, 7, %0)
  return %1
}
";
        let (params, text) = left(&function.replace("ARGUMENT", "%1"));
        assert_eq!(params, [1, 1], "{text}");
        let (params, text) = left(&function.replace("ARGUMENT", "%2"));
        assert_eq!(params, [3, 1], "handed on in another place: {text}");
        let (params, text) = left(&function.replace("ARGUMENT", "%4"));
        assert_eq!(params, [2, 1], "{text}");
    }

    #[test]
    fn others_may_call_what_is_exported_or_a_value_or_agreed_on() {
        let (params, text) = left(
            "
export fn @f(%0: i32, %1: i32) -> i32 {
  return %0
}
fn @g(%0: i32, %1: i32) -> i32 {
  return %0
}
fn @agreed(%0: i32, %1: i32) -> i32 {
  return %0
}
fn @main(%0: i32) -> i64 {
  %1: i32 = call @f(%0, 7)
  %2: i32 = call @g(%1, 7)
  %3: i32 = call @agreed(%2, 7)
  return i64(@g)
}
",
        );
        assert_eq!(params, [2, 2, 2, 1], "{text}");
    }
}
