//! Number conversions.

use chiaro_num::{F16, F20, F24, atof, picasso_f24};
use chiaro_pica200::asm::picasso::Mode;
use chiaro_pica200::container::unpack_float24;

use super::assemble::assemble;
use crate::suite::{Miss, Row, hex_words};

/// `float24_encode.tsv`: class, decimal text, float24 as picasso stores it. A constant in
/// a source becomes that in `--compat`; the default mode gives another only with a word.
pub(super) fn encode(row: &Row<'_>) -> Result<(), Miss> {
    let [_, text, expected] = row.columns()?;
    let expected = hex_words(expected)?;
    let found = picasso_f24(atof(text) as f32);
    if expected != [found] {
        return Err(format!("`{text}` became {found:06x}").into());
    }
    let constant = |mode| {
        let source = format!(".constf k({text}, 0, 0, 0)\n.proc main\nend\n.end\n");
        let (_, made) = assemble(&[("t.v.pica".into(), source)], mode, false);
        made.map(|made| (made.shbin.executables[0].constants[0].words[0], made.warnings.is_empty()))
    };
    match (constant(Mode::Picasso), constant(Mode::Strict)) {
        (Ok((compat, _)), _) if compat != found => Err(format!("`.constf` gives {compat:06x}").into()),
        (Err(_), _) => Err("`.constf` does not take it".into()),
        (_, Ok((strict, true))) if strict != found => Err(format!("{strict:06x} without a word").into()),
        (_, Err(_)) if is_number(text) => Err("the default mode rejects it".into()),
        _ => Ok(()),
    }
}

/// Whether the text is a whole number, decimal or hexadecimal, as the default mode wants
/// it; picasso reads the start of anything, or 0.
fn is_number(text: &str) -> bool {
    let rest = text.trim_start_matches(['+', '-']);
    text.parse::<f64>().is_ok() || rest.starts_with("0x") && !rest.ends_with(['p', 'x'])
}

/// `float_decode.tsv`: format, class, raw bits, binary32 bits.
pub(super) fn decode(row: &Row<'_>) -> Result<(), Miss> {
    let [format, _, raw, expected] = row.columns()?;
    let (raw, expected) = (hex_words(raw)?, hex_words(expected)?);
    let found: Vec<u32> = match (format, raw.as_slice()) {
        ("f24", &[raw]) => vec![F24.decode_f32(raw).to_bits()],
        ("f20", &[raw]) => vec![F20.decode_f32(raw).to_bits()],
        ("f16", &[raw]) => vec![F16.decode_f32(raw).to_bits()],
        ("pack24", &[a, b, c]) => unpack_float24([a, b, c]).map(|raw| F24.decode_f32(raw).to_bits()).to_vec(),
        _ => return Err(Miss::Skipped(format!("no number format `{format}`"))),
    };
    let agree = found.len() == expected.len() && found.iter().zip(&expected).all(|(&a, &b)| same(a, b));
    if agree { Ok(()) } else { Err(format!("decoded to {found:08x?}").into()) }
}

/// The same binary32 value; all NaNs are one.
pub(super) fn same(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}
