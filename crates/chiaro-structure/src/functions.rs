//! Lengths and parameters of functions.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ImplItemFn, ItemFn, Signature, TraitItemFn};

use crate::source::{Module, Tree};

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its module and name.
    pub name: String,
    /// Lines from the signature to the closing brace.
    pub lines: usize,
    /// Parameters without `self`.
    pub parameters: usize,
}

/// All functions of a crate but its tests.
#[must_use]
pub fn functions(tree: &Tree) -> Vec<Function> {
    let mut finder = Finder { module: String::new(), found: Vec::new() };
    for module in &tree.modules {
        finder.module = Module::name(module);
        finder.visit_file(&module.syntax);
    }
    finder.found
}

/// The length that a share of the functions does not exceed; `share` in hundredths.
#[must_use]
pub fn percentile(functions: &[Function], share: usize) -> usize {
    let mut lines: Vec<usize> = functions.iter().map(|f| f.lines).collect();
    lines.sort_unstable();
    lines.get((lines.len() * share / 100).min(lines.len().saturating_sub(1))).copied().unwrap_or(0)
}

struct Finder {
    module: String,
    found: Vec<Function>,
}

impl Finder {
    fn add(&mut self, signature: &Signature, end: usize) {
        let parameters = signature.inputs.iter().filter(|i| matches!(i, FnArg::Typed(_))).count();
        let start = signature.span().start().line;
        let name = format!("{}::{}", self.module, signature.ident);
        self.found.push(Function { name, lines: end + 1 - start, parameters });
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("test"))
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            self.add(&item.sig, item.block.span().end().line);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig, item.block.span().end().line);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.sig, body.span().end().line);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
