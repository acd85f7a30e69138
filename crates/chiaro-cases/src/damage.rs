//! Texts that are wrong in one thing.

/// A text with one token left out, doubled, or put in another's place; a number gives the same text always.
///
/// # Panics
/// If there is no token.
#[must_use]
pub fn damaged(text: &str, seed: u64) -> String {
    let mut draw = Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    let mut all = tokens(text);
    let solid: Vec<usize> = (0..all.len()).filter(|&n| !all[n].trim().is_empty()).collect();
    let (at, from) = (solid[draw.below(solid.len())], solid[draw.below(solid.len())]);
    match draw.below(3) {
        0 => drop(all.remove(at)),
        1 => all.insert(at, all[at]),
        _ => all[at] = all[from],
    }
    all.concat()
}

/// A text in which others stand: `old => new` in each line of `changes`, where a bar between blanks ends a line of the
/// new text. The first place that has the old text is taken.
///
/// # Panics
/// If a line of `changes` has no arrow, or names what the text does not have.
#[must_use]
#[track_caller]
pub fn edited(text: &str, changes: &str) -> String {
    let mut text = text.to_owned();
    for change in changes.lines() {
        let (old, new) = change.split_once(" => ").unwrap_or_else(|| panic!("no arrow in `{change}`"));
        assert!(text.contains(old), "no `{old}` in\n{text}");
        text = text.replacen(old, &new.replace(" | ", "\n"), 1);
    }
    text
}

/// Names and numbers, marks, and what stands between them.
fn tokens(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        all.push(&rest[..end]);
        rest = &rest[end..];
    }
    all
}

/// A small generator of our own, so that a number means the same everywhere.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

#[cfg(test)]
mod tests {
    use super::edited;

    #[test]
    fn the_first_of_each_is_another() {
        assert_eq!(edited("mov a, a", "a => b"), "mov b, a");
        assert_eq!(edited("mov a, a\nend", "mov a => nop | nop\nend => "), "nop\nnop, a\n");
    }

    #[test]
    #[should_panic(expected = "no `b` in")]
    fn what_is_not_there_is_no_change() {
        let _ = edited("mov a, a", "b => c");
    }
}
