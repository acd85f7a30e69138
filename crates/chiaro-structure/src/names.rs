//! What a path in one module stands for: the module in which the item is defined.
//!
//! Imports are followed to the definition, so that an item that a parent passes on counts as its
//! child's. A path of another crate stands for nothing.

use std::collections::{HashMap, HashSet};

use syn::{Item, UseTree, Visibility};

use crate::source::{Module, Tree};

/// Imports may pass through so many modules; a circle of imports ends there.
const DEPTH: usize = 16;

/// A leaf of a `use`.
pub struct Import {
    /// The name in this module; `None` for a glob.
    pub name: Option<String>,
    /// What is imported, as written.
    pub path: Vec<String>,
    /// Whether others may import it from here.
    pub is_public: bool,
}

/// The names of all modules of a crate.
pub struct Names<'a> {
    tree: &'a Tree,
    defined: Vec<HashSet<String>>,
    imports: Vec<Vec<Import>>,
    by_name: Vec<HashMap<String, usize>>,
}

impl<'a> Names<'a> {
    /// Collects what every module defines and imports.
    #[must_use]
    pub fn new(tree: &'a Tree) -> Names<'a> {
        let imports: Vec<Vec<Import>> = tree.modules.iter().map(imports).collect();
        let index = |all: &Vec<Import>| {
            let named = all.iter().enumerate().filter_map(|(i, import)| Some((import.name.clone()?, i)));
            named.collect()
        };
        let by_name = imports.iter().map(index).collect();
        Names { tree, defined: tree.modules.iter().map(defined).collect(), imports, by_name }
    }

    /// The imports of a module.
    #[must_use]
    pub fn imports(&self, module: usize) -> &[Import] {
        &self.imports[module]
    }

    /// The module that defines what a path names, as seen from a module; `None` for other crates and
    /// for paths that end at a module.
    #[must_use]
    pub fn definer(&self, from: usize, path: &[String]) -> Option<usize> {
        self.follow(from, path, 0)
    }

    fn follow(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        if depth > DEPTH {
            return None;
        }
        let (mut at, mut rest) = self.start(from, path, depth)?;
        loop {
            let (first, behind) = rest.split_first()?;
            let mut below = self.tree.modules[at].path.clone();
            below.push(first.clone());
            match self.tree.at(&below) {
                Some(child) => (at, rest) = (child, behind.to_vec()),
                None => return Some(self.origin(at, &rest, depth)),
            }
        }
    }

    /// The module where a path begins, and what is left of it.
    fn start(&self, from: usize, path: &[String], depth: usize) -> Option<(usize, Vec<String>)> {
        let (first, rest) = path.split_first()?;
        let here = &self.tree.modules[from].path;
        match first.as_str() {
            "crate" => Some((self.tree.at(&[])?, rest.to_vec())),
            "self" => Some((from, rest.to_vec())),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let above = here.len().checked_sub(ups)?;
                Some((self.tree.at(&here[..above])?, path[ups..].to_vec()))
            }
            name => self.start_by_name(from, name, path, depth),
        }
    }

    fn start_by_name(
        &self,
        from: usize,
        name: &str,
        path: &[String],
        depth: usize,
    ) -> Option<(usize, Vec<String>)> {
        if let Some(&import) = self.by_name[from].get(name) {
            let import = &self.imports[from][import];
            if import.path.first().is_some_and(|first| first == name) {
                return None;
            }
            let whole: Vec<String> = import.path.iter().chain(&path[1..]).cloned().collect();
            return (depth < DEPTH).then(|| self.start(from, &whole, depth + 1)).flatten();
        }
        let mut below = self.tree.modules[from].path.clone();
        below.push(name.to_owned());
        self.tree.at(&below).map(|_| (from, path.to_vec()))
    }

    /// Where an item that a module has is defined: there, or where it imports it from.
    fn origin(&self, at: usize, rest: &[String], depth: usize) -> usize {
        let name = &rest[0];
        if self.defined[at].contains(name) {
            return at;
        }
        if let Some(&import) = self.by_name[at].get(name) {
            let import = &self.imports[at][import];
            return self.follow(at, &import.path, depth + 1).unwrap_or(at);
        }
        let globs = self.imports[at].iter().filter(|import| import.name.is_none());
        let through = globs.filter_map(|import| {
            let mut path = import.path.clone();
            path.push(name.clone());
            self.follow(at, &path, depth + 1)
        });
        through.into_iter().find(|&found| self.defined[found].contains(name)).unwrap_or(at)
    }
}

fn defined(module: &Module) -> HashSet<String> {
    let name = |item: &Item| {
        Some(match item {
            Item::Const(item) => item.ident.to_string(),
            Item::Enum(item) => item.ident.to_string(),
            Item::Fn(item) => item.sig.ident.to_string(),
            Item::Macro(item) => item.ident.as_ref()?.to_string(),
            Item::Static(item) => item.ident.to_string(),
            Item::Struct(item) => item.ident.to_string(),
            Item::Trait(item) => item.ident.to_string(),
            Item::Type(item) => item.ident.to_string(),
            Item::Union(item) => item.ident.to_string(),
            _ => return None,
        })
    };
    module.syntax.items.iter().filter_map(name).collect()
}

fn imports(module: &Module) -> Vec<Import> {
    let mut out = Vec::new();
    for item in &module.syntax.items {
        if let Item::Use(item) = item {
            let is_public = !matches!(item.vis, Visibility::Inherited);
            leaves(&item.tree, &mut Vec::new(), is_public, &mut out);
        }
    }
    out
}

/// The leaves of a tree of imports.
pub(crate) fn leaves(tree: &UseTree, path: &mut Vec<String>, is_public: bool, out: &mut Vec<Import>) {
    let mut leaf = |path: &[String], last: String, name: String| {
        let is_self = last == "self";
        let name = if is_self && name == "self" { path.last().cloned().unwrap_or_default() } else { name };
        let whole = path.iter().cloned().chain((!is_self).then_some(last)).collect();
        out.push(Import { name: Some(name), path: whole, is_public });
    };
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            leaves(&tree.tree, path, is_public, out);
            path.pop();
        }
        UseTree::Name(tree) => leaf(path, tree.ident.to_string(), tree.ident.to_string()),
        UseTree::Rename(tree) => leaf(path, tree.ident.to_string(), tree.rename.to_string()),
        UseTree::Glob(_) => out.push(Import { name: None, path: path.clone(), is_public }),
        UseTree::Group(tree) => tree.items.iter().for_each(|tree| leaves(tree, path, is_public, out)),
    }
}
