//! Another name in the place of one, everywhere: only where every use still means what it meant.

use std::ops::Range;

use crate::lex::is_name;
use crate::outline::Kind;
use crate::{Document, Language, Outline};

/// The place and text of the name at a byte, if it can have another.
///
/// # Errors
/// Why it cannot.
pub fn prepare(outline: &Outline, byte: usize) -> Result<(Range<usize>, String), String> {
    let (place, name) = outline.at(byte).ok_or("there is no name of this document here")?;
    match name.kind {
        Kind::Register => Err(format!("`{}` is a register: its name is the machine's", name.text)),
        _ if name.declared.is_empty() => Err(format!("`{}` is declared elsewhere", name.text)),
        _ => Ok((place.clone(), name.text.clone())),
    }
}

/// The places that get the new name.
///
/// # Errors
/// Why the name cannot be that: it is none, or something would mean something else then.
pub fn rename(
    document: &Document,
    outline: &Outline,
    byte: usize,
    new: &str,
) -> Result<Vec<Range<usize>>, String> {
    let (_, old) = prepare(outline, byte)?;
    let new_is_name = match document.language {
        Some(Language::Assembly(..)) => is_name(new.trim_start_matches(['.', '$'])),
        _ => is_name(new),
    };
    if !new_is_name {
        return Err(format!(
            "`{new}` is no name: it has letters, digits and underscores, and no digit in front"
        ));
    }
    let number = outline.use_at(byte).map_or(usize::MAX, |(_, number)| number);
    let places: Vec<Range<usize>> = outline.uses_of(number).cloned().collect();
    let after = Outline::of(&renamed(document, &places, new));
    if same(outline, &after, number, (old.len(), new.len())) {
        return Ok(places);
    }
    Err(format!("with the name `{new}` something would mean something else than it does with `{old}`"))
}

/// The document with the new name.
fn renamed(document: &Document, places: &[Range<usize>], new: &str) -> Document {
    let (mut text, mut at) = (String::with_capacity(document.text().len()), 0);
    for place in places {
        text.push_str(&document.text()[at..place.start]);
        text.push_str(new);
        at = place.end;
    }
    text.push_str(&document.text()[at..]);
    Document::new(document.path.clone(), document.language, text)
}

/// Whether every use is of the same name as before; those of the renamed one have other lengths.
fn same(before: &Outline, after: &Outline, number: usize, (old, new): (usize, usize)) -> bool {
    if before.uses.len() != after.uses.len() || before.names.len() != after.names.len() {
        return false;
    }
    let mut moved = 0;
    before.uses.iter().zip(&after.uses).all(|((was, name), (is, other))| {
        let start = was.start as i64 + moved * (new as i64 - old as i64);
        moved += i64::from(*name == number);
        name == other && is.start as i64 == start
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiaro_glsl::source::Stage;

    fn tried(text: &str, at: &str, new: &str) -> Result<String, String> {
        let document = Document::new("a.frag", Some(Language::Glsl(Stage::Fragment)), text);
        let byte = text.find(at).expect("there");
        let places = rename(&document, &Outline::of(&document), byte, new)?;
        Ok(renamed(&document, &places, new).text().to_owned())
    }

    #[test]
    fn names_change_only_where_meanings_stay() {
        let text = "uniform float k; void main() { float m = k; { float k = m; gl_FragColor = vec4(k); } }";
        let renamed = tried(text, "k;", "scale").expect("free");
        assert_eq!(
            renamed,
            "uniform float scale; void main() { float m = scale; { float k = m; gl_FragColor = vec4(k); } }"
        );
        // Behind its own declaration alone `m` hides another one: `float m = m;` reads the outer one.
        assert!(tried(text, "k;", "m").is_ok());
        let later = "uniform float k; void main() { float m = 1.0; gl_FragColor = vec4(m * k); }";
        assert!(tried(later, "k;", "m").is_err(), "`m` would hide it");
        assert!(tried(later, "m =", "k").is_err(), "`k` would be hidden");
        assert!(tried(text, "k;", "1k").is_err() && tried(text, "k;", "float").is_err());
        assert!(tried(text, "vec4", "v").is_err(), "the language's own");
    }
}
