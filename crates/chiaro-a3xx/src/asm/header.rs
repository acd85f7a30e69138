//! Headers: what a program says about its inputs, constants and memory.

use std::ops::Range;

/// One `@` line.
#[derive(Clone, PartialEq, Debug)]
pub enum Header {
    /// `@const(c4.x) v, v, v, v`: first component, bits of the values.
    Const(u16, Vec<u32>),
    /// `@in(r0.x)`, `@out(r0.x)`, `@attribute(r0.x-r0.w) name` and the like: kind, place in
    /// brackets, what follows.
    Place(String, String, String),
    /// `@buf 4`, `@localsize 8, 8, 1` and the like: kind, numbers.
    Numbers(String, Vec<u32>),
}

/// Headers with a place in brackets: today's, then those of 2013 [spec sections 24, 25].
const PLACES: [&str; 9] =
    ["in", "out", "invocationid", "wgid", "numwg", "tex", "attribute", "varying", "uniform"];
/// Headers as they are written.
pub const DIRECTIVES: &[&str] = &[
    "@const(cN.x) value, ...",
    "@sampler(number) name",
    "@in(rN.x) name",
    "@out(rN.x) name",
    "@invocationid(rN.x)",
    "@wgid(rN.x)",
    "@numwg(cN.x)",
    "@tex(rN.x) name",
    "@attribute(rN.x-rN.w) name",
    "@varying(rN.x-rN.w) name",
    "@uniform(cN.x-cN.w) name",
    "@localsize x, y, z",
    "@buf size",
    "@branchstack depth",
    "@pvtmem bytes",
    "@localmem bytes",
    "@earlypreamble",
    "@fullnopstart",
    "@fullnopend",
    "@fullsyncstart",
    "@fullsyncend",
];
/// Headers with numbers or nothing.
const NUMBERS: [&str; 9] = [
    "localsize",
    "buf",
    "branchstack",
    "pvtmem",
    "localmem",
    "earlypreamble",
    "fullnopstart",
    "fullnopend",
    "fullsyncstart",
];

impl Header {
    /// Reads a line that begins with `@`; an error has its bytes in the line.
    pub(super) fn read(text: &str) -> Result<Header, (Range<usize>, String)> {
        let body = &text[1..];
        let end = body.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(body.len());
        let (name, rest) = body.split_at(end);
        let rest_at = 1 + end;
        match name {
            "const" => constant(text, rest, rest_at),
            "sampler" => Ok(place(name, rest)),
            name if PLACES.contains(&name) => Ok(place(name, rest)),
            name if NUMBERS.contains(&name) || name == "fullsyncend" => numbers(name, rest, rest_at),
            name => Err((0..rest_at, format!("no header is called `@{name}`"))),
        }
    }
}

fn place(name: &str, rest: &str) -> Header {
    let inside = rest.trim().strip_prefix('(').and_then(|r| r.split_once(')'));
    let (at, tail) = inside.unwrap_or(("", rest));
    Header::Place(name.to_owned(), at.trim().to_owned(), tail.trim().to_owned())
}

fn numbers(name: &str, rest: &str, at: usize) -> Result<Header, (Range<usize>, String)> {
    let all = rest.split(',').map(str::trim).filter(|n| !n.is_empty());
    let read: Option<Vec<u32>> = all.map(|n| n.parse().ok()).collect();
    let wrong = || (at..at + rest.len(), "expected numbers with commas between them".to_owned());
    read.map(|n| Header::Numbers(name.to_owned(), n)).ok_or_else(wrong)
}

/// `(c4.x) v, v, v, v`.
fn constant(text: &str, rest: &str, at: usize) -> Result<Header, (Range<usize>, String)> {
    let wrong = |why: &str| (at..text.len(), why.to_owned());
    let (inside, values) = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|r| r.split_once(')'))
        .ok_or_else(|| wrong("expected a constant in brackets, as in @const(c4.x)"))?;
    let (number, component) = inside
        .trim()
        .strip_prefix('c')
        .and_then(|c| c.split_once('.'))
        .ok_or_else(|| wrong("expected a constant, as in c4.x"))?;
    let number: u16 =
        number.parse().ok().filter(|n| *n < 512).ok_or_else(|| wrong("constants go from c0 to c511"))?;
    let component = ["x", "y", "z", "w"]
        .iter()
        .position(|c| *c == component.trim())
        .ok_or_else(|| wrong("a constant has a component"))?;
    let values: Option<Vec<u32>> = values.split(',').map(|v| value(v.trim())).collect();
    let values = values
        .ok_or_else(|| wrong("a value is a number, 0x and hexadecimal digits, or a float with a dot"))?;
    if values.len() > 4 {
        return Err(wrong("a constant has four components"));
    }
    Ok(Header::Const(number * 4 + component as u16, values))
}

/// Hexadecimal bits, an integer, or a float.
fn value(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).ok();
    }
    if let Ok(n) = text.parse::<i64>() {
        return u32::try_from(n).ok().or_else(|| i32::try_from(n).ok().map(|n| n as u32));
    }
    text.parse::<f32>().ok().map(f32::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_as_they_are_read() {
        let name = |usage: &'static str| usage[1..].split(|c: char| !c.is_ascii_alphanumeric()).next();
        let told: Vec<&str> = DIRECTIVES.iter().filter_map(|usage| name(usage)).collect();
        for name in PLACES.iter().chain(&NUMBERS) {
            assert!(told.contains(name), "{name}");
        }
        let unknown = |name: &&&str| {
            Header::read(&format!("@{name}")).is_err_and(|(_, why)| why.contains("no header is called"))
        };
        assert_eq!(told.iter().find(unknown), None);
    }
}
