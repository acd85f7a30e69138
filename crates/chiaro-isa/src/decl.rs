//! The declaration: what a target writes down about its instructions.
//!
//! Plain `static` data, a row of the manual a row of the source. Everything else in
//! this crate reads it.

use crate::breach::Breach;
use crate::cx::Cx;
use crate::kind::Kind;
use crate::value::Value;
use crate::word::{Bits, Word};

/// Where a fact comes from, and how far to trust it.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    /// Short name as used in brackets: `3dbrew`.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
}

/// A set of generations; bit k is the k-th of [`Set::generations`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gens(pub u32);

impl Gens {
    /// Every generation.
    pub const ALL: Gens = Gens(u32::MAX);

    /// From the k-th generation on.
    pub const fn from(k: u8) -> Gens {
        Gens(u32::MAX << k)
    }

    /// Only the k-th generation.
    pub const fn only(k: u8) -> Gens {
        Gens(1 << k)
    }

    /// Up to and including the k-th generation.
    pub const fn until(k: u8) -> Gens {
        Gens(u32::MAX >> (31 - k))
    }

    /// Whether the k-th generation belongs to the set.
    pub const fn has(self, k: u8) -> bool {
        self.0 >> k & 1 == 1
    }
}

/// What an operand is to liveness, the scheduler and the register allocator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Written.
    Def,
    /// Read.
    Use,
    /// Read and written.
    DefUse,
    /// A place in the code.
    Target,
    /// Neither: a flag, a count, a condition.
    Modifier,
}

/// A run of bits with a meaning.
pub struct Field {
    /// Name, as templates and rules call it.
    pub name: &'static str,
    /// Where it is.
    pub bits: Bits,
    /// What its bits mean.
    pub kind: &'static dyn Kind,
    /// What the operand is to the compiler.
    pub role: Role,
    /// The value when the text does not mention the field.
    pub default: u64,
    /// Generations that have it; elsewhere its bits are the default.
    pub when: Gens,
    /// A further reading of bits that other fields own (a procedure name for place and
    /// length): it takes part in encoding only where the text mentions it.
    pub view: bool,
    /// One line for `explain` and the reference.
    pub doc: &'static str,
    /// Where the layout comes from, if not from the operation's source.
    pub source: Option<&'static Source>,
}

impl Field {
    /// The bits of the field in a word; the default where the generation lacks it.
    #[inline]
    pub(crate) fn raw(&self, word: &Word, generation: u8) -> u64 {
        if self.when.has(generation) { self.bits.gather(word) } else { self.default }
    }

    /// The same with another default.
    #[must_use]
    pub const fn or(mut self, raw: u64) -> Field {
        self.default = raw;
        self
    }

    /// The same, only in some generations.
    #[must_use]
    pub const fn when(mut self, when: Gens) -> Field {
        self.when = when;
        self
    }

    /// The same as a further reading of bits that other fields own.
    #[must_use]
    pub const fn view(mut self) -> Field {
        self.view = true;
        self
    }

    /// The same with a source of its own.
    #[must_use]
    pub const fn by(mut self, source: &'static Source) -> Field {
        self.source = Some(source);
        self
    }
}

const fn field(
    role: Role,
    name: &'static str,
    bits: Bits,
    kind: &'static dyn Kind,
    doc: &'static str,
) -> Field {
    Field { name, bits, kind, role, default: 0, when: Gens::ALL, view: false, doc, source: None }
}

/// An operand that is written.
pub const fn dst(name: &'static str, bits: Bits, kind: &'static dyn Kind, doc: &'static str) -> Field {
    field(Role::Def, name, bits, kind, doc)
}

/// An operand that is read.
pub const fn src(name: &'static str, bits: Bits, kind: &'static dyn Kind, doc: &'static str) -> Field {
    field(Role::Use, name, bits, kind, doc)
}

/// An operand that is read and written.
pub const fn inout(name: &'static str, bits: Bits, kind: &'static dyn Kind, doc: &'static str) -> Field {
    field(Role::DefUse, name, bits, kind, doc)
}

/// A place in the code.
pub const fn target(name: &'static str, bits: Bits, kind: &'static dyn Kind, doc: &'static str) -> Field {
    field(Role::Target, name, bits, kind, doc)
}

/// Anything that is neither read nor written.
pub const fn modifier(name: &'static str, bits: Bits, kind: &'static dyn Kind, doc: &'static str) -> Field {
    field(Role::Modifier, name, bits, kind, doc)
}

/// An operand that no bits name: `vcc`, `exec`, `p0`, the compare flags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Implicit {
    /// Its name in the target's documents.
    pub name: &'static str,
    /// Read, written or both.
    pub role: Role,
}

/// How the later of two instructions that touch the same register has to wait for the
/// earlier one. Schedulers, checkers, simulators and `explain` all read this type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    /// Until this many issue slots lie between them; 0: it may be the next instruction.
    Slots(u16),
    /// It must issue at a distance from the first to the second number of slots, both
    /// inclusive; 1 is the next instruction, 0 the same word.
    Window(u16, u16),
    /// Until the flag of this name, set on the later one, lets it go.
    Flag {
        /// The flag.
        name: &'static str,
        /// About how many slots pass until then, for the scheduler.
        slots: u16,
    },
    /// Until the counter of this name has come down.
    Counter {
        /// The counter.
        name: &'static str,
        /// About how many slots pass until then, for the scheduler.
        slots: u16,
    },
    /// No public source says.
    Unknown,
}

impl Wait {
    /// Issue slots that are best left between the two.
    pub const fn estimate(self) -> u16 {
        match self {
            Wait::Slots(slots) | Wait::Flag { slots, .. } | Wait::Counter { slots, .. } => slots,
            Wait::Window(first, _) => first.saturating_sub(1),
            Wait::Unknown => 0,
        }
    }
}

/// Why two instructions that touch the same register must keep their order. Machines wait
/// differently for each: a result takes the producer's latency, a source is free for
/// writing once it has been read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hazard {
    /// Read after write, through operand number `operand` of the reader.
    Raw {
        /// The place among the reader's uses.
        operand: usize,
    },
    /// Write after read.
    War,
    /// Write after write.
    Waw,
}

/// What an operation is there for, as people account for the length and the time of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// Nothing is done: empty slots, waits for results, hints.
    Wait,
    /// A value changes its place.
    Move,
    /// Where execution goes, and which lanes run.
    Control,
    /// Registers that others add to find their operands.
    Address,
    /// Values that had no register, written and read again.
    Spill,
    /// Buffers, shared memory, outputs in memory.
    Memory,
    /// Textures and images.
    Texture,
    /// What the program computes.
    Arithmetic,
}

/// Where operations run and when their results can be read.
#[derive(Debug)]
pub struct Class {
    /// Name in the reference and in scheduling tables.
    pub name: &'static str,
    /// The unit that runs it.
    pub unit: &'static str,
    /// Cycles until the unit takes the next one; `None` if unknown.
    pub issue: Option<u8>,
    /// When the result can be read.
    pub result: Wait,
    /// What its operations are there for.
    pub purpose: Purpose,
    /// Where the figures come from.
    pub source: Option<&'static Source>,
}

/// How many bytes an instruction takes; missing upper bits read as zero. What decides
/// the length lies within the shortest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// Always the same.
    Bytes(u8),
    /// `short` while `bit` is clear, else `long`.
    Marked {
        /// Which bit.
        bit: u8,
        /// Bytes while it is clear.
        short: u8,
        /// Bytes while it is set.
        long: u8,
    },
    /// `long` if one of the fields holds the value beside it, else `short`: a literal
    /// follows.
    Literal {
        /// Fields and the values that ask for a literal.
        asked: &'static [(Bits, u64)],
        /// Bytes without the literal.
        short: u8,
        /// Bytes with it.
        long: u8,
    },
    /// Always the same; told from a longer instruction by a bit behind it that is clear here and
    /// set there.
    Before {
        /// Bytes.
        bytes: u8,
        /// The bit, counted from the start of the instruction.
        clear: u8,
    },
    /// `base` plus `step` for each count in the field.
    Counted {
        /// The counter.
        count: Bits,
        /// Bytes at count 0.
        base: u8,
        /// Bytes for each count.
        step: u8,
    },
}

impl Length {
    /// The length of this word, in bytes.
    #[inline]
    pub fn of(&self, word: &Word) -> u8 {
        match *self {
            Length::Bytes(n) | Length::Before { bytes: n, .. } => n,
            Length::Marked { bit, short, long } => {
                if word.bit(bit) {
                    long
                } else {
                    short
                }
            }
            Length::Literal { asked, short, long } => {
                let literal = asked.iter().any(|(bits, value)| bits.gather(word) == *value);
                if literal { long } else { short }
            }
            Length::Counted { count, base, step } => {
                base.saturating_add(step.saturating_mul(count.gather(word) as u8))
            }
        }
    }

    /// The shortest it can be, in bytes.
    pub const fn shortest(&self) -> u8 {
        match *self {
            Length::Bytes(n) | Length::Before { bytes: n, .. } | Length::Counted { base: n, .. } => n,
            Length::Marked { short, .. } | Length::Literal { short, .. } => short,
        }
    }

    /// The longest it can be, in bytes.
    pub const fn longest(&self) -> u8 {
        match *self {
            Length::Bytes(n) | Length::Before { bytes: n, .. } => n,
            Length::Marked { long, .. } | Length::Literal { long, .. } => long,
            Length::Counted { count, base, step } => base + step * ((1 << count.width()) - 1) as u8,
        }
    }
}

/// A layout shared by many operations.
///
/// Fields may share bits (two sources that depend on one precision bit); an
/// instruction encodes only where all of them agree. They are encoded in the order
/// in which they stand here, so what others depend on comes first; views come before
/// the fields whose bits they read.
///
/// A template in `syntax` is text with holes: `{op}` the mnemonic, `{name}` a
/// field, `[...]` a part that is left out while its fields hold their defaults, and
/// `{*a b c}` optional fields in any order. `[[`, `]]`, `{{` and `}}` stand for
/// themselves. There is one template per dialect; a dialect without one uses the first.
pub struct Format {
    /// Name in the reference: `format 1i`.
    pub name: &'static str,
    /// How long.
    pub length: Length,
    /// Where the opcode is.
    pub opcode: Bits,
    /// Further bits that tell this format from others.
    pub fixed: &'static [(Bits, u64)],
    /// Operands and modifiers.
    pub fields: &'static [Field],
    /// One template per dialect.
    pub syntax: &'static [&'static str],
    /// Per dialect, what the mnemonic carries to ask for this format and no other
    /// (`_e64`, `i`); dialects without one print the bare name.
    pub suffix: &'static [&'static str],
    /// What must hold between the operands.
    pub rules: &'static [Rule],
    /// Bits without a meaning as far as is known: encoding leaves them clear, decoding
    /// keeps them, `explain` shows them where they are set. The laws want every bit
    /// fixed, in a field, or listed here.
    pub spare: &'static [Bits],
    /// Generations that have it.
    pub when: Gens,
}

impl Format {
    /// A format without anything, to write others as a difference from.
    pub const EMPTY: Format = Format {
        name: "",
        length: Length::Bytes(0),
        opcode: Bits::NONE,
        fixed: &[],
        fields: &[],
        syntax: &["{op}"],
        suffix: &[],
        rules: &[],
        spare: &[],
        when: Gens::ALL,
    };

    /// The bits that no opcode, no fixed pattern, no length and none of these fields claims, for
    /// layouts that keep what they do not understand.
    ///
    /// # Panics
    /// At compile time, where used in a `static`, if they are more runs than a field may have.
    pub const fn left_over(&self, fields: &[Field]) -> Bits {
        let mut left = without(Word::low_bytes(self.length.longest()), self.opcode.mask());
        let mut i = 0;
        while i < self.fixed.len() {
            left = without(left, self.fixed[i].0.mask());
            i += 1;
        }
        i = 0;
        while i < fields.len() {
            left = without(left, fields[i].bits.mask());
            i += 1;
        }
        match self.length {
            Length::Counted { count, .. } => left = without(left, count.mask()),
            Length::Marked { bit, .. } => left = without(left, Word::ZERO.with_bit(bit)),
            _ => {}
        }
        Bits::of(left)
    }
}

const fn without(a: Word, b: Word) -> Word {
    Word([a.0[0] & !b.0[0], a.0[1] & !b.0[1], a.0[2] & !b.0[2]])
}

/// What must hold between the operands of one instruction.
pub struct Rule {
    /// Short name, for messages and for waiving it.
    pub id: &'static str,
    /// What it demands, one sentence.
    pub doc: &'static str,
    /// Where it comes from.
    pub source: &'static Source,
    /// `Err` names the field at fault and says what is wrong.
    pub check: fn(&Operands<'_>) -> Result<(), (&'static str, String)>,
}

impl Rule {
    /// Applies it.
    pub(crate) fn apply(&self, operands: &Operands<'_>) -> Result<(), Breach> {
        (self.check)(operands).map_err(|(field, message)| Breach { rule: self.id, field, message })
    }
}

/// The operands of one instruction, as rules see them.
pub struct Operands<'a> {
    /// The operation.
    pub operation: &'static Operation,
    /// The generation, an index into [`Set::generations`].
    pub generation: u8,
    pub(crate) fields: &'static [Field],
    pub(crate) values: &'a [Option<Value>],
    /// Where those are read that were not given, if a rule asks for them.
    pub(crate) word: Word,
    pub(crate) cx: &'a Cx<'a>,
}

impl Operands<'_> {
    /// The operand of this name; `None` if the format has none or its bits are invalid.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.chosen(|field| field.name == name).next().map(|(_, value)| value)
    }

    /// All valid operands with their fields.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Field, Value)> + '_ {
        self.chosen(|_| true)
    }

    /// The valid operands of this role with their fields.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = (&'static Field, Value)> + '_ {
        self.chosen(move |field| field.role == role)
    }

    fn chosen(&self, wanted: impl Fn(&Field) -> bool) -> impl Iterator<Item = (&'static Field, Value)> {
        let fields = self.fields.iter().zip(self.values).filter(move |(field, _)| wanted(field));
        fields.filter_map(|(field, value)| Some((field, value.or_else(|| self.read(field))?)))
    }

    fn read(&self, field: &Field) -> Option<Value> {
        field.kind.decode(field.raw(&self.word, self.generation), self.cx)
    }
}

/// One operation and its encodings, the preferred one first: a row.
pub struct Operation {
    /// Mnemonic in the first dialect.
    pub name: &'static str,
    /// Names in other dialects, or further names: (dialect, name). The first name of
    /// a dialect is printed, all are read.
    pub aliases: &'static [(u8, &'static str)],
    /// Layout and opcode, the preferred first: assembler and emitter take the first
    /// that holds the operands.
    pub encodings: &'static [(&'static Format, u64)],
    /// Where it runs and when its result can be read.
    pub class: &'static Class,
    /// Operands that no bits name.
    pub implicit: &'static [Implicit],
    /// What must hold between its operands, beyond the format's rules.
    pub rules: &'static [Rule],
    /// Generations that have it.
    pub when: Gens,
    /// What it does; the text of `explain` and of the reference.
    pub doc: &'static str,
    /// Where that is known from.
    pub source: &'static Source,
}

impl Operation {
    /// The name that a dialect prints.
    pub fn name_in(&self, dialect: u8) -> &'static str {
        self.aliases.iter().find(|(d, _)| *d == dialect).map_or(self.name, |(_, name)| name)
    }
}

/// A whole instruction set.
pub struct Set {
    /// Name on the command line.
    pub name: &'static str,
    /// Name in the reference.
    pub title: &'static str,
    /// What a reader of the reference must know first, such as what the bits of a word
    /// stand for; may be empty.
    pub about: &'static str,
    /// The rows in families, a table of [`operations!`](crate::operations) each: one for
    /// small sets, one per encoding in its own file for large ones
    /// ([`families!`](crate::families)). Rows are numbered through all of them.
    pub operations: &'static [&'static [Operation]],
    /// Generations, oldest first; at least one.
    pub generations: &'static [&'static str],
    /// Dialects; the first one prints every operand and parses back.
    pub dialects: &'static [&'static str],
    /// What must hold in every instruction.
    pub rules: &'static [Rule],
    /// Whether mnemonics are read in any case.
    pub fold_case: bool,
}

impl Set {
    /// All rows of all families, in the order of their numbers.
    pub fn rows(&self) -> impl Iterator<Item = &'static Operation> {
        self.operations.iter().flat_map(|family| family.iter())
    }
}

/// Turns a list of operations into an opcode type (for exhaustive matches in the
/// simulator and the scheduler) and a table in the same order.
///
/// A row is: documentation, variant, mnemonic, encodings, class, source, and, in
/// braces, whatever else of [`Operation`] is not the default.
#[macro_export]
macro_rules! operations {
    ($(#[$meta:meta])* $vis:vis enum $op:ident => $table:ident {
        $( $(#[doc = $doc:literal])* $variant:ident $name:literal
           [ $($($format:ident)::+ $opcode:literal),+ $(,)? ] $class:ident $source:ident
           $({ $($key:ident: $value:expr),* $(,)? })?; )*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u16)]
        $vis enum $op { $( $(#[doc = $doc])* $variant, )* }

        #[doc = concat!("The rows of [`", stringify!($op), "`], in its order.")]
        #[allow(clippy::needless_update, reason = "a row may name every part")]
        $vis static $table: &[$crate::Operation] = &[$( $crate::Operation {
            $($($key: $value,)*)?
            ..$crate::Operation {
                name: $name,
                aliases: &[],
                encodings: &[$((&$($format)::+, $opcode)),+],
                class: &$class,
                implicit: &[],
                rules: &[],
                when: $crate::Gens::ALL,
                doc: concat!($($doc),*),
                source: &$source,
            }
        }, )*];

        impl $op {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [$op] = &[$( $op::$variant, )*];

            /// The operation of a row number, as [`Form::op`]($crate::Form) gives it.
            #[inline]
            pub fn of(row: u16) -> $op {
                $op::ALL[row as usize]
            }

            /// Its row number, for [`Isa::encode_op`]($crate::Isa::encode_op) and
            /// [`Isa::forms_of`]($crate::Isa::forms_of).
            #[inline]
            pub const fn row(self) -> u16 {
                self as u16
            }
        }
    };
}

/// Joins the tables of several files into one set: an enum with a variant per family, and
/// the list of tables for [`Set::operations`](crate::Set::operations).
///
/// Each family stays an enum of its own, so that a match within it is exhaustive; `of` and
/// `row` translate between a family's operation and its number in the whole set.
///
/// ```
/// # use chiaro_isa::*;
/// # static PAPER: Source = Source { name: "paper", title: "an example" };
/// # static ALU: Class = Class { name: "alu", unit: "alu", issue: None, result: Wait::Unknown, purpose: Purpose::Arithmetic, source: None };
/// # static ONE: Format = Format { opcode: at(0..=7), length: Length::Bytes(1), ..Format::EMPTY };
/// mod scalar {
/// #    use super::*;
///     operations! { pub enum Op => OPS { /** Nothing. */ Nop "s_nop" [ONE 0] ALU PAPER; } }
/// }
/// mod vector {
/// #    use super::*;
///     operations! { pub enum Op => OPS { /** Copy. */ Mov "v_mov" [ONE 1] ALU PAPER; } }
/// }
/// families! {
///     /// Every operation.
///     #[derive(Debug)]
///     pub enum Op => FAMILIES {
///         /// The scalar unit's.
///         Scalar(scalar::Op) => scalar::OPS;
///         /// The vector unit's.
///         Vector(vector::Op) => vector::OPS;
///     }
/// }
/// # fn main() {
/// assert_eq!(Op::of(1), Op::Vector(vector::Op::Mov));
/// assert_eq!(Op::Vector(vector::Op::Mov).row(), 1);
/// assert_eq!(FAMILIES[1][0].name, "v_mov");
/// # }
/// ```
#[macro_export]
macro_rules! families {
    ($(#[$meta:meta])* $vis:vis enum $op:ident => $table:ident {
        $( $(#[doc = $doc:literal])* $variant:ident($family:ty) => $rows:expr; )*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        $vis enum $op { $( $(#[doc = $doc])* $variant($family), )* }

        #[doc = concat!("The rows of [`", stringify!($op), "`], family by family.")]
        $vis static $table: &[&[$crate::Operation]] = &[$( $rows ),*];

        impl $op {
            /// How many rows there are.
            pub const COUNT: usize = 0 $( + <$family>::ALL.len() )*;

            /// Every operation, in the order of the tables.
            pub const ALL: [$op; Self::COUNT] = {
                let mut all = [[$( $op::$variant(<$family>::ALL[0]) ),*][0]; Self::COUNT];
                let mut row = 0;
                $(
                    let mut i = 0;
                    while i < <$family>::ALL.len() {
                        all[row] = $op::$variant(<$family>::ALL[i]);
                        (row, i) = (row + 1, i + 1);
                    }
                )*
                all
            };

            /// The operation of a row number, as [`Form::op`]($crate::Form) gives it.
            #[inline]
            pub fn of(row: u16) -> $op {
                static ALL: [$op; $op::COUNT] = $op::ALL;
                ALL[row as usize]
            }

            /// Its row number, for [`Isa::encode_op`]($crate::Isa::encode_op) and
            /// [`Isa::forms_of`]($crate::Isa::forms_of).
            pub fn row(self) -> u16 {
                let mut start = 0;
                $(
                    if let $op::$variant(op) = self {
                        return start + op.row();
                    }
                    start += <$family>::ALL.len() as u16;
                )*
                start
            }
        }
    };
}
