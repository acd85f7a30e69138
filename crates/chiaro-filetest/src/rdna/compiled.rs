//! `lavapipe_outputs*.jsonl` and our own words: every shader compiled from its SPIR-V and from its source, checked by
//! the rules, run on the simulator, and compared by the row's rule, in waves of both sizes.

use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::compile::{Compiled, Options, compile};
use serde_json::{Map, Value, json};

use super::driver::{Driven, accepted, run_compiled, run_pictures};
use crate::compute::read;
use crate::stages::Shader;
use crate::suite::{Miss, Row};

/// Rows in waves of 32.
pub(super) fn wave32(row: &Row<'_>) -> Result<(), Miss> {
    outputs(row, 32)
}

/// Rows in waves of 64.
pub(super) fn wave64(row: &Row<'_>) -> Result<(), Miss> {
    outputs(row, 64)
}

fn outputs(row: &Row<'_>, wave: u8) -> Result<(), Miss> {
    let json = row.json()?;
    let Some(name) = json["shader"].as_str() else { return Ok(()) };
    for (module, from) in modules(row.folder, name)? {
        let compiled = compiled(module, wave).map_err(|why| format!("{name}, {from}: {why}"))?;
        let driven = driven(&compiled, name);
        accepted(&driven)?;
        run_compiled(&driven, row).map_err(|why| match why {
            Miss::Failed(why) => Miss::Failed(format!("{name}, {from}: {why}")),
            other => other,
        })?;
    }
    Ok(())
}

/// The shaders of images, which have no row of outputs: what their sources say of each texel.
pub(super) fn images(row: &Row<'_>) -> Result<(), Miss> {
    let Some(theirs) = Driven::read(row.text)?.filter(Driven::has_pictures) else { return Ok(()) };
    for (module, from) in modules(row.folder, theirs.name())? {
        let compiled = compiled(module, theirs.wave)?;
        let ours = driven(&compiled, theirs.name());
        accepted(&ours)?;
        run_pictures(&ours).map_err(|why| match why {
            Miss::Failed(why) => Miss::Failed(format!("{}, {from}: {why}", theirs.name())),
            other => other,
        })?;
    }
    Ok(())
}

/// A shader's SPIR-V, and its source by our front end.
fn modules(folder: &Path, name: &str) -> Result<Vec<(Module, &'static str)>, String> {
    let folder = folder.join("shaders");
    let mut all = vec![(read(&folder, name)?, "SPIR-V")];
    let path = folder.join(name).with_extension("comp");
    if path.exists() {
        let shader = Shader::compile(&path)?;
        let vulkan = chiaro_spirv::vulkanize(&shader.hub).map_err(|e| e.message)?;
        let read = chiaro_spirv::read_module(&vulkan, &Default::default(), &mut SourceMap::new());
        all.push((read.map_err(|e| format!("{name}: {e}"))?.module, "source"));
    }
    Ok(all)
}

/// A module's entry point in waves of a size, each step of the compiler verified.
fn compiled(module: Module, wave: u8) -> Result<Compiled, String> {
    let options = Options { wave, ..Options::default() };
    compiled_by(module, options, &mut Cx { verify: true, ..Cx::default() })
}

/// A module's entry point, or what the compiler says first.
pub(crate) fn compiled_by(mut module: Module, options: Options, cx: &mut Cx<'_>) -> Result<Compiled, String> {
    let entry = module.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
    compile(&mut module, &entry, options, cx).map_err(|errors| errors[0].message.clone())
}

/// A program as the driver's rows describe theirs.
pub(super) fn driven(compiled: &Compiled, name: &str) -> Driven {
    let interface = &compiled.interface;
    let mut registers = Map::new();
    for (argument, at) in interface.registers() {
        registers.insert(argument.name(), Value::String(format!("s{at}")));
    }
    for (n, axis) in ["x", "y", "z"].iter().enumerate().take(interface.dimensions.into()) {
        registers.insert(format!("local_invocation_id_{axis}"), Value::String(format!("v{n}")));
    }
    let binding = |b: &chiaro_rdna::abi::interface::Bound| json!({ "binding": b.binding.1, "type": b.resource.name(), "offset": b.offset });
    let bindings: Vec<Value> = interface.resources.iter().filter(|b| b.binding.0 == 0).map(binding).collect();
    let set = json!({ "bytes": interface.set_bytes(0), "bindings": bindings });
    let row = json!({ "regs": registers, "set": set, "lds": interface.lds, "scratch": interface.scratch });
    Driven::new(name, compiled.options.wave, interface.workgroup, &compiled.code, row)
}
