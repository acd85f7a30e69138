//! Names for registers, and the tables of the container that they fill.

use super::lex::Name;
use super::number::{Fit, Number, fit, float24, float24_as_tool};
use super::register::{builtin, place};
use super::statement::{Alias, MNEMONICS, Meaning, Swizzle};
use crate::asm::report::{Outcome, Report};
use crate::container::{Constant, ConstantValue, Dvle, Output, UniformRegister};
use crate::regs::bank;
use chiaro_diag::{Diagnostic, Span, did_you_mean};
use std::collections::HashMap;

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) struct Meant {
    /// nihstro's register number.
    pub(super) number: i32,
    pub(super) swizzle: Swizzle,
    span: Option<Span>,
}

/// The names of a program, labels excepted.
pub(super) struct Names<'a> {
    /// Whether nihstro's rules hold.
    pub(super) tool: bool,
    aliases: HashMap<&'a str, Meant>,
    /// Names in the symbol table: labels, and aliases with a uniform entry.
    symbols: HashMap<&'a str, Span>,
}

impl<'a> Names<'a> {
    pub(super) fn new(tool: bool) -> Names<'a> {
        Names { tool, aliases: HashMap::new(), symbols: HashMap::new() }
    }

    /// Enters a label; the place of an earlier one of this name, if there is one.
    pub(super) fn enter_label(&mut self, name: Name<'a>) -> Result<(), Span> {
        match self.symbols.get(name.text) {
            Some(earlier) => Err(*earlier),
            None => {
                self.symbols.insert(name.text, name.span);
                Ok(())
            }
        }
    }

    /// The register behind a name.
    pub(super) fn look_up(&self, name: Name<'_>) -> Outcome<Meant> {
        if let Some(number) = builtin(name.text, self.tool) {
            return Ok(Meant { number, swizzle: Swizzle::FULL, span: None });
        }
        if let Some(meant) = self.aliases.get(name.text) {
            return Ok(*meant);
        }
        let mut error =
            Diagnostic::error(name.span, format!("there is no register or alias `{}`", name.text));
        if self.symbols.contains_key(name.text) {
            error = error.note("this is a label");
        } else if let Some(near) = self.nearest(name.text) {
            error = error.meant(near);
        }
        Err(Box::new(error))
    }

    /// The alias that was most likely meant, the same one in every run.
    fn nearest(&self, name: &str) -> Option<&str> {
        let mut known: Vec<&str> = self.aliases.keys().copied().collect();
        known.sort_unstable();
        did_you_mean(name, known)
    }

    /// What a swizzle selects from what an earlier one left.
    pub(super) fn select(&self, inner: Swizzle, outer: Swizzle, span: Span) -> Outcome<Swizzle> {
        let has = |component: u8| match self.tool {
            // nihstro compares letters, those of unused places included.
            true => inner.letters.contains(&component),
            false => component < inner.count,
        };
        let asked = if self.tool { &outer.letters[..] } else { outer.used() };
        if let Some(&missing) = asked.iter().find(|&&component| !has(component)) {
            let letter = char::from(b"xyzw"[usize::from(missing & 3)]);
            let message = format!("there is no component {letter} in a vector of {} components", inner.count);
            return Err(Box::new(Diagnostic::error(span, message)));
        }
        let mut letters = [0; 4];
        for (letter, &component) in letters.iter_mut().zip(outer.used()) {
            *letter = inner.letters[usize::from(component & 3)];
        }
        Ok(Swizzle { letters, count: outer.count })
    }
}

/// Enters a declaration into the names and the tables.
pub(super) fn declare<'a>(
    alias: &Alias<'a>,
    names: &mut Names<'a>,
    dvle: &mut Dvle,
    report: &mut Report,
) -> Outcome {
    let mut declaration = Declaration { alias, names, dvle, report };
    declaration.check_name()?;
    let meant = declaration.meant()?;
    let outcome = match &alias.meaning {
        Some(Meaning::Constant(values)) => declaration.constant(meant, values),
        Some(Meaning::Property(kind)) => declaration.output(meant, *kind),
        None => declaration.uniform(meant),
    };
    // Also after a mistake, which shall not cause others. nihstro keeps the first meaning
    // of a name that it lets pass twice.
    names.aliases.entry(alias.name.text).or_insert(meant);
    outcome
}

struct Declaration<'d, 'a> {
    alias: &'d Alias<'a>,
    names: &'d mut Names<'a>,
    dvle: &'d mut Dvle,
    report: &'d mut Report,
}

fn fail<T>(span: Span, message: impl Into<String>) -> Outcome<T> {
    Err(Box::new(Diagnostic::error(span, message)))
}

impl Declaration<'_, '_> {
    fn check_name(&mut self) -> Outcome {
        let Name { text, span } = self.alias.name;
        if let Some(&earlier) = self.names.symbols.get(text) {
            let error = Diagnostic::error(span, format!("`{text}` has a meaning already"));
            return Err(Box::new(error.related(earlier, "given here")));
        }
        if self.names.tool {
            return Ok(());
        }
        let earlier = self.names.aliases.get(text);
        if earlier.is_some() || builtin(text, false).is_some() {
            let error = Diagnostic::error(span, format!("`{text}` has a meaning already"))
                .note("nihstro takes the declaration, but the name keeps its first meaning");
            let place = earlier.and_then(|meant| meant.span);
            return Err(Box::new(match place {
                Some(place) => error.related(place, "given here"),
                None => error,
            }));
        }
        self.warn_of_reserved(text, span);
        Ok(())
    }

    fn warn_of_reserved(&mut self, text: &str, span: Span) {
        let instruction = MNEMONICS.iter().any(|m| m.name.eq_ignore_ascii_case(text));
        if instruction || ["gl_", "dmp_", "_"].iter().any(|prefix| text.starts_with(prefix)) {
            let message = format!("`{text}` is a reserved name");
            let why = "the language reserves mnemonics and names that start with `gl_`, `dmp_` or `_`";
            self.report.add(Diagnostic::warning(span, message).note(why));
        }
    }

    /// The register with the alias's own swizzle.
    fn meant(&self) -> Outcome<Meant> {
        let alias = self.alias;
        let first = self.names.look_up(alias.first)?;
        let swizzle = match alias.swizzle {
            // nihstro forgets the swizzle of an alias that is aliased again.
            Some((swizzle, _)) if self.names.tool => swizzle,
            None if self.names.tool => Swizzle::FULL,
            Some((swizzle, span)) => self.names.select(first.swizzle, swizzle, span)?,
            None => first.swizzle,
        };
        self.check_range(first)?;
        Ok(Meant { number: first.number, swizzle, span: Some(alias.name.span) })
    }

    fn check_range(&self, first: Meant) -> Outcome {
        let Some(last) = self.alias.last else { return Ok(()) };
        let span = self.alias.span;
        let number = self.names.look_up(last)?.number;
        if place(number).map(|p| p.0) != place(first.number).map(|p| p.0) {
            return fail(span, "the registers of an array are of one bank");
        }
        let several = self.alias.first.text != last.text;
        if several && self.alias.swizzle.is_some() {
            return fail(span, "an array has no swizzle of its own");
        }
        if number < first.number && !self.names.tool {
            let note = "nihstro writes such an entry, which no loader can use";
            let error = Diagnostic::error(span, "the last register of the array is before the first");
            return Err(Box::new(error.note(note)));
        }
        if several && self.alias.meaning.is_some() {
            return fail(span, "only a plain alias can be an array");
        }
        Ok(())
    }

    fn constant(&mut self, meant: Meant, values: &[Number]) -> Outcome {
        let span = self.alias.span;
        if let Some((_, span)) = self.alias.swizzle {
            return fail(span, "a constant is given for the whole register");
        }
        let (file, index) = place(meant.number).unwrap_or((bank::FLAG, 0));
        let needed = if file == bank::BOOL { 1 } else { 4 };
        if values.len() != needed {
            let noun = if needed == 1 { "number is" } else { "numbers are" };
            let message = format!("{needed} {noun} needed here, not {}", values.len());
            return fail(values.first().map_or(span, |value| value.span), message);
        }
        let value = match (file, values) {
            (bank::FLOAT, &[x, y, z, w]) => Some(ConstantValue::Float(self.floats([x, y, z, w])?)),
            (bank::INT, &[x, y, z, w]) => Some(ConstantValue::Int(self.bytes([x, y, z, w])?)),
            (bank::BOOL, &[value]) => Some(ConstantValue::Bool(self.whole(value, 1)? != 0)),
            _ if self.names.tool => None,
            _ => return fail(span, "only uniforms (c, i and b) can have a value"),
        };
        let register = index as u16 & 0xff;
        // For other registers nihstro writes a boolean that is false.
        let value = value.unwrap_or(ConstantValue::Bool(false));
        self.dvle.constants.push(Constant::new(register, value));
        Ok(())
    }

    fn floats(&mut self, values: [Number; 4]) -> Outcome<[u32; 4]> {
        if self.names.tool {
            return Ok(values.map(|number| float24_as_tool(number.value)));
        }
        for number in values {
            self.check_float(number)?;
        }
        Ok(values.map(|number| float24(number.value)))
    }

    fn check_float(&mut self, number: Number) -> Outcome {
        let Number { value, span } = number;
        match fit(value) {
            Fit::TooLarge => {
                let error = Diagnostic::error(span, "this is too large for a float24, which ends below 2^64");
                Err(Box::new(error.note("nihstro would write another number")))
            }
            Fit::TooSmall => {
                let warning = Diagnostic::warning(span, "this is too small for a float24; zero is written");
                self.report
                    .add(warning.note("numbers start at 2^-62; nihstro would write some of them as others"));
                Ok(())
            }
            Fit::Yes => {
                if !value.is_finite() {
                    let remark = Diagnostic::remark(span, "nihstro would write a finite number here");
                    self.report.add(remark);
                }
                Ok(())
            }
        }
    }

    fn bytes(&self, values: [Number; 4]) -> Outcome<[u8; 4]> {
        let mut bytes = [0; 4];
        for (byte, value) in bytes.iter_mut().zip(values) {
            *byte = self.whole(value, 255)?;
        }
        Ok(bytes)
    }

    /// A whole number from 0 to `most`; nihstro drops fractions.
    fn whole(&self, number: Number, most: u8) -> Outcome<u8> {
        let Number { value, span } = number;
        let whole = value.trunc();
        if !(0.0..=f32::from(most)).contains(&whole) {
            return fail(span, format!("this is a number from 0 to {most}"));
        }
        if whole != value && !self.names.tool {
            let error = Diagnostic::error(span, "this is a whole number");
            return Err(Box::new(error.note("nihstro would drop the fraction")));
        }
        Ok(whole as u8)
    }

    fn output(&mut self, meant: Meant, kind: u16) -> Outcome {
        let span = self.alias.span;
        let Some((bank::OUTPUT, index)) = place(meant.number) else {
            return fail(span, "only outputs (o) have properties");
        };
        let mut mask = 0;
        for &component in meant.swizzle.used() {
            let bit = 1 << component;
            if mask >= bit {
                return fail(
                    span,
                    "the components of an output are given in the order x, y, z, w, each once",
                );
            }
            mask |= bit;
        }
        self.dvle.outputs.push(Output { kind, register: index as u16, mask, unknown: 0 });
        Ok(())
    }

    /// An alias without a meaning: an entry of the uniform table where there is one for
    /// the bank.
    fn uniform(&mut self, meant: Meant) -> Outcome {
        let span = self.alias.span;
        let (file, first) = place(meant.number).unwrap_or((bank::FLAG, 0));
        let register: fn(u8) -> UniformRegister = match file {
            bank::INPUT => UniformRegister::Input,
            bank::FLOAT => UniformRegister::Float,
            bank::INT => UniformRegister::Int,
            bank::BOOL => UniformRegister::Bool,
            bank::OUTPUT => {
                let error = Diagnostic::error(span, "an alias of an output says what the output is for");
                return Err(Box::new(error.help("write `as position`, `as color`, ... behind the register")));
            }
            _ if self.names.tool => return fail(span, "registers of this kind have no aliases"),
            _ => return Ok(()),
        };
        let last = match self.alias.last {
            Some(last) => place(self.names.look_up(last)?.number).map_or(first, |p| p.1),
            None => first,
        };
        let name = self.dvle.add_symbol(self.alias.name.text);
        let number = |index: i32| register(index as u8).number();
        self.dvle.uniforms.push(crate::container::Uniform { name, first: number(first), last: number(last) });
        self.names.symbols.insert(self.alias.name.text, self.alias.name.span);
        Ok(())
    }
}
