//! Which implicit conversions a version has, with its extensions.

use crate::builtin::{Enabled, When};
use crate::source::{Stage, Version};
use crate::ty::{Length, Scalar, Ty, Type, Types};

/// Which implicit conversions a source has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Conversions {
    /// `int` to `float`: 1.20.
    pub(crate) int_float: bool,
    /// `uint` to `float`: 1.30.
    pub(crate) uint_float: bool,
    /// `int` to `uint`: 4.00.
    pub(crate) int_uint: bool,
    /// Anything to `double`: 4.00.
    pub(crate) double: bool,
    /// To integers of 64 bits, and from those of 8 and 16.
    pub(crate) sized: bool,
    /// Several functions that fit by conversion are ranked: 4.00. Else that is an error.
    pub(crate) ranked: bool,
}

pub(crate) const INT_FLOAT: When = When::since(0, 120).or(&["GL_EXT_shader_implicit_conversions"]);
pub(crate) const UINT_FLOAT: When =
    When::since(0, 130).or(&["GL_EXT_shader_implicit_conversions", "GL_EXT_gpu_shader4"]);
pub(crate) const INT_UINT: When = When::since(0, 400).or(&[
    "GL_ARB_gpu_shader5",
    "GL_EXT_shader_implicit_conversions",
    "GL_MESA_shader_integer_functions",
]);
pub(crate) const DOUBLE: When = When::since(0, 400).or(&["GL_ARB_gpu_shader_fp64"]);
pub(crate) const SIZED: When = When::with(&[
    "GL_ARB_gpu_shader_int64",
    "GL_AMD_gpu_shader_half_float",
    "GL_AMD_gpu_shader_int16",
    "GL_EXT_shader_16bit_storage",
    "GL_EXT_shader_8bit_storage",
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_explicit_arithmetic_types_int8",
    "GL_EXT_shader_explicit_arithmetic_types_int16",
    "GL_EXT_shader_explicit_arithmetic_types_int64",
    "GL_EXT_shader_explicit_arithmetic_types_float16",
]);

impl Conversions {
    /// Those of a version with extensions.
    pub(crate) fn of(version: Version, enabled: &Enabled) -> Conversions {
        let is = |when: When| when.is(version, Stage::Vertex, enabled);
        Conversions {
            int_float: is(INT_FLOAT),
            uint_float: is(UINT_FLOAT),
            int_uint: is(INT_UINT),
            double: is(DOUBLE),
            sized: is(SIZED),
            ranked: is(INT_UINT) || is(DOUBLE),
        }
    }

    /// Whether a scalar becomes another by itself. Equal ones do.
    pub(crate) fn scalar(&self, from: Scalar, to: Scalar) -> bool {
        use Scalar::*;
        match (from, to) {
            _ if from == to => true,
            (Int, Float) => self.int_float,
            (Uint, Float) => self.uint_float,
            (Int, Uint) => self.int_uint,
            (Int | Uint | Float, Double) => self.double,
            (Int | Uint, Int64 | Uint64) | (Int64, Uint64) | (Int64 | Uint64, Double) => self.sized,
            (Int8 | Int16 | Uint8 | Uint16, Int | Int64 | Uint | Uint64 | Float | Double)
            | (Int8, Int16 | Uint8 | Uint16 | Float16)
            | (Uint8, Int16 | Uint16 | Float16)
            | (Int16, Uint16 | Float16)
            | (Uint16, Float16)
            | (Float16, Float | Double) => self.sized,
            (Small(_), Float | Double) => true,
            (Small(crate::small::Small::Brain), _) => false,
            (Small(_), Float16 | Small(crate::small::Small::Brain)) => true,
            _ => false,
        }
    }

    /// Whether a type becomes another by itself.
    pub(crate) fn fits(&self, types: &Types, from: Ty, to: Ty) -> bool {
        if from == to {
            return true;
        }
        match (types.get(from), types.get(to)) {
            (Type::Error, _) | (_, Type::Error) => true,
            (Type::Scalar(a), Type::Scalar(b)) => self.scalar(*a, *b),
            (Type::Vector(a, n), Type::Vector(b, m)) => n == m && self.scalar(*a, *b),
            (
                Type::Matrix { scalar: a, columns, rows },
                Type::Matrix { scalar: b, columns: other_columns, rows: other_rows },
            ) => columns == other_columns && rows == other_rows && self.scalar(*a, *b),
            (Type::Array(a, n), Type::Array(b, m)) => {
                // An array that has its size at run time or from its use is taken as it comes.
                (n == m || *n == Length::Unsized || *m == Length::Unsized)
                    && (a == b || both_errors(types, *a, *b))
            }
            _ => false,
        }
    }
}

pub(crate) fn both_errors(types: &Types, a: Ty, b: Ty) -> bool {
    matches!(types.get(a), Type::Error) || matches!(types.get(b), Type::Error)
}
