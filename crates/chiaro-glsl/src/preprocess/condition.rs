//! `#if` and its family.

use crate::preprocess::item::Group;
use chiaro_diag::{Diagnostic, Span, did_you_mean};

use super::item::{Item, What};
use super::limits;
use super::preprocessor::Preprocessor;
use super::reader::Reader;
use crate::lex::Lexeme;
use crate::number;
use crate::token::{Kind, Symbol};

impl Preprocessor<'_> {
    /// `#if`, `#ifdef`, `#ifndef`: reads on in the group, or behind what is to be skipped.
    pub(super) fn open_group(&mut self, reader: &mut Reader, directive: &str, span: Span) {
        let taken = match directive {
            "if" => self.condition(reader, span),
            _ => match self.macro_name(reader, directive) {
                Some((name, _)) => {
                    self.nothing_more(reader, directive);
                    self.macros.is_defined(name) == (directive == "ifdef")
                }
                None => false,
            },
        };
        reader.groups.push(Group { span, taken, otherwise: None });
        if !taken {
            self.skip_group(reader);
        }
    }

    /// `#elif`, `#else` behind a group that was read: everything to `#endif` is skipped.
    pub(super) fn next_branch(&mut self, reader: &mut Reader, directive: &str, span: Span) {
        if reader.groups.is_empty() {
            self.report(Diagnostic::error(span, format!("`#{directive}` without `#if`")));
            self.skip_line(reader, Lexeme::Other);
            return;
        }
        if directive == "else" {
            self.nothing_more(reader, directive);
        } else {
            self.skip_line(reader, Lexeme::Other);
        }
        self.judge_branch(reader, directive, span);
        self.skip_group(reader);
    }

    /// `#endif`.
    pub(super) fn close_group(&mut self, reader: &mut Reader, span: Span) {
        self.nothing_more(reader, "endif");
        if reader.groups.pop().is_none() {
            self.report(Diagnostic::error(span, "`#endif` without `#if`"));
        }
    }

    /// `#else` comes once, and nothing but `#endif` behind it.
    fn judge_branch(&mut self, reader: &mut Reader, directive: &str, span: Span) {
        let Some(group) = reader.groups.last_mut() else { return };
        let before = group.otherwise;
        if directive == "else" {
            group.otherwise = Some(span);
        }
        if let Some(before) = before {
            let message = format!("`#{directive}` behind `#else`");
            self.report(Diagnostic::error(span, message).related(before, "`#else` is here"));
        }
    }

    /// Skips to the branch that is to be read next, or behind `#endif`.
    fn skip_group(&mut self, reader: &mut Reader) {
        let mut depth = 0u32;
        while let Some((start, directive)) = next_directive(reader) {
            let span = reader.place(start, reader.lexer.at);
            match directive {
                Skipped::Open => depth += 1,
                Skipped::Close if depth > 0 => depth -= 1,
                Skipped::Close => return self.close_group(reader, span),
                Skipped::Else if depth == 0 => {
                    self.nothing_more(reader, "else");
                    self.judge_branch(reader, "else", span);
                    if self.take_branch(reader, |_, _| true) {
                        return;
                    }
                }
                Skipped::Elif if depth == 0 => {
                    self.judge_branch(reader, "elif", span);
                    if self.take_branch(reader, |run, reader| run.condition(reader, span)) {
                        return;
                    }
                }
                Skipped::Else | Skipped::Elif => {}
            }
        }
    }

    /// Takes a branch if none was taken and its condition is true, which is asked only then.
    fn take_branch(
        &mut self,
        reader: &mut Reader,
        condition: impl FnOnce(&mut Self, &mut Reader) -> bool,
    ) -> bool {
        let open = reader.groups.last().is_some_and(|group| !group.taken);
        let take = open && condition(self, reader);
        if let Some(group) = reader.groups.last_mut() {
            group.taken |= take;
        }
        take
    }

    /// The expression behind `#if`; false where it is wrong.
    fn condition(&mut self, reader: &mut Reader, directive: Span) -> bool {
        let items = self.line_items(reader);
        let items = self.replace_defined(items);
        let items = self.expand_list(items);
        let end = items.last().map_or(directive, |item| item.used);
        let mut evaluation = Evaluation { run: self, items: &items, at: 0, end, depth: 0 };
        evaluation.whole().is_some_and(|value| value != 0)
    }

    /// Everything to the end of the line.
    pub(super) fn line_items(&mut self, reader: &mut Reader) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            let lexeme = reader.lexer.next();
            match self.item_of(reader, lexeme) {
                Some(item) => items.push(item),
                None => {
                    self.skip_line(reader, lexeme);
                    return items;
                }
            }
        }
    }

    /// `defined NAME` and `defined(NAME)` become 0 or 1, before names are expanded.
    fn replace_defined(&mut self, items: Vec<Item>) -> Vec<Item> {
        let defined = What::Word(self.macros.defined);
        let mut replaced = Vec::with_capacity(items.len());
        let mut rest = items.as_slice();
        while let [first, behind @ ..] = rest {
            rest = behind;
            if first.what != defined {
                replaced.push(*first);
                continue;
            }
            match operand_of_defined(behind) {
                Some((name, length)) => {
                    let value = u32::from(self.macros.is_defined(name));
                    replaced.push(Item { what: What::Value(value), ..*first });
                    rest = &behind[length..];
                }
                None => {
                    let message = "`defined` needs a name, in parentheses or without";
                    self.report(Diagnostic::error(first.used, message));
                    replaced.push(Item { what: What::Value(0), ..*first });
                    rest = &[];
                }
            }
        }
        replaced
    }
}

/// The name behind `defined`, and how many tokens it takes.
fn operand_of_defined(items: &[Item]) -> Option<(Symbol, usize)> {
    match items {
        [Item { what: What::Word(name), .. }, ..] => Some((*name, 1)),
        [open, Item { what: What::Word(name), .. }, close, ..]
            if open.what == What::Punct([b'(', 0, 0]) && close.what == What::Punct([b')', 0, 0]) =>
        {
            Some((*name, 3))
        }
        _ => None,
    }
}

/// Directives that matter in a group that is skipped.
enum Skipped {
    Open,
    Close,
    Else,
    Elif,
}

/// Goes behind the next directive that matters; where its `#` is. `None` at the end.
fn next_directive(reader: &mut Reader) -> Option<(usize, Skipped)> {
    loop {
        match reader.lexer.next() {
            Lexeme::End => return None,
            Lexeme::Newline => reader.line_start = true,
            Lexeme::Punct([b'#', 0, 0]) if reader.line_start => {
                reader.line_start = false;
                let start = reader.lexer.start;
                let before = reader.lexer.clone();
                let directive = match (reader.lexer.next(), reader.slice()) {
                    (Lexeme::Word, "if" | "ifdef" | "ifndef") => Skipped::Open,
                    (Lexeme::Word, "endif") => Skipped::Close,
                    (Lexeme::Word, "else") => Skipped::Else,
                    (Lexeme::Word, "elif") => Skipped::Elif,
                    (Lexeme::Newline | Lexeme::End, _) => {
                        reader.lexer = before;
                        continue;
                    }
                    _ => continue,
                };
                return Some((start, directive));
            }
            _ => reader.line_start = false,
        }
    }
}

/// The value of an expression, by precedence climbing. `None` once something is reported wrong.
struct Evaluation<'a, 'b> {
    run: &'a mut Preprocessor<'b>,
    items: &'a [Item],
    at: usize,
    /// Where to complain if something is missing at the end.
    end: Span,
    depth: u32,
}

impl Evaluation<'_, '_> {
    fn whole(&mut self) -> Option<i64> {
        let value = self.binary(0, true)?;
        match self.items.get(self.at) {
            Some(item) => self.fail(item.used, "expected an operator or the end of the line"),
            None => Some(value),
        }
    }

    /// Operators that bind at least so much. Where `live` is false, the value is not needed: the
    /// other operand of `&&` or `||` has decided.
    fn binary(&mut self, least: u8, live: bool) -> Option<i64> {
        let mut left = self.unary(live)?;
        while let Some((operator, binds)) = self.peek().and_then(operator)
            && binds >= least
        {
            let span = self.items[self.at].used;
            self.at += 1;
            let needed = match operator {
                b"&&\0" => left != 0,
                b"||\0" => left == 0,
                _ => true,
            };
            let right = self.binary(binds + 1, live && needed)?;
            left = match compute(operator, left, right) {
                Some(value) => value,
                None if live => return self.fail(span, "division by zero"),
                None => 0,
            };
        }
        Some(left)
    }

    fn unary(&mut self, live: bool) -> Option<i64> {
        let Some(&item) = self.items.get(self.at) else {
            return self.fail(self.end, "expected a value at the end of the line");
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > limits::CONDITION_DEPTH {
            let message = format!("this expression is nested more than {} deep", limits::CONDITION_DEPTH);
            return self.fail(item.used, &message);
        }
        let value = match item.what {
            What::Value(value) => Some(i64::from(value)),
            What::Number => self.number(&item),
            What::Word(name) | What::Painted(name) => self.name(name, item.used, live),
            What::Punct([b'+', 0, 0]) => self.unary(live),
            What::Punct([b'-', 0, 0]) => self.unary(live).map(i64::wrapping_neg),
            What::Punct([b'!', 0, 0]) => self.unary(live).map(|value| i64::from(value == 0)),
            What::Punct([b'~', 0, 0]) => self.unary(live).map(|value| !value),
            What::Punct([b'(', 0, 0]) => self.parentheses(item.used, live),
            _ => {
                let text = self.run.spelling(&item);
                self.fail(item.used, &format!("expected a value, found `{text}`"))
            }
        };
        self.depth -= 1;
        value
    }

    fn parentheses(&mut self, open: Span, live: bool) -> Option<i64> {
        let value = self.binary(0, live)?;
        if self.peek() != Some([b')', 0, 0]) {
            return self.fail(open, "this `(` has no `)`");
        }
        self.at += 1;
        Some(value)
    }

    fn number(&mut self, item: &Item) -> Option<i64> {
        let text = self.run.spelling(item);
        match number::read(&text) {
            Ok((Kind::Int { value, .. }, _)) => Some(value as i64),
            _ => self.fail(item.used, &format!("`{text}` is no integer, and nothing else may be here")),
        }
    }

    /// A name that is no macro: zero on the desktop, an error in ES where its value is needed.
    fn name(&mut self, name: Symbol, span: Span, live: bool) -> Option<i64> {
        if !self.run.out.version.is_es() || !live {
            return Some(0);
        }
        let text = self.run.symbols.text(name).to_owned();
        let names: Vec<&str> = self.run.macros.names().map(|known| self.run.symbols.text(known)).collect();
        let close = did_you_mean(&text, names).map(|close| format!("did you mean `{close}`?"));
        let mut report = Diagnostic::error(span, format!("`{text}` is not defined"))
            .note("GLSL ES takes only defined names in `#if`; desktop GLSL would take 0");
        report.help.push(close.unwrap_or_else(|| format!("write `defined({text}) && ...`")));
        self.run.report(report);
        None
    }

    fn peek(&self) -> Option<[u8; 3]> {
        match self.items.get(self.at)?.what {
            What::Punct(bytes) => Some(bytes),
            _ => None,
        }
    }

    fn fail(&mut self, span: Span, message: &str) -> Option<i64> {
        // Where expansion was given up, the line is not what was written.
        if self.run.budget > 0 {
            self.run.report(Diagnostic::error(span, message));
        }
        None
    }
}

/// A binary operator, and how tightly it binds.
fn operator(bytes: [u8; 3]) -> Option<(&'static [u8; 3], u8)> {
    const OPERATORS: [(&[u8; 3], u8); 18] = [
        (b"||\0", 1),
        (b"&&\0", 2),
        (b"|\0\0", 3),
        (b"^\0\0", 4),
        (b"&\0\0", 5),
        (b"==\0", 6),
        (b"!=\0", 6),
        (b"<\0\0", 7),
        (b">\0\0", 7),
        (b"<=\0", 7),
        (b">=\0", 7),
        (b"<<\0", 8),
        (b">>\0", 8),
        (b"+\0\0", 9),
        (b"-\0\0", 9),
        (b"*\0\0", 10),
        (b"/\0\0", 10),
        (b"%\0\0", 10),
    ];
    OPERATORS.into_iter().find(|&(known, _)| *known == bytes)
}

/// The value of an operation; `None` for a division by zero.
fn compute(operator: &[u8; 3], a: i64, b: i64) -> Option<i64> {
    Some(match operator {
        b"||\0" => i64::from(a != 0 || b != 0),
        b"&&\0" => i64::from(a != 0 && b != 0),
        b"|\0\0" => a | b,
        b"^\0\0" => a ^ b,
        b"&\0\0" => a & b,
        b"==\0" => i64::from(a == b),
        b"!=\0" => i64::from(a != b),
        b"<\0\0" => i64::from(a < b),
        b">\0\0" => i64::from(a > b),
        b"<=\0" => i64::from(a <= b),
        b">=\0" => i64::from(a >= b),
        b"<<\0" => a.wrapping_shl(b as u32),
        b">>\0" => a.wrapping_shr(b as u32),
        b"+\0\0" => a.wrapping_add(b),
        b"-\0\0" => a.wrapping_sub(b),
        b"*\0\0" => a.wrapping_mul(b),
        b"/\0\0" => return (b != 0).then(|| a.wrapping_div(b)),
        _ => return (b != 0).then(|| a.wrapping_rem(b)),
    })
}
