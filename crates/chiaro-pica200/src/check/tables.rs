//! The container: limits, tables, names, and what contradicts what.

use super::report::{Report, short_name};
use super::rules::*;
use crate::container::outmap::{self, PROPERTIES};
use crate::container::{Constant, Dvle, Output, Part, Shbin, Stage, Uniform, UniformRegister};
use crate::regs::{GEOMETRY_WORDS, VERTEX_WORDS};
use std::collections::{BTreeMap, HashMap};

const DESCRIPTORS: usize = 128;
/// Numbers of the uniform table below this are attributes. spec section 18.8
const FIRST_UNIFORM: u16 = 0x10;

/// What concerns the file as a whole.
pub(super) fn check_file(file: &Shbin, report: &mut Report) {
    let geometry = file.executables.iter().any(|dvle| dvle.stage != Stage::Vertex);
    let (words, allowed) = (file.program.code.len(), if geometry { GEOMETRY_WORDS } else { VERTEX_WORDS });
    if words > allowed {
        report.file(&CODE_SIZE, format!("the code has {words} words, {allowed} are allowed"));
    }
    let descriptors = file.program.descriptors.len();
    if descriptors > DESCRIPTORS {
        let message = format!("the table has {descriptors} descriptors, {DESCRIPTORS} are allowed");
        report.file(&DESCRIPTOR_COUNT, message);
    }
    if file.executables.is_empty() {
        report.file(&NO_EXECUTABLE, "the file has code, but no executable".to_string());
    }
    for placed in file.parts().into_iter().filter(|placed| placed.offset % 4 != 0) {
        // Symbols are found by bytes; everything else by words [libctru].
        if !matches!(placed.part, Part::FileNames) {
            report.file(&UNALIGNED, format!("{} starts at {:#x}", placed.part, placed.offset));
        }
    }
}

/// What concerns one executable.
pub(super) fn check_executable(file: &Shbin, dvle: &Dvle, report: &mut Report) {
    check_header(file, dvle, report);
    check_outputs(dvle, report);
    check_uniforms(dvle, report);
    check_constants(dvle, report);
    check_labels(file, dvle, report);
    check_names(dvle, report);
}

fn check_header(file: &Shbin, dvle: &Dvle, report: &mut Report) {
    let words = file.program.code.len();
    // nihstro writes no end at all.
    let unknown = dvle.end == 0 && file.layout.tool() == Some("nihstro");
    if !unknown && (dvle.end <= dvle.entry || dvle.end as usize > words) {
        let message =
            format!("the entry procedure is {:#x}..{:#x}, the code has {words} words", dvle.entry, dvle.end);
        report.file(&END_OUTSIDE, message);
    }
    if let Stage::Other(byte) = dvle.stage {
        report.file(&STAGE, format!("the type byte is {byte}"));
    }
    let [mode, first, _, _] = dvle.geometry;
    match dvle.stage {
        Stage::Vertex if dvle.geometry != [0; 4] => {
            report.file(&GEOMETRY_MODE, format!("a vertex program with geometry bytes {:?}", dvle.geometry));
        }
        Stage::Geometry if mode > 2 => report.file(&GEOMETRY_MODE, format!("the mode is {mode}")),
        Stage::Geometry if mode == 2 && first > 95 => {
            report.file(&GEOMETRY_MODE, format!("vertices are stored from c{first} on, c95 is the last"));
        }
        _ => {}
    }
}

fn check_outputs(dvle: &Dvle, report: &mut Report) {
    if dvle.outputs.is_empty() {
        return report.file(&NO_OUTPUTS, "the output table is empty".to_string());
    }
    for output in &dvle.outputs {
        check_output(dvle.stage, output, report);
    }
    if let Some((register, slot)) = outmap::misplaced(&dvle.outputs) {
        let message = format!(
            "o{register} follows a gap: the hardware reads map slot {slot} for it, libctru fills slot {register}"
        );
        report.file(&OUTPUT_GAP, message);
    }
    check_doubles(&dvle.outputs, report);
    let table = outmap::enabled(&dvle.outputs);
    if dvle.outputs_used != 0 && dvle.outputs_used != table {
        let message = format!("the mask is {:#06x}, the table gives {table:#06x}", dvle.outputs_used);
        report.file(&OUTPUTS_USED, message);
    }
}

fn check_output(stage: Stage, output: &Output, report: &mut Report) {
    let last = if stage == Stage::Geometry { 6 } else { 15 };
    if output.register > last {
        report.file(&OUTPUT_REGISTER, format!("{output}; the last one is o{last}"));
    } else if output.register > 7 {
        report.file(&OUTPUT_HIGH, format!("{output} is never enabled by libctru"));
    }
    let named = output.property().is_some_and(|property| property.name != "dummy");
    if named && output.register == 7 {
        report.file(&OUTPUT_SLOT, format!("{output} has no slot in the output map"));
    }
    if output.property().is_none() {
        report.file(&OUTPUT_KIND, format!("{output}"));
    }
    if output.mask == 0 || output.mask > 15 {
        report.file(&OUTPUT_MASK, format!("o{} has the mask {:#x}", output.register, output.mask));
    }
}

/// Components with two properties, properties with two places.
fn check_doubles(outputs: &[Output], report: &mut Report) {
    let mut taken: BTreeMap<u16, u16> = BTreeMap::new();
    for output in outputs {
        let mask = taken.entry(output.register).or_default();
        if *mask & output.mask != 0 {
            report.file(&OUTPUT_TWICE, format!("{output} names a component that has a property already"));
        }
        *mask |= output.mask;
    }
    for property in PROPERTIES.iter().filter(|property| property.name != "dummy") {
        let places: Vec<String> =
            outputs.iter().filter(|o| o.kind == property.kind).map(|o| format!("o{}", o.register)).collect();
        if places.len() > 1 {
            let message = format!("{} is in {}", property.name, places.join(" and "));
            report.file(&OUTPUT_TWICE, message);
        }
    }
}

fn check_uniforms(dvle: &Dvle, report: &mut Report) {
    let constants: BTreeMap<UniformRegister, u16> =
        dvle.constants.iter().filter_map(|c| Some((c.target()?, c.register))).collect();
    for uniform in &dvle.uniforms {
        let name = || short_name(dvle, uniform.name).unwrap_or("a uniform").to_string();
        let Some((first, last)) = uniform.registers() else {
            report.file(&UNIFORM_RANGE, bad_range(&name(), uniform));
            continue;
        };
        if let Some((shared, _)) = constants.range(first..=last).next() {
            let message = format!("{} has {first} to {last}, a constant has {shared}", name());
            report.file(&UNIFORM_CONSTANT, message);
        }
    }
}

fn bad_range(name: &str, uniform: &Uniform) -> String {
    format!("{name} goes from {} to {}", spell(uniform.first), spell(uniform.last))
}

/// A register number of the table in words.
fn spell(number: u16) -> String {
    match UniformRegister::from_number(number) {
        Some(register) => register.to_string(),
        None => format!("{number:#x}, which is no register,"),
    }
}

fn check_constants(dvle: &Dvle, report: &mut Report) {
    let mut seen = HashMap::new();
    for (n, constant) in dvle.constants.iter().enumerate() {
        let Some(value) = constant.value() else {
            report.file(&CONSTANT_KIND, format!("constant {n} has type {}", constant.kind));
            continue;
        };
        if Constant::new(constant.register, value).words != constant.words {
            report.file(&CONSTANT_BITS, format!("constant {n} is {:08x?}", constant.words));
        }
        let Some(register) = constant.target() else {
            let message = format!("constant {n} names register {} of its bank", constant.register);
            report.file(&CONSTANT_REGISTER, message);
            continue;
        };
        if let Some(before) = seen.insert(register, n) {
            report.file(&CONSTANT_TWICE, format!("constants {before} and {n} both set {register}"));
        }
    }
}

fn check_labels(file: &Shbin, dvle: &Dvle, report: &mut Report) {
    let words = file.program.code.len() as u64;
    for label in &dvle.labels {
        let size = if label.size == u32::MAX { 0 } else { label.size };
        let end = u64::from(label.offset) + u64::from(size);
        if end > words {
            let name = short_name(dvle, label.name).unwrap_or("a label");
            let message = format!("{name} is at {:#x}..{end:#x}, the code has {words} words", label.offset);
            report.file(&LABEL_OUTSIDE, message);
        }
    }
}

fn check_names(dvle: &Dvle, report: &mut Report) {
    let named = dvle.symbols.iter().rposition(|&byte| byte == 0).map_or(0, |last| last + 1);
    let labels = dvle.labels.iter().map(|label| ("label", label.name));
    for (what, offset) in labels.chain(dvle.uniforms.iter().map(|uniform| ("uniform", uniform.name))) {
        if offset as usize >= named {
            let message = format!(
                "a {what} has its name at {offset:#x}, the symbols have {} bytes{}",
                dvle.symbols.len(),
                if (offset as usize) < dvle.symbols.len() { " and no zero follows" } else { "" }
            );
            report.file(&NAME_BROKEN, message);
        }
    }
    let mut seen = HashMap::new();
    for uniform in &dvle.uniforms {
        let Some(name) = short_name(dvle, uniform.name) else { continue };
        // A loader asks for uniforms by name, not for attributes: one behind a uniform hides nothing.
        let hides = |before: u16| before < FIRST_UNIFORM || uniform.first >= FIRST_UNIFORM;
        if let Some(before) = seen.insert(name, uniform.first).filter(|before| hides(*before)) {
            let message = format!("{name} is both {} and {}", spell(before), spell(uniform.first));
            report.file(&NAME_TWICE, message);
        }
    }
}
