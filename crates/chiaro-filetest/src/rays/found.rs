//! What the kernel writes down of a ray, and when two such rows say the same.

use std::fmt;

use super::{Asked, BESIDE, largest};

/// Numbers of 32 bits that two sides compute may differ by so much of the largest number that goes into them.
const ROUNDING: f32 = 1e-5;

/// The parts of a row, by name and first word. What stands before the distance is whole; transforms to the world and
/// corners are copied from the scene, the rest is computed.
const PARTS: [(&str, usize); 18] = [
    ("kind", 0),
    ("count", 1),
    ("sum", 2),
    ("ray", 3),
    ("instance", INSTANCE),
    ("geometry", 5),
    ("primitive", 6),
    ("custom index", 7),
    ("record", 8),
    ("side", 9),
    ("distance", DISTANCE),
    ("shares", SHARES),
    ("origin", ORIGIN),
    ("direction", DIRECTION),
    ("transform to the world", TO_WORLD),
    ("transform to the object", TO_OBJECT),
    ("corners", CORNERS),
    ("", Found::WORDS),
];
const INSTANCE: usize = 4;
const DISTANCE: usize = 10;
const SHARES: usize = 11;
const ORIGIN: usize = 13;
const DIRECTION: usize = 16;
const TO_WORLD: usize = 19;
const TO_OBJECT: usize = 31;
const CORNERS: usize = 43;

/// A row of the kernel: kind of the hit, number and sum of what was counted, whether the query tells the ray as it was
/// given; instance, geometry, primitive, custom index, record and side; distance, shares, origin and direction in the
/// space of the instance, its transforms, corners.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Found(pub [u32; Found::WORDS]);

impl Found {
    /// Words of a row.
    pub const WORDS: usize = 52;

    /// Rows from all words of the buffer.
    #[must_use]
    pub fn all(words: &[u32]) -> Vec<Found> {
        words.as_chunks().0.iter().map(|row| Found(*row)).collect()
    }

    /// Whether something was hit.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.0[0] != 0
    }

    /// The distance of the hit.
    #[must_use]
    pub fn distance(&self) -> f32 {
        self.number(DISTANCE)
    }

    /// Instance, geometry and primitive that are hit.
    pub(super) fn place(&self) -> [usize; 3] {
        [0, 1, 2].map(|n| self.0[INSTANCE + n] as usize)
    }

    /// Whether all that is not computed is the same.
    pub(super) fn names(&self, other: &Found) -> bool {
        let named = |row: &Found| {
            let [whole, to_world, corners] = [0..DISTANCE, TO_WORLD..TO_OBJECT, CORNERS..Found::WORDS];
            [whole, to_world, corners].map(|part| row.0[part].to_vec())
        };
        named(self) == named(other)
    }

    /// The numbers that are computed, each with what rounding may change.
    pub(super) fn computed(&self, asked: &Asked) -> impl Iterator<Item = (f32, f32)> {
        (DISTANCE..TO_WORLD).chain(TO_OBJECT..CORNERS).map(|n| (self.number(n), self.slack(n, asked)))
    }

    /// What rounding may change in the distance.
    pub(super) fn distance_slack(&self, asked: &Asked) -> f32 {
        self.slack(DISTANCE, asked)
    }

    /// The parts that differ from another row's by more than rounding.
    pub(super) fn apart(&self, other: &Found, asked: &Asked) -> String {
        let differs = |n: usize| {
            let off = (self.number(n) - other.number(n)).abs();
            self.0[n] != other.0[n] && (n < DISTANCE || off > self.slack(n, asked))
        };
        let all = PARTS.windows(2).filter(|pair| (pair[0].1..pair[1].1).any(differs));
        all.map(|pair| pair[0].0).collect::<Vec<_>>().join(", ")
    }

    fn number(&self, n: usize) -> f32 {
        f32::from_bits(self.0[n])
    }

    /// What rounding may change in a number: a part of what the largest numbers come to that go into it.
    fn slack(&self, n: usize, asked: &Asked) -> f32 {
        let most = |first: usize, count: usize| {
            (first..first + count).map(|n| self.number(n).abs()).fold(0.0, f32::max)
        };
        let [origin, direction] = [asked.ray.origin, asked.ray.direction].map(|v| largest(&v));
        let (linear, moved) = (most(TO_OBJECT, 9), most(TO_OBJECT + 9, 3));
        let of = match n {
            DISTANCE => self.distance().abs() + origin / direction,
            SHARES..ORIGIN => 1.0,
            // Three coordinates of rays that begin beside go into each.
            ORIGIN..DIRECTION => (linear * origin + moved) * (1.0 + 3.0 * BESIDE / ROUNDING),
            DIRECTION..TO_WORLD => linear * direction,
            TO_OBJECT..CORNERS if n < TO_OBJECT + 9 => linear,
            TO_OBJECT..CORNERS => moved.max(linear * most(TO_WORLD + 9, 3)),
            _ => 0.0,
        };
        ROUNDING * of
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [kind, count, sum, told, instance, geometry, primitive, custom, record, side] =
            *self.0.first_chunk().unwrap_or(&[0; DISTANCE]);
        if count != 0 || told != 1 {
            write!(f, "{count} counted ({sum:08x}), told {told}; ")?;
        }
        let side = match (kind, side) {
            (0, _) => return write!(f, "nothing"),
            (1, 0) => "back",
            (1, _) => "front",
            (_, 2) => "box",
            _ => "opaque box",
        };
        write!(f, "instance {instance} (custom {custom}, record {record}), geometry {geometry}, ")?;
        write!(f, "primitive {primitive}: {side} at {}, ", self.distance())?;
        write!(f, "shares {} {}", self.number(SHARES), self.number(SHARES + 1))
    }
}
