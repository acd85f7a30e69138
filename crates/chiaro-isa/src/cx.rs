//! What printing, parsing and decoding know besides the bits.

use crate::value::Value;

/// Everything around one instruction that its text or meaning may depend on.
#[derive(Clone, Copy, Default)]
pub struct Cx<'a> {
    /// Which of the set's dialects; an index into [`Set::dialects`](crate::Set).
    pub dialect: u8,
    /// Which generation, for kinds that differ; an index into
    /// [`Set::generations`](crate::Set). [`Isa::cx`](crate::Isa::cx) sets it to the
    /// set's own, which decides about operations and fields whatever stands here.
    pub generation: u8,
    /// Lanes in a wave, where a target has a choice; else 0.
    pub wave: u8,
    /// The target's own switches, such as a tool's compatibility mode.
    pub options: u32,
    /// Byte address of the instruction, for relative places.
    pub address: u64,
    /// Names of places and registers.
    pub symbols: Option<&'a dyn Symbols>,
    /// Rules that are not enforced, by their [`id`](crate::Rule::id).
    pub waived: &'a [&'static str],
}

/// Names around an instruction: aliases and labels.
pub trait Symbols {
    /// What a name stands for: a register with its modifiers, an address, or a
    /// [`Value::Symbol`] that is patched later.
    fn lookup(&self, name: &str) -> Option<Value>;

    /// Whether a name may hide what the target itself calls by it, such as a register.
    fn hides(&self) -> bool {
        true
    }

    /// What a name stands for where a place in the code is expected; languages that
    /// keep labels apart from other names override it.
    fn target(&self, name: &str) -> Option<Value> {
        self.lookup(name)
    }

    /// The name of a register of a file, for listings, and where in the named run of
    /// registers it stands; `None` for the place if the name is of one register alone.
    fn register(&self, _file: u8, _index: u16) -> Option<(&str, Option<u16>)> {
        None
    }

    /// The name of a place in the code, in the unit that the target's kinds use.
    fn name_at(&self, _address: u64) -> Option<&str> {
        None
    }
}
