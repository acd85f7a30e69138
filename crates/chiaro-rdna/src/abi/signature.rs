//! What a function takes: its parameters, and the notation for them (spec 18.1, 18.9).

use super::pools::File;

/// Parameters in their order. What a function gives back is parameters, too.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Signature {
    /// The parameters; those of the system are not among them.
    pub parameters: Vec<Parameter>,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name, or `p` and its number.
    pub name: String,
    /// Bits of a component; 1 is a truth value.
    pub bits: u16,
    /// Components.
    pub components: u16,
    /// Whether all lanes have the same value.
    pub uniform: bool,
    /// Whether the callee may leave anything in its place.
    pub discardable: bool,
    /// Whether the callee leaves a result in its place.
    pub returned: bool,
}

/// The most parameters that a signature has: more than any machine has registers, fewer than would take long.
pub const MOST: usize = 1024;
/// The most dwords of one parameter.
const MOST_DWORDS: u16 = 256;

impl Parameter {
    /// The file that holds it, and how many registers it takes. Truth values are masks of lanes; those that all lanes
    /// share, too: drivers place them as masks, and the data measured on placements has them so.
    #[must_use]
    pub fn registers(&self, wave: u8) -> (File, u16) {
        match self.bits {
            1 => (File::Sgpr, u16::from(wave / 32) * self.components),
            bits if self.uniform => (File::Sgpr, bits.div_ceil(32) * self.components),
            bits => (File::Vgpr, bits.div_ceil(32) * self.components),
        }
    }

    /// What it is, in the notation: `v1D`.
    #[must_use]
    pub fn notation(&self) -> String {
        let kind = match (self.bits, self.uniform) {
            (1, _) => "b".to_owned(),
            (bits, true) => format!("u{}", bits.div_ceil(32) * self.components),
            (bits, false) => format!("v{}", bits.div_ceil(32) * self.components),
        };
        let given_away = if self.discardable { "D" } else { "" };
        let returned = if self.returned { "R" } else { "" };
        format!("{kind}{given_away}{returned}")
    }

    /// Whether the caller has to do without the old value.
    #[must_use]
    pub fn is_given_away(&self) -> bool {
        self.discardable || self.returned
    }
}

impl std::fmt::Display for Signature {
    /// As [`parse`] reads it: `sbt=u2, tmax=v1D, accept=bR`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (n, parameter) in self.parameters.iter().enumerate() {
            let before = if n == 0 { "" } else { ", " };
            write!(f, "{before}{}={}", parameter.name, parameter.notation())?;
        }
        Ok(())
    }
}

/// What is wrong with the text of a signature, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wrong {
    /// Bytes of the text.
    pub place: std::ops::Range<usize>,
    /// What is wrong there.
    pub message: String,
}

/// Reads `sbt=u2, origin=v3, tmax=v1D, payload=v1R*4, accept=bR`: `u` uniform, `v` divergent, with their dwords, `b` a
/// truth value of each lane; `D` discardable, `R` returned, `*N` so many of them.
///
/// # Errors
/// The first parameter that is none.
pub fn parse(text: &str) -> Result<Signature, Wrong> {
    let mut parameters = Vec::new();
    let mut at = 0;
    for part in text.split(',') {
        let start = at + part.len() - part.trim_start().len();
        let word = part.trim();
        at += part.len() + 1;
        if word.is_empty() && text.trim().is_empty() {
            break;
        }
        let wrong = |message: String| Wrong { place: start..start + word.len().max(1), message };
        let (parameter, count) = one(word).map_err(wrong)?;
        if parameters.len() + count > MOST {
            return Err(wrong(format!("a signature has at most {MOST} parameters")));
        }
        for n in 0..count {
            let name = match (parameter.name.as_str(), count) {
                ("", _) => format!("p{}", parameters.len()),
                (name, 1) => name.to_owned(),
                (name, _) => format!("{name}{n}"),
            };
            if parameters.iter().any(|other: &Parameter| other.name == name) {
                return Err(wrong(format!("there are two parameters `{name}`")));
            }
            parameters.push(Parameter { name, ..parameter.clone() });
        }
    }
    Ok(Signature { parameters })
}

const NOTATION: &str = "write `u2` (two uniform dwords), `v3` (three dwords of each lane) or `b` (a truth value), with \
                        D (discardable) or R (returned) behind, such as `payload=v1R*4`";

/// One parameter, and how many of it there are.
fn one(word: &str) -> Result<(Parameter, usize), String> {
    let (name, kind) = match word.split_once('=') {
        Some((name, kind)) => (name.trim(), kind.trim()),
        None => ("", word),
    };
    let (kind, count) = match kind.split_once('*') {
        Some((kind, count)) => (kind.trim_end(), count.trim().parse().map_err(|_| unread(word))?),
        None => (kind, 1),
    };
    let returned = kind.contains('R');
    let discardable = kind.contains('D');
    let plain = kind.trim_end_matches(['R', 'D']);
    let dwords = |text: &str| text.parse::<u16>().ok().filter(|n| (1..=MOST_DWORDS).contains(n));
    let (bits, components, uniform) = match plain.split_at_checked(1) {
        Some(("b", "")) => (1, 1, false),
        Some(("u", size)) => (32, dwords(size).ok_or_else(|| unread(word))?, true),
        Some(("v", size)) => (32, dwords(size).ok_or_else(|| unread(word))?, false),
        _ => return Err(unread(word)),
    };
    let parameter = Parameter { name: name.to_owned(), bits, components, uniform, discardable, returned };
    Ok((parameter, count))
}

fn unread(word: &str) -> String {
    format!("`{word}` is no parameter: {NOTATION}")
}
