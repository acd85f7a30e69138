//! Linked programs: their parts are cut from the linked bytes, the main part comes from the file of
//! compiled units.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chiaro_agx::abi::link::{self, Binding, Flags, Linked, Part};
use serde_json::Value;

use super::{bytes, hex, same};
use crate::suite::{Miss, Row};

/// A part with what it owns.
pub(super) struct Owned {
    pub(super) code: Vec<u8>,
    halves: u16,
    scratch: u32,
    flags: Flags,
    bindings: Vec<Binding>,
}

impl Owned {
    fn part(&self) -> Part<'_> {
        let Owned { code, halves, scratch, flags, bindings } = self;
        Part { code, halves: *halves, scratch: *scratch, flags: *flags, bindings }
    }
}

/// A row of `link.jsonl`.
pub(super) fn row(row: &Row<'_>) -> Result<(), Miss> {
    let object = row.json()?;
    let linked = linked(&object, row.folder)?;
    let text = |name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let number = |name: &str| object[name].as_u64().unwrap_or(0);
    same("the code", &hex(&linked.code), &text("linked"))?;
    let place = u32::from_str_radix(text("code_address").trim_start_matches("0x"), 16).unwrap_or(0);
    let names = ["usc_shader", "usc_registers", "usc_fragment_properties"];
    for (word, name) in linked.packed(place)?.iter().zip(names) {
        same(name, &hex(word), &text(name))?;
    }
    same("uses_base_param", &flag(linked.flags.uses_base_param), &number("uses_base_param").to_string())?;
    same("uses_txf", &flag(linked.flags.uses_txf), &number("uses_txf").to_string())?;
    if linked.is_fragment {
        same("fragment_control", &hex(&linked.control().to_le_bytes()), &text("fragment_control"))?;
        same("output_select", &hex(&linked.output_select().to_le_bytes()), &text("output_select"))?;
        same("nr_cf", &linked.coefficients().to_string(), &number("nr_cf").to_string())?;
        let wanted = bindings(&object["cf_bindings"]);
        same("cf_bindings", &format!("{:?}", linked.bindings), &format!("{wanted:?}"))?;
    }
    Ok(())
}

fn flag(set: bool) -> String {
    u8::from(set).to_string()
}

/// Links the parts of a row.
fn linked(object: &Value, folder: &Path) -> Result<Linked, Miss> {
    let [prolog, main, epilog] = parts(object, folder)?;
    let main = main.ok_or("the row has no main part")?;
    let is_fragment = object["stage"] == "frag";
    let samples = object["nr_samples_shaded"].as_u64().unwrap_or(0) as u8;
    let (prolog, epilog) = (prolog.as_ref().map(Owned::part), epilog.as_ref().map(Owned::part));
    match is_fragment {
        true => link::fragment(prolog, main.part(), epilog, samples).map_err(Miss::Failed),
        false => Ok(link::vertex(prolog, main.part())),
    }
}

/// Bytes of the header and of the footer of a loop over samples.
const HEADER: usize = 8;
const FOOTER: usize = 44;

pub(super) fn parts(object: &Value, folder: &Path) -> Result<[Option<Owned>; 3], Miss> {
    let linked = bytes(object["linked"].as_str().unwrap_or_default())?;
    let size = |name: &str| object[name].as_u64().unwrap_or(0) as usize;
    let (prolog, epilog) = (size("prolog_size"), size("epilog_size"));
    let looped = size("nr_samples_shaded") > 1;
    let end = linked.len().saturating_sub(if looped { FOOTER } else { 0 });
    let header = if looped { HEADER } else { 0 };
    if prolog + header + epilog > end {
        return Err("the parts are larger than the program".into());
    }
    let main = main_part(object, folder)?;
    let first_of_prolog = object["prolog_key"]["cf_base"].as_u64().unwrap_or(u64::MAX) as u16;
    let (of_prolog, of_main): (Vec<Binding>, Vec<Binding>) =
        bindings(&object["cf_bindings"]).into_iter().partition(|b| b.base >= first_of_prolog);
    let owned = |n: usize, name: &str, code: Vec<u8>, bindings: Vec<Binding>| {
        let given = &object["part_flags"][name];
        given.is_object().then(|| Owned {
            code,
            halves: object["gprs"][n].as_u64().unwrap_or(0) as u16,
            scratch: given["scratch"].as_u64().unwrap_or(0) as u32,
            flags: flags(given),
            bindings,
        })
    };
    Ok([
        owned(0, "prolog", linked[..prolog].to_vec(), of_prolog),
        owned(1, "main", main, of_main),
        owned(2, "epilog", linked[end - epilog..end].to_vec(), Vec::new()),
    ])
}

/// The main part of the unit with the name and stage of a row.
fn main_part(object: &Value, folder: &Path) -> Result<Vec<u8>, Miss> {
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    Ok(unit_of(text("name"), text("stage"), folder)?.main)
}

/// A unit of `compile.jsonl`.
pub(super) struct Unit {
    pub(super) object: Value,
    pub(super) binary: Vec<u8>,
    pub(super) main: Vec<u8>,
}

/// A number of an object; 0 where there is none.
pub(super) fn number(object: &Value, name: &str) -> usize {
    object[name].as_u64().unwrap_or(0) as usize
}

impl Unit {
    pub(super) fn number(&self, name: &str) -> usize {
        number(&self.object, name)
    }
}

/// The text of the last file of units that was asked for: many rows look into the same.
fn units(path: &Path) -> Result<Arc<str>, Miss> {
    static LAST: Mutex<Option<(PathBuf, Arc<str>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, text)) = last.as_ref().filter(|(known, _)| known == path) {
        return Ok(Arc::clone(text));
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let text: Arc<str> = text.into();
    *last = Some((path.to_owned(), Arc::clone(&text)));
    Ok(text)
}

/// The unit of a name and stage.
pub(super) fn unit_of(name: &str, stage: &str, folder: &Path) -> Result<Unit, Miss> {
    let text = units(&folder.join("compile.jsonl"))?;
    // The names stand first in a line: other units need not be read.
    let start = format!("{{\"name\":\"{name}\",\"stage\":\"{stage}\"");
    let line = text.lines().find(|line| line.starts_with(&start)).ok_or("no unit has this name and stage")?;
    Unit::of(serde_json::from_str(line).map_err(|e| e.to_string())?)
}

impl Unit {
    /// The unit of a row.
    pub(super) fn of(object: Value) -> Result<Unit, Miss> {
        let binary = bytes(object["binary"].as_str().unwrap_or_default())?;
        let unit = Unit { object, binary, main: Vec::new() };
        let start = unit.number("main_offset");
        let main = unit.binary.get(start..start + unit.number("main_size"));
        let main = main.ok_or("the unit is shorter than its main part")?.to_vec();
        Ok(Unit { main, ..unit })
    }
}

pub(super) fn flags(given: &Value) -> Flags {
    let flag = |name: &str| given[name].as_u64() == Some(1);
    Flags {
        reads_tib: flag("reads_tib"),
        writes_sample_mask: flag("writes_sample_mask"),
        disable_tri_merging: flag("disable_tri_merging"),
        tag_write_disable: flag("tag_write_disable"),
        uses_base_param: flag("uses_base_param"),
        uses_txf: flag("uses_txf"),
    }
}

pub(super) fn bindings(all: &Value) -> Vec<Binding> {
    let one = |given: &Value| {
        let number = |name: &str| given[name].as_u64().unwrap_or(0);
        Binding {
            slot: number("slot") as u8,
            offset: number("offset") as u8,
            count: number("count") as u8,
            base: number("cf_base") as u16,
            smooth: number("smooth") == 1,
            perspective: number("perspective") == 1,
        }
    };
    all.as_array().map_or_else(Vec::new, |all| all.iter().map(one).collect())
}
