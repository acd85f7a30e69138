//! The pass behind which two compilations part.

use crate::made::Passed;

/// Where two compilations part, and how far they are from each other behind each pass since.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parting {
    /// The pass.
    pub at: Part,
    /// Passes behind which the distance in instructions of the IR changed: number and name of the second's,
    /// instructions of both.
    pub since: Vec<(u32, &'static str, usize, usize)>,
}

/// Where two compilations part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Before any pass: the sources differ.
    Source,
    /// Behind a pass, by its number in the second and its name.
    Pass(u32, &'static str),
    /// Behind the last pass over the IR: in the target's own steps.
    BackEnd,
}

/// Where two runs of passes part; nothing if the programs were not compiled here.
pub fn parting(before: &[Passed], after: &[Passed]) -> Option<Parting> {
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let differs = |pair: &(&Passed, &Passed)| pair.0.ir != pair.1.ir || pair.0.pass != pair.1.pass;
    let first = before.iter().zip(after).find(differs);
    let longer = || after.get(before.len()).or(before.get(after.len()));
    let at = match first.map(|(_, after)| after).or_else(longer) {
        None => Part::BackEnd,
        Some(Passed { pass: "", .. }) => Part::Source,
        Some(passed) => Part::Pass(passed.number, passed.pass),
    };
    Some(Parting { at, since: since(before, after) })
}

/// Steps of both are matched by their pass, in their order: one may run more of them than the other.
fn since(before: &[Passed], after: &[Passed]) -> Vec<(u32, &'static str, usize, usize)> {
    let (mut all, mut at) = (Vec::new(), 0);
    let mut distance = None;
    for passed in after {
        let Some(found) = before[at..].iter().position(|other| other.pass == passed.pass) else { continue };
        at += found;
        let (b, a) = (before[at].size, passed.size);
        at += 1;
        let now = a as i64 - b as i64;
        if distance != Some(now) && (distance.is_some() || now != 0) {
            all.push((passed.number, passed.pass, b, a));
        }
        distance = Some(now);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(number: u32, pass: &'static str, ir: &str) -> Passed {
        let text = ir.bytes().fold(0, |all, byte| all << 8 | u64::from(byte));
        Passed { number, pass, size: ir.len(), ir: text }
    }

    #[test]
    fn the_first_pass_that_differs_is_named() {
        let start = [passed(0, "", "abc"), passed(2, "mem2reg", "ab")];
        let same = [start[0].clone(), start[1].clone(), passed(3, "cse", "a")];
        let other = [start[0].clone(), start[1].clone(), passed(3, "cse", "b1")];
        let at = |b: &[Passed], a: &[Passed]| parting(b, a).map(|parting| parting.at);
        assert_eq!(at(&same, &same), Some(Part::BackEnd));
        assert_eq!(at(&same, &other), Some(Part::Pass(3, "cse")));
        assert_eq!(at(&start, &same), Some(Part::Pass(3, "cse")));
        assert_eq!(at(&[passed(0, "", "x")], &start), Some(Part::Source));
        assert_eq!(at(&[], &start), None);
        assert_eq!(parting(&same, &other).map(|p| p.since), Some(vec![(3, "cse", 1, 2)]));
    }
}
