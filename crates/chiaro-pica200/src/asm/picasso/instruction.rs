//! Instructions: from a line to a word, a descriptor and what the word opens or needs.
//!
//! The text is read by the declaration in [`isa`](crate::isa); this is the only place
//! that calls it.

use super::Assembler;
use super::block::Kind;
use super::link::{Reference, VERTEX_WORDS};
use super::source::{is_identifier, looks_like_register, trim};
use crate::asm::report::Outcome;
use crate::isa::{PICA200, halves};
use crate::operand::descriptor::{self, Full, Slot};
use crate::operand::{self, COMPAT, PICASSO};
use crate::regs::{NARROW, bank};
use chiaro_diag::{Advice, Diagnostic, Fix, Replacement, Span, did_you_mean};
use chiaro_isa::{Cx, Fault, ParseCause, ParseError, Reg, Symbols};

const NOP: u32 = 0x21 << 26;
const LOOP: u32 = 0x29;
/// Output registers that a geometry program has.
const GEOMETRY_OUTPUTS: u16 = 7;

impl<'a> Assembler<'a> {
    /// A line that is an instruction; `head` is its mnemonic and `rest` what follows.
    pub(super) fn instruction(&mut self, text: &'a str, head: &'a str, rest: &'a str) -> Outcome {
        self.check_in_block()?;
        self.begin_instruction();
        let outcome = self.encode(text, rest);
        let word = match &outcome {
            Ok(word) => *word,
            // A word in its place keeps blocks and addresses as they are meant.
            Err(_) => stand_in(head),
        };
        let span = self.line_span();
        self.code.push(word, span);
        self.after_word(word >> 26, text, span).and(outcome.map(drop))
    }

    /// Instructions stand in procedures.
    pub(super) fn check_in_block(&mut self) -> Outcome {
        if !self.file.blocks.is_empty() || std::mem::replace(&mut self.file.stray, true) {
            return Ok(());
        }
        Err(Diagnostic::error(self.line_span(), "this instruction is outside of all procedures")
            .help("write `.proc main` in front of the instructions and `.end` behind them")
            .into())
    }

    /// What every instruction does, right or wrong.
    pub(super) fn begin_instruction(&mut self) {
        self.after_block = false;
        let words = self.code.len();
        let unit = self.unit();
        if words > VERTEX_WORDS && !unit.geometry && unit.overflow.is_none() {
            let span = self.line_span();
            self.unit().overflow = Some(span);
        }
    }

    /// The word of an instruction, its descriptor placed and its target still 0.
    fn encode(&mut self, text: &'a str, rest: &'a str) -> Outcome<u32> {
        let chosen = self.chosen.take();
        let text = self.without_last_comma(text, rest);
        let parsed = PICA200.parse(text, &self.cx());
        let parsed = match &parsed {
            Ok(parsed) => parsed,
            Err(error) => return self.misread(text, error),
        };
        for remark in &parsed.remarks {
            self.remark(text, remark);
        }
        let (word, descriptor) = halves(parsed.inst.word);
        if self.unit().geometry {
            self.check_geometry_output(word, rest)?;
        }
        let care = descriptor::care(word >> 26, descriptor);
        if care == 0 {
            return Ok(word);
        }
        let mad = !descriptor::has_wide_index(word >> 26);
        let slot = match chosen {
            None => self.descriptors.place(descriptor, care, mad),
            Some(index) => self.descriptors.place_at(index, descriptor, care, mad),
        };
        let slot = slot.map_err(|full| match (full, chosen) {
            (Full::Chosen, Some(index)) => self.unfit(index, descriptor),
            _ => no_descriptor(full, self.line_span()),
        })?;
        self.renumber(slot);
        Ok(word | u32::from(slot.index))
    }

    fn unfit(&self, index: u8, descriptor: u32) -> Box<Diagnostic> {
        let entry = match self.descriptors.table().get(usize::from(index)) {
            Some([word, _]) => format!("entry {index} is 0x{word:08x}"),
            None => format!("there is no entry {index}"),
        };
        Diagnostic::error(self.line_span(), "this instruction does not fit the operand descriptor asked for")
            .label(format!("this needs 0x{descriptor:08x}, {entry}"))
            .help("name an entry that agrees, or write `.word`")
            .into()
    }

    /// How operands are read: by whose rules and with which names.
    fn cx(&self) -> Cx<'_> {
        let (options, waived): (u32, &[&str]) =
            if self.strict() { (0, &[]) } else { (COMPAT, &["one-input-cmp"]) };
        Cx { dialect: PICASSO, options, waived, symbols: Some(&self.file.names), ..Cx::default() }
    }

    /// picasso takes a comma behind the last operand for the end.
    fn without_last_comma(&self, text: &'a str, rest: &str) -> &'a str {
        let one_too_many = rest.len() > 1 && !self.strict();
        text.strip_suffix(',').filter(|_| one_too_many).map_or(text, trim)
    }

    /// Entries that changed places change the words that name them.
    fn renumber(&mut self, slot: Slot) {
        let Some((a, b)) = slot.exchanged else { return };
        let (a, b) = (u32::from(a), u32::from(b));
        for (at, word) in self.code.words.iter_mut().enumerate() {
            if !descriptor::has_wide_index(*word >> 26) || self.code.raw.binary_search(&(at as u32)).is_ok() {
                continue;
            }
            match *word & 0x7f {
                index if index == a => *word = *word & !0x7f | b,
                index if index == b => *word = *word & !0x7f | a,
                _ => {}
            }
        }
    }

    /// The blocks that a word opens, the name that it refers to, the file that it marks.
    fn after_word(&mut self, opcode: u32, text: &'a str, span: Span) -> Outcome {
        match opcode {
            0x24..=0x26 | 0x2c | 0x2d => self.refer(opcode, text),
            0x27 | 0x28 => {
                self.open(Kind::If { otherwise: None }, self.code.len() - 1, span);
                Ok(())
            }
            LOOP => {
                self.open(Kind::Loop, self.code.len() - 1, span);
                Ok(())
            }
            0x2b => {
                self.unit().mark_geometry();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Remembers that the last word's target is the name at the end of its line.
    fn refer(&mut self, opcode: u32, text: &'a str) -> Outcome {
        let text = trim(text.trim_end_matches(','));
        let name = text.rsplit([' ', '\t', ',']).next().unwrap_or("");
        if !is_identifier(name) {
            return Err(Diagnostic::error(self.span(name), format!("`{name}` cannot be a name"))
                .help("names consist of letters, digits, `_` and `$`, and do not start with a digit")
                .into());
        }
        let reference = Reference { word: self.code.len() - 1, name, span: self.span(name) };
        match opcode {
            0x2c | 0x2d => self.file.jumps.push(reference),
            _ => self.calls.push(reference),
        }
        Ok(())
    }

    /// Geometry programs have o0..o6 only. picasso looks at the name, not at what a
    /// static index or an alias makes of it.
    fn check_geometry_output(&self, word: u32, rest: &'a str) -> Outcome {
        let past = if self.strict() {
            destination(word).is_some_and(|number| (GEOMETRY_OUTPUTS..0x10).contains(&number))
        } else {
            rest.split(',').any(|operand| names_high_output(trim(operand)))
        };
        if !past {
            return Ok(());
        }
        let operand = trim(rest.split(',').next().unwrap_or(rest));
        Err(Diagnostic::error(self.span(operand), "a geometry program has the outputs o0..o6 only").into())
    }

    /// A text that is no instruction; picasso's `for` takes i4..i7 as well.
    fn misread(&mut self, text: &'a str, error: &ParseError) -> Outcome<u32> {
        if !self.strict()
            && let Some(word) = self.picasso_loop(text)
        {
            return Ok(word);
        }
        if self.file.names.mentions_poisoned(text) {
            return Ok(stand_in(text.split([' ', '\t']).next().unwrap_or("")));
        }
        let error = self.report.unread().unwrap_or_else(|| self.parse_error(text, error));
        Err(error.into())
    }

    fn picasso_loop(&self, text: &str) -> Option<u32> {
        let (head, operand) = text.split_once([' ', '\t'])?;
        let (reg, _) = operand::register(trim(operand), &self.cx()).ok()?;
        let known = head.eq_ignore_ascii_case("for") && reg.file == bank::INT && reg.index < 8;
        known.then(|| LOOP << 26 | u32::from(reg.index) << 22)
    }

    fn parse_error(&self, text: &'a str, error: &ParseError) -> Diagnostic {
        let piece = piece(text, error.start, error.end);
        let diagnostic = Diagnostic::error(self.span(piece), error.to_string());
        match &error.cause {
            ParseCause::Mnemonic(name) if super::directive::exists(name) => {
                let advice = Advice::words(format!("directives start with a point: `.{name}`"));
                diagnostic.advise(advice.fix(Fix::before(self.span(piece), ".")))
            }
            ParseCause::Mnemonic(name) => suggest(diagnostic, name, PICA200.mnemonics(PICASSO)),
            ParseCause::Text(_) => match self.exchange(text, piece) {
                Some(advice) => diagnostic.advise(advice),
                None => self.suggest_name(diagnostic, piece),
            },
            ParseCause::Missing(_) if trim(piece).is_empty() => {
                Diagnostic::error(self.span(text), "an operand is missing").help(usage(text))
            }
            ParseCause::Missing(_) | ParseCause::Excess => diagnostic.help(usage(text)),
            _ => diagnostic,
        }
    }

    /// Whether the misplaced operand is a uniform that could stand in front of the other.
    fn exchange(&self, text: &'a str, piece: &str) -> Option<Advice> {
        let (head, operands) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let commutes = ["add", "mul", "dp3", "dp4"].iter().any(|name| head.eq_ignore_ascii_case(name));
        let mut sources = operands.split(',').skip(1).map(trim);
        let (Some(first), Some(second), None) = (sources.next(), sources.next(), sources.next()) else {
            return None;
        };
        let cx = self.cx();
        let file = |operand: &str| {
            let name = operand.split('[').next().unwrap_or(operand);
            operand::register(name, &cx).ok().map(|(reg, _)| reg.file)
        };
        let fits = commutes
            && second == piece
            && file(second) == Some(bank::FLOAT)
            && file(first).is_some_and(|f| f != bank::FLOAT);
        let put = |place: &str, with: &str| Replacement { span: self.span(place), with: with.to_owned() };
        let fix = Fix { edits: vec![put(first, second), put(second, first)] };
        let words = "exchange the two sources: the first one can be a uniform";
        fits.then(|| Advice::words(words).fix(fix))
    }

    /// A name like one that there is not.
    fn suggest_name(&self, diagnostic: Diagnostic, name: &str) -> Diagnostic {
        let unknown =
            is_identifier(name) && !looks_like_register(name) && self.file.names.lookup(name).is_none();
        if unknown { suggest(diagnostic, name, self.file.names.all()) } else { diagnostic }
    }

    fn remark(&mut self, text: &'a str, remark: &Fault) {
        let span = self.span(piece(text, remark.start, remark.end));
        self.report.add(Diagnostic::warning(span, remark.why));
    }

    /// A register as directives name it.
    pub(super) fn register(&mut self, text: &'a str) -> Outcome<Reg> {
        match operand::register(text, &self.cx()) {
            Ok((reg, remarks)) => {
                for remark in &remarks {
                    self.remark(text, remark);
                }
                Ok(reg)
            }
            Err(fault) => {
                let piece = piece(text, fault.start, fault.end);
                let error = Diagnostic::error(self.span(piece), fault.why);
                Err(self.suggest_name(error, piece).into())
            }
        }
    }
}

/// A piece of a text by byte offsets, which may lie badly.
fn piece(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or(text)
}

fn suggest<'n>(diagnostic: Diagnostic, word: &str, names: impl Iterator<Item = &'n str>) -> Diagnostic {
    match did_you_mean(word, names.take(2000)) {
        Some(near) => diagnostic.meant(near),
        None => diagnostic,
    }
}

/// How the instruction that a text begins with is written.
fn usage(text: &str) -> String {
    let head = text.split([' ', '\t']).next().unwrap_or(text).to_ascii_lowercase();
    let named =
        |name: &str, aliases: &[(u8, &str)]| name == head || aliases.contains(&(PICASSO, head.as_str()));
    let form = PICA200.forms.iter().find(|form| named(form.operation.name, form.operation.aliases));
    let Some(form) = form else { return String::from("see the instruction's operands") };
    let templates = form.format.syntax;
    let template = templates.get(usize::from(PICASSO)).or(templates.first()).copied().unwrap_or("{op}");
    let syntax = template.replace("{op}", &head).replace(['{', '}'], "");
    format!("it is written `{syntax}`")
}

/// What stands for an instruction that could not be read.
fn stand_in(head: &str) -> u32 {
    let is = |name: &str| head.eq_ignore_ascii_case(name);
    match head {
        _ if is("for") => LOOP << 26,
        _ if is("ifu") => 0x27 << 26,
        _ if is("ifc") => 0x28 << 26,
        _ => NOP,
    }
}

/// The number in the DST field, outputs from 0, of instructions that have one.
fn destination(word: u32) -> Option<u16> {
    let field = match word >> 26 {
        0x12 | 0x20..=0x2f => return None,
        0x30.. => word >> 24,
        _ => word >> 21,
    };
    Some((field & 0x1f) as u16).filter(|number| *number < NARROW)
}

/// Whether an operand is `o7` or above by its name.
fn names_high_output(operand: &str) -> bool {
    let digits = operand.trim_start_matches('-').strip_prefix('o');
    let number = digits.filter(|d| d.starts_with(|c: char| c.is_ascii_digit()));
    number.and_then(|d| super::number::c_integer(d, 0)).is_some_and(|(n, _)| n >= i64::from(GEOMETRY_OUTPUTS))
}

fn no_descriptor(full: Full, span: Span) -> Box<Diagnostic> {
    let most = descriptor::ENTRIES;
    let error = match full {
        Full::Table => Diagnostic::error(span, "there is no operand descriptor left for this instruction")
            .label(format!("{most} of {most} are used"))
            .help("let more instructions share swizzles, signs and write masks"),
        Full::Mad => Diagnostic::error(span, "there is no operand descriptor left that `mad` can reach")
            .label("all of the first 32 are used by other `mad`")
            .help("let `mad` instructions share swizzles, or write some as `mul` and `add`"),
        Full::Chosen => Diagnostic::error(span, "this is not the operand descriptor asked for"),
    };
    error.into()
}
