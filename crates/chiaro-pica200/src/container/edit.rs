//! Names, look-ups and edits: what a tool needs that shows or patches a SHBIN.

use super::{Dvle, Label, Stage, Uniform, UniformRegister};
use std::ops::RangeInclusive;

/// The version that picasso writes into a DVLE.
const PICASSO_VERSION: u16 = 0x1002;

impl Default for Dvle {
    /// An empty vertex executable, as picasso would start one.
    fn default() -> Dvle {
        Dvle {
            version: PICASSO_VERSION,
            stage: Stage::Vertex,
            merge: 0,
            entry: 0,
            end: 0,
            inputs: 0,
            outputs_used: 0,
            geometry: [0; 4],
            constants: Vec::new(),
            labels: Vec::new(),
            outputs: Vec::new(),
            uniforms: Vec::new(),
            symbols: Vec::new(),
        }
    }
}

/// Symbols: zero-terminated names by byte offset.
impl Dvle {
    /// The bytes of the name at `offset`, without the zero; `None` if the offset is past the end
    /// or no zero follows.
    pub fn symbol(&self, offset: u32) -> Option<&[u8]> {
        let tail = self.symbols.get(offset as usize..)?;
        let end = tail.iter().position(|&byte| byte == 0)?;
        Some(&tail[..end])
    }

    /// Like [`Dvle::symbol`], for names that are UTF-8.
    pub fn name(&self, offset: u32) -> Option<&str> {
        std::str::from_utf8(self.symbol(offset)?).ok()
    }

    /// Appends a name and gives its offset. The name ends at its first zero byte, if it has one.
    pub fn add_symbol(&mut self, name: &str) -> u32 {
        if self.symbols.last().is_some_and(|&byte| byte != 0) {
            self.symbols.push(0); // a last name without its zero must not swallow the new one
        }
        let offset = self.symbols.len() as u32;
        self.symbols.extend(name.bytes().take_while(|&byte| byte != 0));
        self.symbols.push(0);
        offset
    }

    /// The offset of a name: of one that is there already, else of a new one.
    pub fn intern_symbol(&mut self, name: &str) -> u32 {
        let mut offset = 0;
        while let Some(symbol) = self.symbol(offset) {
            if symbol == name.as_bytes() {
                return offset;
            }
            offset += symbol.len() as u32 + 1;
        }
        self.add_symbol(name)
    }
}

/// Uniforms and inputs by name.
impl Dvle {
    /// The entries with their names, in file order; entries with broken names are left out.
    pub fn named_uniforms(&self) -> impl Iterator<Item = (&str, &Uniform)> {
        self.uniforms.iter().filter_map(|uniform| Some((self.name(uniform.name)?, uniform)))
    }

    /// The first entry of this name, as a loader finds it \[libctru].
    pub fn uniform(&self, name: &str) -> Option<&Uniform> {
        self.uniforms.iter().find(|uniform| self.symbol(uniform.name) == Some(name.as_bytes()))
    }

    /// The first entry of this name, to be changed.
    pub fn uniform_mut(&mut self, name: &str) -> Option<&mut Uniform> {
        let index = self.uniforms.iter().position(|u| self.symbol(u.name) == Some(name.as_bytes()))?;
        self.uniforms.get_mut(index)
    }

    /// Adds an entry for `count` registers from `first` on. At least one is entered.
    pub fn add_uniform(&mut self, name: &str, first: UniformRegister, count: u16) {
        let name = self.intern_symbol(name);
        let first = first.number();
        let last = first.saturating_add(count.saturating_sub(1));
        self.uniforms.push(Uniform { name, first, last });
    }

    /// Gives a uniform or input another name; false if there is none. Other users of the old
    /// name's bytes keep it.
    pub fn rename_uniform(&mut self, old: &str, new: &str) -> bool {
        if self.uniform(old).is_none() {
            return false;
        }
        let offset = self.intern_symbol(new);
        self.uniform_mut(old).into_iter().for_each(|uniform| uniform.name = offset);
        self.drop_unused_symbols();
        true
    }

    /// Removes the first entry of this name and gives it back.
    pub fn remove_uniform(&mut self, name: &str) -> Option<Uniform> {
        let index = self.uniforms.iter().position(|u| self.symbol(u.name) == Some(name.as_bytes()))?;
        let removed = self.uniforms.remove(index);
        self.drop_unused_symbols();
        Some(removed)
    }

    /// Removes names that no label and no uniform uses, and corrects the offsets of the others.
    ///
    /// Does nothing when some entry points past the symbols or into the middle of a name: then the
    /// bytes may mean more than they seem to.
    pub fn drop_unused_symbols(&mut self) {
        let mut moved = std::collections::BTreeMap::new();
        let mut kept = Vec::with_capacity(self.symbols.len());
        let used: std::collections::BTreeSet<u32> = self.name_offsets().copied().collect();
        let mut offset = 0;
        while let Some(symbol) = self.symbol(offset) {
            let next = offset + symbol.len() as u32 + 1;
            if used.contains(&offset) {
                moved.insert(offset, kept.len() as u32);
                kept.extend(&self.symbols[offset as usize..next as usize]);
            }
            offset = next;
        }
        if (offset as usize) < self.symbols.len() || moved.len() < used.len() {
            return;
        }
        let names = self.labels.iter_mut().map(|l| &mut l.name);
        for name in names.chain(self.uniforms.iter_mut().map(|u| &mut u.name)) {
            *name = moved[name];
        }
        self.symbols = kept;
    }

    fn name_offsets(&self) -> impl Iterator<Item = &u32> {
        let labels = self.labels.iter().map(|label| &label.name);
        labels.chain(self.uniforms.iter().map(|uniform| &uniform.name))
    }

    /// The named inputs and uniforms that cover a register.
    pub fn names_of(&self, register: UniformRegister) -> impl Iterator<Item = &str> {
        let number = register.number();
        self.named_uniforms().filter(move |(_, u)| u.range().contains(&number)).map(|(name, _)| name)
    }
}

/// Labels.
impl Dvle {
    /// The last label at or before a word, and how many words behind it the word is.
    pub fn label_before(&self, word: u32) -> Option<(&Label, u32)> {
        let before = self.labels.iter().filter(|label| label.offset <= word);
        before.max_by_key(|label| label.offset).map(|label| (label, word - label.offset))
    }

    /// Adds a label of unknown size at a word of the code.
    pub fn add_label(&mut self, name: &str, offset: u32) {
        let name = self.intern_symbol(name);
        self.labels.push(Label { id: 0, unknown: 0, offset, size: u32::MAX, name });
    }
}

impl Uniform {
    /// The register numbers that the entry covers.
    pub fn range(&self) -> RangeInclusive<u16> {
        self.first..=self.last
    }

    /// First and last register if both are in one bank and in order.
    pub fn registers(&self) -> Option<(UniformRegister, UniformRegister)> {
        let first = UniformRegister::from_number(self.first)?;
        let last = UniformRegister::from_number(self.last)?;
        (first <= last && first.letter() == last.letter()).then_some((first, last))
    }
}
