//! Types, and structures.

use super::{Failed, Parsed, Parser};
use crate::ast::{BlockDef, Declarator, ExprId, MemberDef, Qualifier, StructDef, TypeName, TypeSpec};
use crate::keyword::{Meaning, Status};
use crate::token::{At, Kind, Symbol, diagnose};
use crate::ty::Scalar;
use chiaro_diag::did_you_mean;

impl Parser<'_> {
    /// Whether a type stands next: a word of the language, or the name of a structure.
    pub(super) fn starts_type(&mut self) -> bool {
        match self.keyword() {
            Some(meaning) => is_type(meaning),
            None => matches!(self.kind(), Kind::Word(name) if self.names.is_type(name)),
        }
    }

    /// A type with the brackets behind it.
    pub(super) fn type_spec(&mut self) -> Parsed<TypeSpec> {
        let first = self.at;
        let name = self.type_name()?;
        let dims = self.dims()?;
        Ok(TypeSpec { name, dims, at: self.since(first) })
    }

    fn type_name(&mut self) -> Parsed<TypeName> {
        let name = match self.keyword() {
            Some(Meaning::Void) => TypeName::Void,
            Some(Meaning::Number(scalar, columns, rows)) => TypeName::Known { scalar, columns, rows },
            Some(Meaning::Opaque(opaque)) => TypeName::Opaque(opaque),
            Some(Meaning::Struct) => return Ok(TypeName::Struct(Box::new(self.nested(Self::structure)?))),
            Some(Meaning::Unsigned) => return self.unsigned(),
            Some(Meaning::SpirvType) => {
                self.advance();
                return Ok(TypeName::Spirv(Box::new(self.spirv_args()?)));
            }
            Some(Meaning::Template(template)) => {
                self.advance();
                return self.template(template);
            }
            Some(_) => return Err(self.expected("a type")),
            None => return self.named_type(),
        };
        self.advance();
        Ok(name)
    }

    /// `unsigned int` of GL_EXT_gpu_shader4.
    fn unsigned(&mut self) -> Parsed<TypeName> {
        self.advance();
        match self.keyword() {
            Some(Meaning::Number(Scalar::Int, 1, 1)) => {
                self.advance();
                Ok(TypeName::Known { scalar: Scalar::Uint, columns: 1, rows: 1 })
            }
            _ => Err(self.expected("`int` behind `unsigned`")),
        }
    }

    /// A name where a type has to be. One that is unknown is reported, and kept if it stands where
    /// only a type can.
    fn named_type(&mut self) -> Parsed<TypeName> {
        let Kind::Word(name) = self.kind() else { return Err(self.expected("a type")) };
        if !self.names.is_type(name) {
            self.unknown_type(name)?;
        }
        self.advance();
        Ok(TypeName::Named(name))
    }

    fn unknown_type(&mut self, name: Symbol) -> Parsed<()> {
        let text = self.symbols.text(name);
        // Checking knows whether the extension with these structures is on.
        if text.starts_with("gl_TextureFootprint") {
            return Ok(());
        }
        if let Some((word, status)) = self.status(name)
            && let Some(needs) = self.needs(word)
            && (is_type(word.meaning) || status == Status::Reserved)
        {
            self.report(self.needing(&format!("`{text}`"), needs));
            return Ok(());
        }
        if let Some((_, Status::Reserved)) = self.status(name) {
            self.judge_reserved(name);
            return Ok(());
        }
        let followed = matches!(self.kind_at(1), Kind::Word(_));
        let mut report = diagnose(self.tokens, self.here(), format!("unknown type `{text}`"));
        let types = self.names.types().map(|known| self.symbols.text(known));
        let structure = did_you_mean(text, types);
        let long = text.len() > 3;
        let word = self.close_word(name, |meaning| long || is_type(meaning));
        let close = structure.or(word.map(|word| word.text));
        match of_hlsl(text) {
            Some(name) => report.instead(format!("GLSL calls it `{name}`"), &[&name]),
            None => report.mean(close),
        }
        self.report(report);
        // `retrun x;` declares nothing.
        let statement = word.is_some_and(|word| structure.is_none() && !is_type(word.meaning));
        if followed && !statement { Ok(()) } else { Err(Failed) }
    }

    /// `[2][]`, or nothing.
    pub(super) fn dims(&mut self) -> Parsed<Vec<Option<ExprId>>> {
        let mut dims = Vec::new();
        while self.accept(b'[') {
            let size = if self.is(b']') { None } else { Some(self.nested(Self::conditional)?) };
            self.expect(b']')?;
            dims.push(size);
        }
        Ok(dims)
    }

    /// `struct Name { ... }`
    fn structure(&mut self) -> Parsed<StructDef> {
        let first = self.at;
        self.advance();
        let name = if self.is(b'{') { None } else { Some(self.name("the name of a structure, or `{`")?.0) };
        let members = self.members()?;
        if let Some(name) = name {
            self.names.declare_type(name);
        }
        Ok(StructDef { name, members, at: self.since(first) })
    }

    /// Members in braces, of a structure or block.
    pub(super) fn members(&mut self) -> Parsed<Vec<MemberDef>> {
        let open = self.at;
        self.expect(b'{')?;
        let mut members = Vec::new();
        while !self.accept(b'}') {
            if self.ended() {
                return Err(self.unclosed(open));
            }
            let first = self.at;
            match self.member() {
                Ok(member) => members.push(member),
                Err(Failed) => self.skip_statement(first),
            }
        }
        Ok(members)
    }

    fn member(&mut self) -> Parsed<MemberDef> {
        let first = self.at;
        let mut qualifiers = self.qualifiers()?;
        let ty = match self.is(b'{') && !qualifiers.is_empty() {
            true => self.inline_block(std::mem::take(&mut qualifiers), first)?,
            false => self.type_spec()?,
        };
        let mut names = Vec::new();
        loop {
            let (name, at) = self.name("the name of a member")?;
            let dims = self.dims()?;
            names.push(Declarator { name, dims, init: None, at });
            if self.is(b'=') {
                let report = diagnose(self.tokens, self.here(), "a member cannot have an initialiser");
                return Err(self.fail(report));
            }
            if !self.accept(b',') {
                break;
            }
        }
        self.semicolon()?;
        Ok(MemberDef { qualifiers, ty, names })
    }

    /// `layout(buffer_reference) buffer { ... }` where a member's type stands.
    fn inline_block(&mut self, qualifiers: Vec<Qualifier>, first: usize) -> Parsed<TypeSpec> {
        let members = self.nested(Self::members)?;
        let at = self.since(first);
        let block = BlockDef { qualifiers, name: (Symbol(0), at), members, instance: None, at };
        Ok(TypeSpec { name: TypeName::Block(Box::new(block)), dims: Vec::new(), at })
    }

    /// The place of one token.
    pub(super) fn token(&self, number: usize) -> At {
        At { first: number as u32, last: number as u32 }
    }
}

/// Whether a keyword names a type or starts one.
pub(super) fn is_type(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Void
            | Meaning::Number(..)
            | Meaning::Opaque(_)
            | Meaning::Template(_)
            | Meaning::SpirvType
            | Meaning::Struct
            | Meaning::Unsigned
    )
}

/// What GLSL calls a vector or matrix of HLSL: `float3` is `vec3`, `float4x4` is `mat4`.
fn of_hlsl(name: &str) -> Option<String> {
    let digit = name.find(|c: char| c.is_ascii_digit())?;
    let (scalar, size) = name.split_at(digit);
    let letter = match scalar {
        "float" | "half" | "fixed" => "",
        "int" => "i",
        "uint" => "u",
        "bool" => "b",
        "double" => "d",
        _ => return None,
    };
    match size.as_bytes() {
        [n @ b'2'..=b'4'] => Some(format!("{letter}vec{}", char::from(*n))),
        // HLSL counts rows first; its matrices are the transposed ones of GLSL in memory.
        [rows @ b'2'..=b'4', b'x', columns @ b'2'..=b'4'] if matches!(letter, "" | "d") => {
            match rows == columns {
                true => Some(format!("{letter}mat{}", char::from(*rows))),
                false => Some(format!("{letter}mat{}x{}", char::from(*columns), char::from(*rows))),
            }
        }
        _ => None,
    }
}
