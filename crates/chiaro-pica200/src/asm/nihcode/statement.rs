//! Statements as they are written, and the words that start them.

use super::lex::Name;
use super::number::Number;
use crate::isa::Op;
use chiaro_diag::Span;

/// A line that is not empty.
pub(super) enum Statement<'a> {
    /// `name:`
    Label,
    /// An instruction without operands.
    Plain(Op),
    /// `else`
    Else,
    /// `endif`
    Endif,
    /// `endloop`
    Endloop,
    /// A destination and sources; for MOVA only a source.
    Arithmetic(Op, Vec<Expression<'a>>),
    /// `cmp`
    Compare(Compare<'a>),
    /// An instruction with a condition.
    Flow(Flow<'a>),
    /// `setemit`
    Setemit(Setemit),
    /// `.alias`
    Alias(Alias<'a>),
    /// `.version`
    Version,
}

/// Up to four components. Places behind the last hold x, as in nihstro, whose look-ups
/// see them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Swizzle {
    pub(super) letters: [u8; 4],
    pub(super) count: u8,
}

impl Swizzle {
    /// `.xyzw`
    pub(super) const FULL: Swizzle = Swizzle { letters: [0, 1, 2, 3], count: 4 };

    /// The components named, 0 for x.
    pub(super) fn used(&self) -> &[u8] {
        &self.letters[..usize::from(self.count.min(4))]
    }
}

/// `-name[index].swizzle`
pub(super) struct Expression<'a> {
    pub(super) negative: bool,
    pub(super) name: Name<'a>,
    pub(super) index: Vec<Term<'a>>,
    pub(super) swizzles: Vec<(Swizzle, Span)>,
    pub(super) span: Span,
}

/// A part of an index.
pub(super) enum Term<'a> {
    Number(i32),
    Register(Name<'a>),
}

/// `cmp a, b, x, y`
pub(super) struct Compare<'a> {
    pub(super) sources: [Expression<'a>; 2],
    /// Relations of the x and y components, as CMP has them.
    pub(super) relations: [u8; 2],
}

/// What a flow control statement does, apart from its condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FlowKind {
    If,
    Loop,
    Break,
    Jump,
    Call,
    /// nihstro's table names an instruction here for which it has no code.
    Uncoded,
}

/// `kind target until return if condition`
pub(super) struct Flow<'a> {
    pub(super) kind: FlowKind,
    pub(super) target: Option<Name<'a>>,
    pub(super) until: Option<Name<'a>>,
    pub(super) condition: Option<Condition<'a>>,
}

/// One or two tests.
pub(super) struct Condition<'a> {
    pub(super) first: Test<'a>,
    pub(super) second: Option<(Join, Test<'a>)>,
    pub(super) span: Span,
}

/// How two tests are joined; numbered as CONDOP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    Or = 0,
    And = 1,
}

/// `!name.swizzle`
pub(super) struct Test<'a> {
    pub(super) inverted: bool,
    pub(super) name: Name<'a>,
    pub(super) swizzle: Option<Swizzle>,
    pub(super) span: Span,
}

/// `setemit vertex, prim, inv`
pub(super) struct Setemit {
    pub(super) vertex: u32,
    pub(super) vertex_span: Span,
    pub(super) primitive: bool,
    pub(super) inverted: bool,
}

/// `.alias name first-last.swizzle as meaning`
pub(super) struct Alias<'a> {
    pub(super) name: Name<'a>,
    pub(super) first: Name<'a>,
    pub(super) last: Option<Name<'a>>,
    pub(super) swizzle: Option<(Swizzle, Span)>,
    pub(super) meaning: Option<Meaning>,
    /// The register or registers.
    pub(super) span: Span,
}

/// What stands behind `as`.
pub(super) enum Meaning {
    /// The type of an output entry in the container.
    Property(u16),
    /// Values of a uniform.
    Constant(Vec<Number>),
}

/// Properties of outputs and their types (spec section 15).
pub(super) const PROPERTIES: [(&str, u16); 7] = [
    ("position", 0),
    ("quaternion", 1),
    ("color", 2),
    ("texcoord0", 3),
    ("texcoord1", 5),
    ("texcoord2", 6),
    ("view", 8),
];

/// Comparisons by CMP's number; the longer before those that they start with.
pub(super) const RELATIONS: [(&str, u8); 6] =
    [("==", 0), ("!=", 1), ("<=", 3), (">=", 5), ("<", 2), (">", 4)];

/// What a mnemonic introduces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Plain(Op),
    Else,
    Endif,
    Endloop,
    /// So many operands.
    Arithmetic(Op, u8),
    Compare,
    Flow(FlowKind),
    Setemit,
}

/// A word that starts a statement.
pub(super) struct Mnemonic {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether nihstro knows it.
    pub(super) original: bool,
}

const fn original(name: &'static str, kind: Kind) -> Mnemonic {
    Mnemonic { name, kind, original: true }
}

const fn ours(name: &'static str, kind: Kind) -> Mnemonic {
    Mnemonic { name, kind, original: false }
}

/// All mnemonics. The first six may be a part of nothing else where nihstro counts
/// words; see [`counted_by_tool`].
pub(super) const MNEMONICS: [Mnemonic; 38] = [
    original("nop", Kind::Plain(Op::Nop)),
    original("end", Kind::Plain(Op::End)),
    original("emit", Kind::Plain(Op::Emit)),
    original("else", Kind::Else),
    original("endif", Kind::Endif),
    original("endloop", Kind::Endloop),
    original("cmp", Kind::Compare),
    original("mova", Kind::Arithmetic(Op::Mova, 1)),
    original("exp", Kind::Arithmetic(Op::Ex2, 2)),
    original("log", Kind::Arithmetic(Op::Lg2, 2)),
    original("lit", Kind::Arithmetic(Op::Litp, 2)),
    original("flr", Kind::Arithmetic(Op::Flr, 2)),
    original("rcp", Kind::Arithmetic(Op::Rcp, 2)),
    original("rsq", Kind::Arithmetic(Op::Rsq, 2)),
    original("mov", Kind::Arithmetic(Op::Mov, 2)),
    original("add", Kind::Arithmetic(Op::Add, 3)),
    original("dp3", Kind::Arithmetic(Op::Dp3, 3)),
    original("dp4", Kind::Arithmetic(Op::Dp4, 3)),
    original("dph", Kind::Arithmetic(Op::Dph, 3)),
    original("dst", Kind::Arithmetic(Op::Dst, 3)),
    original("mul", Kind::Arithmetic(Op::Mul, 3)),
    original("sge", Kind::Arithmetic(Op::Sge, 3)),
    original("slt", Kind::Arithmetic(Op::Slt, 3)),
    original("max", Kind::Arithmetic(Op::Max, 3)),
    original("min", Kind::Arithmetic(Op::Min, 3)),
    original("mad", Kind::Arithmetic(Op::Mad, 4)),
    original("break", Kind::Flow(FlowKind::Uncoded)),
    original("breakc", Kind::Flow(FlowKind::Break)),
    original("if", Kind::Flow(FlowKind::If)),
    original("loop", Kind::Flow(FlowKind::Loop)),
    original("jmp", Kind::Flow(FlowKind::Jump)),
    original("call", Kind::Flow(FlowKind::Call)),
    original("setemitraw", Kind::Setemit),
    ours("setemit", Kind::Setemit),
    ours("break", Kind::Flow(FlowKind::Break)),
    ours("ex2", Kind::Arithmetic(Op::Ex2, 2)),
    ours("lg2", Kind::Arithmetic(Op::Lg2, 2)),
    ours("litp", Kind::Arithmetic(Op::Litp, 2)),
];

impl Kind {
    /// How many words the statement makes.
    pub(super) fn words(self) -> u32 {
        match self {
            Kind::Else | Kind::Endif | Kind::Endloop => 0,
            _ => 1,
        }
    }
}

/// The mnemonic that a word is; `tool` asks for nihstro's reading.
pub(super) fn mnemonic(word: &str, tool: bool) -> Option<Kind> {
    let wanted = |m: &&Mnemonic| if tool { m.original } else { m.kind != Kind::Flow(FlowKind::Uncoded) };
    let mut all = MNEMONICS.iter().filter(wanted);
    all.find(|m| m.name.eq_ignore_ascii_case(word)).map(|m| m.kind)
}

/// How many words nihstro reserves for a line when it looks for labels. It looks at the
/// first letters only, so that `iffy` counts as an `if`; and it forgets `setemitraw`.
pub(super) fn counted_by_tool(line: &str, space_at: impl Fn(usize) -> bool) -> u32 {
    let begins = |m: &&Mnemonic| {
        m.original && line.get(..m.name.len()).is_some_and(|start| start.eq_ignore_ascii_case(m.name))
    };
    let (alone, others) = MNEMONICS.split_at(6);
    if let Some(longest) = alone.iter().filter(begins).max_by_key(|m| m.name.len()) {
        return longest.kind.words();
    }
    let counts = |m: &Mnemonic| match m.kind {
        Kind::Setemit => false,
        Kind::Flow(FlowKind::Jump | FlowKind::Call) => space_at(m.name.len()),
        _ => true,
    };
    u32::from(others.iter().filter(begins).any(counts))
}
