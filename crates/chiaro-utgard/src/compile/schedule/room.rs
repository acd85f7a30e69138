//! Which units an operation can take, and which are free: a quick look before a trial.

use crate::compile::graph::Op;
use crate::isa::Add0;

/// Units that are free for operations, or that an operation can take: a bit each, the opcodes of
/// the adders first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Room(u32);

impl Room {
    const NONE: Room = Room(0);
    pub(super) const PRODUCT: Room = Room(1 << 8);
    pub(super) const SELECT: Room = Room(1 << 9);
    pub(super) const ROOT: Room = Room(1 << 10);
    pub(super) const EXP2: Room = Room(1 << 11);
    pub(super) const LOG2: Room = Room(1 << 12);
    pub(super) const PASS: Room = Room(1 << 13);
    pub(super) const BRANCH: Room = Room(1 << 14);
    pub(super) const ADDRESS: Room = Room(1 << 15);
    pub(super) const STORE: Room = Room(1 << 16);

    /// What an operation can take, of which it needs one.
    pub(super) fn wanted(op: Op) -> Room {
        let adder = |op: Add0| Room(1 << op.opcode());
        match op {
            Op::Load(_) => Room::NONE,
            Op::Mul(_) => Room::PRODUCT,
            Op::Neg => Room(Room::PRODUCT.0 | adder(Add0::Add).0),
            Op::Select => Room::SELECT,
            Op::Rcp | Op::Rsqrt => Room::ROOT,
            Op::Exp2 => Room::EXP2,
            Op::Log2 => Room::LOG2,
            Op::Clamp(..) => Room::PASS,
            Op::Branch => Room::BRANCH,
            Op::Address(_) => Room::ADDRESS,
            Op::Store(_) => Room::STORE,
            _ => op.adder().map_or(Room::NONE, adder),
        }
    }

    /// Free adders by their opcodes, a bit each; stores find out for themselves.
    pub(super) fn adders(opcodes: u8) -> Room {
        Room(u32::from(opcodes) | Room::STORE.0)
    }

    pub(super) fn with(self, more: Room) -> Room {
        Room(self.0 | more.0)
    }

    #[inline]
    pub(super) fn has(self, wanted: Room) -> bool {
        self.0 & wanted.0 != 0
    }
}
