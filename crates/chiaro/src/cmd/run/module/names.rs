//! What inputs and outputs of a run are called: by the rule of [`chiaro_ir::interface`], or by their place.

use chiaro_ir::interface::Interface;
use chiaro_ir::{GlobalRef, Module, Type};

/// The names of a module's variables.
#[derive(Clone, Copy)]
pub struct Names<'m> {
    pub module: &'m Module,
    pub interface: &'m Interface,
}

impl Names<'_> {
    /// The part that a name means, of the variables that count.
    pub fn find(self, name: &str, counts: impl Fn(GlobalRef) -> bool) -> Option<(GlobalRef, Vec<u32>)> {
        self.interface.find(name, &counts).or_else(|| {
            let mut all = (0..self.module.globals.len()).map(|i| GlobalRef(i as u32));
            let g = all.find(|&g| counts(g) && self.places(g).iter().any(|place| place == name))?;
            Some((g, Vec::new()))
        })
    }

    /// How a variable is shown: by its name; one without a name by those of its parts, and what has none at
    /// all by its place.
    pub fn titles(self, g: GlobalRef) -> Vec<(String, Vec<u32>)> {
        let whole = self.interface.name_of(g, &[]).filter(|name| !name.is_empty());
        if let Some(name) = whole {
            return vec![(name, Vec::new())];
        }
        let leaves = self.interface.leaves_of(g).filter(|leaf| !leaf.name.is_empty());
        let mut leaves: Vec<_> = leaves.map(|leaf| whole_array(&leaf.name, &leaf.path)).collect();
        leaves.dedup();
        if !leaves.is_empty() {
            return leaves;
        }
        let place = self.places(g).into_iter().next();
        vec![(place.unwrap_or_else(|| "unnamed".to_owned()), Vec::new())]
    }

    /// Names of the IR, and places: of the block, binding, location, built-in.
    fn places(self, g: GlobalRef) -> Vec<String> {
        let global = self.module.global(g);
        let mut names = vec![global.name.clone()];
        if let Type::Struct(name, _) = self.module.types.get(global.ty) {
            names.push(name.clone());
        }
        if let Some(binding) = global.binding.binding {
            names.push(binding.to_string());
            names.push(format!("{}.{binding}", global.binding.set.unwrap_or(0)));
        }
        if let Some(location) = global.binding.location {
            names.push(location.to_string());
        }
        if let Some(number) = global.binding.builtin {
            names.push(format!("builtin{number}"));
        }
        names.retain(|name| !name.is_empty());
        names
    }
}

/// An array as a whole where a name leads into one: interfaces name the first elements alone.
fn whole_array(name: &str, path: &[u32]) -> (String, Vec<u32>) {
    match name.split_once('[') {
        Some((array, _)) => {
            let depth = array.split('.').count();
            (array.to_owned(), path.iter().copied().take(depth).collect())
        }
        None => (name.to_owned(), path.to_vec()),
    }
}
