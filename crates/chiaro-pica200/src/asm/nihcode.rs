//! The assembler for nihcode, the language of nihstro.
//!
//! nihstro is the older of the two assemblers for the 3DS; its language has no blocks
//! of code, no padding and writes operands more strictly than picasso's. The facts are
//! from its documentation and from what its release f4d8659 does (`[nihstro]`); spec
//! section 21.
//!
//! # The language
//!
//! A line holds one statement. `//`, `#` and `;` start a comment. Mnemonics fold case,
//! names do not. A name is letters, digits (not first) and `_`.
//!
//! | statement | meaning |
//! |---|---|
//! | `name:` | a label: the next word |
//! | `.include "file"` | the lines of a file, looked for beside the one that includes it |
//! | `.version 0.1` | ignored (nihstro refuses it, although it is documented) |
//! | `.alias name reg[.swizzle]` | another name; for `v`, `c`, `i` and `b` also an entry of the uniform table |
//! | `.alias name c4-c7` | an array: one entry for several registers |
//! | `.alias name oN[.mask] as property` | an output; the properties are `position`, `quaternion`, `color`, `texcoord0`, `texcoord1`, `texcoord2`, `view` |
//! | `.alias name cN as (x, y, z, w)` | a constant, also of an `i` register (0 to 255 each); a `b` register takes one number, `0` or `1`, with or without parentheses |
//!
//! | operand | is |
//! |---|---|
//! | `v0`-`v15`, `r0`-`r15`, `c0`-`c95` | what instructions read |
//! | `o0`-`o15`, `r0`-`r15` | what they write |
//! | `i0`-`i3`, `b0`-`b15`, `cc` | what flow control tests |
//! | `a0`, `a1`, `lcnt` | what an index may add |
//! | `-c0[2+a0].xyz` | sign, name, index (a sum of numbers and at most one of a0, a1, lcnt), components |
//!
//! Destination and sources name the same number of components. The first component of a
//! source goes to the first one written: `mov r0.zw, r1.xy` writes z from x. A second
//! swizzle selects from what the first one left.
//!
//! | instructions | remarks |
//! |---|---|
//! | `add` `mul` `max` `min` `sge` `slt` `mad` `mov` `flr` `dst` `lit` | component by component |
//! | `exp` `log` `rcp` `rsq` | read one component, the first |
//! | `dp3` `dp4` | read three or four components of each source |
//! | `dph` | reads three and four components, in either order; the shorter source gets a fourth of 1. Of four and four the first source's w is 1 |
//! | `mova s.xy` | a0 from the first, a1 from the second component |
//! | `cmp a.xy, b.xy, op, op` | with `==` `!=` `<` `<=` `>` `>=` |
//! | `if c` `else` `endif`, `loop iN` `endloop`, `break c` | blocks |
//! | `call L until E [if c]` | runs the words from L to E |
//! | `jmp L if c` | |
//! | `nop` `end` `emit`, `setemit n[, prim][, inv]` | the flags also without a comma between them |
//!
//! A condition is `cc.x`, `!cc.y`, `cc.x && !cc.y`, `cc.x || cc.y`, `[!]cc.xy` (both flags
//! alike) or a boolean uniform.
//!
//! One source at most is a uniform or indexed; where the operation has a form for it in
//! second place, or its sources commute, any place will do.
//!
//! # What is written
//!
//! Words in the order of the lines. The descriptor of an instruction selects x in places
//! that the destination does not enable, and has a selector for a second source even
//! where there is none: `.xyzw`, aligned like a real one. Equal descriptors share an
//! entry. Symbols are the labels, then the aliases in the uniform table, each in the
//! order of the text; uniform entries and constants keep that order too.
//!
//! # Two modes
//!
//! [`Mode::Nihstro`] gives the tool's bytes and refuses what the tool refuses.
//! [`Mode::Strict`], the default, gives the same bytes except where they are wrong:
//!
//! | nihstro | here |
//! |---|---|
//! | enters at the symbol's byte offset | at the label's word |
//! | `mova` enables no component: nothing is written | both |
//! | `dph` multiplies the fourth component of the wrong source | exchanged, so that the shorter source gets the 1 |
//! | `rcp r0.y, r1.y` reads r1.x | reads r1.y |
//! | `mad` drops indices; a uniform in first place becomes another register | placed in the wide field |
//! | a 33rd descriptor named by `mad` is cut to 5 bits | descriptors of `mad` go first |
//! | 127 descriptors | 128 |
//! | parts of more than 255 words are cut to 8 bits | error |
//! | `r.zw` as an alias selects by letter, not by place | by place |
//! | an index may leave its bank; destinations may be indexed, negated, repeated, out of order | error |
//! | two different inputs in one instruction | error |
//! | constants that no float24 holds are written as other numbers | error or warning |
//! | a line that it does not know ends the program with a warning | error |
//! | a last line without its end is unknown | read |
//! | `setemit` is unknown, only `setemitraw`; labels behind it are one word too low | right |
//! | no aliases of temporaries | allowed |
mod alias;
mod arith;
mod assembler;
mod descriptor;
mod flow;
mod include;
mod lex;
mod number;
mod operand;
mod parse;
mod recognize;
mod register;
mod statement;

pub use crate::asm::Source;
pub use include::{Included, Includes, NoIncludes};
pub use recognize::is;

use crate::asm::report::Report;
use crate::container::{Dvle, Shbin};
use alias::Names;
use chiaro_diag::{Diagnostic, Span};
use chiaro_isa::Inst;
use descriptor::Descriptors;
use flow::Block;
use include::Program;
use std::collections::HashMap;

/// Directives as they are written.
pub const DIRECTIVES: &[&str] =
    &[".alias name register[-last][.swizzle] [as meaning]", ".include \"file\"", ".version ..."];

/// Whose rules hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// Every mistake is reported, the tool's own are not repeated.
    #[default]
    Strict,
    /// What nihstro f4d8659 does, its mistakes included.
    Nihstro,
}

/// How to assemble.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options<'a> {
    /// Whose rules hold.
    pub mode: Mode,
    /// The label where the program starts (nihstro's `-e`).
    pub entry: &'a str,
    /// Whether this is a geometry program (nihstro's `-g`).
    pub geometry: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { mode: Mode::Strict, entry: "main", geometry: false }
    }
}

/// What comes out.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// The container with one executable, in nihstro's layout.
    pub shbin: Shbin,
    /// What is likely not what was meant, and what nihstro would have done otherwise.
    pub warnings: Vec<Diagnostic>,
    /// What each word of the code came from.
    pub spans: Vec<Span>,
    /// Labels in the order of the text.
    pub labels: Vec<Label>,
}

/// A label of an [`Assembly`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// The word that it stands in front of.
    pub address: u32,
    /// Where it was given.
    pub span: Span,
}

/// Assembles sources, one after the other, into one executable.
///
/// # Errors
///
/// All errors and warnings that were found, in the order of the text. In
/// [`Mode::Nihstro`] the first error is the one at which the tool stops.
pub fn assemble(
    sources: &[Source<'_>],
    options: &Options<'_>,
    includes: &mut dyn Includes,
) -> Result<Assembly, Vec<Diagnostic>> {
    if sources.is_empty() {
        return Err(vec![Diagnostic::error(None, "there are no source files")]);
    }
    let program = Program::load(sources, includes);
    let mut assembler = Assembler::new(&program, *options);
    if assembler.labels() {
        assembler.statements();
    }
    assembler.finish()
}

/// What is reported once a run, however often it occurs.
#[derive(Clone, Copy)]
enum Once {
    Mova,
    Dph,
    Version,
    Stage,
    Space,
    Descriptors,
}

/// The state of a run.
struct Assembler<'a> {
    program: &'a Program,
    options: Options<'a>,
    /// Whether nihstro's rules hold.
    tool: bool,
    names: Names<'a>,
    report: Report,
    /// Addresses of labels.
    places: HashMap<&'a str, u32>,
    labels: Vec<Label>,
    blocks: Vec<Block>,
    code: Vec<Word>,
    descriptors: Descriptors,
    dvle: Dvle,
    /// A bit for each [`Once`] that was reported.
    reported: u32,
    /// The first write to each output.
    written: [Option<Span>; 16],
    /// Where nihstro believes to be when it has read everything.
    last: Span,
}

/// A word of the code, its descriptor's index still open.
struct Word {
    inst: Inst,
    descriptor: Option<usize>,
    span: Span,
}
