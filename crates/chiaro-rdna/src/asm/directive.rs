//! Directives: sections, symbols, data, kernel descriptors, metadata.

use super::{Assembler, Lines, What, without_comment};
use crate::container::descriptor::Builder;
use crate::container::{self, RELOCATIONS, Relocation, Section, Symbol, SymbolKind, Visibility, note, yaml};
use std::ops::Range;

/// Directives as they are written.
pub const DIRECTIVES: &[&str] = &[
    ".text",
    ".rodata",
    ".section section[, \"flags\"]",
    ".globl symbol, ...",
    ".global symbol, ...",
    ".hidden symbol, ...",
    ".protected symbol, ...",
    ".type symbol,@function|@object",
    ".size symbol, end-start",
    ".p2align bits",
    ".align bytes",
    ".balign bytes",
    ".byte value, ...",
    ".short value, ...",
    ".2byte value, ...",
    ".hword value, ...",
    ".long value, ...",
    ".4byte value, ...",
    ".int value, ...",
    ".quad value, ...",
    ".8byte value, ...",
    ".reloc offset, R_AMDGPU_type, symbol+number",
    ".zero count",
    ".skip count",
    ".space count",
    ".amdgcn_target \"target\"",
    ".amdhsa_code_object_version number",
    ".amdhsa_kernel symbol",
    ".end_amdhsa_kernel",
    ".amdgpu_metadata",
    ".end_amdgpu_metadata",
];

/// `.size name, end-start`, which the layout answers.
pub(super) struct Size {
    pub(super) name: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) at: Range<usize>,
}

/// A directive, taken apart.
struct Words<'a> {
    rest: &'a str,
    at: Range<usize>,
}

impl Assembler {
    pub(super) fn directive(&mut self, code: &str, start: usize, lines: &mut Lines<'_>) {
        let end = code.find(char::is_whitespace).unwrap_or(code.len());
        let words = Words { rest: code[end..].trim(), at: start..start + code.len() };
        match &code[..end] {
            ".text" => self.in_rodata = false,
            ".rodata" => self.in_rodata = true,
            ".section" => self.section(&words),
            ".globl" | ".global" => self.each_symbol(&words, |s| s.global = true),
            ".hidden" => self.each_symbol(&words, |s| s.visibility = Visibility::Hidden),
            ".protected" => self.each_symbol(&words, |s| s.visibility = Visibility::Protected),
            ".type" => self.kind(&words),
            ".size" => self.size(&words),
            ".p2align" => self.align(&words, true),
            ".align" | ".balign" => self.align(&words, false),
            ".byte" => self.data(&words, 1),
            ".short" | ".2byte" | ".hword" => self.data(&words, 2),
            ".long" | ".4byte" | ".int" => self.addresses(&words, 4),
            ".quad" | ".8byte" => self.addresses(&words, 8),
            ".reloc" => self.reloc(&words),
            ".zero" | ".skip" | ".space" => self.zero(&words),
            ".amdgcn_target" => self.target(&words),
            ".amdhsa_code_object_version" => self.version(&words),
            ".amdhsa_kernel" => self.kernel(&words, lines),
            ".amdgpu_metadata" => self.metadata(lines),
            other => self.error(words.at.clone(), format!("there is no directive `{other}`")),
        }
    }

    fn section(&mut self, words: &Words<'_>) {
        match words.rest.split(',').next().unwrap_or("").trim() {
            ".text" => self.in_rodata = false,
            ".rodata" => self.in_rodata = true,
            other => self.error(
                words.at.clone(),
                format!("the section `{other}` is not known; .text and .rodata are"),
            ),
        }
    }

    /// The symbol of a name in the object, made at its first mention.
    pub(super) fn symbol(&mut self, name: &str) -> &mut Symbol {
        let at = self.object.symbols.iter().position(|s| s.name == name).unwrap_or_else(|| {
            self.names.intern(name);
            self.object.symbols.push(Symbol {
                name: name.to_owned(),
                section: Section::Undefined,
                value: 0,
                size: 0,
                kind: SymbolKind::None,
                global: false,
                visibility: Visibility::Default,
            });
            self.object.symbols.len() - 1
        });
        &mut self.object.symbols[at]
    }

    /// A name that can stand in a code object; what is wrong with others is reported.
    fn is_name(&mut self, name: &str, at: &Range<usize>) -> bool {
        let fits = !name.is_empty() && name.chars().all(container::is_in_names);
        if !fits {
            let why = format!("`{name}` is no name: names have letters, digits, `_`, `.` and `$`");
            self.error(at.clone(), why);
        }
        fits
    }

    fn each_symbol(&mut self, words: &Words<'_>, change: impl Fn(&mut Symbol)) {
        for name in words.rest.split(',').map(str::trim) {
            if self.is_name(name, &words.at) {
                change(self.symbol(name));
            }
        }
    }

    fn kind(&mut self, words: &Words<'_>) {
        let Some((name, kind)) = words.rest.split_once(',') else {
            return self.error(words.at.clone(), "expected .type name,@function or .type name,@object");
        };
        let kind = match kind.trim().trim_start_matches(['@', '%']) {
            "function" | "STT_FUNC" => SymbolKind::Function,
            "object" | "STT_OBJECT" => SymbolKind::Object,
            "notype" => SymbolKind::None,
            _ => return self.error(words.at.clone(), "the type is @function, @object or @notype"),
        };
        if self.is_name(name.trim(), &words.at) {
            self.symbol(name.trim()).kind = kind;
        }
    }

    fn size(&mut self, words: &Words<'_>) {
        let parts = words.rest.split_once(',').map(|(name, size)| (name.trim(), size.trim()));
        let Some((name, size)) = parts else {
            return self.error(words.at.clone(), "expected .size name, end-start");
        };
        if !self.is_name(name, &words.at) {
            return;
        }
        if let Some(n) = number(size) {
            self.symbol(name).size = n;
            return;
        }
        let Some((to, from)) = size.split_once('-').map(|(to, from)| (to.trim(), from.trim())) else {
            return self.error(words.at.clone(), "a size is a number or the distance of two labels");
        };
        let to = if to == "." { self.here(words.at.clone()) } else { to.to_owned() };
        let (name, from) = (name.to_owned(), from.to_owned());
        self.sizes.push(Size { name, from, to, at: words.at.clone() });
    }

    /// A label of our own at this place.
    fn here(&mut self, at: Range<usize>) -> String {
        let name = format!(".Lhere.{}", at.start);
        let symbol = self.names.intern(&name);
        self.names.define(symbol, self.in_rodata);
        self.place(What::Label(symbol), at);
        name
    }

    fn align(&mut self, words: &Words<'_>, power: bool) {
        let n = words.rest.split(',').next().and_then(|n| number(n.trim()));
        let bytes = match n {
            Some(n) if power && n <= 16 => 1 << n,
            Some(n) if !power && n.is_power_of_two() && n <= 1 << 16 => n,
            _ => return self.error(words.at.clone(), "an alignment is a power of two up to 65536 bytes"),
        };
        self.place(What::Align(bytes), words.at.clone());
    }

    fn data(&mut self, words: &Words<'_>, size: usize) {
        let mut bytes = Vec::new();
        for word in words.rest.split(',').map(str::trim) {
            let value = match word.strip_prefix('-') {
                Some(positive) => number(positive).map(u64::wrapping_neg),
                None => number(word),
            };
            let Some(n) = value else {
                return self.error(words.at.clone(), format!("`{word}` is no number"));
            };
            bytes.extend_from_slice(&n.to_le_bytes()[..size]);
        }
        self.place(What::Data(bytes), words.at.clone());
    }

    /// Numbers, or addresses of names.
    fn addresses(&mut self, words: &Words<'_>, size: u8) {
        let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic() || "_.$".contains(c));
        for word in words.rest.split(',').map(str::trim) {
            let own = Words { rest: word, at: words.at.clone() };
            if !is_name(word) {
                self.data(&own, size.into());
            } else if let Some((name, addend)) = self.sum(word, &words.at) {
                self.place(What::Address(name, addend, size), words.at.clone());
            }
        }
    }

    /// A name, and what is added to it or taken away.
    fn sum(&mut self, word: &str, at: &Range<usize>) -> Option<(String, i64)> {
        let (name, addend) = word.split_at(word.find(['+', '-']).unwrap_or(word.len()));
        let (sign, digits) = addend.split_at(addend.len().min(1));
        let n = if digits.is_empty() { Some(0) } else { number(digits.trim()) };
        let n = n.filter(|_| sign.is_empty() == digits.is_empty()).and_then(|n| i64::try_from(n).ok());
        let Some(n) = n else {
            self.error(at.clone(), format!("`{word}` is no number, name, name+number or name-number"));
            return None;
        };
        let name = name.trim();
        self.is_name(name, at).then(|| (name.to_owned(), if sign == "-" { -n } else { n }))
    }

    /// A relocation at a byte of the section, which nothing in it says.
    fn reloc(&mut self, words: &Words<'_>) {
        let parts: Vec<&str> = words.rest.split(',').map(str::trim).collect();
        let [offset, kind, symbol] = parts[..] else {
            return self.error(words.at.clone(), "expected .reloc offset, R_AMDGPU_type, symbol+number");
        };
        let named = kind.strip_prefix("R_AMDGPU_");
        let known = RELOCATIONS.iter().find(|(name, _)| Some(*name) == named).map(|(_, kind)| *kind);
        let other = number(kind).and_then(|n| u32::try_from(n).ok());
        let Some((offset, kind)) = number(offset).zip(known.or(other)) else {
            let why = format!("`{offset}` is no byte of the section, or `{kind}` no type of relocation");
            return self.error(words.at.clone(), why);
        };
        let section = if self.in_rodata { Section::Rodata } else { Section::Text };
        if let Some((symbol, addend)) = self.sum(symbol, &words.at) {
            self.relocations.push(Relocation { section, offset, kind, symbol, addend });
        }
    }

    fn zero(&mut self, words: &Words<'_>) {
        match number(words.rest).filter(|n| *n <= 1 << 24) {
            Some(n) => self.place(What::Data(vec![0; n as usize]), words.at.clone()),
            None => self.error(words.at.clone(), "expected a number of bytes up to 16777216"),
        }
    }

    fn target(&mut self, words: &Words<'_>) {
        if words.rest.trim_matches('"') != "amdgcn-amd-amdhsa--gfx1030" {
            self.error(words.at.clone(), "this assembler's target is amdgcn-amd-amdhsa--gfx1030");
        }
    }

    fn version(&mut self, words: &Words<'_>) {
        match number(words.rest) {
            Some(n @ 3..=6) => self.object.version = n as u8,
            _ => self.error(words.at.clone(), "the code object's version is 3 to 6"),
        }
    }

    fn kernel(&mut self, words: &Words<'_>, lines: &mut Lines<'_>) {
        let (name, at) = (words.rest.to_owned(), words.at.clone());
        let known = self.is_name(&name, &at);
        let mut builder = Builder::new(self.wave);
        while let Some(line) = lines.next() {
            let code = without_comment(&lines.text[line.clone()]).trim();
            if code == ".end_amdhsa_kernel" {
                if known {
                    self.end_kernel(&name, builder, at);
                }
                return;
            }
            let pair = code.strip_prefix(".amdhsa_").and_then(|rest| rest.split_once(char::is_whitespace));
            match pair.and_then(|(directive, n)| Some((directive, number(n.trim())?))) {
                _ if code.is_empty() => {}
                Some((directive, n)) => {
                    if let Err(e) = builder.set(directive, n) {
                        self.error(line, format!(".amdhsa_{directive}: {e}"));
                    }
                }
                None => self.error(line, "expected .amdhsa_NAME NUMBER, or .end_amdhsa_kernel"),
            }
        }
        self.error(at, "the kernel has no .end_amdhsa_kernel");
    }

    fn end_kernel(&mut self, name: &str, builder: Builder, at: Range<usize>) {
        let descriptor = match builder.finish() {
            Ok(descriptor) => descriptor,
            Err(e) => return self.error(at, format!("the kernel's descriptor cannot be made: {e}")),
        };
        if descriptor.wave() != self.wave {
            self.error(
                at,
                format!("the kernel is for waves of {}, the code for {}", descriptor.wave(), self.wave),
            );
            return;
        }
        self.symbol(name).visibility = Visibility::Protected;
        let kd = format!("{name}.kd");
        *self.symbol(&kd) = Symbol {
            name: kd.clone(),
            size: 64,
            kind: SymbolKind::Object,
            global: true,
            ..self.symbol(&kd).clone()
        };
        let code = self.names.intern(name);
        let label = self.names.intern(&kd);
        let outer = std::mem::replace(&mut self.in_rodata, true);
        self.place(What::Align(64), at.clone());
        self.names.define(label, true);
        self.place(What::Label(label), at.clone());
        self.place(What::Descriptor(code, Box::new(descriptor)), at);
        self.in_rodata = outer;
    }

    fn metadata(&mut self, lines: &mut Lines<'_>) {
        let start = lines.at;
        let mut end = start;
        while let Some(line) = lines.next() {
            if lines.text[line.clone()].trim() == ".end_amdgpu_metadata" {
                match yaml::read(&lines.text[start..end]) {
                    Ok(document) => self.object.note = Some(note::write(&document)),
                    Err(e) => self.error(line_range(lines.text, start, e.line), e.why),
                }
                return;
            }
            end = lines.at;
        }
        self.error(start.saturating_sub(1)..start, "the metadata has no .end_amdgpu_metadata");
    }
}

/// The bytes of the n-th line from a place.
fn line_range(text: &str, start: usize, n: usize) -> Range<usize> {
    let mut lines = Lines { text, at: start };
    for _ in 0..n {
        let _ = lines.next();
    }
    lines.next().unwrap_or(start..start)
}

/// A decimal or hexadecimal number.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
