//! The numbers of the machine, each once: sizes of its memories, waits of its stores, and what
//! selectors hold that name nothing. Only the checker has its own copy of limits and waits, so
//! that it finds a mistake here. spec sections 4, 6, 9, 10 and 17.

/// Instructions of a program: the target of a branch has nine bits. \[ARM]
pub const INSTRUCTIONS: usize = 512;

/// vec4 of uniform memory: user's uniforms, viewport, temporaries and constants. \[Mesa]
pub const UNIFORMS: usize = 304;

/// vec4 of each bank: attributes, outputs, registers. \[Mesa]
pub const BANK: usize = 16;

/// Scalars of each bank.
pub const SCALARS: usize = 4 * BANK;

/// The number of a vec4 in its bank: the field has four bits.
pub const BANK_MASK: u8 = BANK as u8 - 1;

/// Components of a vec4 as texts name them.
pub const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The name of a component, of which numbers have two bits.
#[must_use]
pub const fn letter(component: u8) -> char {
    COMPONENTS[component as usize & 3]
}

/// vec4 behind the user's uniforms that hold the viewport's scale and offset. \[Mesa]
pub const VIEWPORT: u16 = 2;

/// Address registers that loads can add, addr1 to addr3; addr0 is that of stores. \[ISA notes]
pub const LOAD_ADDRESSES: u8 = 3;

/// Instructions from a register's store to its first load. \[Mesa]
pub const REGISTER_WAIT: u16 = 3;

/// Instructions from a temporary's store to its first load. \[ISA notes]
pub const TEMPORARY_WAIT: u16 = 4;

/// Instructions from setting an address register to the first load through it. \[ISA notes]
pub const ADDRESS_WAIT: u16 = 4;

/// Instructions' worth of these waits that a taken branch hides, and what it costs: at least two
/// in the code of ARM's compiler. \[ARM]
pub const TAKEN_BRANCH: u32 = 2;

/// 1 / w is kept between minus this and this. \[Mesa]
pub const RECIPROCAL_LIMIT: f32 = 32768.0;

/// Point sizes are kept between these. \[Mesa]
pub const POINT_SIZE: (f32, f32) = (1.0, 100.0);

/// The operand selector of an idle unit. \[Mesa]
pub const UNUSED: u32 = 21;

/// The selector of operand B that is the unit's neutral number: 1 for multipliers, 0 for adders.
/// \[Mesa]
pub const IDENT: u32 = 22;

/// The selector of a store that stores nothing. \[Mesa]
pub const NO_STORE: u32 = 7;

/// The address register of a load that adds none. \[Mesa]
pub const NO_OFFSET: u32 = 7;

/// What compilers write into the field of unknown meaning beside a temporary's store. \[Mesa]
pub const WITH_TEMPORARY: u32 = 12;

/// What compilers write into the field of unknown meaning beside a branch. \[Mesa]
pub const WITH_BRANCH: u32 = 13;
