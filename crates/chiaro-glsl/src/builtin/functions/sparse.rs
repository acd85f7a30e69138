//! Functions of textures that need not be there as a whole (`GL_ARB_sparse_texture2`), and those
//! with a least level (`GL_ARB_sparse_texture_clamp`).
//!
//! The extensions have one for each function of [`textures`](super::textures), with a parameter
//! more: they are made of those rows.

use super::names::*;
use super::row::{Row, functions};
use super::textures;
use crate::builtin::When;
use crate::builtin::pattern::*;
use crate::intrinsic::Intrinsic::{Instruction, Sample, SparseImageLoad};
use crate::intrinsic::Sampling;
use crate::ty::Scalar;

const SPARSE: When = When::with(&["GL_ARB_sparse_texture2", "GL_ARB_sparse_texture_clamp"]);
const CLAMP: When = When::with(&["GL_ARB_sparse_texture_clamp"]);

const IMAGE: Pattern = pattern(
    Shape::Image(PLANE.and(SOLID).and(CUBE).and(RECT).and(PLANE_ARRAY).and(CUBE_ARRAY)),
    Scalar::Float,
);
const SAMPLES: Pattern = pattern(Shape::Image(MULTI.and(MULTI_ARRAY)), Scalar::Float);
const P: Pattern = pattern(Shape::Fetch, Scalar::Int);
const T: Pattern = written(Shape::Texel4, Scalar::Float);

/// Functions that come from no other.
static OWN: &[Row] = functions! {
    SPARSE => {
        "sparseTexelsResidentARB" Instruction(spirv::Op::ImageSparseTexelsResident) => B1(I1);
        "sparseImageLoadARB" SparseImageLoad => I1(IMAGE, P, T) | I1(SAMPLES, P, I1, T);
    }
};

/// All rows of the extensions. They live as long as the program, as the tables do.
pub(super) fn rows() -> impl Iterator<Item = &'static Row> {
    let made = textures::ROWS.iter().flat_map(|row| match row.what {
        Sample(sampling) if !sampling.projected => variants(row, sampling),
        _ => Vec::new(),
    });
    OWN.iter().chain(made)
}

/// What the extensions make of a function.
fn variants(row: &Row, sampling: Sampling) -> Vec<&'static Row> {
    let sparse = Sampling { sparse: true, ..sampling };
    let mut made = vec![variant(row, sparse, SPARSE)];
    if !(sampling.level || sampling.fetch || sampling.gather) {
        made.push(variant(row, Sampling { clamp: true, ..sampling }, CLAMP));
        made.push(variant(row, Sampling { clamp: true, ..sparse }, CLAMP));
    }
    made
}

fn variant(row: &Row, sampling: Sampling, when: When) -> &'static Row {
    let clamp = if sampling.clamp { "Clamp" } else { "" };
    let name = match (sampling.sparse, row.name.strip_prefix('t')) {
        (true, Some(rest)) => format!("sparseT{rest}{clamp}ARB"),
        _ => format!("{}{clamp}ARB", row.name),
    };
    let forms: Vec<Form> = row.forms.iter().map(|form| changed(form, sampling)).collect();
    let row = Row { name: name.leak(), what: Sample(sampling), when, forms: forms.leak() };
    Box::leak(Box::new(row))
}

/// A form with the least level, and with the texel among the parameters.
fn changed(form: Form, sampling: Sampling) -> Form {
    let mut form = form.to_vec();
    let behind = usize::from(sampling.bias) + usize::from(sampling.component);
    let mut at = form.len() - behind;
    if sampling.clamp {
        form.insert(at, F1);
        at += 1;
    }
    if sampling.sparse {
        form.insert(at, written(form[0].shape, form[0].scalar));
        form[0] = I1;
    }
    form.leak()
}
