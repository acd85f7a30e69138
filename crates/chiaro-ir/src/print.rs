//! Modules as text. [`parse`](crate::parse) reads it back; the grammar stands there.
//!
//! ```text
//! fn @main() {
//!   %0: vec4<f32> = load @color
//!   %1: vec4<f32> = fmul %0, 0.5 !relaxed
//!   %2: f32 = extract.3 %1
//!   %3: bool = flt %2, 0.1
//!   if %3 {
//!     terminate
//!   } else {
//!     exit
//!   }
//!   store @out, %1
//!   return
//! }
//! ```
//!
//! Values are numbered in the order in which they are defined, so that parsing and printing
//! gives the same text. Of an IR that the verifier refuses, the text shows what it can.

mod constant;
mod function;
mod module;
mod name;
mod op;
mod ty;

use crate::function::Function;
use crate::id::{FunctionRef, Value};
use crate::module::Module;
use crate::ty::{Ty, Types};
use chiaro_diag::Span;
use name::Names;
use std::fmt::Write;
use ty::TypeWriter;

pub(crate) use function::Enclosing;
pub(crate) use ty::type_text;

/// What the text shows beside the meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PrintOptions {
    /// The spans of instructions and functions, as `!file:start-end`.
    pub spans: bool,
    /// Values by their handles instead of in the order of the text: two texts of one function,
    /// before and after a pass, then differ only where the pass changed something.
    pub handles: bool,
}

/// The text of a module, without spans.
pub fn print(module: &Module) -> String {
    print_with(module, PrintOptions::default())
}

/// The text of a module.
pub fn print_with(module: &Module, options: PrintOptions) -> String {
    let names = Names::new(module);
    let mut printer = Printer { module, names: &names, options, out: String::new() };
    printer.module();
    printer.out
}

/// The text of one function, which need not stand in the module.
pub fn print_function(module: &Module, f: &Function, options: PrintOptions) -> String {
    let names = Names::new(module);
    let mut printer = Printer { module, names: &names, options, out: String::new() };
    let own = module.functions.iter().position(|g| g.name == f.name);
    printer.function(f, own.map(|i| FunctionRef(i as u32)));
    printer.out
}

/// The signature of a function for messages and for who compares it with another module's: `fn(vec2<f32>, inout i32) -> f32`.
pub fn signature(types: &Types, f: &Function) -> String {
    ty::signature_text(types, &f.param_types(), f.result)
}

struct Printer<'a> {
    module: &'a Module,
    names: &'a Names,
    options: PrintOptions,
    out: String,
}

impl Printer<'_> {
    fn ty(&mut self, ty: Ty) {
        TypeWriter { types: &self.module.types, names: Some(self.names), whole: false }.write(
            &mut self.out,
            ty,
            0,
        );
    }

    fn span(&mut self, span: Option<Span>) {
        if let Some(Span { file, start, end }) = span.filter(|_| self.options.spans) {
            let _ = write!(self.out, " !{}:{start}-{end}", file.0);
        }
    }

    /// Words in parentheses behind a name: ` set(0)`.
    fn attribute(&mut self, name: &str, value: Option<u32>) {
        if let Some(value) = value {
            let _ = write!(self.out, " {name}({value})");
        }
    }

    fn list<T>(&mut self, items: impl IntoIterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        for (i, x) in items.into_iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            item(self, x);
        }
    }
}

/// How a value is written where nothing defines it; reading that back is an error.
fn unknown_value(value: Value) -> String {
    format!("%unknown{}", value.0)
}
