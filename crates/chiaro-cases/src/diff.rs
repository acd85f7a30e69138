//! Differences of two texts, line by line.

/// Lines that are shown around a difference.
const CONTEXT: usize = 2;
/// Pairs of lines that are compared at most; longer texts differ as a whole.
const MOST: usize = 1 << 22;

/// A line of a difference.
#[derive(Clone, Copy)]
enum Line<'a> {
    Both(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// What changes from one text to the other: `-` lines go, `+` lines come, with a few lines around
/// them and `...` for the rest.
#[must_use]
pub fn diff(before: &str, after: &str) -> String {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let lines = lines(&before, &after);
    let is_change = |line: &Line<'_>| !matches!(line, Line::Both(_));
    let changes: Vec<usize> = (0..lines.len()).filter(|&i| is_change(&lines[i])).collect();
    let is_near = |i: usize| {
        let next = changes.partition_point(|&change| change + CONTEXT < i);
        changes.get(next).is_some_and(|&change| change <= i + CONTEXT)
    };
    let (mut out, mut skipped) = (String::new(), false);
    for (i, line) in lines.iter().enumerate() {
        let (sign, text) = match line {
            Line::Both(_) if !is_near(i) => {
                skipped = true;
                continue;
            }
            Line::Both(text) => (' ', text),
            Line::Gone(text) => ('-', text),
            Line::New(text) => ('+', text),
        };
        if std::mem::take(&mut skipped) {
            out.push_str("  ...\n");
        }
        out.push_str(&format!("{sign} {text}\n"));
    }
    out
}

/// All lines of both texts, the common ones once.
fn lines<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Line<'a>> {
    let common = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (head, before, after) = (&before[..common], &before[common..], &after[common..]);
    let same = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    let (before, tail) = before.split_at(before.len() - same);
    let after = &after[..after.len() - same];
    let both = |text: &&'a str| Line::Both(text);
    let middle = middle(before, after);
    head.iter().map(both).chain(middle).chain(tail.iter().map(both)).collect()
}

/// The longest common subsequence, by its table of lengths.
fn middle<'a>(before: &[&'a str], after: &[&'a str]) -> Vec<Line<'a>> {
    let (n, m) = (before.len(), after.len());
    if n.saturating_mul(m) > MOST {
        let gone = before.iter().map(|text| Line::Gone(text));
        return gone.chain(after.iter().map(|text| Line::New(text))).collect();
    }
    let mut longest = vec![0u32; (n + 1) * (m + 1)];
    let at = |i: usize, j: usize| i * (m + 1) + j;
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            longest[at(i, j)] = match before[i] == after[j] {
                true => longest[at(i + 1, j + 1)] + 1,
                false => longest[at(i + 1, j)].max(longest[at(i, j + 1)]),
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::with_capacity(n + m));
    while i < n || j < m {
        if i < n && j < m && before[i] == after[j] {
            out.push(Line::Both(before[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == m || i < n && longest[at(i + 1, j)] >= longest[at(i, j + 1)] {
            out.push(Line::Gone(before[i]));
            i += 1;
        } else {
            out.push(Line::New(after[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn only_what_changes_is_shown() {
        assert_eq!(diff("a\nb\nc", "a\nb\nc"), "");
        assert_eq!(diff("a\nb\nc\nd\ne\nf", "a\nb\nc\nx\ne\nf"), "  ...\n  b\n  c\n- d\n+ x\n  e\n  f\n");
        assert_eq!(diff("", "new"), "+ new\n");
        assert_eq!(
            diff("1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n3\n4\n5\n6\n7\n8\n9\n10"),
            "  1\n- 2\n  3\n  4\n  ...\n  8\n  9\n+ 10\n"
        );
    }
}
