//! amdhsa code objects: kernel descriptors, metadata, and the ELF file around them (spec 19).

pub mod descriptor;
#[cfg(feature = "asm")]
mod elf;
#[cfg(feature = "asm")]
pub mod note;
#[cfg(feature = "asm")]
pub mod part;
#[cfg(feature = "target")]
pub(crate) mod relocate;
#[cfg(feature = "asm")]
pub mod yaml;

#[cfg(feature = "asm")]
pub(crate) use elf::is_in_names;
#[cfg(feature = "asm")]
pub use elf::{ReadError, read, write};

/// A code object, relocatable or linked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeObject {
    /// Number of the machine, the low byte of the file's flags; gfx1030 is 0x36.
    pub machine: u8,
    /// Version of the format, 3 to 6.
    pub version: u8,
    /// Whether the file is linked (shared) or relocatable.
    pub linked: bool,
    /// Code.
    pub text: Vec<u8>,
    /// Address of the code in the file's memory.
    pub text_address: u64,
    /// Kernel descriptors and other constants.
    pub rodata: Vec<u8>,
    /// Their address.
    pub rodata_address: u64,
    /// Names.
    pub symbols: Vec<Symbol>,
    /// Places that a linker fills in.
    pub relocations: Vec<Relocation>,
    /// The metadata note, as a record.
    pub note: Option<Vec<u8>>,
}

/// Machine number of gfx1030.
pub const GFX1030: u8 = 0x36;

/// Where a symbol lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// Elsewhere.
    Undefined,
    /// In the code.
    Text,
    /// Among the constants.
    Rodata,
}

/// What a symbol names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A place.
    None,
    /// Data, such as a descriptor.
    Object,
    /// Code.
    Function,
    /// A section itself, by whose start local places are told.
    Section,
}

/// Who sees a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Everyone, and it may be replaced.
    Default,
    /// Only this object.
    Hidden,
    /// Everyone.
    Protected,
}

/// A name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// Where it lies.
    pub section: Section,
    /// Distance from the start of its section.
    pub value: u64,
    /// Bytes that it names.
    pub size: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// Whether other objects see it.
    pub global: bool,
    /// Who sees it.
    pub visibility: Visibility,
}

/// A place that a linker fills in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relocation {
    /// The section that is changed.
    pub section: Section,
    /// The place in it.
    pub offset: u64,
    /// Type, one of `R_AMDGPU_*`.
    pub kind: u32,
    /// Name that it refers to.
    pub symbol: String,
    /// Added to the symbol's address.
    pub addend: i64,
}

/// `R_AMDGPU_ABS32_LO`: half of an address.
pub const ABS32_LO: u32 = 1;
/// `R_AMDGPU_ABS32_HI`.
pub const ABS32_HI: u32 = 2;
/// `R_AMDGPU_ABS64`: an address among constants.
pub const ABS64: u32 = 3;
/// `R_AMDGPU_REL32`: a distance of 32 bits.
pub const REL32: u32 = 4;
/// `R_AMDGPU_REL64`: the entry of a descriptor.
pub const REL64: u32 = 5;
/// `R_AMDGPU_ABS32`: an address of 32 bits.
pub const ABS32: u32 = 6;
/// `R_AMDGPU_GOTPCREL`: the distance to a place that has the address, of 32 bits.
pub const GOTPCREL: u32 = 7;
/// `R_AMDGPU_GOTPCREL32_LO`: half of the distance to a place that has the address.
pub const GOTPCREL32_LO: u32 = 8;
/// `R_AMDGPU_GOTPCREL32_HI`.
pub const GOTPCREL32_HI: u32 = 9;
/// `R_AMDGPU_REL32_LO`: half of a distance.
pub const REL32_LO: u32 = 10;
/// `R_AMDGPU_REL32_HI`.
pub const REL32_HI: u32 = 11;
/// `R_AMDGPU_REL16`: where a branch goes.
pub const REL16: u32 = 14;

/// What the types are called, behind `R_AMDGPU_`. [LLVM: AMDGPUUsage]
pub const RELOCATIONS: [(&str, u32); 14] = [
    ("NONE", 0),
    ("ABS32_LO", ABS32_LO),
    ("ABS32_HI", ABS32_HI),
    ("ABS64", ABS64),
    ("REL32", REL32),
    ("REL64", REL64),
    ("ABS32", ABS32),
    ("GOTPCREL", GOTPCREL),
    ("GOTPCREL32_LO", GOTPCREL32_LO),
    ("GOTPCREL32_HI", GOTPCREL32_HI),
    ("REL32_LO", REL32_LO),
    ("REL32_HI", REL32_HI),
    ("RELATIVE64", 13),
    ("REL16", REL16),
];

/// What follows a name in a literal, and the relocation that it asks for (spec 19.2).
pub const SUFFIXES: [(&str, u32); 6] = [
    ("rel32@lo", REL32_LO),
    ("rel32@hi", REL32_HI),
    ("gotpcrel32@lo", GOTPCREL32_LO),
    ("gotpcrel32@hi", GOTPCREL32_HI),
    ("abs32@lo", ABS32_LO),
    ("abs32@hi", ABS32_HI),
];

/// The section of a name that a section has.
#[cfg(feature = "asm")]
pub(crate) fn section_named(name: &str) -> Option<Section> {
    match name {
        ".text" => Some(Section::Text),
        ".rodata" => Some(Section::Rodata),
        _ => None,
    }
}

impl CodeObject {
    /// The kernels: name and descriptor.
    pub fn kernels(&self) -> impl Iterator<Item = (&str, descriptor::Descriptor)> + '_ {
        self.symbols
            .iter()
            .filter_map(|symbol| Some((symbol.name.strip_suffix(".kd")?, self.descriptor(symbol)?)))
    }

    /// The descriptor that a name among the constants stands for, if it lies in the file.
    pub fn descriptor(&self, symbol: &Symbol) -> Option<descriptor::Descriptor> {
        let place = usize::try_from(symbol.value).ok().filter(|_| symbol.section == Section::Rodata)?;
        let bytes = self.rodata.get(place..)?.first_chunk()?;
        Some(descriptor::Descriptor::read(bytes))
    }

    /// What its note says, if it has one that can be read.
    #[cfg(feature = "asm")]
    #[must_use]
    pub fn document(&self) -> Option<note::Item> {
        note::read(self.note.as_deref()?).ok()
    }

    /// Lanes in a wave, as the first kernel says; 32 if there is none.
    pub fn wave(&self) -> u8 {
        self.kernels().next().map_or(32, |(_, descriptor)| descriptor.wave())
    }
}
