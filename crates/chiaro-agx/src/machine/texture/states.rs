//! State registers: descriptors that instructions name by number.

/// Texture states that the field of an instruction names; sampler states.
pub(super) const TEXTURES: usize = 256;
pub(super) const SAMPLERS: usize = 256;

/// Texture and sampler state registers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct States {
    /// Descriptors by register; `None` where nothing was bound.
    pub textures: Vec<Option<[u8; 24]>>,
    /// Samplers by register.
    pub samplers: Vec<Option<[u8; 8]>>,
}

impl Default for States {
    fn default() -> States {
        States { textures: vec![None; TEXTURES], samplers: vec![None; SAMPLERS] }
    }
}
