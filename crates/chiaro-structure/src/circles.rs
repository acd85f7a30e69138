//! Modules that need each other.
//!
//! A module needs another if it names something that is defined there, itself or inside a macro.
//! Imports that are only passed on count for nothing, so a table of contents ties no knot. Methods are
//! not seen: a child may extend its parent's type by an `impl`.

use std::collections::BTreeMap;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use crate::names::{Names, leaves};
use crate::source::Tree;

/// Which module needs which, each with the first name that shows it.
pub type Needs = BTreeMap<(usize, usize), String>;

/// What every module of a crate needs of the others.
#[must_use]
pub fn needs(tree: &Tree) -> Needs {
    let names = Names::new(tree);
    let mut found = Needs::new();
    for (from, module) in tree.modules.iter().enumerate() {
        let mut finder = Finder { names: &names, from, found: &mut found };
        finder.visit_file(&module.syntax);
        for import in names.imports(from).iter().filter(|import| !import.is_public && import.name.is_some()) {
            finder.add(&import.path);
        }
    }
    found
}

/// Groups of modules that need each other, each in the order of the tree. `is_counted` says which
/// needs count.
#[must_use]
pub fn circles(tree: &Tree, needs: &Needs, is_counted: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let count = tree.modules.len();
    let mut reach = vec![vec![false; count]; count];
    for &(from, to) in needs.keys().filter(|(from, to)| is_counted(*from, *to)) {
        reach[from][to] = true;
    }
    for middle in 0..count {
        let row = reach[middle].clone();
        for from in reach.iter_mut().filter(|from| from[middle]) {
            from.iter_mut().zip(&row).for_each(|(reached, more)| *reached |= more);
        }
    }
    let mut is_placed = vec![false; count];
    let mut out = Vec::new();
    for first in 0..count {
        if !is_placed[first] && reach[first][first] {
            let circle: Vec<usize> = (first..count).filter(|&m| reach[first][m] && reach[m][first]).collect();
            circle.iter().for_each(|&m| is_placed[m] = true);
            out.push(circle);
        }
    }
    out
}

/// The circles as text: the members, and below them who needs what of whom.
#[must_use]
pub fn describe(tree: &Tree, needs: &Needs, circles: &[Vec<usize>]) -> String {
    let mut out = String::new();
    for circle in circles {
        let name = |m: usize| tree.modules[m].name();
        out += &format!(
            "circle of {}: {}\n",
            circle.len(),
            circle.iter().map(|&m| name(m)).collect::<Vec<_>>().join(" ")
        );
        for ((from, to), what) in needs.iter().filter(|((f, t), _)| circle.contains(f) && circle.contains(t))
        {
            out += &format!("    {} needs {} for {what}\n", name(*from), name(*to));
        }
    }
    out
}

struct Finder<'a> {
    names: &'a Names<'a>,
    from: usize,
    found: &'a mut Needs,
}

impl Finder<'_> {
    fn add(&mut self, path: &[String]) {
        if let Some(to) = self.names.definer(self.from, path).filter(|&to| to != self.from) {
            self.found.entry((self.from, to)).or_insert_with(|| path.join("::"));
        }
    }

    /// Paths in the tokens of a macro call.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => {
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Ident(ident) => {
                    self.add(&std::mem::take(&mut path));
                    path.push(ident.to_string());
                }
                TokenTree::Group(group) => {
                    self.add(&std::mem::take(&mut path));
                    self.tokens(group.stream());
                }
                _ => self.add(&std::mem::take(&mut path)),
            }
            colons = 0;
        }
        self.add(&path);
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(&path.segments.iter().map(|s| s.ident.to_string()).collect::<Vec<_>>());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    /// Imports of a function's own; those of the module are counted apart.
    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        if let syn::Stmt::Item(syn::Item::Use(item)) = stmt {
            let mut imports = Vec::new();
            leaves(&item.tree, &mut Vec::new(), false, &mut imports);
            imports.iter().for_each(|import| self.add(&import.path));
        }
        visit::visit_stmt(self, stmt);
    }
}
