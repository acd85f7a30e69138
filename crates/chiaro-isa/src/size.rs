//! Lengths, ready to be asked of a word.

use crate::decl::Length;
use crate::form::Form;
use crate::word::{Run, Word};

/// How long instructions are, by form. Many forms share few lengths, so that what is looked at while
/// code is decoded lies side by side.
pub(crate) struct Sizes {
    of_form: Vec<u16>,
    sizes: Vec<Size>,
}

enum Size {
    /// As [`Length::Literal`], where each field is one run of bits.
    Literal { asked: Box<[(Run, u64)]>, short: u8, long: u8 },
    /// Any other.
    Other(Length),
}

impl Sizes {
    pub(crate) fn of(forms: &[Form]) -> Sizes {
        let mut lengths: Vec<Length> = Vec::new();
        let number = |form: &Form| {
            let length = form.format.length;
            let known = lengths.iter().position(|known| *known == length);
            known.unwrap_or_else(|| {
                lengths.push(length);
                lengths.len() - 1
            }) as u16
        };
        let of_form = forms.iter().map(number).collect();
        Sizes { of_form, sizes: lengths.into_iter().map(Size::of).collect() }
    }

    /// The length of a word of this form, in bytes.
    #[inline]
    pub(crate) fn length(&self, form: u16, word: &Word) -> u8 {
        match &self.sizes[usize::from(self.of_form[usize::from(form)])] {
            Size::Literal { asked, short, long } => {
                let literal = asked.iter().any(|(run, value)| run.gather(word) == *value);
                if literal { *long } else { *short }
            }
            Size::Other(length) => length.of(word),
        }
    }
}

impl Size {
    fn of(length: Length) -> Size {
        if let Length::Literal { asked, short, long } = length {
            let runs: Option<_> = asked.iter().map(|(bits, value)| Some((bits.run()?, *value))).collect();
            if let Some(asked) = runs {
                return Size::Literal { asked, short, long };
            }
        }
        Size::Other(length)
    }
}
