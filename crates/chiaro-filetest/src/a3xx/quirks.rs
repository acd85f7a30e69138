//! Where a tool is wrong by the specification, and what it prints instead: our text, with
//! the tool's mistake made on purpose. A row that only such a mistake explains is skipped
//! with the reason; anything else fails.

/// A mistake of a tool.
pub(super) struct Quirk {
    pub(super) reason: &'static str,
    /// What the tool makes of our text.
    pub(super) make: fn(&str) -> String,
}

/// Mistakes of Mesa's disassembler at generation 300 (spec section 27).
pub(super) const MESA: [Quirk; 1] =
    [Quirk { reason: "Mesa prints (r) of mova twice", make: |text| twice(text) }];

/// Mistakes of pgmdump of 2018.
pub(super) const PGMDUMP: [Quirk; 6] = [
    Quirk { reason: "pgmdump 2018 prints constants modulo 64", make: |text| modulo(text) },
    Quirk {
        reason: "pgmdump drops (r) of relative sources of copies",
        make: |text| modulo(&unstepped(text)),
    },
    Quirk { reason: "pgmdump reads sad.s32 as half", make: |text| modulo(&halved(text)) },
    Quirk { reason: "pgmdump drops the source of rgetpos", make: |text| without_last(text) },
    Quirk {
        reason: "pgmdump prints the type of resinfo not and registers of buffers as numbers",
        make: |text| buffer(&untyped(text)),
    },
    Quirk { reason: "pgmdump prints registers of buffers as numbers", make: |text| buffer(text) },
];

/// Mistakes of pgmdump of 2013.
pub(super) const PGMDUMP_2013: [Quirk; 3] = [
    Quirk { reason: "pgmdump drops (r) of relative sources of copies", make: |text| unstepped(text) },
    Quirk { reason: "pgmdump reads sad.s32 as half", make: |text| halved(text) },
    Quirk { reason: "pgmdump drops the source of rgetpos", make: |text| without_last(text) },
];

/// The reason if a mistake explains the tool's text.
pub(super) fn explain(quirks: &[Quirk], ours: &str, theirs: &str) -> Option<&'static str> {
    quirks.iter().find(|quirk| (quirk.make)(ours) == theirs).map(|quirk| quirk.reason)
}

fn twice(text: &str) -> String {
    if text.contains("mova") { text.replace("(r)", "(r)(r)") } else { text.to_owned() }
}

/// `c70.x` as `c6.x`.
pub(super) fn modulo(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('c') {
        let (head, tail) = rest.split_at(at + 1);
        out.push_str(head);
        let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let before = head[..at].chars().last();
        let constant = digits > 0 && !before.is_some_and(|c| c.is_ascii_alphanumeric() && c != 'h');
        match tail[..digits].parse::<u32>() {
            Ok(n) if constant => out.push_str(&(n % 64).to_string()),
            _ => out.push_str(&tail[..digits]),
        }
        rest = &tail[digits..];
    }
    out + rest
}

fn unstepped(text: &str) -> String {
    let copy = ["mov.", "cov.", "mova"].iter().any(|name| text.contains(name));
    if copy { text.replace("(r)r<", "r<").replace("(r)c<", "c<") } else { text.to_owned() }
}

fn halved(text: &str) -> String {
    let Some((head, operands)) = text.split_once("sad.s32 ") else { return text.to_owned() };
    let halve = |operand: &str| {
        let name = operand.trim_start_matches("(neg)").trim_start_matches("(r)");
        let flags = &operand[..operand.len() - name.len()];
        let special = name.starts_with("p0") || name.starts_with("r63");
        match name.strip_prefix('h') {
            Some(full) => format!("{flags}{full}"),
            None if special => operand.to_owned(),
            None => format!("{flags}h{name}"),
        }
    };
    format!("{head}sad.s32 {}", operands.split(", ").map(halve).collect::<Vec<_>>().join(", "))
}

fn without_last(text: &str) -> String {
    match text.rsplit_once(", ") {
        Some((head, _)) if text.contains("rgetpos") => head.to_owned(),
        _ => text.to_owned(),
    }
}

fn untyped(text: &str) -> String {
    let Some((head, tail)) = text.split_once("resinfo.") else { return text.to_owned() };
    let shape = tail.split_once('.').map_or(tail, |(_, shape)| shape);
    format!("{head}resinfo.{shape}")
}

/// `g[r1.y]` as `g[5]`.
fn buffer(text: &str) -> String {
    let Some((head, tail)) = text.split_once("g[r") else { return text.to_owned() };
    let Some((register, rest)) = tail.split_once(']') else { return text.to_owned() };
    let number = register.split_once('.').and_then(|(n, c)| {
        let component = ["x", "y", "z", "w"].iter().position(|name| *name == c)?;
        Some(n.parse::<usize>().ok()? * 4 + component)
    });
    number.map_or(text.to_owned(), |n| format!("{head}g[{n}]{rest}"))
}
