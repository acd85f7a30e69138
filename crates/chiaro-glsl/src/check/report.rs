//! Messages: places, the trail of macros, names of types, and advice.

use chiaro_diag::{Diagnostic, Span, did_you_mean};

use super::checker::Checker;
use crate::builtin::When;
use crate::token::{At, Symbol};
use crate::ty::{Access, Dim, HitObject, Length, Opaque, Scalar, Ty, Type, Types};

/// Expansions within each other that a message shows at most.
const LONGEST_TRAIL: usize = 8;

impl Checker<'_> {
    /// Reports an error.
    pub(super) fn error(&mut self, at: At, message: impl Into<String>) -> &mut Diagnostic {
        self.failed = true;
        let diagnostic = Diagnostic::error(self.tokens.span(at), message);
        self.push_diagnostic(at, diagnostic)
    }

    /// Reports something that may not be meant.
    pub(super) fn warning(&mut self, at: At, message: impl Into<String>) -> &mut Diagnostic {
        let diagnostic = Diagnostic::warning(self.tokens.span(at), message);
        self.push_diagnostic(at, diagnostic)
    }

    /// Reports an error, and where the other party stands.
    pub(super) fn conflict(&mut self, at: At, message: impl Into<String>, other: Option<At>, text: &str) {
        let related = other.and_then(|other| self.tokens.span(other));
        let diagnostic = self.error(at, message);
        diagnostic.related.extend(related.map(|span| (span, text.to_owned())));
    }

    fn push_diagnostic(&mut self, at: At, mut diagnostic: Diagnostic) -> &mut Diagnostic {
        diagnostic.related.extend(self.trail(at));
        self.out.push(diagnostic);
        let last = self.out.len() - 1;
        &mut self.out[last]
    }

    /// The macros that a token came out of, innermost first.
    fn trail(&self, at: At) -> Vec<(Span, String)> {
        let mut trail = Vec::new();
        let mut origin = self.tokens.list.get(at.first as usize).map_or(0, |token| token.origin);
        while origin != 0 && trail.len() < LONGEST_TRAIL {
            let Some(expansion) = self.tokens.trail.get(origin as usize) else { break };
            let text = format!("in this expansion of macro `{}`", self.symbols.text(expansion.name));
            trail.push((expansion.defined, text));
            origin = expansion.within;
        }
        trail
    }

    /// Reports an error if something is not there in this version, stage and set of extensions.
    pub(super) fn require(&mut self, at: At, what: &str, when: When) -> bool {
        match when.check(self.version, self.stage, &self.enabled) {
            Ok(()) => true,
            Err(absence) => {
                let advice = absence.advice(self.version, self.head);
                self.error(at, format!("{what} is not available here")).advised(Some(advice));
                false
            }
        }
    }

    /// Whether the parser has reported something at this place already.
    pub(super) fn is_told(&self, at: At) -> bool {
        let span = self.tokens.span(at);
        span.is_some() && self.out.iter().any(|report| report.span == span)
    }

    /// As [`Checker::require`], for a word or sign of the language.
    pub(super) fn require_word(&mut self, at: At, word: &str, when: When) -> bool {
        when.is(self.version, self.stage, &self.enabled) || self.require(at, &format!("`{word}`"), when)
    }

    /// The text of a name.
    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text(symbol)
    }

    /// A type as the source would write it.
    pub(super) fn name_of(&self, ty: Ty) -> String {
        name_of(&self.types, ty, &|symbol| self.symbols.text(symbol).to_owned())
    }

    /// The name that was meant, among all that can be seen here.
    pub(super) fn meant(&self, symbol: Symbol, functions: bool) -> Option<String> {
        use crate::builtin::{functions as rows, variables};
        if !self.advises() {
            return None;
        }
        let own = self.scopes.names().map(|name| self.symbols.text(name));
        let function_names = rows::names()
            .filter(|row| functions && row.when.is(self.version, self.stage, &self.enabled))
            .map(|row| row.name);
        let variable_names = variables::all()
            .filter(|row| !functions && row.when.is(self.version, self.stage, &self.enabled))
            .map(|row| row.name);
        let word = self.symbols.text(symbol);
        did_you_mean(word, own.chain(function_names).chain(variable_names)).map(str::to_owned)
    }
}

/// A type as the source would write it.
pub(super) fn name_of(types: &Types, ty: Ty, text: &dyn Fn(Symbol) -> String) -> String {
    match types.get(ty) {
        Type::Error => "?".into(),
        Type::Void => "void".into(),
        Type::Scalar(scalar) => scalar_name(*scalar).into(),
        Type::Vector(scalar, n @ 5..) => format!("vector<{}, {n}>", scalar_name(*scalar)),
        Type::Vector(scalar, n) => format!("{}vec{n}", prefix(*scalar)),
        Type::Matrix { scalar, columns, rows } if columns == rows => {
            format!("{}mat{columns}", prefix(*scalar))
        }
        Type::Matrix { scalar, columns, rows } => format!("{}mat{columns}x{rows}", prefix(*scalar)),
        Type::Array(..) => array_name(types, ty, text),
        Type::Struct(id) => text(types.structure(*id).name),
        Type::Opaque(opaque) => opaque_name(*opaque),
        Type::Reference(id) => text(types.reference(*id).name),
        Type::Coop(scalar, id) => types.coop(*id).name(*scalar, scalar_name(*scalar)),
        Type::Foreign(id) => {
            let number = types.foreign.get(id.0 as usize).map_or(0, |ty| ty.number);
            format!("spirv_type(id = {number})")
        }
        Type::Addressing(id) => types.coop(*id).name(Scalar::Uint, ""),
    }
}

/// `vec2[3][4]`: the element's name, then lengths, outermost first.
fn array_name(types: &Types, mut ty: Ty, text: &dyn Fn(Symbol) -> String) -> String {
    let mut brackets = String::new();
    while let Type::Array(element, length) = types.get(ty) {
        brackets.push_str(&match length {
            Length::Known(n) => format!("[{n}]"),
            Length::Unsized => "[]".into(),
            Length::Spec(..) => "[specialised]".into(),
        });
        ty = *element;
    }
    name_of(types, ty, text) + &brackets
}

/// The keyword of a scalar type.
pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::Int => "int",
        Scalar::Uint => "uint",
        Scalar::Float => "float",
        Scalar::Double => "double",
        Scalar::Int8 => "int8_t",
        Scalar::Uint8 => "uint8_t",
        Scalar::Int16 => "int16_t",
        Scalar::Uint16 => "uint16_t",
        Scalar::Float16 => "float16_t",
        Scalar::Int64 => "int64_t",
        Scalar::Uint64 => "uint64_t",
        Scalar::Small(small) => small.name(),
    }
}

/// What stands before `vec` for a scalar type.
fn prefix(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "b",
        Scalar::Int => "i",
        Scalar::Uint => "u",
        Scalar::Float => "",
        Scalar::Double => "d",
        Scalar::Int8 => "i8",
        Scalar::Uint8 => "u8",
        Scalar::Int16 => "i16",
        Scalar::Uint16 => "u16",
        Scalar::Float16 => "f16",
        Scalar::Int64 => "i64",
        Scalar::Uint64 => "u64",
        Scalar::Small(small) => small.prefix(),
    }
}

/// The keyword of an opaque type.
fn opaque_name(opaque: Opaque) -> String {
    let (scalar, dim, arrayed, multisampled, shadow, access) = match opaque {
        Opaque::Tensor { scalar, rank } => return format!("tensorARM<{}, {rank}>", scalar_name(scalar)),
        Opaque::Texture { external: true, .. } => return "samplerExternalOES".into(),
        Opaque::Texture { scalar, dim, arrayed, multisampled, shadow, access, .. } => {
            (scalar, dim, arrayed, multisampled, shadow, access)
        }
        Opaque::Sampler { shadow: false } => return "sampler".into(),
        Opaque::Sampler { shadow: true } => return "samplerShadow".into(),
        Opaque::AtomicCounter => return "atomic_uint".into(),
        Opaque::AccelerationStructure => return "accelerationStructureEXT".into(),
        Opaque::Buffer(_) => return "buffer_type".into(),
        Opaque::RayQuery => return "rayQueryEXT".into(),
        Opaque::HitObject(HitObject::Ext) => return "hitObjectEXT".into(),
        Opaque::HitObject(HitObject::Nv) => return "hitObjectNV".into(),
    };
    let word = match access {
        _ if dim == Dim::Subpass => "subpassInput",
        _ if dim == Dim::Tile => "attachmentEXT",
        Access::Sampled => "sampler",
        Access::Texture => "texture",
        Access::Storage => "image",
    };
    let dim = match dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::Rect => "2DRect",
        Dim::Buffer => "Buffer",
        Dim::Subpass | Dim::Tile => "",
    };
    let layers = if arrayed { "Array" } else { "" };
    let samples = if multisampled { "MS" } else { "" };
    let shadow = if shadow { "Shadow" } else { "" };
    format!("{}{word}{dim}{samples}{layers}{shadow}", prefix(scalar))
}
