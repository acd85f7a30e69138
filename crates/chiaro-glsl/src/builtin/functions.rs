//! The functions of the language: rows by family, found by name.
//!
//! A row is a name, what it does, when it is there, and its forms. The notation of a form is
//! that of the specification: `F` is `genType` of floats, `F1` to `F4` are `float` to `vec4`,
//! `VF` a vector of 2 to 4, `OF` an `out` one; the letters for other scalars are `D`, `I`, `U`
//! and `B`. The tables of textures write `Texel(Texture, Coord)` for `gvec4 (gsampler, P)`.

mod devices;
mod gathers;
mod hits;
mod images;
mod invocations;
mod legacy;
mod math;
mod names;
mod others;
mod rays;
mod row;
mod scoped;
mod sized;
mod small;
mod sparse;
mod special;
mod subgroups;
mod textures;

use std::sync::LazyLock;

pub use row::Row;

/// One list of rows after another.
static FAMILIES: [&[Row]; 21] = [
    math::ROWS,
    textures::ROWS,
    legacy::ROWS,
    images::ROWS,
    images::OPERATIONS,
    others::ROWS,
    devices::ROWS,
    gathers::ROWS,
    gathers::GATHERS,
    gathers::HALF_ATOMICS,
    invocations::ROWS,
    rays::QUERIES,
    rays::TRACING,
    hits::NV,
    hits::EXT,
    subgroups::ROWS,
    sized::ROWS,
    sized::BYTES,
    sized::SHORTS,
    small::ROWS,
    special::ROWS,
];

/// All lists.
fn families() -> impl Iterator<Item = &'static [Row]> {
    let values = subgroups::VALUES.iter().chain(subgroups::PARTS);
    FAMILIES.iter().chain(values).chain(subgroups::ARITHMETIC.iter().copied().flatten()).copied()
}

/// All rows, ordered by name. Made when the first source is checked.
static INDEX: LazyLock<Vec<&'static Row>> = LazyLock::new(|| {
    let mut rows: Vec<&Row> = families().flatten().chain(sparse::rows()).chain(scoped::rows()).collect();
    rows.sort_by_key(|row| row.name);
    rows
});

/// The rows of a name, whatever the version.
#[must_use]
pub fn named(name: &str) -> &'static [&'static Row] {
    let start = INDEX.partition_point(|row| row.name < name);
    let rest = INDEX.get(start..).unwrap_or_default();
    let count = rest.iter().take_while(|row| row.name == name).count();
    &rest[..count]
}

/// All names, for advice.
pub fn names() -> impl Iterator<Item = &'static Row> {
    INDEX.iter().copied()
}
