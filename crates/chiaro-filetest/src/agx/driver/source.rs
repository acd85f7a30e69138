//! Sources on the interpreter: what they write, scalar by scalar, and how far it moves.

use chiaro_ir::interp::{Attributes, Domain, Exact, FaultKind, Interpreter};
use chiaro_ir::{GlobalRef, Module, Op, Space, Ty, Type};

use super::given::Given;
use super::scalars::{Scalar, scalars};
use crate::stages::nudge::Nudged;
use crate::suite::Miss;

/// Runs that show how far results move.
const NUDGES: u64 = 8;
/// Of each operation on 32-bit floats: a rounding in another place, or a function that is two units off.
const WORD: f64 = 1.2e-7;
/// The same of 16 bits.
const HALF: f64 = 5e-4;
/// Instructions of a run.
const FUEL: u64 = 1 << 24;
/// A result whose bound is wider than so much of it proves nothing.
const WIDE: f64 = 0.02;
/// The same of 16 bits.
const WIDE_HALF: f64 = 0.1;

/// An output of a stage: a variable, or a member of a block.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::agx) struct Output {
    pub(in crate::agx) name: String,
    pub(in crate::agx) global: GlobalRef,
    pub(in crate::agx) builtin: Option<u32>,
    pub(in crate::agx) location: u32,
    pub(in crate::agx) scalars: Vec<Scalar>,
}

/// Variables that a module has in a space, blocks member by member.
pub(in crate::agx) fn variables(module: &Module, space: Space) -> Vec<Output> {
    let Some(entry) = module.entries.first() else { return Vec::new() };
    let layout = Interpreter::new(module, entry);
    let mut all = Vec::new();
    for (n, global) in module.globals.iter().enumerate().filter(|(_, g)| g.space == space) {
        let one = |name: &str, binding: &chiaro_ir::Binding, (ty, at): (Ty, usize)| {
            let mut scalars = scalars(module, ty, 0);
            scalars.iter_mut().for_each(|scalar| scalar.at += at);
            let (builtin, location) = (binding.builtin, binding.location.unwrap_or(0));
            Output { name: name.to_owned(), global: GlobalRef(n as u32), builtin, location, scalars }
        };
        match module.types.get(global.ty) {
            Type::Struct(_, members) if !global.members.is_empty() => {
                for ((m, member), binding) in members.iter().enumerate().zip(&global.members) {
                    let at = layout.offset_of(global.ty, m as u32) as usize;
                    all.push(one(&member.name, binding, (member.ty, at)));
                }
            }
            _ => all.push(one(&global.name, &global.binding, (global.ty, 0))),
        }
    }
    all
}

/// What a run of a source leaves.
pub(in crate::agx) struct Left {
    /// Buffers by variable.
    pub(in crate::agx) buffers: Vec<(GlobalRef, Vec<u8>)>,
    /// Outputs by variable and invocation.
    pub(in crate::agx) outputs: Attributes,
    /// Fragments that are discarded.
    pub(in crate::agx) ended: Vec<bool>,
    /// Images.
    pub(in crate::agx) images: super::textures::Store,
}

/// Runs a source in a domain.
pub(in crate::agx) fn run<D: Domain>(module: &Module, given: &Given, domain: D) -> Result<Left, Miss> {
    let entry = module.entries.first().ok_or("the source has no entry point")?;
    let mut interpreter = Interpreter::with(module, entry, domain);
    (interpreter.options.fuel, interpreter.options.undef) = (FUEL, given.undefined);
    for (global, bytes) in &given.buffers {
        interpreter.set(*global, bytes.clone());
    }
    let mut images = given.images.clone();
    let ran = match given.groups {
        Some(groups) => interpreter.dispatch(groups, &mut images).map(|report| (report, Attributes::new())),
        None => interpreter.run(given.count, &given.inputs, &mut images),
    };
    let (report, outputs) = ran.map_err(|fault| match fault.kind {
        FaultKind::NotInterpreted(_) => Miss::Skipped(format!("the source does not run: {fault}")),
        _ => Miss::Failed(format!("the source: {fault}")),
    })?;
    if let Some(fault) = report.faults.first() {
        return Err(format!("the source: {fault}").into());
    }
    let bytes = |(global, _): &(GlobalRef, Vec<u8>)| {
        (*global, interpreter.bytes(*global).map(<[u8]>::to_vec).unwrap_or_default())
    };
    let buffers = given.buffers.iter().map(bytes).collect();
    Ok(Left { buffers, outputs, ended: report.ended, images })
}

/// Every run of a source: exact first, then those whose operations are a little off.
pub(in crate::agx) fn runs(module: &Module, given: &Given) -> Result<Vec<Left>, Miss> {
    let errors = if given.in_halves { errors_of_halves } else { errors };
    let mut all = vec![run(module, given, Exact)?];
    for n in 1..=NUDGES {
        all.push(run(module, given, Nudged { run: n, reduced: true, errors })?);
    }
    Ok(all)
}

/// How far operations of another compiler may be off.
fn errors(op: Op, width: u8) -> Option<(f64, f64)> {
    off(op, if width == 16 { HALF } else { WORD })
}

/// The same where it computes in halves what the source lets it.
fn errors_of_halves(op: Op, _: u8) -> Option<(f64, f64)> {
    off(op, HALF)
}

fn off(op: Op, unit: f64) -> Option<(f64, f64)> {
    Some(match op {
        Op::FSin | Op::FCos | Op::FTan | Op::FAtan | Op::FAtan2 => (4.0 * unit, 4.0 * unit),
        Op::FLog | Op::FLog2 | Op::FPow | Op::FExp | Op::FExp2 => (2.0 * unit, 4.0 * unit),
        Op::FDiv | Op::FSqrt | Op::FRsqrt => (0.0, 2.0 * unit),
        Op::FAdd | Op::FSub | Op::FMul | Op::Fma => (0.0, unit),
        _ => return None,
    })
}

/// Numbers of both sides.
pub(super) struct Comparison {
    what: String,
    compared: usize,
    wide: usize,
    wrong: Option<String>,
}

impl Comparison {
    pub(super) fn new(what: &str) -> Comparison {
        Comparison { what: what.to_owned(), compared: 0, wide: 0, wrong: None }
    }

    /// One scalar: its bits in every run of the source, and those of the words.
    pub(super) fn scalar(&mut self, place: &dyn Fn() -> String, scalar: Scalar, source: &[u64], found: u64) {
        self.compared += 1;
        let expected = source[0];
        if expected == found {
            return;
        }
        let value = |bits: u64| scalar.value(bits);
        let (expected, found) = (value(expected), value(found));
        let allowed = allowed(scalar, source);
        let is_right =
            (expected - found).abs() <= allowed || expected.is_nan() && found.is_nan() || expected == found;
        let wide = if scalar.width == 16 { WIDE_HALF } else { WIDE };
        self.wide += usize::from(is_right && (allowed.is_nan() || allowed > wide * expected.abs().max(1.0)));
        if !is_right && self.wrong.is_none() {
            self.wrong = Some(format!("{} is {found}, not {expected} (within {allowed:.3e})", place()));
        }
    }

    /// Whether everything is right, and enough of it says something.
    pub(super) fn finish(self) -> Result<(), Miss> {
        self.nothing_wrong()?;
        if self.compared == 0 || 5 * self.wide > self.compared {
            let (wide, all) = (self.wide, self.compared);
            return Err(
                format!("{}: {wide} of {all} numbers prove nothing: roundings move them", self.what).into()
            );
        }
        Ok(())
    }

    /// Whether everything that is compared is right.
    pub(super) fn nothing_wrong(&self) -> Result<(), Miss> {
        match &self.wrong {
            Some(wrong) => Err(format!("{}: {wrong}", self.what).into()),
            None => Ok(()),
        }
    }
}

/// How far a scalar may be from what the exact run has: by what it moves in the others, and by a rounding.
pub(in crate::agx) fn allowed(scalar: Scalar, source: &[u64]) -> f64 {
    let expected = scalar.value(source[0]);
    let moved = source[1..].iter().map(|bits| (scalar.value(*bits) - expected).abs()).fold(0.0, f64::max);
    let least = match (scalar.is_float, scalar.width) {
        (false, _) => 0.0,
        (true, 16) => HALF * expected.abs() + 6e-5,
        _ => 2.0 * WORD * expected.abs() + f64::from(f32::MIN_POSITIVE),
    };
    2.0 * moved + least
}

/// The bits of a scalar in bytes.
pub(in crate::agx) fn bits(bytes: &[u8], scalar: Scalar) -> u64 {
    let bytes = bytes.get(scalar.at..scalar.at + usize::from(scalar.width) / 8).unwrap_or_default();
    bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}
