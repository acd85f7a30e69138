//! The block of uniforms: what it has to hold, and its members.

use chiaro_ir::{Binding, Member, Module, Space, Ty, Type};

use super::{BOOLS, FLOATS, INTS, Interface, ROW, Words, add, numbered, unique, vec4};
use crate::container::{Dvle, UniformRegister};
use crate::lift::{Given, Style};
use crate::machine::flow::{Flow, Test};
use crate::machine::program::Line;
use crate::machine::registers::Named;
use crate::regs::bank;

/// What the block has to hold.
pub(super) struct Needs {
    /// A bit for each c register that the program names.
    pub(super) floats: u128,
    /// The same for i and b registers.
    ints: u16,
    bools: u16,
}

impl Needs {
    pub(super) fn of(lines: &[&Line], read: &[Named], given: &Given) -> Needs {
        let mut needs = Needs { floats: 0, ints: 0, bools: 0 };
        for source in read.iter().filter(|s| s.file == bank::FLOAT && s.indexed == 0 && s.index < FLOATS) {
            if !given.floats.contains_key(&(source.index as u8)) {
                needs.floats |= 1 << source.index;
            }
        }
        for line in lines {
            match (line.flow, line.flow.test()) {
                (Flow::Loop { int, .. }, _) if !given.ints.contains_key(&int) => needs.ints |= 1 << (int & 3),
                (_, Test::Bool { index, .. }) if !given.bools.contains_key(&index) => {
                    needs.bools |= 1 << (index & 15);
                }
                _ => {}
            }
        }
        needs
    }
}

/// The block.
impl Interface {
    pub(super) fn add_block(
        &mut self,
        module: &mut Module,
        executable: Option<&Dvle>,
        needs: &Needs,
        style: Style,
    ) {
        let has_words = needs.ints | needs.bools != 0;
        if !self.is_indexed && needs.floats == 0 && !has_words {
            return;
        }
        let mut members = Members { list: Vec::new(), at: 0, module };
        if self.is_indexed {
            let count = if style == Style::Plain { self.indexed_rows(needs) } else { FLOATS };
            members.rows("c".to_owned(), 0, count);
            self.places = (0..count.into()).map(|n| Some((0, Some(n)))).collect();
        } else {
            self.add_named(&mut members, executable, needs);
        }
        match style {
            Style::Exact if has_words => self.add_words(&mut members),
            Style::Plain if has_words => self.add_named_words(&mut members, executable, needs),
            _ => {}
        }
        let list = members.list;
        let ty = module.types.intern(Type::Struct("Uniforms".to_owned(), list));
        let binding = Binding { set: Some(0), binding: Some(0), ..Binding::default() };
        self.block = Some(add(module, "u".to_owned(), Space::Uniform, ty, binding));
    }

    /// Registers of the array of all of them, up to the first constant behind what the program names.
    fn indexed_rows(&self, needs: &Needs) -> u16 {
        let named = (u128::BITS - needs.floats.leading_zeros()) as u16;
        let is_constant = |n: &u16| self.given.floats.contains_key(&(*n as u8));
        (named.max(1)..FLOATS).find(is_constant).unwrap_or(FLOATS)
    }

    /// All i and b registers, as an emulator has them.
    fn add_words(&mut self, members: &mut Members<'_>) {
        members.fill(INTS);
        let (row, uint) = (members.row_of_ints(), members.uint());
        let rows = members.module.types.intern(Type::Array(row, 4, ROW));
        self.ints = Words::Together(members.push("ints".to_owned(), rows, 4 * ROW));
        debug_assert_eq!(members.at, BOOLS);
        self.bools = Words::Together(members.push("bools".to_owned(), uint, 4));
    }

    /// The i and b registers that the program reads, by their names.
    fn add_named_words(&mut self, members: &mut Members<'_>, executable: Option<&Dvle>, needs: &Needs) {
        let (mut ints, mut bools) = ([None; 16], [None; 16]);
        let name = |register: UniformRegister| {
            let named = executable.and_then(|dvle| dvle.names_of(register).next());
            named.map_or_else(|| register.to_string(), str::to_owned)
        };
        members.fill(INTS);
        let (row, uint) = (members.row_of_ints(), members.uint());
        for n in (0..4u8).filter(|n| needs.ints >> n & 1 == 1) {
            members.fill_words((INTS + ROW * u32::from(n), ROW), row, 'i');
            ints[usize::from(n)] = Some(members.push(name(UniformRegister::Int(n)), row, ROW));
        }
        for n in (0..16u8).filter(|n| needs.bools >> n & 1 == 1) {
            members.fill_words((BOOLS, ROW), row, 'i');
            members.fill_words((BOOLS + 4 * u32::from(n), 4), uint, 'b');
            bools[usize::from(n)] = Some(members.push(name(UniformRegister::Bool(n)), uint, 4));
        }
        (self.ints, self.bools) = (Words::Each(ints), Words::Each(bools));
    }

    /// Members by the container's names, and by number where it has none.
    fn add_named(&mut self, members: &mut Members<'_>, executable: Option<&Dvle>, needs: &Needs) {
        let mut next = 0;
        while let Some(n) = (next..FLOATS).find(|n| needs.floats >> n & 1 == 1) {
            let (name, first, count) = named(executable, n, next).unwrap_or_else(|| (numbered('c', n), n, 1));
            members.fill(ROW * u32::from(first));
            let member = members.list.len() as u32;
            for at in 0..count {
                self.places[usize::from(first + at)] = Some((member, (count > 1).then_some(at.into())));
            }
            members.rows(name, first, count);
            next = first + count;
        }
    }
}

/// Members of a block, one behind the other without a gap, so that every language lays them out alike.
struct Members<'m> {
    list: Vec<Member>,
    /// Bytes so far.
    at: u32,
    module: &'m mut Module,
}

impl Members<'_> {
    /// A member; its number.
    fn push(&mut self, name: String, ty: Ty, size: u32) -> u32 {
        let name = unique(name, |name| self.list.iter().all(|member| member.name != name));
        self.list.push(Member { ty, name, offset: Some(self.at) });
        self.at += size;
        self.list.len() as u32 - 1
    }

    fn uint(&mut self) -> Ty {
        self.module.types.intern(Type::Int(32))
    }

    fn row_of_ints(&mut self) -> Ty {
        let uint = self.uint();
        self.module.types.vector(uint, 4)
    }

    /// Registers of one kind that nobody reads, up to a byte.
    fn fill_words(&mut self, (to, size): (u32, u32), ty: Ty, bank: char) {
        let first = if bank == 'i' { INTS } else { BOOLS };
        while self.at < to {
            self.push(format!("unused_{bank}{}", (self.at - first) / size), ty, size);
        }
    }

    /// Rows of four floats from c`first` on.
    fn rows(&mut self, name: String, first: u16, count: u16) {
        debug_assert_eq!(self.at, ROW * u32::from(first));
        let row = vec4(self.module);
        let ty = match count {
            1 => row,
            _ => self.module.types.intern(Type::Array(row, count.into(), ROW)),
        };
        self.push(name, ty, ROW * u32::from(count));
    }

    /// Rows that nobody reads, up to a byte.
    fn fill(&mut self, to: u32) {
        let (first, count) = ((self.at / ROW) as u16, (to.saturating_sub(self.at) / ROW) as u16);
        if count > 0 {
            let name = match count {
                1 => format!("unused_c{first}"),
                _ => format!("unused_c{first}_c{}", first + count - 1),
            };
            self.rows(name, first, count);
        }
    }
}

/// The name that a container has for c`n`, the first register and the number of them, if that begins
/// where the block has come to or later.
pub(super) fn named(executable: Option<&Dvle>, n: u16, next: u16) -> Option<(String, u16, u16)> {
    let number = UniformRegister::Float(n as u8).number();
    let mut all = executable?.named_uniforms().filter(|(_, uniform)| uniform.range().contains(&number));
    let (name, uniform) = all.find(|(_, u)| u.first >= UniformRegister::Float(next as u8).number())?;
    let base = UniformRegister::Float(0).number();
    let (first, last) = (uniform.first - base, (uniform.last - base).min(FLOATS - 1));
    Some((name.to_owned(), first, last - first + 1))
}
