//! Files that say in a comment whether a compiler should take them.

use chiaro_glsl::extension;
use chiaro_glsl::source::Profile;

use super::Outcome;
use super::script::{judge_version, skip, version};
use crate::glsl::source::{ES100, GLSL110, Source, stage_of};

/// What the comment says.
#[derive(Debug, Default)]
struct Config<'a> {
    pass: bool,
    version: &'a str,
    extensions: Vec<&'a str>,
}

/// Compiles a file, if it is such a test.
pub(super) fn run(name: &str, text: &str) -> Outcome {
    test(name, text).unwrap_or_else(|outcome| outcome)
}

fn test(name: &str, text: &str) -> Result<Outcome, Outcome> {
    let config = config(text).ok_or_else(|| skip("no such test"))?;
    let es = config.version.contains("es");
    let profile = if es { Profile::Es } else { Profile::Core };
    judge_version(version(config.version.split_whitespace().next().unwrap_or(""), profile))?;
    if config.extensions.iter().any(|name| extension::find(name.trim_start_matches('!')).is_none()) {
        return Err(skip("an extension that is not in the table"));
    }
    let stage = stage_of(name).ok_or_else(|| skip("another stage"))?;
    let mut source = Source::new(name, stage, text);
    source.version = Some(if es { ES100 } else { GLSL110 });
    Ok(match (source.errors().first(), config.pass) {
        (None, true) | (Some(_), false) => Outcome::Pass,
        (None, false) => Outcome::Fail("accepted".to_owned()),
        (Some(error), true) => Outcome::Fail(error.message.clone()),
    })
}

fn config(text: &str) -> Option<Config<'_>> {
    let (_, rest) = text.split_once("[config]")?;
    let (body, _) = rest.split_once("[end config]")?;
    let mut config = Config::default();
    for line in body.lines() {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/'));
        match line.split_once(':').map(|(key, value)| (key.trim(), value.trim())) {
            Some(("expect_result", value)) => config.pass = value == "pass",
            Some(("glsl_version", value)) => config.version = value,
            Some(("require_extensions", value)) => config.extensions = value.split_whitespace().collect(),
            _ => {}
        }
    }
    Some(config)
}
