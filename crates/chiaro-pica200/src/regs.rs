//! Registers: banks, sizes, and the two ways of numbering them.
//!
//! spec section 3; the container's numbering (18.8) is in `container`.

pub mod gpu;

/// Register banks, as [`Reg::file`](chiaro_isa::Reg) holds them.
pub mod bank {
    /// v0..v15, inputs, read only.
    pub const INPUT: u8 = 0;
    /// o0..o15, outputs, write only.
    pub const OUTPUT: u8 = 1;
    /// r0..r15, temporaries.
    pub const TEMP: u8 = 2;
    /// c0..c95, float uniforms, read only.
    pub const FLOAT: u8 = 3;
    /// i0..i3, integer uniforms, read by LOOP.
    pub const INT: u8 = 4;
    /// b0..b15, boolean uniforms, read by CALLU, IFU and JMPU.
    pub const BOOL: u8 = 5;
    /// a0.x (index 0), a0.y (1) and aL (2).
    pub const ADDRESS: u8 = 6;
    /// cmp.x (0) and cmp.y (1).
    pub const FLAG: u8 = 7;
}

/// One register bank.
pub struct Bank {
    /// The letter that programs write.
    pub letter: u8,
    /// How many registers.
    pub count: u16,
    /// What it is, for messages.
    pub what: &'static str,
    /// Where picasso numbers its first register \[picasso].
    pub base: u16,
}

/// The banks that programs name, by [`bank`] number.
pub static BANKS: [Bank; 6] = [
    Bank { letter: b'v', count: 16, what: "input register", base: 0 },
    Bank { letter: b'o', count: 16, what: "output register", base: 0 },
    Bank { letter: b'r', count: 16, what: "temporary register", base: 0x10 },
    Bank { letter: b'c', count: 96, what: "float uniform", base: 0x20 },
    Bank { letter: b'i', count: 4, what: "integer uniform", base: 0x80 },
    Bank { letter: b'b', count: 16, what: "boolean uniform", base: 0x88 },
];

/// Inputs plus temporaries plus float uniforms: what the 7-bit source field reaches.
pub const SOURCES: u16 = 0x80;

/// What the 5-bit fields reach: inputs or outputs, and temporaries.
pub const NARROW: u16 = 0x20;

/// The components of a vector in the order of the swizzle letters.
pub const COMPONENTS: [u8; 4] = *b"xyzw";

/// The selector that changes nothing: `.xyzw`.
pub const IDENTITY: u16 = 0x1b;

/// Every component enabled.
pub const ALL: u16 = 0xf;

/// The source behind a 7-bit field: bank and number.
pub const fn source(raw: u16) -> (u8, u16) {
    match raw {
        0..0x10 => (bank::INPUT, raw),
        0x10..0x20 => (bank::TEMP, raw - 0x10),
        _ => (bank::FLOAT, raw - 0x20),
    }
}

/// The destination behind a 5-bit field: bank and number.
pub const fn destination(raw: u16) -> (u8, u16) {
    if raw < 0x10 { (bank::OUTPUT, raw) } else { (bank::TEMP, raw - 0x10) }
}

/// The component (0 x, 3 w) that a selector reads for component `i`.
#[inline]
pub const fn selected(selector: u16, i: usize) -> u16 {
    selector >> (6 - 2 * i) & 3
}

/// The selector that applies `outer` to what `inner` has selected.
pub fn compose(inner: u16, outer: u16) -> u16 {
    (0..4).fold(0, |all, i| all << 2 | selected(inner, selected(outer, i) as usize))
}

/// The write mask (bit 3 is x) of the components that a selector names.
pub fn mask_of(selector: u16) -> u16 {
    (0..4).fold(0, |mask, i| mask | 8 >> selected(selector, i))
}

/// Whether the components of a destination stand in another order than x y z w; that means nothing,
/// and picasso warns of it. \[picasso]
pub fn is_reordered(selector: u16) -> bool {
    (1..4).any(|i| selected(selector, i) < selected(selector, i - 1))
}

/// c registers that there are.
pub const FLOATS: u16 = 96;

/// Words of the vertex unit's program memory. spec section 3.
pub const VERTEX_WORDS: usize = 512;

/// Words that a geometry program may have: what the fields of targets reach. \[azahar] The
/// hardware's size is \[unknown].
pub const GEOMETRY_WORDS: usize = 4096;

/// Outputs that a geometry program has: o0 to o6. \[3dbrew] \[picasso]
pub const GEOMETRY_OUTPUTS: usize = 7;
