//! Compute shaders of the corpus: the interpreter against what lavapipe computed.

use chiaro_diag::SourceMap;
use chiaro_ir::interp::compare::{Comparison, Tolerance};
use chiaro_ir::interp::{Interpreter, NoImages};
use chiaro_ir::{GlobalRef, Module, Space};
use serde_json::Value;

use crate::vectors::{Miss, Row, Suite};

/// The files with checks.
pub const SUITES: [Suite; 1] =
    [Suite { file: "lavapipe_outputs.jsonl", companion: Some("shaders"), check: lavapipe }];

/// Lanes in a subgroup of lavapipe.
const SUBGROUP: u32 = 8;

/// Instructions that a dispatch of the corpus may take.
const FUEL: u64 = 1 << 32;

/// One dispatch: the module, its buffers and push constants, and what came out.
pub struct Dispatch {
    /// Name of the module.
    pub shader: String,
    /// Workgroups.
    pub groups: [u32; 3],
    /// Push constants.
    pub push: Vec<u8>,
    /// Storage buffers: binding and words at the start.
    pub buffers: Vec<(u32, Vec<u32>)>,
    /// How far results may be off.
    pub tolerance: Tolerance,
    /// Buffers that changed: binding and words.
    pub outputs: Vec<(u32, Vec<u32>)>,
}

impl Dispatch {
    /// Reads a row.
    ///
    /// # Errors
    /// What the row lacks.
    pub fn read(row: &Row<'_>) -> Result<Dispatch, Miss> {
        let json = row.json()?;
        let numbers = json["groups"].as_array().ok_or("the row has no groups")?;
        let mut groups = [1; 3];
        for (slot, n) in groups.iter_mut().zip(numbers) {
            *slot = number(n)?;
        }
        let buffers = json["buffers"].as_array().ok_or("the row has no buffers")?;
        let outputs = json["out"].as_object().ok_or("the row has no outputs")?;
        let output = |(binding, hex): (&String, &Value)| {
            let binding = binding.parse().map_err(|_| format!("`{binding}` is no binding"))?;
            Ok((binding, words(hex.as_str().unwrap_or(""))?))
        };
        Ok(Dispatch {
            shader: json["shader"].as_str().ok_or("the row names no shader")?.to_owned(),
            groups,
            push: bytes(json["push"].as_str().unwrap_or(""))?,
            buffers: buffers.iter().map(buffer).collect::<Result<_, Miss>>()?,
            tolerance: tolerance(json["compare"].as_str().unwrap_or(""))?,
            outputs: outputs.iter().map(output).collect::<Result<_, Miss>>()?,
        })
    }
}

fn number(value: &Value) -> Result<u32, Miss> {
    let n = value.as_u64().and_then(|n| u32::try_from(n).ok());
    n.ok_or_else(|| Miss::Failed(format!("{value} is no 32-bit number")))
}

/// How the words are compared, by the name that the file's head explains.
fn tolerance(name: &str) -> Result<Tolerance, Miss> {
    match name {
        "i" => Ok(Tolerance::Exact),
        "i~" => Ok(Tolerance::Integer(1)),
        "f" => Ok(Tolerance::Relative(1e-6)),
        "f~" => Ok(Tolerance::Relative(1e-4)),
        _ => Err(format!("`{name}` is no way to compare").into()),
    }
}

fn bytes(hex: &str) -> Result<Vec<u8>, Miss> {
    let pair = |i: usize| hex.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let all: Option<Vec<u8>> = (0..hex.len()).step_by(2).map(pair).collect();
    all.ok_or_else(|| "the push constants are not hexadecimal".into())
}

/// Words of eight digits without blanks.
fn words(hex: &str) -> Result<Vec<u32>, Miss> {
    let word = |i: usize| hex.get(i..i + 8).and_then(|word| u32::from_str_radix(word, 16).ok());
    let all: Option<Vec<u32>> = (0..hex.len()).step_by(8).map(word).collect();
    all.ok_or_else(|| "the output is not hexadecimal".into())
}

fn buffer(json: &Value) -> Result<(u32, Vec<u32>), Miss> {
    let (binding, count) = (number(&json["binding"])?, number(&json["words"])?);
    let (init, param) = (json["init"].as_str().unwrap_or(""), number(&json["param"])?);
    let words: Option<Vec<u32>> = (0..count).map(|k| initial(init, param, binding, k)).collect();
    Ok((binding, words.ok_or_else(|| Miss::Failed(format!("`{init}` is no way to fill a buffer")))?))
}

/// Word `k` of a buffer at the start, as the file's head defines it.
fn initial(init: &str, param: u32, binding: u32, k: u32) -> Option<u32> {
    let mut h =
        k.wrapping_mul(2_654_435_761).wrapping_add(binding.wrapping_mul(40_503)).wrapping_add(0x9e37_79b9);
    h ^= h >> 15;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    Some(match init {
        "f" => ((h % 2001) as f32 / 1000.0 - 1.0).to_bits(),
        "g" => ((h % 1000) as f32 / 100.0 + 0.5).to_bits(),
        "u" => h.checked_rem(param).unwrap_or(h),
        "c" => param,
        "r" => k.wrapping_mul(param),
        _ => return None,
    })
}

/// `lavapipe_outputs.jsonl`.
fn lavapipe(row: &Row<'_>) -> Result<(), Miss> {
    let dispatch = Dispatch::read(row)?;
    let module = module(row, &dispatch.shader)?;
    for (binding, found) in interpret(&module, &dispatch)? {
        let Some((_, expected)) = dispatch.outputs.iter().find(|(b, _)| *b == binding) else { continue };
        let result = Comparison::words(expected, &found, dispatch.tolerance);
        if !result.passed() {
            return Err(format!("{}, binding {binding}: {result}", dispatch.shader).into());
        }
    }
    Ok(())
}

fn module(row: &Row<'_>, shader: &str) -> Result<Module, Miss> {
    let path = row.folder.join("shaders").join(format!("{shader}.spv"));
    let bytes = std::fs::read(&path).map_err(|e| Miss::Failed(format!("{}: {e}", path.display())))?;
    let words = chiaro_spirv::words_of(&bytes).map_err(|e| format!("{shader}: {e}"))?;
    let reading = chiaro_spirv::read(&words, &chiaro_spirv::Options::default(), &mut SourceMap::default());
    Ok(reading.map_err(|e| format!("{shader}: {e}"))?.module)
}

/// All storage buffers as they are after the dispatch.
fn interpret(module: &Module, dispatch: &Dispatch) -> Result<Vec<(u32, Vec<u32>)>, Miss> {
    let entry = module.entries.first().ok_or("the module has no entry point")?;
    let mut interpreter = Interpreter::new(module, entry);
    interpreter.options.subgroup = SUBGROUP;
    interpreter.options.fuel = FUEL;
    let mut bound = Vec::new();
    for (binding, words) in &dispatch.buffers {
        let global =
            interpreter.bound(0, *binding).ok_or_else(|| format!("nothing is bound to {binding}"))?;
        interpreter.set(global, words.iter().flat_map(|word| word.to_le_bytes()).collect());
        bound.push((*binding, global));
    }
    if let Some(n) = module.globals.iter().position(|g| g.space == Space::PushConstant) {
        let mut block = dispatch.push.clone();
        block.resize(block.len().max(interpreter.size_of(module.globals[n].ty) as usize), 0);
        interpreter.set(GlobalRef(n as u32), block);
    }
    interpreter.dispatch(dispatch.groups, &mut NoImages).map_err(|fault| fault.to_string())?;
    let words = |global| {
        let bytes = interpreter.bytes(global).unwrap_or_default();
        bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    };
    Ok(bound.into_iter().map(|(binding, global)| (binding, words(global))).collect())
}
