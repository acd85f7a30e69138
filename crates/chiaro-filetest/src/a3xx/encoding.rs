//! `enc_*.tsv`: a word, what three tools print for it, and what Mesa assembles from that.

use super::quirks::{self, Quirk};
use super::word;
use crate::suite::{Miss, Row};
use chiaro_a3xx::asm::{self, Options};
use chiaro_a3xx::listing::{self, Style};
use chiaro_a3xx::operand::{MESA, PGMDUMP, PGMDUMP_2013};
use chiaro_a3xx::regs::generation::{A3XX, A6XX};
use chiaro_isa::Out;

/// A text, or `None` if the word has none.
pub(super) fn text(word: u64, generation: u8, dialect: u8) -> Option<String> {
    let mut out = Out::default();
    let style = Style { generation, dialect, compat: dialect == MESA };
    listing::line(word, style, &mut out).then(|| out.as_str().to_owned())
}

/// A row of a category: text in three dialects, and back.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let [class, bits, mesa, note, back, new, old] = row.columns()?;
    let bits = word(bits)?;
    let old = if old == "=" { new } else { old };
    let mut skipped = None;
    for outcome in [
        mesa_text(bits, class, mesa, note),
        match note.is_empty() && text(bits, A3XX, MESA).as_deref() == Some(mesa) {
            true => reassembled(bits, mesa, back),
            false => Ok(()),
        },
        older(bits, class, new, PGMDUMP, &quirks::PGMDUMP, mesa),
        older(bits, class, old, PGMDUMP_2013, &quirks::PGMDUMP_2013, mesa),
    ] {
        match outcome {
            Ok(()) => {}
            Err(Miss::Skipped(reason)) => skipped = skipped.or(Some(reason)),
            failed => return failed,
        }
    }
    skipped.map_or(Ok(()), |reason| Err(Miss::Skipped(reason)))
}

fn skip(reason: &str) -> Result<(), Miss> {
    Err(Miss::Skipped(reason.to_owned()))
}

fn mesa_text(bits: u64, class: &str, want: &str, note: &str) -> Result<(), Miss> {
    let ours = text(bits, A3XX, MESA);
    if ours.as_deref() == Some(want) || ours.is_none() && want == "<no match>" {
        return Ok(());
    }
    if ours.is_none() {
        return unprinted(bits, want, note);
    }
    let ours = ours.unwrap_or_default();
    if want.is_empty() && note.contains("no display template") {
        return skip("Mesa has no text for brax");
    }
    if note.is_empty() && class == "fuzz" && wide_immediate(&ours, want) {
        return skip("Mesa prints bits of an immediate that its type does not have");
    }
    match quirks::explain(&quirks::MESA, &ours, want) {
        Some(reason) => skip(reason),
        None => Err(Miss::Failed(format!("{class}: `{ours}` instead of Mesa's `{want}`"))),
    }
}

/// Words that we do not print at generation 300, although Mesa does.
fn unprinted(bits: u64, want: &str, note: &str) -> Result<(), Miss> {
    if text(bits, A6XX, MESA).as_deref() == Some(want) {
        return skip("Mesa prints instructions of A5xx and A6xx at generation 300; so do we at 600");
    }
    let bindless = want.contains(".base") || want.contains("a1.x") || want.contains(".nonuniform");
    let table = bits >> 61 == 2 || bits >> 61 == 4;
    let reason = match () {
        () if note.contains("no match: FIELD") => "Mesa prints an empty operand where bits are none",
        () if want.contains("(last)") => "Mesa prints (last) of A7xx at generation 300",
        () if bindless => "Mesa prints bindless descriptors of A6xx at generation 300",
        () if table => "Mesa prints an entry that the table of float immediates does not have",
        () if note.contains("unexpected bits") || note.contains("dontcare bits") => {
            "Mesa prints a word although bits that must be clear are set"
        }
        () => return Err(Miss::Failed(format!("there is no text, Mesa has `{want}`"))),
    };
    skip(reason)
}

/// A 16-bit type whose immediate Mesa prints with all 32 bits.
fn wide_immediate(ours: &str, want: &str) -> bool {
    let head = |text: &str| text.rsplit_once(", ").map(|(head, _)| head.to_owned());
    head(ours).is_some() && head(ours) == head(want) && ours.contains("ov.")
}

/// The text back as a word: Mesa's, or where that differs from the row's own, the row's.
fn reassembled(bits: u64, line: &str, back: &str) -> Result<(), Miss> {
    let ours = asm::instruction(line, Options { compat: true, ..Options::default() });
    let mesa = match back {
        "=" => Some(bits),
        "ERR" | "CRASH" | "-" => None,
        other => Some(word(other)?),
    };
    let ours = match ours {
        Ok(ours) => ours,
        Err(e) => return Err(Miss::Failed(format!("`{line}` is not read: {e}"))),
    };
    match (Some(ours) == mesa, ours == bits) {
        (true, _) => Ok(()),
        (false, true) if back == "ERR" || back == "CRASH" => {
            skip("Mesa's assembler does not read Mesa's text")
        }
        (false, true) => skip("Mesa's assembler makes another word of Mesa's text; ours makes the row's"),
        (false, false) if text(ours, A3XX, MESA) == text(bits, A3XX, MESA) => skip(match bits >> 61 {
            5 => "the text does not show the type of dsxpp; without it a float is taken",
            _ => "the text does not show all bits of the word, such as the size of a predicate",
        }),
        (false, false) => Err(Miss::Failed(format!("`{line}` becomes {ours:016x}"))),
    }
}

fn older(bits: u64, class: &str, want: &str, dialect: u8, known: &[Quirk], mesa: &str) -> Result<(), Miss> {
    let ours = text(bits, A3XX, dialect);
    if ours.as_deref() == Some(want) || ours.is_none() && want == "<no match>" {
        return Ok(());
    }
    let reason = match () {
        () if class == "fuzz" => return Ok(()),
        () if want == "<assert>" => "pgmdump aborts",
        () if want.contains("unknown(") => "pgmdump does not know the operation",
        () if class.contains(".later.") => "pgmdump takes an instruction of A6xx for another",
        () if mesa == "<no match>" => "only the old header knows the operation or its bits",
        () if bits >> 61 >= 6 && dialect == PGMDUMP_2013 => {
            "pgmdump 2013 does not know the operands of the operation"
        }
        () if bits >> 61 >= 5 => "pgmdump reads another layout of this operation",
        () => match ours.as_deref().and_then(|ours| quirks::explain(known, ours, want)) {
            Some(reason) => reason,
            None => {
                return Err(Miss::Failed(format!(
                    "{class}: `{}` instead of pgmdump's `{want}`",
                    ours.unwrap_or_default()
                )));
            }
        },
    };
    match ours.as_deref().and_then(|ours| quirks::explain(known, ours, want)) {
        Some(precise) => skip(precise),
        None => skip(reason),
    }
}

/// A word at generations 300, 400, 500 and 600; the fifth is not ours.
pub(super) fn generations(row: &Row<'_>) -> Result<(), Miss> {
    let [class, bits, columns @ ..] = row.columns::<7>()?;
    let bits = word(bits)?;
    let (mut want, mut skipped) = ("", None);
    for (generation, column) in (A3XX..=A6XX).zip(columns) {
        want = if column == "=" { want } else { column };
        let (line, note) = want.split_once(" ; ").unwrap_or((want, ""));
        let ours = text(bits, generation, MESA);
        if ours.as_deref() == Some(line) || ours.is_none() && line == "<no match>" {
            continue;
        }
        match (ours, generation) {
            (None, A6XX) => skipped = Some("the layout of A6xx is not in the specification in full"),
            (None, _) if !note.is_empty() => {
                skipped = Some("Mesa prints a word although bits that must be clear are set");
            }
            (None, _) if line.contains(".base") => {
                skipped = Some("Mesa prints bindless descriptors of A6xx at generation 300");
            }
            (ours, _) => {
                let ours = ours.unwrap_or_default();
                return Err(Miss::Failed(format!("{class} at {generation}: `{ours}` instead of `{line}`")));
            }
        }
    }
    skipped.map_or(Ok(()), |reason| Err(Miss::Skipped(reason.to_owned())))
}
