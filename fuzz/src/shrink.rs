//! Makes a failing input small: what the failure does not need is cut out.

/// The smallest input found that still fails, by cutting pieces of halving size and then
/// by making bytes plain.
pub fn shrink(input: &[u8], fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut best = input.to_vec();
    let mut piece = (best.len() / 2).max(1);
    loop {
        let before = best.len();
        cut(&mut best, piece, &fails);
        if piece == 1 && best.len() == before {
            break;
        }
        piece = (piece / 2).max(1);
    }
    for at in 0..best.len() {
        let old = std::mem::replace(&mut best[at], 0);
        if old != 0 && !fails(&best) {
            best[at] = old;
        }
    }
    best
}

/// Removes every piece of a size that the failure can do without.
fn cut(best: &mut Vec<u8>, piece: usize, fails: &impl Fn(&[u8]) -> bool) {
    let mut at = 0;
    while at < best.len() {
        let end = (at + piece).min(best.len());
        let mut shorter = best.clone();
        shorter.drain(at..end);
        if fails(&shorter) {
            *best = shorter;
        } else {
            at = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shrink;

    #[test]
    fn only_what_fails_remains() {
        let input: Vec<u8> = (1..=200).collect();
        let smaller = shrink(&input, |bytes| bytes.contains(&7) && bytes.contains(&150));
        assert_eq!(smaller, [7, 150]);
    }
}
