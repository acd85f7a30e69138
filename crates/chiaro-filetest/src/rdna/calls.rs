//! Partitions of register files, places of parameters, the order of callees, frames (spec 18.3, 18.4, 18.6, 18.7).

pub(super) mod contract;
mod words;

use chiaro_rdna::abi::convention::{Convention, Gaps, Keeping};
use chiaro_rdna::abi::dispatch::{Tails, dispatch as by_rule};
use chiaro_rdna::abi::partition::{Block, File, Files, Pool, Span, partition as divide, runs};
use chiaro_rdna::abi::place::{Hints, Place, Placed, place};
use chiaro_rdna::abi::signature::{Parameter, Signature};
use chiaro_rdna::abi::stack::{Frame, block, swizzled};
use serde_json::{Value, json};

use crate::suite::{Miss, Row};

/// The runs of both files.
pub(super) fn partition(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let block = Block {
        clobbered: files(&row["clobbered_size"])?,
        preserved: files(&row["preserved_size"])?,
        clobbered_first: row["clobbered_first"].as_bool().ok_or("`clobbered_first` is no truth value")?,
    };
    let pools = divide(&convention(block, files(&row["limit"])?, None));
    for file in File::BOTH {
        let found: Vec<Value> = runs(pools.of(file)).into_iter().map(run).collect();
        same(file.name(), &Value::Array(found), &row[file.name()])?;
    }
    Ok(())
}

/// The places of all parameters, the bytes on the stack, and the registers that they take.
pub(super) fn parameters(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let block = Block {
        clobbered: files(&row["block"]["clobbered"])?,
        preserved: files(&row["block"]["preserved"])?,
        clobbered_first: row["block"]["clobbered_first"]
            .as_bool()
            .ok_or("`clobbered_first` is no truth value")?,
    };
    let most = Some(&row["max_param_demand"]).filter(|most| !most.is_null());
    let most = most.map(files).transpose()?;
    let convention = convention(block, files(&row["limit"])?, most);
    let wave = if row["wave"] == 64 { 64 } else { 32 };
    let given = row["params"].as_array().ok_or("`params` is no list")?;
    let signature =
        given.iter().enumerate().map(|(n, given)| parameter(n, given)).collect::<Result<_, _>>()?;
    let made = place(&convention, &Signature { parameters: signature }, wave, &Hints::default())
        .map_err(|why| format!("no places: {why:?}"))?;
    let places = made.parameters.iter().map(|placed| (placed.name.clone(), place_of(placed))).collect();
    same_places(&places, &row["placement"])?;
    same("stack", &json!(made.stack_bytes), &row["stack_bytes"])?;
    same("demand", &json!({ "sgpr": made.demand.sgpr, "vgpr": made.demand.vgpr }), &row["demand"])
}

/// A convention as drivers have it, with their test for gaps.
fn convention(block: Block, limit: Files<u16>, most: Option<Files<u16>>) -> Convention {
    Convention { most, gaps: Gaps::Upstream, ..Convention::plain(limit, Keeping::Blocks(block)) }
}

fn files(value: &Value) -> Result<Files<u16>, String> {
    let of = |file: File| {
        let number = value[file.name()].as_u64().and_then(|n| u16::try_from(n).ok());
        number.ok_or_else(|| format!("`{value}` has no number for {}", file.name()))
    };
    Ok(Files { sgpr: of(File::Sgpr)?, vgpr: of(File::Vgpr)? })
}

fn run((pool, span): (Pool, Span)) -> Value {
    json!([pool.name(), span.first, span.last])
}

fn parameter(n: usize, given: &Value) -> Result<Parameter, String> {
    let number = |name: &str| given[name].as_u64().and_then(|n| u16::try_from(n).ok());
    let truth = |name: &str| given[name].as_bool();
    let wrong = || format!("parameter {n} is not whole: {given}");
    Ok(Parameter {
        name: format!("p{n}"),
        bits: number("bits").ok_or_else(wrong)?,
        components: number("comps").ok_or_else(wrong)?,
        uniform: truth("uniform").ok_or_else(wrong)?,
        discardable: truth("discardable").ok_or_else(wrong)?,
        returned: truth("return").ok_or_else(wrong)?,
    })
}

fn place_of(placed: &Placed) -> Value {
    match placed.place {
        Place::Register { first, pool } => {
            json!({ "reg": format!("{}{first}", placed.file.letter()), "size": placed.size, "from": pool.name() })
        }
        Place::Stack(offset) => json!({ "stack": offset, "size": placed.size }),
    }
}

/// Places by name; their order is no matter of the row's.
fn same_places(found: &serde_json::Map<String, Value>, want: &Value) -> Result<(), Miss> {
    let want = want.as_object().ok_or("`placement` is no object")?;
    for (name, want) in want {
        same(name, found.get(name).unwrap_or(&Value::Null), want)?;
    }
    same("the number of parameters", &json!(found.len()), &json!(want.len()))
}

fn same(what: &str, found: &Value, want: &Value) -> Result<(), Miss> {
    if found == want { Ok(()) } else { Err(format!("{what} is {found}, not {want}").into()) }
}

/// The order of callees by the rule, and by words that run.
pub(super) fn dispatch(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let wave = if row["wave"] == 64 { 64 } else { 32 };
    let pointers = row["lane_pc"].as_array().ok_or("`lane_pc` is no list")?;
    let pointers: Vec<u64> = pointers.iter().map(address).collect::<Result<_, _>>()?;
    let exec = mask(&row["exec"])?;
    let mut tails = Tails::new();
    for (from, tail) in row["tail_calls"].as_object().ok_or("`tail_calls` is no object")? {
        tails.insert(address(&json!(from))?, (address(&tail[0])?, mask(&tail[1])?));
    }
    let want = row["dispatch"].as_array().ok_or("`dispatch` is no list")?;
    let want: Vec<(u64, u64)> =
        want.iter().map(|run| Ok((address(&run[0])?, mask(&run[1])?))).collect::<Result<_, String>>()?;
    let found: Vec<(u64, u64)> = by_rule(exec, &pointers, &tails).take(want.len() + 1).collect();
    same("the order by rule", &json!(found), &json!(want))?;
    let callees: Vec<u64> = callees(&pointers, &tails);
    let number = |pointer: u64| callees.iter().position(|callee| *callee == pointer);
    let whom: Vec<Option<usize>> = pointers.iter().map(|pointer| number(*pointer)).collect();
    let tail = |callee: &u64| words::Callee {
        tail: tails.get(callee).and_then(|(other, lanes)| Some((number(*other)?, *lanes))),
    };
    let ran = words::dispatch(wave, exec, &whom, &callees.iter().map(tail).collect::<Vec<_>>())?;
    let ran: Vec<(u64, u64)> = ran.into_iter().map(|(number, lanes)| (callees[number], lanes)).collect();
    same("the order of words", &json!(ran), &json!(want))
}

/// Every function of a row once; 0 is none.
fn callees(pointers: &[u64], tails: &Tails) -> Vec<u64> {
    let all = pointers.iter().chain(tails.keys()).chain(tails.values().map(|(other, _)| other));
    let all: std::collections::BTreeSet<u64> = all.copied().filter(|pointer| *pointer != 0).collect();
    all.into_iter().collect()
}

fn address(value: &Value) -> Result<u64, String> {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x").or(Some(text)));
    digits
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .ok_or_else(|| format!("{value} is no address"))
}

fn mask(value: &Value) -> Result<u64, String> {
    address(value)
}

/// Frames by the rule, and by functions that call one another.
pub(super) fn swizzle(row: &Row<'_>) -> Result<(), Miss> {
    let row = row.json()?;
    let wave = if row["wave"] == 64 { 64 } else { 32 };
    let chain = row["chain"].as_array().ok_or("`chain` is no list")?;
    let link = |link: &Value| {
        let number = |name: &str| {
            let n = link[name].as_u64().and_then(|n| u32::try_from(n).ok());
            n.ok_or_else(|| format!("`{name}` of {link} is no number"))
        };
        let frame = Frame { bytes: number("frame_bytes")?, parameters: number("callee_stack_param_bytes")? };
        Ok(words::Link { frame, probe: number("probe_offset")? })
    };
    let links: Vec<words::Link> = chain.iter().map(link).collect::<Result<_, String>>()?;
    let mut stack_pointer = 0;
    for (link, want) in links.iter().zip(chain) {
        stack_pointer = frame(*link, stack_pointer, wave, want)?;
    }
    same("the depth", &json!(stack_pointer), &row["total_bytes_per_lane"])?;
    same("the block", &json!(block(stack_pointer, wave)), &row["scratch_bytes_per_wave_alloc_1024"])?;
    let left = words::chain(wave, &links, stack_pointer as usize)?;
    for (number, want) in chain.iter().enumerate() {
        ran(&left, number, want)?;
    }
    Ok(())
}

/// One frame by the rule: the callee's stack pointer.
fn frame(link: words::Link, stack_pointer: u32, wave: u8, want: &Value) -> Result<u32, Miss> {
    let frame = link.frame;
    same("sp", &json!(stack_pointer), &want["sp"])?;
    let lane = want["probe_lane"].as_u64().unwrap_or_default() as u32;
    same(
        "probe_swizzled",
        &json!(swizzled(stack_pointer + link.probe, lane, wave)),
        &want["probe_swizzled"],
    )?;
    let callee = frame.callee(stack_pointer);
    same("callee_sp", &json!(callee), &want["callee_sp"])?;
    let has = frame.parameters > 0;
    let seen = has.then(|| frame.argument(stack_pointer, 0));
    same("param0_addr_seen_by_caller", &json!(seen), &want["param0_addr_seen_by_caller"])?;
    let from = has.then(|| frame.parameter(0));
    same("param0_offset_from_callee_sp", &json!(from), &want["param0_offset_from_callee_sp"])?;
    Ok(callee)
}

/// What the function of a number did when it ran.
fn ran(left: &words::Left, number: usize, want: &Value) -> Result<(), Miss> {
    same("sp of words", &json!(left.stack_pointers[number]), &want["sp"])?;
    same("callee_sp of words", &json!(left.stack_pointers[number + 1]), &want["callee_sp"])?;
    let lane = want["probe_lane"].as_u64().unwrap_or_default() as u32;
    let at = want["probe_swizzled"].as_u64().unwrap_or(u64::MAX) as usize;
    let stored = left.scratch.get(at..).and_then(|rest| rest.first_chunk::<4>()).copied();
    let stored = stored.map(u32::from_le_bytes);
    same("the dword at probe_swizzled", &json!(stored), &json!(words::mark(number, lane)))?;
    let handed = !want["param0_addr_seen_by_caller"].is_null();
    let handed = handed.then(|| words::argument(number));
    same("the stack parameter", &json!(left.parameters[number]), &json!(handed))
}
