//! Expressions.

use super::{Failed, Parsed, Parser, p1};
use crate::ast::{Binary, ExprId, ExprKind, Unary};
use crate::keyword::Meaning;
use crate::token::{Kind, Symbol, diagnose};
use crate::ty::Scalar;

/// How many brackets, dots and signs may follow each other on one operand.
const CHAIN: usize = 256;

/// How tightly sums bind.
const SUM: u8 = 10;

/// Binary operators and how tightly they bind.
fn binary(punct: [u8; 3]) -> Option<(Binary, u8)> {
    Some(match &punct {
        b"||\0" => (Binary::Or, 1),
        b"^^\0" => (Binary::Xor, 2),
        b"&&\0" => (Binary::And, 3),
        b"|\0\0" => (Binary::BitOr, 4),
        b"^\0\0" => (Binary::BitXor, 5),
        b"&\0\0" => (Binary::BitAnd, 6),
        b"==\0" => (Binary::Equal, 7),
        b"!=\0" => (Binary::NotEqual, 7),
        b"<\0\0" => (Binary::Less, 8),
        b">\0\0" => (Binary::Greater, 8),
        b"<=\0" => (Binary::LessEqual, 8),
        b">=\0" => (Binary::GreaterEqual, 8),
        b"<<\0" => (Binary::Shl, 9),
        b">>\0" => (Binary::Shr, 9),
        b"+\0\0" => (Binary::Add, 10),
        b"-\0\0" => (Binary::Sub, 10),
        b"*\0\0" => (Binary::Mul, 11),
        b"/\0\0" => (Binary::Div, 11),
        b"%\0\0" => (Binary::Rem, 11),
        _ => return None,
    })
}

/// `=` and its compounds.
fn assignment(punct: [u8; 3]) -> Option<Option<Binary>> {
    Some(match &punct {
        b"=\0\0" => None,
        b"+=\0" => Some(Binary::Add),
        b"-=\0" => Some(Binary::Sub),
        b"*=\0" => Some(Binary::Mul),
        b"/=\0" => Some(Binary::Div),
        b"%=\0" => Some(Binary::Rem),
        b"<<=" => Some(Binary::Shl),
        b">>=" => Some(Binary::Shr),
        b"&=\0" => Some(Binary::BitAnd),
        b"|=\0" => Some(Binary::BitOr),
        b"^=\0" => Some(Binary::BitXor),
        _ => return None,
    })
}

/// Signs before an operand.
fn prefix(punct: [u8; 3]) -> Option<Unary> {
    Some(match &punct {
        b"+\0\0" => Unary::Plus,
        b"-\0\0" => Unary::Minus,
        b"!\0\0" => Unary::Not,
        b"~\0\0" => Unary::Complement,
        b"++\0" => Unary::PreIncrement,
        b"--\0" => Unary::PreDecrement,
        _ => return None,
    })
}

impl Parser<'_> {
    /// With commas.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let mut left = self.assignment()?;
        while self.accept(b',') {
            let right = self.assignment()?;
            left = self.expr(ExprKind::Comma(left, right), first);
        }
        Ok(left)
    }

    /// Without commas.
    fn assignment(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let place = self.conditional()?;
        let Kind::Punct(punct) = self.kind() else { return Ok(place) };
        let Some(operator) = assignment(punct) else { return Ok(place) };
        self.advance();
        let value = self.nested(Self::assignment)?;
        Ok(self.expr(ExprKind::Assign(operator, place, value), first))
    }

    /// Without assignments: what constant expressions may be.
    pub(super) fn conditional(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let condition = self.binary(0)?;
        if !self.accept(b'?') {
            return Ok(condition);
        }
        let yes = self.nested(Self::expression)?;
        self.expect(b':')?;
        let no = self.nested(Self::assignment)?;
        Ok(self.expr(ExprKind::Ternary(condition, yes, no), first))
    }

    /// Without comparisons, whose signs may end what it stands in.
    pub(super) fn sum(&mut self) -> Parsed<ExprId> {
        self.binary(SUM)
    }

    /// Operators that bind at least so tightly.
    fn binary(&mut self, least: u8) -> Parsed<ExprId> {
        let first = self.at;
        let mut left = self.unary()?;
        while let Kind::Punct(punct) = self.kind()
            && let Some((operator, binds)) = binary(punct)
            && binds >= least
        {
            self.advance();
            let right = self.binary(binds + 1)?;
            left = self.expr(ExprKind::Binary(operator, left, right), first);
        }
        Ok(left)
    }

    /// Signs, then an operand.
    fn unary(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        while let Kind::Punct(punct) = self.kind()
            && prefix(punct).is_some()
        {
            self.judge_chain(self.at - first)?;
            self.advance();
        }
        let operand = self.at;
        let mut value = self.postfix()?;
        for sign in (first..operand).rev() {
            if let Some(Kind::Punct(punct)) = self.tokens.list.get(sign).map(|token| token.kind)
                && let Some(operator) = prefix(punct)
            {
                value = self.expr(ExprKind::Unary(operator, value), sign);
            }
        }
        Ok(value)
    }

    fn judge_chain(&mut self, length: usize) -> Parsed<()> {
        if length < CHAIN {
            return Ok(());
        }
        let message = format!("more than {CHAIN} operators on one operand");
        let report = diagnose(self.tokens, self.here(), message);
        Err(self.fail(report))
    }

    /// An operand with what follows it.
    fn postfix(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let mut value = self.primary()?;
        for length in 0.. {
            let kind = match self.kind() {
                Kind::Punct([b'[', 0, 0]) => self.index(value)?,
                Kind::Punct([b'.', 0, 0]) => self.field(value)?,
                Kind::Punct([b'+', b'+', 0]) => {
                    self.advance();
                    ExprKind::Unary(Unary::PostIncrement, value)
                }
                Kind::Punct([b'-', b'-', 0]) => {
                    self.advance();
                    ExprKind::Unary(Unary::PostDecrement, value)
                }
                _ => break,
            };
            self.judge_chain(length)?;
            value = self.expr(kind, first);
        }
        Ok(value)
    }

    fn index(&mut self, value: ExprId) -> Parsed<ExprKind> {
        self.advance();
        if self.is(b']') {
            return Err(self.expected("an index"));
        }
        let index = self.nested(Self::expression)?;
        self.expect(b']')?;
        Ok(ExprKind::Index(value, index))
    }

    fn field(&mut self, value: ExprId) -> Parsed<ExprKind> {
        self.advance();
        // Any word: a swizzle such as `.st` is never a keyword, and members are judged where they
        // are declared.
        let Kind::Word(name) = self.kind() else {
            return Err(self.expected("the name of a member"));
        };
        let at = self.here();
        self.advance();
        if self.is(b'(') {
            let arguments = self.arguments()?;
            return Ok(ExprKind::Method(value, name, arguments));
        }
        Ok(ExprKind::Field(value, name, at))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let kind = match self.kind() {
            Kind::Int { value, unsigned, bits } => ExprKind::Int(value, int_type(unsigned, bits)),
            Kind::Float { value, bits } => ExprKind::Float(value, float_type(bits)),
            Kind::Small { value, small } => ExprKind::Float(value.into(), Scalar::Small(small)),
            Kind::Text(text) => ExprKind::Text(text),
            Kind::Word(name) => return self.word(name),
            Kind::Punct(punct) if punct == p1(b'(') => return self.in_parentheses(),
            Kind::Punct(punct) if punct == p1(b'{') => {
                let report = diagnose(self.tokens, self.here(), "expected an expression, found `{`")
                    .note("a list in braces can only be an initialiser");
                return Err(self.fail(report));
            }
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(self.expr(kind, first))
    }

    fn in_parentheses(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        self.advance();
        let casts = self.starts_type() && self.extensions.enabled("GL_NV_explicit_typecast", first as u32);
        if casts && let Some(cast) = self.cast(first)? {
            return Ok(cast);
        }
        let value = self.nested(Self::expression)?;
        if !self.accept(b')') {
            return Err(self.expected("`)`"));
        }
        Ok(value)
    }

    /// `(float) a`, `(vec2)(a, b)` behind the first parenthesis: what a constructor would make.
    /// `None`, with nothing read, where the type begins a constructor.
    fn cast(&mut self, first: usize) -> Parsed<Option<ExprId>> {
        let start = self.at;
        let ty = self.type_spec()?;
        if !self.accept(b')') {
            self.at = start;
            return Ok(None);
        }
        let values = match self.is(b'(') {
            true => self.cast_list()?,
            false => vec![self.nested(Self::unary)?],
        };
        Ok(Some(self.expr(ExprKind::Cast(Box::new(ty), values), first)))
    }

    /// What is cast in parentheses: several values, or the next cast.
    fn cast_list(&mut self) -> Parsed<Vec<ExprId>> {
        let start = self.at;
        self.advance();
        if self.starts_type() {
            // `(uint8_t)(float) a`: the parentheses are the next cast's own.
            self.at = start;
            return Ok(vec![self.nested(Self::unary)?]);
        }
        self.at = start;
        self.arguments()
    }

    /// An operand that starts with a word.
    fn word(&mut self, name: Symbol) -> Parsed<ExprId> {
        let first = self.at;
        match self.keyword() {
            Some(Meaning::Bool(value)) => {
                self.advance();
                Ok(self.expr(ExprKind::Bool(value), first))
            }
            Some(meaning) if super::types::is_type(meaning) => self.construct(),
            Some(_) => Err(self.expected("an expression")),
            None if self.names.is_type(name) => self.construct(),
            None if self.is_at(1, b'(') => self.call(name),
            None => {
                self.judge_reserved(name);
                self.advance();
                Ok(self.expr(ExprKind::Name(name), first))
            }
        }
    }

    /// `vec3(a)`, `float[2](a, b)`
    fn construct(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        let ty = self.type_spec()?;
        if !self.is(b'(') {
            return Err(self.expected("`(` behind the type"));
        }
        let arguments = self.arguments()?;
        Ok(self.expr(ExprKind::Construct(Box::new(ty), arguments), first))
    }

    fn call(&mut self, name: Symbol) -> Parsed<ExprId> {
        let first = self.at;
        self.judge_function(name)?;
        self.advance();
        let arguments = self.arguments()?;
        Ok(self.expr(ExprKind::Call(name, self.token(first), arguments), first))
    }

    /// A type or `switch` that the version does not have looks like a function.
    fn judge_function(&mut self, name: Symbol) -> Parsed<()> {
        match self.status(name) {
            Some((word, _)) if super::types::is_type(word.meaning) && !word.soft => self.report_needs(word),
            Some((word, _)) if word.meaning == Meaning::Switch => {
                self.report_needs(word);
                return Err(Failed);
            }
            _ => self.judge_reserved(name),
        }
        Ok(())
    }

    /// `(a, b)`, `()`, `(void)`
    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        self.expect(b'(')?;
        if self.keyword() == Some(Meaning::Void) && self.is_at(1, b')') {
            self.advance();
        }
        let mut arguments = Vec::new();
        if self.accept(b')') {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.nested(Self::assignment)?);
            if !self.accept(b',') {
                break;
            }
        }
        if self.accept(b')') { Ok(arguments) } else { Err(self.expected("`,` or `)`")) }
    }

    /// The value of a variable that is declared: an expression, or a list in braces.
    pub(super) fn initializer(&mut self) -> Parsed<ExprId> {
        if !self.is(b'{') {
            return self.nested(Self::assignment);
        }
        let first = self.at;
        let extension = self.extensions.enabled("GL_ARB_shading_language_420pack", first as u32);
        if !self.version.at_least(0, 420) && !extension {
            const PACK: &[&str] = &["GL_ARB_shading_language_420pack"];
            let needs = crate::extension::needs(self.version, self.head, (0, 420), PACK);
            let report = self
                .needing("an initialiser in braces", needs)
                .help("use a constructor: `vec2(a, b)`, `float[2](a, b)`");
            self.report(report);
        }
        self.nested(Self::list)
    }

    /// `{ a, { b, c }, }`
    fn list(&mut self) -> Parsed<ExprId> {
        let first = self.at;
        self.advance();
        let mut elements = Vec::new();
        while !self.accept(b'}') {
            let element = match self.is(b'{') {
                true => self.nested(Self::list)?,
                false => self.nested(Self::assignment)?,
            };
            elements.push(element);
            if !self.accept(b',') {
                if self.accept(b'}') {
                    break;
                }
                return Err(self.expected("`,` or `}`"));
            }
        }
        let null = self.extensions.enabled("GL_EXT_null_initializer", first as u32);
        if elements.is_empty() && !null {
            let report =
                diagnose(self.tokens, self.since(first), "an initialiser in braces has to hold something");
            return Err(self.fail(report));
        }
        Ok(self.expr(ExprKind::List(elements), first))
    }
}

fn int_type(unsigned: bool, bits: u8) -> Scalar {
    match (bits, unsigned) {
        (64, false) => Scalar::Int64,
        (64, true) => Scalar::Uint64,
        (16, false) => Scalar::Int16,
        (16, true) => Scalar::Uint16,
        (_, false) => Scalar::Int,
        (_, true) => Scalar::Uint,
    }
}

fn float_type(bits: u8) -> Scalar {
    match bits {
        64 => Scalar::Double,
        16 => Scalar::Float16,
        _ => Scalar::Float,
    }
}
