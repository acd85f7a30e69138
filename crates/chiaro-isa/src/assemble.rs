//! Assembling: labels, branch relaxation and relocations, one loop for all targets.
//!
//! Instructions whose operands name places are encoded again until no length changes.
//! A form is only ever replaced by a later one of the same operation, and a long
//! encoding of a form stays long where it can, so lengths grow and the loop ends.

use crate::breach::EncodeError;
use crate::cx::Cx;
use crate::decl::Length;
use crate::form::{Inst, MAX_FIELDS};
use crate::isa::Isa;
use crate::parse::Parsed;
use crate::value::Value;

/// Something in the code.
#[derive(Clone, Debug)]
pub enum Item {
    /// An instruction; [`Item::of`] makes one of a parsed text.
    Inst {
        /// Index into [`Isa::forms`]; later forms of the operation may replace it.
        form: u16,
        /// Operands in the order of the form's fields, `None` for the default. A
        /// [`Value::Symbol`] is a place.
        values: Vec<Option<Value>>,
    },
    /// The place of a symbol.
    Label(u32),
    /// Bytes as they are.
    Data(Vec<u8>),
    /// Filler up to a multiple of so many bytes.
    Align(u8, u8),
}

impl Item {
    /// A parsed instruction, with its places still open.
    pub fn of(isa: &Isa, parsed: &Parsed, cx: &Cx) -> Item {
        let inst = &parsed.inst;
        let fields = isa.form(inst).format.fields;
        let mut values = isa.values(inst, cx).as_slice().to_vec();
        for (value, field) in values.iter_mut().zip(fields) {
            // A view would hold on to bits that its fields are about to change.
            *value = value.filter(|_| !field.view);
        }
        for (field, symbol) in parsed.symbols.iter().flatten() {
            values[*field as usize] = Some(Value::Symbol(*symbol));
        }
        Item::Inst { form: inst.form, values }
    }
}

/// A place that only a linker knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patch {
    /// Byte offset of the instruction.
    pub offset: u64,
    /// The form that was chosen, an index into [`Isa::forms`].
    pub form: u16,
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
    /// This symbol is defined a second time by this item.
    Defined(u32, usize),
    /// The length of this item depends on places that move whenever it changes.
    Unsettled(usize),
}

/// Rounds after which a layout that still moves is given up. Each round settles at
/// least one instruction of all usual kinds; real programs take two to four.
const ROUNDS: usize = 1_000;

/// Lays the items out.
///
/// # Errors
/// The first item that cannot be encoded, or a symbol that is defined twice.
pub fn assemble(isa: &Isa, items: &[Item], cx: &Cx) -> Result<Assembled, AssembleError> {
    let mut layout = Layout::new(isa, items)?;
    for _ in 0..ROUNDS {
        match layout.relax(cx)? {
            None => return layout.emit(cx),
            Some(item) => layout.unsettled = item,
        }
    }
    Err(AssembleError::Unsettled(layout.unsettled))
}

struct Layout<'a> {
    isa: &'a Isa,
    items: &'a [Item],
    /// Form and length of each item as of the last round.
    chosen: Vec<(u16, u8)>,
    offsets: Vec<u64>,
    /// Item that defines a symbol, by symbol.
    defined: Vec<Option<u32>>,
    /// The item that moved last.
    unsettled: usize,
}

impl<'a> Layout<'a> {
    fn new(isa: &'a Isa, items: &'a [Item]) -> Result<Layout<'a>, AssembleError> {
        let mut defined: Vec<Option<u32>> = Vec::new();
        for (i, item) in items.iter().enumerate() {
            let Item::Label(symbol) = item else { continue };
            let n = *symbol as usize;
            if n > items.len() + 0xffff {
                // Symbols are counted up from zero; more room than this would be a mistake.
                return Err(AssembleError::Encode(i, EncodeError::Operand("label")));
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
        let mut layout = Layout { isa, items, chosen, offsets: Vec::new(), defined, unsettled: 0 };
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

    /// One round; an item whose length changed.
    fn relax(&mut self, cx: &Cx) -> Result<Option<usize>, AssembleError> {
        let mut moved = None;
        for i in 0..self.items.len() {
            let Item::Inst { values, .. } = &self.items[i] else { continue };
            let inst = self.encode(i, values, cx)?;
            let chosen = (inst.form, inst.length);
            if chosen != self.chosen[i] {
                moved = Some(i);
            }
            self.chosen[i] = chosen;
        }
        self.place();
        Ok(moved)
    }

    /// In the first form, from the one chosen last on, that holds the operands.
    fn encode(&self, i: usize, values: &[Option<Value>], cx: &Cx) -> Result<Inst, AssembleError> {
        let cx = Cx { address: self.offsets[i], ..*cx };
        let (form, length) = self.chosen[i];
        let written = self.written(i);
        let mut first = None;
        for f in self.isa.forms_of(self.isa.forms[form as usize].op).filter(|&f| f >= form) {
            let mut room = [None; MAX_FIELDS];
            let inst = match self.carry(written, values, f, &mut room) {
                Some(operands) => self.isa.encode_given(f, operands, &cx),
                None => Err(EncodeError::Name),
            };
            match inst {
                Ok(inst) => return Ok(self.kept_long(inst, length)),
                Err(e) => first = first.or(Some(e)),
            }
        }
        Err(AssembleError::Encode(i, first.unwrap_or(EncodeError::Operation)))
    }

    /// The long encoding again, where the short one would do by now.
    fn kept_long(&self, mut inst: Inst, length: u8) -> Inst {
        if let Length::Marked { bit, long, .. } = self.isa.form(&inst).format.length
            && inst.length < length
            && length == long
        {
            inst.word = inst.word.with_bit(bit);
            inst.length = long;
        }
        inst
    }

    /// The form that an item was written for.
    fn written(&self, i: usize) -> u16 {
        match self.items[i] {
            Item::Inst { form, .. } => form,
            _ => 0,
        }
    }

    /// Operands of one form as another form has them, places resolved. `None` if it
    /// has no field of that name for an operand that is not the default.
    fn carry<'r>(
        &self,
        from: u16,
        values: &[Option<Value>],
        to: u16,
        room: &'r mut [Option<Value>; MAX_FIELDS],
    ) -> Option<&'r [Option<Value>]> {
        let fields = |form: u16| self.isa.forms[form as usize].format.fields;
        for (field, value) in fields(from).iter().zip(values) {
            let Some(value) = value.map(|value| self.resolve(value)) else { continue };
            match fields(to).iter().take(MAX_FIELDS).position(|f| f.name == field.name) {
                Some(at) => room[at] = Some(value),
                None if field.kind.decode(field.default, &self.isa.cx()) == Some(value) => {}
                None => return None,
            }
        }
        Some(&room[..fields(to).len().min(MAX_FIELDS)])
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
        values: &[Option<Value>],
        cx: &Cx,
        out: &mut Assembled,
    ) -> Result<(), AssembleError> {
        let inst = self.encode(i, values, cx)?;
        let Inst { form, length, .. } = inst;
        out.bytes.extend_from_slice(&inst.to_bytes()[..length as usize]);
        let mut room = [None; MAX_FIELDS];
        let operands = self.carry(self.written(i), values, form, &mut room).unwrap_or_default();
        for (field, value) in operands.iter().enumerate() {
            if let Some(Value::Symbol(symbol)) = *value {
                out.patches.push(Patch { offset: self.offsets[i], form, field: field as u8, symbol });
            }
        }
        Ok(())
    }
}
