//! An instruction set prepared for one generation, and its decoder.

use crate::breach::DecodeError;
use crate::cx::Cx;
use crate::decl::{Field, Length, Set};
use crate::form::{Form, Inst, MAX_FIELDS, Values};
use crate::size::Sizes;
use crate::template;
use crate::templates::{Printing, Templates};
use crate::tree::{Row, Tree};
use crate::value::Value;
use crate::word::Word;
use std::sync::OnceLock;

/// An instruction set, checked and ready: built once from a target's rows, for a
/// generation. Text tables are prepared at first use, per dialect.
pub struct Isa {
    /// The declaration.
    pub set: &'static Set,
    /// Index of the generation.
    pub generation: u8,
    /// Lanes in a wave, where the target has a choice; else 0. [`Isa::cx`] hands it on,
    /// and so samples and laws are of that wave.
    pub wave: u8,
    /// Every encoding of this generation, in the order of the rows.
    pub forms: Vec<Form>,
    /// Made when something is decoded: who assembles need not wait for it.
    tree: OnceLock<Tree>,
    sizes: Sizes,
    /// By form: the bits that it fixes, and what they are.
    patterns: Vec<(Word, Word)>,
    longest: u8,
    templates: Vec<OnceLock<Templates>>,
    printing: Vec<OnceLock<Printing>>,
}

impl Isa {
    /// Prepares the set for a generation (an index into [`Set::generations`]).
    pub fn new(set: &'static Set, generation: u8) -> Isa {
        let forms: Vec<Form> = forms(set, generation).collect();
        let patterns: Vec<(Word, Word)> = forms.iter().map(pattern).collect();
        let (tree, sizes) = (OnceLock::new(), Sizes::of(&forms));
        let longest = forms.iter().map(|f| f.format.length.longest()).max().unwrap_or(0);
        let templates = set.dialects.iter().map(|_| OnceLock::new()).collect();
        let printing = set.dialects.iter().map(|_| OnceLock::new()).collect();
        Isa { set, generation, wave: 0, forms, tree, sizes, patterns, longest, templates, printing }
    }

    /// The same for waves of so many lanes.
    #[must_use]
    pub fn in_wave(mut self, wave: u8) -> Isa {
        self.wave = wave;
        self
    }

    /// The longest instruction, in bytes.
    pub fn longest(&self) -> u8 {
        self.longest
    }

    /// The instruction at the start of `bytes`.
    ///
    /// # Errors
    /// If no form has these bits, or the instruction is longer than `bytes`.
    #[inline]
    pub fn decode(&self, bytes: &[u8]) -> Result<Inst, DecodeError> {
        self.decode_word(&Word::load(bytes), bytes.len())
    }

    /// The instruction at the bottom of `word`, of which `available` bytes are real.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    #[inline]
    pub fn decode_word(&self, word: &Word, available: usize) -> Result<Inst, DecodeError> {
        let tree = self.tree.get_or_init(|| Tree::new(rows(&self.forms, &self.patterns)));
        let (form, length) = tree.find(word).ok_or(DecodeError::Unknown)?;
        let length = match length {
            0 => self.sizes.length(form, word),
            known => known,
        };
        if length as usize > available {
            return Err(DecodeError::Truncated(length));
        }
        Ok(Inst { word: *word & Word::low_bytes(length), form, length })
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

    /// A context for this set's generation and wave with everything else plain.
    pub fn cx(&self) -> Cx<'static> {
        Cx { generation: self.generation, wave: self.wave, ..Cx::default() }
    }

    /// One operand by its field's name.
    pub fn value(&self, inst: &Inst, name: &str, cx: &Cx) -> Option<Value> {
        let field = self.field(inst, name)?;
        field.kind.decode(field.bits.gather(&inst.word), cx)
    }

    /// The field of this name in the instruction's format.
    pub fn field(&self, inst: &Inst, name: &str) -> Option<&'static Field> {
        self.field_index(inst, name).map(|at| &self.form(inst).format.fields[at])
    }

    pub(crate) fn field_index(&self, inst: &Inst, name: &str) -> Option<usize> {
        self.form(inst).format.fields.iter().position(|f| f.name == name)
    }

    /// All operands. A field that this generation lacks holds its default.
    pub fn values(&self, inst: &Inst, cx: &Cx) -> Values {
        let mut values = [None; MAX_FIELDS];
        for (slot, (_, value)) in values.iter_mut().zip(self.fields(inst, cx)) {
            *slot = value;
        }
        Values { values, len: self.form(inst).format.fields.len().min(MAX_FIELDS) as u8 }
    }

    /// The fields with their operands, one after the other, for who keeps none of them.
    pub fn fields<'a>(
        &'a self,
        inst: &'a Inst,
        cx: &'a Cx<'_>,
    ) -> impl Iterator<Item = (&'static Field, Option<Value>)> + 'a {
        let fields = self.form(inst).format.fields.iter();
        fields.map(|field| (field, field.kind.decode(self.raw(field, &inst.word), cx)))
    }

    #[inline]
    pub(crate) fn raw(&self, field: &Field, word: &Word) -> u64 {
        field.raw(word, self.generation)
    }

    /// Every bit that the declaration gives a meaning in this form.
    pub fn claimed(&self, form: u16) -> Word {
        let format = self.forms[form as usize].format;
        let here = format.fields.iter().filter(|f| f.when.has(self.generation));
        let fields = here.fold(Word::ZERO, |mask, f| mask | f.bits.mask());
        let marker = match format.length {
            Length::Marked { bit, .. } => Word::ZERO.with_bit(bit),
            Length::Counted { count, .. } => count.mask(),
            _ => Word::ZERO,
        };
        fields | marker | self.patterns[form as usize].0
    }

    /// Bits that are set, but that the declaration gives no meaning.
    pub fn unclaimed(&self, inst: &Inst) -> Word {
        inst.word & !self.claimed(inst.form)
    }

    /// The bits that a form fixes: mask and value.
    pub fn pattern(&self, form: u16) -> (Word, Word) {
        self.patterns[form as usize]
    }

    /// Whether a dialect spells an operand of this form with names of the program.
    pub(crate) fn needs_symbols(&self, form: u16, dialect: u8) -> bool {
        let contextual = |slot: &template::Slot| slot.field.kind.contextual();
        self.templates(dialect).pieces[form as usize].iter().any(|piece| piece.mentions(&contextual))
    }

    pub(crate) fn templates(&self, dialect: u8) -> &Templates {
        let dialect = self.known(dialect);
        self.templates[dialect as usize]
            .get_or_init(|| Templates::new(&self.forms, Cx { dialect, ..self.cx() }))
    }

    pub(crate) fn printing(&self, dialect: u8) -> &Printing {
        let dialect = self.known(dialect);
        self.printing[dialect as usize]
            .get_or_init(|| Printing::new(&self.forms, &self.templates(dialect).pieces, dialect))
    }

    /// A dialect that there is: the first for those that there are not.
    fn known(&self, dialect: u8) -> u8 {
        if (dialect as usize) < self.templates.len() { dialect } else { 0 }
    }
}

fn forms(set: &'static Set, generation: u8) -> impl Iterator<Item = Form> {
    let rows = set.rows().enumerate().filter(move |(_, o)| o.when.has(generation));
    rows.flat_map(move |(op, operation)| {
        let here = operation.encodings.iter().filter(move |(format, _)| format.when.has(generation));
        here.map(move |&(format, opcode)| Form { op: op as u16, operation, format, opcode })
    })
}

fn pattern(form: &Form) -> (Word, Word) {
    let format = form.format;
    let (mut mask, mut value) = (format.opcode.mask(), format.opcode.scatter(form.opcode));
    for (bits, fixed) in format.fixed {
        mask |= bits.mask();
        value |= bits.scatter(*fixed);
    }
    if let Length::Before { clear, .. } = format.length {
        mask = mask.with_bit(clear);
    }
    (mask, value)
}

/// What decoding looks for. A form that fixes bits behind its short length is two
/// rows: what a short instruction leaves out reads as zero, whatever follows it.
fn rows(forms: &[Form], patterns: &[(Word, Word)]) -> Vec<Row> {
    let mut rows = Vec::with_capacity(forms.len());
    for (i, (form, &(mask, value))) in forms.iter().zip(patterns).enumerate() {
        let row = |mask, value, length| Row { mask, value, form: i as u16, length };
        match form.format.length {
            Length::Bytes(n) | Length::Before { bytes: n, .. } => rows.push(row(mask, value, n)),
            Length::Marked { bit, short, long } if !(mask & !Word::low_bytes(short)).is_zero() => {
                let (marker, there) = (Word::ZERO.with_bit(bit), Word::low_bytes(short));
                rows.push(row(mask | marker, value | marker, long));
                if (value & !there).is_zero() {
                    rows.push(row(mask & there | marker, value, short));
                }
            }
            _ => rows.push(row(mask, value, 0)),
        }
    }
    rows
}
