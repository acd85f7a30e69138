//! Geometry shaders: alone, or with their vertex shader in one file.

use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_ir::Stage;
use chiaro_opt::Cx;
use chiaro_pica200::abi::FLOATS;
use chiaro_pica200::check::{self, check};
use chiaro_pica200::compile::geometry::{
    Feed, OUTPUTS, Plan, Request, WORDS as ALL_WORDS, Wish, compile as to_geometry, join,
};
use chiaro_pica200::compile::{Compiled, Options, WORDS, compile as to_shbin};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::verify::{Compared, Primitives, geometry};

use super::super::{Bound, CompileOptions, CompiledShader, Report, Resource, by_line};
use super::{
    DESCRIPTORS, REGISTERS, VERTICES, assumptions, clip, interface, lines_of, macros, variables_of, verified,
};
use crate::LoadedModule;

/// A geometry shader without the vertex shader that feeds it.
pub(super) fn alone(
    loaded: &LoadedModule,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let made = made(loaded, None, options, cx)?;
    let mut remarks = Vec::new();
    if options.verify && options.clip.is_none() {
        remarks = verified(loaded, &made)?;
    }
    let shbin = made.shbin.clone();
    shader(&[("GSH", &made)], shbin, remarks, options, sources)
}

/// A geometry shader and the vertex shader that feeds it.
pub(super) fn both(
    vertex: &LoadedModule,
    loaded: &LoadedModule,
    options: &CompileOptions,
    sources: &SourceMap,
    cx: &mut Cx<'_>,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let own = interface(&vertex.interface);
    let entry = entry(vertex, Stage::Vertex)?;
    // Clip coordinates leave the geometry program: what it is given is not converted.
    let first =
        to_shbin(&vertex.module, &own, &entry, &Options::default(), cx).map_err(|error| vec![*error])?;
    let second = made(loaded, Some(Feed::of_vertex(&first)), options, cx)?;
    let shbin = join(&first, &second).map_err(|error| vec![*error])?;
    let mut remarks = Vec::new();
    if options.verify {
        remarks = verified(vertex, &first)?;
        if options.clip.is_none() {
            remarks.extend(verified(loaded, &second)?);
            joined(loaded, &second, &shbin)?;
        }
    }
    shader(&[("VSH", &first), ("GSH", &second)], shbin, remarks, options, sources)
}

/// Compiles the geometry shader of a module.
fn made(
    loaded: &LoadedModule,
    feed: Option<Feed>,
    options: &CompileOptions,
    cx: &mut Cx<'_>,
) -> Result<Compiled, Vec<Diagnostic>> {
    cx.verify |= options.verify;
    let choices = Options { clip: clip(options), ..Options::default() };
    let request = Request { feed, wish: wish(options)? };
    let entry = entry(loaded, Stage::Geometry)?;
    to_geometry(&loaded.module, &interface(&loaded.interface), &entry, &choices, &request, cx)
        .map_err(|error| vec![*error])
}

/// The mode that the settings ask for.
fn wish(options: &CompileOptions) -> Result<Option<Wish>, Vec<Diagnostic>> {
    let Some((_, value)) = options.settings.iter().rev().find(|(key, _)| key == "geometry") else {
        return Ok(None);
    };
    match value.as_str() {
        "point" => Ok(Some(Wish::Point)),
        "fixed" => Ok(Some(Wish::Fixed)),
        _ => Err(vec![
            Diagnostic::error(None, format!("there is no geometry mode `{value}` to ask for")).help(
                "there are point and fixed; variable mode is what the uniform `primitive_vertices` asks for",
            ),
        ]),
    }
}

/// The only entry point of a stage.
fn entry(loaded: &LoadedModule, stage: Stage) -> Result<String, Vec<Diagnostic>> {
    let found = loaded.module.entries.iter().find(|entry| entry.stage == stage);
    let name = found.map(|entry| entry.name.clone());
    name.ok_or_else(|| vec![Diagnostic::error(None, format!("there is no {stage:?} shader in this module"))])
}

/// The program in the joined file still does what it did alone.
fn joined(loaded: &LoadedModule, made: &Compiled, shbin: &Shbin) -> Result<(), Vec<Diagnostic>> {
    let wrong = |what: String| {
        let error = Diagnostic::error(None, format!("the joined program is wrong: {what}"));
        Err(vec![error.note("this is a mistake of the compiler; please report the shader")])
    };
    if let Some(broken) = check(shbin).into_iter().find(|told| told.severity() == check::Severity::Error) {
        return wrong(broken.message);
    }
    let (Some(plan), Some(entry)) = (&made.plan, loaded.module.entries.first()) else { return Ok(()) };
    let given = Primitives::new(&loaded.module, entry, plan, VERTICES, 2);
    match geometry((&loaded.module, entry), made, shbin, &given) {
        Ok([Compared { wrong: None, .. }, _]) => Ok(()),
        Ok([Compared { wrong: Some(example), .. }, _]) => wrong(example.to_string()),
        Err(reason) => wrong(reason),
    }
}

/// What the common door hands out of programs in one file.
fn shader(
    programs: &[(&str, &Compiled)],
    shbin: Shbin,
    remarks: Vec<Diagnostic>,
    options: &CompileOptions,
    sources: &SourceMap,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let assumptions = assumptions(options)?;
    let spans: Vec<_> = programs.iter().flat_map(|(_, made)| made.spans.iter().copied()).collect();
    let lines = lines_of(&shbin, &spans);
    let mut header = String::from("// Generated by chiaro\n#pragma once\n");
    let mut variables: Vec<Bound> = Vec::new();
    for ((prefix, _), dvle) in programs.iter().zip(&shbin.executables) {
        let own = variables_of(dvle);
        header.push_str(&macros(prefix, &own));
        variables.extend(own);
    }
    let (by_line, elsewhere) = by_line(&lines, sources);
    variables.extend(programs.iter().filter_map(|(_, made)| made.plan.as_ref()).map(told));
    let report = Report {
        target: "pica200",
        entry: "main".into(),
        resources: resources(programs, &shbin),
        cycles: None,
        blocks: Vec::new(),
        ports: Vec::new(),
        assumptions: vec![("cycles-per-word", assumptions.cycles_per_word)],
        by_line,
        elsewhere,
        variables,
    };
    let ir = programs.iter().map(|(_, made)| chiaro_ir::print(&made.module)).collect::<Vec<_>>().join("\n");
    let container = shbin.write();
    Ok(CompiledShader {
        container,
        words: shbin.program.code,
        header: Some(header),
        ir,
        lines,
        report,
        remarks,
    })
}

/// What the host program has to know of a geometry program's vertices.
fn told(plan: &Plan) -> Bound {
    let (n, stride) = (plan.vertices, plan.host_stride());
    let name = format!("{} mode, {n} vertices", plan.mode);
    Bound { kind: "geometry", name, place: format!("stride {stride}") }
}

fn resources(programs: &[(&str, &Compiled)], shbin: &Shbin) -> Vec<Resource> {
    let resource = |name, used: usize, allowed| Resource { name, used: used as u32, allowed };
    let most = |of: fn(&Compiled) -> usize| programs.iter().map(|(_, made)| of(made)).max().unwrap_or(0);
    let last = programs.last().map(|(_, made)| made.statistics).unwrap_or_default();
    let outputs = shbin.executables.last().map_or(0, |dvle| dvle.outputs.len());
    let mut all = vec![resource("words", shbin.program.code.len(), ALL_WORDS as u32)];
    if let [(_, vertex), _] = programs {
        all.push(resource("words of the vertex program", vertex.statistics.words + 1, WORDS as u32));
    }
    all.extend([
        resource("operand descriptors", shbin.program.descriptors.len(), DESCRIPTORS),
        resource("temporary registers", most(|made| made.statistics.registers), REGISTERS),
        resource("outputs of the geometry program", outputs, OUTPUTS as u32),
        resource("c registers for vertices and uniforms", last.uniforms, u32::from(FLOATS)),
        resource("c registers for constants", last.constants, u32::from(FLOATS)),
    ]);
    all
}
