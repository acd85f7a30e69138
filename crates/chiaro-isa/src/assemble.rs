//! Labels, relaxation and relocations: the loop that all targets share.
//!
//! Instructions whose operands name places are encoded again until no length changes.
//! A form is only ever replaced by a later one of the same operation, so lengths grow
//! and the loop ends.

use crate::breach::EncodeError;
use crate::cx::Cx;
use crate::isa::{Inst, Isa, MAX_FIELDS};
use crate::kind::Value;

/// Something in the code.
#[derive(Clone, Debug)]
pub enum Item {
    /// An instruction with its operands in the order of the form's fields; a
    /// [`Value::Symbol`] is a place.
    Inst {
        /// Index into [`Isa::forms`]; later forms of the operation may replace it.
        form: u16,
        /// Operands in the order of the form's fields.
        values: Vec<Value>,
    },
    /// The place of a symbol.
    Label(u32),
    /// Bytes as they are.
    Data(Vec<u8>),
    /// Filler up to a multiple of so many bytes.
    Align(u8, u8),
}

/// A place that only a linker knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch {
    /// Byte offset of the instruction.
    pub offset: u64,
    /// Index of the field in its format.
    pub field: u8,
    /// The symbol.
    pub symbol: u32,
}

/// Code with what is still open.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// References to symbols that no item defines.
    pub patches: Vec<Patch>,
    /// Byte offset of each item.
    pub offsets: Vec<u64>,
}

/// Why items are not code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AssembleError {
    /// No form of the operation holds the operands of this item.
    Encode(usize, EncodeError),
    /// Two items define this symbol.
    Defined(u32, usize),
}

/// Lays the items out.
///
/// # Errors
/// The first item that cannot be encoded, or a symbol that is defined twice.
pub fn assemble(isa: &Isa, items: &[Item], cx: &Cx) -> Result<Assembled, AssembleError> {
    let mut layout = Layout::new(isa, items)?;
    while layout.relax(cx)? {}
    layout.emit(cx)
}

struct Layout<'a> {
    isa: &'a Isa,
    items: &'a [Item],
    /// Form and length of each item as of the last round.
    chosen: Vec<(u16, u8)>,
    offsets: Vec<u64>,
    /// Item that defines a symbol, by symbol.
    defined: Vec<Option<u32>>,
}

impl<'a> Layout<'a> {
    fn new(isa: &'a Isa, items: &'a [Item]) -> Result<Layout<'a>, AssembleError> {
        let mut defined: Vec<Option<u32>> = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let Item::Label(symbol) = item else { continue };
            let n = *symbol as usize;
            if n > items.len() + 0xffff {
                return Err(AssembleError::Encode(i, EncodeError::Operand("symbol")));
            }
            defined.resize(defined.len().max(n + 1), None);
            if defined[n].replace(i as u32).is_some() {
                return Err(AssembleError::Defined(*symbol, i));
            }
        }
        let chosen = items
            .iter()
            .map(|item| match item {
                Item::Inst { form, .. } => (*form, 0),
                _ => (0, 0),
            })
            .collect();
        let mut layout = Layout { isa, items, chosen, offsets: Vec::new(), defined };
        layout.place();
        Ok(layout)
    }

    fn place(&mut self) {
        self.offsets.clear();
        let mut at = 0u64;
        for (item, (_, length)) in self.items.iter().zip(&self.chosen) {
            self.offsets.push(at);
            at += match item {
                Item::Inst { .. } => u64::from(*length),
                Item::Label(_) => 0,
                Item::Data(bytes) => bytes.len() as u64,
                Item::Align(to, _) => at.next_multiple_of(u64::from((*to).max(1))) - at,
            };
        }
    }

    /// One round; whether a length changed.
    fn relax(&mut self, cx: &Cx) -> Result<bool, AssembleError> {
        let mut changed = false;
        for i in 0..self.items.len() {
            let Item::Inst { values, .. } = &self.items[i] else { continue };
            let (form, length) = self.chosen[i];
            let (inst, form) = self.encode(i, form, values, cx)?;
            let length = inst.length.max(length);
            changed |= (form, length) != self.chosen[i];
            self.chosen[i] = (form, length);
        }
        self.place();
        Ok(changed)
    }

    /// In the first form from `form` on that holds the operands.
    fn encode(&self, i: usize, form: u16, values: &[Value], cx: &Cx) -> Result<(Inst, u16), AssembleError> {
        let mut room = [Value::Int(0); MAX_FIELDS];
        let resolved = &mut room[..values.len().min(MAX_FIELDS)];
        for (slot, &value) in resolved.iter_mut().zip(values) {
            *slot = self.resolve(value);
        }
        let cx = Cx { address: self.offsets[i], ..*cx };
        let op = self.isa.forms[form as usize].op;
        let mut first = None;
        for f in self.isa.forms_of(op).filter(|&f| f >= form) {
            match self.isa.encode(f, resolved, &cx) {
                Ok(inst) => return Ok((inst, f)),
                Err(e) => first = first.or(Some(e)),
            }
        }
        Err(AssembleError::Encode(i, first.unwrap_or(EncodeError::Operand("form"))))
    }

    fn resolve(&self, value: Value) -> Value {
        match value {
            Value::Symbol(n) => match self.defined.get(n as usize).copied().flatten() {
                Some(item) => Value::Int(self.offsets[item as usize] as i64),
                None => value,
            },
            _ => value,
        }
    }

    fn emit(self, cx: &Cx) -> Result<Assembled, AssembleError> {
        let mut out = Assembled { offsets: self.offsets.clone(), ..Assembled::default() };
        for (i, item) in self.items.iter().enumerate() {
            match item {
                Item::Inst { values, .. } => self.emit_inst(i, values, cx, &mut out)?,
                Item::Label(_) => {}
                Item::Data(bytes) => out.bytes.extend_from_slice(bytes),
                Item::Align(to, filler) => {
                    out.bytes.resize(out.bytes.len().next_multiple_of((*to).max(1).into()), *filler);
                }
            }
        }
        Ok(out)
    }

    fn emit_inst(
        &self,
        i: usize,
        values: &[Value],
        cx: &Cx,
        out: &mut Assembled,
    ) -> Result<(), AssembleError> {
        let (form, length) = self.chosen[i];
        let (inst, _) = self.encode(i, form, values, cx)?;
        out.bytes.extend_from_slice(&inst.word.to_bytes()[..length as usize]);
        for (field, &value) in values.iter().enumerate() {
            if let Value::Symbol(symbol) = self.resolve(value) {
                out.patches.push(Patch { offset: self.offsets[i], field: field as u8, symbol });
            }
        }
        Ok(())
    }
}
