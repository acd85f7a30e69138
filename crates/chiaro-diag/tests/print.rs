//! What people and machines get to read.

use chiaro_diag::{Diagnostic, FileId, Fix, Format, Printer, SourceMap};

fn sample() -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add("a.v.pica", ".proc main\n\tmov\tzwö, r0\n.end\n");
    (sources, file)
}

#[test]
fn the_source_line_is_shown_with_the_fault_marked() {
    let (sources, file) = sample();
    let d = Diagnostic::error(file.span(16..20), "unknown register `zwö`")
        .label("not a register")
        .related(file.span(6..10), "in this procedure")
        .note("registers are v0..v15, r0..r15, o0..o15, c0..c95")
        .help("declare it with `.alias zwö r1`");
    let expected = "\
error: unknown register `zwö`
 --> a.v.pica:2:6
  |
2 |     mov    zwö, r0
  |            ^^^ not a register
  |
  = note: registers are v0..v15, r0..r15, o0..o15, c0..c95
  = help: declare it with `.alias zwö r1`
note: in this procedure
 --> a.v.pica:1:7
  |
1 | .proc main
  |       ^^^^

";
    assert_eq!(Printer::plain().print(&[d], &sources), expected);
}

#[test]
fn machines_get_one_object_a_line() {
    let (sources, file) = sample();
    let printer = Printer { format: Format::Json, ..Printer::plain() };
    let d =
        Diagnostic::warning(file.span(16..20), "odd \"name\"").help("a\tb").related(file.span(0..5), "here");
    let d = d.fix(Fix::replace(file.span(16..20), "r1"));
    assert_eq!(
        printer.print(&[d, Diagnostic::error(None, "gone")], &sources),
        concat!(
            r#"{"severity":"warning","message":"odd \"name\"","file":"a.v.pica","line":2,"column":6,"#,
            r#""end_line":2,"end_column":9,"label":"","notes":[],"help":["a\tb"],"#,
            r#""related":[{"message":"here","file":"a.v.pica","line":1,"column":1,"end_line":1,"end_column":6}],"rule":null,"#,
            r#""fixes":[{"title":"replace `zwö` by `r1`","edits":[{"with":"r1","file":"a.v.pica","line":2,"column":6,"end_line":2,"end_column":9}]}]}"#,
            "\n",
            r#"{"severity":"error","message":"gone","file":null,"line":null,"column":null,"#,
            r#""end_line":null,"end_column":null,"label":"","notes":[],"help":[],"related":[],"rule":null,"fixes":[]}"#,
            "\n",
        )
    );
}

#[test]
fn what_exceeds_the_limit_is_counted() {
    let (sources, file) = sample();
    let mut list = vec![Diagnostic::error(file.span(0..5), "bad"); 39];
    list.push(Diagnostic::warning(None, "careful"));
    let text = Printer { limit: 2, ..Printer::plain() }.print(&list, &sources);
    assert_eq!(text.matches("error: bad").count(), 2);
    assert!(text.contains("warning: careful"));
    assert!(text.ends_with("note: and 37 more errors\n\n"), "{text}");
}

#[test]
fn odd_spans_and_texts_are_printed_all_the_same() {
    let mut sources = SourceMap::new();
    let long = sources.add("long", format!("x\n{}", "y".repeat(100_000)));
    let empty = sources.add("empty", "");
    let odd = sources.add("odd", "a\u{0}\u{1b}[31mß\r\n\u{202e}\r\rb\n");
    let spans = [
        long.span(50_000..50_001),
        long.span(0..200_000),
        empty.span(0..0),
        empty.span(5..9),
        odd.span(0..99),
        FileId(9).span(1..2),
    ];
    let odd_spans = (0..20).map(|start| odd.span(start..20 - start));
    for span in spans.into_iter().chain(odd_spans) {
        let d = Diagnostic::error(span, "message").label("label");
        assert!(Printer::plain().print(std::slice::from_ref(&d), &sources).starts_with("error: message\n"));
        assert!(Printer { colour: true, ..Printer::plain() }.print(&[d], &sources).contains('\u{1b}'));
    }
    let text = Printer::plain().print(&[Diagnostic::error(spans[0], "m")], &sources);
    assert_eq!(text, "error: m\n--> long:2:49999\n\n");
}

#[test]
fn errors_late_in_a_huge_file_are_printed_quickly() {
    let mut sources = SourceMap::new();
    let file = sources.add("big", "nop\n".repeat(1_000_000));
    let list: Vec<_> =
        (0..2000).map(|i| Diagnostic::error(file.span(3_000_000 + 4 * i..3_000_001), "e")).collect();
    assert!(Printer::plain().print(&list, &sources).contains("big:750001:1"));
}
