//! Keywords of the text form, and what operands a literal
//! takes its type from: what printing and parsing have to agree on.

use crate::function::Function;
use crate::id::{FunctionRef, Value};
use crate::module::Interpolation;
use crate::op::{Op, Query, Shape, Taken};
use crate::ty::{Dim, Ty, Type, Types};

/// Dimensions of images.
pub(crate) const DIMS: [(Dim, &str); 7] = [
    (Dim::D1, "1d"),
    (Dim::D2, "2d"),
    (Dim::D3, "3d"),
    (Dim::Cube, "cube"),
    (Dim::Rect, "rect"),
    (Dim::Buffer, "buffer"),
    (Dim::Subpass, "subpass"),
];

/// Questions about images.
pub(crate) const QUERIES: [(Query, &str); 4] =
    [(Query::Size, "size"), (Query::Levels, "levels"), (Query::Samples, "samples"), (Query::Lod, "lod")];

/// Where inputs are taken once more.
pub(crate) const TAKEN: [(Taken, &str); 3] =
    [(Taken::Centroid, "centroid"), (Taken::Sample, "sample"), (Taken::Offset, "offset")];

/// Interpolations other than the usual one.
pub(crate) const INTERPOLATIONS: [(Interpolation, &str); 2] =
    [(Interpolation::Linear, "linear"), (Interpolation::Flat, "flat")];

/// Bits of SPIR-V's memory semantics.
pub(crate) const SEMANTICS: [(u32, &str); 14] = [
    (0x2, "acquire"),
    (0x4, "release"),
    (0x8, "acq_rel"),
    (0x10, "seq_cst"),
    (0x40, "uniform"),
    (0x80, "subgroup"),
    (0x100, "workgroup"),
    (0x200, "cross_workgroup"),
    (0x400, "counter"),
    (0x800, "image"),
    (0x1000, "output"),
    (0x2000, "available"),
    (0x4000, "visible"),
    (0x8000, "volatile"),
];

/// Words that mean types, and so cannot name a structure without quotes.
pub(crate) const TYPE_WORDS: [&str; 10] =
    ["void", "bool", "array", "image", "sampler", "sampled_image", "acceleration", "ray_query", "ptr", "fn"];

/// Words that mean constants.
pub(crate) const CONSTANT_WORDS: [&str; 5] = ["true", "false", "zero", "undef", "inf"];

/// Whether a word names a scalar or vector type: `f32`, `vec3`.
pub(crate) fn is_numbered_type(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = &word[..word.len() - digits.len()];
    ["i", "f", "vec"].contains(&letters) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// The word of a value in one of the tables above.
pub(crate) fn word_of<T: Copy + PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table.iter().find(|(v, _)| *v == value).map_or("?", |(_, word)| word)
}

/// The value of a word in one of the tables above.
pub(crate) fn by_word<T: Copy>(table: &[(T, &'static str)], word: &str) -> Option<T> {
    table.iter().find(|(_, w)| *w == word).map(|(value, _)| *value)
}

/// What is known of an instruction when its operand number `args.len()` is to be written.
pub(crate) struct Place<'a> {
    pub(crate) types: &'a Types,
    pub(crate) functions: &'a [Function],
    pub(crate) f: &'a Function,
    pub(crate) op: Op,
    pub(crate) results: &'a [Ty],
    pub(crate) args: &'a [Value],
}

impl Place<'_> {
    /// The type that a literal has here without saying so; where there is none, a bare
    /// literal is `i32`, `f32` or `bool` by its looks.
    pub(crate) fn literal_type(&self) -> Option<Ty> {
        let result = self.results.first().copied();
        let i = self.args.len();
        match self.op.info().shape {
            Shape::Same(_) => result,
            Shape::Compare | Shape::Dot => self.arg(0),
            Shape::Shift if i == 0 => result,
            Shape::Shift => result.filter(|&ty| self.types.is_int(ty)),
            Shape::Select if i > 0 => result,
            Shape::Special => self.special(i, result),
            _ => None,
        }
    }

    fn arg(&self, i: usize) -> Option<Ty> {
        self.args.get(i).map(|&value| self.f.ty(value))
    }

    fn special(&self, i: usize, result: Option<Ty>) -> Option<Ty> {
        use Op::*;
        match (self.op, i) {
            (BitInsert, 0 | 1) | (BitExtractU | BitExtractS | Insert(_) | InsertDyn, 0) => result,
            (Construct, _) => self.types.part(result?, i as u32),
            (Insert(n), 1) => self.types.part(result?, n),
            (InsertDyn, 1) => Some(self.types.scalar(result?)),
            (Var(_), 0) => self.types.pointee(result?).map(|(_, ty)| ty),
            (Store | AtomicStore(..), 1) => self.types.pointee(self.arg(0)?).map(|(_, ty)| ty),
            (Atomic(..) | AtomicCompare(..), 1..) => result,
            (Broadcast | BroadcastFirst | LaneShuffle | LaneXor | LaneUp | LaneDown, 0) => result,
            (LaneRotate(_) | LaneCombine(..) | QuadBroadcast | QuadSwap(_), 0) => result,
            (Call(callee), _) => self.param(callee, i),
            (CallIndirect, 1..) => match self.types.get(self.arg(0)?) {
                Type::Function(params, _) => params.get(i - 1).copied(),
                _ => None,
            },
            (Return, 0) => Some(self.f.result).filter(|&ty| *self.types.get(ty) != Type::Void),
            (Exit(at) | Repeat(at), _) if at.0 as usize >= self.f.inst_count() => None,
            (Exit(at), _) => self.f.result(at, i).map(|value| self.f.ty(value)),
            (Repeat(at), _) => {
                let body = self.f.blocks_of(at).first().filter(|b| (b.0 as usize) < self.f.block_count())?;
                let param = self.f.block(*body).params.get(i).copied();
                param.filter(|p| (p.0 as usize) < self.f.value_count()).map(|param| self.f.ty(param))
            }
            _ => None,
        }
    }

    fn param(&self, callee: FunctionRef, i: usize) -> Option<Ty> {
        let callee = self.functions.get(callee.0 as usize)?;
        callee.params.get(i).map(|&value| callee.ty(value))
    }
}
