//! `mbs.jsonl`: whole files, read, written and listed without a difference.

use chiaro_utgard::asm;
use chiaro_utgard::container::Mbs;
use chiaro_utgard::listing::exact;

use super::failed;
use crate::vectors::{Miss, Row};

pub(super) fn container(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let name = row["name"].as_str().unwrap_or_default();
    let bytes = bytes(row["mbs"].as_str().unwrap_or_default()).ok_or("`mbs` is not hexadecimal")?;
    let mbs = Mbs::read(&bytes).map_err(|e| failed(name)(e.to_string()))?;
    if mbs.write() != bytes {
        return Err(failed(name)("the file is written otherwise".to_owned()));
    }
    match asm::parse(&exact::print(&mbs)) {
        Ok(made) if made.bytes == bytes => Ok(()),
        Ok(_) => Err(failed(name)("the listing assembles to another file".to_owned())),
        Err(faults) => Err(failed(name)(format!("the listing does not assemble: {:?}", faults.first()))),
    }
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = hex.as_bytes().as_chunks::<2>();
    let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}
