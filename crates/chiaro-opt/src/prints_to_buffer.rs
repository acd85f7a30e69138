//! Makes stores of what shaders print, in a buffer of its own, for machines that run code and know no texts.
//!
//! ```text
//!                                  %2 = atomic iadd @printf.taken, 12
//! print.0 %1: vec2<f32>     ->     if %2 + 12 <= load @printf.size {
//!                                    the number of the format, %1.x and %1.y become words of the buffer }
//! ```
//!
//! The buffer begins with the bytes that are taken and those that there are; records follow, each of the number of its
//! format and its scalars, smallest first, at multiples of four bytes. It is the layout of LLVM's OpenCL runtime
//! (AMDGPUPrintfRuntimeBinding), so that its readers know it. A record that finds no room is counted among the bytes
//! that are taken and stored nowhere.
//!
//! Each way of printing is a function, and each print a call of it, which [`inline`](crate::inline()) writes out.

use std::collections::HashMap;

use chiaro_ir::{
    Binding, Builder, Combine, FunctionRef, Global, GlobalRef, Inst, Member, Module, Op, Scope, Semantics,
    Space, Ty, Type, Value, Walk,
};

use crate::reached;

/// What a module prints, once a buffer takes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prints {
    /// The buffer, in a descriptor set that nothing else has.
    pub buffer: GlobalRef,
    /// What records are of: that with the number 1 first.
    pub formats: Vec<PrintFormat>,
}

/// What a record holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrintFormat {
    /// The text with places for values.
    pub text: String,
    /// Bytes of each scalar: 1, 2, 4 or 8; it takes four or eight of the record.
    pub sizes: Vec<u8>,
}

/// Members of the buffer.
const TAKEN: u32 = 0;
const SIZE: u32 = 1;
const WORDS: u32 = 2;

/// Makes stores of all prints that an entry point reaches; nothing if it prints nothing. The module is one as it was
/// read, its entry point is compiled later.
pub fn prints_to_buffer(module: &mut Module, entry: FunctionRef) -> Option<Prints> {
    let mut found: Vec<(FunctionRef, Inst)> = Vec::new();
    for f in reached(module, entry) {
        let function = module.function(f);
        let is_print = |&inst: &Inst| matches!(function.op(inst), Op::Print(_));
        found.extend(Walk::insts(function).filter(is_print).map(|inst| (f, inst)));
    }
    if found.is_empty() {
        return None;
    }
    let buffer = buffer(module);
    let (mut ways, mut formats) = (HashMap::new(), Vec::new());
    for (f, inst) in found {
        let function = module.function(f);
        let Op::Print(text) = function.op(inst) else { continue };
        let tys: Vec<Ty> = function.args(inst).iter().map(|&value| function.ty(value)).collect();
        let way = ways.entry((text, tys)).or_insert_with_key(|(text, tys)| {
            let text = module.texts.get(*text as usize).cloned().unwrap_or_default();
            let sizes = tys.iter().flat_map(|&ty| sizes(module, ty)).collect();
            formats.push(PrintFormat { text, sizes });
            way(module, buffer, formats.len() as u32, tys)
        });
        module.function_mut(f).inst_mut(inst).op = Op::Call(*way);
    }
    Some(Prints { buffer, formats })
}

/// The buffer: what is taken, what there is, and words.
fn buffer(module: &mut Module) -> GlobalRef {
    let word = module.types.intern(Type::Int(32));
    let words = module.types.intern(Type::RuntimeArray(word, 4));
    let members = [("taken", word), ("size", word), ("words", words)].into_iter().zip([0, 4, 8]);
    let member = |((name, ty), at)| Member { ty, name: String::from(name), offset: Some(at) };
    let ty = module.types.intern(Type::Struct("printf".to_owned(), members.map(member).collect()));
    let sets = module.globals.iter().filter_map(|global| global.binding.set);
    let set = sets.max().map_or(1, |last| last.saturating_add(1));
    module.globals.push(Global {
        name: "printf".to_owned(),
        space: Space::Storage,
        ty,
        init: None,
        binding: Binding { set: Some(set), binding: Some(0), ..Binding::default() },
        members: Vec::new(),
        coherent: true,
        read_only: false,
        span: None,
    });
    let buffer = GlobalRef(module.globals.len() as u32 - 1);
    module.entries.iter_mut().for_each(|entry| entry.interface.push(buffer));
    buffer
}

/// Bytes of the scalars of a type.
fn sizes(module: &Module, ty: Ty) -> Vec<u8> {
    let bytes = match module.types.get(module.types.scalar(ty)) {
        Type::Int(bits) | Type::Float(bits) => bits / 8,
        _ => 4,
    };
    vec![bytes; usize::from(module.types.components(ty).max(1))]
}

/// A function that takes room for a record and, if there is any, stores it.
fn way(module: &mut Module, buffer: GlobalRef, number: u32, tys: &[Ty]) -> FunctionRef {
    let void = module.types.intern(Type::Void);
    let made = module.declare(format!("printf_{number}"), tys, void);
    let mut b = Builder::at(module, made);
    let mut words = vec![b.u32(number)];
    for n in 0..tys.len() {
        let value = b.param(n);
        add_words(&mut b, value, &mut words);
    }
    let place = b.global(buffer);
    let bytes = b.u32(4 * words.len() as u32);
    let counter = b.member(place, TAKEN);
    let before = b.atomic(Combine::IAdd, Scope::Device, Semantics::default(), counter, bytes);
    let limit = b.member(place, SIZE);
    let (limit, end) = (b.load(limit), b.iadd(before, bytes));
    let fits = b.ule(end, limit);
    b.when(fits, |b, _| {
        let two = b.u32(2);
        let first = b.lshr(before, two);
        for (n, word) in (0..).zip(words) {
            let (member, n) = (b.u32(WORDS), b.u32(n));
            let at = b.iadd(first, n);
            let to = b.access(place, &[member, at]);
            b.store(to, word);
        }
    });
    let finished = b.finish();
    debug_assert!(finished.is_ok(), "{finished:?}");
    made
}

/// The words of a value, scalar by scalar.
fn add_words(b: &mut Builder<'_>, value: Value, words: &mut Vec<Value>) {
    let ty = b.ty(value);
    let count = b.types().components(ty);
    for n in 0..count.max(1) {
        let part = if count > 1 { b.extract(value, n.into()) } else { value };
        let ty = b.ty(part);
        let (word, kind) = (b.int_ty(32), b.types().get(ty).clone());
        match kind {
            Type::Bool => {
                let (yes, no) = (b.u32(1), b.u32(0));
                words.push(b.select(part, yes, no));
            }
            Type::Int(64) | Type::Float(64) => {
                let pair = b.types().vector(word, 2);
                let pair = b.bitcast(part, pair);
                words.extend([b.extract(pair, 0), b.extract(pair, 1)]);
            }
            Type::Int(32) => words.push(part),
            Type::Float(bits @ (8 | 16)) => {
                let whole = b.int_ty(bits);
                let whole = b.bitcast(part, whole);
                words.push(b.convert(Op::ZExt, whole, word));
            }
            Type::Int(_) => words.push(b.convert(Op::ZExt, part, word)),
            _ => words.push(b.bitcast(part, word)),
        }
    }
}
