//! A decoded word for the checks: operation, registers as sets of components, target.
//!
//! Everything comes from the instruction set's declaration; here it is only turned into bit
//! sets. Component c of register n is bit 4n + c of a set, c counted from x.

use crate::isa::{Op, PICA200, descriptor_index, fetch, halves};
use crate::operand::{NEGATE, number_of};
use crate::regs::{ALL, IDENTITY, bank, selected};
use chiaro_isa::{Bits, Cx, Field, Form, Reg, Role, Value, Word};
use std::sync::OnceLock;

/// Bits of [`Step::special_reads`]: a0.x, a0.y, aL, cmp.x, cmp.y.
pub(super) const SPECIAL: [&str; 5] = ["a0.x", "a0.y", "aL", "cmp.x", "cmp.y"];
const CMP_BITS: u8 = 0b11000;
const AL_BIT: u8 = 0b100;

/// Components of one register: its number in the upper half, and a bit for each component in the lower, x in bit 0.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts(u8);

impl Parts {
    /// From a mask with x in bit 3.
    fn of(index: u16, mask: u16) -> Parts {
        let set = (mask as u8).reverse_bits() >> 4;
        Parts((index as u8 & 15) << 4 | set)
    }

    fn set(self) -> u64 {
        u64::from(self.0 & 15) << (4 * (self.0 >> 4))
    }
}

/// A decoded word, kept small: there is one for every word of a program, and memory that is touched for the first time
/// costs more than what is done in it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// `None` for an opcode that no source explains.
    pub(super) op: Option<Op>,
    /// What is written of an output.
    pub(super) output: Parts,
    /// What is written of a temporary.
    pub(super) temporary: Parts,
    /// What the sources read of temporaries.
    pub(super) sources: [Parts; 3],
    /// Address registers and flags written.
    pub(super) special_writes: u8,
    /// Address registers and flags read.
    pub(super) special_reads: u8,
    /// Input registers read, a bit each.
    pub(super) inputs: u16,
    /// DST of jumps, calls and blocks: 12 bits.
    pub(super) target: u16,
    /// NUM of calls and blocks: 8 bits.
    pub(super) count: u8,
    /// What a conditional instruction tests, see [`Test::packed`].
    pub(super) test: u8,
    /// Whether it has a destination, but enables no component of it.
    pub(super) idle: bool,
    /// Whether there are instruction bits that the format gives no meaning, see [`unclaimed`].
    pub(super) odd: bool,
}

/// The condition of a jump, call, block or break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    /// A boolean uniform; `want` is the value that takes the branch.
    Bool { index: u8, want: bool },
    /// CONDOP in bits 0-1, REFY in bit 2, REFX in bit 3 (spec section 11).
    Flags(u8),
}

impl Test {
    /// In one byte, as there is one for every word; 0 is none.
    fn packed(self) -> u8 {
        match self {
            Test::Bool { index, want } => 0x40 | u8::from(want) << 4 | index & 15,
            Test::Flags(raw) => 0x80 | raw & 15,
        }
    }

    fn unpacked(byte: u8) -> Option<Test> {
        match byte >> 6 {
            0 => None,
            1 => Some(Test::Bool { index: byte & 15, want: byte >> 4 & 1 == 1 }),
            _ => Some(Test::Flags(byte & 15)),
        }
    }
}

impl Step {
    /// What a conditional instruction tests.
    pub(super) fn test(&self) -> Option<Test> {
        Test::unpacked(self.test)
    }

    /// Output components written.
    pub(super) fn outputs(&self) -> u64 {
        self.output.set()
    }

    /// Temporary components written.
    pub(super) fn writes(&self) -> u64 {
        self.temporary.set()
    }

    /// Temporary components read.
    pub(super) fn reads(&self) -> u64 {
        self.sources.iter().fold(0, |set, source| set | source.set())
    }

    /// DST: a word of the code.
    pub(super) fn target(&self) -> u32 {
        self.target.into()
    }

    /// NUM: a number of words.
    pub(super) fn count(&self) -> u32 {
        self.count.into()
    }

    /// The words that a program can address; what they read of temporaries and of address registers only if
    /// somebody asks `who_reads`.
    pub(super) fn decode_all(code: &[u32], descriptors: &[[u32; 2]], who_reads: bool) -> Vec<Step> {
        let cx = PICA200.cx();
        let words = code.iter().take(super::ADDRESSABLE);
        let decode = |&word: &u32| match Shape::of(word) {
            Some(shape) => Step::decode(shape, fetch(word, descriptors), who_reads, &cx),
            None => Step::default(),
        };
        words.map(decode).collect()
    }

    fn decode(shape: &Shape, fetched: Word, who_reads: bool, cx: &Cx) -> Step {
        let Shape { op, claimed, ref parts, .. } = *shape;
        let mut step = Step { op: Some(op), odd: halves(fetched).0 & !claimed != 0, ..Step::default() };
        let (mut mask, mut sources) = (ALL, 0);
        for (part, field, number) in parts {
            let bits = if who_reads { &field.bits } else { number };
            // Looked at where it was made: to move it as a whole would wait for each of its parts.
            let value = field.kind.decode(bits.gather(&fetched), cx);
            match (part, &value) {
                (Part::Written, Some(Value::Reg(r))) => step.write(r, &mut mask),
                (Part::Read, Some(Value::Reg(r))) => {
                    step.read(r);
                    if who_reads {
                        step.read_parts(sources, r, || selection(op, field, *r, mask));
                    }
                    sources += 1;
                }
                (part, Some(Value::Int(n))) => step.number(*part, field, *n, &mut mask),
                _ => {}
            }
        }
        step.implicit(op);
        step
    }

    /// An operand that is no register.
    fn number(&mut self, part: Part, field: &Field, n: i64, mask: &mut u16) {
        match part {
            Part::Target => self.target = n as u16,
            Part::Count => self.count = n as u8,
            Part::Condition => {
                self.special_reads |= flags(field, Value::Int(n));
                self.test = Test::Flags(n as u8).packed();
            }
            Part::Mask => self.write_address(n as u16, mask),
            Part::Written | Part::Read => {}
        }
    }

    /// MOVA's mask: bit 1 is a0.x, bit 0 a0.y.
    fn write_address(&mut self, raw: u16, mask: &mut u16) {
        *mask = raw << 2;
        self.special_writes |= (raw >> 1 & 1 | (raw & 1) << 1) as u8;
        self.idle = raw == 0;
    }

    fn write(&mut self, r: &Reg, mask: &mut u16) {
        *mask = r.swizzle & ALL;
        let written = if r.file == bank::OUTPUT { &mut self.output } else { &mut self.temporary };
        *written = Parts::of(r.index, *mask);
        self.idle = *mask == 0;
    }

    fn read(&mut self, r: &Reg) {
        match r.file {
            bank::BOOL => {
                self.test = Test::Bool { index: r.index as u8, want: r.mods & NEGATE == 0 }.packed();
            }
            bank::INPUT => self.inputs |= 1 << (r.index & 15),
            _ => {}
        }
    }

    /// What the source of this number reads of temporaries and of address registers.
    fn read_parts(&mut self, source: usize, r: &Reg, selected: impl FnOnce() -> u16) {
        match r.file {
            bank::TEMP => self.sources[source] = Parts::of(r.index, selected()),
            bank::FLOAT if r.indexed != 0 => self.special_reads |= 1 << (r.indexed - 1 & 3),
            _ => {}
        }
    }

    fn implicit(&mut self, op: Op) {
        match op {
            Op::Cmp => self.special_writes |= CMP_BITS,
            Op::Litp => {
                self.special_writes |= CMP_BITS;
                self.idle = false; // the flags are set whatever the mask
            }
            Op::Loop => self.special_writes |= AL_BIT,
            _ => {}
        }
    }
}

/// What a field is for the checks.
#[derive(Clone, Copy)]
enum Part {
    Written,
    Read,
    Mask,
    Target,
    Count,
    Condition,
}

impl Part {
    fn of(field: &Field) -> Option<Part> {
        match (field.name, field.role) {
            ("target", _) => Some(Part::Target),
            ("count", _) => Some(Part::Count),
            ("cond", _) => Some(Part::Condition),
            ("mask", Role::Def) => Some(Part::Mask),
            (_, Role::Def) => Some(Part::Written),
            (_, Role::Use) => Some(Part::Read),
            _ => None,
        }
    }
}

/// What the words of one opcode are for the checks.
struct Shape {
    op: Op,
    fields: &'static [Field],
    /// Bits that have a meaning.
    claimed: u32,
    /// The fields that the checks look at, so that of a word no others are decoded and no names compared. Beside each
    /// what of its bits says which register it is.
    parts: Vec<(Part, &'static Field, Bits)>,
}

impl Shape {
    /// That of a word; `None` if nothing is known of its opcode.
    #[inline]
    fn of(word: u32) -> Option<&'static Shape> {
        let opcode = word >> OPCODE;
        SHAPES[opcode as usize].get_or_init(|| Shape::new(opcode)).as_ref()
    }

    #[cold]
    fn new(opcode: u32) -> Option<Shape> {
        let word = Word::from(u64::from(opcode) << OPCODE);
        let fits = |form: &u16| {
            let (mask, value) = PICA200.pattern(*form);
            word & mask == value
        };
        let form = (0..).take(PICA200.forms.len()).find(fits)?;
        let Form { op, format, .. } = PICA200.forms[usize::from(form)];
        let parts = format.fields.iter().filter_map(|f| Some((Part::of(f)?, f, number_of(f))));
        let claimed = halves(PICA200.claimed(form)).0;
        Some(Shape { op: Op::of(op), fields: format.fields, claimed, parts: parts.collect() })
    }
}

/// Where opcodes begin. Of those that are shorter than what is left from there on, several numbers mean the same.
const OPCODE: u32 = 26;

/// By opcode, each made when a word has it: of all there are a program has few.
static SHAPES: [OnceLock<Option<Shape>>; 1 << (32 - OPCODE)] =
    [const { OnceLock::new() }; 1 << (32 - OPCODE)];

/// The components of the register that a source reads, x in bit 3.
fn selection(op: Op, field: &Field, r: Reg, mask: u16) -> u16 {
    // What the operation reads when nothing is exchanged; ALL also stands for "those enabled".
    let plain = Value::Reg(Reg { swizzle: IDENTITY, ..r });
    let read = field.kind.covers(plain).map_or(ALL, |covered| covered.parts);
    let all_four = matches!(op, Op::Dp4 | Op::Dph);
    let read = if read == ALL && !all_four { mask } else { read };
    let picked = (0..4).filter(|i| read >> (3 - i) & 1 != 0);
    picked.fold(0, |set, i| set | 8 >> selected(r.swizzle, i))
}

/// The flags that a condition tests.
fn flags(field: &Field, value: Value) -> u8 {
    let Some(covered) = field.kind.covers(value) else { return 0 };
    (covered.first..covered.first + covered.count).fold(0, |set, flag| set | 1 << (3 + flag))
}

/// Set bits of a word that have no meaning.
pub(super) fn unclaimed(word: u32) -> u32 {
    Shape::of(word).map_or(0, |shape| word & !shape.claimed)
}

/// The number in a field of a word, not of its descriptor.
pub(super) fn number(word: u32, name: &str) -> Option<i64> {
    let field = Shape::of(word)?.fields.iter().find(|field| field.name == name)?;
    let raw = field.bits.gather(&Word::from(u64::from(word)));
    field.kind.decode(raw, &PICA200.cx())?.int()
}

/// The descriptor index if the table lacks it.
pub(super) fn missing_descriptor(word: u32, descriptors: usize) -> Option<usize> {
    descriptor_index(word).filter(|&index| index >= descriptors)
}
