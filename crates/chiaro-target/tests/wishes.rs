//! What is found out about the inputs of a shader: `wishes.txt`.

use std::fmt::Write;

use chiaro_diag::SourceMap;
use chiaro_ir::GlobalRef;
use chiaro_ir::sample::Wish;
use chiaro_target::proof::wishes::wishes;

/// The wishes for every scalar of every input, with the byte at which it lies.
fn found(text: &str) -> String {
    let module = match chiaro_ir::parse(text, SourceMap::new().add("case", text)) {
        Ok(module) => module,
        Err(errors) => return format!("{errors:?}"),
    };
    let found = wishes(&module, &module.entries[0], 1 << 24);
    let name = |g: GlobalRef| module.global(g).name.clone();
    let mut all: Vec<(String, usize, Wish)> =
        found.into_iter().map(|((g, at), wish)| (name(g), at, wish)).collect();
    all.sort_by_key(|(name, at, _)| (name.clone(), *at));
    let mut out = String::new();
    for (name, at, Wish { values, borders, unit, count, below }) in all {
        let _ = write!(out, "{name}+{at}:");
        let _ = if values.is_empty() { Ok(()) } else { write!(out, " around {values:?}") };
        let _ = if borders.is_empty() { Ok(()) } else { write!(out, " borders {borders:?}") };
        let _ = if unit { write!(out, " unit") } else { Ok(()) };
        let _ = count.map_or(Ok(()), |most| write!(out, " counts to at most {most}"));
        let _ = below.map_or(Ok(()), |below| write!(out, " below {below}"));
        out.push('\n');
    }
    out
}

#[test]
fn wishes_are_as_the_code_says() {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), "tests/wishes.txt", found);
}
