//! Places: where everything lies, branches that do not reach, and relocations.

use super::names::Names;
use super::{Assembler, Placed, What};
use crate::container::{ABS32, ABS64, REL64, Relocation, Section, SymbolKind, section_named};
use crate::isa::{Op, sopp};
use chiaro_isa::{Cx, Isa, Item, MAX_FIELDS, Role, Value};

/// What fills code up to an alignment: `s_nop 0`, as LLVM fills it.
const NOP: u32 = 0xbf80_0000;
/// A clause and its members.
const LONGEST_CLAUSE: usize = 64;
/// A branch reaches so many dwords forwards, and one more backwards.
const REACH: i64 = 0x7fff;

impl Assembler {
    /// Gives out the places and writes both sections.
    pub(super) fn lay_out(&mut self) {
        self.chain();
        let (text, rodata) = (std::mem::take(&mut self.text), std::mem::take(&mut self.rodata));
        let places = [places(self.isa, &text), places(self.isa, &rodata)];
        let instructions = text.iter().zip(&places[0].at).filter(|(p, _)| matches!(p.what, What::Inst(_)));
        self.lines = instructions.map(|(p, at)| (p.at.clone(), *at)).collect();
        self.object.text = self.section_bytes(&text, &places[0], &places, Section::Text);
        self.object.rodata = self.section_bytes(&rodata, &places[1], &places, Section::Rodata);
        self.relocations();
        self.symbols(&places);
        self.sizes(&places);
    }

    /// Reports branches to labels that the text has not, where it is not laid out.
    pub(super) fn lost(&mut self) {
        let mut lost = Vec::new();
        for placed in &self.text {
            let What::Inst(Item::Inst { values, .. }) = &placed.what else { continue };
            for number in values.iter().filter_map(|value| match value {
                Some(Value::Symbol(number)) => Some(*number),
                _ => None,
            }) {
                let text = self.names.name(number);
                let is_place = Names::reference(&text).is_some_and(|(_, kind, _)| kind.is_none());
                if is_place && self.names.section(number).is_none() {
                    lost.push((placed.at.clone(), format!("there is no label `{text}`")));
                }
            }
        }
        lost.into_iter().for_each(|(at, message)| self.error(at, message));
    }

    /// Puts second branches half way where targets are out of reach, until all are in reach.
    ///
    /// Execution goes around a second branch, so that only the far jump takes both.
    fn chain(&mut self) {
        // Each round brings every far target closer by half a reach.
        loop {
            let offsets = places(self.isa, &self.text);
            let far = (0..self.text.len()).filter_map(|i| Some((i, self.too_far(i, &offsets)?)));
            let far: Vec<(usize, u32)> = far.collect();
            if far.is_empty() {
                return;
            }
            let mut hops = Vec::new();
            for (i, target) in far {
                let forward = offsets.label(target) > Some(offsets.at[i]);
                let half = (REACH / 2 * 4) as u64;
                let goal = if forward { offsets.at[i] + half } else { offsets.at[i].saturating_sub(half) };
                let at = offsets.at.partition_point(|&place| place < goal).min(self.text.len());
                hops.push((self.outside(at), self.hop(i, target)));
            }
            self.insert(hops);
        }
    }

    /// The last place up to this one where a branch may stand: not inside of a clause, nor between
    /// the place that a distance counts from and its halves.
    fn outside(&self, at: usize) -> usize {
        let first = at.saturating_sub(LONGEST_CLAUSE);
        let covers = |i: &usize| self.clause(*i).is_some_and(|members| at <= i + members);
        let at = (first..at).find(covers).unwrap_or(at);
        let distance = |p: &Placed| match &p.what {
            What::Inst(Item::Inst { values, .. }) => values
                .iter()
                .flatten()
                .any(|value| matches!(value, Value::Symbol(n) if self.names.name(*n).contains('@'))),
            _ => false,
        };
        let halves = self.text[..at].iter().rev().take_while(|p| distance(p)).count();
        let begun = halves > 0 || self.text.get(at).is_some_and(distance);
        if begun { (at - halves).saturating_sub(1) } else { at }
    }

    /// Members of the clause that an instruction begins.
    fn clause(&self, i: usize) -> Option<usize> {
        let What::Inst(Item::Inst { form, values }) = &self.text[i].what else { return None };
        let is_clause = self.isa.forms[usize::from(*form)].op == Op::Sopp(sopp::Sopp::Clause).row();
        let number = values.iter().flatten().find_map(|value| value.int()).filter(|_| is_clause)?;
        Some((number & 63) as usize + 1)
    }

    /// Turns a branch to a second one, which is to be put in.
    fn hop(&mut self, i: usize, target: u32) -> [Placed; 4] {
        let (over, middle) = (self.fresh("over"), self.fresh("hop"));
        let span = self.text[i].at.clone();
        if let What::Inst(Item::Inst { values, .. }) = &mut self.text[i].what {
            let symbol = values.iter_mut().find(|v| **v == Some(Value::Symbol(target)));
            symbol.into_iter().for_each(|v| *v = Some(Value::Symbol(middle)));
        }
        let parts =
            [branch(self.isa, over), What::Label(middle), branch(self.isa, target), What::Label(over)];
        parts.map(|what| Placed { what, at: span.clone() })
    }

    /// Puts parts in before the statements of their numbers.
    fn insert(&mut self, mut parts: Vec<(usize, [Placed; 4])>) {
        parts.sort_by_key(|(at, _)| *at);
        let mut parts = parts.into_iter().peekable();
        let old = std::mem::take(&mut self.text);
        for (i, placed) in old.into_iter().enumerate() {
            while let Some((_, hop)) = parts.next_if(|(at, _)| *at <= i) {
                self.text.extend(hop);
            }
            self.text.push(placed);
        }
        self.text.extend(parts.flat_map(|(_, hop)| hop));
    }

    fn fresh(&mut self, why: &str) -> u32 {
        self.hops += 1;
        let name = format!(".L{why}.{}", self.hops);
        let symbol = self.names.intern(&name);
        self.names.define(symbol, false);
        symbol
    }

    /// The target of a branch that does not reach it.
    fn too_far(&self, i: usize, offsets: &Places) -> Option<u32> {
        let What::Inst(Item::Inst { form, values }) = &self.text[i].what else { return None };
        let fields = self.isa.forms[*form as usize].format.fields;
        let target = fields.iter().zip(values).find_map(|(field, value)| match value {
            Some(Value::Symbol(n)) if field.role == Role::Target => Some(*n),
            _ => None,
        })?;
        let steps = (offsets.label(target)? as i64 - offsets.at[i] as i64 - 4) / 4;
        (!(-REACH - 1..=REACH).contains(&steps)).then_some(target)
    }

    fn section_bytes(
        &mut self,
        placed: &[Placed],
        own: &Places,
        all: &[Places; 2],
        section: Section,
    ) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (i, p) in placed.iter().enumerate() {
            bytes.resize(bytes.len().max(own.at[i] as usize), 0);
            match &p.what {
                What::Inst(Item::Inst { form, values }) => {
                    self.inst(*form, values, own.at[i], all, p, &mut bytes);
                }
                What::Data(data) => bytes.extend_from_slice(data),
                What::Align(to) if section == Section::Text => fill(&mut bytes, *to),
                What::Align(to) => bytes.resize((bytes.len() as u64).next_multiple_of(*to) as usize, 0),
                What::Descriptor(code, descriptor) => {
                    let symbol = self.names.name(*code);
                    let place = Relocation {
                        section: Section::Rodata,
                        offset: bytes.len() as u64 + 16,
                        kind: REL64,
                        symbol,
                        addend: 16,
                    };
                    self.object.relocations.push(place);
                    bytes.extend_from_slice(&descriptor.write());
                }
                What::Address(name, addend, size) => {
                    self.symbol(name);
                    self.object.relocations.push(Relocation {
                        section,
                        offset: bytes.len() as u64,
                        kind: if *size == 4 { ABS32 } else { ABS64 },
                        symbol: name.clone(),
                        addend: *addend,
                    });
                    bytes.resize(bytes.len() + usize::from(*size), 0);
                }
                What::Inst(_) | What::Label(_) => {}
            }
        }
        bytes
    }

    fn inst(
        &mut self,
        form: u16,
        values: &[Option<Value>],
        address: u64,
        all: &[Places; 2],
        placed: &Placed,
        bytes: &mut Vec<u8>,
    ) {
        let (mut room, before) = ([None; MAX_FIELDS], self.object.relocations.len());
        let fields = self.isa.forms[form as usize].format.fields;
        for ((slot, value), field) in room.iter_mut().zip(values).zip(fields) {
            *slot = match *value {
                Some(Value::Symbol(n)) => Some(self.resolve(n, address, all, placed)),
                // Distances were read as if the code began with the branch.
                Some(Value::Int(n)) if field.role == Role::Target => Some(Value::Int(n + address as i64)),
                other => other,
            };
        }
        let cx = Cx { address, ..self.isa.cx() };
        match self.isa.encode_given(form, &room[..values.len().min(MAX_FIELDS)], &cx) {
            Ok(inst) => {
                bytes.extend_from_slice(&inst.to_bytes()[..inst.length as usize]);
                // A literal is the last dword, and one for all operands that name it.
                let own = &mut self.object.relocations;
                own.dedup();
                own[before..].iter_mut().for_each(|r| r.offset = address + u64::from(inst.length) - 4);
                if own.len() > before + 1 {
                    self.error(placed.at.clone(), "an instruction has one literal, and two names are given");
                }
            }
            Err(e) => self.error(placed.at.clone(), e.to_string()),
        }
    }

    /// What a reference is: a place, or zero with a relocation beside it.
    fn resolve(&mut self, number: u32, address: u64, all: &[Places; 2], placed: &Placed) -> Value {
        let text = self.names.name(number);
        let Some((name, kind, addend)) = Names::reference(&text) else { return Value::Symbol(number) };
        let Some(kind) = kind else {
            let known = self.names.section(number) == Some(false);
            if let Some(place) = all[0].label(number).filter(|_| known) {
                return Value::Int(place as i64);
            }
            self.error(placed.at.clone(), format!("there is no label `{text}`"));
            return Value::Int(address as i64 + 4);
        };
        let name = name.to_owned();
        self.symbol(&name);
        self.object.relocations.push(Relocation {
            section: Section::Text,
            offset: address,
            kind,
            symbol: name,
            addend,
        });
        Value::Symbol(number)
    }

    /// Adds those that the text gives by their places, and puts all in order.
    fn relocations(&mut self) {
        for own in std::mem::take(&mut self.relocations) {
            self.symbol(&own.symbol);
            self.object.relocations.push(own);
        }
        self.object.relocations.sort_by_key(|r| (r.section == Section::Rodata, r.offset));
    }

    /// Symbols of the file: those that directives name, and labels that are not only local.
    fn symbols(&mut self, places: &[Places; 2]) {
        for name in self.names.all() {
            if !name.starts_with(".L")
                && !name.contains('@')
                && self.names.section(self.names.intern(&name)).is_some()
            {
                self.symbol(&name);
            }
        }
        let mut symbols = std::mem::take(&mut self.object.symbols);
        for s in &mut symbols {
            let number = self.names.intern(&s.name);
            match self.names.section(number) {
                Some(in_rodata) => {
                    s.section = if in_rodata { Section::Rodata } else { Section::Text };
                    s.value = places[usize::from(in_rodata)].label(number).unwrap_or(0);
                }
                None => match section_named(&s.name) {
                    Some(section) => (s.section, s.kind) = (section, SymbolKind::Section),
                    None => s.global = true,
                },
            }
        }
        self.object.symbols = symbols;
    }

    fn sizes(&mut self, places: &[Places; 2]) {
        for size in std::mem::take(&mut self.sizes) {
            let place = |name: &str| {
                let number = self.names.intern(name);
                places[usize::from(self.names.section(number)?)].label(number)
            };
            match place(&size.to).zip(place(&size.from)).and_then(|(to, from)| to.checked_sub(from)) {
                Some(n) => self.symbol(&size.name).size = n,
                None => self.error(size.at, "the two labels of a size must be there, the later one first"),
            }
        }
    }
}

/// An unconditional branch.
fn branch(isa: &Isa, to: u32) -> What {
    let form = isa.forms_of(Op::Sopp(sopp::Sopp::Branch).row()).next().unwrap_or(0);
    What::Inst(Item::Inst { form, values: vec![Some(Value::Symbol(to))] })
}

fn fill(bytes: &mut Vec<u8>, to: u64) {
    let end = (bytes.len() as u64).next_multiple_of(to) as usize;
    let odd = bytes.len().next_multiple_of(4).min(end);
    bytes.resize(odd, 0);
    while bytes.len() < end {
        bytes.extend_from_slice(&NOP.to_le_bytes());
    }
}

/// Byte offsets of the parts of a section, and of its labels.
struct Places {
    at: Vec<u64>,
    labels: Vec<Option<u64>>,
}

impl Places {
    fn label(&self, symbol: u32) -> Option<u64> {
        self.labels.get(symbol as usize).copied().flatten()
    }
}

/// Lengths never depend on places here, so one walk gives out all of them.
fn places(isa: &Isa, placed: &[Placed]) -> Places {
    let (mut at, mut labels) = (0u64, Vec::new());
    let mut all = Vec::with_capacity(placed.len());
    for p in placed {
        all.push(at);
        at += match &p.what {
            What::Inst(Item::Inst { form, values }) => length(isa, *form, values),
            What::Data(bytes) => bytes.len() as u64,
            What::Align(to) => at.next_multiple_of(*to) - at,
            What::Descriptor(..) => 64,
            What::Address(.., size) => u64::from(*size),
            What::Label(symbol) => {
                let n = *symbol as usize;
                labels.resize(labels.len().max(n + 1), None);
                labels[n] = Some(at);
                0
            }
            What::Inst(_) => 0,
        };
    }
    Places { at: all, labels }
}

/// The length of an instruction: of its form, with a literal if an operand is one.
fn length(isa: &Isa, form: u16, values: &[Option<Value>]) -> u64 {
    let format = isa.forms[form as usize].format;
    let mut plain = values.to_vec();
    for (value, field) in plain.iter_mut().zip(format.fields) {
        // Places do not change lengths; any that is in reach will do.
        if field.role == Role::Target {
            *value = Some(Value::Int(4));
        }
    }
    isa.encode_given(form, &plain, &isa.cx()).map_or(0, |inst| inst.length.into())
}
