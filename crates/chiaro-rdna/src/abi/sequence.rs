//! The instructions of a call, as assembly: what the caller does, and the callee's loop over its callers' pointers
//! (spec 18.5, 18.6).
//!
//! What a call costs is counted here and nowhere else: the lines that a program has are the lines that are counted.

use super::convention::{Convention, SystemParameter};
use super::partition::{File, Partition, Pool, partition};
use super::place::{Place, Placement};

/// How a caller knows whom it calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// By its symbol, in reach of a branch.
    Near,
    /// By its symbol, anywhere.
    Far,
    /// By a pointer that all lanes share.
    Indirect,
    /// By a pointer of each lane.
    Divergent,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Near, Kind::Far, Kind::Indirect, Kind::Divergent];

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Near => "direct, in reach",
            Kind::Far => "direct, anywhere",
            Kind::Indirect => "indirect",
            Kind::Divergent => "divergent",
        }
    }
}

/// What the instructions need to know.
#[derive(Clone, Copy, Debug)]
pub struct Calling<'a> {
    /// Where the parameters stand.
    pub placement: &'a Placement,
    /// Lanes of a wave.
    pub wave: u8,
}

/// A pair of registers as assemblers write it.
fn pair(file: File, first: u16) -> String {
    format!("{0}[{first}:{1}]", file.letter(), first + 1)
}

impl Calling<'_> {
    fn register(&self, parameter: SystemParameter) -> Option<u16> {
        self.placement.system(parameter)
    }

    /// Scalars that hold a mask of lanes.
    fn mask(&self, first: u16) -> String {
        if self.wave == 64 { pair(File::Sgpr, first) } else { format!("s{first}") }
    }

    fn names(&self) -> (&'static str, &'static str, &'static str) {
        if self.wave == 64 { ("b64", "vcc", "exec") } else { ("b32", "vcc_lo", "exec_lo") }
    }

    /// A call of `target` with so many bytes of a lane between the stack pointers of caller and callee. Arguments
    /// stand in their places already, a pointer in the uniform program counter's registers or, where lanes differ, in
    /// the divergent one's. `None` where the convention lacks a register that the kind needs.
    #[must_use]
    pub fn call(&self, kind: Kind, target: &str, bytes: u32) -> Option<Vec<String>> {
        let back = pair(File::Sgpr, self.register(SystemParameter::ReturnAddress)?);
        let uniform = self.register(SystemParameter::UniformPc);
        let mut lines = Vec::new();
        if kind == Kind::Divergent {
            let (to, from) = (uniform?, self.register(SystemParameter::DivergentPc)?);
            lines.extend((0..2).map(|n| format!("v_readfirstlane_b32 s{}, v{}", to + n, from + n)));
        }
        let stack = self.register(SystemParameter::StackPointer);
        let bumps = bytes > 0;
        if bumps {
            let stack = stack?;
            lines.push(format!("s_add_u32 s{stack}, s{stack}, {bytes}"));
        }
        match kind {
            Kind::Near => lines.push(format!("s_call_b64 {back}, {target}")),
            Kind::Far => {
                let first = self.register(SystemParameter::ReturnAddress)?;
                lines.push(format!("s_getpc_b64 {back}"));
                lines.push(format!("s_add_u32 s{first}, s{first}, {target}@rel32@lo+4"));
                lines.push(format!("s_addc_u32 s{0}, s{0}, {target}@rel32@hi+12", first + 1));
                lines.push(format!("s_swappc_b64 {back}, {back}"));
            }
            Kind::Indirect | Kind::Divergent => {
                // Without a place of its own the pointer is where the return address will be.
                let from = uniform.map_or_else(|| back.clone(), |first| pair(File::Sgpr, first));
                lines.push(format!("s_swappc_b64 {back}, {from}"));
            }
        }
        if bumps {
            let stack = stack?;
            lines.push(format!("s_sub_u32 s{stack}, s{stack}, {bytes}"));
        }
        Some(lines)
    }

    /// How a function that lanes may call apart from each other begins: those that called another one sleep.
    /// `saved` is the first scalar of the mask of all lanes that came.
    #[must_use]
    pub fn enter(&self, saved: u16) -> Option<Vec<String>> {
        let uniform = pair(File::Sgpr, self.register(SystemParameter::UniformPc)?);
        let divergent = pair(File::Vgpr, self.register(SystemParameter::DivergentPc)?);
        let (width, vcc, _) = self.names();
        Some(vec![
            format!("v_cmp_eq_u64_e32 {vcc}, {uniform}, {divergent}"),
            format!("s_and_saveexec_{width} {}, {vcc}", self.mask(saved)),
        ])
    }

    /// How it ends for lanes whose next function stands in the divergent program counter, or 0 for none: the pointer
    /// of the lowest lane that still has one is gone to, or else the return address. `label` is a name for a place
    /// in it.
    #[must_use]
    pub fn leave(&self, saved: u16, label: &str) -> Option<Vec<String>> {
        let uniform = self.register(SystemParameter::UniformPc)?;
        let first = self.register(SystemParameter::DivergentPc)?;
        let back = pair(File::Sgpr, self.register(SystemParameter::ReturnAddress)?);
        let (width, vcc, exec) = self.names();
        let divergent = pair(File::Vgpr, first);
        Some(vec![
            format!("s_mov_{width} {exec}, {}", self.mask(saved)),
            format!("v_cmp_ne_u64_e32 {vcc}, 0, {divergent}"),
            format!("s_cbranch_vccz {label}"),
            format!("s_ff1_i32_{width} vcc_lo, {vcc}"),
            format!("v_readlane_b32 s{uniform}, v{first}, vcc_lo"),
            format!("v_readlane_b32 s{}, v{}, vcc_lo", uniform + 1, first + 1),
            format!("s_setpc_b64 {}", pair(File::Sgpr, uniform)),
            format!("{label}:"),
            format!("s_setpc_b64 {back}"),
        ])
    }

    /// What the lanes that ran want next: nothing.
    #[must_use]
    pub fn finish(&self) -> Option<Vec<String>> {
        let first = self.register(SystemParameter::DivergentPc)?;
        Some((first..first + 2).map(|n| format!("v_mov_b32_e32 v{n}, 0")).collect())
    }
}

/// The lowest run of clobbered registers that holds no parameter; `None` if there is none.
#[must_use]
pub fn unused(convention: &Convention, placement: &Placement, file: File, size: u16) -> Option<u16> {
    let pools: Partition = partition(convention);
    let is_taken = |n: u16| {
        placement.parameters.iter().any(|placed| match placed.place {
            Place::Register { first, .. } => placed.file == file && (first..first + placed.size).contains(&n),
            Place::Stack(_) => false,
        })
    };
    let is_open = |n: u16| pools.of(file).get(usize::from(n)) == Some(&Pool::Clobbered) && !is_taken(n);
    let alignment = if file == File::Sgpr { usize::from(size) } else { 1 };
    (0..*convention.limit.of(file)).step_by(alignment).find(|first| (*first..first + size).all(is_open))
}

/// Instructions of a call: the caller's, those that the callee adds to its body, and those of one more target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// In the caller, from the pointer or symbol to the instruction behind the call.
    pub caller: usize,
    /// In the callee, with its return.
    pub callee: usize,
    /// For each target beyond the first.
    pub further: usize,
}

/// What a call costs beyond moves of arguments and values that are saved; `None` where the convention has no such call.
#[must_use]
pub fn cost(
    convention: &Convention,
    placement: &Placement,
    wave: u8,
    kind: Kind,
    bytes: u32,
) -> Option<Cost> {
    let calling = Calling { placement, wave };
    let caller = calling.call(kind, "callee", bytes)?.len();
    if kind != Kind::Divergent {
        return Some(Cost { caller, callee: 1, further: 0 });
    }
    let saved = unused(convention, placement, File::Sgpr, u16::from(wave / 32))?;
    let (enter, finish) = (calling.enter(saved)?.len(), calling.finish()?.len());
    let leave = calling.leave(saved, "done")?;
    let instructions = leave.iter().filter(|line| !line.ends_with(':')).count();
    // The last target goes by the branch to the return, the others by the jump.
    let branch = leave.iter().position(|line| line.starts_with("s_cbranch"))?;
    let last = branch + 2;
    Some(Cost { caller, callee: enter + finish + last, further: enter + finish + instructions - 1 })
}
