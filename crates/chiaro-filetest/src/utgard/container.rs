//! `mbs.jsonl`: whole files, read, written and listed without a difference.

use chiaro_utgard::UtgardGp;
use chiaro_utgard::container::Mbs;

use super::failed;
use crate::kinds;
use crate::suite::{Miss, Row};

pub(super) fn container(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let name = row["name"].as_str().unwrap_or_default();
    let bytes = kinds::bytes(row["mbs"].as_str().unwrap_or_default()).ok_or("`mbs` is not hexadecimal")?;
    let mbs = Mbs::read(&bytes).map_err(|e| failed(name)(e.to_string()))?;
    if mbs.write() != bytes {
        return Err(failed(name)("the file is written otherwise".to_owned()));
    }
    kinds::container(&UtgardGp, &bytes)
}
