//! Differences for machines; docs/diff.schema.json describes them.

use serde_json::{Value, json};

use super::compare::{Difference, Row};
use super::passes::{Part, Parting};
use crate::made::Made;

/// Everything, in version 1 of the schema.
pub fn difference(before: &Made, after: &Made, difference: &Difference) -> String {
    format!("{:#}\n", value(before, after, difference))
}

/// The same as a value.
pub fn value(before: &Made, after: &Made, difference: &Difference) -> Value {
    let causes = |rows: &[Row<chiaro::Cause>]| -> Vec<Value> {
        rows.iter().map(|one| row(json!({ "cause": one.what.name() }), one)).collect()
    };
    let line = |(line, rows): &(Row<_>, Vec<Row<chiaro::Cause>>)| {
        let place: &super::compare::Place = &line.what;
        let named = |made: &Made, at: Option<(usize, u32)>| {
            at.map(|at| json!({ "file": made.sources[at.0].name, "line": at.1, "text": made.text_of(at) }))
        };
        let places = json!({
            "before_line": named(before, place.before),
            "after_line": named(after, place.after),
            "causes": causes(rows),
        });
        row(places, line)
    };
    json!({
        "version": 1,
        "before_program": program(before),
        "after_program": program(after),
        "instructions": row(json!({}), &difference.total),
        "cycles": row(json!({}), &difference.cycles),
        "metrics": difference.metrics.iter().map(|one| row(json!({ "name": one.what }), one)).collect::<Vec<_>>(),
        "causes": causes(&difference.causes),
        "lines": difference.lines.iter().map(line).collect::<Vec<_>>(),
        "parting": difference.parting.as_ref().map(parting),
        "pairs": difference.pairs.iter().map(|pair| json!([pair.before, pair.after])).collect::<Vec<_>>(),
        "moved": (0..difference.pairs.len()).filter(|n| difference.pairs[*n].is_moved).collect::<Vec<_>>(),
    })
}

fn row<T>(mut value: Value, row: &Row<T>) -> Value {
    value["before"] = json!(row.before);
    value["after"] = json!(row.after);
    value
}

fn program(made: &Made) -> Value {
    let line = |(line, one): (&crate::made::Line, &chiaro::anatomy::Instruction)| {
        let place = line.place.map(|at| json!({ "file": made.sources[at.0].name, "line": at.1 }));
        json!({ "text": line.text, "bytes": line.bytes, "cause": one.cause.name(), "place": place })
    };
    let code: Vec<Value> = made.lines.iter().zip(&made.anatomy.instructions).map(line).collect();
    json!({ "file": made.file, "target": made.target.about().name, "code": code })
}

fn parting(parting: &Parting) -> Value {
    let (number, pass) = match parting.at {
        Part::Source => (json!(0), json!(null)),
        Part::Pass(number, pass) => (json!(number), json!(pass)),
        Part::BackEnd => (json!(null), json!(null)),
    };
    let place = match parting.at {
        Part::Source => "source",
        Part::Pass(..) => "pass",
        Part::BackEnd => "back end",
    };
    let since = |(number, pass, before, after): &(u32, &str, usize, usize)| json!({ "number": number, "pass": pass, "before": before, "after": after });
    let since: Vec<Value> = parting.since.iter().map(since).collect();
    json!({ "at": place, "number": number, "pass": pass, "since": since })
}
