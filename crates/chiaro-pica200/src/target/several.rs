//! Several programs in one file, each with an executable of its own: vertex programs that are switched
//! without another file, among them one with its geometry program.

use crate::check::{Severity, check};
use crate::compile::WORDS;
use crate::compile::geometry::together;
use crate::container::{Shbin, Stage};
use crate::isa::PICA200;
use crate::regs::GEOMETRY_WORDS;
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_isa::Rng;
use chiaro_isa::finding::Finding;
use chiaro_target::{
    Attributes, CompiledShader, Inputs, Report, Resource, Shader, SimulateOptions, Simulated, Stage as Unit,
    Value, Work,
};

use super::compile::{REGISTERS, VERTICES, code};
use super::{read, simulate::simulate};

/// Shaders by the program that they belong to: one more vertex or geometry shader is one more program.
pub(super) fn programs<'s, 'a>(shaders: &'s [Shader<'a>]) -> Vec<&'s [Shader<'a>]> {
    let (mut programs, mut start) = (Vec::new(), 0);
    for (end, shader) in shaders.iter().enumerate() {
        let program = &shaders[start..end];
        let is_taken = |stage| shader.has(stage) && program.iter().any(|other| other.has(stage));
        if is_taken(Unit::Vertex) || is_taken(Unit::Geometry) {
            programs.push(program);
            start = end;
        }
    }
    programs.push(&shaders[start..]);
    programs
}

/// Joins what was compiled alone. Executables stand in the order given; the code of the program with a
/// geometry program comes last, so that the words of all vertex programs are in front.
pub(super) fn joined(
    made: Vec<CompiledShader>,
    verify: bool,
    sources: &SourceMap,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let files = made.iter().map(|made| read(&made.container)).collect::<Result<Vec<Shbin>, _>>();
    let files = files.map_err(|error| vec![*error])?;
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&i| has_geometry(&files[i]));
    if files.iter().filter(|file| has_geometry(file)).count() > 1 {
        let message = "one file holds one geometry program with the vertex program that feeds it";
        return Err(vec![Diagnostic::error(None, message).help("put the others into files of their own")]);
    }
    let shbin = together(&files.iter().collect::<Vec<_>>(), &order).map_err(|error| vec![*error])?;
    room(&shbin).map_err(|error| vec![*error])?;
    if verify {
        same(&made, &shbin)?;
    }
    Ok(result(made, &order, shbin, sources))
}

fn has_geometry(file: &Shbin) -> bool {
    file.executables.iter().any(|dvle| dvle.stage == Stage::Geometry)
}

/// The vertex units hold the first words of a file only.
fn room(shbin: &Shbin) -> Result<(), Box<Diagnostic>> {
    let geometry = shbin.executables.iter().filter(|dvle| dvle.stage == Stage::Geometry);
    let words = geometry.map(|dvle| dvle.entry as usize).min().unwrap_or(shbin.program.code.len());
    if words <= WORDS {
        return Ok(());
    }
    let message = format!("the vertex programs take {words} words together, {WORDS} are there");
    Err(Box::new(Diagnostic::error(None, message).help("put some of them into a file of their own")))
}

/// The programs of the joined file do what they did alone, on random inputs.
fn same(made: &[CompiledShader], shbin: &Shbin) -> Result<(), Vec<Diagnostic>> {
    let wrong = |what: &str| Err(vec![Diagnostic::mistake(format!("the joined file is wrong: {what}"))]);
    let is_error = |found: &Finding| found.rule.severity == Severity::Error;
    if let Some(broken) = check(shbin).into_iter().find(is_error) {
        return wrong(&broken.message);
    }
    let (joined, inputs) = (shbin.write(), inputs());
    let mut executable = 0;
    for made in made {
        for own in 0..read(&made.container).map_or(0, |file| file.executables.len()) {
            let alone = results(&made.container, own, &inputs)?;
            let beside = results(&joined, executable, &inputs)?;
            if (&alone.outputs, &alone.events, alone.faults.len())
                != (&beside.outputs, &beside.events, beside.faults.len())
            {
                return wrong(&format!("executable {executable} computes something else"));
            }
            executable += 1;
        }
    }
    Ok(())
}

fn results(container: &[u8], executable: usize, inputs: &Inputs) -> Result<Simulated, Vec<Diagnostic>> {
    let options = SimulateOptions { executable: Some(executable), ..SimulateOptions::default() };
    simulate(container, inputs, &options)
}

/// Vertices and uniforms of numbers near 1, by register.
fn inputs() -> Inputs {
    let mut rng = Rng(1);
    let mut number = || rng.below(4096) as f32 / 1024.0 - 2.0;
    let mut row = || Value::from([number(), number(), number(), number()]);
    let resources = (0..96).map(|c| (format!("c{c}"), row())).collect();
    let columns = (0..16).map(|v| (format!("v{v}"), (0..VERTICES).map(|_| row()).collect())).collect();
    Inputs { resources, work: Work::Vertices(Attributes { count: VERTICES, columns }) }
}

fn result(made: Vec<CompiledShader>, order: &[usize], shbin: Shbin, sources: &SourceMap) -> CompiledShader {
    let spans: Vec<_> = order.iter().flat_map(|&i| made[i].code.lines.iter().map(|line| line.span)).collect();
    let code = code(&shbin, &spans, PICA200.cx());
    let (by_line, elsewhere) = code.by_source_line(sources);
    let mut all = CompiledShader {
        container: shbin.write(),
        code,
        header: Some("// Generated by chiaro\n#pragma once\n".to_owned()),
        ir: String::new(),
        report: Report { target: "pica200", by_line, elsewhere, ..Report::default() },
        remarks: Vec::new(),
    };
    let resources = resources(&made, &shbin);
    let mut executable = 0;
    for part in made {
        if let (Some(all), Some(header)) = (&mut all.header, &part.header) {
            all.push_str(&numbered(header, executable));
        }
        executable += read(&part.container).map_or(0, |file| file.executables.len());
        all.ir.push_str(&part.ir);
        all.remarks.extend(part.remarks);
        all.report.entry.push_str(if all.report.entry.is_empty() { "" } else { ", " });
        all.report.entry.push_str(&part.report.entry);
        all.report.variables.extend(part.report.variables);
        all.report.assumptions = part.report.assumptions;
    }
    all.report.resources = resources;
    all
}

/// The macros of a program with the number of its executable: `VSH2_FVEC_mvp`.
fn numbered(header: &str, executable: usize) -> String {
    let macros = header.lines().skip(2);
    let line = |line: &str| {
        let line = line.replacen("VSH_", &format!("VSH{executable}_"), 1);
        line.replacen("GSH_", &format!("GSH{}_", executable + 1), 1) + "\n"
    };
    macros.map(line).collect()
}

/// Words and descriptors are shared; of registers the hungriest program counts.
fn resources(made: &[CompiledShader], shbin: &Shbin) -> Vec<Resource> {
    let words = if has_geometry(shbin) { GEOMETRY_WORDS } else { WORDS } as u32;
    let shared = [
        ("words", shbin.program.code.len(), words),
        ("operand descriptors", shbin.program.descriptors.len(), super::compile::DESCRIPTORS),
    ];
    let mut all: Vec<Resource> =
        shared.map(|(name, used, allowed)| Resource { name, used: used as u32, allowed }).into();
    let registers = made.iter().flat_map(|made| &made.report.resources);
    let most = registers.filter(|resource| resource.name == "temporary registers").map(|r| r.used).max();
    all.push(Resource { name: "temporary registers", used: most.unwrap_or(0), allowed: REGISTERS });
    all
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn macros_tell_the_programs_apart() {
        let header =
            "// Generated by chiaro\n#pragma once\n#define VSH_FVEC_a 0x00\n#define GSH_FVEC_a 0x01\n";
        assert_eq!(numbered(header, 2), "#define VSH2_FVEC_a 0x00\n#define GSH3_FVEC_a 0x01\n");
    }
}
