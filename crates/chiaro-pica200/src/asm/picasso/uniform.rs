//! Uniform registers: their allocation, and the tables that name them for the application.
//!
//! Uniforms are handed out upward and shared by name among all vertex files;
//! constants are handed out downward and belong to their file, so that files may
//! reuse each other's constant registers but never a uniform. A geometry file of
//! the new style has a space of its own. Spec sections 16 and 20.6. [picasso]

use std::collections::HashMap;

use super::Assembler;
use super::names::array;
use super::source::{Args, trim};
use crate::asm::report::Outcome;
use crate::container::UniformRegister;
use crate::regs::{BANKS, bank};
use chiaro_diag::{Diagnostic, Span};

/// A kind of uniform register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bank {
    /// b0..b15.
    Bool,
    /// i0..i3.
    Int,
    /// c0..c95.
    Float,
}

impl Bank {
    /// The register file as operands name it.
    pub(super) fn file(self) -> u8 {
        match self {
            Bank::Float => bank::FLOAT,
            Bank::Int => bank::INT,
            Bank::Bool => bank::BOOL,
        }
    }

    /// The bank of a register; `None` for an input.
    fn of(register: UniformRegister) -> Option<Bank> {
        match register {
            UniformRegister::Input(_) => None,
            UniformRegister::Float(_) => Some(Bank::Float),
            UniformRegister::Int(_) => Some(Bank::Int),
            UniformRegister::Bool(_) => Some(Bank::Bool),
        }
    }

    /// How many registers the hardware has.
    pub(super) fn count(self) -> u16 {
        BANKS[usize::from(self.file())].count
    }

    /// The letter of its registers.
    pub(super) fn letter(self) -> char {
        BANKS[usize::from(self.file())].letter.into()
    }

    /// What its registers are called.
    pub(super) fn what(self) -> &'static str {
        BANKS[usize::from(self.file())].what
    }

    /// The kind in constant tables (spec section 18.4).
    pub(super) fn kind(self) -> u16 {
        self as u16
    }
}

/// The free registers of a bank.
#[derive(Clone, Copy)]
struct Pool {
    /// First register that no uniform has.
    next: u16,
    /// Lowest register that a constant of this file has.
    lowest: u16,
    /// Lowest register that a constant of any file has: uniforms end here.
    bound: u16,
    end: u16,
}

impl Pool {
    fn new(first: u16, end: u16) -> Self {
        Pool { next: first, lowest: end, bound: end, end }
    }

    fn uniform(&mut self, size: u32) -> Option<u16> {
        let end = u32::from(self.next).checked_add(size).filter(|&end| end <= u32::from(self.bound))?;
        Some(std::mem::replace(&mut self.next, end as u16))
    }

    fn constant(&mut self, size: u32) -> Option<u16> {
        let first =
            u32::from(self.lowest).checked_sub(size).filter(|&first| first >= u32::from(self.next))?;
        self.lowest = first as u16;
        self.bound = self.bound.min(self.lowest);
        Some(self.lowest)
    }
}

/// The uniform registers of one unit.
struct Space {
    pools: [Pool; 3],
}

impl Space {
    fn new(first_float: u16, bools: u16) -> Self {
        let floats = Pool::new(first_float, Bank::Float.count());
        Space { pools: [Pool::new(0, bools), Pool::new(0, Bank::Int.count()), floats] }
    }
}

/// An entry of the header and of uniform tables.
#[derive(Clone, Copy)]
pub(super) struct Uniform<'a> {
    pub(super) name: &'a str,
    /// `None` for an input.
    pub(super) bank: Option<Bank>,
    /// Number within the bank.
    pub(super) first: u16,
    pub(super) size: u16,
    span: Span,
}

/// The uniform spaces of a run.
pub(super) struct Spaces<'a> {
    vertex: Space,
    geometry: Space,
    /// Every declaration in the shared space, repetitions included, for the header.
    pub(super) shared: Vec<Uniform<'a>>,
    by_name: HashMap<&'a str, Uniform<'a>>,
}

impl<'a> Spaces<'a> {
    pub(super) fn new() -> Self {
        let space = || Space::new(0, Bank::Bool.count());
        Spaces { vertex: space(), geometry: space(), shared: Vec::new(), by_name: HashMap::new() }
    }

    /// Constants of earlier files no longer count, except as a bound for uniforms.
    pub(super) fn next_file(&mut self) {
        for pool in &mut self.vertex.pools {
            pool.lowest = pool.end;
        }
    }

    /// Starts the space of a geometry file; b15 is the hardware's.
    pub(super) fn start_geometry(&mut self, first_float: u16) {
        self.geometry = Space::new(first_float, Bank::Bool.count() - 1);
    }

    fn pool(&mut self, geometry: bool, bank: Bank) -> &mut Pool {
        let space = if geometry { &mut self.geometry } else { &mut self.vertex };
        &mut space.pools[bank as usize]
    }

    /// Registers for a constant of the file; the lowest.
    pub(super) fn constant(&mut self, geometry: bool, bank: Bank, size: u32) -> Option<u16> {
        self.pool(geometry, bank).constant(size)
    }

    /// How many registers of a bank are still free for constants of the file.
    pub(super) fn room(&mut self, geometry: bool, bank: Bank) -> u16 {
        let pool = self.pool(geometry, bank);
        pool.lowest.saturating_sub(pool.next)
    }
}

/// A declaration `name` or `name[size]`.
struct Declared<'a> {
    name: &'a str,
    size: u32,
}

impl<'a> Assembler<'a> {
    /// `.fvec`, `.ivec`, `.bool`: a list of names, some with sizes.
    pub(super) fn uniforms(&mut self, args: &mut Args<'a>, bank: Bank) -> Outcome {
        self.unit();
        if self.strict() && args.rest().is_empty() {
            let span = self.line_span();
            self.report
                .add(Diagnostic::warning(span, "this declares nothing").help("name the uniforms behind it"));
        }
        while let Some(text) = args.until(',') {
            let outcome = self.declared(text).and_then(|declared| self.uniform(declared, bank));
            if self.report.take(outcome).is_none() {
                self.poison(trim(text.split('[').next().unwrap_or("")));
            }
        }
        Ok(())
    }

    /// Splits a size in brackets off a name.
    fn declared(&mut self, text: &'a str) -> Outcome<Declared<'a>> {
        let Some((name, rest)) = text.split_once('[') else {
            return Ok(Declared { name: text, size: 1 });
        };
        let Some((size, garbage)) = rest.split_once(']') else {
            return Err(Diagnostic::error(self.span(text), "the bracket is not closed")
                .help("write `name[size]`")
                .into());
        };
        self.nothing_behind(garbage)?;
        let given = self.array_size(size)?;
        Ok(Declared { name, size: given })
    }

    /// A number of registers from 1 on.
    pub(super) fn array_size(&mut self, text: &'a str) -> Outcome<u32> {
        let given = if self.strict() { self.integer(text)? } else { i64::from(chiaro_num::atoi(text)) };
        u32::try_from(given).ok().filter(|&n| n != 0).ok_or_else(|| {
            Diagnostic::error(self.span(text), format!("an array cannot have {given} elements"))
                .help("write how many registers it takes, 1 or more")
                .into()
        })
    }

    fn uniform(&mut self, declared: Declared<'a>, bank: Bank) -> Outcome {
        let Declared { name, size } = declared;
        let span = self.span(name);
        self.check_identifier(name, "uniform")?;
        self.check_unused(name)?;
        let own_space = self.unit().has_own_space();
        let first = match self.known_uniform(name, size, bank, own_space)? {
            Some(first) => first,
            None => self.new_uniform(name, size, bank, own_space)?,
        };
        let uniform = Uniform { name, bank: Some(bank), first, size: size as u16, span };
        if !own_space {
            self.spaces.shared.push(uniform);
            self.spaces.by_name.entry(name).or_insert(uniform);
        }
        if !name.starts_with('_') {
            self.unit().uniforms.push(uniform);
        }
        self.define(name, array(bank.file(), first, size), span);
        Ok(())
    }

    /// The place of a uniform that an earlier file declared the same way.
    fn known_uniform(&self, name: &str, size: u32, bank: Bank, own_space: bool) -> Outcome<Option<u16>> {
        let Some(known) = self.spaces.by_name.get(name).filter(|_| !own_space) else { return Ok(None) };
        if known.bank == Some(bank) && u32::from(known.size) == size {
            return Ok(Some(known.first));
        }
        let describe = |bank: Bank, size: u32| match size {
            1 => format!("one `{}` register", bank.letter()),
            _ => format!("{size} `{}` registers", bank.letter()),
        };
        let was = describe(known.bank.unwrap_or(bank), u32::from(known.size));
        Err(Diagnostic::error(self.span(name), format!("uniform `{name}` is declared in two ways"))
            .label(describe(bank, size))
            .related(known.span, format!("here it is {was}"))
            .note("vertex files share their uniforms by name")
            .help("give both the same type and size, or another name")
            .into())
    }

    fn new_uniform(&mut self, name: &str, size: u32, bank: Bank, own_space: bool) -> Outcome<u16> {
        let span = self.span(name);
        let pool = self.spaces.pool(own_space, bank);
        let free = pool.bound.saturating_sub(pool.next);
        pool.uniform(size).ok_or_else(|| {
            let letter = bank.letter();
            let limits = format!("{size} `{letter}` registers wanted, {free} of {} free", bank.count());
            Diagnostic::error(span, format!("there is no room for uniform `{name}`"))
                .label(limits)
                .note("uniforms grow upward until they meet the constants of any file")
                .into()
        })
    }

    /// `.symbol name register[..last]`: an entry of the uniform table, and nothing else. It gives the
    /// application names that no identifier can be (`bones[3].rows`), and registers a second name. Where
    /// a name stands in the table decides what a loader finds, so the file's order is kept.
    pub(super) fn symbol(&mut self, args: &mut Args<'a>) -> Outcome {
        self.unit();
        let name = self.word(args)?;
        let text = self.word(args)?;
        self.no_more(args)?;
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let (Ok(first), Ok(last)) = (first.parse(), last.parse()) else {
            return Err(Diagnostic::error(self.span(text), format!("`{text}` names no registers"))
                .help("write one of v0..v15, c0..c95, i0..i3, b0..b15, or the first and the last: `c4..c7`")
                .into());
        };
        let bank = Bank::of(first);
        if bank != Bank::of(last) || last < first {
            return Err(Diagnostic::error(self.span(text), format!("`{text}` is no range of registers"))
                .help("give the first and the last register of one bank")
                .into());
        }
        let (size, span) = (u16::from(last.index() - first.index()) + 1, self.span(name));
        let unit = self.unit();
        unit.keeps_order = true;
        if bank.is_none() {
            unit.inputs |= (first.index()..=last.index()).fold(0, |mask, i| mask | 1 << i);
        }
        unit.uniforms.push(Uniform { name, bank, first: first.index().into(), size, span });
        Ok(())
    }

    /// The uniform table entry of an input register.
    pub(super) fn list_input(&mut self, name: &'a str, register: u16) {
        let span = self.span(name);
        self.unit().uniforms.push(Uniform { name, bank: None, first: register, size: 1, span });
    }
}
