//! Instructions as text.

use crate::cx::Cx;
use crate::form::Inst;
use crate::isa::Isa;
use crate::out::Out;
use crate::template::{Piece, Slot, Text};

impl Isa {
    /// Appends the instruction in the context's dialect; `false`, with nothing
    /// appended, if an operand's bits are invalid.
    pub fn print(&self, inst: &Inst, cx: &Cx, out: &mut Out) -> bool {
        let templates = self.templates(cx.dialect);
        let start = out.len();
        let printer = Printer { inst, cx, name: &templates.names[inst.form as usize] };
        let whole = printer.pieces(&templates.pieces[inst.form as usize], out);
        if !whole {
            out.truncate(start);
        }
        whole
    }

    /// As [`print`](Self::print), into a new string.
    pub fn text(&self, inst: &Inst, cx: &Cx) -> Option<String> {
        let mut out = Out::default();
        self.print(inst, cx, &mut out).then(|| out.as_str().to_owned())
    }
}

struct Printer<'a> {
    inst: &'a Inst,
    cx: &'a Cx<'a>,
    name: &'a Text,
}

impl Printer<'_> {
    fn pieces(&self, pieces: &[Piece], out: &mut Out) -> bool {
        pieces.iter().all(|piece| self.piece(piece, out))
    }

    #[inline]
    fn piece(&self, piece: &Piece, out: &mut Out) -> bool {
        match piece {
            Piece::Name => self.name.print(out),
            Piece::Text(text) => text.print(out),
            Piece::Narrow(slot, texts) => match &texts[self.raw(slot) as usize] {
                Some(text) => out.push_short(text),
                None => return false,
            },
            Piece::Field(slot) => return self.field(slot, out),
            Piece::Optional(inner) => {
                return !piece.mentions(&|slot| self.differs(slot)) || self.pieces(inner, out);
            }
            Piece::Unordered(slots) => {
                return slots.iter().all(|slot| !self.differs(slot) || self.field(slot, out));
            }
        }
        true
    }

    fn field(&self, slot: &Slot, out: &mut Out) -> bool {
        let kind = slot.field.kind;
        match kind.decode(self.raw(slot), self.cx) {
            Some(value) => {
                kind.print(value, out, self.cx);
                true
            }
            None => false,
        }
    }

    #[inline]
    fn differs(&self, slot: &Slot) -> bool {
        self.raw(slot) != slot.field.default
    }

    #[inline]
    fn raw(&self, slot: &Slot) -> u64 {
        slot.field.bits.gather(&self.inst.word)
    }
}
