//! Interned names.
//!
//! The words of the language come first, in the order of [`WORDS`], so that the parser knows a
//! keyword by its number; then the names of [`EXTENSIONS`], which are macros. These are the same
//! for all sources and stand in one list that is made once; a compilation adds its own behind it.

use std::sync::LazyLock;

use crate::extension::EXTENSIONS;
use crate::keyword::WORDS;
use crate::token::Symbol;

/// All names of a compilation. Number 0 is the empty text.
#[derive(Clone, Debug)]
pub struct Symbols {
    /// Words of the language and extensions: numbers from 1 on.
    given: &'static Names,
    /// What the source brings: the numbers behind.
    own: Names,
}

/// Names that no two have in common. The texts lie one behind another in one string, and the
/// table holds numbers only: a name costs no allocation of its own.
#[derive(Clone, Debug)]
struct Names {
    text: String,
    /// Where each name ends in `text`; it starts where the one before ends.
    ends: Vec<u32>,
    /// Open addressing, length a power of two, at most half full; 0 is a free place, other
    /// entries are numbers of names, counted from 1.
    table: Vec<u32>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        static GIVEN: LazyLock<Names> = LazyLock::new(|| {
            let mut names = Names::with_room(1024);
            for name in WORDS.iter().map(|word| word.text).chain(EXTENSIONS.iter().map(|row| row.name)) {
                if let Err(place) = names.find(name, hash(name.as_bytes())) {
                    names.add(name, place);
                }
            }
            names
        });
        Symbols { given: &GIVEN, own: Names::with_room(128) }
    }
}

impl Symbols {
    /// The handle of a row of [`EXTENSIONS`].
    pub(crate) fn of_extension(row: usize) -> Symbol {
        Symbol((1 + WORDS.len() + row) as u32)
    }

    /// The handle of a name.
    pub fn intern(&mut self, name: &str) -> Symbol {
        match self.place(name) {
            Ok(known) => known,
            Err(place) => {
                self.own.add(name, place);
                Symbol(self.len() as u32 - 1)
            }
        }
    }

    /// The handle of a name, if anything has it.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.place(name).ok()
    }

    /// A name by its handle; empty for a handle of other [`Symbols`].
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        let Some(number) = (symbol.0 as usize).checked_sub(1) else { return "" };
        match number.checked_sub(self.given.ends.len()) {
            None => self.given.text(number),
            Some(number) => self.own.text(number),
        }
    }

    /// How many names there are, the empty one included: handles are below this.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        1 + self.given.ends.len() + self.own.ends.len()
    }

    /// A known name, or the place in the source's own table where it would go.
    fn place(&self, name: &str) -> Result<Symbol, usize> {
        if name.is_empty() {
            return Ok(Symbol(0));
        }
        let hash = hash(name.as_bytes());
        if let Ok(number) = self.given.find(name, hash) {
            return Ok(Symbol(number));
        }
        let before = self.given.ends.len() as u32;
        self.own.find(name, hash).map(|number| Symbol(before + number))
    }
}

impl Names {
    /// No names; `room` is the length of the table, a power of two.
    fn with_room(room: usize) -> Names {
        // A table is at most half full, and names have about eight letters.
        let (text, ends) = (String::with_capacity(4 * room), Vec::with_capacity(room / 2));
        Names { text, ends, table: vec![0; room] }
    }

    /// A name by its number counted from 0; empty if there are not so many.
    fn text(&self, number: usize) -> &str {
        let Some(&end) = self.ends.get(number) else { return "" };
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..end as usize]
    }

    /// The number of a name counted from 1, or the place in the table where it would go.
    fn find(&self, name: &str, hash: u64) -> Result<u32, usize> {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            match self.table[place] {
                0 => return Err(place),
                number if self.text(number as usize - 1) == name => return Ok(number),
                _ => place = (place + 1) & mask,
            }
        }
    }

    /// Adds a name that is not there, at the place that [`Names::find`] gave.
    fn add(&mut self, name: &str, place: usize) {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        self.table[place] = self.ends.len() as u32;
        if self.ends.len() * 2 > self.table.len() {
            self.grow();
        }
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for number in 0..self.ends.len() {
            let name = self.text(number);
            if let Err(place) = self.find(name, hash(name.as_bytes())) {
                self.table[place] = number as u32 + 1;
            }
        }
    }
}

/// Multiply and fold, eight bytes at a time: names are short, and nobody gains by collisions in
/// a compiler's own process.
fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
    let fold = |hash: u64, word: u64| {
        let product = u128::from(hash ^ word) * FACTOR;
        (product as u64) ^ ((product >> 64) as u64)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, &word| fold(hash, u64::from_le_bytes(word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    fold(hash, u64::from_le_bytes(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_numbers_while_the_table_grows() {
        let mut symbols = Symbols::default();
        let names: Vec<String> = (0..5000).map(|i| format!("name_{i}")).collect();
        let handles: Vec<Symbol> = names.iter().map(|name| symbols.intern(name)).collect();
        for (name, &handle) in names.iter().zip(&handles) {
            assert_eq!((symbols.find(name), symbols.text(handle)), (Some(handle), name.as_str()));
        }
        assert_eq!((symbols.find(""), symbols.text(Symbol(0))), (Some(Symbol(0)), ""));
        assert_eq!((symbols.find("absent"), symbols.text(Symbol(1 << 30))), (None, ""));
    }

    #[test]
    fn words_of_the_language_are_numbered_by_their_table() {
        let symbols = Symbols::default();
        for (row, word) in WORDS.iter().enumerate() {
            assert_eq!(symbols.find(word.text), Some(Symbol(row as u32 + 1)), "{}", word.text);
        }
        for (row, extension) in EXTENSIONS.iter().enumerate() {
            assert_eq!(symbols.find(extension.name), Some(Symbols::of_extension(row)), "{}", extension.name);
        }
    }
}
