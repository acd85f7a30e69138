//! Inputs at other places of their pixels, as columns from the rasteriser to the interpreter.

use chiaro_draw::{Fragment, Weights};
use chiaro_ir::interp::Attributes as Bytes;
use chiaro_ir::interp::Elsewhere;
use chiaro_ir::{Module, Op, Walk};
use chiaro_target::{Attributes, Kind, Value};

/// A column of one over W: in the middle of a pixel, a pixel further along x, and along y.
pub(super) const INVERSE_W: &str = "inverse W";

/// A place where an input may be taken once more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Centroid,
    Sample(usize),
    /// A pixel further along an axis.
    Beside(usize),
}

impl Place {
    /// All of them, for so many samples.
    pub(super) fn all(samples: usize) -> impl Iterator<Item = Place> {
        let beside = [Place::Centroid, Place::Beside(0), Place::Beside(1)];
        beside.into_iter().chain((0..samples).map(Place::Sample))
    }

    /// The column of an input there.
    pub(super) fn column(self, input: &str) -> String {
        match self {
            Place::Centroid => format!("{input} at the centroid"),
            Place::Sample(n) => format!("{input} at sample {n}"),
            Place::Beside(axis) => format!("{input} beside {}", ["x", "y"][axis]),
        }
    }

    pub(super) fn weights(self, fragment: &Fragment) -> &Weights {
        match self {
            Place::Centroid => &fragment.centroid,
            Place::Sample(n) => &fragment.samples[n],
            Place::Beside(axis) => &fragment.beside[axis],
        }
    }
}

/// One over W, as its column has it.
pub(super) fn inverse_w(fragment: &Fragment) -> Value {
    let [x, y] = fragment.beside.each_ref().map(|weights| weights.inverse_w as f32);
    [fragment.middle.inverse_w as f32, x, y].into()
}

/// Whether a shader takes inputs at other places.
pub(super) fn is_asked(module: &Module) -> bool {
    let asks = |f| Walk::insts(f).any(|inst| matches!(f.op(inst), Op::Interpolate(_)));
    module.functions.iter().any(asks)
}

/// What the columns say; `bytes` are those of all inputs at a place.
///
/// # Errors
/// What `bytes` reports.
pub(super) fn elsewhere<E>(
    given: &Attributes,
    samples: usize,
    bytes: impl Fn(Place) -> Result<Bytes, E>,
) -> Result<Elsewhere, E> {
    let all = given.columns.iter().find(|(name, _)| name == INVERSE_W);
    let Some((name, all)) = all else { return Ok(Elsewhere::default()) };
    let of_row = |value: Value| {
        let words = value.words(name, Kind::Float(32)).unwrap_or_default();
        std::array::from_fn(|n| f32::from_bits(words.get(n).copied().unwrap_or(0)).into())
    };
    Ok(Elsewhere {
        centroid: bytes(Place::Centroid)?,
        samples: (0..samples).map(|n| bytes(Place::Sample(n))).collect::<Result<_, E>>()?,
        beside: [bytes(Place::Beside(0))?, bytes(Place::Beside(1))?],
        inverse_w: all.values().iter().cloned().map(of_row).collect(),
    })
}
