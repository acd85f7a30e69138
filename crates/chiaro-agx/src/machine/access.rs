//! What a memory operation asks for, read from its word once (spec 8).

use chiaro_isa::{Reg, Value};

use super::format::Format;
use crate::exec::{Choices, Operands};
use crate::isa::Op;
use crate::isa::memory::Memory;
use crate::regs::mods;

/// Which memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    Device,
    Threadgroup,
    Stack,
    Uniform,
}

/// What is done there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Load,
    Store,
    /// By the code of section 8.4.
    Atomic(i64),
    /// Takes words of the stack.
    Adjust,
}

/// A number, or a register with how it is extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Index {
    Number(i64),
    Register { register: Reg, signed: bool },
}

/// A memory operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Access {
    pub(super) what: What,
    pub(super) space: Space,
    pub(super) format: Format,
    pub(super) mask: u8,
    /// Registers loaded or stored; what an atomic gives, if anything.
    pub(super) data: Option<Reg>,
    /// What an atomic works with.
    pub(super) operand: Option<Reg>,
    /// `None` is 0.
    pub(super) base: Option<Reg>,
    pub(super) index: Index,
    pub(super) shift: u8,
    /// The slot that waits for it; `None` if it is done in order.
    pub(super) slot: Option<u8>,
}

impl Access {
    /// The operation of a word; `None` for formats that nobody knows.
    pub(super) fn of(op: Op, i: &Operands<'_>, choices: Choices) -> Option<Access> {
        use Memory as M;
        let Op::Memory(op) = op else { return None };
        let (what, space) = match op {
            M::DeviceLoad | M::DeviceLoadTodo => (What::Load, Space::Device),
            M::DeviceStore | M::DeviceStoreTodo => (What::Store, Space::Device),
            M::Atomic => (What::Atomic(i.number("code")), Space::Device),
            M::UniformStore => (What::Store, Space::Uniform),
            M::StackLoad => (What::Load, Space::Stack),
            M::StackStore => (What::Store, Space::Stack),
            M::StackAdjust | M::StackAdjust2 => (What::Adjust, Space::Stack),
            M::ThreadgroupLoad => (What::Load, Space::Threadgroup),
            M::ThreadgroupStore => (What::Store, Space::Threadgroup),
            M::ThreadgroupAtomic => (What::Atomic(i.number("code")), Space::Threadgroup),
            _ => return None,
        };
        let slot = match (space, what) {
            (_, What::Adjust) | (Space::Threadgroup | Space::Uniform, _) => None,
            (Space::Stack, _) => Some(i.number("i6") as u8),
            _ => Some(i.number("g") as u8),
        };
        let named = |name: &str| i.reg(name).filter(|r| used(*r));
        let code = if matches!(what, What::Atomic(_) | What::Adjust) { 2 } else { i.number("F") };
        let format = Format::assumed(code, choices)?;
        // Packed formats look at no shift (spec 8.1); 3 is as 2 (spec 8.2).
        let shift = if format.packed().is_some() { 0 } else { i.number("s").min(2) as u8 };
        Some(Access {
            what,
            space,
            format,
            mask: i.number("mask") as u8,
            data: named("R"),
            operand: named("S"),
            base: named("A"),
            index: index(op, i),
            shift,
            slot,
        })
    }
}

/// Whether there is a register, and the instruction looks at it.
fn used(r: Reg) -> bool {
    r.file != crate::regs::file::NONE && r.mods & mods::UNUSED == 0
}

fn index(op: Memory, i: &Operands<'_>) -> Index {
    let name = match op {
        Memory::StackAdjust => "v",
        Memory::StackAdjust2 => "r",
        _ => "O",
    };
    match i.isa.value(i.inst, name, &i.isa.cx()) {
        Some(Value::Int(n)) => Index::Number(n),
        Some(Value::Reg(register)) => {
            // 1 is unsigned; operations without the bit count in bytes or halves of their own.
            let signed = matches!(op, Memory::StackAdjust2) || i.int("Ou") == Some(0);
            Index::Register { register, signed }
        }
        _ => Index::Number(0),
    }
}
