//! Operations: a name, then what else distinguishes them, behind dots.

use crate::id::{FunctionRef, Inst};
use crate::op::{Combine, Group, NAMES, Op, Sampling, Scope, Semantics};
use crate::ty::Space;
use crate::words::{QUERIES, SEMANTICS, TAKEN, by_word};
use std::collections::HashMap;
use std::str::Split;
use std::sync::OnceLock;

/// The names of all operations.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|&(name, _)| name)
}

/// Whether a word names an operation, whatever its details.
pub(super) fn is_name(text: &str) -> bool {
    let name = text.split('.').next().unwrap_or(text);
    table().contains_key(name)
}

fn table() -> &'static HashMap<&'static str, Option<Op>> {
    static TABLE: OnceLock<HashMap<&'static str, Option<Op>>> = OnceLock::new();
    TABLE.get_or_init(|| NAMES.iter().copied().collect())
}

/// The operation of a word. Whom it calls or leaves stands in its operands; until those are
/// read it is the first function or instruction.
pub(super) fn op(text: &str) -> Option<Op> {
    let mut details = Details(text.split('.'));
    let name = details.0.next()?;
    let op = match table().get(name)? {
        Some(op) => *op,
        None => detailed(name, &mut details)?,
    };
    details.0.next().is_none().then_some(op)
}

fn detailed(name: &str, d: &mut Details<'_>) -> Option<Op> {
    Some(match name {
        "extract" => Op::Extract(d.number()?),
        "insert" => Op::Insert(d.number()?),
        "length" => Op::ArrayLength(d.number()?),
        "shuffle" => Op::Shuffle(d.shuffle()?),
        "var" => Op::Var(d.space()?),
        "atomic" => Op::Atomic(d.combine()?, d.scope()?, d.semantics()?),
        "atomic_cas" => Op::AtomicCompare(d.scope()?, d.semantics()?),
        "atomic_load" => Op::AtomicLoad(d.scope()?, d.semantics()?),
        "atomic_store" => Op::AtomicStore(d.scope()?, d.semantics()?),
        "barrier" => Op::ControlBarrier(d.scope()?, d.scope()?, d.semantics()?),
        "fence" => Op::MemoryBarrier(d.scope()?, d.semantics()?),
        "sample" => Op::Sample(d.sampling()?),
        "imquery" => Op::ImageQuery(by_word(&QUERIES, d.0.next()?)?),
        "interpolate" => Op::Interpolate(by_word(&TAKEN, d.0.next()?)?),
        "ballot_count" => Op::BallotCount(d.group()?),
        "lane_rotate" => Op::LaneRotate(d.number_or(0)?),
        "lane" => Op::LaneCombine(d.combine()?, d.group()?),
        "quad_swap" => Op::QuadSwap(d.number()?),
        "clock" => Op::Clock(d.scope()?),
        "emit" => Op::EmitVertex(d.number_or(0)?),
        "end_primitive" => Op::EndPrimitive(d.number_or(0)?),
        "call" => Op::Call(FunctionRef(0)),
        "ray_query" => Op::RayQuery(d.number()?),
        "native" => Op::Native(d.number()?),
        "print" => Op::Print(d.number()?),
        "trap" => Op::Trap(d.number()?),
        "exit" => Op::Exit(Inst(0)),
        "continue" => Op::Continue(Inst(0)),
        "repeat" => Op::Repeat(Inst(0)),
        "end_hit" => Op::EndHit(d.0.next()?.parse().ok()?),
        _ => return None,
    })
}

/// The words behind the dots.
struct Details<'t>(Split<'t, char>);

impl Details<'_> {
    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    fn number_or<T: std::str::FromStr>(&mut self, absent: T) -> Option<T> {
        self.0.next().map_or(Some(absent), |text| text.parse().ok())
    }

    fn space(&mut self) -> Option<Space> {
        self.0.next().map_or(Some(Space::Function), |word| by_word(&Space::NAMES, word))
    }

    fn combine(&mut self) -> Option<Combine> {
        by_word(&Combine::NAMES, self.0.next()?)
    }

    fn scope(&mut self) -> Option<Scope> {
        by_word(&Scope::NAMES, self.0.next()?)
    }

    fn semantics(&mut self) -> Option<Semantics> {
        let mut bits = 0;
        for word in self.0.by_ref() {
            bits |= match (SEMANTICS.iter().find(|&&(_, name)| name == word), word.strip_prefix("0x")) {
                (Some(&(bit, _)), _) => bit,
                (None, Some(hex)) => u32::from_str_radix(hex, 16).ok()?,
                _ => return None,
            };
        }
        Some(Semantics(bits))
    }

    fn group(&mut self) -> Option<Group> {
        match self.0.next()? {
            "reduce" => Some(Group::Reduce),
            "inclusive" => Some(Group::Inclusive),
            "exclusive" => Some(Group::Exclusive),
            word => word.strip_prefix("cluster")?.parse().ok().map(Group::Clustered),
        }
    }

    fn sampling(&mut self) -> Option<Sampling> {
        let mut sampling = Sampling::default();
        for word in self.0.by_ref() {
            let flag = match word {
                "proj" => &mut sampling.projected,
                "ref" => &mut sampling.reference,
                "bias" => &mut sampling.bias,
                "level" => &mut sampling.level,
                "grad" => &mut sampling.gradients,
                "offset" => &mut sampling.offset,
                "gather" => &mut sampling.gather,
                "minlod" => &mut sampling.minimum,
                _ => return None,
            };
            *flag = true;
        }
        Some(sampling)
    }

    fn shuffle(&mut self) -> Option<[u8; 4]> {
        let mut parts = [255; 4];
        for (i, word) in self.0.by_ref().enumerate() {
            *parts.get_mut(i)? = if word == "_" { 255 } else { word.parse().ok()? };
        }
        Some(parts)
    }
}
