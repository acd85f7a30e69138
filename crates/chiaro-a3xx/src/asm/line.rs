//! Lines of a source or listing.

/// One line, without its comment and without what a listing puts before the text.
pub(super) struct Line<'a> {
    /// Byte of the file at which `text` begins.
    pub(super) start: usize,
    /// What is left to read, without blanks around it.
    pub(super) text: &'a str,
    /// The word that a listing shows beside the text.
    pub(super) listed: Option<u64>,
}

impl<'a> Line<'a> {
    /// The lines that say something.
    pub(super) fn all(text: &'a str) -> impl Iterator<Item = Line<'a>> {
        let base = text.as_ptr() as usize;
        text.lines().filter_map(move |line| Line::new(line, line.as_ptr() as usize - base))
    }

    fn new(line: &'a str, start: usize) -> Option<Line<'a>> {
        let code = line.find(';').map_or(line, |comment| &line[..comment]);
        let (code, listed) = match Line::prefix(code) {
            Some(Prefix::Repetition) => return None,
            Some(Prefix::Word(rest, word)) => (rest, Some(word)),
            None => (code, None),
        };
        let text = code.trim();
        let footer = text.starts_with("- ") || text == "Register Stats:";
        if text.is_empty() || footer {
            return None;
        }
        let offset = text.as_ptr() as usize - line.as_ptr() as usize;
        Some(Line { start: start + offset, text, listed })
    }

    /// `0012[57305b00x_00002000x] ` of pgmdump, ` 12[57305b00_00002000] ` of Mesa, or the
    /// room of both in a repetition.
    fn prefix(line: &'a str) -> Option<Prefix<'a>> {
        let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == line.trim_start().len() {
            return None;
        }
        let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
        if inside.trim().is_empty() {
            return Some(Prefix::Repetition);
        }
        let word = word(&inside.replace('x', ""))?;
        Some(Prefix::Word(after, word))
    }

    /// The name before the colon, if the line is a label.
    pub(super) fn label(&self) -> Option<&'a str> {
        let name = self.text.strip_suffix(':')?;
        let ident = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
        (!name.is_empty() && name.chars().all(ident)).then_some(name)
    }

    /// Whether it begins with `@`.
    pub(super) fn is_header(&self) -> bool {
        self.text.starts_with('@')
    }

    /// Whether it takes a word.
    pub(super) fn is_instruction(&self) -> bool {
        !self.is_header() && self.label().is_none()
    }

    /// The word of `.word 0x57305b00_00002000`; if it is none, what stands in its place.
    pub(super) fn raw(&self) -> Option<Result<u64, &'a str>> {
        let rest = self.text.strip_prefix(".word").filter(|rest| !rest.starts_with(char::is_alphanumeric))?;
        let rest = rest.trim();
        Some(word(rest.strip_prefix("0x").unwrap_or(rest)).ok_or(rest))
    }
}

/// What stands before the text in a listing.
enum Prefix<'a> {
    /// A line that shows a repetition of the one before.
    Repetition,
    /// The rest of the line, and the word.
    Word(&'a str, u64),
}

/// The word of its high and low dword, hexadecimal digits with `_` between them.
pub(crate) fn word(text: &str) -> Option<u64> {
    let (high, low) = text.split_once('_')?;
    let high = u32::from_str_radix(high.trim(), 16).ok()?;
    let low = u32::from_str_radix(low.trim(), 16).ok()?;
    Some(u64::from(high) << 32 | u64::from(low))
}
