//! Operands to bits.
//!
//! A word is put together field by field, in the order of the format. What a field
//! decides stays decided: fields that share bits must agree, and the first that does
//! not is the error.

use crate::breach::{Breach, EncodeError};
use crate::cx::Cx;
use crate::decl::{Field, Length, Operands, Rule};
use crate::form::{Form, Inst, MAX_FIELDS};
use crate::isa::Isa;
use crate::kind::Partial;
use crate::value::Value;
use crate::word::{Bits, Word, low_bits};

/// Bits of a word that something else has decided already, such as the other units of
/// a [`Bundle`](crate::Bundle).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Decided {
    /// The bits.
    pub word: Word,
    /// Which of them are decided.
    pub known: Word,
}

impl Isa {
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
        let fields = self.forms[form as usize].format.fields.len().min(MAX_FIELDS);
        self.encode_whole(form, &given[..fields], &Decided::default(), cx)
    }

    /// As [`encode`](Self::encode), where fields that are not given take their
    /// defaults on the bits that nothing else decides.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    pub fn encode_given(&self, form: u16, values: &[Option<Value>], cx: &Cx) -> Result<Inst, EncodeError> {
        self.encode_onto(form, values, &Decided::default(), cx)
    }

    /// As [`encode_given`](Self::encode_given), on top of bits that are decided; the
    /// result holds only what this form claims.
    ///
    /// # Errors
    /// As [`encode`](Self::encode); the opcode may contradict what is decided.
    pub fn encode_onto(
        &self,
        form: u16,
        values: &[Option<Value>],
        onto: &Decided,
        cx: &Cx,
    ) -> Result<Inst, EncodeError> {
        let mut room = [None; MAX_FIELDS];
        room.iter_mut().zip(values).for_each(|(slot, value)| *slot = *value);
        let fields = self.forms[form as usize].format.fields.len().min(MAX_FIELDS);
        self.encode_whole(form, &room[..fields], onto, cx)
    }

    /// As [`encode_onto`](Self::encode_onto), with a place for every field.
    pub(crate) fn encode_whole(
        &self,
        form: u16,
        values: &[Option<Value>],
        onto: &Decided,
        cx: &Cx,
    ) -> Result<Inst, EncodeError> {
        let fields = self.forms[form as usize].format.fields;
        let mut bits = self.begin(form, onto)?;
        for (i, (field, value)) in fields.iter().zip(values).enumerate() {
            let Some(value) = *value else {
                bits.put_default(field);
                continue;
            };
            self.put_field(&mut bits, field, value, cx)
                .map_err(|stop| self.why(form, i, value, stop, &bits))?;
        }
        if !onto.known.is_zero() {
            bits.word = bits.word & self.claimed(form);
        }
        let inst = self.sized(form, &mut bits);
        self.check(&inst, values, cx)?;
        Ok(inst)
    }

    /// The operation with these operands in the first form that holds them. Operands
    /// are given by field name; fields that are not named hold their defaults. A form
    /// without a named field does not hold it.
    ///
    /// # Errors
    /// What the preferred form says.
    pub fn encode_op(&self, op: u16, operands: &[(&str, Value)], cx: &Cx) -> Result<Inst, EncodeError> {
        let mut first = None;
        for form in self.forms_of(op) {
            match self.encode_named(form, operands, cx) {
                Ok(inst) => return Ok(inst),
                Err(e) => first = first.or(Some(e)),
            }
        }
        Err(first.unwrap_or(EncodeError::Operation))
    }

    fn encode_named(&self, form: u16, operands: &[(&str, Value)], cx: &Cx) -> Result<Inst, EncodeError> {
        let fields = self.forms[form as usize].format.fields;
        let mut values = [None; MAX_FIELDS];
        for (name, value) in operands {
            let at = fields.iter().position(|f| f.name == *name).filter(|&at| at < MAX_FIELDS);
            values[at.ok_or(EncodeError::Name)?] = Some(*value);
        }
        let values = &values[..fields.len().min(MAX_FIELDS)];
        self.encode_whole(form, values, &Decided::default(), cx)
    }

    /// Overwrites one operand of an instruction, as linking does with places. The
    /// other operands, the length and bits of unknown meaning stay; rules are not asked.
    ///
    /// # Errors
    /// If the format has no such field, the field cannot hold the value, or the other
    /// operands contradict it.
    pub fn put(&self, inst: &mut Inst, name: &str, value: Value, cx: &Cx) -> Result<(), EncodeError> {
        let form = inst.form;
        let at = self.field_index(inst, name).ok_or(EncodeError::Name)?;
        let fields = self.form(inst).format.fields;
        let mut bits = self.begin(form, &Decided::default())?;
        for (i, field) in fields.iter().enumerate() {
            // Of several readings of the same bits, the one that is put counts.
            let again = field.view || fields[at].view && field.bits.overlaps(&fields[at].bits);
            let value = match field.kind.decode(self.raw(field, &inst.word), cx) {
                _ if i == at => value,
                _ if again => {
                    bits.keep_beside(field, &fields[at].bits, &inst.word);
                    continue;
                }
                Some(value) => value,
                None => {
                    bits.keep(field, &inst.word);
                    continue;
                }
            };
            self.put_field(&mut bits, field, value, cx)
                .map_err(|stop| self.why(form, i, value, stop, &bits))?;
        }
        // What no operand decides stays, such as the bits that only a view reads.
        let kept = inst.word & !self.pattern(form).0 & !bits.known;
        let word = bits.word | kept;
        if !(word & !Word::low_bytes(inst.length)).is_zero() {
            return Err(EncodeError::Operand(fields[at].name));
        }
        inst.word = word;
        Ok(())
    }

    /// The rules of set, format and operation that an instruction breaks.
    pub fn breaches(&self, inst: &Inst, cx: &Cx) -> Vec<Breach> {
        let values = self.values(inst, cx);
        let operands = self.operands(inst, values.as_slice(), cx);
        self.rules(inst).filter_map(|rule| rule.apply(&operands).err()).collect()
    }

    /// The rules, on the operands that were given; the others are read back by those rules that ask for them.
    fn check(&self, inst: &Inst, values: &[Option<Value>], cx: &Cx) -> Result<(), EncodeError> {
        let operands = self.operands(inst, values, cx);
        let mut rules = self.rules(inst).filter(|rule| !cx.waived.contains(&rule.id));
        rules.try_for_each(|rule| rule.apply(&operands)).map_err(EncodeError::Rule)
    }

    fn rules(&self, inst: &Inst) -> impl Iterator<Item = &'static Rule> {
        let Form { operation, format, .. } = *self.form(inst);
        self.set.rules.iter().chain(format.rules).chain(operation.rules)
    }

    fn operands<'a>(&self, inst: &Inst, values: &'a [Option<Value>], cx: &'a Cx<'_>) -> Operands<'a> {
        let Form { operation, format, .. } = *self.form(inst);
        let (generation, fields, word) = (self.generation, format.fields, inst.word);
        Operands { operation, generation, fields, values, word, cx }
    }

    /// The form's own bits over those that are decided.
    fn begin(&self, form: u16, onto: &Decided) -> Result<Decided, EncodeError> {
        let (mask, value) = self.pattern(form);
        if onto.known.is_zero() {
            return Ok(Decided { word: value, known: mask });
        }
        if (onto.known & mask & onto.word) != value & onto.known & mask {
            return Err(EncodeError::Opcode);
        }
        Ok(Decided { word: value | onto.word & onto.known, known: mask | onto.known })
    }

    /// Adds what a field says to what is decided.
    #[inline]
    fn put_field(
        &self,
        bits: &mut Decided,
        field: &'static Field,
        value: Value,
        cx: &Cx,
    ) -> Result<(), Stop> {
        let given = bits.given(&field.bits);
        let put = match field.when.has(self.generation) {
            true => field.kind.encode(value, given, cx),
            false => Partial::full(field.default),
        };
        bits.put(field, given, put.ok_or(Stop::Invalid)?)
    }

    /// The shortest length that keeps every set bit.
    fn sized(&self, form: u16, bits: &mut Decided) -> Inst {
        let length = &self.forms[form as usize].format.length;
        if let Length::Marked { bit, short, .. } = *length
            && !bits.known.bit(bit)
            && !(bits.word & !Word::low_bytes(short)).is_zero()
        {
            bits.word = bits.word.with_bit(bit);
        }
        Inst { word: bits.word, form, length: length.of(&bits.word) }
    }

    /// Makes an error of what stopped the `at`-th field of a form.
    #[cold]
    fn why(&self, form: u16, at: usize, value: Value, stop: Stop, bits: &Decided) -> EncodeError {
        let fields = self.forms[form as usize].format.fields;
        let field = &fields[at];
        match (stop, value) {
            (Stop::Invalid, Value::Int(value)) => match field.kind.range(field.bits.width()) {
                Some((lowest, highest)) if !(lowest..=highest).contains(&value) => {
                    EncodeError::Range { field: field.name, value, lowest, highest }
                }
                _ => EncodeError::Operand(field.name),
            },
            (Stop::Invalid, _) => EncodeError::Operand(field.name),
            (Stop::Clash(put), _) => conflict(&fields[..at], field, put, bits),
        }
    }
}

/// Names the earlier field that decided the bits, and what both say about them.
fn conflict(earlier: &'static [Field], field: &'static Field, put: Partial, bits: &Decided) -> EncodeError {
    let given = bits.given(&field.bits);
    let clash = (given.raw ^ put.raw) & given.known & put.known;
    let clashing = field.bits.scatter(clash);
    let other = earlier.iter().find(|f| !f.view && !(f.bits.mask() & clashing).is_zero());
    let wants = field.kind.says(put.raw, clash);
    let theirs =
        other.and_then(|other| other.kind.says(other.bits.gather(&bits.word), other.bits.gather(&clashing)));
    EncodeError::Conflict {
        field: field.name,
        other: other.map_or("the opcode", |other| other.name),
        says: wants.zip(theirs),
    }
}

/// Why a field does not go into a word.
enum Stop {
    /// The kind has no bits for the operand.
    Invalid,
    /// These bits contradict decided ones.
    Clash(Partial),
}

impl Decided {
    /// Adds the bits that a field asks for, of which some may be `given` already.
    #[inline]
    fn put(&mut self, field: &'static Field, given: Partial, put: Partial) -> Result<(), Stop> {
        let width = low_bits(field.bits.width());
        if put.raw & put.known & !width != 0 {
            return Err(Stop::Invalid);
        }
        if (given.raw ^ put.raw) & given.known & put.known != 0 {
            return Err(Stop::Clash(put));
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

    /// The bits of a field as another word has them, but for those that a view puts anew.
    fn keep_beside(&mut self, field: &'static Field, view: &Bits, word: &Word) {
        if !field.view {
            let beside = field.bits.mask() & !view.mask();
            self.word |= *word & beside & !self.known;
            self.known |= beside;
        }
    }

    /// The field's bits as another word has them.
    fn keep(&mut self, field: &'static Field, word: &Word) {
        self.word |= *word & field.bits.mask() & !self.known;
        field.bits.fill(&mut self.known);
    }

    /// The default of a field that nobody gave, on the bits that are still open.
    #[inline]
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
