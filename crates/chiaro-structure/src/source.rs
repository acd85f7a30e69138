//! The module tree of a crate: every file below `src`, parsed, with its path as a module.
//!
//! Modules are found by their files (`a.rs`, `a/b.rs`, `a/mod.rs`), not by their `mod` lines, so
//! features switch nothing off. Inline modules belong to their file; those for tests are left out.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use syn::{Attribute, File, Item};

/// A file of a crate.
pub struct Module {
    /// Its path from the crate's root; empty for the root.
    pub path: Vec<String>,
    /// Its file.
    pub file: PathBuf,
    /// Its items, without tests.
    pub syntax: File,
}

impl Module {
    /// The path as Rust writes it, from `crate`.
    #[must_use]
    pub fn name(&self) -> String {
        std::iter::once("crate").chain(self.path.iter().map(String::as_str)).collect::<Vec<_>>().join("::")
    }

    /// Whether one of the two stands above the other in the tree.
    #[must_use]
    pub fn is_kin(&self, other: &Module) -> bool {
        self.path.starts_with(&other.path) || other.path.starts_with(&self.path)
    }
}

/// All files of a crate.
pub struct Tree {
    /// The files in the order of their paths.
    pub modules: Vec<Module>,
    by_path: HashMap<Vec<String>, usize>,
}

impl Tree {
    /// Reads the crate in a folder.
    ///
    /// # Errors
    /// A file that cannot be read or is not Rust, with its name.
    pub fn read(folder: &Path) -> io::Result<Tree> {
        let source = folder.join("src");
        let mut files = Vec::new();
        collect(&source, &mut files)?;
        let mut modules =
            files.into_iter().map(|file| parse(&source, file)).collect::<io::Result<Vec<_>>>()?;
        modules.sort_by(|a, b| a.path.cmp(&b.path));
        let by_path = modules.iter().enumerate().map(|(i, m)| (m.path.clone(), i)).collect();
        Ok(Tree { modules, by_path })
    }

    /// The module with exactly this path.
    #[must_use]
    pub fn at(&self, path: &[String]) -> Option<usize> {
        self.by_path.get(path).copied()
    }
}

fn collect(folder: &Path, out: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, out)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    Ok(())
}

fn parse(source: &Path, file: PathBuf) -> io::Result<Module> {
    let text = fs::read_to_string(&file)?;
    let wrong = |error: syn::Error| io::Error::other(format!("{}: {error}", file.display()));
    let mut syntax = syn::parse_file(&text).map_err(wrong)?;
    syntax.items.retain(|item| !is_test(attributes(item)));
    let below = file.strip_prefix(source).unwrap_or(&file).with_extension("");
    let mut path: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    Ok(Module { path, file, syntax })
}

/// Whether an item is for tests alone.
fn is_test(attributes: &[Attribute]) -> bool {
    let has_test = |tokens: &proc_macro2::TokenStream| tokens.to_string() == "test";
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || (a.path().is_ident("cfg") && a.meta.require_list().is_ok_and(|list| has_test(&list.tokens)))
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        _ => &[],
    }
}
