//! The checked program: every name resolved, every conversion written out, every type known.
//!
//! What checking makes and emission reads. It holds no error: a source with errors has no
//! program. Expressions live in one arena per module; an expression whose kind is a place
//! ([`ExprKind::is_place`]) is read where a value is asked for and written where a place is.

use crate::inline::{SpirvInstruction, SpirvMode};
use crate::intrinsic::Intrinsic;
use crate::qualifier::{Layout, Packing, Precision, Storage};
use crate::source::{Stage, Version};
use crate::token::{At, Symbol};
use crate::ty::{Ty, Types};

pub use crate::handle::{ExprId, FunctionId, GlobalId, LocalId, SpecId};

/// A checked source.
#[derive(Debug)]
pub struct Program {
    /// The stage.
    pub stage: Stage,
    /// The version.
    pub version: Version,
    /// Types.
    pub types: Types,
    /// Variables at the outermost level that are used or belong to the interface, built-ins
    /// among them, in the order of declaration.
    pub globals: Vec<Global>,
    /// Functions that have a body.
    pub functions: Vec<Function>,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Expressions that the source calls different between invocations. [GL_EXT_nonuniform_qualifier]
    pub nonuniform: std::collections::HashSet<ExprId>,
    /// Specialisation constants.
    pub specs: Vec<Spec>,
    /// `main`; `None` only for a library.
    pub main: Option<FunctionId>,
    /// Properties of the stage.
    pub modes: Modes,
    /// Functions that are instructions.
    pub instructions: Vec<SpirvInstruction>,
    /// Extensions that are enabled and that SPIR-V has to know of, by GLSL's names.
    pub extensions: Vec<Symbol>,
}

/// What layout qualifiers without a name say of the stage.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    /// `local_size_x` and so on, 1 where not given.
    pub local_size: [u32; 3],
    /// `local_size_x_id`.
    pub local_size_id: [Option<u32>; 3],
    /// `early_fragment_tests`.
    pub early_fragment_tests: bool,
    /// `origin_upper_left` for `gl_FragCoord`.
    pub origin_upper_left: bool,
    /// `pixel_center_integer` for `gl_FragCoord`.
    pub pixel_center_integer: bool,
    /// `depth_any`, `depth_greater`, `depth_less`, `depth_unchanged` for `gl_FragDepth`.
    pub depth: Option<spirv::ExecutionMode>,
    /// Primitives of a geometry shader: input, output, `max_vertices`, `invocations`.
    pub geometry: Option<(spirv::ExecutionMode, spirv::ExecutionMode, u32, u32)>,
    /// Vertices of the patch that a tessellation control shader makes.
    pub patch_vertices: Option<u32>,
    /// What a mesh shader makes at most: vertices and primitives.
    pub mesh: [Option<u32>; 2],
    /// Further modes, which have no operand.
    pub others: Vec<spirv::ExecutionMode>,
    /// `shading_rate_xQCOM` and so on, in place of the size of a workgroup.
    pub tile_rate: Option<[u32; 3]>,
    /// `primitive_culling` of rays.
    pub primitive_culling: bool,
    /// `#pragma shader_64bit_indexing`: indices may have 64 bits.
    pub wide_indices: bool,
    /// `#pragma chiaro KEY=VALUE`: what the source asks of a target.
    pub settings: Vec<(String, String)>,
    /// `gl_EnableOpacityMicromapEXT`, where the extension is on that has it.
    pub opacity_micromaps: Option<Switch>,
    /// `passthrough`: a geometry shader whose primitives go on as they are.
    pub passthrough: bool,
    /// Execution modes that the source brings itself.
    pub spirv: Vec<SpirvMode>,
}

/// Whether something is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// The source says it.
    Fixed(bool),
    /// A specialisation constant says it.
    Spec(SpecId),
}

/// A variable at the outermost level.
#[derive(Debug)]
pub struct Global {
    /// Its name as the source has it; for a block the instance's (empty text without one).
    pub name: Symbol,
    /// Its type; a block is a structure, an array of instances an array of it.
    pub ty: Ty,
    /// Where it lives.
    pub storage: Storage,
    /// Its precision.
    pub precision: Option<Precision>,
    /// Its qualifiers.
    pub layout: Layout,
    /// What it is, if it is one of the language's own.
    pub builtin: Option<Builtin>,
    /// If it is a block.
    pub block: Option<Block>,
    /// Its value at the start: a constant expression for uniforms, any for private ones.
    pub init: Option<ExprId>,
    /// Whether some function names it (statically).
    pub used: bool,
    /// Whether its old value is read: `inout` of framebuffer fetch, `gl_LastFragData`.
    pub framebuffer_fetch: bool,
    /// Where it is declared; nowhere for built-ins that are not redeclared.
    pub at: Option<At>,
}

/// What makes a variable a block.
#[derive(Debug)]
pub struct Block {
    /// The block's name.
    pub name: Symbol,
    /// How it is laid out.
    pub packing: Packing,
    /// Qualifiers of each member, the block's own applied.
    pub members: Vec<Layout>,
    /// Built-in members (`gl_PerVertex`), `None` elsewhere.
    pub builtins: Vec<Option<Builtin>>,
}

/// A variable of the language's own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// One that SPIR-V has.
    Known(spirv::BuiltIn),
    /// `gl_VertexID` of OpenGL (SPIR-V `VertexId` in that flavour).
    VertexId,
    /// `gl_InstanceID`, which does not count from the base.
    InstanceId,
    /// A matrix of rays whose rows are the columns of SPIR-V's.
    Transposed(spirv::BuiltIn),
    /// A mask of a subgroup as one number of 64 bits: the lower half of SPIR-V's.
    Ballot(spirv::BuiltIn),
    /// `gl_FragColor`: one colour for every attachment.
    FragColor,
    /// `gl_FragData[n]`.
    FragData,
    /// `gl_LastFragData`, `gl_LastFragColorARM`.
    LastFragData,
    /// Read over: hints to the device that SPIR-V has no number for.
    Unused,
    /// An attribute, varying or state of fixed functions, by its GLSL name: a named input,
    /// output or uniform.
    Legacy,
}

/// A specialisation constant.
#[derive(Debug)]
pub struct Spec {
    /// Its name.
    pub name: Symbol,
    /// `constant_id`; `None` for what follows others.
    pub id: Option<u32>,
    /// What it follows, an expression of such constants; `None` for what is set itself.
    pub value: Option<ExprId>,
    /// Its type: a scalar.
    pub ty: Ty,
    /// Bits of its default.
    pub default: u64,
    /// Where.
    pub at: At,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Symbol,
    /// Type of the result.
    pub result: Ty,
    /// Precision of the result.
    pub precision: Option<Precision>,
    /// Its parameters: the first locals, in order, and how they are passed.
    pub params: Vec<Passing>,
    /// Parameters and variables.
    pub locals: Vec<Local>,
    /// The body.
    pub body: Vec<Stmt>,
    /// Whether another part has the body.
    pub is_import: bool,
    /// Its head.
    pub at: At,
}

/// How a parameter is passed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Passing {
    /// A copy of the value.
    In,
    /// Undefined at first, copied back at the end.
    Out,
    /// Copied in, and back.
    Inout,
    /// An opaque type, or an image: the variable itself.
    Handle,
}

/// A parameter or variable of a function.
#[derive(Debug)]
pub struct Local {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Ty,
    /// Its precision.
    pub precision: Option<Precision>,
    /// `precise`.
    pub precise: bool,
    /// `invariant` etc. of opaque parameters: memory qualifiers.
    pub layout: Layout,
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
    /// Computed for its effect.
    Expr(ExprId),
    /// A variable begins to live here; without a value it is undefined.
    Local(LocalId, Option<ExprId>),
    /// A scope.
    Block(Vec<Stmt>),
    /// Two ways.
    If(ExprId, Vec<Stmt>, Vec<Stmt>),
    /// Falls through from case to case. The selector is a 32-bit integer.
    Switch(ExprId, Vec<Case>),
    /// A loop.
    Loop(Box<Loop>),
    /// Leaves the innermost loop or switch.
    Break,
    /// Goes to the step of the innermost loop.
    Continue,
    /// Leaves the function.
    Return(Option<ExprId>),
    /// Ends the invocation (`discard`).
    Discard,
    /// Turns into a helper (`demote`).
    Demote,
}

/// A case of a switch.
#[derive(Debug)]
pub struct Case {
    /// Bits of the labels before it; `None` is `default`.
    pub labels: Vec<Option<u32>>,
    /// What is done; falls through to the next one if it does not end otherwise.
    pub body: Vec<Stmt>,
}

/// A loop of any kind.
#[derive(Debug)]
pub struct Loop {
    /// Before it, in its scope.
    pub init: Vec<Stmt>,
    /// Statements before each test: the variable that a condition declares.
    pub before: Vec<Stmt>,
    /// The test; without, the loop goes on for ever.
    pub condition: Option<ExprId>,
    /// Whether the test comes behind the body (`do`).
    pub test_last: bool,
    /// Behind each turn.
    pub step: Option<ExprId>,
    /// The body.
    pub body: Vec<Stmt>,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Ty,
    /// Its precision; `None` where nothing is known of it, which is full.
    pub precision: Option<Precision>,
    /// Where.
    pub at: At,
}

/// Expressions.
#[derive(Debug)]
pub enum ExprKind {
    /// A constant: the bits of every scalar in the type's order (columns of matrices one after
    /// another, elements, members), bools 0 or 1, floats as `f32` bits, doubles as `f64` bits.
    Constant(Box<[u64]>),
    /// Zero in every part: what constants of any size and specialised length can be.
    Null,
    /// A specialisation constant.
    Spec(SpecId),
    /// A variable.
    Local(LocalId),
    /// A variable of the module.
    Global(GlobalId),
    /// Member number n of a structure or block.
    Member(ExprId, u32),
    /// The block at an address: a place.
    Deref(ExprId),
    /// Element, column or component by an index (any 32-bit integer).
    Index(ExprId, ExprId),
    /// Components of a vector (or of a scalar, `.xxx`), as many as the type has.
    Swizzle(ExprId, [u8; 4]),
    /// `-`, `!`, `~`: component by component.
    Unary(Unary, ExprId),
    /// Arithmetic, component by component; an operand may be a scalar where the other is a
    /// vector or matrix. `Mul` of matrices is linear algebra. Comparisons give one bool
    /// (`Equal`, `NotEqual` of any type that can be compared, structures and arrays too).
    Binary(Binary, ExprId, ExprId),
    /// `&&`, `||`: the second operand only if need be.
    Logical(Logical, ExprId, ExprId),
    /// `?:`: one of the two is computed.
    Ternary(ExprId, ExprId, ExprId),
    /// Stores the second in the first; its value is what was stored.
    Assign(ExprId, ExprId),
    /// `a op= b`: the place is computed once.
    Update(Binary, ExprId, ExprId),
    /// `++a`, `--a`, `a++`, `a--`.
    Step(Step, ExprId),
    /// Scalars and vectors to another scalar type, component by component; an address to and
    /// from `uint64_t`, `uvec2` and other addresses.
    Convert(ExprId),
    /// A vector of its parts, a matrix of its parts or of one scalar (diagonal) or of another
    /// matrix, an array or structure of its elements. Scalars are converted already.
    Construct(Vec<ExprId>),
    /// A function of the source. Arguments that are written are places, conversions of results
    /// that are copied back are the emitter's.
    Call(FunctionId, Vec<ExprId>),
    /// An instruction that the source brings itself, by its number in the program.
    Spirv(u32, Vec<ExprId>),
    /// A function of the language; arguments that are written (`modf`) are places.
    Intrinsic(Intrinsic, Vec<ExprId>),
    /// The number of elements of an unsized array at the end of a block: the place of the array.
    Length(ExprId),
    /// The first for its effect, then the second.
    Comma(ExprId, ExprId),
}

impl ExprKind {
    /// Whether it may be a place, if what it starts from is one.
    #[must_use]
    pub fn is_place(&self) -> bool {
        matches!(
            self,
            ExprKind::Local(_)
                | ExprKind::Global(_)
                | ExprKind::Member(..)
                | ExprKind::Deref(_)
                | ExprKind::Index(..)
                | ExprKind::Swizzle(..)
        )
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Unary {
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Operators that compute both operands.
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
    /// `^^`
    Xor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Operators that may skip the second operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Logical {
    And,
    Or,
}

/// `++` and `--`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// Whether it counts down.
    pub down: bool,
    /// Whether its value is the one before.
    pub post: bool,
}
