//! Where the facts come from. spec section 1.

use crate::regs::ALU_TO_ALU;
use chiaro_isa::{Class, Purpose, Source, Wait};

pub(super) static ISASPEC: Source = Source {
    name: "isaspec",
    title: "Mesa 25.0.7, src/freedreno/isa: encodings, tested against binaries of the vendor's driver",
};
pub(super) static IR3: Source = Source {
    name: "ir3",
    title: "Mesa 25.0.7, src/freedreno/ir3: scheduling, legality, lowering; runs on hardware",
};
pub(super) static HEADER: Source =
    Source { name: "old header", title: "freedreno, includes/instr-a3xx.h, states of 2013 and 2018" };

/// Sequencer.
pub(super) static FLOW: Class = Class {
    name: "cat0",
    unit: "flow",
    issue: Some(1),
    result: Wait::Slots(0),
    purpose: Purpose::Control,
    source: Some(&IR3),
};
/// Copies: results as of the ALU.
pub(super) static COPY: Class = Class {
    name: "cat1",
    unit: "ALU",
    issue: Some(1),
    result: Wait::Slots(ALU_TO_ALU),
    purpose: Purpose::Move,
    source: Some(&IR3),
};
/// One or two sources.
pub(super) static ALU: Class = Class {
    name: "cat2",
    unit: "ALU",
    issue: Some(1),
    result: Wait::Slots(ALU_TO_ALU),
    purpose: Purpose::Arithmetic,
    source: Some(&IR3),
};
/// Three sources, of which `mad` reads the third two slots late.
pub(super) static MAD: Class = Class {
    name: "mad",
    unit: "ALU",
    issue: Some(1),
    result: Wait::Slots(ALU_TO_ALU),
    purpose: Purpose::Arithmetic,
    source: Some(&IR3),
};
/// Three sources, all read at once.
pub(super) static SEL: Class = Class {
    name: "cat3",
    unit: "ALU",
    issue: Some(1),
    result: Wait::Slots(ALU_TO_ALU),
    purpose: Purpose::Arithmetic,
    source: Some(&IR3),
};
/// Special functions.
pub(super) static SPECIAL: Class = Class {
    name: "cat4",
    unit: "special",
    issue: None,
    result: Wait::Flag { name: "(ss)", slots: 10 },
    purpose: Purpose::Arithmetic,
    source: Some(&IR3),
};
/// Textures.
pub(super) static TEXTURE: Class = Class {
    name: "cat5",
    unit: "texture",
    issue: None,
    result: Wait::Flag { name: "(sy)", slots: 10 },
    purpose: Purpose::Texture,
    source: Some(&IR3),
};
/// Global and private memory.
pub(super) static MEMORY: Class = Class {
    name: "cat6",
    unit: "memory",
    issue: None,
    result: Wait::Flag { name: "(sy)", slots: 10 },
    purpose: Purpose::Memory,
    source: Some(&IR3),
};
/// Local memory and varying storage.
pub(super) static LOCAL: Class = Class {
    name: "local",
    unit: "local memory",
    issue: None,
    result: Wait::Flag { name: "(ss)", slots: 10 },
    purpose: Purpose::Memory,
    source: Some(&IR3),
};
/// Barriers and caches.
pub(super) static BARRIER: Class = Class {
    name: "cat7",
    unit: "memory",
    issue: None,
    result: Wait::Unknown,
    purpose: Purpose::Control,
    source: Some(&IR3),
};
/// Slots in which nothing happens.
pub(super) static EMPTY_SLOT: Class = Class { purpose: Purpose::Wait, ..FLOW };
/// Conversions: as copies, but the bits change.
pub(super) static CONVERSION: Class = Class { purpose: Purpose::Arithmetic, ..COPY };
/// What others add to find their operands.
pub(super) static ADDRESS_LOAD: Class = Class { purpose: Purpose::Address, ..COPY };
/// Private memory: values that have no register.
pub(super) static PRIVATE: Class = Class { purpose: Purpose::Spill, ..MEMORY };
