//! Lines to statements.
//!
//! nihstro reports mistakes in two ways: behind the point where it knows what a statement
//! is, it stops with an error; before it, it takes the line for the end of the program
//! and only warns. Here both are errors, marked by [`Mistake::fatal`], and the assembler
//! decides by its mode.

use super::lex::{Cursor, Line, Name};
use super::number::{Number, number};
use super::statement::*;
use crate::isa::Op;
use chiaro_diag::{Diagnostic, Span, did_you_mean};

/// Why a line is no statement.
pub(super) struct Mistake {
    pub(super) error: Box<Diagnostic>,
    /// Whether nihstro stops here with an error, too.
    pub(super) fatal: bool,
}

type Parsed<T> = Result<T, Mistake>;

/// Reads a line; `None` if nothing is on it. `tool` asks for nihstro's reading.
pub(super) fn statement(line: Line<'_>, tool: bool) -> Option<(Span, Parsed<Statement<'_>>)> {
    let mut parser = Parser { s: Cursor::new(line), tool };
    if parser.s.done() {
        return None;
    }
    let start = parser.s.at();
    let span = line.span(start..line.body().trim_end().len().max(start));
    let statement = parser.statement();
    Some((span, statement))
}

/// The label that a line declares, as far as its colon.
pub(super) fn label(line: Line<'_>) -> Option<Name<'_>> {
    let mut s = Cursor::new(line);
    let name = s.name()?;
    s.eat(":").then_some(name)
}

fn fatal<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Mistake { error: Box::new(Diagnostic::error(span, message)), fatal: true })
}

fn unknown<T>(span: Span, message: impl Into<String>) -> Parsed<T> {
    Err(Mistake { error: Box::new(Diagnostic::error(span, message)), fatal: false })
}

struct Parser<'a> {
    s: Cursor<'a>,
    tool: bool,
}

impl<'a> Parser<'a> {
    fn statement(&mut self) -> Parsed<Statement<'a>> {
        if self.s.eat(".") {
            return self.directive();
        }
        let start = self.s.at();
        let Some(word) = self.s.name() else {
            return unknown(self.s.next_span(), "a statement starts with a name or a dot");
        };
        if self.s.eat(":") {
            self.done("a label stands on a line of its own")?;
            return Ok(Statement::Label);
        }
        let spaced = !self.tool || self.s.line.space_at(start + word.text.len());
        match mnemonic(word.text, self.tool).filter(|_| spaced) {
            Some(kind) => self.instruction(kind),
            None => self.unknown_word(word),
        }
    }

    fn unknown_word(&mut self, word: Name<'a>) -> Parsed<Statement<'a>> {
        let known = MNEMONICS.iter().map(|m| m.name);
        let mut error = Diagnostic::error(word.span, format!("there is no instruction `{}`", word.text));
        if let Some(name) = did_you_mean(&word.text.to_ascii_lowercase(), known) {
            error = error.meant(name);
        }
        let error = error.note("nihstro takes a line that it does not know for the end of the program");
        Err(Mistake { error: Box::new(error), fatal: false })
    }

    fn instruction(&mut self, kind: Kind) -> Parsed<Statement<'a>> {
        let statement = match kind {
            Kind::Plain(op) => Statement::Plain(op),
            Kind::Else => Statement::Else,
            Kind::Endif => Statement::Endif,
            Kind::Endloop => Statement::Endloop,
            Kind::Arithmetic(op, count) => Statement::Arithmetic(op, self.operands(count)?),
            Kind::Compare => Statement::Compare(self.compare()?),
            Kind::Flow(FlowKind::Break) if !self.tool && self.s.done() => Statement::Plain(Op::Break),
            Kind::Flow(kind @ (FlowKind::Jump | FlowKind::Call)) => Statement::Flow(self.transfer(kind)?),
            Kind::Flow(kind) => {
                let condition = Some(self.condition()?);
                Statement::Flow(Flow { kind, target: None, until: None, condition })
            }
            Kind::Setemit => Statement::Setemit(self.setemit()?),
        };
        self.done("this is too much for the statement")?;
        Ok(statement)
    }

    fn done(&mut self, message: &str) -> Parsed<()> {
        if self.s.done() { Ok(()) } else { fatal(self.s.next_span(), message) }
    }

    fn comma(&mut self, next: &str) -> Parsed<()> {
        match self.s.eat(",") {
            true => Ok(()),
            false => fatal(self.s.next_span(), format!("a comma and {next} are missing")),
        }
    }

    fn operands(&mut self, count: u8) -> Parsed<Vec<Expression<'a>>> {
        let mut operands = Vec::with_capacity(usize::from(count));
        for n in 0..count {
            if n > 0 {
                self.comma("another operand")?;
            }
            operands.push(self.expression()?);
        }
        Ok(operands)
    }

    fn expression(&mut self) -> Parsed<Expression<'a>> {
        let start = self.s.at();
        let negative = self.s.eat("-");
        if !negative {
            self.s.eat("+");
        }
        let Some(name) = self.s.name() else {
            return fatal(self.s.next_span(), "the name of a register is missing");
        };
        let index = if self.s.eat("[") { self.index()? } else { Vec::new() };
        let mut swizzles = Vec::new();
        while self.s.eat(".") {
            swizzles.push(self.swizzle()?);
        }
        Ok(Expression { negative, name, index, swizzles, span: self.s.since(start) })
    }

    /// What stands between brackets, and the closing one. In front of all but the first
    /// term is a sign.
    fn index(&mut self) -> Parsed<Vec<Term<'a>>> {
        let mut terms = Vec::new();
        loop {
            let sign = if self.s.eat("+") {
                Some(1)
            } else if self.s.eat("-") {
                Some(-1)
            } else {
                None
            };
            if sign.is_none() && !terms.is_empty() {
                break;
            }
            if sign != Some(-1)
                && let Some(name) = self.s.name()
            {
                terms.push(Term::Register(name));
            } else if let Some(number) = self.s.number() {
                terms.push(Term::Number((number as i32).wrapping_mul(sign.unwrap_or(1))));
            } else if self.s.rest().starts_with(|c: char| c.is_ascii_digit()) {
                return fatal(self.s.next_span(), "this number is too large");
            } else if sign.is_none() {
                break;
            } else {
                return fatal(self.s.next_span(), "a sign needs a number; a register can only be added");
            }
        }
        if !self.s.eat("]") {
            return fatal(self.s.next_span(), "the closing bracket `]` is missing");
        }
        if terms.is_empty() && !self.tool {
            return fatal(self.s.since(self.s.end() - 1), "the index is missing");
        }
        Ok(terms)
    }

    fn swizzle(&mut self) -> Parsed<(Swizzle, Span)> {
        let start = self.s.at();
        let mut swizzle = Swizzle { letters: [0; 4], count: 0 };
        // nihstro takes blanks between the letters.
        while (self.tool || !self.s.next_is_blank())
            && let Some(letter) = b"xyzw".iter().position(|l| self.s.rest().as_bytes().first() == Some(l))
        {
            if swizzle.count == 4 {
                return fatal(self.s.next_span(), "a swizzle has at most four letters");
            }
            swizzle.letters[usize::from(swizzle.count)] = letter as u8;
            swizzle.count += 1;
            self.s.skip(1);
        }
        if swizzle.count == 0 && !self.tool {
            return fatal(self.s.next_span(), "a swizzle has letters of xyzw");
        }
        Ok((swizzle, self.s.since(start)))
    }

    fn compare(&mut self) -> Parsed<Compare<'a>> {
        let first = self.expression()?;
        self.comma("the second operand")?;
        let second = self.expression()?;
        self.comma("a comparison")?;
        let x = self.relation()?;
        self.comma("a second comparison")?;
        Ok(Compare { sources: [first, second], relations: [x, self.relation()?] })
    }

    fn relation(&mut self) -> Parsed<u8> {
        match RELATIONS.iter().find(|(mark, _)| self.s.eat(mark)) {
            Some((_, number)) => Ok(*number),
            None => fatal(self.s.next_span(), "a comparison is one of == != < <= > >="),
        }
    }

    /// `target [until end] [if condition]`
    fn transfer(&mut self, kind: FlowKind) -> Parsed<Flow<'a>> {
        let Some(target) = self.s.name() else {
            return unknown(self.s.next_span(), "the label to go to is missing");
        };
        let mut flow = Flow { kind, target: Some(target), until: None, condition: None };
        let before = self.s;
        if self.keyword("until")? {
            flow.until = self.s.name();
            if flow.until.is_none() {
                return fatal(self.s.next_span(), "the label behind the last word of the call is missing");
            }
        } else {
            self.s = before;
        }
        let before = self.s;
        if self.keyword("if")? {
            flow.condition = Some(self.condition().map_err(|mistake| Mistake { fatal: true, ..mistake })?);
        } else {
            self.s = before;
        }
        Ok(flow)
    }

    /// Takes a word between names; nihstro wants exactly one blank on either side.
    fn keyword(&mut self, word: &str) -> Parsed<bool> {
        if !self.tool {
            return Ok(self.s.eat_word(word));
        }
        let mut ahead = self.s;
        if !ahead.blank() || ahead.next_is_blank() || !ahead.eat(word) {
            return Ok(false);
        }
        if !ahead.blank() {
            return fatal(ahead.next_span(), format!("a blank is missing behind `{word}`"));
        }
        self.s = ahead;
        Ok(true)
    }

    fn condition(&mut self) -> Parsed<Condition<'a>> {
        let start = self.s.at();
        let first = self.test()?;
        let before = self.s;
        let join = [("&&", Join::And), ("||", Join::Or)].into_iter().find(|(mark, _)| self.s.eat(mark));
        let mut condition = Condition { first, second: None, span: self.s.since(start) };
        if let Some((_, join)) = join {
            match self.test() {
                Ok(test) => condition.second = Some((join, test)),
                // nihstro goes on in front of the mark, and finds it too much.
                Err(mistake) => {
                    self.s = before;
                    return Err(Mistake { fatal: true, ..mistake });
                }
            }
            condition.span = self.s.since(start);
        }
        Ok(condition)
    }

    fn test(&mut self) -> Parsed<Test<'a>> {
        let start = self.s.at();
        let inverted = self.s.eat("!");
        let Some(name) = self.s.name() else {
            let message = "a condition is missing: `cc.x`, `cc.y`, `cc.xy` or a boolean uniform";
            return unknown(self.s.next_span(), message);
        };
        let swizzle = if self.s.eat(".") { Some(self.swizzle()?.0) } else { None };
        Ok(Test { inverted, name, swizzle, span: self.s.since(start) })
    }

    fn setemit(&mut self) -> Parsed<Setemit> {
        let start = self.s.at();
        let Some(vertex) = self.s.number() else {
            return unknown(self.s.next_span(), "the vertex slot is missing: 0, 1 or 2");
        };
        let vertex_span = self.s.since(start);
        let mut setemit = Setemit { vertex, vertex_span, primitive: false, inverted: false };
        loop {
            let before = self.s;
            let comma = self.s.eat(",");
            if self.tool && !comma {
                return Ok(setemit);
            }
            if !setemit.primitive && self.flag(["prim", "primitive"]) {
                setemit.primitive = true;
            } else if !setemit.inverted && self.flag(["inv", "invert"]) {
                setemit.inverted = true;
            } else if comma && !self.tool {
                return fatal(self.s.next_span(), "a flag is `prim` or `inv`");
            } else {
                self.s = before;
                return Ok(setemit);
            }
        }
    }

    /// A flag by its names, of which nihstro knows the first.
    fn flag(&mut self, names: [&str; 2]) -> bool {
        self.s.eat_word(names[0]) || !self.tool && self.s.eat_word(names[1])
    }

    fn directive(&mut self) -> Parsed<Statement<'a>> {
        let start = self.s.at();
        let Some(word) = self.s.name() else {
            return fatal(self.s.next_span(), "the name of a directive is missing");
        };
        match word.text {
            "alias" if !self.tool || self.s.next_is_blank() => {
                let alias = self.alias()?;
                self.done("this is too much for an alias")?;
                Ok(Statement::Alias(alias))
            }
            "version" if !self.tool => Ok(Statement::Version),
            text => {
                let mut error =
                    Diagnostic::error(self.s.since(start), format!("there is no directive `.{text}`"));
                if let Some(name) = did_you_mean(text, ["alias", "include", "version"]) {
                    error = error.meant(format!(".{name}"));
                }
                Err(Mistake { error: Box::new(error), fatal: true })
            }
        }
    }

    fn alias(&mut self) -> Parsed<Alias<'a>> {
        let Some(name) = self.s.name() else {
            return fatal(self.s.next_span(), "the new name is missing");
        };
        let start = self.s.at();
        let Some(first) = self.s.name() else {
            return unknown(self.s.next_span(), "the register is missing");
        };
        let last = if self.s.eat("-") { Some(self.last_of_range()?) } else { None };
        let swizzle = if self.s.eat(".") { Some(self.swizzle()?) } else { None };
        let span = self.s.since(start);
        let meaning = if self.eat_as() { Some(self.meaning()?) } else { None };
        Ok(Alias { name, first, last, swizzle, meaning, span })
    }

    fn last_of_range(&mut self) -> Parsed<Name<'a>> {
        match self.s.name() {
            Some(name) => Ok(name),
            None => fatal(self.s.next_span(), "the last register of the array is missing"),
        }
    }

    /// `as`, behind which nihstro wants a blank.
    fn eat_as(&mut self) -> bool {
        if !self.tool {
            return self.s.eat_word("as");
        }
        let mut ahead = self.s;
        let found = ahead.eat("as") && ahead.blank();
        if found {
            self.s = ahead;
        }
        found
    }

    fn meaning(&mut self) -> Parsed<Meaning> {
        if let Some(property) = self.property()? {
            return Ok(Meaning::Property(property));
        }
        if !self.s.eat("(") {
            return Ok(Meaning::Constant(vec![self.value()?]));
        }
        let mut values = vec![self.value()?];
        while self.s.eat(",") {
            values.push(self.value()?);
        }
        if !self.s.eat(")") {
            return fatal(self.s.next_span(), "the closing parenthesis is missing");
        }
        Ok(Meaning::Constant(values))
    }

    fn property(&mut self) -> Parsed<Option<u16>> {
        let mut ahead = self.s;
        let Some(word) = ahead.name().filter(|word| word.text.parse::<f32>().is_err()) else {
            return Ok(None);
        };
        self.s = ahead;
        if let Some((_, kind)) = PROPERTIES.iter().find(|(name, _)| *name == word.text) {
            return Ok(Some(*kind));
        }
        let names = PROPERTIES.map(|(name, _)| name);
        let error = Diagnostic::error(word.span, format!("there is no property `{}`", word.text));
        let error = match did_you_mean(word.text, names) {
            Some(name) => error.meant(name),
            None => error.help(format!("the properties are {}", names.join(", "))),
        };
        Err(Mistake { error: Box::new(error), fatal: true })
    }

    fn value(&mut self) -> Parsed<Number> {
        match number(&mut self.s, self.tool) {
            Some(number) => Ok(number),
            None => fatal(self.s.next_span(), "a number is missing here"),
        }
    }
}
