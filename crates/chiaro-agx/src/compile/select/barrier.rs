//! Barriers: which memory is ordered, and who waits (spec 10.3).

use chiaro_ir::{Op as Ir, Scope};
use chiaro_mach::{Block, Effects, Operand};

use super::Select;
use crate::compile::code::Modifiers;
use crate::isa::Op;
use crate::isa::graphics::Graphics;
use crate::isa::memory::Memory;

/// Bits of SPIR-V's memory semantics: buffers, images.
const BUFFERS: u32 = 0x40;
const CROSS: u32 = 0x200;
const IMAGES: u32 = 0x800;

/// The three numbers of a memory barrier, by the names of the specification.
pub(super) type Numbers = [u8; 3];
pub(super) const MEMORY: Numbers = [1, 2, 9];
pub(super) const MEMORY_2: Numbers = [2, 2, 9];
const MEMORY_3: Numbers = [2, 1, 9];
pub(super) const IMAGE_1: Numbers = [2, 2, 10];
pub(super) const IMAGE_2: Numbers = [3, 2, 10];
pub(super) const IMAGE_3: Numbers = [2, 1, 10];
pub(super) const IMAGE_4: Numbers = [3, 1, 10];
pub(super) const FLUSH: Numbers = [0, 0, 4];
const UNKNOWN_1: Numbers = [0, 3, 3];
const UNKNOWN_2: Numbers = [0, 3, 0];
const DEVICE_1: Numbers = [3, 1, 9];
const DEVICE_2: Numbers = [3, 2, 9];

/// The fence of fragments that follow one another (spec 10.2).
const ORDERED: u64 = 0xc;

impl Select<'_> {
    pub(super) fn barrier(&mut self, at: Block, op: Ir) {
        let (waits, scope, semantics) = match op {
            Ir::ControlBarrier(waits, scope, semantics) => (waits == Scope::Workgroup, scope, semantics.0),
            Ir::MemoryBarrier(scope, semantics) => (false, scope, semantics.0),
            Ir::BeginOrdered | Ir::EndOrdered => return self.interlock(at, op == Ir::BeginOrdered),
            _ => return,
        };
        let has_images = semantics & IMAGES != 0;
        if semantics & (BUFFERS | CROSS | IMAGES) != 0 {
            self.order(at, &[MEMORY]);
        }
        if has_images {
            self.order(at, &[IMAGE_1, IMAGE_2]);
        }
        if waits {
            self.push(at, Op::Memory(Memory::ThreadgroupBarrier), &[], &[], Modifiers::default());
        }
        if has_images {
            self.order(at, &[IMAGE_3, IMAGE_4]);
        }
        if matches!(scope, Scope::Device | Scope::CrossDevice | Scope::QueueFamily) {
            self.order(at, &[UNKNOWN_1, MEMORY_2, DEVICE_2, UNKNOWN_2, MEMORY_3, DEVICE_1]);
        }
    }

    /// Fragments of one pixel follow one another between both: later ones wait, and find what earlier ones wrote.
    fn interlock(&mut self, at: Block, begins: bool) {
        if !begins {
            self.order(at, &[MEMORY, IMAGE_1, IMAGE_2, FLUSH, IMAGE_3]);
        }
        let op = if begins { Graphics::WaitPix } else { Graphics::SignalPix };
        let uses = [Operand::imm(ORDERED)];
        let inst = self.push(at, Op::Graphics(op), &[], &uses, Modifiers::default());
        let all = Effects::GLOBAL | Effects::IMAGE | Effects::BARRIER | Effects::COVERAGE | Effects::TILE;
        self.code.inst_mut(inst).effects = Effects::writes(all);
    }

    pub(super) fn order(&mut self, at: Block, all: &[Numbers]) {
        for &[a, b, c] in all {
            let modifiers = Modifiers { mode: a, levels: b, condition: c, ..Modifiers::default() };
            self.push(at, Op::Memory(Memory::MemoryBarrier), &[], &[], modifiers);
        }
    }
}
