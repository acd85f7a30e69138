//! Our own words of the vectors' shaders, each compiled from its SPIR-V and from its source, in waves of both sizes:
//! checked by the rules, run on the simulator, and compared by the rule of their row in `lavapipe_outputs*.jsonl`; proved
//! against the interpreter under both ABIs.

use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_opt::Cx;
use chiaro_rdna::abi::interface::Abi;
use chiaro_rdna::compile::{Compiled, Options, compile};
use chiaro_rdna::verify::{Words, verify};
use chiaro_target::{Compared, Failure};
use serde_json::{Map, Value, json};

use super::driver::{Case, Driven, Speed, accepted, run_compiled, run_pictures, speed};
use crate::compute::read;
use crate::stages::Shader;
use crate::suite::{Miss, Row};

/// Shaders with known outputs.
const OUTPUTS: &str = "lavapipe_outputs.jsonl";

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

/// Every shader in waves of the row's size, under both ABIs: proved, nothing spilled, as many waves as the driver's. Of
/// some random inputs prove nothing, which is said once all the rest holds.
pub(super) fn every(row: &Row<'_>) -> Result<(), Miss> {
    let Some(theirs) = Driven::read(row.text)? else { return Ok(()) };
    let mut unproved = None;
    for (module, from) in modules(row.folder, theirs.name())? {
        for abi in [Abi::Vulkan, Abi::Hsa] {
            let why = |why: String| format!("{}, {from}, {abi:?}: {why}", theirs.name());
            match proved(&module, &theirs, abi).map_err(why)? {
                Err(untested @ Failure::Untested { .. }) => unproved = Some(why(untested.to_string())),
                verdict => verdict.map(drop).map_err(|wrong| why(wrong.to_string()))?,
            }
        }
    }
    unproved.map_or(Ok(()), |why| Err(Miss::Skipped(why)))
}

/// What checks of a shader come to, unless it costs more than it may.
fn proved(module: &Module, theirs: &Driven, abi: Abi) -> Result<Result<Compared, Failure>, String> {
    let options = Options { wave: theirs.wave, abi, ..Options::default() };
    let compiled = compiled_by(module.clone(), options, &mut Cx { verify: true, ..Cx::default() })?;
    let (spilled, scratch) = (compiled.spilled, compiled.interface.scratch);
    if spilled > 0 || scratch > 0 {
        return Err(format!("{spilled} registers are spilled, {scratch} bytes of scratch are needed"));
    }
    let waves = compiled.statistics().subgroups;
    match theirs.row["stats"]["Subgroups_per_SIMD"].as_u64() {
        Some(wanted) if u64::from(waves) < wanted => {
            return Err(format!("{waves} waves stand side by side, the driver has {wanted}"));
        }
        _ => {}
    }
    let words = Words { source: module, entry: &module.entries[0], compiled };
    Ok(verify(&words, 1))
}

/// Runs what we compile of the shaders with known outputs, in waves of both sizes, each so many times.
pub(crate) fn speeds(folder: &Path, runs: usize) -> Result<Vec<Speed>, Miss> {
    let text = std::fs::read_to_string(folder.join(OUTPUTS)).map_err(|e| format!("{OUTPUTS}: {e}"))?;
    let mut speeds = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("{\"shader\"")) {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("{OUTPUTS}: {e}"))?;
        let name = row["shader"].as_str().unwrap_or_default();
        for wave in [32, 64] {
            let compiled = compiled(read(&folder.join("shaders"), name)?, wave)?;
            speeds.push(speed(&driven(&compiled, name), &Case::parse(line)?, runs)?);
        }
    }
    Ok(speeds)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that claims more waves of the driver's than there can be.
    #[test]
    fn fewer_waves_are_told() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-rdna/tests/vectors");
        let text = std::fs::read_to_string(folder.join("aco_words.jsonl")).expect("the vectors are there");
        let line = text.lines().find(|line| line.starts_with("{\"name\": \"vec4_scale\"")).expect("its row");
        let check = |text: &str| every(&Row { folder: &folder, line: 1, text });
        assert_eq!(check(line), Ok(()));
        let more = line.replace("\"Subgroups_per_SIMD\": 16", "\"Subgroups_per_SIMD\": 17");
        let Err(Miss::Failed(why)) = check(&more) else { panic!("it passes") };
        assert!(why.ends_with("16 waves stand side by side, the driver has 17"), "{why}");
    }

    /// Scalars that are spilled go to lanes and need no scratch; an array by number needs scratch and spills nothing.
    #[test]
    fn spills_and_scratch_are_told() {
        let told = |body: &str| {
            let text = format!(
                "#version 460\n#extension GL_KHR_shader_subgroup_basic : require\n\
                 #extension GL_KHR_shader_subgroup_ballot : require\n\
                 layout(local_size_x = 32) in; layout(std430, binding = 0) buffer B {{ uint d[]; }} b;\n\
                 void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"
            );
            let shader = Shader::of_text("spill.comp".to_owned(), text).expect("it compiles");
            let theirs = Driven::new("spill", 32, [32, 1, 1], &[], json!({}));
            proved(&shader.module, &theirs, Abi::Vulkan)
        };
        let many: Vec<String> =
            (0..130).map(|n| format!("uint s{n} = subgroupBroadcastFirst(b.d[i + {n}u]);")).collect();
        let used = |order: &mut dyn Iterator<Item = u32>| -> String {
            order.map(|n| format!("x = x * 5u ^ s{n};")).collect()
        };
        let (up, down) = (used(&mut (0..130)), used(&mut (0..130).rev()));
        let scalars = format!("{} uint x = 0u; {up} {down} b.d[i] = x;", many.concat());
        let spilled = told(&scalars).expect_err("it spills");
        assert!(spilled.ends_with("registers are spilled, 0 bytes of scratch are needed"), "{spilled}");
        let array =
            "uint t[40]; for (uint k = 0u; k < 40u; k++) t[k] = b.d[i + k]; b.d[i] = t[b.d[i] % 40u];";
        let scratch = told(array).expect_err("it needs scratch");
        assert_eq!(scratch, "0 registers are spilled, 160 bytes of scratch are needed");
    }
}
