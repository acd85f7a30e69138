//! The tree that the parser makes: what is written, nothing resolved.
//!
//! Arenas and `u32` handles; a node's place is a range of tokens. Names are interned. Type
//! names of the language are [`TypeName::Known`]; whether an identifier is a type the parser
//! knows from the declarations it has seen (a scoped set of struct names).

use crate::qualifier::{HeapKind, Precision, RayStorage};
use crate::token::{At, Symbol};
use crate::ty::{CoopKind, Opaque, Scalar};

/// Handle of an [`Expr`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExprId(pub u32);

/// Handle of a [`Stmt`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StmtId(pub u32);

/// A whole source after preprocessing.
#[derive(Debug, Default)]
pub struct Ast {
    /// What stands at the outermost level, in order.
    pub items: Vec<Item>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Statements.
    pub stmts: Vec<Stmt>,
}

/// Something at the outermost level.
#[derive(Debug)]
pub enum Item {
    /// `spirv_execution_mode(...);`
    SpirvMode(SpirvWord, Box<SpirvArgs>, At),
    /// Variables, or a structure without variables.
    Declaration(Declaration),
    /// A function; without a body it is a prototype.
    Function(FunctionDef),
    /// `uniform Name { ... } instance[2];`
    Block(BlockDef),
    /// `layout(local_size_x = 8) in;`, `precise x;`, `invariant gl_Position;`: qualifiers for
    /// names that are there already, or for no name (defaults).
    Qualify(Vec<Qualifier>, Vec<(Symbol, At)>, At),
    /// `precision highp float;`
    Precision(Precision, TypeSpec, At),
}

impl Item {
    /// Where it stands, its name at least.
    #[must_use]
    pub fn at(&self) -> At {
        match self {
            Item::Declaration(declaration) => declaration.at,
            Item::Function(function) => function.at,
            Item::Block(block) => block.name.1,
            Item::Qualify(_, _, at) | Item::Precision(_, _, at) | Item::SpirvMode(_, _, at) => *at,
        }
    }
}

/// A qualifier as written, with its place.
#[derive(Clone, Debug)]
pub struct Qualifier {
    /// Which one.
    pub kind: QualifierKind,
    /// Where.
    pub at: At,
}

/// Qualifiers.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are the language's own words")]
pub enum QualifierKind {
    Const,
    In,
    Out,
    Inout,
    Attribute,
    Varying,
    Uniform,
    Buffer,
    Shared,
    Centroid,
    Sample,
    Patch,
    Smooth,
    Flat,
    NoPerspective,
    Invariant,
    Precise,
    Coherent,
    Volatile,
    Restrict,
    ReadOnly,
    WriteOnly,
    NonUniform,
    PerVertex,
    PerPrimitive,
    PerTask,
    TaskPayload,
    Explicit,
    TileImage,
    Ray(RayStorage),
    Heap(HeapKind),
    NonTemporal,
    Subroutine(Vec<(Symbol, At)>),
    Precision(Precision),
    /// `layout(a, b = 3)`.
    Layout(Vec<LayoutId>),
    /// `spirv_instruction(...)` and the like.
    Spirv(SpirvWord, Box<SpirvArgs>),
}

/// Words of GL_EXT_spirv_intrinsics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpirvWord {
    /// `spirv_instruction`: a function is this.
    Instruction,
    /// `spirv_literal`: a parameter goes into the instruction as it is.
    Literal,
    /// `spirv_by_reference`: a parameter is a pointer.
    ByReference,
    /// `spirv_decorate`.
    Decorate,
    /// `spirv_decorate_string`.
    DecorateString,
    /// `spirv_decorate_id`.
    DecorateId,
    /// `spirv_storage_class`.
    StorageClass,
    /// `spirv_execution_mode`.
    Mode,
    /// `spirv_execution_mode_id`.
    ModeId,
}

/// What is in the parentheses of these words.
#[derive(Clone, Debug, Default)]
pub struct SpirvArgs {
    /// Extensions of SPIR-V that are needed.
    pub extensions: Vec<Symbol>,
    /// Capabilities that are needed.
    pub capabilities: Vec<ExprId>,
    /// The set that an instruction is of.
    pub set: Option<Symbol>,
    /// The number of an instruction.
    pub id: Option<ExprId>,
    /// What has no name.
    pub list: Vec<SpirvArg>,
}

/// A number, text or type for SPIR-V.
#[derive(Clone, Debug)]
pub enum SpirvArg {
    /// A type, an operand of a type.
    Type(Box<TypeSpec>),
    /// A constant expression.
    Value(ExprId),
    /// A text.
    Text(Symbol),
}

/// One name in `layout(...)`, with its value.
#[derive(Clone, Debug)]
pub struct LayoutId {
    /// The name.
    pub name: Symbol,
    /// Behind the equals sign: a constant expression.
    pub value: Option<ExprId>,
    /// Where.
    pub at: At,
}

/// A type as written, without qualifiers: a name and the brackets that stand with it.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// The name.
    pub name: TypeName,
    /// `[2][]`: outermost first; `None` for empty brackets.
    pub dims: Vec<Option<ExprId>>,
    /// Where.
    pub at: At,
}

/// The name of a type.
#[derive(Clone, Debug)]
pub enum TypeName {
    /// `void`.
    Void,
    /// A scalar, a vector (`columns` 1) or a matrix of the language; a scalar has 1 and 1.
    Known {
        /// The scalar type.
        scalar: Scalar,
        /// Columns: more than 1 for matrices.
        columns: u8,
        /// Components of a vector or column.
        rows: u8,
    },
    /// A sampler, image, texture or atomic counter.
    Opaque(Opaque),
    /// One with others in angle brackets.
    Template(Box<TemplateType>),
    /// `spirv_type(...)`
    Spirv(Box<SpirvArgs>),
    /// A structure that was declared before.
    Named(Symbol),
    /// A structure declared here.
    Struct(Box<StructDef>),
    /// A block without a name that is reached by its address, declared within a heap.
    Block(Box<BlockDef>),
}

/// Types that are made of a type and numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Template {
    /// `tensorARM<element, rank>`.
    Tensor,
    /// `vector<component, count>`.
    Vector,
    /// A cooperative type, or a layout or view of tensors. Some words say what family their
    /// elements are of, and have their bits as a number.
    Coop(CoopKind, Option<Elements>),
}

/// Families of elements of the first cooperative matrices. [GL_NV_cooperative_matrix]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elements {
    /// `fcoopmatNV`
    Floats,
    /// `icoopmatNV`
    Signed,
    /// `ucoopmatNV`
    Unsigned,
}

/// A type with others in angle brackets.
#[derive(Clone, Debug)]
pub struct TemplateType {
    /// Which.
    pub template: Template,
    /// The type among the arguments, the first.
    pub element: Option<TypeName>,
    /// The others: numbers.
    pub args: Vec<ExprId>,
}

/// `struct Name { ... }`
#[derive(Clone, Debug)]
pub struct StructDef {
    /// Its name.
    pub name: Option<Symbol>,
    /// Its members.
    pub members: Vec<MemberDef>,
    /// Where.
    pub at: At,
}

/// Members of one declaration in a structure or block.
#[derive(Clone, Debug)]
pub struct MemberDef {
    /// Qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The type of all of them.
    pub ty: TypeSpec,
    /// Names with brackets of their own.
    pub names: Vec<Declarator>,
}

/// A name that is being declared.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Symbol,
    /// Brackets behind it: outermost first. They come outside of those of the type.
    pub dims: Vec<Option<ExprId>>,
    /// `= ...`; an initialiser list is [`ExprKind::List`].
    pub init: Option<ExprId>,
    /// Where the name stands.
    pub at: At,
}

/// `qualifiers type a, b[2] = ...;` No declarators: a structure alone.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The type.
    pub ty: TypeSpec,
    /// The names.
    pub names: Vec<Declarator>,
    /// Where.
    pub at: At,
}

/// An interface block.
#[derive(Clone, Debug)]
pub struct BlockDef {
    /// Qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The block's name.
    pub name: (Symbol, At),
    /// Its members.
    pub members: Vec<MemberDef>,
    /// The instance's name and brackets.
    pub instance: Option<Declarator>,
    /// Where.
    pub at: At,
}

/// A function.
#[derive(Debug)]
pub struct FunctionDef {
    /// Qualifiers of the result.
    pub qualifiers: Vec<Qualifier>,
    /// Type of the result.
    pub result: TypeSpec,
    /// Its name.
    pub name: (Symbol, At),
    /// Its parameters; `(void)` is none.
    pub params: Vec<Param>,
    /// Its body: a [`StmtKind::Block`].
    pub body: Option<StmtId>,
    /// The head, without the body.
    pub at: At,
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// Qualifiers.
    pub qualifiers: Vec<Qualifier>,
    /// The type.
    pub ty: TypeSpec,
    /// Its name, and brackets behind it; `Symbol` of the empty text without one.
    pub name: Declarator,
    /// Where.
    pub at: At,
}

/// A statement.
#[derive(Debug)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub at: At,
}

/// Statements.
#[derive(Debug)]
pub enum StmtKind {
    /// `;`, and what an error left behind.
    Empty,
    /// `a = b;`
    Expr(ExprId),
    /// Variables, a structure.
    Declaration(Declaration),
    /// `precise x;`, `invariant x;` within a function.
    Qualify(Vec<Qualifier>, Vec<(Symbol, At)>),
    /// `precision mediump float;`
    Precision(Precision, TypeSpec),
    /// `{ ... }`
    Block(Vec<StmtId>),
    /// `if (a) b else c`
    If(ExprId, StmtId, Option<StmtId>),
    /// `switch (a) { ... }`; labels are statements of the list.
    Switch(ExprId, Vec<StmtId>),
    /// `case a:`, or `default:` without.
    Case(Option<ExprId>),
    /// `while (c) s`; the condition may declare a variable.
    While(Box<Condition>, StmtId),
    /// `do s while (c);`
    DoWhile(StmtId, ExprId),
    /// `for (init; c; step) s`
    For {
        /// A declaration, an expression statement or an empty one.
        init: StmtId,
        /// Without: for ever.
        condition: Option<Box<Condition>>,
        /// Behind each turn.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return a;`
    Return(Option<ExprId>),
    /// `discard;`
    Discard,
    /// `demote;`
    Demote,
}

/// The condition of a loop.
#[derive(Debug)]
pub enum Condition {
    /// An expression.
    Expr(ExprId),
    /// `bool c = a`
    Declaration(Declaration),
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where.
    pub at: At,
}

/// Expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// What an error left behind: no further error comes of it.
    Error,
    /// A text, without its quotes: an argument of what extensions have.
    Text(Symbol),
    /// A name.
    Name(Symbol),
    /// `true`, `false`.
    Bool(bool),
    /// An integer of 32 or 64 bits: its bits and type (`Int`, `Uint`, `Int64` ...).
    Int(u64, Scalar),
    /// A float or double (`Float`, `Double`, `Float16`).
    Float(f64, Scalar),
    /// `a[i]`
    Index(ExprId, ExprId),
    /// `a.x`: member, swizzle, or the name of a method.
    Field(ExprId, Symbol, At),
    /// `f(a, b)`: a function by name.
    Call(Symbol, At, Vec<ExprId>),
    /// `vec3(a)`, `float[2](a, b)`, `S(a)`: a constructor.
    Construct(Box<TypeSpec>, Vec<ExprId>),
    /// `(vec3) a`, `(vec3)(a, b)`.
    Cast(Box<TypeSpec>, Vec<ExprId>),
    /// `a.length()`: a method.
    Method(ExprId, Symbol, Vec<ExprId>),
    /// `-a`
    Unary(Unary, ExprId),
    /// `a + b`
    Binary(Binary, ExprId, ExprId),
    /// `a ? b : c`
    Ternary(ExprId, ExprId, ExprId),
    /// `a = b`, `a += b`
    Assign(Option<Binary>, ExprId, ExprId),
    /// `a, b`
    Comma(ExprId, ExprId),
    /// `{ a, b }`, as an initialiser.
    List(Vec<ExprId>),
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Plus,
    Minus,
    /// `!`
    Not,
    /// `~`
    Complement,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}
