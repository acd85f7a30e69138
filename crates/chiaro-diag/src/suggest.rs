//! "Did you mean ...?"

/// Words longer than this are not compared; nobody mistypes those by a letter.
const LONGEST: usize = 48;

/// The candidate that was most likely meant, if any is close enough.
///
/// Close is one slip (a letter too many, missing, wrong, or two swapped) for
/// each three letters begun. Case counts for less than any slip. Of equally
/// close candidates the first by alphabet wins, so that their order does not matter.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (mut given, mut letters) = (['\0'; LONGEST], ['\0'; LONGEST]);
    let given = letters_of(word, &mut given).filter(|given| !given.is_empty())?;
    let allowed = given.len().div_ceil(3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|&candidate| candidate != word) {
        let Some(letters) = letters_of(candidate, &mut letters) else { continue };
        if letters.len().abs_diff(given.len()) > allowed {
            continue;
        }
        let slips = distance(given, letters);
        // A word with nothing in common is no suggestion.
        if slips <= allowed && slips < letters.len() && best.is_none_or(|b| (slips, candidate) < b) {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The letters of a word, unless it is too long.
fn letters_of<'b>(word: &str, buffer: &'b mut [char; LONGEST]) -> Option<&'b [char]> {
    let mut used = 0;
    for letter in word.chars() {
        *buffer.get_mut(used)? = letter;
        used += 1;
    }
    Some(&buffer[..used])
}

/// Insertions, removals, replacements and swaps of neighbours between two words.
///
/// The optimal string alignment distance; of its table only three rows are kept.
fn distance(a: &[char], b: &[char]) -> usize {
    let same = |i: usize, j: usize| a[i].eq_ignore_ascii_case(&b[j]);
    // Counts stay below LONGEST.
    let mut before = [0; LONGEST + 1];
    let mut above: [u8; LONGEST + 1] = std::array::from_fn(|j| j as u8);
    for i in 0..a.len() {
        let mut row = [i as u8 + 1; LONGEST + 1];
        for j in 0..b.len() {
            let replaced = above[j] + u8::from(!same(i, j));
            row[j + 1] = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && same(i, j - 1) && same(i - 1, j) {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger_are_recognised() {
        let names = ["mov", "mova", "mul", "add", "position", "normalquat", "texcoord0"];
        let guess = |word| did_you_mean(word, names);
        assert_eq!(guess("mvo"), Some("mov"));
        assert_eq!(guess("MOV"), Some("mov"));
        assert_eq!(guess("positon"), Some("position"));
        assert_eq!(guess("normal_quad"), Some("normalquat"));
        assert_eq!(guess("texcord0"), Some("texcoord0"));
        assert_eq!(guess("x"), None);
        assert_eq!(guess("transform"), None);
        assert_eq!(guess(""), None);
        assert_eq!(guess(&"m".repeat(100_000)), None);
    }
}
