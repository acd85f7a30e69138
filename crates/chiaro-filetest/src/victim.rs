//! Code that faults are put into, as each target has it.

use std::path::Path;

use chiaro_isa::{Inst, Isa, Out, Rng};

use crate::suite::Miss;

/// What became of a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The checker says something that it has not said before.
    Found,
    /// Nothing is known that has changed.
    Harmless,
    /// Something has changed, and the checker says nothing: what was done.
    Missed(String),
}

/// Code that faults are put into.
pub(crate) trait Victim {
    /// What it is called.
    fn name(&self) -> &str;

    /// Puts a fault in, by its number among the kinds; `None` if the code has nothing of the kind.
    ///
    /// # Errors
    /// Why the code cannot be run.
    fn seed(&self, kind: usize, rng: &mut Rng) -> Result<Option<Verdict>, String>;
}

/// Reads the code below a folder of one target's vectors.
type Victims = fn(&Path) -> Result<Vec<Box<dyn Victim>>, String>;

/// Programs of our own by their numbers: first the shaders of a folder in all settings, then random ones.
///
/// # Errors
/// Why a shader is not read or not compiled, or what the checker says of a program without a fault.
pub(crate) type Own = Box<dyn Fn(u64) -> Result<Box<dyn Victim>, String>>;

/// Opens the programs of our own, with the shaders below a folder of one target's vectors.
type Owns = fn(&Path) -> Result<Own, String>;

/// What is done to the code of a target.
pub(crate) struct Row {
    pub(crate) target: &'static str,
    /// Kinds of faults.
    pub(crate) faults: &'static [&'static str],
    /// Code that others compiled.
    pub(crate) victims: Victims,
    /// Code that we compile, where faults are put into it.
    pub(crate) own: Option<Owns>,
}

/// The instructions of code with their places. Where none is, the next is looked for so many bytes on.
pub(crate) fn decoded(isa: &Isa, code: &[u8], step: usize) -> Vec<(usize, Inst)> {
    let (mut insts, mut at) = (Vec::new(), 0);
    while at < code.len() {
        let inst = isa.decode(&code[at..]).ok();
        insts.extend(inst.map(|inst| (at, inst)));
        at += inst.map_or(step, |inst| usize::from(inst.length));
    }
    insts
}

/// The instruction that stands at a place, and which stood there.
pub(crate) fn change(isa: &Isa, [before, after]: [&[u8]; 2], at: usize) -> String {
    let text = |code: &[u8]| {
        let mut out = Out::default();
        let known = isa.decode(&code[at..]).is_ok_and(|inst| isa.print(&inst, &isa.cx(), &mut out));
        if known { out.as_str().to_owned() } else { "no instruction".to_owned() }
    };
    format!("`{}` for `{}`", text(after), text(before))
}

/// Why code cannot be run.
pub(crate) fn reason(miss: Miss) -> String {
    match miss {
        Miss::Failed(why) | Miss::Skipped(why) => why,
    }
}
