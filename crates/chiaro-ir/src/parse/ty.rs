//! Types.

use super::lex::Kind;
use super::{Parsed, Parser};
use crate::ty::{ImageType, Space, Ty, Type};
use crate::words::{DIMS, TYPE_WORDS};

/// Types are not nested deeper than this in a text.
const DEPTH: u32 = 300;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Ty> {
        self.ty_at(0)
    }

    pub(super) fn space(&mut self) -> Parsed<Space> {
        self.one_of("a space of memory", &Space::NAMES)
    }

    fn ty_at(&mut self, depth: u32) -> Parsed<Ty> {
        let token = self.peek();
        if depth > DEPTH {
            return self.error(token, "the type is nested too deeply".into());
        }
        if token.kind != Kind::Word {
            return self.struct_ty();
        }
        let word = self.slice(token);
        let ty = match word {
            "void" => Type::Void,
            "bool" => Type::Bool,
            "sampler" => Type::Sampler,
            "acceleration" => Type::AccelerationStructure,
            "ray_query" => Type::RayQuery,
            "array" => return self.array(depth),
            "ptr" => return self.pointer(depth),
            "fn" => return self.function_ty(depth),
            "image" | "sampled_image" => return self.image(depth),
            _ => match numbered(word) {
                Some(("i", bits)) => Type::Int(bits),
                Some(("f", bits)) => Type::Float(bits),
                Some(("vec", n)) => return self.vector(n, depth),
                _ => return self.struct_ty(),
            },
        };
        self.at += 1;
        Ok(self.module.types.intern(ty))
    }

    fn struct_ty(&mut self) -> Parsed<Ty> {
        let token = self.peek();
        if !matches!(token.kind, Kind::Word | Kind::Text | Kind::Mark(b'#')) {
            return self.expected("a type");
        }
        let name = self.name()?;
        match self.structs.get(&name) {
            Some(&ty) => Ok(ty),
            None => {
                let names = self.structs.keys().map(|(name, _)| name.as_str());
                self.unknown(token, "type", TYPE_WORDS.into_iter().chain(names))
            }
        }
    }

    /// The first word, `<` and the type that follows.
    fn angle(&mut self, depth: u32) -> Parsed<Ty> {
        self.at += 1;
        self.expect(b'<')?;
        self.ty_at(depth + 1)
    }

    fn vector(&mut self, n: u8, depth: u32) -> Parsed<Ty> {
        let elem = self.angle(depth)?;
        self.expect(b'>')?;
        Ok(self.module.types.intern(Type::Vector(elem, n)))
    }

    fn array(&mut self, depth: u32) -> Parsed<Ty> {
        let elem = self.angle(depth)?;
        self.expect(b',')?;
        let length = if self.eat(b'?') { None } else { Some(self.number()?) };
        let stride = if self.eat(b',') {
            self.expect_word("stride")?;
            self.number()?
        } else {
            0
        };
        self.expect(b'>')?;
        let ty = match length {
            Some(n) => Type::Array(elem, n, stride),
            None => Type::RuntimeArray(elem, stride),
        };
        Ok(self.module.types.intern(ty))
    }

    fn pointer(&mut self, depth: u32) -> Parsed<Ty> {
        self.at += 1;
        self.expect(b'<')?;
        let space = self.space()?;
        self.expect(b',')?;
        let to = self.ty_at(depth + 1)?;
        self.expect(b'>')?;
        Ok(self.module.types.intern(Type::Pointer(space, to)))
    }

    fn function_ty(&mut self, depth: u32) -> Parsed<Ty> {
        self.at += 1;
        self.expect(b'(')?;
        let mut params = Vec::new();
        self.list(b')', |p| {
            params.push(p.ty_at(depth + 1)?);
            Ok(())
        })?;
        self.arrow()?;
        let result = self.ty_at(depth + 1)?;
        Ok(self.module.types.intern(Type::Function(params, result)))
    }

    fn arrow(&mut self) -> Parsed<()> {
        if self.peek().kind != Kind::Arrow {
            return self.expected("`->`");
        }
        self.at += 1;
        Ok(())
    }

    fn image(&mut self, depth: u32) -> Parsed<Ty> {
        let sampled = self.is_word("sampled_image");
        let component = self.angle(depth)?;
        self.expect(b',')?;
        let dim = self.one_of("a dimension", &DIMS)?;
        let mut image = ImageType::sampled(component, dim);
        while self.eat(b',') {
            self.image_detail(&mut image)?;
        }
        self.expect(b'>')?;
        let ty = if sampled { Type::SampledImage(image) } else { Type::Image(image) };
        Ok(self.module.types.intern(ty))
    }

    fn image_detail(&mut self, image: &mut ImageType) -> Parsed<()> {
        const WORDS: [&str; 6] = ["signed", "arrayed", "multisampled", "depth", "storage", "format"];
        let token = self.peek();
        match self.word("a detail of an image")? {
            "signed" => image.signed = true,
            "arrayed" => image.arrayed = true,
            "multisampled" => image.multisampled = true,
            "depth" => image.depth = true,
            "storage" => image.storage = true,
            "format" => image.format = self.small()?,
            _ => return self.unknown(token, "detail of an image", WORDS),
        }
        Ok(())
    }
}

/// Letters and the number behind them: `vec3`.
fn numbered(word: &str) -> Option<(&str, u8)> {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &word[..word.len() - digits.len()];
    Some((letters, digits.parse().ok()?))
}
