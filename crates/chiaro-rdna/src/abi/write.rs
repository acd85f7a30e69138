//! Conventions back to JSON: what [`read`](super::file::read) makes the same convention of.

use serde_json::{Value as Json, json};

use super::convention::{
    Arguments, Convention, Counter, Gaps, Keeping, ReturnAddresses, ReturnStack, Seat, SystemParameter, Unit,
};
use super::pools::{File, Files, Span};

/// The text of a convention, in one line, with every field.
#[must_use]
pub fn write(convention: &Convention) -> String {
    let most = convention.most.map_or(Json::Null, counts);
    let seats = SystemParameter::ALL
        .map(|parameter| (parameter.name().to_owned(), seat(parameter, convention.system.seat(parameter))));
    let system: serde_json::Map<String, Json> = seats.into_iter().collect();
    let arguments = match &convention.arguments {
        Arguments::Placed => json!("placed"),
        Arguments::InOrder(ranges) => spans(ranges),
    };
    let align = convention.stack.alignment;
    let stack = match convention.stack.unit {
        Unit::Lane => json!({ "unit": "lane", "align": align }),
        Unit::Wave { descriptor } => {
            json!({ "unit": "wave", "align": align, "descriptor": format!("s{descriptor}") })
        }
    };
    let counters = |all: &[Counter]| all.iter().map(|counter| counter.name()).collect::<Json>();
    let in_flight = &convention.in_flight;
    json!({
        "abi": convention.name,
        "limit": counts(convention.limit),
        "registers": keeping(&convention.keeping),
        "max_param_demand": most,
        "system": system,
        "arguments": arguments,
        "stack": stack,
        "in_flight": { "call": counters(&in_flight.call), "return": counters(&in_flight.returns) },
        "mode": convention.mode.map_or(json!("kept"), Json::from),
        "results": spans(&convention.results),
        "return_addresses": return_addresses(convention.return_addresses),
        "gaps": if convention.gaps == Gaps::Aligned { "aligned" } else { "upstream" },
    })
    .to_string()
}

fn counts(counts: Files<u16>) -> Json {
    json!({ "sgpr": counts.sgpr, "vgpr": counts.vgpr })
}

fn spans(spans: &Files<Vec<Span>>) -> Json {
    let of = |file: File| spans.of(file).iter().map(|span| json!([span.first, span.last])).collect::<Json>();
    json!({ "sgpr": of(File::Sgpr), "vgpr": of(File::Vgpr) })
}

fn keeping(keeping: &Keeping) -> Json {
    match keeping {
        Keeping::Nothing => json!("none"),
        Keeping::Ranges(ranges) => json!({ "preserved_ranges": spans(ranges) }),
        Keeping::Blocks(block) => json!({
            "clobbered": counts(block.clobbered),
            "preserved": counts(block.preserved),
            "first": if block.clobbered_first { "clobbered" } else { "preserved" },
        }),
    }
}

fn seat(parameter: SystemParameter, seat: Seat) -> Json {
    let file = if parameter.is_divergent() { File::Vgpr } else { File::Sgpr };
    match seat {
        Seat::Placed => json!("placed"),
        Seat::Absent => Json::Null,
        Seat::Fixed(first) => json!(format!("{}{first}", file.letter())),
    }
}

fn return_addresses(kept: ReturnAddresses) -> Json {
    match kept {
        ReturnAddresses::Spilled => json!("spilled"),
        ReturnAddresses::InLanes(ReturnStack { register, counter }) => {
            json!({ "lanes_of": format!("v{register}"), "counter": format!("s{counter}") })
        }
    }
}
