//! Constants: literals, names, composites.

use super::lex::Kind;
use super::{Parsed, Parser, Symbol};
use crate::constant::{Constant, ConstantKind};
use crate::ty::{Ty, Type};
use chiaro_num::{Encoding, F16};

/// Braces are not nested deeper than this in one literal.
const DEPTH: u32 = 300;

impl Parser<'_> {
    /// A constant where a literal has the type `wanted` without saying so.
    pub(super) fn constant(&mut self, wanted: Option<Ty>) -> Parsed<Constant> {
        self.constant_at(wanted, 0)
    }

    fn constant_at(&mut self, wanted: Option<Ty>, depth: u32) -> Parsed<Constant> {
        let token = self.peek();
        match token.kind {
            Kind::Mark(b'$') => self.large_constant(),
            Kind::Mark(b'@') => self.symbol_constant(),
            Kind::Mark(b'{') | Kind::Number => self.literal(wanted, depth),
            Kind::Word if crate::words::CONSTANT_WORDS.contains(&self.slice(token)) => {
                self.literal(wanted, depth)
            }
            Kind::Word | Kind::Text | Kind::Mark(b'#') => {
                let ty = self.ty()?;
                self.parenthesised(|p| p.literal(Some(ty), depth))
            }
            _ => self.expected("a value"),
        }
    }

    fn large_constant(&mut self) -> Parsed<Constant> {
        self.at += 1;
        let token = self.peek();
        let number = self.number()?;
        match self.constants.get(&number) {
            Some(&c) => Ok(c),
            None => self.error(token, format!("there is no constant ${number} before this")),
        }
    }

    /// A symbol behind its `@`.
    pub(super) fn symbol(&mut self) -> Parsed<Symbol> {
        self.expect(b'@')?;
        let token = self.peek();
        let name = self.name()?;
        match self.symbols.get(&name) {
            Some(&symbol) => Ok(symbol),
            None => self.unknown(token, "name", self.symbols.keys().map(|(name, _)| name.as_str())),
        }
    }

    fn symbol_constant(&mut self) -> Parsed<Constant> {
        let module = match self.symbol()? {
            Symbol::Spec(n, ty) => return Ok(self.module.constants.intern(ty, ConstantKind::Spec(n))),
            Symbol::Global(g) => return Ok(self.module.address(g)),
            Symbol::Function(f) => {
                let callee = self.module.function(f);
                let ty = Type::Function(callee.param_types(), callee.result);
                let ty = self.module.types.intern(ty);
                (ty, ConstantKind::Function(f))
            }
        };
        Ok(self.module.constants.intern(module.0, module.1))
    }

    /// A literal of a type; without one, of the type that it looks like.
    fn literal(&mut self, wanted: Option<Ty>, depth: u32) -> Parsed<Constant> {
        let token = self.peek();
        if depth > DEPTH {
            return self.error(token, "the constant is nested too deeply".into());
        }
        let Some(ty) = wanted.or_else(|| self.looks(token.kind)) else {
            return self.error(token, format!("`{}` needs a type here: `type(literal)`", self.slice(token)));
        };
        let kind = if let Kind::Mark(b'@') = token.kind {
            return self.handle(ty);
        } else if self.eat_word("zero") {
            ConstantKind::Zero
        } else if self.eat_word("undef") {
            ConstantKind::Undef
        } else if self.eat(b'{') {
            ConstantKind::Composite(self.parts(ty, depth)?)
        } else {
            return self.scalar_or_splat(ty);
        };
        Ok(self.module.constants.intern(ty, kind))
    }

    /// A function as a number: `i64(@f)`.
    fn handle(&mut self, ty: Ty) -> Parsed<Constant> {
        let token = self.peek();
        match self.symbol()? {
            Symbol::Function(f) => Ok(self.module.constants.intern(ty, ConstantKind::Function(f))),
            _ => self.error(token, "only functions are numbers: `i64(@f)`".into()),
        }
    }

    fn looks(&mut self, kind: Kind) -> Option<Ty> {
        let text = self.slice(self.peek());
        let ty = match kind {
            Kind::Number if !text.starts_with("0x") && text.contains(['.', 'e', 'E', 'f']) => Type::Float(32),
            Kind::Number => Type::Int(32),
            Kind::Word if text == "inf" => Type::Float(32),
            Kind::Word if text == "true" || text == "false" => Type::Bool,
            _ => return None,
        };
        Some(self.module.types.intern(ty))
    }

    fn parts(&mut self, ty: Ty, depth: u32) -> Parsed<Vec<Constant>> {
        let mut parts = Vec::new();
        self.list(b'}', |p| {
            let wanted = p.module.types.part(ty, parts.len() as u32);
            parts.push(p.constant_at(wanted, depth + 1)?);
            Ok(())
        })?;
        Ok(parts)
    }

    fn scalar_or_splat(&mut self, ty: Ty) -> Parsed<Constant> {
        let scalar = self.module.types.scalar(ty);
        let bits = self.scalar_bits(scalar)?;
        let constants = &mut self.module.constants;
        let c = constants.intern(scalar, ConstantKind::Scalar(bits));
        Ok(match *self.module.types.get(ty) {
            Type::Vector(_, n) => constants.intern(ty, ConstantKind::Composite(vec![c; usize::from(n)])),
            _ => c,
        })
    }

    /// The bits of the scalar that the next token spells.
    pub(super) fn scalar_bits(&mut self, ty: Ty) -> Parsed<u64> {
        let token = self.peek();
        let text = self.slice(token);
        let is_literal = matches!(token.kind, Kind::Number | Kind::Word);
        let bits = match self.module.types.get(ty) {
            _ if !is_literal => None,
            Type::Bool => ["false", "true"].iter().position(|&word| word == text).map(|bits| bits as u64),
            Type::Int(width) => int_bits(text, *width),
            Type::Float(width) => float_bits(text, *width),
            Type::Pointer(..) => int_bits(text, 64),
            _ => None,
        };
        match bits {
            Some(bits) => {
                self.at += 1;
                Ok(bits)
            }
            None => self.expected(&format!("a value of {}", crate::print::type_text(&self.module.types, ty))),
        }
    }
}

/// Bits of an integer that fits into a width with or without a sign.
fn int_bits(text: &str, width: u8) -> Option<u64> {
    if !(1..=64).contains(&width) {
        return None;
    }
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    let value = if negative { -value } else { value };
    let range = -(1i128 << (width - 1))..1i128 << width;
    range.contains(&value).then_some((value as u64) & (u64::MAX >> (64 - width)))
}

/// Bits of a float: the nearest to a decimal number, or as they are from a hexadecimal one.
fn float_bits(text: &str, width: u8) -> Option<u64> {
    if text.starts_with("0x") {
        return int_bits(text, width);
    }
    match width {
        16 => Some(u64::from(F16.encode(text.parse().ok()?, Encoding::default()))),
        32 => Some(u64::from(text.parse::<f32>().ok()?.to_bits())),
        64 => Some(text.parse::<f64>().ok()?.to_bits()),
        _ => None,
    }
}
