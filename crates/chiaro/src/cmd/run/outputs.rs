//! The results of a run as JSON: one invocation a line, each value with its bits.

use chiaro::value::number;
use chiaro::{Event, Kind, Output, Simulated, Step, Value as Resource};
use chiaro_ir::interp::float_value;
use serde_json::{Map, Value, json};

/// The whole answer; `work` names what was run.
pub fn to_json(made: &Simulated, work: &str) -> String {
    let words = made.instructions.map(|words| format!("\"words\": {words},\n")).unwrap_or_default();
    let mut out = format!("{{\n\"mode\": \"{}\",\n{words}\"{work}\": [\n", made.mode);
    for at in 0..made.invocations {
        let comma = if at + 1 < made.invocations { "," } else { "" };
        out.push_str(&format!("{}{comma}\n", invocation(made, at)));
    }
    out.push(']');
    let (images, buffers): (Vec<_>, Vec<_>) =
        made.resources.iter().partition(|(_, value)| matches!(value, Resource::Image(_)));
    for (key, all) in [("buffers", buffers), ("images", images)].iter().filter(|(_, all)| !all.is_empty()) {
        let lines: Vec<String> = all.iter().map(|(name, value)| resource(name, value)).collect();
        out.push_str(&format!(",\n\"{key}\": {{\n{}\n}}", lines.join(",\n")));
    }
    if !made.printed.is_empty() {
        let lines = made.printed.iter().map(|p| printed(p.invocation, &p.text).to_string());
        out.push_str(&format!(",\n\"printed\": [\n{}\n]", lines.collect::<Vec<_>>().join(",\n")));
    }
    if !made.traces.is_empty() {
        let traces: Vec<String> = made.traces.iter().map(|steps| trace(steps)).collect();
        out.push_str(&format!(",\n\"traces\": [\n{}\n]", traces.join(",\n")));
    }
    out.push_str("\n}\n");
    out
}

/// A text that an invocation printed.
pub fn printed(invocation: u64, text: &str) -> Value {
    json!({ "lane": invocation, "text": text })
}

fn invocation(made: &Simulated, at: usize) -> Value {
    let outputs: Map<String, Value> =
        made.outputs.iter().map(|output| (output.name.clone(), value(output, at))).collect();
    let mut all = json!({ "outputs": outputs });
    if let Some(events) = made.events.get(at) {
        all["events"] = events.iter().map(event).collect();
    }
    if let Some(cycles) = made.cycles.get(at) {
        all["cycles"] = (*cycles).into();
    }
    if let Some(fault) = made.faults.iter().find(|fault| fault.invocation == at as u64) {
        all["fault"] = json!({"word": fault.at, "cause": fault.cause});
    }
    all
}

fn value(output: &Output, at: usize) -> Value {
    let used = output.of(at);
    json!({
        "register": output.place,
        "value": used.iter().map(|&bits| component(output.kind, bits)).collect::<Value>(),
        "bits": used.iter().map(|bits| json!(format!("{bits:08x}"))).collect::<Value>(),
    })
}

/// A component as a number: halves are widened.
fn component(kind: Kind, bits: u64) -> Value {
    match kind {
        Kind::Float(16) => number(float_value(bits, 16) as f32),
        kind => kind.json(bits),
    }
}

/// A buffer as the run left it: its words as numbers and as bits. An image as inputs have it.
fn resource(name: &str, left: &Resource) -> String {
    if let Resource::Image(image) = left {
        let texels = image.texels.iter().map(|texel| texel.iter().map(|&x| number(x)).collect::<Value>());
        return format!(
            "{}: {}",
            json!(name),
            json!({"size": image.size, "texels": texels.collect::<Value>()})
        );
    }
    let words = match left {
        Resource::Bytes(bytes) => chiaro_isa::dwords(bytes).collect(),
        _ => Vec::new(),
    };
    format!("{}: {}", json!(name), json!({"value": numbers(&words), "bits": bits(&words)}))
}

fn event(event: &Event) -> Value {
    match event {
        Event::Winding => json!("winding"),
        Event::Vertex(attributes) => {
            let attribute = |row: &Vec<u32>| json!({"value": numbers(row), "bits": bits(row)});
            json!({"vertex": attributes.iter().map(attribute).collect::<Vec<_>>()})
        }
    }
}

/// The steps of an invocation, one a line.
fn trace(steps: &[Step]) -> String {
    let lines: Vec<String> = steps.iter().map(|step| step_of(step).to_string()).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

fn step_of(step: &Step) -> Value {
    let reads: Map<String, Value> =
        step.reads.iter().map(|(name, row)| (name.clone(), numbers(row))).collect();
    let writes: Map<String, Value> =
        step.write.iter().map(|(name, row)| (name.clone(), numbers(row))).collect();
    let mut all = json!({
        "at": step.at,
        "text": step.text,
        "reads": reads,
        "writes": writes,
        "effects": step.effects,
        "next": step.next,
    });
    if !step.results.is_empty() {
        let result = |(unit, bits): &(&str, u32)| ((*unit).to_owned(), number(f32::from_bits(*bits)));
        all["results"] = Value::Object(step.results.iter().map(result).collect());
    }
    all
}

/// Values as the inputs spell them: JSON has no infinities.
fn numbers(row: &[u32]) -> Value {
    row.iter().map(|&bits| number(f32::from_bits(bits))).collect()
}

fn bits(row: &[u32]) -> Value {
    row.iter().map(|bits| json!(format!("{bits:08x}"))).collect()
}
