//! Programs of our own for faults: the shaders of the vectors in waves of both sizes under both ABIs, then random kernels in
//! the same four settings.

use std::path::Path;

use chiaro_ir::Module;
use chiaro_ir::random::{Features, module_with};
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::check::Config as Rules;
use chiaro_rdna::compile::{Compiled, Options};
use chiaro_rdna::verify::Words;
use chiaro_target::Failure;
use chiaro_target::proof::kernel::meaning;

use super::Victim;
use crate::compute::read;
use crate::rdna::compiled::{compiled_by, driven};
use crate::victim::{self, Own};

/// Waves of both sizes under both ABIs.
const SETTINGS: [(u8, Abi); 4] = [(32, Abi::Vulkan), (64, Abi::Vulkan), (32, Abi::Hsa), (64, Abi::Hsa)];
/// Operations of a random kernel at most, about.
const LARGEST: u64 = 40;
/// The inputs that changed code runs on.
const INPUTS: u64 = 1;

/// Code of ours with its source.
pub(super) struct Program {
    module: Module,
    compiled: Compiled,
}

impl Program {
    /// Whether changed code runs into a fault or means something else.
    pub(super) fn is_changed(&self, code: &[u8]) -> bool {
        let compiled = Compiled { code: code.to_vec(), ..self.compiled.clone() };
        let words = Words { source: &self.module, entry: &self.module.entries[0], compiled };
        matches!(meaning(&words, INPUTS), Err(Failure::Fault(_) | Failure::Meaning(_)))
    }
}

/// The programs by their numbers.
pub(super) fn programs(folder: &Path) -> Result<Own, String> {
    let (folder, shaders) = (folder.to_owned(), shaders(folder)?);
    Ok(Box::new(move |n| victim(&folder, &shaders, n)))
}

fn victim(folder: &Path, shaders: &[String], n: u64) -> Result<Box<dyn victim::Victim>, String> {
    let (subject, (wave, abi)) = (n / 4, SETTINGS[(n % 4) as usize]);
    let known = shaders.get(subject as usize);
    let (name, module) = match known {
        Some(name) => (name.clone(), read(&folder.join("shaders"), name)?),
        None => random(subject - shaders.len() as u64),
    };
    let name = format!("{name}, waves of {wave}, {abi:?}");
    let options = Options { wave, abi, ..Options::default() };
    let compiled = compiled_by(module.clone(), options, &mut Cx::default());
    let compiled = compiled.map_err(|why| format!("{name}: {why}"))?;
    let rules = Rules { wave, group: Some(compiled.interface.threads()) };
    let mut victim = Victim::new(name, compiled.code.clone(), rules, folder);
    if let Some(found) = victim.known.first() {
        return Err(format!("{}: the checker says of it without a fault: {found}", victim.name));
    }
    victim.driven = known.filter(|_| abi == Abi::Vulkan).map(|name| driven(&compiled, name));
    victim.own = Some(Program { module, compiled });
    Ok(Box::new(victim))
}

/// Names of the vectors' shaders, in their order.
fn shaders(folder: &Path) -> Result<Vec<String>, String> {
    let path = folder.join("shaders");
    let files = std::fs::read_dir(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let modules = paths.filter(|path| path.extension().is_some_and(|extension| extension == "spv"));
    let mut names: Vec<String> =
        modules.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}

/// A random kernel; every second one has operations of subgroups, every second memory that lanes share.
fn random(seed: u64) -> (String, Module) {
    let [subgroup, shared] = [0, 1].map(|bit| seed >> bit & 1 == 1);
    let features =
        Features { variables: true, lively: true, subgroup, shared, within: true, ..Features::default() };
    (format!("random kernel {seed}"), module_with(seed, 4 + (seed % LARGEST) as u32, features))
}
