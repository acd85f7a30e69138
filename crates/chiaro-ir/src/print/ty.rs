//! Types as text.

use super::name::{Names, quoted};
use crate::ty::{ImageType, Member, Space, Ty, Type, Types};
use crate::words::{DIMS, word_of};
use std::fmt::Write;

/// No type is written deeper than this; the verifier refuses what would be.
const DEPTH: u32 = 300;
/// How much of the depth a function's type takes: its parameters may repeat one another.
const FUNCTION_DEPTH: u32 = 100;

/// A type for messages: structures by their names as they are.
pub(crate) fn type_text(types: &Types, ty: Ty) -> String {
    let mut out = String::new();
    TypeWriter { types, names: None, whole: false }.write(&mut out, ty, 0);
    out
}

/// A function's type for messages and for who compares it with another module's: structures by their names and their
/// members, `fn(vec2<f32>, Ray { vec3<f32>, vec3<f32> }) -> f32`.
pub(super) fn signature_text(types: &Types, params: &[Ty], result: Ty) -> String {
    let mut out = String::new();
    TypeWriter { types, names: None, whole: true }.function(&mut out, params, result, 0);
    out
}

/// Writes types of a module.
pub(super) struct TypeWriter<'a> {
    pub(super) types: &'a Types,
    pub(super) names: Option<&'a Names>,
    /// Whether structures are written with their members.
    pub(super) whole: bool,
}

/// Texts of whole types are no longer than this, about: members may be structures of structures.
const LONGEST: usize = 2000;

impl TypeWriter<'_> {
    pub(super) fn write(&self, out: &mut String, ty: Ty, depth: u32) {
        if depth > DEPTH || ty.0 as usize >= self.types.len() || self.whole && out.len() > LONGEST {
            return out.push('?');
        }
        let inner = depth + 1;
        let _ = match self.types.get(ty) {
            Type::Int(n) => write!(out, "i{n}"),
            Type::Float(n) => write!(out, "f{n}"),
            Type::Vector(elem, n) => return self.wrap(out, &format!("vec{n}<"), *elem, "", inner),
            Type::Array(elem, n, stride) => {
                return self.wrap(out, "array<", *elem, &format!(", {n}{}", stride_text(*stride)), inner);
            }
            Type::RuntimeArray(elem, stride) => {
                return self.wrap(out, "array<", *elem, &format!(", ?{}", stride_text(*stride)), inner);
            }
            Type::Pointer(space, to) => {
                return self.wrap(out, &format!("ptr<{}, ", space.name()), *to, "", inner);
            }
            Type::Image(image) => return self.image(out, "image<", image, inner),
            Type::SampledImage(image) => return self.image(out, "sampled_image<", image, inner),
            Type::Function(params, result) => return self.function(out, params, *result, depth),
            Type::Struct(name, members) if self.whole => return self.structure(out, name, members, inner),
            Type::Struct(name, _) => match self.names.and_then(|n| n.structs.get(ty.0 as usize)) {
                Some(name) => out.write_str(name),
                None => out.write_str(&quoted(name, true)),
            },
            Type::Void => out.write_str("void"),
            Type::Bool => out.write_str("bool"),
            Type::Sampler => out.write_str("sampler"),
            Type::AccelerationStructure => out.write_str("acceleration"),
            Type::RayQuery => out.write_str("ray_query"),
        };
    }

    fn structure(&self, out: &mut String, name: &str, members: &[Member], depth: u32) {
        if !name.is_empty() {
            out.push_str(&quoted(name, true));
            out.push(' ');
        }
        out.push('{');
        for (n, member) in members.iter().enumerate() {
            out.push_str(if n == 0 { " " } else { ", " });
            self.write(out, member.ty, depth);
        }
        out.push_str(" }");
    }

    fn wrap(&self, out: &mut String, before: &str, ty: Ty, after: &str, depth: u32) {
        out.push_str(before);
        self.write(out, ty, depth);
        out.push_str(after);
        out.push('>');
    }

    fn image(&self, out: &mut String, before: &str, image: &ImageType, depth: u32) {
        let mut after = format!(", {}", word_of(&DIMS, image.dim));
        let words = [
            (image.signed, "signed"),
            (image.arrayed, "arrayed"),
            (image.multisampled, "multisampled"),
            (image.depth, "depth"),
            (image.storage, "storage"),
        ];
        for (_, word) in words.iter().filter(|(set, _)| *set) {
            let _ = write!(after, ", {word}");
        }
        if image.format != 0 {
            let _ = write!(after, ", format {}", image.format);
        }
        self.wrap(out, before, image.component, &after, depth);
    }

    fn function(&self, out: &mut String, params: &[Ty], result: Ty, depth: u32) {
        out.push_str("fn(");
        for (i, &ty) in params.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", " });
            match self.types.get(ty) {
                // Languages have no pointers to variables of others, but parameters that come back.
                Type::Pointer(Space::Function, to) if self.whole => {
                    out.push_str("inout ");
                    self.write(out, *to, depth + FUNCTION_DEPTH);
                }
                _ => self.write(out, ty, depth + FUNCTION_DEPTH),
            }
        }
        out.push_str(") -> ");
        self.write(out, result, depth + FUNCTION_DEPTH);
    }
}

fn stride_text(stride: u32) -> String {
    if stride == 0 { String::new() } else { format!(", stride {stride}") }
}
