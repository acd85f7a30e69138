//! Primitives that a geometry shader declares, and the operation mode that follows.

use std::fmt;

use chiaro_diag::Diagnostic;
use chiaro_ir::{EntryPoint, Global, GlobalRef, Module, Space};

use super::feed::Feed;
use crate::regs::FLOATS;

/// The uniform that makes a shader one for variable mode: an integer that the hardware sets to
/// the number of vertices in the primitive. It is c0. spec section 16.
pub const COUNT: &str = "primitive_vertices";

/// Inputs that the unit has: v0 to v15.
const INPUTS: u16 = 16;
/// Vertices that fixed mode counts in four bits (spec section 17).
const MOST_FIXED: u16 = 16;

/// SPIR-V's execution modes.
const INVOCATIONS: u32 = 0;
const INPUT_PRIMITIVES: [(u32, u16); 5] = [(19, 1), (20, 2), (21, 4), (22, 3), (23, 6)];
const TRIANGLE_STRIP: u32 = 29;

/// How the unit is given vertices; the number is the one in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mode {
    /// In v registers.
    Point = 0,
    /// In c registers, a number of vertices that comes with each primitive.
    Variable = 1,
    /// In c registers, always as many.
    Fixed = 2,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Point => "point",
            Mode::Variable => "variable",
            Mode::Fixed => "fixed",
        })
    }
}

/// A mode that the user asks for. Variable mode is the shader's to ask for ([`COUNT`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wish {
    /// [`Mode::Point`].
    Point,
    /// [`Mode::Fixed`].
    Fixed,
}

/// What a geometry shader is compiled for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What the vertex program hands on; without it, what the shader itself declares.
    pub feed: Option<Feed>,
    /// The operation mode, if not the one that follows from the shader.
    pub wish: Option<Wish>,
}

/// Where the vertices of a primitive are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The operation mode.
    pub mode: Mode,
    /// Vertices that the shader declares.
    pub vertices: u16,
    /// What a vertex is made of.
    pub feed: Feed,
    /// The uniform with the number of vertices, in variable mode.
    pub count: Option<GlobalRef>,
}

impl Plan {
    /// Chooses the mode of a shader; `computed` if vertices are named by numbers that are computed.
    ///
    /// # Errors
    /// Primitives that the unit does not have, and more vertices than registers.
    pub(crate) fn new(
        module: &Module,
        entry: &EntryPoint,
        feed: Feed,
        wish: Option<Wish>,
        computed: bool,
    ) -> Result<Plan, Box<Diagnostic>> {
        let vertices = primitives(entry)?;
        let count = count_of(module);
        let registers = vertices * feed.stride();
        let mode = match (count, wish) {
            (Some(_), None) => Mode::Variable,
            (Some(_), Some(_)) => {
                let message = format!("`{COUNT}` asks for variable mode, the options for another one");
                return Err(Diagnostic::error(None, message).into());
            }
            (None, Some(Wish::Point)) => Mode::Point,
            (None, Some(Wish::Fixed)) => Mode::Fixed,
            (None, None) if computed || registers > INPUTS => Mode::Fixed,
            (None, None) => Mode::Point,
        };
        let plan = Plan { mode, vertices, feed, count };
        plan.fits()?;
        if mode == Mode::Point && computed {
            return Err(Diagnostic::error(
                None,
                "in point mode a vertex cannot be named by a number that is computed",
            )
            .help("ask for fixed mode, whose vertices are in c registers, or unroll the loop")
            .into());
        }
        Ok(plan)
    }

    /// The register of the first vertex.
    pub(crate) fn first(&self) -> u16 {
        u16::from(self.mode == Mode::Variable)
    }

    /// Registers that vertices, and their count, take.
    pub(crate) fn registers(&self) -> u16 {
        self.first() + self.vertices * self.feed.stride()
    }

    /// The stride that a loader is to be told: registers of a whole primitive in point mode, else
    /// of a vertex. \[libctru]
    #[must_use]
    pub fn host_stride(&self) -> u16 {
        match self.mode {
            Mode::Point => self.vertices * self.feed.stride(),
            _ => self.feed.stride(),
        }
    }

    /// Bytes 0x14 to 0x17 of the executable. spec section 18.
    pub(crate) fn bytes(&self) -> [u8; 4] {
        let vertices = self.vertices as u8;
        match self.mode {
            Mode::Point => [0, 0, 0, 0],
            Mode::Variable => [1, 0, vertices, 0],
            Mode::Fixed => [2, 0, 0, vertices],
        }
    }

    fn fits(&self) -> Result<(), Box<Diagnostic>> {
        let (used, allowed, bank) = match self.mode {
            Mode::Point => (self.registers(), INPUTS, "v"),
            _ => (self.registers(), FLOATS, "c"),
        };
        if used > allowed || self.feed.stride() > INPUTS {
            let (n, stride) = (self.vertices, self.feed.stride());
            let message = format!(
                "{n} vertices of {stride} registers take {used} {bank} registers, {allowed} are there"
            );
            return Err(Diagnostic::error(None, message)
                .help("let the vertex program hand on less: pack scalars into vectors")
                .into());
        }
        if self.mode == Mode::Fixed && self.vertices > MOST_FIXED {
            let message = format!("fixed mode has {} vertices, {MOST_FIXED} are allowed", self.vertices);
            return Err(Diagnostic::error(None, message).into());
        }
        Ok(())
    }
}

/// Vertices of the input primitive; the rest of what a shader says has to be what the unit does.
fn primitives(entry: &EntryPoint) -> Result<u16, Box<Diagnostic>> {
    let has = |wanted: u32| entry.modes.iter().find(|(mode, _)| *mode == wanted);
    let repeated = has(INVOCATIONS).and_then(|(_, numbers)| numbers.first()).is_some_and(|&n| n > 1);
    if repeated {
        return Err(Diagnostic::error(None, "the PICA200 runs a geometry program once for each primitive")
            .help("leave out `invocations`, and let a loop count")
            .into());
    }
    if has(TRIANGLE_STRIP).is_none() {
        return Err(Diagnostic::error(None, "geometry programs of the PICA200 make triangles only")
            .help("declare `layout(triangle_strip, max_vertices = ...) out;` and emit points and lines as two triangles each")
            .into());
    }
    let vertices = INPUT_PRIMITIVES.iter().find(|(mode, _)| has(*mode).is_some()).map(|(_, n)| *n);
    vertices
        .ok_or_else(|| Diagnostic::error(None, "the shader does not say which primitives it takes").into())
}

/// The uniform of variable mode.
fn count_of(module: &Module) -> Option<GlobalRef> {
    let is = |g: &Global| matches!(g.space, Space::UniformConstant) && g.name == COUNT;
    module.globals.iter().position(is).map(|i| GlobalRef(i as u32))
}
