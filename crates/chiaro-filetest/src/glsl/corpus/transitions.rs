//! The collection gl-transitions: each file is a function that mixes two pictures, and needs the
//! names that its documentation promises.

use std::io;
use std::path::Path;

use super::{Case, file_name, files, read};
use crate::glsl::source::{ES100, Source};
use chiaro_glsl::source::Stage;

/// Names that a transition may use: two pictures, how far it is, and the ratio of the sides.
const BEFORE: &str = "\
precision highp float;
varying vec2 place;
uniform sampler2D from, to;
uniform float progress, ratio;
vec4 getFromColor(vec2 uv) { return texture2D(from, uv); }
vec4 getToColor(vec2 uv) { return texture2D(to, uv); }
";
const BEHIND: &str = "\nvoid main() { gl_FragColor = transition(place); }\n";

pub(super) fn cases(folder: &Path) -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(folder)?.iter().filter(|path| path.extension().is_some_and(|end| end == "glsl")) {
        let text = format!("{BEFORE}{}{BEHIND}", read(path)?);
        let source = Source::new(file_name(path), Stage::Fragment, text);
        cases.push(Case::good(Source { version: Some(ES100), ..source }));
    }
    Ok(cases)
}
