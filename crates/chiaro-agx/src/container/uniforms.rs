//! What the uniform halves of a program hold: what its file says of them, its constants, and what the ABI fixes for the
//! parts that read them (spec 14.2 to 14.4).

use std::ops::Range;

use super::file::{File, Held, INPUT_ASSEMBLY, Role, Stage, What};
use crate::abi::uniforms::Vertex;

/// The first half of attributes in registers, and halves of each.
const ATTRIBUTES: u16 = 16;
const ATTRIBUTE: u16 = 8;
/// What every part of a fragment program finds: the first half, halves, a name.
const FRAGMENT: [(u16, u16, &str); 3] = [(0, 4, "texture heap"), (4, 8, "blend constant"), (12, 4, "root")];

impl File {
    /// Everything that a driver puts into uniforms before the program starts, in ascending order: what the file says,
    /// and what the ABI has for halves that some part reads. Constants are named, their bytes stand in the file.
    #[must_use]
    pub fn map(&self) -> Vec<Held> {
        let mut all = self.uniforms.clone();
        for (first, bytes) in &self.constants {
            let halves = bytes.len().div_ceil(2) as u16;
            all.push(Held { first: *first, halves, what: What::Constant, ..Held::default() });
        }
        let said: Vec<Range<u16>> = all.iter().map(|held| held.first..held.first + held.halves).collect();
        let is_read = |at: &Range<u16>| {
            let mut read = self.parts.iter().flat_map(|part| &part.contract.uniforms);
            read.any(|half| at.contains(half))
        };
        let is_said = |at: &Range<u16>| said.iter().any(|known| known.start < at.end && at.start < known.end);
        for (first, halves, name) in self.fixed() {
            let at = first..first + halves;
            if is_read(&at) && !is_said(&at) {
                all.push(Held { first, halves, what: What::Draw, name, ..Held::default() });
            }
        }
        all.sort_by_key(|held| held.first);
        all
    }

    /// What the ABI fixes for a program of this stage.
    fn fixed(&self) -> Vec<(u16, u16, String)> {
        match self.stage {
            Stage::Compute => Vec::new(),
            Stage::Fragment => {
                FRAGMENT.map(|(first, halves, name)| (first, halves, name.to_owned())).to_vec()
            }
            Stage::Vertex | Stage::SoftwareVertex => {
                let is_software = self.stage == Stage::SoftwareVertex;
                Vertex::new(self.attributes(), is_software).map_or_else(|_| Vec::new(), of_vertices)
            }
        }
    }

    /// Attributes up to the highest that the main part reads.
    fn attributes(&self) -> u16 {
        let main = self.parts.iter().find(|part| part.role == Role::Main);
        let last = main.and_then(|main| main.contract.needs().max()).filter(|half| *half >= ATTRIBUTES);
        last.map_or(0, |half| (half - ATTRIBUTES) / ATTRIBUTE + 1)
    }
}

fn of_vertices(abi: Vertex) -> Vec<(u16, u16, String)> {
    let count = abi.clamp(0) / 4;
    let bases = (0..count).map(|a| (abi.base(a), 4, format!("base of attribute {a}")));
    let clamps = (0..count).map(|a| (abi.clamp(a), 2, format!("last element of attribute {a}")));
    let draw = [
        (abi.base_vertex(), 2, "base vertex".to_owned()),
        (abi.base_instance(), 2, "base instance".to_owned()),
        (abi.draw_id(), 1, "draw".to_owned()),
    ];
    let assembly = abi.input_assembly().map(|first| (first, 4, INPUT_ASSEMBLY.to_owned()));
    bases.chain(clamps).chain(draw).chain(assembly).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A part of no code that reads some halves of registers and of uniforms.
    fn part(role: Role, needs: &[u16], uniforms: &[u16]) -> super::super::file::Part {
        let mut part = super::super::file::Part::of(Stage::Vertex, role, &[], 0);
        part.contract.needs = needs.iter().map(|half| (*half, 0)).collect();
        part.contract.uniforms = uniforms.to_vec();
        part
    }

    #[test]
    fn every_half_that_is_read_is_named() {
        // The main part reads attribute 1, so there are two: bases at 0 and 4, clamps at 8 and 10.
        let parts = vec![
            part(Role::Prolog, &[10], &[4, 5, 6, 7, 10, 11]),
            part(Role::Main, &[10, 24, 25], &[12, 13, 20, 21, 22, 23]),
        ];
        let scene =
            Held { first: 20, halves: 4, what: What::Address, name: "Scene".to_owned(), ..Held::default() };
        let constants = vec![(24, vec![0; 4])];
        let file = File { stage: Stage::Vertex, parts, uniforms: vec![scene], constants, ..File::default() };
        let found: Vec<(u16, u16, String)> =
            file.map().into_iter().map(|held| (held.first, held.halves, held.name)).collect();
        let wanted = [
            (4, 4, "base of attribute 1"),
            (10, 2, "last element of attribute 1"),
            (12, 2, "base vertex"),
            (20, 4, "Scene"),
            (24, 2, ""),
        ];
        assert_eq!(found, wanted.map(|(first, halves, name)| (first, halves, name.to_owned())));
    }
}
