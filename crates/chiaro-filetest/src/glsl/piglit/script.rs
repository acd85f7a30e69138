//! What is written in a `.shader_test`.

use chiaro_glsl::extension;
use chiaro_glsl::source::{Profile, Stage, Version};

use super::Outcome;

/// A test.
#[derive(Debug)]
pub(super) struct Script {
    /// The version of sources that state none.
    pub(super) version: Version,
    /// Width and height of the window.
    pub(super) size: [f64; 2],
    /// The text of each stage, in the order of the pipeline.
    pub(super) stages: Vec<(Stage, String)>,
    /// `[vertex data]`: columns, then rows.
    pub(super) data: Option<VertexData>,
    /// `[test]`: lines that are no comments.
    pub(super) commands: Vec<String>,
}

/// Vertices in columns.
#[derive(Clone, Debug, Default)]
pub(super) struct VertexData {
    /// Names, and how many numbers each has.
    pub(super) columns: Vec<(String, usize)>,
    /// Numbers of each vertex, all columns.
    pub(super) rows: Vec<Vec<f64>>,
}

/// The versions whose tests are run.
const VERSIONS: [(u16, Profile); 7] = [
    (110, Profile::Core),
    (120, Profile::Core),
    (130, Profile::Core),
    (140, Profile::Core),
    (330, Profile::Core),
    (100, Profile::Es),
    (300, Profile::Es),
];

/// The version whose tests are run where they have a geometry shader.
const GEOMETRY: Version = Version { number: 150, profile: Profile::Core };

/// Whether tests of a version are asked for.
pub(super) fn judge_version(version: Version) -> Result<(), Outcome> {
    match VERSIONS.contains(&(version.number, version.profile)) {
        true => Ok(()),
        false => Err(skip("another version")),
    }
}

pub(super) fn skip(reason: &str) -> Outcome {
    Outcome::Skip(reason.to_owned())
}

/// Takes a test apart, unless it asks for what is not here.
pub(super) fn parse(text: &str) -> Result<Script, Outcome> {
    let sections = sections(text);
    let mut script = Script {
        version: Version { number: 110, profile: Profile::Core },
        size: [250.0, 250.0],
        stages: Vec::new(),
        data: None,
        commands: Vec::new(),
    };
    for (name, lines) in &sections {
        match name.as_str() {
            "require" => require(lines, &mut script)?,
            "vertex shader" => script.stages.push((Stage::Vertex, lines.join("\n"))),
            "geometry shader" => script.stages.push((Stage::Geometry, lines.join("\n"))),
            "fragment shader" => script.stages.push((Stage::Fragment, lines.join("\n"))),
            "vertex shader passthrough" => script.stages.push((Stage::Vertex, PASSTHROUGH.to_owned())),
            "vertex data" => script.data = vertex_data(lines),
            "test" => {
                let given = lines.iter().map(|line| line.trim());
                script.commands =
                    given.filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect();
            }
            "" => {}
            other => return Err(skip(&format!("section [{other}]"))),
        }
    }
    let has_geometry = script.stages.iter().any(|(stage, _)| *stage == Stage::Geometry);
    if !(has_geometry && script.version == GEOMETRY) {
        judge_version(script.version)?;
    }
    let count = |wanted: Stage| script.stages.iter().filter(|(stage, _)| *stage == wanted).count();
    if [Stage::Vertex, Stage::Geometry, Stage::Fragment].into_iter().any(|stage| count(stage) > 1) {
        return Err(skip("several sources of one stage"));
    }
    if script.stages.iter().any(|(_, text)| text.contains("sampler")) {
        return Err(skip("samplers"));
    }
    complete(&mut script);
    Ok(script)
}

/// A vertex shader that hands its position on; `in` is written where the version has it.
const PASSTHROUGH: &str = "PIGLIT_IN vec4 piglit_vertex;\nvoid main() { gl_Position = piglit_vertex; }\n";
/// What fixed functions do with a vertex.
const FIXED_VERTEX: &str = "\
void main() {
    gl_Position = gl_ModelViewProjectionMatrix * gl_Vertex;
    gl_FrontColor = gl_Color;
    gl_TexCoord[0] = gl_MultiTexCoord0;
}
";
/// What fixed functions do with a fragment.
const FIXED_FRAGMENT: &str = "void main() { gl_FragColor = gl_Color; }\n";

/// Adds versions to sources without, and stages that fixed functions stand for.
fn complete(script: &mut Script) {
    let (number, es) = (script.version.number, script.version.is_es());
    let end = if es && number >= 300 { " es" } else { "" };
    let modern = number >= 130;
    for (_, text) in &mut script.stages {
        *text = text.replace("PIGLIT_IN", if modern { "in" } else { "attribute" });
        if !text.contains("#version") {
            *text = format!("#version {number}{end}\n{text}");
        }
    }
    for (stage, fixed) in [(Stage::Vertex, FIXED_VERTEX), (Stage::Fragment, FIXED_FRAGMENT)] {
        if !script.stages.iter().any(|(there, _)| *there == stage) && !es {
            script.stages.push((stage, format!("#version 120\n{fixed}")));
        }
    }
    script.stages.sort_by_key(|(stage, _)| match stage {
        Stage::Vertex => 0,
        Stage::Geometry => 1,
        _ => 2,
    });
}

/// Names in brackets with the lines below them.
fn sections(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut sections: Vec<(String, Vec<&str>)> = vec![(String::new(), Vec::new())];
    for line in text.lines() {
        let name = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(name, _)| name);
        match (name, sections.last_mut()) {
            (Some(name), _) if name.starts_with(|c: char| c.is_ascii_lowercase()) => {
                sections.push((name.to_owned(), Vec::new()));
            }
            (_, Some((_, lines))) => lines.push(line),
            _ => {}
        }
    }
    sections
}

fn require(lines: &[&str], script: &mut Script) -> Result<(), Outcome> {
    for line in lines {
        match line.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["GLSL", ">=" | "=", number, ..] => script.version = version(number, Profile::Core),
            ["GLSL", "ES", ">=" | "=", number, ..] => script.version = version(number, Profile::Es),
            ["SIZE", width, height] => script.size = [number(width), number(height)],
            [name, ..] if name.starts_with("GL_MAX") => {}
            [name, ..] if name.starts_with("GL_") => match extension::find(name) {
                Some(_) => {}
                None => return Err(skip("an extension that is not in the table")),
            },
            [name, ..] if name.starts_with("!GL_") => return Err(skip("the lack of an extension")),
            _ => {}
        }
    }
    Ok(())
}

/// `1.30`, `3.0`
pub(super) fn version(text: &str, profile: Profile) -> Version {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let whole: u16 = whole.parse().unwrap_or(0);
    let part: u16 = part.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0);
    let part = if part < 10 && text.ends_with(|c: char| c.is_ascii_digit()) && !text.ends_with("0") {
        part * 10
    } else {
        part
    };
    Version { number: whole * 100 + part, profile }
}

/// A number as piglit reads it: words in hexadecimal are bits of a float where one is asked for,
/// which the caller knows.
pub(super) fn number(text: &str) -> f64 {
    // Like C's functions, what reads the tests stops at letters behind a number.
    let text = text.trim_end_matches([';', 'u', 'U']);
    let (sign, size) = text.strip_prefix('-').map_or((1.0, text), |size| (-1.0, size));
    if let Some(digits) = size.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).map_or(0.0, |size| sign * f64::from(size));
    }
    text.parse().or_else(|_| text.trim_end_matches(['f', 'F']).parse()).unwrap_or(f64::NAN)
}

/// A number for a float: hexadecimal ones are its bits.
pub(super) fn float(text: &str) -> f64 {
    match text.strip_prefix("0x") {
        Some(digits) => f32::from_bits(u32::from_str_radix(digits, 16).unwrap_or(0)).into(),
        None => number(text),
    }
}

/// `name/type/size` for each column, then a line of numbers for each vertex.
fn vertex_data(lines: &[&str]) -> Option<VertexData> {
    let mut lines =
        lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut data = VertexData::default();
    let mut floats = Vec::new();
    for head in lines.next()?.split_whitespace() {
        let parts: Vec<&str> = head.split('/').collect();
        let [name, ty, size, ..] = parts.as_slice() else { return None };
        let count =
            size.parse().ok().or_else(|| size.chars().last()?.to_digit(10).map(|n| n as usize)).unwrap_or(1);
        data.columns.push(((*name).to_owned(), count.clamp(1, 4)));
        floats.extend(std::iter::repeat_n(ty.to_lowercase().contains("float"), count.clamp(1, 4)));
    }
    for line in lines {
        let cells = line.split_whitespace().zip(&floats);
        data.rows.push(cells.map(|(text, is)| if *is { float(text) } else { number(text) }).collect());
    }
    Some(data)
}
