//! Reads exact listings back.

use super::Exact;
use crate::container::{Constant, Dvle, Dvlp, Label, Layout, Output, Shbin, Stage, Uniform};
use crate::isa::PICA200;
use chiaro_diag::{Diagnostic, FileId, Span};

/// Whether a text is an exact listing: its first line that is not blank or a comment
/// is `.exact`.
pub fn is_exact(text: &str) -> bool {
    let mut lines = text.lines().map(|line| code_of(line).trim());
    lines.find(|line| !line.is_empty()) == Some(".exact")
}

/// Reads a listing.
///
/// # Errors
/// Every line at fault, with its place.
pub fn read(text: &str, file: FileId) -> Result<Exact, Vec<Diagnostic>> {
    let mut reader =
        Reader { file, text, raw: false, layout: None, program: Dvlp::default(), executables: Vec::new() };
    let mut errors = Vec::new();
    for line in text.lines() {
        let code = code_of(line).trim();
        if !code.is_empty()
            && let Err(error) = reader.line(code)
        {
            errors.push(*error);
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let Reader { raw, layout, program, executables, .. } = reader;
    Ok(match raw {
        true => Exact::Raw { code: program.code, descriptors: program.descriptors },
        false => Exact::Shbin(Shbin { layout: layout.unwrap_or_default(), program, executables }),
    })
}

/// A line without its comment; a `;` in quotes begins none.
fn code_of(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    for (i, c) in line.bytes().enumerate() {
        match c {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => return &line[..i],
            _ => {}
        }
    }
    line
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    raw: bool,
    layout: Option<Layout>,
    program: Dvlp,
    executables: Vec<Dvle>,
}

/// Boxed, because errors are rare and large.
type Outcome<T = ()> = Result<T, Box<Diagnostic>>;

impl<'a> Reader<'a> {
    fn line(&mut self, code: &'a str) -> Outcome {
        let (head, rest) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let rest = rest.trim();
        match head {
            ".exact" => Ok(()),
            ".raw" => {
                self.raw = true;
                Ok(())
            }
            ".layout" => {
                self.layout = Some(rest.parse().map_err(|e| self.error(rest, format!("{e}")))?);
                Ok(())
            }
            ".program" => self.header(rest),
            ".opdesc" => self.descriptor(rest),
            ".word" => {
                let [word] = self.numbers(rest)?;
                self.program.code.push(word);
                Ok(())
            }
            ".dvle" => self.dvle(rest),
            ".constant" | ".label" | ".output" | ".uniform" | ".symbols" => self.entry(head, rest),
            _ if head.starts_with('.') => {
                Err(self.error(head, format!("an exact listing has no directive `{head}`")))
            }
            _ => self.instruction(code),
        }
    }

    fn instruction(&mut self, code: &'a str) -> Outcome {
        let parsed = PICA200.parse(code, &PICA200.cx()).map_err(|e| {
            let place = code.get(e.start as usize..e.end as usize).unwrap_or(code);
            self.error(place, format!("{e}"))
        })?;
        self.program.code.push(parsed.inst.word.0[0] as u32);
        Ok(())
    }

    fn header(&mut self, rest: &'a str) -> Outcome {
        let (version, names) = rest.split_once(char::is_whitespace).unwrap_or((rest, "\"\""));
        [self.program.version] = self.numbers(version)?;
        self.program.file_names = self.unquoted(names.trim())?;
        Ok(())
    }

    fn descriptor(&mut self, rest: &'a str) -> Outcome {
        let [index, word, second] = self.numbers(rest)?;
        let expected = self.program.descriptors.len() as u32;
        if index != expected {
            return Err(self.error(
                rest,
                format!("descriptor {index} stands where {expected} is due; give them in order"),
            ));
        }
        self.program.descriptors.push([word, second]);
        Ok(())
    }

    fn dvle(&mut self, rest: &'a str) -> Outcome {
        let [stage, version, merge, entry, end, inputs, outputs, mode, start, full, count] =
            self.numbers(rest)?;
        let byte = |n: u32| self.small(rest, n, 0xff).map(|n| n as u8);
        let half = |n: u32| self.small(rest, n, 0xffff).map(|n| n as u16);
        let executable = Dvle {
            version: half(version)?,
            stage: Stage::from_byte(byte(stage)?),
            merge: byte(merge)?,
            entry,
            end,
            inputs: half(inputs)?,
            outputs_used: half(outputs)?,
            geometry: [byte(mode)?, byte(start)?, byte(full)?, byte(count)?],
            constants: Vec::new(),
            labels: Vec::new(),
            outputs: Vec::new(),
            uniforms: Vec::new(),
            symbols: Vec::new(),
        };
        self.executables.push(executable);
        Ok(())
    }

    fn entry(&mut self, head: &'a str, rest: &'a str) -> Outcome {
        let half = |n: u32| self.small(rest, n, 0xffff).map(|n| n as u16);
        let none = || self.error(head, format!("`{head}` belongs behind a `.dvle`"));
        if self.executables.is_empty() {
            return Err(none());
        }
        match head {
            ".constant" => {
                let [kind, register, x, y, z, w] = self.numbers(rest)?;
                let constant = Constant { kind: half(kind)?, register: half(register)?, words: [x, y, z, w] };
                self.last(|e| e.constants.push(constant));
            }
            ".label" => {
                let [id, unknown, offset, size, name] = self.numbers(rest)?;
                let label = Label { id: half(id)?, unknown: half(unknown)?, offset, size, name };
                self.last(|e| e.labels.push(label));
            }
            ".output" => {
                let [kind, register, mask, unknown] = self.numbers(rest)?;
                let [kind, register, mask, unknown] =
                    [half(kind)?, half(register)?, half(mask)?, half(unknown)?];
                self.last(|e| e.outputs.push(Output { kind, register, mask, unknown }));
            }
            ".uniform" => {
                let [name, first, last] = self.numbers(rest)?;
                let uniform = Uniform { name, first: half(first)?, last: half(last)? };
                self.last(|e| e.uniforms.push(uniform));
            }
            _ => {
                let symbols = self.unquoted(rest)?;
                self.last(|e| e.symbols = symbols);
            }
        }
        Ok(())
    }

    fn last(&mut self, edit: impl FnOnce(&mut Dvle)) {
        if let Some(executable) = self.executables.last_mut() {
            edit(executable);
        }
    }

    fn small(&self, at: &str, n: u32, most: u32) -> Outcome<u32> {
        if n <= most {
            Ok(n)
        } else {
            Err(self.error(at, format!("{n:#x} is too large here, {most:#x} is the most")))
        }
    }

    /// Exactly `N` numbers, decimal or hexadecimal.
    fn numbers<const N: usize>(&self, text: &'a str) -> Outcome<[u32; N]> {
        let mut out = [0; N];
        let mut words = text.split_whitespace();
        for slot in &mut out {
            let Some(word) = words.next() else {
                return Err(self.error(text, format!("{N} numbers are expected here")));
            };
            let value = match word.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => word.parse(),
            };
            *slot = value.map_err(|_| self.error(word, format!("`{word}` is no 32-bit number")))?;
        }
        match words.next() {
            Some(word) => Err(self.error(word, format!("{N} numbers are expected here"))),
            None => Ok(out),
        }
    }

    fn unquoted(&self, text: &'a str) -> Outcome<Vec<u8>> {
        let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
        inner
            .and_then(unescape)
            .ok_or_else(|| self.error(text, "expected a text in double quotes".to_owned()))
    }

    fn error(&self, at: &str, message: String) -> Box<Diagnostic> {
        let start = (at.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize).min(self.text.len());
        let end = (start + at.len()).min(self.text.len());
        let span = Span { file: self.file, start: start as u32, end: end as u32 };
        Box::new(Diagnostic::error(span, message))
    }
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(b) = bytes.next() {
        if b != b'\\' {
            out.push(b);
            continue;
        }
        out.push(match bytes.next()? {
            b'0' => 0,
            b'x' => {
                let digit = |b: Option<u8>| (b? as char).to_digit(16);
                (digit(bytes.next())? << 4 | digit(bytes.next())?) as u8
            }
            other => other,
        });
    }
    Some(out)
}
