//! The results of a run as JSON: one vertex a line, each value with its bits.

use chiaro::{Event, Output, Simulated, Step};
use serde_json::{Map, Value, json};

/// The whole answer.
pub fn to_json(made: &Simulated, vertices: usize) -> String {
    let words = made.words.map(|words| format!("\"words\": {words},\n")).unwrap_or_default();
    let mut out = format!("{{\n\"mode\": \"{}\",\n{words}\"vertices\": [\n", made.mode);
    for vertex in 0..vertices {
        let comma = if vertex + 1 < vertices { "," } else { "" };
        out.push_str(&format!("{}{comma}\n", self::vertex(made, vertex)));
    }
    out.push(']');
    if !made.traces.is_empty() {
        let traces: Vec<String> = made.traces.iter().map(|steps| trace(steps)).collect();
        out.push_str(&format!(",\n\"traces\": [\n{}\n]", traces.join(",\n")));
    }
    out.push_str("\n}\n");
    out
}

fn vertex(made: &Simulated, vertex: usize) -> Value {
    let outputs: Map<String, Value> =
        made.outputs.iter().map(|output| (output.name.clone(), value(output, vertex))).collect();
    let mut all = json!({ "outputs": outputs });
    if let Some(events) = made.events.get(vertex) {
        all["events"] = events.iter().map(event).collect();
    }
    if let Some(cycles) = made.cycles.get(vertex) {
        all["cycles"] = (*cycles).into();
    }
    if let Some((_, word, cause)) = made.faults.iter().find(|(at, ..)| *at == vertex as u64) {
        all["fault"] = json!({"word": word, "cause": cause});
    }
    all
}

fn value(output: &Output, vertex: usize) -> Value {
    let row = output.values[vertex];
    let used: Vec<u32> = output.components.iter().map(|&i| row[usize::from(i)]).collect();
    let letters: String = output.components.iter().filter_map(|&i| "xyzw".chars().nth(i.into())).collect();
    json!({
        "register": format!("{}.{letters}", output.register),
        "value": numbers(&used),
        "bits": bits(&used),
    })
}

fn event(event: &Event) -> Value {
    match event {
        Event::Winding => json!("winding"),
        Event::Vertex(attributes) => {
            let attribute = |row: &[u32; 4]| json!({"value": numbers(row), "bits": bits(row)});
            json!({"vertex": attributes.iter().map(attribute).collect::<Vec<_>>()})
        }
    }
}

/// The steps of a vertex, one a line.
fn trace(steps: &[Step]) -> String {
    let lines: Vec<String> = steps.iter().map(|step| step_of(step).to_string()).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

fn step_of(step: &Step) -> Value {
    let reads: Map<String, Value> =
        step.reads.iter().map(|(name, row)| (name.clone(), numbers(row))).collect();
    let writes: Map<String, Value> =
        step.write.iter().map(|(name, row)| (name.clone(), numbers(row))).collect();
    let mut told = json!({
        "at": step.at,
        "text": step.text,
        "reads": reads,
        "writes": writes,
        "effects": step.effects,
        "next": step.next,
    });
    if !step.results.is_empty() {
        let result = |(unit, bits): &(&str, u32)| ((*unit).to_owned(), number(f32::from_bits(*bits)));
        told["results"] = Value::Object(step.results.iter().map(result).collect());
    }
    told
}

/// Values as the inputs spell them: JSON has no infinities.
fn numbers(row: &[u32]) -> Value {
    row.iter().map(|&bits| number(f32::from_bits(bits))).collect()
}

/// The shortest decimal that reads back to the same binary32 value.
pub fn number(x: f32) -> Value {
    match x {
        _ if x.is_nan() => json!("nan"),
        _ if x.is_infinite() => json!(if x > 0.0 { "inf" } else { "-inf" }),
        // By way of text: widened, 0.1 would print as 0.10000000149011612.
        _ => json!(x.to_string().parse::<f64>().unwrap_or(x.into())),
    }
}

fn bits(row: &[u32]) -> Value {
    row.iter().map(|bits| json!(format!("{bits:08x}"))).collect()
}
