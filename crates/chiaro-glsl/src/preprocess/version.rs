//! `#version`, and what is assumed without it.

use chiaro_diag::{Advice, Diagnostic, Fix, Span};

use super::preprocessor::Preprocessor;
use super::reader::Reader;
use crate::lex::Lexeme;
use crate::source::{Options, Profile, Version};

/// Numbers that exist, and which profiles each may name.
const NUMBERS: [(u16, Words); 17] = [
    (100, Words::Es100),
    (110, Words::None),
    (120, Words::None),
    (130, Words::None),
    (140, Words::None),
    (150, Words::Desktop),
    (300, Words::Es),
    (310, Words::Es),
    (320, Words::Es),
    (330, Words::Desktop),
    (400, Words::Desktop),
    (410, Words::Desktop),
    (420, Words::Desktop),
    (430, Words::Desktop),
    (440, Words::Desktop),
    (450, Words::Desktop),
    (460, Words::Desktop),
];

/// What may stand behind a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Nothing; the language is that of ES.
    Es100,
    /// `es`, and it must.
    Es,
    /// Nothing.
    None,
    /// `core`, `compatibility` or nothing.
    Desktop,
}

/// The language of desktops before it said so.
pub(super) const DESKTOP: Version = Version { number: 110, profile: Profile::Core };

/// The version of a source that states none. Takes a look at all of it.
fn assumed(options: &Options, text: &str) -> Version {
    let es = Version { number: 100, profile: Profile::Es };
    options.version.unwrap_or_else(|| if looks_like_es(text) { es } else { DESKTOP })
}

/// Precision is stated only where it means something, and some names came to desktop late;
/// variables of fixed functions are not in ES at all.
fn looks_like_es(text: &str) -> bool {
    const OF_ES: [&str; 7] =
        ["mediump", "highp", "lowp", "GL_OES_", "UniformVectors", "gl_MaxVaryingVectors", "gl_PointCoord"];
    let precision = OF_ES.iter().any(|word| text.contains(word));
    let fixed = ["gl_Vertex", "gl_ModelView", "gl_MultiTexCoord", "gl_TexCoord", "ftransform"];
    precision && !fixed.iter().any(|word| text.contains(word))
}

/// A line with `#version` in front of everything.
#[derive(Clone, Copy)]
struct VersionLine {
    /// `None` where it names none that exists.
    version: Option<Version>,
    span: Span,
    /// Blanks, lines or comments come before it.
    blank_before: bool,
}

impl Preprocessor<'_> {
    /// Reads `#version` if it is the first thing of the source, and finds out the version if not.
    pub(super) fn version_line(&mut self, reader: &mut Reader) {
        let line = self.first_line(reader);
        let stated = line.and_then(|line| line.version);
        self.out.version = stated.unwrap_or_else(|| assumed(self.options, reader.text));
        let Some(VersionLine { span, blank_before, .. }) = line else { return };
        self.out.head.version = Some(span);
        if blank_before && self.out.version.is_es() && self.out.version.number >= 300 {
            let message = "`#version` has to be on the first line, before comments and blank lines";
            self.report(Diagnostic::warning(span, message).note("browsers and drivers refuse this"));
        }
    }

    fn first_line(&mut self, reader: &mut Reader) -> Option<VersionLine> {
        let mut lexer = reader.lexer.clone();
        let mut blank_before = false;
        while lexer.next() == Lexeme::Newline {
            blank_before = true;
        }
        blank_before |= lexer.start > reader.lexer.at;
        if reader.text.get(lexer.start..lexer.at) != Some("#") {
            return None;
        }
        let start = lexer.start;
        lexer.next();
        if reader.text.get(lexer.start..lexer.at) != Some("version") {
            return None;
        }
        reader.lexer = lexer;
        let (version, span) = self.read_version(reader, start);
        Some(VersionLine { version, span, blank_before })
    }

    /// `#version` where it may not be.
    pub(super) fn late_version(&mut self, reader: &mut Reader, start: usize) {
        let (_, span) = self.read_version(reader, start);
        let message = match self.out.head.version {
            Some(_) => "`#version` was given already",
            None => "`#version` has to come before everything else",
        };
        let mut report = Diagnostic::error(span, message);
        report.related.extend(self.out.head.version.map(|first| (first, "here".to_owned())));
        self.report(report);
    }

    /// The rest of the line behind `#version`.
    fn read_version(&mut self, reader: &mut Reader, start: usize) -> (Option<Version>, Span) {
        let mut words = Vec::new();
        loop {
            match reader.lexer.next() {
                Lexeme::End => break,
                Lexeme::Newline => {
                    reader.line_start = true;
                    break;
                }
                _ => words.push((reader.slice().to_owned(), reader.lexer.at)),
            }
        }
        let span = reader.place(start, words.last().map_or(reader.lexer.start, |&(_, end)| end));
        let texts: Vec<&str> = words.iter().map(|(text, _)| text.as_str()).collect();
        match judge(&texts, span) {
            Ok(version) => (Some(version), span),
            Err((version, message, advice)) => {
                self.report(Diagnostic::error(span, message).advise(advice));
                (version, span)
            }
        }
    }
}

/// A version by the words behind `#version`; where they are wrong, the likely one, what is wrong
/// and what to do with the line.
fn judge(words: &[&str], line: Span) -> Result<Version, (Option<Version>, String, Advice)> {
    let Some((number, kind)) = words
        .first()
        .and_then(|word| word.parse::<u16>().ok())
        .and_then(|number| NUMBERS.into_iter().find(|&(known, _)| known == number))
    else {
        let message = match words.first() {
            Some(word) => format!("there is no version {word} of GLSL"),
            None => "`#version` needs a number".to_owned(),
        };
        let help = "ES has 100, 300 es, 310 es and 320 es; desktop 110 to 150, 330 and 400 to 460";
        return Err((None, message, Advice::words(help)));
    };
    let profile = match kind {
        Words::Es100 | Words::Es => Profile::Es,
        Words::Desktop if words.get(1) == Some(&"compatibility") => Profile::Compatibility,
        Words::None | Words::Desktop => Profile::Core,
    };
    let version = Version { number, profile };
    let wrong = |message: String, advice: Advice| Err((Some(version), message, advice));
    match (kind, &words[1..]) {
        (Words::Es, ["es"]) | (Words::Es100 | Words::None | Words::Desktop, []) => Ok(version),
        (Words::Desktop, ["core" | "compatibility"]) => Ok(version),
        (Words::Es, []) => {
            let new = format!("#version {number} es");
            wrong(
                format!("version {number} is one of ES and has to say so"),
                Advice::words(format!("write `{new}`")).fix(Fix::replace(line, new)),
            )
        }
        (_, [_]) => wrong(
            format!("version {number} does not go with `{}`", words[1]),
            Advice::words(
                "`es` goes with 300, 310 and 320; `core` and `compatibility` go with 150 and from 330 on",
            ),
        ),
        _ => {
            wrong("nothing may follow the version on its line".to_owned(), Advice::words("start a new line"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_belong_to_numbers() {
        let ok = |words: &[&str]| judge(words, Span::default()).ok().map(|v| (v.number, v.profile));
        assert_eq!(ok(&["100"]), Some((100, Profile::Es)));
        assert_eq!(ok(&["300", "es"]), Some((300, Profile::Es)));
        assert_eq!(ok(&["330"]), Some((330, Profile::Core)));
        assert_eq!(ok(&["450", "compatibility"]), Some((450, Profile::Compatibility)));
        for wrong in [
            &["300"][..],
            &["100", "es"],
            &["120", "core"],
            &["330", "es"],
            &["200"],
            &[],
            &["330", "core", "x"],
        ] {
            assert_eq!(ok(wrong), None, "{wrong:?}");
        }
    }
}
