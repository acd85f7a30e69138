//! What stages find in their record, and how far records lie apart.

use chiaro::LoadedModule;
use chiaro::trace::fields::Fields;
use chiaro_ir::Space;
use chiaro_ir::interp::Interpreter;
use chiaro_trace::{Group, Record};
use serde_json::Value as Json;

use crate::cmd::run::module::typed::{Given, Typed};

/// Bytes of a handle, which records begin with, and that they are aligned to.
pub const HANDLE: usize = 32;

/// The bytes of a record, as the first stage of the group that reads it declares them.
///
/// # Errors
/// Data that no stage of the group reads, or that does not fit its type.
pub fn data(modules: &[LoadedModule], group: Group, json: &Json, place: &str) -> Result<Vec<u8>, String> {
    let stages = match group {
        Group::General(stage) => vec![Some(stage)],
        Group::Triangles { closest, any } => vec![closest, any],
        Group::Procedural { closest, any, intersection } => vec![closest, any, Some(intersection)],
    };
    let mut wrong = None;
    for module in stages.into_iter().flatten().filter_map(|n| modules.get(n)).map(|loaded| &loaded.module) {
        let record = module.globals.iter().find(|global| global.space == Space::ShaderRecord);
        let (Some(record), Some(entry)) = (record, module.entries.first()) else { continue };
        let interpreter = Interpreter::new(module, entry);
        let typed = Typed { module, interpreter: &interpreter };
        match typed.bytes(record.ty, &[Given { name: place, path: Vec::new(), value: json }], "") {
            Ok(bytes) => return Ok(bytes),
            Err(why) => wrong = Some(why),
        }
    }
    Err(wrong.unwrap_or_else(|| format!("`{place}` has data, and no stage of its group reads its record")))
}

/// Records may be told to lie a distance apart, as an application does it: that has to be a multiple of a handle's size
/// and hold the largest record.
///
/// # Errors
/// A distance that is neither.
pub fn check_stride(top: &Fields<'_>, section: &str, records: &[Record]) -> Result<(), String> {
    let Some(json) = top.get("strides") else { return Ok(()) };
    let strides = Fields::of(json, "strides", &["raygen", "miss", "hit", "callable"])?;
    let stride = strides.count(section, 1 << 12, 0)? as usize;
    let largest = records.iter().map(|record| HANDLE + record.data.len()).max().unwrap_or(0);
    let least = largest.next_multiple_of(HANDLE);
    if stride != 0 && !stride.is_multiple_of(HANDLE) {
        let next = stride.next_multiple_of(HANDLE).max(least);
        return Err(format!(
            "`strides.{section}` is {stride}, which is no multiple of {HANDLE}; take {next}"
        ));
    }
    if stride != 0 && stride < largest {
        return Err(format!("`strides.{section}` is {stride}, and a record takes {largest}; take {least}"));
    }
    Ok(())
}
