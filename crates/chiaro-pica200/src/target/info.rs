//! A container's contents for people.

use std::fmt::Write;

use crate::container::outmap::{OutputMap, misplaced};
use crate::container::{Constant, ConstantValue, Dvle, Part, Shbin, Stage, Uniform};
use chiaro_num::F24;

/// The whole file, top to bottom.
pub(super) fn describe(size: usize, shbin: &Shbin) -> String {
    let mut out = String::new();
    let tool = shbin.layout.tool().map(|tool| format!(", laid out as {tool} does")).unwrap_or_default();
    let program = &shbin.program;
    let _ = writeln!(out, "SHBIN of {size} bytes{tool}");
    let _ = writeln!(
        out,
        "program: words {}, operand descriptors {}, version {:#x}",
        program.code.len(),
        program.descriptors.len(),
        program.version
    );
    for (n, dvle) in shbin.executables.iter().enumerate() {
        executable(n, dvle, &mut out);
    }
    parts(shbin, &mut out);
    out
}

fn executable(n: usize, dvle: &Dvle, out: &mut String) {
    let stage = match dvle.stage {
        Stage::Vertex => "vertex program".to_owned(),
        Stage::Geometry => "geometry program".to_owned(),
        Stage::Other(byte) => format!("program of unknown type {byte}"),
    };
    let label = dvle.label_before(dvle.entry).filter(|(_, behind)| *behind == 0);
    let label = label.and_then(|(label, _)| dvle.name(label.name)).map(|name| format!(" ({name})"));
    let _ = writeln!(out, "\nDVLE {n}: {stage}, version {:#x}", dvle.version);
    let _ = writeln!(
        out,
        "  entry     word {}{}, ends before word {}",
        dvle.entry,
        label.unwrap_or_default(),
        dvle.end
    );
    if dvle.stage == Stage::Geometry {
        let _ = writeln!(
            out,
            "  geometry  {}{}",
            geometry(dvle),
            if dvle.merge == 1 { ", output maps merged" } else { "" }
        );
    }
    let _ = writeln!(out, "  masks     inputs {:#06x}, outputs {:#06x}", dvle.inputs, dvle.outputs_used);
    let uniforms =
        dvle.uniforms.iter().map(|u| format!("{:<10} {}", registers(u), dvle.name(u.name).unwrap_or("?")));
    section("names", uniforms, out);
    section("constants", dvle.constants.iter().map(constant), out);
    section("outputs", dvle.outputs.iter().map(ToString::to_string), out);
    let labels =
        dvle.labels.iter().map(|l| format!("word {:<5} {}", l.offset, dvle.name(l.name).unwrap_or("?")));
    section("labels", labels, out);
    output_map(dvle, out);
}

/// A heading on the first line only.
fn section(heading: &str, lines: impl Iterator<Item = String>, out: &mut String) {
    for (i, line) in lines.enumerate() {
        let _ = writeln!(out, "  {:<10}{line}", if i == 0 { heading } else { "" });
    }
}

/// What arrives where, and per invocation: spec section 16.
fn geometry(dvle: &Dvle) -> String {
    let [mode, first, full, count] = dvle.geometry;
    match mode {
        0 => "point".into(),
        1 => format!("variable, {full} vertices with all their outputs"),
        2 => format!("fixed, {count} vertices from c{first} on"),
        _ => format!("unknown mode {mode}"),
    }
}

fn registers(uniform: &Uniform) -> String {
    match uniform.registers() {
        Some((first, last)) if first == last => first.to_string(),
        Some((first, last)) => format!("{first}..{last}"),
        None => format!("{:#x}..{:#x}?", uniform.first, uniform.last),
    }
}

fn constant(constant: &Constant) -> String {
    let target =
        constant.target().map_or_else(|| format!("register {}?", constant.register), |r| r.to_string());
    let value = match constant.value() {
        Some(ConstantValue::Bool(on)) => on.to_string(),
        Some(ConstantValue::Int(bytes)) => tuple(bytes.map(|b| b.to_string())),
        Some(ConstantValue::Float(raw)) => tuple(raw.map(|raw| F24.decode_f32(raw).to_string())),
        None => format!("of unknown type {}", constant.kind),
    };
    format!("{target:<10} {value}")
}

fn tuple(parts: [String; 4]) -> String {
    format!("({})", parts.join(", "))
}

fn output_map(dvle: &Dvle, out: &mut String) {
    let map = OutputMap::libctru(&dvle.outputs);
    let OutputMap { mask, total, mode, clock, .. } = map;
    let _ = writeln!(out, "  map       mask {mask:#04x}, total {total}, mode {mode}, clock {clock:#010x}");
    let words: Vec<String> = map.words.iter().map(|word| format!("{word:08x}")).collect();
    let _ = writeln!(out, "            {}", words.join(" "));
    if let Some((register, slot)) = misplaced(&dvle.outputs) {
        let _ = writeln!(
            out,
            "            but o{register} comes in slot {slot} on hardware: leave no gap between outputs"
        );
    }
}

fn parts(shbin: &Shbin, out: &mut String) {
    let _ = writeln!(out, "\noffset    bytes  part");
    for placed in shbin.parts().iter().filter(|p| p.size > 0) {
        let _ = writeln!(out, "{:#08x} {:>6}  {}", placed.offset, placed.size, part(placed.part));
    }
}

fn part(part: Part) -> String {
    let name = match part {
        Part::Dvlb => "DVLB header",
        Part::Dvlp => "DVLP header",
        Part::Code => "code",
        Part::Descriptors => "operand descriptors",
        Part::FileNames => "file names",
        Part::Dvle(_) => "DVLE header",
        Part::Constants(_) => "constants",
        Part::Labels(_) => "labels",
        Part::Outputs(_) => "outputs",
        Part::Uniforms(_) => "uniform table",
        Part::Symbols(_) => "symbols",
    };
    part.executable().map_or_else(|| name.to_owned(), |n| format!("{name} of DVLE {n}"))
}
