//! A layout as a line of text, for listings that spell a file out.
//!
//! `picasso`, `nihstro`, or the header's free fields and the slots in order:
//! `long 0x18=auto 0x1c=0 dvlb dvlp code descriptors align dvle0 ... bytes=0011 names@0`.

use super::layout::{DvlpHeader, Kind, Slot};
use super::{Layout, Part};
use std::fmt;
use std::str::FromStr;

/// Why a text is no layout: the word at fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseLayoutError(pub String);

impl fmt::Display for ParseLayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no part of a layout", self.0)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kind::Read { header, slots } = &self.0 else { return f.write_str(self.tool().unwrap_or("")) };
        f.write_str(if header.long { "long" } else { "short" })?;
        match header.word18 {
            Some(word) => write!(f, " 0x18={word:#x}")?,
            None => write!(f, " 0x18=auto")?,
        }
        write!(f, " 0x1c={:#x}", header.word1c)?;
        slots.iter().try_for_each(|slot| match slot {
            Slot::Place(part) => write!(f, " {}", keyword(*part)),
            Slot::Nowhere(part, value) => write!(f, " {}@{value:#x}", keyword(*part)),
            Slot::Align => write!(f, " align"),
            Slot::Bytes(bytes) => {
                write!(f, " bytes=")?;
                bytes.iter().try_for_each(|b| write!(f, "{b:02x}"))
            }
        })
    }
}

impl FromStr for Layout {
    type Err = ParseLayoutError;

    fn from_str(text: &str) -> Result<Layout, ParseLayoutError> {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or("");
        let long = match first {
            "picasso" => return Ok(Layout::picasso()),
            "nihstro" => return Ok(Layout::nihstro()),
            "long" => true,
            "short" => false,
            _ => return Err(ParseLayoutError(first.to_owned())),
        };
        let mut header = DvlpHeader { long, word18: None, word1c: 0 };
        let mut slots = Vec::new();
        for word in words {
            let wrong = || ParseLayoutError(word.to_owned());
            match word.split_once('=') {
                Some(("0x18", "auto")) => header.word18 = None,
                Some(("0x18", value)) => header.word18 = Some(number(value).ok_or_else(wrong)?),
                Some(("0x1c", value)) => header.word1c = number(value).ok_or_else(wrong)?,
                Some(("bytes", hex)) => slots.push(Slot::Bytes(bytes(hex).ok_or_else(wrong)?)),
                Some(_) => return Err(wrong()),
                None => slots.push(slot(word).ok_or_else(wrong)?),
            }
        }
        Ok(Layout(Kind::Read { header, slots }))
    }
}

/// The parts that belong to an executable, with their keywords.
type Numbered = (&'static str, fn(usize) -> Part);

const NUMBERED: [Numbered; 6] = [
    ("dvle", Part::Dvle),
    ("constants", Part::Constants),
    ("labels", Part::Labels),
    ("outputs", Part::Outputs),
    ("uniforms", Part::Uniforms),
    ("symbols", Part::Symbols),
];

const SINGLE: [(&str, Part); 5] = [
    ("dvlb", Part::Dvlb),
    ("dvlp", Part::Dvlp),
    ("code", Part::Code),
    ("descriptors", Part::Descriptors),
    ("names", Part::FileNames),
];

fn keyword(part: Part) -> String {
    let single = SINGLE.iter().find(|(_, p)| *p == part).map(|(name, _)| (*name).to_owned());
    single.unwrap_or_else(|| {
        let n = part.executable().unwrap_or(0);
        let (name, _) = NUMBERED.iter().find(|(_, make)| make(n) == part).unwrap_or(&NUMBERED[0]);
        format!("{name}{n}")
    })
}

fn slot(word: &str) -> Option<Slot> {
    if word == "align" {
        return Some(Slot::Align);
    }
    match word.split_once('@') {
        Some((name, value)) => Some(Slot::Nowhere(part(name)?, number(value)?)),
        None => Some(Slot::Place(part(word)?)),
    }
}

fn part(word: &str) -> Option<Part> {
    let single = SINGLE.iter().find(|(name, _)| *name == word).map(|(_, part)| *part);
    let numbered = |(name, make): &Numbered| Some(make(word.strip_prefix(name)?.parse().ok()?));
    single.or_else(|| NUMBERED.iter().find_map(numbered))
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
