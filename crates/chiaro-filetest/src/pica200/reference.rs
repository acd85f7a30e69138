//! Shaders of `compile/` in WGSL: the interpreter against an independent model.

use chiaro_diag::SourceMap;
use chiaro_ir::interp::{Attributes, Interpreter, NoImages, float_value};
use chiaro_ir::{GlobalRef, Module, Space, Type};
use serde_json::Value;

use crate::vectors::{Miss, Row};

/// `compare with tolerance 1e-3 * max(1, |value|)`, as the file's head says.
const TOLERANCE: f64 = 1e-3;

/// `compile_ref.jsonl`.
pub(super) fn reference(row: &Row<'_>) -> Result<(), Miss> {
    let case = Case::read(row)?;
    case.check(&case.module)
}

/// A shader and what one vertex must give.
pub(crate) struct Case {
    pub(crate) shader: String,
    /// The shader as it is read.
    pub(crate) module: Module,
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
        Ok(Case { module: module(&shader, &text)?, shader, text, row: json })
    }

    /// Runs the module, or what became of it, and compares.
    pub(crate) fn check(&self, module: &Module) -> Result<(), Miss> {
        let shader = &self.shader;
        let found = outputs(module, &self.text, &self.row)?;
        let expected = self.row["out"].as_array().ok_or("the row has no outputs")?;
        for (i, (expected, found)) in expected.iter().zip(&found).enumerate() {
            for (k, e) in expected.as_array().into_iter().flatten().filter_map(Value::as_f64).enumerate() {
                let f = found.get(k).copied().unwrap_or(f64::NAN);
                if (e - f).abs().total_cmp(&(TOLERANCE * e.abs().max(1.0))).is_gt() {
                    return Err(format!("{shader}: component {k} of output {i} is {f}, not {e}").into());
                }
            }
        }
        if found.len() == expected.len() {
            Ok(())
        } else {
            Err(format!("{shader} has {} outputs", found.len()).into())
        }
    }
}

fn module(shader: &str, text: &str) -> Result<Module, Miss> {
    let mut sources = SourceMap::new();
    let file = sources.add(shader, text);
    let loaded = chiaro::load_wgsl(file, &chiaro::ModuleOptions::default(), &mut sources);
    loaded.map(|loaded| loaded.module).map_err(|errors| errors[0].message.as_str().into())
}

/// The outputs of the vertex stage: position, then the others by location.
fn outputs(module: &Module, text: &str, json: &Value) -> Result<Vec<Vec<f64>>, Miss> {
    let entry = module.entries.first().ok_or("there is no entry point")?;
    let mut interpreter = Interpreter::new(module, entry);
    let mut inputs = Attributes::new();
    for (i, global) in module.globals.iter().enumerate() {
        let g = GlobalRef(i as u32);
        match (global.space, global.binding.location) {
            (Space::Uniform, _) => interpreter.set(g, uniforms(module, text, &json["c"])?),
            (Space::Input, Some(location)) => {
                let values = numbers(&json["v"][location.to_string()])?;
                inputs.insert(g, vec![values.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect()]);
            }
            _ => {}
        }
    }
    let (_, out) = interpreter.run(1, &inputs, &mut NoImages).map_err(|fault| fault.to_string())?;
    let mut found: Vec<_> =
        out.iter().map(|(&g, rows)| (module.global(g).binding.location, &rows[0])).collect();
    found.sort_by_key(|(location, _)| *location);
    Ok(found.into_iter().map(|(_, bytes)| floats(bytes)).collect())
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
        // Both are arrays of columns in the IR; only the source tells matrices apart.
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
