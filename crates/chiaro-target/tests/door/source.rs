//! Shaders of files for targets that compile, and what becomes of them.

use std::path::Path;

use chiaro_cases::digest;
use chiaro_diag::{Diagnostic, SourceMap};
use chiaro_glsl::source::Options;
use chiaro_ir::{Interface, Module};
use chiaro_isa::Rng;
use chiaro_target::{
    Attributes, CompileOptions, CompiledShader, Image, Inputs, Shader, SimulateOptions, Stage, Target, Value,
    Work,
};

use super::{list, number};

/// Invocations of a run.
const INVOCATIONS: usize = 5;

/// A shader as the compiler takes it.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) module: Module,
    pub(crate) interface: Interface,
    pub(crate) sources: SourceMap,
}

fn stage(path: &Path) -> chiaro_glsl::source::Stage {
    use chiaro_glsl::source::Stage;
    match path.extension().and_then(|e| e.to_str()) {
        Some("frag") => Stage::Fragment,
        Some("geom") => Stage::Geometry,
        Some("comp") => Stage::Compute,
        _ => Stage::Vertex,
    }
}

/// Reads a shader of GLSL; nothing where it is made to be refused.
pub(crate) fn read(path: &Path) -> Option<Source> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    of_text(&name, stage(path), &std::fs::read_to_string(path).expect("a shader"))
}

/// Reads a shader of GLSL from its text; nothing where it is made to be refused.
pub(crate) fn of_text(name: &str, stage: chiaro_glsl::source::Stage, text: &str) -> Option<Source> {
    let (mut sources, name) = (SourceMap::new(), name.to_owned());
    let file = sources.add(name.as_str(), text);
    let options = Options::new(stage);
    let (words, _) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let reading = chiaro_spirv::read_module(&words?, &Default::default(), &mut sources).ok()?;
    Some(Source { name, module: reading.module, interface: reading.interface, sources })
}

/// Compiles a shader.
pub(crate) fn compiled(
    target: &dyn Target,
    source: &Source,
    options: &CompileOptions,
) -> Result<CompiledShader, Vec<Diagnostic>> {
    let shader = Shader { module: &source.module, interface: &source.interface };
    target.compile(&[shader], options, &source.sources, &mut chiaro_opt::Cx::default())
}

/// What is kept of a compilation: instructions and numbers for code, IR, report and header, or the messages.
pub(crate) fn made(answer: &Result<CompiledShader, Vec<Diagnostic>>) -> String {
    match answer {
        Ok(made) => {
            let about = format!("{:?} {:?} {:?}", made.report, made.header, made.remarks);
            let code = digest(&format!("{:?} {:?}", made.code.bytes, made.container));
            format!("{} {code} {} {}", made.code.lines.len(), digest(&made.ir), digest(&about))
        }
        Err(errors) => errors.iter().map(|e| e.message.as_str()).collect::<Vec<_>>().join(" / "),
    }
}

/// Random values for what a program reads, as far as the simulator takes them.
pub(crate) fn inputs(target: &dyn Target, made: &CompiledShader, stage: Stage) -> Inputs {
    let mut rng = Rng(1);
    let variables = made.report.variables.iter();
    let of = |kind: &'static str| variables.clone().filter(move |v| v.kind == kind).map(|v| v.name.clone());
    let columns = of("input").map(|name| (name, (0..INVOCATIONS).map(|_| list(4, &mut rng)).collect()));
    let given = Attributes { count: INVOCATIONS, columns: columns.collect() };
    let work = match stage {
        Stage::Compute => Work::Dispatch([2, 1, 1]),
        Stage::Fragment => Work::Fragments(given),
        _ => Work::Vertices(given),
    };
    let mut inputs = Inputs { resources: Vec::new(), work };
    for name in of("uniform") {
        let fits = |value: &Value| {
            let one = Inputs { resources: vec![(name.clone(), value.clone())], ..Inputs::default() };
            let options = SimulateOptions { shared: true, max_steps: Some(1), ..Default::default() };
            target.simulate(&made.container, &one, &options).is_ok()
        };
        if let Some(value) = values(&mut rng).into_iter().find(fits) {
            inputs.resources.push((name, value));
        }
    }
    inputs
}

/// Values of several forms, one of which may be what a name stands for.
fn values(rng: &mut Rng) -> Vec<Value> {
    let mut all = vec![number(rng), list(4, rng), list(3, rng), list(2, rng)];
    for (rows, columns) in [(4, 4), (3, 3), (2, 2), (8, 4), (8, 3), (16, 4)] {
        all.push(Value::List((0..rows).map(|_| list(columns, rng)).collect()));
    }
    all.push(Value::List((0..8).map(|_| number(rng)).collect()));
    let texels = (0..16).map(|n| [n as f32 / 16.0, 0.25, 0.5, 1.0]).collect();
    all.push(Value::Image(Image { size: [4, 4, 1], texels, ..Image::default() }));
    all.push(Value::Bool(true));
    all
}

/// A line for each setting: what compilations of some shaders give with it, by some values.
pub(crate) fn settings(target: &dyn Target, sources: &[Source]) -> String {
    let mut out = String::new();
    for setting in target.about().settings {
        let with = |value: &str| {
            let settings = vec![(setting.name.to_owned(), value.to_owned())];
            let options = CompileOptions { settings, effort: Some(0), ..CompileOptions::default() };
            digest(
                &sources.iter().map(|source| made(&compiled(target, source, &options))).collect::<String>(),
            )
        };
        let values = ["64", "2", "none"].into_iter().chain(setting.tried);
        out += &format!("{}: {}\n", setting.name, values.map(with).collect::<Vec<_>>().join(" "));
    }
    out
}
