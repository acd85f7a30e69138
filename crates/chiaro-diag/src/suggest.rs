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
    let given = Given::new(word)?;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|&candidate| candidate != word) {
        let most = best.map_or(given.allowed, |(slips, _)| slips);
        if let Some(slips) = given.slips(candidate, most)
            && best.is_none_or(|b| (slips, candidate) < b)
        {
            best = Some((slips, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A word, prepared once: lists are long, and a text of another language is wrong in every line.
struct Given {
    letters: usize,
    /// How many slips are close.
    allowed: usize,
    comparator: osa::BatchComparator<char>,
}

impl Given {
    /// `None` for no letters, and for too many.
    fn new(word: &str) -> Option<Self> {
        let letters = word.chars().take(LONGEST + 1).count();
        (1..=LONGEST).contains(&letters).then(|| Self {
            letters,
            allowed: letters.div_ceil(3),
            comparator: osa::BatchComparator::new(lower(word)),
        })
    }

    /// The slips that lead to a candidate, if they are so many at most and leave something in common.
    fn slips(&self, candidate: &str, most: usize) -> Option<usize> {
        let letters = candidate.chars().take(self.letters + most + 1).count();
        if letters.abs_diff(self.letters) > most {
            return None;
        }
        let most = osa::Args::default().score_cutoff(most);
        self.comparator.distance_with_args(lower(candidate), &most).filter(|&slips| slips < letters)
    }
}

/// The letters of a word, in lower case.
fn lower(word: &str) -> impl DoubleEndedIterator<Item = char> + Clone {
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
