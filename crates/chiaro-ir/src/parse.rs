//! Text as modules: what [`print`](crate::print) writes, and what people write by hand.
//!
//! Parsing checks spelling and names; whether the rules of the IR are kept is the verifier's
//! to say. Every mistake outside of the others' way is reported: one for each item.
//!
//! ```text
//! module    = { struct | spec | const | global | text | entry | function }      each at the start of a line
//! struct    = "struct" name "{" { member-name ":" type [ "at" offset ] "," } "}"
//! spec      = "spec" "@"name ":" type "=" constant [ "id" "(" number ")" ]
//! const     = "const" "$"number ":" type "=" constant
//! global    = "global" "@"name ":" space type [ "=" constant ] { binding | "coherent" | "read_only" }
//!             { "member" "{" { binding } "}" } [ span ]
//! binding   = ( "location" | "component" | "index" | "builtin" | "set" | "binding" ) "(" number ")"
//!           | "linear" | "flat" | "centroid" | "sample" | "invariant" | "patch"
//! text      = "text" string                                              `print.0` prints the first
//! entry     = "entry" stage string "=" "@"name [ "workgroup" "(" x "," y "," z ")" ]
//!             { "mode" "(" number { "," number } ")" } [ "interface" "(" "@"name { "," "@"name } ")" ]
//! function  = [ "export" | "dispatch" ] head block | "import" head
//! head      = "fn" "@"name "(" params ")" [ "->" type ] [ span ]
//! block     = "{" { instruction } "}"                                    one instruction a line
//!
//! instruction = [ param { "," param } "=" ] ( operation | construct )
//! operation = name { "." detail } [ label ] [ operand { "," operand } ] marks
//!           | "call" "@"name "(" [ operand { "," operand } ] ")" marks
//! construct = "block" [ label ] marks block
//!           | "if" [ label ] operand marks block "else" block
//!           | "switch" [ label ] operand marks "{" { cases block } "}"
//!           | "loop" [ label ] marks [ "(" param "=" operand { "," param "=" operand } ")" ] block
//!             "continuing" [ "(" params ")" ] block
//! cases     = "case" [ number { "," number } ] [ "," "default" ] | "default"      the last has "default"
//! label     = "@"number         of a construct, or the one that an exit names; an exit without label
//!                               means the innermost construct (`exit`) or loop (`continue`, `repeat`)
//! params    = [ param { "," param } ]
//! param     = "%"number ":" type
//! operand   = "%"number | constant
//! marks     = { "!"flag } [ span ]
//! flag      = "relaxed" | "exact" | "volatile" | "nonuniform"
//! span      = "!"file":"start"-"end
//!
//! constant  = "$"number | "@"name | literal | type "(" literal ")"
//! literal   = number | "true" | "false" | "inf" | "-inf" | "zero" | "undef"
//!           | "{" [ constant { "," constant } ] "}"
//! type      = "void" | "bool" | "i8" | "i16" | "i32" | "i64" | "f16" | "f32" | "f64"
//!           | "vec"n "<" type ">" | "array" "<" type "," ( number | "?" ) [ "," "stride" number ] ">"
//!           | "ptr" "<" space "," type ">" | "fn" "(" [ type { "," type } ] ")" "->" type
//!           | ( "image" | "sampled_image" ) "<" type "," dim { "," detail } ">"
//!           | "sampler" | "acceleration" | "ray_query" | name
//! name      = ( word | string ) [ "#"number ] | "#"number
//! ```
//!
//! A literal without a type has the one that its place asks for: that of the result for
//! arithmetic, of the first operand for a comparison, of the place for a store. Elsewhere
//! `1` is `i32`, `1.0` is `f32`. A scalar where a vector is asked for is meant for every
//! component; a hexadecimal number where a float is asked for is its bits. `#2` behind a name
//! tells things of one name apart. A comment begins with `;` and ends with its line.

mod constant;
mod function;
mod item;
mod lex;
mod op;
mod ty;

use crate::constant::Constant;
use crate::id::{FunctionRef, GlobalRef};
use crate::module::Module;
use crate::ty::Ty;
use chiaro_diag::{Diagnostic, FileId, did_you_mean};
use lex::{Kind, Token, lex};
use std::collections::HashMap;

/// The module that a text spells, or what is wrong with it. `file` is where spans of the
/// messages point; spans of instructions come from the text itself.
pub fn parse(text: &str, file: FileId) -> Result<Module, Vec<Diagnostic>> {
    let mut parser = Parser {
        text,
        file,
        tokens: lex(text),
        at: 0,
        module: Module::default(),
        structs: HashMap::new(),
        symbols: HashMap::new(),
        constants: HashMap::new(),
    };
    let errors = parser.items();
    if errors.is_empty() { Ok(parser.module) } else { Err(errors) }
}

/// The result of a piece of parsing.
type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Things that are named with `@`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
    Spec(u32, Ty),
    Global(GlobalRef),
    Function(FunctionRef),
}

/// A name and which of the things of that name is meant, from 1.
type Name = (String, u32);

struct Parser<'t> {
    text: &'t str,
    file: FileId,
    tokens: Vec<Token>,
    at: usize,
    module: Module,
    structs: HashMap<Name, Ty>,
    symbols: HashMap<Name, Symbol>,
    constants: HashMap<u32, Constant>,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek_second(&self) -> Token {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn slice(&self, token: Token) -> &'t str {
        &self.text[token.start as usize..token.end as usize]
    }

    /// An error at the next token, which should have been something else.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the text".into(),
            _ => format!("`{}`", self.slice(token)),
        };
        self.error(token, format!("expected {what}, found {found}"))
    }

    fn error<T>(&self, token: Token, message: String) -> Parsed<T> {
        let span = self.file.span(token.start as usize..token.end as usize);
        Err(Box::new(Diagnostic::error(span, message)))
    }

    /// As [`error`](Self::error), about a word that may be a slip.
    fn unknown<'c, T>(
        &self,
        token: Token,
        what: &str,
        candidates: impl IntoIterator<Item = &'c str>,
    ) -> Parsed<T> {
        let word = self.slice(token);
        let error = self.error(token, format!("unknown {what} `{word}`"));
        let mut candidates: Vec<&str> = candidates.into_iter().collect();
        candidates.sort_unstable();
        match did_you_mean(word, candidates) {
            Some(meant) => error.map_err(|e| Box::new(e.meant(meant))),
            None => error,
        }
    }

    fn is(&self, mark: u8) -> bool {
        self.peek().kind == Kind::Mark(mark)
    }

    fn eat(&mut self, mark: u8) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: u8) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{}`", char::from(mark))) }
    }

    fn is_word(&self, word: &str) -> bool {
        self.peek().kind == Kind::Word && self.slice(self.peek()) == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// The next word, which is `what`.
    fn word(&mut self, what: &str) -> Parsed<&'t str> {
        if self.peek().kind != Kind::Word {
            return self.expected(what);
        }
        let token = self.next();
        Ok(self.slice(token))
    }

    /// One of the words of a table, which are `what`.
    fn one_of<T: Copy>(&mut self, what: &str, table: &[(T, &'static str)]) -> Parsed<T> {
        let token = self.peek();
        if !matches!(token.kind, Kind::Word | Kind::Number) {
            return self.expected(what);
        }
        let Some(value) = crate::words::by_word(table, self.slice(token)) else {
            let what = what.trim_start_matches("an ").trim_start_matches("a ");
            return self.unknown(token, what, table.iter().map(|&(_, word)| word));
        };
        self.at += 1;
        Ok(value)
    }

    /// A number without a sign.
    fn number(&mut self) -> Parsed<u32> {
        let token = self.peek();
        let digits = self.slice(token);
        let value = match digits.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        match (token.kind, value) {
            (Kind::Number, Ok(value)) => {
                self.at += 1;
                Ok(value)
            }
            _ => self.expected("a number of 32 bits"),
        }
    }

    /// A number that fits into fewer bits.
    fn small<T: TryFrom<u32>>(&mut self) -> Parsed<T> {
        let token = self.peek();
        let number = self.number()?;
        T::try_from(number).or_else(|_| self.error(token, format!("{number} is too large")))
    }

    fn parenthesised<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.expect(b'(')?;
        let value = inner(self)?;
        self.expect(b')')?;
        Ok(value)
    }

    /// Items between commas until a mark, which is eaten.
    fn list(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        while !self.eat(end) {
            item(self)?;
            if !self.is(end) {
                self.expect(b',')?;
            }
        }
        Ok(())
    }

    /// A name: a word or a string, and which of that name.
    fn name(&mut self) -> Parsed<Name> {
        let token = self.peek();
        let name = match token.kind {
            Kind::Word => self.word("a name")?.to_owned(),
            Kind::Text => self.string()?,
            Kind::Mark(b'#') => String::new(),
            _ => return self.expected("a name"),
        };
        let number = if self.eat(b'#') { self.number()? } else { 1 };
        Ok((name, number))
    }

    /// A text in quotes.
    fn string(&mut self) -> Parsed<String> {
        let token = self.peek();
        let text = self.slice(token);
        let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"')).filter(|_| text.len() > 1);
        let (Kind::Text, Some(inner)) = (token.kind, inner) else {
            return self.expected("a text in quotes");
        };
        self.at += 1;
        match lex::unescape(inner) {
            Some(text) => Ok(text),
            None => self.error(token, "the text has an unknown escape".into()),
        }
    }
}
