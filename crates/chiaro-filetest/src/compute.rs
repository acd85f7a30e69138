//! Compute modules with known outputs: `rdna/lavapipe_outputs.jsonl`.
//!
//! A row names a module, workgroups, push constants, how its buffers are filled, and the
//! words of the buffers that changed. Who runs the module is left open: a driver, the
//! interpreter or a simulator gives the buffers back, and [`Job::check`] compares.

mod interpret;
mod no_row;

use std::path::Path;

use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_ir::interp::compare::{Comparison, Tolerance};
use chiaro_num::{Encoding, F16};
use serde_json::Value;

use crate::stages::Shader;
use crate::suite::{Miss, Row, hex_words};
pub use interpret::{interpret, within};
pub use no_row::{unaccounted, without_row};

/// A run of a compute module, and what it must give.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// Name of the module: a file `shaders/NAME.spv` beside the rows.
    pub shader: String,
    /// Workgroups.
    pub groups: [u32; 3],
    /// Bytes of the push constants.
    pub push: Vec<u8>,
    /// Storage buffers of set 0.
    pub buffers: Vec<Buffer>,
    /// How closely the outputs must agree.
    pub tolerance: Tolerance,
    /// Binding and words of each buffer that the run changes.
    pub expected: Vec<(u32, Vec<u32>)>,
}

/// A buffer and its words before the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its binding in set 0.
    pub binding: u32,
    /// Its words.
    pub words: Vec<u32>,
}

/// Most words that a row may ask for in one buffer.
const MOST_WORDS: u64 = 1 << 24;

impl Job {
    /// Reads a row.
    ///
    /// # Errors
    /// What the row lacks.
    pub fn parse(row: &str) -> Result<Job, Miss> {
        let row: Value =
            serde_json::from_str(row).map_err(|e| Miss::Failed(format!("the row is not JSON: {e}")))?;
        let list = |name: &str| row[name].as_array().map(Vec::as_slice).unwrap_or_default();
        let groups: Vec<u32> =
            list("groups").iter().filter_map(|n| u32::try_from(n.as_u64()?).ok()).collect();
        let expected = row["out"].as_object().ok_or("the row has no `out`")?;
        Ok(Job {
            shader: row["shader"].as_str().ok_or("the row has no `shader`")?.to_owned(),
            groups: groups.try_into().map_err(|_| "`groups` are not three numbers")?,
            push: hex_bytes(row["push"].as_str().unwrap_or_default())?,
            buffers: list("buffers").iter().map(buffer).collect::<Result<_, _>>()?,
            tolerance: tolerance(row["compare"].as_str().unwrap_or_default())?,
            expected: expected.iter().map(output).collect::<Result<_, _>>()?,
        })
    }

    /// Compares all buffers after a run, in the order of [`Job::buffers`]: those without an
    /// expectation must be as they were.
    #[must_use]
    pub fn check(&self, after: &[Vec<u32>]) -> Comparison {
        self.compare(after, self.tolerance)
    }

    /// As [`Job::check`], with another tolerance.
    #[must_use]
    pub fn compare(&self, after: &[Vec<u32>], tolerance: Tolerance) -> Comparison {
        let mut all = Comparison::default();
        for (buffer, found) in self.buffers.iter().zip(after) {
            let known = self.expected.iter().find(|(binding, _)| *binding == buffer.binding);
            let one = match known {
                Some((_, words)) => Comparison::words(words, found, tolerance),
                None => Comparison::words(&buffer.words, found, Tolerance::Exact),
            };
            all.equal += one.equal;
            all.differences.extend(one.differences);
            all.inconclusive += one.inconclusive;
        }
        all
    }
}

pub(crate) fn on_interpreter(row: &Row<'_>) -> Result<(), Miss> {
    let job = Job::parse(row.text)?;
    let module = read(&row.folder.join("shaders"), &job.shader)?;
    let after = interpret(&module, &job).map_err(|reason| format!("{}: {reason}", job.shader))?;
    let comparison = job.check(&after);
    if !comparison.passed() {
        return Err(format!("{}: {comparison}", job.shader).into());
    }
    Ok(from_source(row, &job)?)
}

/// The same from the module's GLSL source, where there is one, in both flavours of our words.
fn from_source(row: &Row<'_>, job: &Job) -> Result<(), String> {
    let path = row.folder.join("shaders").join(&job.shader).with_extension("comp");
    if !path.exists() {
        return Ok(());
    }
    let shader = Shader::compile(&path)?;
    let vulkan = chiaro_spirv::vulkanize(&shader.hub).map_err(|e| e.message)?;
    let options = chiaro_spirv::Options::default();
    let vulkan = chiaro_spirv::read_module(&vulkan, &options, &mut SourceMap::new());
    let vulkan = vulkan.map_err(|e| format!("{}: {e}", job.shader))?.module;
    for (module, flavour) in [(&shader.module, "OpenGL"), (&vulkan, "Vulkan")] {
        let after =
            interpret(module, job).map_err(|e| format!("{} from source, {flavour}: {e}", job.shader))?;
        let comparison = job.check(&after);
        if !comparison.passed() {
            return Err(format!("{} from source, {flavour}: {comparison}", job.shader));
        }
    }
    Ok(())
}

/// All rows of a file's text with their line, from 1.
///
/// # Errors
/// The first row that cannot be read.
pub fn jobs(text: &str) -> Result<Vec<(usize, Job)>, String> {
    let rows = text.lines().enumerate().filter(|(_, row)| !row.is_empty() && !row.starts_with('#'));
    rows.map(|(i, row)| match Job::parse(row) {
        Ok(job) => Ok((i + 1, job)),
        Err(Miss::Failed(reason) | Miss::Skipped(reason)) => Err(format!("line {}: {reason}", i + 1)),
    })
    .collect()
}

/// The words of a module `NAME.spv` in a folder.
///
/// # Errors
/// A file that is absent, or no SPIR-V.
pub fn module(folder: &Path, name: &str) -> Result<Vec<u32>, String> {
    let path = folder.join(name).with_extension("spv");
    let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    chiaro_spirv::words_of(&bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// The module that a shader's SPIR-V is.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Module, String> {
    let words = module(folder, name)?;
    let read = chiaro_spirv::read(&words, &chiaro_spirv::Options::default(), &mut SourceMap::new());
    Ok(read.map_err(|e| format!("{name}: {e}"))?.module)
}

/// A buffer of a row as it is before the run.
pub(crate) fn buffer(row: &Value) -> Result<Buffer, Miss> {
    let number =
        |name: &str| row[name].as_u64().ok_or_else(|| Miss::Failed(format!("a buffer has no `{name}`")));
    let (binding, words, param) = (number("binding")?, number("words")?, row["param"].as_u64().unwrap_or(0));
    if words > MOST_WORDS {
        return Err("a buffer is too large".into());
    }
    let init = row["init"].as_str().unwrap_or_default();
    let (binding, param) = (binding as u32, param as u32);
    if init == "x" {
        let given = packed_words(row["hex"].as_str().unwrap_or_default())?;
        return Ok(Buffer { binding, words: given });
    }
    let words = (0..words as u32).map(|k| initial(init, param, binding, k));
    Ok(Buffer { binding, words: words.collect::<Option<_>>().ok_or("a buffer's `init` is not known")? })
}

/// Word `k` of a buffer, as the head of the file says.
fn initial(init: &str, param: u32, binding: u32, k: u32) -> Option<u32> {
    let mut h =
        k.wrapping_mul(2_654_435_761).wrapping_add(binding.wrapping_mul(40503)).wrapping_add(0x9e37_79b9);
    h ^= h >> 15;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    // Every step rounds to f32 [measured: so all stored words come out].
    let float = |range: u32, scale: f32, offset: f32| ((h % range) as f32 / scale + offset).to_bits();
    Some(match init {
        "f" => float(2001, 1000.0, -1.0),
        "g" => float(1000, 100.0, 0.5),
        "u" if param == 0 => h,
        "u" => h % param,
        "c" => param,
        "r" => k.wrapping_mul(param),
        // Two floats of 16 bits.
        "h" => {
            let half = |x: u32| F16.encode(f64::from(x % 2001) / 1000.0 - 1.0, Encoding::default()) & 0xffff;
            half(h) | half(h >> 11) << 16
        }
        _ => return None,
    })
}

fn tolerance(compare: &str) -> Result<Tolerance, Miss> {
    Ok(match compare {
        "i" => Tolerance::Exact,
        "i~" => Tolerance::Integer(1),
        "f" => Tolerance::Relative(1e-6),
        "f~" => Tolerance::Relative(1e-4),
        other => return Err(Miss::Failed(format!("`compare` is `{other}`"))),
    })
}

fn output((binding, words): (&String, &Value)) -> Result<(u32, Vec<u32>), Miss> {
    let binding = binding.parse().map_err(|_| "an output's binding is not a number")?;
    Ok((binding, packed_words(words.as_str().unwrap_or_default())?))
}

/// Words of eight hexadecimal digits, one behind the other.
pub(crate) fn packed_words(text: &str) -> Result<Vec<u32>, Miss> {
    let digits: Vec<String> =
        text.as_bytes().chunks(8).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
    hex_words(&digits.join(" "))
}

/// Bytes of two hexadecimal digits each.
pub(crate) fn hex_bytes(text: &str) -> Result<Vec<u8>, Miss> {
    let byte = |pair: &[u8]| {
        let digits = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(digits, 16).ok()
    };
    let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
    bytes.ok_or_else(|| "`push` is not hexadecimal".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = r#"{"shader": "s", "groups": [1, 2, 1], "push": "0100ff", "buffers": [
        {"binding": 1, "words": 2, "init": "c", "param": 7}, {"binding": 0, "words": 3, "init": "r", "param": 4}],
        "compare": "i", "out": {"1": "0000000900000007"}}"#;

    #[test]
    fn a_row_says_how_to_run_and_what_must_come_out() {
        let job = Job::parse(ROW).unwrap();
        assert_eq!((job.groups, job.push.as_slice()), ([1, 2, 1], [1, 0, 255].as_slice()));
        assert_eq!(job.buffers[1].words, [0, 4, 8]);
        assert!(job.check(&[vec![9, 7], vec![0, 4, 8]]).passed());
        assert!(!job.check(&[vec![9, 8], vec![0, 4, 8]]).passed());
        // A buffer that is not in the row's outputs must stay as it was.
        assert!(!job.check(&[vec![9, 7], vec![0, 4, 9]]).passed());
        assert!(Job::parse("{}").is_err());
    }

    #[test]
    fn buffers_are_filled_from_a_hash() {
        // Times 1.5 plus 0 this is 0xbd7be770, the first output of `vec4_scale`.
        let first = f32::from_bits(initial("f", 0, 0, 0).unwrap());
        assert_eq!((first * 1.5).to_bits(), 0xbd7b_e770, "{first}");
        assert_eq!(initial("u", 10, 3, 5).unwrap(), initial("u", 0, 3, 5).unwrap() % 10);
        assert_eq!(initial("x", 0, 0, 0), None);
    }
}
