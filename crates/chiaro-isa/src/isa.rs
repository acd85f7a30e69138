//! An instruction set prepared for one generation: decode and encode.

use crate::breach::{DecodeError, EncodeError};
use crate::cx::Cx;
use crate::decl::{Field, Format, Length, Operands, Operation, Rule, Set};
use crate::kind::{Partial, Value};
use crate::template::Templates;
use crate::tree::{Pattern, Tree};
use crate::word::{Bits, Word, low_bits};
use std::sync::OnceLock;

/// Most fields that a format may have.
pub const MAX_FIELDS: usize = 24;

/// One decoded instruction: which form, and its bits. Fields are read when asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inst {
    /// The bits; those behind `length` are zero.
    pub word: Word,
    /// Index into [`Isa::forms`].
    pub form: u16,
    /// Bytes.
    pub length: u8,
}

/// One encoding of one operation.
#[derive(Clone, Copy)]
pub struct Form {
    /// Row number of the operation in the set, for the target's `Op::of`.
    pub op: u16,
    /// The operation.
    pub operation: &'static Operation,
    /// The layout.
    pub format: &'static Format,
    /// What stands in the format's opcode bits.
    pub opcode: u64,
}

/// The operands of one instruction in the order of the format's fields; `None` where
/// bits are invalid. The first `len` count.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    values: [Option<Value>; MAX_FIELDS],
    len: u8,
}

/// An instruction set, checked and ready: built once from a target's rows, for a
/// generation. Text tables are prepared at first use, per dialect.
pub struct Isa {
    /// The declaration.
    pub set: &'static Set,
    /// Index of the generation.
    pub generation: u8,
    /// Every encoding of this generation, in the order of the rows.
    pub forms: Vec<Form>,
    patterns: Vec<Pattern>,
    tree: Tree,
    longest: u8,
    templates: Vec<OnceLock<Templates>>,
}

impl Isa {
    /// Prepares the set for a generation (an index into [`Set::generations`]).
    pub fn new(set: &'static Set, generation: u8) -> Isa {
        let forms: Vec<Form> = forms(set, generation).collect();
        let patterns: Vec<Pattern> = forms.iter().map(pattern).collect();
        let tree = Tree::new(&patterns);
        let longest = forms.iter().map(|f| f.format.length.longest()).max().unwrap_or(0);
        let templates = set.dialects.iter().map(|_| OnceLock::new()).collect();
        Isa { set, generation, forms, patterns, tree, longest, templates }
    }

    /// The longest instruction, in bytes.
    pub fn longest(&self) -> u8 {
        self.longest
    }

    /// The instruction at the start of `bytes`.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Result<Inst, DecodeError> {
        self.decode_word(&Word::load(bytes), bytes.len())
    }

    /// The instruction at the bottom of `word`, of which `available` bytes are real.
    #[inline]
    pub fn decode_word(&self, word: &Word, available: usize) -> Result<Inst, DecodeError> {
        for &form in self.tree.candidates(word) {
            let p = &self.patterns[form as usize];
            if *word & p.mask == p.value {
                let length = self.forms[form as usize].format.length.of(word);
                if length as usize > available {
                    return Err(DecodeError::Truncated(length));
                }
                return Ok(Inst { word: *word & Word::low_bytes(length), form, length });
            }
        }
        Err(DecodeError::Unknown)
    }

    /// The encoding of an instruction that this set decoded.
    #[inline]
    pub fn form(&self, inst: &Inst) -> &Form {
        &self.forms[inst.form as usize]
    }

    /// The forms of an operation by its row number, the preferred first.
    pub fn forms_of(&self, op: u16) -> impl Iterator<Item = u16> + '_ {
        let start = self.forms.partition_point(|f| f.op < op);
        (start..self.forms.len()).take_while(move |&i| self.forms[i].op == op).map(|i| i as u16)
    }

    /// A context for this set's generation with everything else plain.
    pub fn cx(&self) -> Cx<'static> {
        Cx { generation: self.generation, ..Cx::default() }
    }

    /// One operand by its field's name.
    pub fn value(&self, inst: &Inst, name: &str, cx: &Cx) -> Option<Value> {
        let field = self.field(inst, name)?;
        field.kind.decode(field.bits.gather(&inst.word), cx)
    }

    /// The field of this name in the instruction's format.
    pub fn field(&self, inst: &Inst, name: &str) -> Option<&'static Field> {
        self.form(inst).format.fields.iter().find(|f| f.name == name)
    }

    /// All operands.
    pub fn values(&self, inst: &Inst, cx: &Cx) -> Values {
        Values::of(self.form(inst).format.fields, &inst.word, cx)
    }

    /// Every bit that the declaration gives a meaning in this form.
    pub fn claimed(&self, form: u16) -> Word {
        let format = self.forms[form as usize].format;
        let fields = format.fields.iter().fold(Word::ZERO, |mask, f| mask | f.bits.mask());
        let marker = match format.length {
            Length::Marked { bit, .. } => Word::ZERO.with_bit(bit),
            Length::Counted { count, .. } => count.mask(),
            _ => Word::ZERO,
        };
        fields | marker | self.patterns[form as usize].mask
    }

    /// Bits that are set, but that the declaration gives no meaning.
    pub fn unclaimed(&self, inst: &Inst) -> Word {
        inst.word & !self.claimed(inst.form)
    }

    /// The bits that a form fixes: mask and value.
    pub fn pattern(&self, form: u16) -> (Word, Word) {
        let p = &self.patterns[form as usize];
        (p.mask, p.value)
    }

    /// The instruction of this form with these operands, in the order of its fields.
    ///
    /// # Errors
    /// The first field that has no encoding or contradicts an earlier one, or the
    /// first rule that is broken.
    pub fn encode(&self, form: u16, values: &[Value], cx: &Cx) -> Result<Inst, EncodeError> {
        let mut given = [None; MAX_FIELDS];
        for (slot, &value) in given.iter_mut().zip(values) {
            *slot = Some(value);
        }
        self.encode_given(form, &given[..values.len().min(MAX_FIELDS)], cx)
    }

    /// As [`encode`](Self::encode), where fields that are not given take their
    /// defaults on the bits that nothing else decides.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_given(&self, form: u16, values: &[Option<Value>], cx: &Cx) -> Result<Inst, EncodeError> {
        let mut room = [None; MAX_FIELDS];
        let values = &values[..values.len().min(MAX_FIELDS)];
        room[..values.len()].copy_from_slice(values);
        let fields = self.forms[form as usize].format.fields.len().min(MAX_FIELDS);
        self.encode_filling(form, &mut room[..fields], cx)
    }

    /// As [`encode_given`](Self::encode_given); where rules look at the operands, those
    /// that were not given are filled in.
    pub(crate) fn encode_filling(
        &self,
        form: u16,
        values: &mut [Option<Value>],
        cx: &Cx,
    ) -> Result<Inst, EncodeError> {
        let Form { format, .. } = self.forms[form as usize];
        let p = &self.patterns[form as usize];
        let mut bits = Building { word: p.value, known: p.mask };
        for (field, value) in format.fields.iter().zip(&*values) {
            match value {
                Some(value) => bits.put(field, *value, cx)?,
                None => bits.put_default(field),
            }
        }
        let inst = self.sized(form, bits);
        self.check(&inst, values, cx)?;
        Ok(inst)
    }

    /// The operation with these operands in the first form that holds them. Operands
    /// are given by field name; fields that are not named hold their defaults.
    ///
    /// # Errors
    /// What the preferred form says.
    pub fn encode_op(&self, op: u16, operands: &[(&str, Value)], cx: &Cx) -> Result<Inst, EncodeError> {
        let mut first = EncodeError::Operand("operation");
        for (n, form) in self.forms_of(op).enumerate() {
            let fields = self.forms[form as usize].format.fields;
            let mut values = [None; MAX_FIELDS];
            for (slot, field) in values.iter_mut().zip(fields) {
                *slot = operands.iter().find(|(name, _)| *name == field.name).map(|o| o.1);
            }
            match self.encode_given(form, &values[..fields.len().min(MAX_FIELDS)], cx) {
                Ok(inst) => return Ok(inst),
                Err(e) if n == 0 => first = e,
                Err(_) => {}
            }
        }
        Err(first)
    }

    /// Overwrites one operand of an instruction, as linking does with places.
    ///
    /// # Errors
    /// If the format has no such field, or the field cannot hold the value.
    pub fn put(&self, inst: &mut Inst, name: &str, value: Value, cx: &Cx) -> Result<(), EncodeError> {
        let field = self.field(inst, name).ok_or(EncodeError::Operand("name"))?;
        let mut bits = Building { word: inst.word & !field.bits.mask(), known: Word::ZERO };
        bits.put(field, value, cx)?;
        inst.word = bits.word;
        Ok(())
    }

    /// The rules of set, format and operation that an instruction breaks.
    pub fn breaches(&self, inst: &Inst, cx: &Cx) -> Vec<crate::Breach> {
        let values = self.values(inst, cx);
        let operands = self.operands(inst, &values);
        self.rules(inst).filter_map(|rule| rule.apply(&operands).err()).collect()
    }

    /// The rules, on the operands that were given; only the others are read back.
    fn check(&self, inst: &Inst, values: &mut [Option<Value>], cx: &Cx) -> Result<(), EncodeError> {
        let mut rules = self.rules(inst).filter(|rule| !cx.waived.contains(&rule.id)).peekable();
        if rules.peek().is_none() {
            return Ok(());
        }
        let form = self.form(inst);
        for (value, field) in values.iter_mut().zip(form.format.fields) {
            *value = value.or_else(|| field.kind.decode(field.bits.gather(&inst.word), cx));
        }
        let operands = Operands { operation: form.operation, fields: form.format.fields, values };
        rules.try_for_each(|rule| rule.apply(&operands)).map_err(EncodeError::Rule)
    }

    fn rules(&self, inst: &Inst) -> impl Iterator<Item = &'static Rule> {
        let Form { operation, format, .. } = *self.form(inst);
        self.set.rules.iter().chain(format.rules).chain(operation.rules)
    }

    fn operands<'a>(&self, inst: &Inst, values: &'a Values) -> Operands<'a> {
        let form = self.form(inst);
        Operands { operation: form.operation, fields: form.format.fields, values: values.as_slice() }
    }

    /// The shortest length that keeps every set bit.
    fn sized(&self, form: u16, bits: Building) -> Inst {
        let format = self.forms[form as usize].format;
        let Building { mut word, known } = bits;
        if let Length::Marked { bit, short, .. } = format.length
            && !known.bit(bit)
            && !(word & !Word::low_bytes(short)).is_zero()
        {
            word = word.with_bit(bit);
        }
        Inst { word, form, length: format.length.of(&word) }
    }

    pub(crate) fn templates(&self, dialect: u8) -> &Templates {
        let dialect = if (dialect as usize) < self.templates.len() { dialect } else { 0 };
        self.templates[dialect as usize].get_or_init(|| Templates::new(self, dialect))
    }

    /// What a reader of the declaration would call a mistake, for the tests of a
    /// target: fields outside the word, forms with the same bits, opcodes too wide,
    /// defaults that are no operands.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (i, form) in self.forms.iter().enumerate() {
            form_faults(form, &self.cx(), &mut faults);
            let twin = self.patterns[..i].iter().position(|q| {
                let p = &self.patterns[i];
                p.mask == q.mask && p.value == q.value
            });
            if let Some(j) = twin {
                faults.push(format!("{} and {} have the same bits", label(form), label(&self.forms[j])));
            }
        }
        faults
    }
}

/// A word while it is put together: what is decided so far.
#[derive(Clone, Copy)]
struct Building {
    word: Word,
    known: Word,
}

impl Building {
    fn put(&mut self, field: &'static Field, value: Value, cx: &Cx) -> Result<(), EncodeError> {
        let given = self.given(&field.bits);
        let absent = !field.when.has(cx.generation);
        let put = if absent { Partial::full(field.default) } else { field.kind.encode(value, given, cx) };
        let put = put.ok_or(EncodeError::Operand(field.name))?;
        let width = low_bits(field.bits.width());
        if put.raw & put.known & !width != 0 {
            return Err(EncodeError::Operand(field.name));
        }
        if (given.raw ^ put.raw) & given.known & put.known != 0 {
            return Err(EncodeError::Conflict(field.name));
        }
        // Bits that were known already are the same again.
        field.bits.put(put.raw & put.known, &mut self.word);
        match put.known & width == width {
            true => field.bits.fill(&mut self.known),
            false => field.bits.put(put.known, &mut self.known),
        }
        Ok(())
    }

    /// What earlier fields have decided: mostly nothing.
    #[inline]
    fn given(&self, bits: &Bits) -> Partial {
        match bits.any(&self.known) {
            true => Partial { raw: bits.gather(&self.word), known: bits.gather(&self.known) },
            false => Partial { raw: 0, known: 0 },
        }
    }

    /// The default of a field that nobody gave, on the bits that are still open.
    fn put_default(&mut self, field: &'static Field) {
        if field.view {
            return;
        }
        if field.default != 0 {
            self.word |= field.bits.scatter(field.default) & !self.known;
        }
        field.bits.fill(&mut self.known);
    }
}

impl Values {
    pub(crate) fn of(fields: &'static [Field], word: &Word, cx: &Cx) -> Values {
        let mut values = [None; MAX_FIELDS];
        for (slot, field) in values.iter_mut().zip(fields) {
            *slot = field.kind.decode(field.bits.gather(word), cx);
        }
        Values { values, len: fields.len().min(MAX_FIELDS) as u8 }
    }

    /// The operands in the order of the fields.
    pub fn as_slice(&self) -> &[Option<Value>] {
        &self.values[..self.len as usize]
    }

    /// All operands if every one is valid.
    pub fn all(&self) -> Option<Vec<Value>> {
        self.as_slice().iter().copied().collect()
    }
}

fn forms(set: &'static Set, generation: u8) -> impl Iterator<Item = Form> {
    let rows = set.operations.iter().enumerate().filter(move |(_, o)| o.when.has(generation));
    rows.flat_map(move |(op, operation)| {
        let here = operation.encodings.iter().filter(move |(format, _)| format.when.has(generation));
        here.map(move |&(format, opcode)| Form { op: op as u16, operation, format, opcode })
    })
}

fn pattern(form: &Form) -> Pattern {
    let format = form.format;
    let mut p = Pattern { mask: format.opcode.mask(), value: format.opcode.scatter(form.opcode) };
    for (bits, fixed) in format.fixed {
        p.mask |= bits.mask();
        p.value |= bits.scatter(*fixed);
    }
    p
}

fn label(form: &Form) -> String {
    format!("{} ({})", form.operation.name, form.format.name)
}

fn form_faults(form: &Form, cx: &Cx, faults: &mut Vec<String>) {
    let format = form.format;
    if form.opcode & !low_bits(format.opcode.width()) != 0 {
        faults.push(format!("{}: the opcode {:#x} is too wide", label(form), form.opcode));
    }
    if format.fields.len() > MAX_FIELDS {
        faults.push(format!("{}: {} fields, {MAX_FIELDS} allowed", label(form), format.fields.len()));
    }
    for f in format.fields {
        if f.bits.top().is_some_and(|top| u32::from(top) >= u32::from(format.length.longest()) * 8) {
            faults.push(format!("{}: {} lies outside the word", label(form), f.name));
        }
        if !f.when.has(cx.generation) && f.kind.decode(f.default, cx).is_none() {
            faults.push(format!("{}: the default of {} is no operand", label(form), f.name));
        }
    }
}
