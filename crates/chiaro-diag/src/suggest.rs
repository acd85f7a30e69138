//! "Did you mean ...?"

use rapidfuzz::distance::osa;

/// Words longer than this are not compared; nobody mistypes those by a letter.
const LONGEST: usize = 48;

/// The candidate that was most likely meant, if any is close enough.
///
/// Close is one slip (a letter too many, missing, wrong, or two neighbours swapped: the optimal string alignment
/// distance) for each three letters begun. Case does not count. Of equally close candidates the first by alphabet wins,
/// so that their order does not matter.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().take(LONGEST + 1).count();
    if length == 0 || length > LONGEST {
        return None;
    }
    // Lists are long, and a text of another language is wrong in every line: the word is prepared once.
    let given = osa::BatchComparator::new(letters(word));
    let allowed = length.div_ceil(3);
    let mut best: Option<(usize, &str)> = None;
    // Four bytes are the longest letter.
    for candidate in candidates.into_iter().filter(|&c| c != word && c.len() <= 4 * LONGEST) {
        let most = best.map_or(allowed, |(slips, _)| slips);
        let Some(slips) = given.distance_with_args(letters(candidate), &osa::Args::default().score_cutoff(most)) else {
            continue;
        };
        // A word with nothing in common is no suggestion.
        if slips < candidate.chars().count() && best.is_none_or(|b| (slips, candidate) < b) {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The letters of a word, in lower case.
fn letters(word: &str) -> impl DoubleEndedIterator<Item = char> + Clone {
    word.chars().map(|letter| letter.to_ascii_lowercase())
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
