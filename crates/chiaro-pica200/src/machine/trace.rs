//! One instruction at a time, with what it read and wrote.

use chiaro_sim::Slot;
use chiaro_sim::groups::Groups;

use super::flow::{Flow, Scopes, Test};
use super::registers::{Named, Register};
use super::run::{Group, Machine};
use crate::regs::bank;

/// One executed instruction of one lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Its word offset.
    pub pc: u16,
    /// The word; 0 behind the end of the program.
    pub word: u32,
    /// Sources before selection and negation: name, and all four components as
    /// binary32 bits, those of integer uniforms too. An indexed one names the register that was read
    /// (`c4[a0.x] = c7`).
    pub reads: Vec<(String, [u32; 4])>,
    /// The result register after the instruction, and which components changed
    /// hands: bit 0 is x.
    pub write: Option<(String, [u32; 4], u8)>,
    /// Other effects: flags, address registers, stacks.
    pub effects: Vec<String>,
    /// Whether the test of a branch held, where there is one.
    pub taken: Option<bool>,
    /// The word that follows; `None` at the end.
    pub next: Option<u16>,
}

/// Steps through an invocation of lane 0. Call after
/// [`Machine::start`]`(1)` and [`Machine::set_input`].
#[derive(Debug)]
pub struct Trace<'m> {
    machine: &'m mut Machine,
    group: Option<Group>,
}

impl Machine {
    /// The prepared invocation of lane 0, instruction by instruction.
    pub fn trace(&mut self) -> Trace<'_> {
        let group = Some(self.first_group(1));
        Trace { machine: self, group }
    }

    fn value(&self, quad: [Slot; 4]) -> [u32; 4] {
        quad.map(|slot| self.state.lanes(slot).0[0])
    }

    /// The name and value of a source of lane 0.
    fn source(&self, named: Named) -> (String, [u32; 4]) {
        let n = named.index;
        match named.file {
            bank::INPUT => (format!("v{n}"), self.register(0, Register::Input(n as u8))),
            bank::TEMP => (format!("r{n}"), self.register(0, Register::Temporary(n as u8))),
            _ if named.indexed == 0 => (format!("c{n}"), *self.state.tables[0].row(u32::from(n))),
            _ => {
                let index = usize::from(named.indexed - 1) % 3;
                let offset = self.value([self.program.regs.offset[index]; 4])[0];
                let row = offset.wrapping_add(u32::from(n)) & 0x7F;
                let found = if row < 96 { format!("c{row}") } else { "(1, 1, 1, 1)".to_owned() };
                let by = ["a0.x", "a0.y", "aL"][index];
                (format!("c{n}[{by}] = {found}"), *self.state.tables[0].row(row))
            }
        }
    }
}

impl Trace<'_> {
    /// The machine, to look at registers between steps.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        self.machine
    }

    /// The machine, to set registers between steps.
    pub fn machine_mut(&mut self) -> &mut Machine {
        self.machine
    }
}

impl Iterator for Trace<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let mut group = self.group.take()?;
        let machine = &mut *self.machine;
        let program = std::sync::Arc::clone(&machine.program);
        let pc = group.pc;
        let line = &program.lines[program.line_at(pc)];
        let sources = line.operands.sources.into_iter().flatten();
        let mut reads: Vec<_> = sources.map(|source| machine.source(source.register)).collect();
        reads.dedup();
        if let Flow::Loop { int, .. } = line.flow {
            let bytes = machine.ints[usize::from(int & 3)];
            reads.push((format!("i{}", int & 3), bytes.map(|byte| f32::from(byte).to_bits())));
        }
        let before = (machine.flags(0), machine.address(0), group.past.scopes);
        machine.state.active = 1;
        let taken = (line.flow.test() != Test::Always).then(|| machine.taken(1, line.flow) != 0);
        let runs = machine.run_straight(&program, &mut group, &mut Groups::default(), 1);
        machine.state.active = u32::MAX;
        let enabled = line.operands.enabled.iter().fold(0, |mask, i| mask | 1 << i);
        let write = line.target.map(|register| {
            let name = match register {
                Register::Output(n) => format!("o{n}"),
                Register::Input(n) => format!("v{n}"),
                Register::Temporary(n) => format!("r{n}"),
            };
            (name, machine.register(0, register), enabled)
        });
        let effects = effects(machine, before, group.past.scopes);
        let next = runs.then_some(group.pc as u16);
        self.group = runs.then_some(group);
        Some(Step { pc: pc as u16, word: line.word, reads, write, effects, taken, next })
    }
}

/// What changed besides the result register.
fn effects(machine: &Machine, before: ([bool; 2], [i32; 3], Scopes), scopes: Scopes) -> Vec<String> {
    let (flags, address, old) = before;
    let mut list = Vec::new();
    for (i, name) in ["cmp.x", "cmp.y"].into_iter().enumerate() {
        if machine.flags(0)[i] != flags[i] {
            list.push(format!("{name} = {}", machine.flags(0)[i]));
        }
    }
    for (i, name) in ["a0.x", "a0.y"].into_iter().enumerate() {
        if machine.address(0)[i] != address[i] {
            list.push(format!("{name} = {}", machine.address(0)[i]));
        }
    }
    if scopes.counter != old.counter {
        list.push(format!("aL = {}", scopes.counter));
    }
    list.extend(scopes.changed(&old));
    list
}
