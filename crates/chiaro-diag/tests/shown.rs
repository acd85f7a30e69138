//! Messages about all kinds of places, for people and for machines: `shown.txt`. `CHIARO_BLESS=1` rewrites it.

use std::path::Path;

use chiaro_cases::Cases;
use chiaro_diag::{Diagnostic, FileId, Format, Printer, SourceMap, sort, sort_by_reading};

const TEXT: &str = "first line\n\tsecond\tline with ümläuts\n\nfourth line\r\nand the last";

fn messages(file: FileId, other: FileId) -> Vec<Diagnostic> {
    let end = TEXT.len();
    vec![
        Diagnostic::error(file.span(0..5), "at the start").label("here"),
        Diagnostic::warning(file.span(11..18), "a tab").related(other.span(2..4), "elsewhere"),
        Diagnostic::error(file.span(30..33), "behind ü").note("a note\nof two lines").help("do this"),
        Diagnostic::error(file.span(6..40), "several lines").label("all of it"),
        Diagnostic::remark(file.span(end..end), "at the end"),
        Diagnostic::error(file.span(41..41), "nothing"),
        Diagnostic::warning(other.span(0..1), "in the other file").related(file.span(0..1), "and here"),
        Diagnostic::error(None, "nowhere").help("one").help("two").note("three"),
    ]
}

#[test]
fn messages_are_shown_as_written_down() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.vert", TEXT);
    let other = sources.add_included("b.glsl", "x y z\n", file.span(0..5));
    sources.state_lines(other, 0, 10, Some("c.glsl".to_owned()));
    let all = messages(file, other);
    let mut out = String::new();
    for (format, colour, limit) in [
        (Format::Human, false, 40),
        (Format::Human, true, 40),
        (Format::Human, false, 3),
        (Format::Json, false, 40),
    ] {
        out += &Printer { format, colour, limit }.print(&all, &sources);
        out += "====\n";
    }
    let (mut by_place, mut by_reading) = (all.clone(), all.clone());
    sort(&mut by_place);
    sort_by_reading(&mut by_reading, &sources);
    for list in [by_place, by_reading] {
        list.iter().for_each(|d| out += &format!("{} / ", d.message));
        out += "\n";
    }
    for at in [0, 10, 11, 12, 30, 38, 39, 50, TEXT.len() as u32] {
        out += &format!("{at}: {:?} {:?}\n", sources.position(file, at), sources.stated(other, at.min(5)));
    }
    let lines: Vec<_> = (1..6).map(|n| sources.lines(file, n, (n + 1).min(5))).collect();
    out += &format!("{lines:?} {}\n", sources.line_count(file));
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shown.txt"), Some(&out));
    cases.finish();
}
