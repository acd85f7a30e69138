//! The counts word of a launch: uniforms, texture and sampler states, registers of the preamble,
//! coefficients (spec 16.2).

use crate::regs::{GPR_HALVES, UNIFORM_HALVES};

/// What a launch has of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Halves of uniforms.
    pub uniforms: u16,
    /// Texture state registers.
    pub textures: u16,
    /// Sampler state registers; 17 are the drivers' own and 16 others.
    pub samplers: u16,
    /// Halves of registers of the preamble.
    pub preamble: u16,
    /// Coefficient bindings, of a fragment program.
    pub coefficients: u16,
}

/// Texture states that Mesa counts on (spec 2.1).
pub const MOST_TEXTURES: u16 = 16;
/// Sampler states with the drivers' own.
pub const MOST_SAMPLERS: u16 = 17;
/// Coefficient registers (spec 2.1).
pub const MOST_COEFFICIENTS: u16 = 256;
/// Halves of uniforms in a group, texture states, halves of the preamble.
const UNIFORM_GROUP: u16 = 64;
const TEXTURE_GROUP: u16 = 8;
const PREAMBLE_GROUP: u16 = 16;

impl Counts {
    /// The word.
    ///
    /// # Errors
    /// What there is too much of: how many, how many are allowed, and what helps.
    pub fn word(&self) -> Result<u32, String> {
        let within = |what: &str, used: u16, allowed: u16, help: &str| match used <= allowed {
            true => Ok(u32::from(used)),
            false => Err(format!("{used} {what}, {allowed} allowed: {help}")),
        };
        let uniforms =
            within("halves of uniforms", self.uniforms, UNIFORM_HALVES, "load some from a buffer")?;
        let textures =
            within("texture states", self.textures, MOST_TEXTURES, "use those beyond from the heap")?;
        within("sampler states", self.samplers, MOST_SAMPLERS, "share samplers with equal state")?;
        let preamble = within("halves of the preamble", self.preamble, GPR_HALVES, "spill in the preamble")?;
        let coefficients = within("coefficient bindings", self.coefficients, 127, "pack varyings together")?;
        // What there is none of still takes a group; the most is written as 0.
        let uniforms = uniforms.div_ceil(UNIFORM_GROUP.into()).max(1) & 7;
        let textures = textures.div_ceil(TEXTURE_GROUP.into());
        let preamble = preamble.div_ceil(PREAMBLE_GROUP.into()) & 15;
        Ok(uniforms << 1
            | textures << 4
            | sampler_code(self.samplers) << 9
            | preamble << 12
            | coefficients << 16)
    }
}

/// The code of a number of sampler states; the 17th needs extended ones.
fn sampler_code(samplers: u16) -> u32 {
    match samplers {
        0 => 0,
        1..=16 => u32::from(samplers).div_ceil(4),
        _ => 7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_groups() {
        let counts = Counts { uniforms: 16, textures: 9, samplers: 5, preamble: 24, coefficients: 5 };
        assert_eq!(counts.word(), Ok(1 << 1 | 2 << 4 | 2 << 9 | 2 << 12 | 5 << 16));
        assert_eq!(Counts { uniforms: 512, ..Counts::default() }.word(), Ok(0));
        assert_eq!(Counts { samplers: 17, ..Counts::default() }.word(), Ok(1 << 1 | 7 << 9));
    }

    #[test]
    fn what_is_too_much_is_told() {
        let over = Counts { uniforms: 513, ..Counts::default() }.word();
        assert!(over.is_err_and(|e| e.starts_with("513 halves of uniforms, 512 allowed")));
        let over = Counts { textures: 17, ..Counts::default() }.word();
        assert!(over.is_err_and(|e| e.contains("the heap")));
    }
}
