//! Code with registers to words.
//!
//! | file | does |
//! |---|---|
//! | [`unread_constants`](mod@unread_constants) | constants that nobody reads |
//! | [`waits`] | waits for what memory has not brought yet |
//! | [`prefer_vcc`](mod@prefer_vcc) | masks in vcc, which short forms name |
//! | [`layout`] | one list of lines: copies spelled out, jumps dropped, skips only where they pay |
//! | [`border`] | calls and returns |
//! | [`lanes`] | changes of EXEC that nothing sees, skips that do not pay |
//! | [`whole_waves`](mod@whole_waves) | masks of all lanes are numbers |
//! | [`dead_scalars`](mod@dead_scalars) | scalar results that nobody reads |
//! | [`begin_scratch`](mod@begin_scratch) | where scratch begins |
//! | [`shorten`] | short forms |
//! | [`form_clauses`](mod@form_clauses) | loads that issue side by side |
//! | [`align_loops`](mod@align_loops) | loops in few lines of the instruction cache |
//! | [`insert`] | lines between others |
//! | [`line`] | an instruction on its way to words |
//! | [`encode`] | words, by the rows of the instruction set |
//! | [`object`](object()) | the code object around them |

mod align_loops;
mod begin_scratch;
mod border;
mod dead_scalars;
mod encode;
mod form_clauses;
mod insert;
mod lanes;
mod layout;
mod line;
mod object;
mod prefer_vcc;
mod shorten;
mod unread_constants;
mod waits;
mod whole_waves;

use chiaro_diag::{Diagnostic, Span};
use chiaro_ir::FunctionRef;
use chiaro_mach::Code;

use super::calls::unit::Unit;
use crate::abi::interface::Interface;
use crate::container::{REL16, REL32_HI, REL32_LO};
use crate::isa::Op;
use crate::isa::sop1::Sop1;
use crate::isa::sop2::Sop2;
use crate::isa::sopk::Sopk;
use border::Border;
use line::Line;
pub use object::object;

/// A finished program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Code, without what stands behind its end.
    pub code: Vec<u8>,
    /// The source text of each instruction, by its first byte.
    pub spans: Vec<(u32, Option<Span>)>,
    /// The first byte of each function, in their order, and the end.
    pub starts: Vec<u32>,
    /// The first byte of each call through a pointer, and one of the functions that it may come to.
    pub sites: Vec<(u32, FunctionRef)>,
    /// Places that name functions of other parts.
    pub places: Vec<Place>,
}

/// A place that a linker fills in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its first byte.
    pub at: u32,
    /// How much of the distance stands there, as `R_AMDGPU_*`.
    pub kind: u32,
    /// The function that it leads to.
    pub function: FunctionRef,
}

/// Code of a function with registers, its number in the module, bytes of its frame.
pub type Settled = (Code, FunctionRef, u32);

/// What comes before a function's frame is settled: constants that nobody reads are gone, masks in vcc.
pub fn prepare(code: &mut Code, wave: u8) {
    unread_constants::unread_constants(code);
    prefer_vcc::prefer_vcc(code, wave);
}

/// Makes words of a kernel and the functions behind it.
///
/// # Errors
/// A branch that is too far, or a mistake of the compiler: an instruction that the machine does not have.
pub fn finish(
    functions: Vec<Settled>,
    (unit, kernel): (&Unit, FunctionRef),
    interface: &Interface,
    wave: u8,
) -> Result<Program, Box<Diagnostic>> {
    let (mut all, mut firsts) = joined(functions, (unit, kernel), interface, wave);
    all.iter_mut().for_each(shorten::shorten);
    let clauses = form_clauses::form_clauses(&all);
    insert::insert(&mut all, clauses, firsts.iter_mut().map(|(_, first)| first));
    let mistake = |why| Box::new(Diagnostic::mistake(why));
    let mut words = encode::words(&all, wave).map_err(mistake)?;
    let aligned = align_loops::align_loops(&all, &words.starts);
    if !aligned.is_empty() {
        words.insert(&aligned, wave).map_err(mistake)?;
        insert::insert(&mut all, aligned, firsts.iter_mut().map(|(_, first)| first));
    }
    let (code, spans) = encode::lead(words, &all, wave)?;
    let at = |line: usize| spans.get(line).map_or(code.len() as u32, |(at, _)| *at);
    let starts = firsts.iter().map(|(_, first)| at(*first)).chain([code.len() as u32]).collect();
    let through = |(n, line): (usize, &Line)| {
        let is_pointer = matches!(line.op, Op::Sop1(Sop1::SwappcB64 | Sop1::SetpcB64));
        line.callee.filter(|_| is_pointer).map(|f| (at(n), FunctionRef(f)))
    };
    let sites = all.iter().enumerate().filter_map(through).collect();
    let elsewhere = |(n, line): (usize, &Line)| place(at(n), line);
    let places = all.iter().enumerate().filter_map(elsewhere).collect();
    Ok(Program { code, spans, starts, sites, places })
}

/// What a linker has to fill in for a line that names a function and leads nowhere here: a distance in words at the begin of
/// the instruction, or one in bytes in its second word.
fn place(at: u32, line: &Line) -> Option<Place> {
    let made = |at: u32, kind: u32, n: u32| Some(Place { at, kind, function: FunctionRef(n) });
    if line.target.is_some() {
        return None;
    }
    match (line.op, line.callee, line.distance) {
        (Op::Sopk(Sopk::CallB64), Some(n), _) => made(at, REL16, n),
        (Op::Sop2(Sop2::AddU32), _, Some(n)) => made(at + 4, REL32_LO, n),
        (Op::Sop2(_), _, Some(n)) => made(at + 4, REL32_HI, n),
        _ => None,
    }
}

/// The lines of all functions, with targets among them, and where each function begins.
fn joined(
    functions: Vec<Settled>,
    (unit, kernel): (&Unit, FunctionRef),
    interface: &Interface,
    wave: u8,
) -> (Vec<Line>, Vec<(FunctionRef, usize)>) {
    let mut all: Vec<Line> = Vec::new();
    let mut firsts: Vec<(FunctionRef, usize)> = Vec::new();
    for (mut code, number, frame) in functions {
        let is_kernel = number == kernel;
        waits::wait(&mut code, wave);
        let mut lines = layout::layout(&code, &Border { unit, frame, is_kernel });
        if is_kernel {
            whole_waves::whole_waves(&mut lines, interface, wave);
        }
        dead_scalars::dead_scalars(&mut lines, wave);
        if is_kernel {
            begin_scratch::begin_scratch(&mut lines, interface);
        }
        let first = all.len();
        lines.iter_mut().filter_map(|line| line.target.as_mut()).for_each(|target| *target += first);
        firsts.push((number, first));
        all.append(&mut lines);
    }
    for line in &mut all {
        let callee = line.callee.or(line.distance).and_then(|n| firsts.iter().find(|(f, _)| f.0 == n));
        line.target = line.target.or(callee.map(|(_, first)| *first));
    }
    (all, firsts)
}
