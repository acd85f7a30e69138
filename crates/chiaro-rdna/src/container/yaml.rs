//! The metadata document as text: the part of YAML that LLVM's tools write and people use.
//! Blocks of maps and lists by indentation, short lists in brackets, scalars.

use super::note::Item;

/// What is wrong with a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct YamlError {
    /// Line of the document, from 0.
    pub line: usize,
    /// What is wrong there.
    pub why: &'static str,
}

/// A line that is not empty: its number, its indentation, its text.
struct Line<'a> {
    number: usize,
    indent: usize,
    text: &'a str,
}

/// Nesting that is still read.
const DEEPEST: usize = 32;

/// Reads a document.
///
/// # Errors
/// The first line that is none of maps, lists and scalars.
pub fn read(text: &str) -> Result<Item, YamlError> {
    let lines = text.lines().enumerate().filter_map(|(number, line)| {
        let text = line.trim();
        let empty = text.is_empty() || text.starts_with('#') || text == "---" || text == "...";
        (!empty).then(|| Line { number, indent: line.len() - line.trim_start().len(), text })
    });
    let lines: Vec<Line<'_>> = lines.collect();
    let mut reader = Reader { lines: &lines, at: 0 };
    let item = reader.block(0, 0)?;
    match reader.lines.get(reader.at) {
        None => Ok(item),
        Some(line) => Err(YamlError { line: line.number, why: "the indentation fits nothing above" }),
    }
}

struct Reader<'a> {
    lines: &'a [Line<'a>],
    at: usize,
}

impl Reader<'_> {
    fn error<T>(&self, why: &'static str) -> Result<T, YamlError> {
        let line = self.lines.get(self.at).or(self.lines.last()).map_or(0, |line| line.number);
        Err(YamlError { line, why })
    }

    /// A map or a list whose lines are indented at least so far.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Item, YamlError> {
        let Some(line) = self.lines.get(self.at).filter(|line| line.indent >= indent) else {
            return Ok(Item::Nil);
        };
        if depth > DEEPEST {
            return self.error("the document is nested too deeply");
        }
        let (own, is_list) = (line.indent, line.text.starts_with("- ") || line.text == "-");
        if is_list { self.list(own, depth) } else { self.map(own, None, depth) }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Item, YamlError> {
        let mut items = Vec::new();
        while let Some(line) = self.lines.get(self.at).filter(|line| line.indent == indent) {
            let Some(rest) = line.text.strip_prefix('-') else { break };
            let inner = rest.trim_start();
            items.push(match split(inner) {
                _ if inner.is_empty() => {
                    self.at += 1;
                    self.block(indent + 1, depth + 1)?
                }
                // The first pair of a map stands behind the dash, the others below it.
                Some(_) => self.map(indent + 1 + rest.len() - inner.len(), Some(inner), depth + 1)?,
                None => {
                    let value = scalar(inner).map_err(|why| YamlError { line: line.number, why })?;
                    self.at += 1;
                    value
                }
            });
        }
        Ok(Item::List(items))
    }

    /// Pairs at one indentation; the first may be given.
    fn map(&mut self, indent: usize, first: Option<&str>, depth: usize) -> Result<Item, YamlError> {
        let mut pairs: Vec<(String, Item)> = Vec::new();
        let mut text = first;
        while let Some(line) = self.lines.get(self.at) {
            let own = match text.take() {
                Some(first) => first,
                None if line.indent == indent && !line.text.starts_with("- ") => line.text,
                None => break,
            };
            let Some((name, value)) = split(own) else { return self.error("expected `name: value`") };
            let Ok(name) = name_of(name) else { return self.error("the name's second quote is missing") };
            if pairs.iter().any(|(known, _)| *known == name) {
                return self.error("the name is there twice");
            }
            let number = line.number;
            self.at += 1;
            let item = if value.is_empty() {
                // Lists may stand as far left as the name that they belong to.
                let next = self.lines.get(self.at).filter(|next| next.indent == indent);
                let beside = next.is_some_and(|next| next.text.starts_with('-'));
                self.block(if beside { indent } else { indent + 1 }, depth + 1)?
            } else {
                scalar(value).map_err(|why| YamlError { line: number, why })?
            };
            pairs.push((name, item));
        }
        Ok(Item::Map(pairs))
    }
}

/// Name and value of a pair.
fn split(text: &str) -> Option<(&str, &str)> {
    let name = match text.chars().next()? {
        '[' | '{' | '\'' => return None,
        '"' => end_of_quotes(text)?,
        _ => text.find(':')?,
    };
    let value = text[name..].trim_start().strip_prefix(':')?;
    (value.is_empty() || value.starts_with(' ')).then(|| (text[..name].trim(), value.trim()))
}

/// What stands before the colon, taken out of its quotes.
fn name_of(text: &str) -> Result<String, &'static str> {
    match scalar(text)? {
        Item::Text(name) => Ok(name),
        _ => Ok(text.to_owned()),
    }
}

/// Where a text in double quotes ends, behind the second.
fn end_of_quotes(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let last = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    last.map(|(at, _)| at + 1)
}

fn scalar(text: &str) -> Result<Item, &'static str> {
    if let Some(list) = text.strip_prefix('[') {
        let list = list.strip_suffix(']').ok_or("the list's second bracket is missing")?;
        return items(list).into_iter().map(scalar).collect::<Result<_, _>>().map(Item::List);
    }
    if let Some(quoted) = text.strip_prefix('\'') {
        let quoted = quoted.strip_suffix('\'').ok_or("the text's second quote is missing")?;
        return Ok(Item::Text(quoted.replace("''", "'")));
    }
    if let Some(quoted) = text.strip_prefix('"') {
        let quoted = quoted.strip_suffix('"').ok_or("the text's second quote is missing")?;
        return Ok(Item::Text(unescaped(quoted)));
    }
    Ok(match text {
        "~" | "null" => Item::Nil,
        "{}" => Item::Map(Vec::new()),
        "true" => Item::Bool(true),
        "false" => Item::Bool(false),
        _ => number(text).unwrap_or_else(|| Item::Text(text.to_owned())),
    })
}

/// What stands in brackets: parted at commas, but for those inside of quotes.
fn items(list: &str) -> Vec<&str> {
    let (mut quote, mut is_open, mut is_blank, mut is_escaped) = (None, false, true, false);
    let parts = list.split(|c: char| {
        let parts = c == ',' && !is_open;
        if parts {
            (quote, is_blank) = (None, true);
        } else if is_blank && !c.is_whitespace() {
            quote = Some(c).filter(|c| matches!(c, '"' | '\''));
            (is_open, is_blank) = (quote.is_some(), false);
        } else if quote == Some(c) && !is_escaped {
            is_open = !is_open;
        }
        is_escaped = quote == Some('"') && c == '\\' && !is_escaped;
        parts
    });
    parts.map(str::trim).filter(|item| !item.is_empty()).collect()
}

/// What stands in double quotes.
fn unescaped(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        let rest = chars.as_str();
        let code = rest.strip_prefix('u').and_then(|code| u32::from_str_radix(code.get(..4)?, 16).ok());
        match (c, rest.chars().next()) {
            ('\\', Some(escaped @ ('n' | '"' | '\\'))) => {
                chars.next();
                out.push(if escaped == 'n' { '\n' } else { escaped });
            }
            ('\\', _) if let Some(named) = code.and_then(char::from_u32) => {
                chars = rest[5..].chars();
                out.push(named);
            }
            _ => out.push(c),
        }
    }
    out
}

fn number(text: &str) -> Option<Item> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Item::Number);
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().all(|c| c.is_ascii_digit()).then_some(())?;
    text.parse().map(Item::Number).or_else(|_| text.parse().map(Item::Negative)).ok()
}

/// Writes a document so that [`read`] gives it back.
pub fn write(item: &Item) -> String {
    let mut out = String::new();
    block(item, 0, &mut out);
    out
}

fn block(item: &Item, indent: usize, out: &mut String) {
    match item {
        Item::Map(pairs) => pairs.iter().for_each(|(name, item)| {
            out.push_str(&" ".repeat(indent));
            pair(name, item, indent, out);
        }),
        Item::List(items) => items.iter().for_each(|item| entry(item, indent, out)),
        _ => {
            out.push_str(&" ".repeat(indent));
            out.push_str(&plain(item));
            out.push('\n');
        }
    }
}

fn pair(name: &str, item: &Item, indent: usize, out: &mut String) {
    let is_plain = !name.is_empty() && !name.starts_with('-') && name.chars().all(is_bare);
    out.push_str(&if is_plain { name.to_owned() } else { escaped(name) });
    out.push(':');
    match item {
        Item::Map(inner) if !inner.is_empty() => {
            out.push('\n');
            block(item, indent + 2, out);
        }
        Item::List(inner) if inner.iter().any(is_long) => {
            out.push('\n');
            block(item, indent + 2, out);
        }
        _ => {
            out.push(' ');
            out.push_str(&plain(item));
            out.push('\n');
        }
    }
}

/// Whether a list with such an item has a line for each.
fn is_long(item: &Item) -> bool {
    matches!(item, Item::Map(_) | Item::List(_) | Item::Text(_))
}

fn entry(item: &Item, indent: usize, out: &mut String) {
    out.push_str(&" ".repeat(indent));
    out.push_str("- ");
    match item {
        Item::Map(pairs) if !pairs.is_empty() => {
            for (i, (name, item)) in pairs.iter().enumerate() {
                if i > 0 {
                    out.push_str(&" ".repeat(indent + 2));
                }
                pair(name, item, indent + 2, out);
            }
        }
        Item::List(items) if items.iter().any(is_long) => {
            out.truncate(out.len() - 1);
            out.push('\n');
            block(item, indent + 2, out);
        }
        _ => {
            out.push_str(&plain(item));
            out.push('\n');
        }
    }
}

/// A scalar, or a short list of them.
fn plain(item: &Item) -> String {
    match item {
        Item::Nil => "~".to_owned(),
        Item::Map(_) => "{}".to_owned(),
        Item::Bool(b) => b.to_string(),
        Item::Number(n) => n.to_string(),
        Item::Negative(n) => n.to_string(),
        Item::List(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Item::Text(text) => {
            let is_name =
                text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_bare);
            let word = matches!(text.as_str(), "true" | "false" | "null");
            if is_name && !word { text.clone() } else { quoted(text) }
        }
    }
}

/// Whether it stands in a text without quotes.
fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$')
}

fn quoted(text: &str) -> String {
    if text.contains(is_hidden) {
        return escaped(text);
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether no line of a text shows it: ends of lines, and what editors do not draw.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// In double quotes, with what cannot be seen as numbers.
fn escaped(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '"' | '\\' => out.extend(['\\', c]),
            _ if is_hidden(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::{Item, read, write};

    fn texts(texts: &[&str]) -> Item {
        Item::List(texts.iter().map(|text| Item::Text((*text).to_owned())).collect())
    }

    #[test]
    fn commas_in_quotes_part_nothing() {
        for (list, parts) in [
            ("['a, b']", &["a, b"][..]),
            ("['it''s, b', c]", &["it's, b", "c"]),
            ("[it's, b]", &["it's", "b"]),
            (r#"["a\", b", "\\", c]"#, &["a\", b", "\\", "c"]),
        ] {
            assert_eq!(read(&format!("- {list}")), Ok(Item::List(vec![texts(parts)])), "{list}");
        }
        assert!(read("- ['a, b]").is_err());
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["a, b", "it's", "\\n", "\\n\n", "\"\n,", "\\", "\\\\\n\""] {
            let all = Item::List(vec![texts(&[text, "x"])]);
            assert_eq!(read(&write(&all)), Ok(all), "{text:?}");
        }
    }

    #[test]
    fn names_and_texts_may_have_any_character() {
        for text in
            ["", "a: b", "\0\r", "it's", "\\u0041", "\"\\", "- x", "\u{2028}", "é", "[", "~", "7", " a "]
        {
            let inner = Item::Map(vec![(text.to_owned(), Item::Text(text.to_owned()))]);
            let lists = Item::List(vec![texts(&[text]), inner.clone(), Item::Map(Vec::new())]);
            let all = Item::Map(vec![(text.to_owned(), Item::List(vec![lists])), ("z".to_owned(), inner)]);
            assert_eq!(read(&write(&all)), Ok(all.clone()), "{text:?}: {}", write(&all));
        }
    }
}
