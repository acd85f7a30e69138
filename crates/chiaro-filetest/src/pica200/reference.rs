//! Shaders of `compile/` in WGSL: the interpreter, and the words of our compiler in both modes
//! of the simulator, against an independent model.

use chiaro::LoadedModule;
use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Interpreter, NoImages, float_value};
use chiaro_ir::{GlobalRef, Module, Space, Type};
use chiaro_opt::Cx;
use chiaro_pica200::abi::Interface;
use chiaro_pica200::compile::{Options, compile};
use chiaro_pica200::machine::Mode;
use chiaro_pica200::verify::{Sample, run_words};
use serde_json::Value;

use crate::suite::{Miss, Row};

/// `compare with tolerance 1e-3 * max(1, |value|)`, as the file's head says.
const TOLERANCE: f64 = 1e-3;
/// What registers hold at the start; no result may depend on it.
const START: u32 = 0x4049_0000;

/// `compile_ref.jsonl`.
pub(super) fn reference(row: &Row<'_>) -> Result<(), Miss> {
    let case = Case::read(row)?;
    case.check(&case.module)?;
    case.check_words()
}

/// A shader and what one vertex must give.
pub(crate) struct Case {
    pub(crate) shader: String,
    /// The shader as it is read.
    pub(crate) module: Module,
    interface: Interface,
    text: String,
    row: Value,
}

impl Case {
    pub(crate) fn read(row: &Row<'_>) -> Result<Case, Miss> {
        let json = row.json()?;
        let shader = json["shader"].as_str().ok_or("the row names no shader")?.to_owned();
        let path = row.folder.join("compile").join(format!("{shader}.wgsl"));
        let text =
            std::fs::read_to_string(&path).map_err(|e| Miss::Failed(format!("{}: {e}", path.display())))?;
        let loaded = load(&shader, &text)?;
        Ok(Case { module: loaded.module, interface: loaded.interface, shader, text, row: json })
    }

    /// Runs the module, or what became of it, and compares.
    pub(crate) fn check(&self, module: &Module) -> Result<(), Miss> {
        let sample = self.sample(module)?;
        let entry = module.entries.first().ok_or("there is no entry point")?;
        let mut interpreter = Interpreter::new(module, entry);
        sample.uniforms.into_iter().for_each(|(g, bytes)| interpreter.set(g, bytes));
        let (_, out) =
            interpreter.run(1, &sample.attributes, &mut NoImages).map_err(|fault| fault.to_string())?;
        self.compare("", |g| out.get(&g).and_then(|rows| rows.first()).map(|bytes| floats(bytes)))
    }

    /// Compiles, and runs the words as emulators and as the console compute.
    fn check_words(&self) -> Result<(), Miss> {
        let mut cx = Cx { verify: true, ..Cx::default() };
        let compiled = compile(&self.module, &self.interface, "main", &Options::default(), &mut cx)
            .map_err(|error| error.message)?;
        let sample = self.sample(&self.module)?;
        for (mode, name) in [(Mode::Emu32, " in emu32"), (Mode::Hw24, " in hw24")] {
            let ran = run_words(&compiled, &sample, mode, START)?;
            self.compare(name, |g| ran.output(0, g, &[]).map(|row| row.map(f64::from).to_vec()))?;
        }
        Ok(())
    }

    /// Compares the outputs, position first and the others by location.
    fn compare(&self, place: &str, found: impl Fn(GlobalRef) -> Option<Vec<f64>>) -> Result<(), Miss> {
        let shader = &self.shader;
        let globals = self.module.globals.iter().enumerate();
        let mut outputs: Vec<(Option<u32>, GlobalRef)> = globals
            .filter(|(_, g)| g.space == Space::Output)
            .map(|(i, g)| (g.binding.location, GlobalRef(i as u32)))
            .collect();
        outputs.sort();
        let expected = self.row["out"].as_array().ok_or("the row has no outputs")?;
        if outputs.len() != expected.len() {
            return Err(format!("{shader} has {} outputs", outputs.len()).into());
        }
        for (i, (expected, (_, output))) in expected.iter().zip(outputs).enumerate() {
            let found = found(output).unwrap_or_default();
            for (k, e) in expected.as_array().into_iter().flatten().filter_map(Value::as_f64).enumerate() {
                let f = found.get(k).copied().unwrap_or(f64::NAN);
                if (e - f).abs().total_cmp(&(TOLERANCE * e.abs().max(1.0))).is_gt() {
                    return Err(
                        format!("{shader}{place}: component {k} of output {i} is {f}, not {e}").into()
                    );
                }
            }
        }
        Ok(())
    }

    /// The row's inputs and uniforms.
    fn sample(&self, module: &Module) -> Result<Sample, Miss> {
        let mut sample = Sample { lanes: 1, ..Sample::default() };
        for (i, global) in module.globals.iter().enumerate() {
            let g = GlobalRef(i as u32);
            match (global.space, global.binding.location) {
                (Space::Uniform, _) => {
                    sample.uniforms.insert(g, uniforms(module, &self.text, &self.row["c"])?);
                }
                (Space::Input, Some(location)) => {
                    let values = numbers(&self.row["v"][location.to_string()])?;
                    let bytes = values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect();
                    sample.attributes.insert(g, vec![bytes]);
                }
                _ => {}
            }
        }
        Ok(sample)
    }
}

fn load(shader: &str, text: &str) -> Result<LoadedModule, Miss> {
    let mut sources = SourceMap::new();
    let file = sources.add(shader, text);
    let loaded = chiaro::load_wgsl(file, &chiaro::ModuleOptions::default(), &mut sources);
    loaded.map_err(|errors| errors[0].message.as_str().into())
}

fn floats(bytes: &[u8]) -> Vec<f64> {
    let word = |c: &[u8]| u64::from(u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    bytes.chunks_exact(4).map(|c| float_value(word(c), 32)).collect()
}

fn numbers(value: &Value) -> Result<Vec<f64>, Miss> {
    let items = value.as_array().ok_or_else(|| Miss::Failed(format!("{value} is no vector")))?;
    items.iter().map(|x| x.as_f64().ok_or_else(|| Miss::Failed(format!("{x} is no number")))).collect()
}

/// The bytes of the uniform block: registers in the order of its members, where the four
/// registers of a matrix are its rows and the block holds columns.
fn uniforms(module: &Module, text: &str, registers: &Value) -> Result<Vec<u8>, Miss> {
    let block = module.globals.iter().find(|g| g.space == Space::Uniform).ok_or("there is no block")?;
    let mut next = 0;
    let mut bytes = Vec::new();
    let outer = module.types.part(block.ty, 0).ok_or("the block is empty")?;
    // WGSL's structure is wrapped once more in a block.
    let ty = if module
        .types
        .part_count(outer)
        .is_some_and(|_| matches!(module.types.get(outer), Type::Struct(..)))
    {
        outer
    } else {
        block.ty
    };
    let Type::Struct(_, members) = module.types.get(ty) else {
        return Err("the block is no structure".into());
    };
    for (i, member) in members.iter().enumerate() {
        let rows = member_rows(module, member.ty);
        let mut vectors = Vec::new();
        for _ in 0..rows {
            vectors.push(numbers(&registers[next.to_string()])?);
            next += 1;
        }
        // Both are arrays of columns in the IR; only the source sets matrices apart.
        let matrix = text.contains(&format!("{}: mat4x4", member.name));
        let at = member.offset.unwrap_or(16 * i as u32) as usize;
        bytes.resize(at, 0);
        let component = |k: usize, j: usize| if matrix { vectors[j][k] } else { vectors[k][j] };
        let all = (0..rows).flat_map(|k| (0..4).map(move |j| (k, j)));
        bytes.extend(all.flat_map(|(k, j)| (component(k, j) as f32).to_le_bytes()));
    }
    Ok(bytes)
}

/// Registers that a member takes.
fn member_rows(module: &Module, ty: chiaro_ir::Ty) -> usize {
    match module.types.get(ty) {
        Type::Array(_, n, _) => *n as usize,
        _ => 1,
    }
}
