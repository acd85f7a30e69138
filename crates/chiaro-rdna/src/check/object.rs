//! A code object: every function's code, and each kernel against its descriptor (spec 13, 19.3).

use std::collections::HashSet;

use super::rules::{DESCRIPTOR, found};
use super::step::{self, Step};
use super::{Config, Found, check_from, flow, tables};
use crate::container::descriptor::Descriptor;
use crate::container::{CodeObject, Section, Symbol, SymbolKind};
use crate::isa::isa;
use crate::regs::file;

/// Everything that is wrong with a code object.
pub fn object(object: &CodeObject, wave: u8) -> Vec<Found> {
    let named =
        object.symbols.iter().filter(|s| s.section == Section::Text && s.kind == SymbolKind::Function);
    let kernels: HashSet<&str> = object.kernels().map(|(name, _)| name).collect();
    let is_kernel = |s: &&Symbol| kernels.contains(s.name.as_str());
    let (launched, called): (Vec<&Symbol>, Vec<&Symbol>) = named.partition(is_kernel);
    let [mut launched, called] =
        [launched, called].map(|all| all.iter().map(|s| (s.value / 4) as u32).collect::<Vec<_>>());
    // Code without names begins at its first word.
    if launched.is_empty() && called.is_empty() {
        launched.push(0);
    }
    let mut all = check_from(&object.text, [&launched, &called], Config { wave, group: None });
    let steps = step::steps(&object.text, isa(wave));
    for (name, descriptor) in object.kernels() {
        let symbol = object.symbols.iter().find(|s| s.section == Section::Text && s.name == name);
        if let Some(start) = symbol.and_then(|s| step::at(&steps, (s.value / 4) as i64)) {
            kernel(name, &descriptor, &steps, start, &mut all);
        }
    }
    all
}

/// What a kernel's own code uses; functions that it calls have to be counted by who links them.
fn kernel(name: &str, descriptor: &Descriptor, steps: &[Step], start: usize, all: &mut Vec<Found>) {
    let reached = flow::reached(steps, &[start]);
    let own = || steps.iter().zip(&reached).filter(|(_, reached)| **reached).map(|(step, _)| step);
    let registers = |step: &Step| {
        let both = step.reads.iter().chain(&step.writes).filter(|(in_file, _)| *in_file == file::VGPR);
        both.map(|(_, n)| u32::from(*n) + 1).max().unwrap_or(0)
    };
    let has = descriptor.vgprs();
    if let Some(step) = own().max_by_key(|step| registers(step)).filter(|step| registers(step) > has) {
        let message = format!(
            "{name}: {} uses v{}, the descriptor has {has} vector registers",
            step.name,
            registers(step) - 1
        );
        all.push(found(&DESCRIPTOR, step.word, message));
    }
    let get = |field: &str| descriptor.get(field).unwrap_or(0);
    // A stack of unknown size is what calls need; then its descriptor says so.
    let scratch = get("private_segment_fixed_size") == 0 && get("uses_dynamic_stack") == 0;
    if let Some(step) = own().find(|step| tables::is_scratch(step.dword)).filter(|_| scratch) {
        let message = format!("{name}: {} needs scratch, of which the descriptor has 0 bytes", step.name);
        all.push(found(&DESCRIPTOR, step.word, message));
    }
}
