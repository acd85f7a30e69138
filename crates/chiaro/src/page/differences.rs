//! Two programs on a page.

use std::fmt::Write;

use super::table;
use crate::cmd::diff::{Difference, Row, head, named, told};
use crate::made::Made;
use crate::markup::{colour, escape};

/// Sums, causes, source lines, where they part.
pub fn tables(before: &Made, after: &Made, difference: &Difference) -> String {
    let mut out = format!("<p>before: {}<br>after: {}</p>\n", escape(&head(before)), escape(&head(after)));
    if difference.is_empty(before, after) {
        out.push_str("<p>No difference.</p>\n");
        return out;
    }
    let mut sums =
        vec![row("instructions", &difference.total), row("cycles of the longest way", &difference.cycles)];
    sums.extend(difference.metrics.iter().filter(|one| one.change() != 0).map(|one| row(&one.what, one)));
    let causes = difference.causes.iter().map(|one| row(one.what.name(), one));
    let _ = writeln!(
        out,
        "<div class=columns><div>{}</div><div>{}</div></div>",
        table(&["metric", "before", "after", "change"], sums.into_iter()),
        table(&["cause", "before", "after", "change"], causes)
    );
    if !difference.lines.is_empty() {
        let line = |(line, causes): &(Row<_>, Vec<Row<chiaro::Cause>>)| {
            let why: Vec<String> =
                causes.iter().map(|one| format!("{} {:+}", one.what.name(), one.change())).collect();
            let (name, text) = named(before, after, line.what);
            vec![name, text, line.before.to_string(), line.after.to_string(), why.join(", ")]
        };
        out.push_str("<h3>By source line</h3>\n");
        out += &table(&["line", "source", "before", "after", "why"], difference.lines.iter().map(line));
    }
    if let Some(parting) = &difference.parting {
        let _ = writeln!(out, "<h3>Where they part</h3>\n<pre>{}</pre>", escape(&told(parting)));
    }
    out
}

fn row<T>(name: &str, row: &Row<T>) -> Vec<String> {
    vec![name.to_owned(), row.before.to_string(), row.after.to_string(), format!("{:+}", row.change())]
}

/// All instructions of both.
pub fn side_by_side(before: &Made, after: &Made, difference: &Difference) -> String {
    let mut out = String::from("<table class=code><thead><tr><th>before</th><th>after</th></tr></thead>\n");
    let cell = |made: &Made, n: Option<usize>| {
        let Some(n) = n else { return String::new() };
        let cause = made.anatomy.instructions[n].cause;
        format!(
            "<div style=\"border-color:{}\" title=\"{}\">{n:>3} {}</div>",
            colour(cause),
            cause.name(),
            escape(&made.lines[n].text)
        )
    };
    for pair in &difference.pairs {
        let (b, a) = (pair.before, pair.after);
        let class = match (b, a) {
            (Some(_), Some(_)) if pair.is_moved => [" class=moved", " class=moved"],
            (Some(_), Some(_)) if pair.is_alike(before, after) => ["", ""],
            (Some(_), Some(_)) => [" class=tilde", " class=tilde"],
            _ => {
                [if b.is_some() { " class=minus" } else { "" }, if a.is_some() { " class=plus" } else { "" }]
            }
        };
        let _ = writeln!(
            out,
            "<tr><td{}>{}</td><td{}>{}</td></tr>",
            class[0],
            cell(before, b),
            class[1],
            cell(after, a)
        );
    }
    out.push_str("</table>\n");
    out
}
