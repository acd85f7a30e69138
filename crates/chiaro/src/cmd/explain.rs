//! `chiaro explain`: one instruction, field by field.

use chiaro_diag::Diagnostic;
use chiaro_isa::{WORD_BITS, Word};
use clap::Args;

use crate::cli;
use crate::shell::{Failure, Shell};

/// Show every field of an instruction with its bits, value, meaning and source.
#[derive(Args)]
pub struct Options {
    /// The target.
    #[arg(value_parser = cli::targets())]
    target: cli::TargetName,
    #[command(flatten)]
    settings: cli::Settings,
    /// The instruction in hexadecimal, its low words first, or as one number with its high digits
    /// first. PICA200: WORD [DESCRIPTOR]. Of instructions that all have the same length several may
    /// stand in a row.
    #[arg(required = true)]
    words: Vec<String>,
}

/// Decodes the words and prints the explanation.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let set = shell.instructions(options.target, &options.settings.settings)?;
    let joined = match set.bytes() {
        Some(bytes) => join_many(&options.words, bytes),
        None => join(&options.words).map(|(word, bytes)| (vec![word], bytes)),
    };
    let (words, bytes) = joined.map_err(|why| shell.misused(why, "write words as in `4c010000 0000036f`"))?;
    let explained = set.explain(&words, bytes).map_err(|why| {
        let message = format!(
            "{} is no {} instruction: {}",
            options.words.join(" "),
            options.target.about().name,
            why.0
        );
        shell.fail(Diagnostic::error(None, message))
    })?;
    if let Some(length) = explained.missing {
        let message = format!("the instruction has {length} bytes, of which {bytes} are given");
        shell.report(Diagnostic::remark(None, message).note("the others are taken as 0"));
    }
    shell.write(None, explained.text.as_bytes())
}

/// Instructions of a fixed length, one behind the other, with the number of bytes given.
fn join_many(words: &[String], length: usize) -> Result<(Vec<Word>, usize), String> {
    let (mut all, mut bytes) = (Vec::new(), 0);
    let mut group = Vec::new();
    for (i, word) in words.iter().enumerate() {
        group.push(word.clone());
        let (joined, count) = join(&group)?;
        if count >= length || i + 1 == words.len() {
            all.push(joined);
            bytes += count;
            group.clear();
        }
    }
    Ok((all, bytes))
}

/// One word from several, low words first, with the number of bytes given.
///
/// A word has as many bits as its digits, rounded up to 32.
pub fn join(words: &[String]) -> Result<(Word, usize), String> {
    let (mut word, mut bits) = (Word::ZERO, 0);
    for text in words {
        let digits: String = text.trim_start_matches("0x").chars().filter(|&c| c != '_').collect();
        let width = digits.len().div_ceil(8) * 32;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(format!("`{text}` is not a hexadecimal word"));
        }
        if bits + width > usize::from(WORD_BITS) {
            return Err("these are more words than any instruction has".into());
        }
        for (i, digit) in digits.bytes().rev().enumerate() {
            let at = bits + i * 4;
            let value = u64::from(char::from(digit).to_digit(16).unwrap_or(0));
            word.0[at / 64] |= value << (at % 64);
        }
        bits += width;
    }
    Ok((word, bits / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_join_from_the_low_end() {
        let join = |text: &str| join(&text.split(' ').map(String::from).collect::<Vec<_>>());
        assert_eq!(join("4c010000 36f"), Ok((Word([0x0000_036f_4c01_0000, 0, 0]), 8)));
        assert_eq!(join("0x0000036f_4c010000"), Ok((Word([0x0000_036f_4c01_0000, 0, 0]), 8)));
        assert_eq!(join("1 2 3"), Ok((Word([0x2_0000_0001, 3, 0]), 12)));
        assert!(join("0x").is_err() && join("1 xyz").is_err() && join("1 2 3 4 5 6 7").is_err());
    }
}
