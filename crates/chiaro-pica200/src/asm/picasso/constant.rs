//! Constants that are loaded with the program: `.constf`, `.consti`, `.constfa`,
//! `.setf`, `.seti`, `.setb`.

use super::Assembler;
use super::block::{Array, Block, Kind};
use super::names::{self, plain};
use super::number;
use super::source::{Args, trim};
use super::uniform::Bank;
use crate::asm::report::Outcome;
use crate::container::Constant;
use crate::operand::arithmetic::calculate;
use chiaro_diag::{Advice, Diagnostic, Fix};

/// Entries that a file may have. [picasso]
const MOST: usize = 96;

impl<'a> Assembler<'a> {
    /// `.constf name(x, y, z, w)` and `.consti`.
    pub(super) fn constant(&mut self, args: &mut Args<'a>, bank: Bank) -> Outcome {
        let own_space = self.unit().has_own_space();
        let (name, words) = self.named_vector(args, bank)?;
        self.check_unused(name)?;
        self.warn_of_odd_name(name);
        let room = self.spaces.room(own_space, bank);
        let Some(register) = self.spaces.constant(own_space, bank, 1) else {
            return Err(self.no_room(name, bank, 1, room));
        };
        self.add_constant(name, bank, register, words)?;
        let span = self.span(name);
        self.define(name, plain(bank.file(), register), span);
        Ok(())
    }

    /// `.setf register(x, y, z, w)` and `.seti`.
    pub(super) fn set_vector(&mut self, args: &mut Args<'a>, bank: Bank) -> Outcome {
        self.unit();
        let (name, words) = self.named_vector(args, bank)?;
        let register = self.register_of(name, bank)?;
        self.warn_of_second_value(name, bank, register);
        self.add_constant(name, bank, register, words)
    }

    /// `.setb register value`.
    pub(super) fn set_bool(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        let name = self.word(args)?;
        let text = self.word(args)?;
        self.no_more(args)?;
        let register = self.register_of(name, Bank::Bool)?;
        let value = match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => 1,
            "false" | "off" | "0" => 0,
            _ => {
                let span = self.span(text);
                let fix = |value| Fix::replace(span, value);
                let advice = Advice::words("write `true` or `false`").fix(fix("true")).fix(fix("false"));
                let message = format!("`{text}` is not a boolean");
                return Err(Diagnostic::error(span, message).advise(advice).into());
            }
        };
        self.warn_of_second_value(name, Bank::Bool, register);
        self.add_constant(name, Bank::Bool, register, [value, 0, 0, 0])
    }

    /// `.constfa name[]`, or within that block `.constfa (x, y, z, w)`.
    pub(super) fn constant_array(&mut self, args: &mut Args<'a>) -> Outcome {
        let inside = match self.file.blocks.last().map(|block| &block.kind) {
            Some(Kind::Array(array)) => !array.broken || trim(args.rest()).starts_with('('),
            _ => false,
        };
        if inside {
            return self.array_element(args);
        }
        self.drop_broken_array();
        let opened = self.line_span();
        let (array, outcome) = match self.start_array(args) {
            Ok(array) => (array, Ok(())),
            Err(error) => {
                (Array { name: "", declared: None, elements: Vec::new(), broken: true }, Err(error))
            }
        };
        self.open(Kind::Array(array), self.code.len(), opened);
        outcome
    }

    /// Closes an array whose beginning was reported, where something else begins.
    pub(super) fn drop_broken_array(&mut self) {
        if self.file.blocks.last().is_some_and(Block::is_broken) {
            self.file.blocks.pop();
        }
    }

    fn start_array(&mut self, args: &mut Args<'a>) -> Outcome<Array<'a>> {
        let text = self.argument(args)?;
        self.no_more(args)?;
        let Some((name, rest)) = text.split_once('[') else {
            return Err(Diagnostic::error(self.span(text), "an array needs brackets")
                .help("write `.constfa name[]`")
                .into());
        };
        let Some((size, garbage)) = rest.split_once(']') else {
            return Err(Diagnostic::error(self.span(text), "the bracket is not closed")
                .help("write `.constfa name[]`")
                .into());
        };
        if !trim(garbage).is_empty() {
            return Err(
                Diagnostic::error(self.span(trim(garbage)), "there is something behind the bracket").into()
            );
        }
        let size = trim(size);
        let declared = if size.is_empty() { None } else { Some(self.array_size(size)?) };
        self.check_identifier(name, "array")?;
        Ok(Array { name, declared, elements: Vec::new(), broken: false })
    }

    fn array_element(&mut self, args: &mut Args<'a>) -> Outcome {
        let text = trim(args.rest());
        let Some(inner) = text.strip_prefix('(') else {
            let missing = text.split(',').count() < 4;
            let message =
                if missing { "an element is missing" } else { "an element starts with a parenthesis" };
            return Err(Diagnostic::error(self.line_span(), message)
                .help("write `.constfa (x, y, z, w)`")
                .into());
        };
        let words = self.vector(&mut Args::new(inner), Bank::Float)?;
        let span = self.line_span();
        let Some(Kind::Array(array)) = self.file.blocks.last_mut().map(|block| &mut block.kind) else {
            return Ok(());
        };
        if array.declared.is_some_and(|most| array.elements.len() >= most as usize) {
            let message =
                format!("array `{}` is full: {} elements were declared", array.name, array.elements.len());
            return Err(Diagnostic::error(span, message)
                .help("declare more elements, or write `[]` for as many as there are")
                .into());
        }
        array.elements.push(words);
        Ok(())
    }

    /// The `.end` of an array: its registers, ascending, missing elements 0.
    pub(super) fn end_array(&mut self, array: Array<'a>) -> Outcome {
        if array.broken {
            return Ok(());
        }
        let own_space = self.unit().has_own_space();
        let name = array.name;
        self.check_unused(name)?;
        let size = array.declared.unwrap_or(0).max(array.elements.len() as u32);
        if size == 0 {
            return Err(Diagnostic::error(self.line_span(), format!("array `{name}` has no elements"))
                .help("write `.constfa (x, y, z, w)` lines in front of the `.end`")
                .into());
        }
        let room = self.spaces.room(own_space, Bank::Float);
        let Some(first) = self.spaces.constant(own_space, Bank::Float, size) else {
            let mut error = self.no_room(name, Bank::Float, size, room);
            error.span = Some(self.line_span());
            return Err(error);
        };
        for i in 0..size as usize {
            let words = array.elements.get(i).copied().unwrap_or_default();
            self.add_constant(name, Bank::Float, first + i as u16, words)?;
        }
        let span = self.span(name);
        self.define(name, names::array(Bank::Float.file(), first, size), span);
        Ok(())
    }

    fn no_room(&self, name: &str, bank: Bank, size: u32, room: u16) -> Box<Diagnostic> {
        let letter = bank.letter();
        Diagnostic::error(self.span(name), format!("there is no room for constant `{name}`"))
            .label(format!("{size} `{letter}` registers wanted, {room} of {} free", bank.count()))
            .note("constants grow downward until they meet the uniforms")
            .into()
    }

    fn add_constant(&mut self, name: &str, bank: Bank, register: u16, words: [u32; 4]) -> Outcome {
        let span = self.span(name);
        let constants = &mut self.unit().constants;
        if constants.len() >= MOST {
            let message = format!("a file has at most {MOST} constants, this is one more");
            return Err(Diagnostic::error(span, message).into());
        }
        constants.push(Constant { kind: bank.kind(), register, words });
        Ok(())
    }

    /// The register that a constant is for, which must be of the right bank.
    fn register_of(&mut self, name: &'a str, bank: Bank) -> Outcome<u16> {
        let reg = self.register(name)?;
        if reg.file != bank.file() || reg.index >= bank.count() {
            let (letter, last) = (bank.letter(), bank.count() - 1);
            let what = bank.what();
            return Err(Diagnostic::error(self.span(name), format!("`{name}` is no {what}"))
                .help(format!("name one of the registers {letter}0..{letter}{last}"))
                .into());
        }
        Ok(reg.index)
    }

    fn warn_of_second_value(&mut self, name: &str, bank: Bank, register: u16) {
        let again = self.unit().constants.iter().any(|c| c.kind == bank.kind() && c.register == register);
        if again && self.strict() {
            let message = format!("{}{register} has a constant value already", bank.letter());
            self.warn(name, message, "picasso writes both into the file; the loader takes the last");
        }
    }

    fn warn_of_odd_name(&mut self, name: &str) {
        if self.strict() && self.check_identifier(name, "constant").is_err() {
            let note =
                "picasso does not look at the names of constants; nothing but their use in operands works";
            self.warn(name, format!("`{name}` is not an identifier"), note);
        }
    }

    /// `name(x, y, z, w)`.
    fn named_vector(&mut self, args: &mut Args<'a>, bank: Bank) -> Outcome<(&'a str, [u32; 4])> {
        let name = args.until('(').ok_or_else(|| self.missing())?;
        match self.vector(args, bank) {
            Ok(words) => Ok((name, words)),
            Err(error) => {
                self.poison(name);
                Err(error)
            }
        }
    }

    /// `x, y, z, w)`: four values as a constant entry holds them.
    fn vector(&mut self, args: &mut Args<'a>, bank: Bank) -> Outcome<[u32; 4]> {
        let mut texts = [""; 4];
        for text in &mut texts[..3] {
            *text = args.until(',').ok_or_else(|| self.missing())?;
        }
        let last = args.rest();
        // What follows the closing parenthesis is nothing to picasso.
        let close = if self.strict() { last.rfind(')') } else { last.find(')') };
        let Some(close) = close else {
            return Err(Diagnostic::error(self.line_span(), "four values in parentheses are needed")
                .help("write `(x, y, z, w)`")
                .into());
        };
        texts[3] = trim(&last[..close]);
        self.nothing_behind(&last[close + 1..])?;
        let mut words = [0; 4];
        for (i, text) in texts.into_iter().enumerate() {
            let read = match bank {
                Bank::Float => self.float(text).map(|raw| words[i] = raw),
                _ => self.byte(text).map(|byte| words[0] |= u32::from(byte) << (8 * i)),
            };
            self.report.take(read);
        }
        Ok(words)
    }

    /// A component of a float vector, as float24.
    fn float(&mut self, text: &'a str) -> Outcome<u32> {
        let (read, length) = number::c_float(text);
        if !self.strict() {
            return Ok(chiaro_num::picasso_f24(read as f32));
        }
        let value = match calculate(text) {
            _ if length == text.len() && length != 0 => read,
            Ok(value) => {
                self.warn(
                    text,
                    format!("this is {value}"),
                    format!("picasso does not calculate: it reads {read} here"),
                );
                value
            }
            Err(at) => return Err(self.not_a_number(text, at, read)),
        };
        let raw = number::float24(value as f32);
        match raw & 0x7f_ffff {
            0 if value != 0.0 => {
                self.warn_of_lost(text, value, "this is too small for a float24 and becomes 0");
            }
            0x7f_0000 if value.is_finite() => {
                self.warn_of_lost(text, value, "this is too large for a float24 and becomes infinite");
            }
            0x7f_8000 => self.warn_of_lost(text, value, "this becomes a float24 NaN"),
            _ => {}
        }
        Ok(raw)
    }

    /// A value that float24 does not hold, and what picasso makes of it.
    fn warn_of_lost(&mut self, text: &str, value: f64, message: &str) {
        let (ours, theirs) = (number::float24(value as f32), chiaro_num::picasso_f24(value as f32));
        let mut warning = Diagnostic::warning(self.span(text), message);
        if ours != theirs {
            let meaning = chiaro_num::F24.decode(theirs);
            warning = warning.note(format!("picasso would write 0x{theirs:06x}, which is {meaning:e}"));
        }
        self.report.add(warning);
    }

    /// A component of an integer vector.
    fn byte(&mut self, text: &'a str) -> Outcome<u8> {
        if !self.strict() {
            return Ok(chiaro_num::atoi(text) as u8);
        }
        let value = self.integer(text)?;
        u8::try_from(value).map_err(|_| {
            let theirs = chiaro_num::atoi(text) as u8;
            Diagnostic::error(self.span(text), format!("{value} is not in 0..255"))
                .note(format!("picasso would write {theirs}"))
                .help("components of integer registers are unsigned bytes")
                .into()
        })
    }

    /// A whole number, calculated if need be, and a warning where C's `atoi` differs.
    pub(super) fn integer(&mut self, text: &'a str) -> Outcome<i64> {
        let theirs = chiaro_num::atoi(text);
        let value =
            calculate(trim(text)).map_err(|at| self.not_a_number(trim(text), at, f64::from(theirs)))?;
        let whole = value as i64;
        if whole as f64 != value || whole.unsigned_abs() > 1 << 52 {
            return Err(Diagnostic::error(self.span(trim(text)), "a whole number is needed")
                .note(format!("picasso reads {theirs} here"))
                .into());
        }
        if whole != i64::from(theirs) {
            self.warn(trim(text), format!("this is {whole}"), format!("picasso reads {theirs} here"));
        }
        Ok(whole)
    }

    fn not_a_number(&self, text: &str, at: usize, theirs: f64) -> Box<Diagnostic> {
        let rest = text.get(at..).filter(|rest| !rest.is_empty()).unwrap_or(text);
        Diagnostic::error(self.span(rest), format!("`{text}` is not a number"))
            .label("not understood")
            .note(format!("picasso would read {theirs} and ignore the rest"))
            .into()
    }
}
