//! What callers rely on, followed through a function: the return address and registers that it keeps, wherever they stand.
//! Forward it is known which places may hold such a value, backward which of them it is brought back from.

use std::collections::BTreeSet;

use chiaro_rdna::regs::file;

use super::{FRAME, Fault, Home, Line, NOP, Register};

/// An instruction of two words that is gone.
const NOTHING: [u32; 2] = [NOP; 2];

/// Where a value may stand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Spot {
    Register(Register),
    Home(Home),
    /// A lane of a vector register that was put there as a whole.
    Part(Home, u32),
}

/// What is known of each line of a function.
pub(super) struct Followed<'a> {
    lines: &'a [Line],
    /// Lanes of vector registers that the function puts something into or takes from.
    lanes: BTreeSet<u32>,
    /// Where in front of it may stand what callers rely on.
    relied: Vec<BTreeSet<Spot>>,
    /// The places behind it from which that comes back to them.
    needed: Vec<BTreeSet<Spot>>,
    /// What stands in front of it, on every way, each place with where callers look for that.
    surely: Vec<BTreeSet<(Spot, Spot)>>,
}

impl<'a> Followed<'a> {
    /// Follows what stands at first, and at last, where callers look for it.
    pub(super) fn of(
        lines: &'a [Line],
        kept: BTreeSet<Spot>,
        written: impl Fn(&Line) -> Vec<Register>,
    ) -> Followed<'a> {
        let lanes = lanes(lines);
        let needed = needed((lines, &lanes), &kept, &written);
        let surely = surely((lines, &lanes), &kept, &written);
        let relied = relied((lines, &lanes), kept, &written);
        Followed { lines, lanes, relied, needed, surely }
    }

    /// Whether a fault leaves alone what callers rely on: nothing that the line moves comes from them and goes back to them,
    /// and nothing such stands where it puts that now. What is brought from elsewhere is another value of its own; what was
    /// put there before, and is the same, stands there still.
    pub(super) fn is_own(&self, (line, words): &Fault) -> bool {
        let n = self.lines.partition_point(|other| other.at < line.at);
        let (before, behind) = (&self.relied[n], &self.needed[n]);
        let old = moves(line, &self.lanes);
        let is_gone = *words == NOTHING;
        let new = if is_gone { Vec::new() } else { moves(&Line { words: *words, ..*line }, &self.lanes) };
        let overwrites = line.stores() && new.iter().any(|(_, to)| holds(before, *to) && behind.contains(to));
        let stands = |from: Spot, to: Spot| {
            let mut known = self.surely[n].iter().filter(|(place, _)| *place == from);
            known.any(|(_, of)| self.surely[n].contains(&(to, *of)))
        };
        let lost = |(from, to): &(Spot, Spot)| holds(before, *from) && behind.contains(to);
        let loses = old.iter().any(|pair| lost(pair) && !(is_gone && stands(pair.0, pair.1)));
        !old.is_empty() && !overwrites && !loses
    }
}

/// Lanes of vector registers that a function puts something into or takes from.
fn lanes(lines: &[Line]) -> BTreeSet<u32> {
    let homes = lines.iter().flat_map(|line| line.homes(line.words));
    homes.filter(|((of, _), _)| *of < FRAME).map(|((_, lane), _)| lane).collect()
}

/// For each line of a function, the places that may hold in front of it what callers rely on, if they do at first.
fn relied(
    (lines, own): (&[Line], &BTreeSet<u32>),
    first: BTreeSet<Spot>,
    written: impl Fn(&Line) -> Vec<Register>,
) -> Vec<BTreeSet<Spot>> {
    let (mut before, mut open) = (vec![BTreeSet::new(); lines.len()], Vec::new());
    if let Some(begin) = before.first_mut() {
        *begin = first;
        open.push(0);
    }
    let mut reached = vec![false; lines.len()];
    while let Some(n) = open.pop() {
        reached[n] = true;
        let behind = behind(&lines[n], &before[n], own, &written);
        for to in next(lines, n) {
            let count = before[to].len();
            before[to].extend(&behind);
            if before[to].len() != count || !reached[to] {
                open.push(to);
            }
        }
    }
    before
}

/// For each line of a function, the places that hold in front of it what callers rely on, whichever way leads there; calls
/// leave what is in the frame.
fn surely(
    (lines, own): (&[Line], &BTreeSet<u32>),
    first: &BTreeSet<Spot>,
    written: impl Fn(&Line) -> Vec<Register>,
) -> Vec<BTreeSet<(Spot, Spot)>> {
    let mut before: Vec<Option<BTreeSet<(Spot, Spot)>>> = vec![None; lines.len()];
    let begin: BTreeSet<(Spot, Spot)> = first.iter().map(|spot| (*spot, *spot)).collect();
    let mut open = vec![(0, begin)];
    while let Some((n, now)) = open.pop() {
        let Some(known) = before.get_mut(n) else { continue };
        let met = known.as_ref().map_or_else(|| now.clone(), |known| known & &now);
        if known.as_ref() == Some(&met) {
            continue;
        }
        let line = &lines[n];
        let moves = moves(line, own);
        let is_lost = |spot: Spot| {
            let is_written = |register| spot == Spot::Register(register) || is_lane_of(spot, register);
            let in_frame = matches!(spot, Spot::Home((of, _)) | Spot::Part((of, _), _) if of >= FRAME);
            line.is_call() && !in_frame
                || moves.iter().any(|(_, to)| *to == spot)
                || line.name != "v_writelane_b32" && written(line).into_iter().any(is_written)
        };
        let mut behind: BTreeSet<(Spot, Spot)> =
            met.iter().copied().filter(|(spot, _)| !is_lost(*spot)).collect();
        for (from, to) in moves.iter().copied() {
            behind.extend(met.iter().filter(|(spot, _)| *spot == from).map(|(_, of)| (to, *of)));
        }
        *known = Some(met);
        open.extend(next(lines, n).into_iter().map(|to| (to, behind.clone())));
    }
    before.into_iter().map(Option::unwrap_or_default).collect()
}

/// The lines that may be next.
fn next(lines: &[Line], n: usize) -> Vec<usize> {
    let line = &lines[n];
    let target = || {
        let to = line.at as i64 + 4 + 4 * i64::from(line.words[0] as u16 as i16);
        lines.iter().position(|line| line.at as i64 == to)
    };
    let behind = (n + 1 < lines.len()).then_some(n + 1);
    match line.name {
        "s_branch" => target().into_iter().collect(),
        "s_setpc_b64" | "s_endpgm" => Vec::new(),
        name if name.starts_with("s_cbranch") => target().into_iter().chain(behind).collect(),
        _ => behind.into_iter().collect(),
    }
}

/// The places behind a line: moves take them along, whatever else writes a place ends it.
fn behind(
    line: &Line,
    before: &BTreeSet<Spot>,
    lanes: &BTreeSet<u32>,
    written: impl Fn(&Line) -> Vec<Register>,
) -> BTreeSet<Spot> {
    let moves = moves(line, lanes);
    let mut behind = before.clone();
    for register in written(line) {
        behind.remove(&Spot::Register(register));
        // A register that is written as a whole has nothing left in its lanes.
        if line.name != "v_writelane_b32" {
            behind.retain(|spot| !is_lane_of(*spot, register));
        }
    }
    for (_, to) in &moves {
        behind.remove(to);
    }
    for (from, to) in moves {
        if holds(before, from) {
            behind.insert(to);
        }
    }
    behind
}

/// Whether a place may hold what callers rely on: a lane also where the whole register does.
fn holds(places: &BTreeSet<Spot>, spot: Spot) -> bool {
    let whole = match spot {
        Spot::Home((of, _)) if of < FRAME => Spot::Register((file::VGPR, of as u16)),
        Spot::Part(home, _) => Spot::Home(home),
        other => other,
    };
    places.contains(&spot) || places.contains(&whole)
}

/// What a line moves: from where, and to where, of vector registers each lane as well that something is put into.
fn moves(line: &Line, lanes: &BTreeSet<u32>) -> Vec<(Spot, Spot)> {
    let [first, _] = line.words;
    let (from, to) = (first & 0xff, first >> 16 & 0x7f);
    let scalar = |n: u32| Spot::Register((file::SGPR, n as u16));
    match line.name {
        "s_mov_b32" => return vec![(scalar(from), scalar(to))],
        "s_mov_b64" => return vec![(scalar(from), scalar(to)), (scalar(from + 1), scalar(to + 1))],
        _ => {}
    }
    let mut all = Vec::new();
    for (home, register) in line.homes(line.words) {
        all.push((Spot::Register(register), Spot::Home(home)));
        let (in_file, n) = register;
        let own = lanes.iter().filter(|_| in_file == file::VGPR);
        all.extend(own.map(|lane| (Spot::Home((n.into(), *lane)), Spot::Part(home, *lane))));
    }
    if !line.stores() {
        all.iter_mut().for_each(|(from, to)| std::mem::swap(from, to));
    }
    all
}

/// For each line of a function, the places behind it whose values may come back to callers, which look at some at its ends.
fn needed(
    (lines, own): (&[Line], &BTreeSet<u32>),
    last: &BTreeSet<Spot>,
    written: impl Fn(&Line) -> Vec<Register>,
) -> Vec<BTreeSet<Spot>> {
    let mut behind = vec![BTreeSet::new(); lines.len()];
    let mut changes = true;
    while changes {
        changes = false;
        for n in (0..lines.len()).rev() {
            let next = next(lines, n);
            let mut now =
                if next.is_empty() && lines[n].name != "s_endpgm" { last.clone() } else { BTreeSet::new() };
            for to in next {
                now.extend(in_front(&lines[to], &behind[to], own, &written));
            }
            changes |= now != behind[n];
            behind[n] = now;
        }
    }
    behind
}

/// The places in front of a line from which those behind it come.
fn in_front(
    line: &Line,
    behind: &BTreeSet<Spot>,
    lanes: &BTreeSet<u32>,
    written: impl Fn(&Line) -> Vec<Register>,
) -> BTreeSet<Spot> {
    let moves = moves(line, lanes);
    let mut front = behind.clone();
    front.retain(|spot| !moves.iter().any(|(_, to)| to == spot));
    for register in written(line).into_iter().filter(|_| line.name != "v_writelane_b32") {
        front.remove(&Spot::Register(register));
        front.retain(|spot| !is_lane_of(*spot, register));
    }
    front.extend(moves.iter().filter(|(_, to)| behind.contains(to)).map(|(from, _)| *from));
    front
}

/// Whether a place is a lane of a vector register.
fn is_lane_of(spot: Spot, (in_file, n): Register) -> bool {
    matches!(spot, Spot::Home((of, _)) if in_file == file::VGPR && of == u32::from(n))
}
