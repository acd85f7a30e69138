//! Instructions as text.

use crate::cx::Cx;
use crate::decl::Field;
use crate::isa::{Inst, Isa};
use crate::out::Out;
use crate::template::{Piece, Templates};

impl Isa {
    /// Appends the instruction in the context's dialect; `false`, with nothing
    /// appended, if an operand's bits are invalid.
    pub fn print(&self, inst: &Inst, cx: &Cx, out: &mut Out) -> bool {
        let templates = self.templates(cx.dialect);
        let start = out.len();
        let printer = Printer { isa: self, inst, cx, templates };
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
    isa: &'a Isa,
    inst: &'a Inst,
    cx: &'a Cx<'a>,
    templates: &'a Templates,
}

impl Printer<'_> {
    fn pieces(&self, pieces: &[Piece], out: &mut Out) -> bool {
        pieces.iter().all(|piece| self.piece(piece, out))
    }

    #[inline]
    fn piece(&self, piece: &Piece, out: &mut Out) -> bool {
        match piece {
            Piece::Name => {
                self.templates.names[self.inst.form as usize].iter().for_each(|run| out.push_short(run));
                true
            }
            Piece::Text(text) => {
                text.runs.iter().for_each(|run| out.push_short(run));
                true
            }
            Piece::Narrow(at, texts) => match &texts[self.raw(*at) as usize] {
                Some(text) => {
                    out.push_short(text);
                    true
                }
                None => false,
            },
            Piece::Field(at) => self.field(*at, out),
            Piece::Optional(inner) => !mentions(inner, &|at| self.differs(at)) || self.pieces(inner, out),
            Piece::Unordered(fields) => {
                fields.iter().filter(|&&at| self.differs(at)).all(|&at| self.field(at, out))
            }
        }
    }

    fn field(&self, at: u8, out: &mut Out) -> bool {
        let kind = self.declared(at).kind;
        match kind.decode(self.raw(at), self.cx) {
            Some(value) => {
                kind.print(value, out, self.cx);
                true
            }
            None => false,
        }
    }

    fn differs(&self, at: u8) -> bool {
        self.raw(at) != self.declared(at).default
    }

    #[inline]
    fn declared(&self, at: u8) -> &'static Field {
        &self.isa.form(self.inst).format.fields[at as usize]
    }

    #[inline]
    fn raw(&self, at: u8) -> u64 {
        self.declared(at).bits.gather(&self.inst.word)
    }
}

/// Whether one of the fields in these pieces is as asked.
fn mentions(pieces: &[Piece], asked: &impl Fn(u8) -> bool) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Field(at) | Piece::Narrow(at, _) => asked(*at),
        Piece::Unordered(fields) => fields.iter().any(|&at| asked(at)),
        Piece::Optional(inner) => mentions(inner, asked),
        Piece::Text(_) | Piece::Name => false,
    })
}
