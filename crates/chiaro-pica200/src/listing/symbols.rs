//! The uniform table as directives: names that the text uses, and names for the application alone.
//!
//! picasso's language has one identifier for a register, handed out upwards; a table may name parts,
//! elements and wholes of the same registers (`light`, `light.color`, `bones[3]`). So each register is
//! declared under one name, that of the smallest part with an identifier for a name, and all other
//! entries are `.symbol`s, which only stand in the table.

use super::Unlisted;
use crate::container::{Dvle, UniformRegister};
use crate::regs::bank;
use std::collections::{BTreeMap, HashMap, HashSet};

/// A name that the listing declares, with its registers.
pub(super) struct Named {
    pub name: String,
    /// Register bank, see [`bank`].
    pub file: u8,
    pub first: u16,
    pub count: u16,
}

/// Registers handed out in one uniform space: by bank, the next free one.
#[derive(Default)]
pub(super) struct Space {
    pub next: [u16; 3],
    known: BTreeMap<String, (u16, u16)>,
}

/// The directive and bank size of float, integer and boolean uniforms.
const BANKS: [(&str, char, u16); 3] = [(".fvec", 'c', 96), (".ivec", 'i', 4), (".bool", 'b', 16)];

/// An entry of the table.
struct Entry {
    symbol: String,
    first: UniformRegister,
    last: UniformRegister,
}

/// Writes the table of an executable; answers the names that code may use.
pub(super) fn table(e: &Dvle, space: &mut Space) -> Result<(String, Vec<Named>), Unlisted> {
    let entries = entries(e)?;
    let wanted = declared(&entries);
    let (mut lines, mut named, mut is_symbolic) = (Vec::new(), Vec::new(), false);
    for (i, entry) in entries.iter().enumerate() {
        let declared = wanted.contains(&i).then(|| space.declare(entry)).flatten();
        let line = match declared {
            Some(line) => {
                named.push(entry.named());
                line
            }
            None => {
                is_symbolic = true;
                format!(".symbol {} {}\n", entry.symbol, entry.range())
            }
        };
        lines.push((entry.is_input(), line));
    }
    // Without symbols the assembler sorts the table, and uniforms are best read before inputs.
    if !is_symbolic {
        lines.sort_by_key(|(is_input, _)| *is_input);
    }
    named.retain(|n| !like_register(&n.name));
    Ok((lines.into_iter().map(|(_, line)| line).collect(), named))
}

fn entries(e: &Dvle) -> Result<Vec<Entry>, Unlisted> {
    let entry = |uniform: &crate::container::Uniform| {
        let symbol = e.name(uniform.name).unwrap_or("").to_owned();
        // A comment, a label or a blank would end the name, and `$` is a point.
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || ";:$".contains(c);
        if symbol.is_empty() || symbol.contains(is_odd) {
            return Err(Unlisted(format!("`{symbol}` is no name")));
        }
        let (first, last) = uniform.registers().ok_or_else(|| {
            Unlisted(format!("uniform {symbol} has registers {:#x} to {:#x}", uniform.first, uniform.last))
        })?;
        Ok(Entry { symbol, first, last })
    };
    e.uniforms.iter().map(entry).collect()
}

/// The entries to declare: no register and no name twice. Parts stand behind wholes, so the last
/// entry that fits has the smallest part.
fn declared(entries: &[Entry]) -> HashSet<usize> {
    let mut firsts = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        firsts.entry(&entry.symbol).or_insert(i);
    }
    let (mut taken, mut chosen) = (HashSet::new(), HashSet::new());
    for (i, entry) in entries.iter().enumerate().rev() {
        let registers = entry.first.number()..=entry.last.number();
        let is_free = registers.clone().all(|n| !taken.contains(&n));
        let is_whole = !entry.is_input() || entry.first == entry.last;
        if is_free && is_whole && firsts[&entry.symbol] == i && is_identifier(&entry.name()) {
            taken.extend(registers);
            chosen.insert(i);
        }
    }
    chosen
}

impl Entry {
    fn is_input(&self) -> bool {
        matches!(self.first, UniformRegister::Input(_))
    }

    /// As the source spells it: picasso writes `$` as a point.
    fn name(&self) -> String {
        self.symbol.replace('.', "$")
    }

    fn count(&self) -> u16 {
        self.last.number() - self.first.number() + 1
    }

    /// Its registers in words.
    fn range(&self) -> String {
        if self.first == self.last {
            self.first.to_string()
        } else {
            format!("{}..{}", self.first, self.last)
        }
    }

    fn named(&self) -> Named {
        let file = match self.first {
            UniformRegister::Input(_) => bank::INPUT,
            UniformRegister::Float(_) => bank::FLOAT,
            UniformRegister::Int(_) => bank::INT,
            UniformRegister::Bool(_) => bank::BOOL,
        };
        Named { name: self.name(), file, first: self.first.index().into(), count: self.count() }
    }
}

impl Space {
    /// The lines that give a name exactly its registers, if any can: they are handed out upwards.
    fn declare(&mut self, entry: &Entry) -> Option<String> {
        let (name, start, count) = (entry.name(), u16::from(entry.first.index()), entry.count());
        let bank = match entry.first {
            UniformRegister::Input(_) => return Some(format!(".in {name} {}\n", entry.first)),
            UniformRegister::Float(_) => 0,
            UniformRegister::Int(_) => 1,
            UniformRegister::Bool(_) => 2,
        };
        let (directive, letter, size) = BANKS[bank];
        let mut text = String::new();
        let key = format!("{letter}{name}");
        if self.known.get(&key) != Some(&(start, count)) {
            let next = self.next[bank];
            if start < next || start + count > size || self.known.contains_key(&key) {
                return None;
            }
            if start > next {
                text = format!("{directive} _unnamed_{letter}{next}[{}]\n", start - next);
            }
            self.next[bank] = start + count;
            self.known.insert(key, (start, count));
        }
        let length = if count == 1 { String::new() } else { format!("[{count}]") };
        text.push_str(&format!("{directive} {name}{length}  ; {}\n", entry.range()));
        Some(text)
    }
}

/// Whether a name reads like a register; it is declared, but not used.
fn like_register(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| "vorcib".contains(c)) && letters.next().is_some_and(|c| c.is_ascii_digit())
}

/// Names with an underscore in front are not entered into tables. [picasso]
fn is_identifier(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '$' || c == '_';
    name.starts_with(letter)
        && !name.starts_with('_')
        && name.chars().all(|c| letter(c) || c.is_ascii_digit())
}
