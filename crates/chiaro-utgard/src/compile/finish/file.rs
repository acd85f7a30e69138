//! Writes a compiled shader as an MBS1 file: code, names with their places, and constants.
//!
//! Names and records are those of the older open compiler, so that its readers find what they
//! know: the viewport's transformation first, then the user's uniforms, then constants with their
//! values. Places are our own, in floats. spec section 16.

use crate::abi::{Kind, Placed, PlacedLeaf};
use crate::compile::combine::derive::Derived;
use crate::compile::compiled::Compiled;
use crate::container::{Chunk, Core, Mbs, Symbol, Symbols, Table};
use crate::isa::word;
use crate::regs;

/// Names of the file's own uniforms. [lima_compiler]
const VIEWPORT: &str = "gl_mali_ViewportTransform";
const CONSTANT: &str = "?__maligp2_constant_";
/// What the host computes; ours.
const DERIVED: &str = "?chiaro_derived_";

impl Compiled {
    /// The file.
    #[must_use]
    pub fn file(&self) -> Mbs {
        let loads = |word: &word::Word| word.get(word::PORT0_ATTRIBUTE) == 1;
        let prefetch = self.words.iter().rposition(loads).map_or(0, |last| last as u32 + 1);
        let count = self.words.len() as u32;
        let code = self.words.iter().flat_map(|word| word.to_bytes()).collect();
        let table = |table, size, list| Chunk::Symbols(Symbols { table, size, list });
        Mbs {
            core: Core::Vertex(6),
            chunks: vec![
                Chunk::Instructions { unknown: 0, count, prefetch },
                table(Table::Uniforms, u32::from(self.abi.behind_viewport()) * 4, self.uniforms()),
                table(Table::Attributes, 0, self.names(&self.abi.attributes, Table::Attributes)),
                table(Table::Varyings, 0, self.names(&self.abi.outputs, Table::Varyings)),
                Chunk::Code(code),
            ],
            behind: Vec::new(),
        }
    }

    fn uniforms(&self) -> Vec<Symbol> {
        let own = |name: String, at: u16, entries| {
            let leaf =
                PlacedLeaf { name, index: at, component: 0, entries, components: 4, kind: Kind::Float };
            symbol(&leaf, Table::Uniforms)
        };
        let [viewport, _] = self.abi.viewport();
        let mut list = vec![own(VIEWPORT.to_owned(), viewport, regs::VIEWPORT)];
        list.extend(self.names(&self.abi.uniforms, Table::Uniforms));
        let is_stored = |i: usize, row: &[f32; 4]| (i as u32) < self.temporaries && row[0].is_nan();
        for (i, row) in self.constants.iter().enumerate().filter(|(i, row)| !is_stored(*i, row)) {
            let constant = own(format!("{CONSTANT}{i:03}"), self.abi.behind_viewport() + i as u16, 0);
            list.push(Symbol { init: Some(row.iter().map(|x| x.to_bits()).collect()), ..constant });
        }
        for (i, derived) in self.derived.iter().enumerate() {
            let name = format!("{DERIVED}{i:03}");
            let Derived { row: index, component, .. } = *derived;
            let leaf = PlacedLeaf { name, index, component, entries: 0, components: 1, kind: Kind::Float };
            list.push(symbol(&leaf, Table::Uniforms));
        }
        list
    }

    fn names(&self, all: &[Placed], table: Table) -> Vec<Symbol> {
        all.iter().flat_map(|placed| &placed.leaves).map(|leaf| symbol(leaf, table)).collect()
    }
}

fn symbol(leaf: &PlacedLeaf, table: Table) -> Symbol {
    let components = u16::from(leaf.components);
    Symbol {
        name: leaf.name.clone(),
        kind: match leaf.kind {
            Kind::Float => 1,
            Kind::Int => 2,
            Kind::Bool => 3,
        },
        components,
        size: components,
        entries: leaf.entries,
        stride: 4,
        flags: 0x10,
        precision: 3,
        invariant: 0,
        offset: leaf.index.saturating_mul(4).saturating_add(leaf.component.into()),
        parent: if table == Table::Attributes { 0 } else { 0xffff },
        // Uniforms of newer compilers have these words, always the same. spec section 16.
        index: (table == Table::Uniforms).then_some([u32::MAX, u32::MAX, 1]),
        init: None,
    }
}
