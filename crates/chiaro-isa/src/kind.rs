//! What the bits of a field mean: the trait that a target implements per kind of
//! operand, and the kinds that all targets share.

use crate::cursor::Cursor;
use crate::cx::Cx;
use crate::out::Out;
use crate::value::{Covered, Value};
use crate::word::low_bits;

/// The part of a field that is already decided while an instruction is encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partial {
    /// The bits.
    pub raw: u64,
    /// Which of them are decided.
    pub known: u64,
}

impl Partial {
    /// Every bit of the field decided.
    pub const fn full(raw: u64) -> Option<Partial> {
        Some(Partial { raw, known: u64::MAX })
    }
}

/// Some bits of a wide field, where they alone say its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leading {
    /// Which bits: a table has room for each of their values, so they should be no more than 14.
    pub which: u64,
    /// Bits beside them that change the text where they are set.
    pub changes: u64,
    /// The value of the former with which all others count.
    pub except: u64,
}

/// How one field is read, written, printed and parsed.
///
/// `decode` answers `None` for bits that are no valid operand, `encode` for an
/// operand that does not fit, `parse` for text that is none (and says on the
/// cursor what it expected). None of them panics, whatever it is given.
///
/// Three laws bind an implementation, and the tests of every target check them:
/// `encode(decode(raw)) == raw` on the bits that `encode` decides,
/// `parse(print(v)) == v`, and `decode` reads nothing but `raw` and the context.
pub trait Kind: Sync {
    /// Bits to operand.
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value>;

    /// Operand to bits; `given` holds the bits that earlier fields have decided.
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial>;

    /// Appends the operand as the dialect spells it.
    fn print(&self, value: Value, out: &mut Out, cx: &Cx);

    /// Reads an operand where the cursor stands.
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value>;

    /// The registers that an operand covers, for liveness; by default the run that
    /// a [`Value::Reg`] names.
    fn covers(&self, value: Value) -> Option<Covered> {
        let r = value.reg()?;
        Some(Covered { file: r.file, first: r.index, count: u16::from(r.more) + 1, parts: u16::MAX })
    }

    /// Whether the text depends on more of the context than the dialect, the generation
    /// and the wave (symbols, the address); texts of such fields are not kept.
    fn contextual(&self) -> bool {
        false
    }

    /// For fields too wide for a table of texts: the bits that mostly say the text, in a few runs.
    fn leading(&self) -> Option<Leading> {
        None
    }

    /// For fields too wide for a table of texts: the only bits that have a text. With all others
    /// nothing is printed, and all are valid.
    fn only(&self) -> Option<u64> {
        None
    }

    /// The numbers that a field of this width can hold, both inclusive, for messages
    /// about those that it cannot.
    fn range(&self, _width: u8) -> Option<(i64, i64)> {
        None
    }

    /// What some bits of a field say, as the rest of a sentence that begins with the
    /// field's name (`is full precision`): for messages about fields that share bits
    /// and disagree. `bits` marks those in question.
    fn says(&self, _raw: u64, _bits: u64) -> Option<&'static str> {
        None
    }

    /// The fields of the manual that this one joins, the highest first: what their names have
    /// behind this field's name, and their widths. Bits above all of them are other fields'.
    fn parts(&self) -> &'static [(&'static str, u8)] {
        &[]
    }

    /// Extra words for `explain` and the reference, such as a list of names.
    fn about(&self) -> Option<String> {
        None
    }
}

/// An unsigned number.
pub struct UInt;

/// An unsigned number, written in hexadecimal.
pub struct Hex;

/// A two's-complement number of the given width in bits (1 to 64).
pub struct Int(pub u8);

/// Present or absent, printed as the given text when present.
pub struct Flag(pub &'static str);

/// A name out of a list; an empty name is an invalid encoding.
pub struct Names(pub &'static [&'static str]);

/// A name out of a list in which `""` is the case that is not written: ` mul:2` or
/// nothing. Every number of the list is valid.
pub struct Modes(pub &'static [&'static str]);

/// Another kind behind a tag (` offset:4`), blanks around it as the text wants them.
/// For optional and unordered modifiers, where the tag tells which one follows.
pub struct Tagged(pub &'static str, pub &'static dyn Kind);

/// A place in the code, in units of `scale` bytes, counted from `from` bytes behind
/// the instruction if it is relative, else from the start.
pub struct Label {
    /// Bytes per step.
    pub scale: u8,
    /// Width of the field when it is relative (two's complement); 0 when absolute.
    pub relative: u8,
    /// What a relative distance is counted from, in bytes behind the instruction's start.
    pub from: u8,
}

fn number(value: Value) -> Option<i64> {
    match value {
        Value::Int(n) => Some(n),
        // A name that is not known yet is encoded as zero and patched later.
        Value::Symbol(_) => Some(0),
        Value::Reg(_) => None,
    }
}

impl Kind for UInt {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        i64::try_from(raw).ok().map(Value::Int)
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(number(value)?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.int().map(Value::Int).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, width: u8) -> Option<(i64, i64)> {
        Some((0, low_bits(width.min(63)) as i64))
    }
}

impl Kind for Hex {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(number(value)? as u64)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str("0x");
        out.push_hex(value.int().unwrap_or(0) as u64, 1);
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.int().map(Value::Int).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, width: u8) -> Option<(i64, i64)> {
        Some((0, low_bits(width.min(63)) as i64))
    }
}

impl Kind for Int {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let unused = 64 - u32::from(self.0);
        Some(Value::Int((raw << unused) as i64 >> unused))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = number(value)?;
        let unused = 64 - u32::from(self.0);
        ((n << unused) >> unused == n).then_some(())?;
        Partial::full(n as u64 & low_bits(self.0))
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_int(value.int().unwrap_or(0));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.int().map(Value::Int).or_else(|| s.fail("expected a number"))
    }
    fn range(&self, _: u8) -> Option<(i64, i64)> {
        let most = (low_bits(self.0) >> 1) as i64;
        Some((-most - 1, most))
    }
}

impl Kind for Flag {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        Some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        Partial::full(u64::try_from(number(value)?).ok()?)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        if value == Value::Int(1) {
            out.push_str(self.0);
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        Some(Value::Int(i64::from(s.eat(self.0.trim()))))
    }
    fn about(&self) -> Option<String> {
        Some(format!("written `{}`", self.0.trim()))
    }
}

impl Kind for Names {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        let name = self.0.get(usize::try_from(raw).ok()?)?;
        (!name.is_empty()).then_some(Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = usize::try_from(number(value)?).ok()?;
        self.0.get(n).filter(|name| !name.is_empty())?;
        Partial::full(n as u64)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(name_of(self.0, value));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        s.name_in(self.0).map(|n| Value::Int(n as i64)).or_else(|| s.fail("expected one of the names listed"))
    }
    fn about(&self) -> Option<String> {
        let named = self.0.iter().enumerate().filter(|(_, name)| !name.is_empty());
        Some(named.map(|(i, name)| format!("{i} {name}")).collect::<Vec<_>>().join(", "))
    }
}

impl Kind for Modes {
    fn decode(&self, raw: u64, _: &Cx) -> Option<Value> {
        self.0.get(usize::try_from(raw).ok()?).map(|_| Value::Int(raw as i64))
    }
    fn encode(&self, value: Value, _: Partial, _: &Cx) -> Option<Partial> {
        let n = usize::try_from(number(value)?).ok().filter(|n| *n < self.0.len())?;
        Partial::full(n as u64)
    }
    fn print(&self, value: Value, out: &mut Out, _: &Cx) {
        out.push_str(name_of(self.0, value));
    }
    fn parse(&self, s: &mut Cursor<'_>, _: &Cx) -> Option<Value> {
        let named = s.name_in(self.0).or_else(|| self.0.iter().position(|name| name.is_empty()));
        named.map(|n| Value::Int(n as i64)).or_else(|| s.fail("expected one of the names listed"))
    }
    fn about(&self) -> Option<String> {
        let named = self.0.iter().enumerate();
        let shown = named.map(|(i, name)| format!("{i} {}", if name.is_empty() { "-" } else { name.trim() }));
        Some(shown.collect::<Vec<_>>().join(", "))
    }
}

impl Kind for Tagged {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        self.1.decode(raw, cx)
    }
    fn encode(&self, value: Value, given: Partial, cx: &Cx) -> Option<Partial> {
        self.1.encode(value, given, cx)
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        out.push_str(self.0);
        self.1.print(value, out, cx);
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        match s.eat(self.0.trim()) {
            true => self.1.parse(s, cx),
            false => s.fail("this is no operand or modifier of the instruction"),
        }
    }
    fn covers(&self, value: Value) -> Option<Covered> {
        self.1.covers(value)
    }
    fn contextual(&self) -> bool {
        self.1.contextual()
    }
    fn range(&self, width: u8) -> Option<(i64, i64)> {
        self.1.range(width)
    }
    fn says(&self, raw: u64, bits: u64) -> Option<&'static str> {
        self.1.says(raw, bits)
    }
    fn about(&self) -> Option<String> {
        self.1.about()
    }
}

fn name_of(names: &[&'static str], value: Value) -> &'static str {
    value.int().and_then(|n| names.get(usize::try_from(n).ok()?).copied()).unwrap_or("")
}

impl Label {
    /// Bytes from the start of the code.
    fn place(&self, raw: u64, cx: &Cx) -> i64 {
        let scale = i64::from(self.scale);
        if self.relative == 0 {
            return (raw as i64).wrapping_mul(scale);
        }
        let unused = 64 - u32::from(self.relative);
        let steps = (raw << unused) as i64 >> unused;
        (cx.address as i64).wrapping_add(i64::from(self.from)).wrapping_add(steps.wrapping_mul(scale))
    }
}

/// Values are byte addresses, whatever the scale.
impl Kind for Label {
    fn decode(&self, raw: u64, cx: &Cx) -> Option<Value> {
        Some(Value::Int(self.place(raw, cx)))
    }
    fn encode(&self, value: Value, _: Partial, cx: &Cx) -> Option<Partial> {
        let Value::Int(place) = value else { return Some(Partial { raw: 0, known: 0 }) };
        let scale = i64::from(self.scale);
        if self.relative == 0 {
            return (place >= 0 && place % scale == 0).then(|| Partial::full((place / scale) as u64))?;
        }
        let distance = place.wrapping_sub(cx.address as i64).wrapping_sub(i64::from(self.from));
        let unused = 64 - u32::from(self.relative);
        let steps = distance / scale;
        (distance % scale == 0 && (steps << unused) >> unused == steps).then_some(())?;
        Partial::full(steps as u64 & low_bits(self.relative))
    }
    fn print(&self, value: Value, out: &mut Out, cx: &Cx) {
        let Value::Int(place) = value else { return };
        match cx.symbols.and_then(|s| s.name_at(place as u64)) {
            Some(name) => out.push_str(name),
            None => out.push_int(place / i64::from(self.scale)),
        }
    }
    fn parse(&self, s: &mut Cursor<'_>, cx: &Cx) -> Option<Value> {
        if let Some(n) = s.int() {
            return Some(Value::Int(n.checked_mul(i64::from(self.scale))?));
        }
        let name = s.ident().or_else(|| s.fail("expected a label or a number"))?;
        cx.symbols
            .and_then(|symbols| symbols.lookup(name))
            .or_else(|| s.fail_last("there is no label of this name"))
    }
    fn contextual(&self) -> bool {
        true
    }
}
