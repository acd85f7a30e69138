//! The targets, and how to tell which one an input is for.

use chiaro_pica200::machine;
pub use chiaro_sim::Assumption;
use chiaro_utgard::container::Mbs;

use crate::instructions::Instructions;

/// A machine that chiaro knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Target {
    /// Vertex and geometry units of the Nintendo 3DS.
    Pica200,
    /// Vertex processor of the Mali-400 and Mali-450.
    UtgardGp,
}

/// What there is to say about a target in a few lines.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Chip, and the devices that have it.
    pub machine: &'static str,
    /// Shader stages.
    pub stages: &'static [&'static str],
    /// Source dialects and file formats, with their usual file name endings.
    pub formats: &'static [(&'static str, &'static str)],
    /// Number modes of the simulator, the default first, with what they are.
    pub modes: &'static [(&'static str, &'static str)],
    /// Limits of the machine, each with its number.
    pub limits: &'static [(&'static str, u32)],
}

impl Target {
    /// All targets in the order of their arrival.
    pub const ALL: [Target; 2] = [Target::Pica200, Target::UtgardGp];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Target::Pica200 => "pica200",
            Target::UtgardGp => "utgard-gp",
        }
    }

    /// The target of a name. `utgard` is short for the one processor of that family.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Target> {
        match name {
            "utgard" => Some(Target::UtgardGp),
            _ => Self::ALL.into_iter().find(|t| t.name() == name),
        }
    }

    /// The target that an input is for, by the ending of its name or its first bytes.
    #[must_use]
    pub fn of_input(name: &str, bytes: &[u8]) -> Option<Target> {
        Self::ALL.into_iter().find(|t| t.has_container(bytes) || t.has_name(name))
    }

    /// Whether the bytes are a container of this target.
    #[must_use]
    pub fn has_container(self, bytes: &[u8]) -> bool {
        match self {
            Target::Pica200 => bytes.starts_with(b"DVLB"),
            Target::UtgardGp => Mbs::is(bytes),
        }
    }

    /// The instruction set, prepared at the first call.
    #[must_use]
    pub fn instructions(self) -> Instructions {
        match self {
            Target::Pica200 => Instructions::One(&chiaro_pica200::isa::PICA200),
            Target::UtgardGp => Instructions::Utgard,
        }
    }

    /// What the documents of the hardware leave open, as options of the simulator.
    #[must_use]
    pub fn assumptions(self) -> &'static [Assumption] {
        match self {
            Target::Pica200 => machine::config::ASSUMPTIONS,
            Target::UtgardGp => chiaro_utgard::machine::ASSUMPTIONS,
        }
    }

    fn has_name(self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let endings = self.about().formats.iter().flat_map(|(_, endings)| endings.split(' '));
        endings.filter(|ending| !ending.is_empty()).any(|ending| name.ends_with(ending))
    }

    /// The target in a few lines. Limits: spec section 2.
    #[must_use]
    pub fn about(self) -> About {
        match self {
            Target::Pica200 => About {
                machine: "DMP PICA200 vertex and geometry units: Nintendo 3DS family",
                stages: &["vertex", "geometry"],
                formats: &[
                    ("picasso source", ".pica .vsh .gsh"),
                    ("nihcode source", ".nih"),
                    ("SHBIN container", ".shbin"),
                ],
                modes: &[
                    ("emu32", "binary32, as emulators compute"),
                    ("hw24", "float24, as the console is expected to compute"),
                ],
                limits: &[
                    ("words of a vertex program", 512),
                    ("words of a geometry program", 4096),
                    ("operand descriptors", 128),
                    ("operand descriptors that mad reaches", 32),
                    ("inputs", 16),
                    ("outputs", 16),
                    ("temporaries", 16),
                    ("float uniforms", 96),
                    ("integer uniforms", 4),
                    ("boolean uniforms", 16),
                ],
            },
            Target::UtgardGp => About {
                machine: "ARM Mali-400 and Mali-450 vertex processor (Utgard GP)",
                stages: &["vertex"],
                formats: &[("chiaro's listing", ".gp"), ("MBS1 container", ".mbs")],
                modes: &[("ieee", "binary32, every operation correctly rounded")],
                limits: &[
                    ("instructions", 512),
                    ("vec4 of uniform memory", 304),
                    ("attributes", 16),
                    ("outputs", 16),
                    ("registers of four components", 16),
                    ("address registers", 4),
                ],
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn inputs_tell_their_target_by_name_or_content() {
        let of = |name| Target::of_input(name, b"nop");
        assert_eq!(of("a.v.pica"), Some(Target::Pica200));
        assert_eq!(of("A.VSH"), Some(Target::Pica200));
        assert_eq!(of("a.nih"), Some(Target::Pica200));
        assert_eq!(of("a.gp"), Some(Target::UtgardGp));
        assert_eq!(of("a.txt"), None);
        assert_eq!(Target::of_input("x", b"DVLB\x01\0\0\0"), Some(Target::Pica200));
        assert_eq!(Target::of_input("x", b"MBS1\0\0\0\0"), Some(Target::UtgardGp));
        assert_eq!(Target::from_name("utgard"), Target::from_name("utgard-gp"));
    }
}
