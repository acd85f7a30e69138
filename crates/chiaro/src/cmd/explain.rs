//! `chiaro explain`: one instruction, field by field.

use chiaro::Instructions;
use chiaro_diag::Diagnostic;
use chiaro_isa::Word;
use clap::Args;

use crate::cli;
use crate::digits;
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
    /// first. AGX: its bytes in the order of memory. PICA200: WORD [DESCRIPTOR]. Of instructions that all have the same length several may
    /// stand in a row.
    #[arg(required = true)]
    words: Vec<String>,
}

/// Decodes the words and prints the explanation.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let set = shell.instructions(options.target, &options.settings.settings)?;
    let joined = match set.bytes() {
        Some(bytes) => join_many(set, &options.words, bytes),
        None => digits::read(set, &options.words).map(|(word, bytes)| (vec![word], bytes)),
    };
    let example = if set.in_bytes() { "bytes as in `62000000`" } else { "words as in `4c010000 0000036f`" };
    let (words, bytes) = joined.map_err(|why| shell.misused(why, format!("write {example}")))?;
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
fn join_many(set: &dyn Instructions, words: &[String], length: usize) -> Result<(Vec<Word>, usize), String> {
    let (mut all, mut bytes) = (Vec::new(), 0);
    let mut group = Vec::new();
    for (i, word) in words.iter().enumerate() {
        group.push(word.clone());
        let (joined, count) = digits::read(set, &group)?;
        if count >= length || i + 1 == words.len() {
            all.push(joined);
            bytes += count;
            group.clear();
        }
    }
    Ok((all, bytes))
}
