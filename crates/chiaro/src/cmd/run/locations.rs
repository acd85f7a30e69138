//! Inputs by their locations, for programs that keep no names of variables.

use chiaro::{LoadedModule, Report, Work};
use chiaro_ir::{Space, Stage};

/// What inputs of a stage are called, and what a program without names calls them: `attribute0`, `varying0`. Nothing
/// for a program that has names.
pub fn locations(module: &LoadedModule, report: &Report) -> Vec<(String, String)> {
    let kind = match module.module.entries.first().map(|entry| entry.stage) {
        Some(Stage::Vertex) => "attribute",
        Some(Stage::Fragment) => "varying",
        _ => return Vec::new(),
    };
    if report.variables.iter().any(|bound| bound.kind == "input") {
        return Vec::new();
    }
    let inputs =
        module.module.globals.iter().filter(|g| g.space == Space::Input && g.binding.builtin.is_none());
    let mut taken: Vec<u32> = inputs.clone().filter_map(|global| global.binding.location).collect();
    let mut named = Vec::new();
    for global in inputs {
        // Without one of its own an input has the lowest that is free.
        let location = global.binding.location.or_else(|| {
            let free = (0..).find(|n| !taken.contains(n))?;
            taken.push(free);
            Some(free)
        });
        named.extend(location.map(|location| (global.name.clone(), format!("{kind}{location}"))));
    }
    named
}

/// Calls the columns of inputs what the program calls them.
pub fn rename(work: &mut Work, names: &[(String, String)]) {
    let (Work::Vertices(given) | Work::Fragments(given)) = work else { return };
    for (name, _) in &mut given.columns {
        if let Some((_, other)) = names.iter().find(|(known, _)| known == name) {
            name.clone_from(other);
        }
    }
}
