//! Pages: one file that needs nothing else, for browsers and printers.

mod code;
mod differences;
mod flow;
mod pressure;
mod style;

use std::fmt::Write;

use chiaro::timeline::Timeline;

use crate::cmd::diff::Difference;
use crate::cmd::timeline::{assumptions, draw, summary};
use crate::made::Made;
use crate::markup::{colour, escape};

/// Rounds of loops on pages that do not say otherwise.
pub const ROUNDS: u32 = 2;

/// A page of one program.
pub fn program(made: &Made, timeline: &Timeline, rounds: u32) -> String {
    let title = format!("{} for {}", made.file, made.target.about().name);
    page(&title, &section(made, timeline, rounds))
}

/// Everything of one program: figures, code, flow, pressure, timeline.
pub fn section(made: &Made, timeline: &Timeline, rounds: u32) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "<h2>{} for {}</h2>", escape(&made.file), made.target.about().name);
    let _ = writeln!(
        out,
        "<p class=note>{}</p>",
        assumptions(made, timeline, rounds).iter().map(|line| escape(line)).collect::<Vec<_>>().join("<br>")
    );
    let _ = writeln!(
        out,
        "<div class=columns><pre class=figures>{}</pre>{}</div>",
        escape(&summary(made, timeline)),
        causes(made)
    );
    let _ = writeln!(out, "<h3>Source and machine code</h3>\n{}", code::side_by_side(made, timeline));
    let _ = writeln!(out, "<h3>Control flow</h3>\n{}", flow::graph(made, timeline));
    let _ = writeln!(out, "<h3>Registers that hold something</h3>\n{}", pressure::curve(made));
    let _ = writeln!(out, "<h3>Timeline of a wave</h3>\n<div class=wide>{}</div>", draw(made, timeline));
    out
}

/// A page of two programs.
pub fn difference(before: &Made, after: &Made, difference: &Difference) -> String {
    let times = [before, after].map(|made| Timeline::of(&made.anatomy, ROUNDS));
    let title = format!("{} → {}", before.file, after.file);
    let mut body = differences::tables(before, after, difference);
    let _ = writeln!(
        body,
        "<h3>Instructions side by side</h3>\n{}",
        differences::side_by_side(before, after, difference)
    );
    body += &section(before, &times[0], ROUNDS);
    body += &section(after, &times[1], ROUNDS);
    page(&title, &body)
}

/// What a page of many says of two programs.
pub fn tables_of(before: &Made, after: &Made, difference: &Difference) -> String {
    differences::tables(before, after, difference)
}

/// A page of two baselines: rows of name, what changed, before, after.
pub fn baselines(rows: &[[String; 4]]) -> String {
    page("Baselines", &table(&["shader", "what", "before", "after"], rows.iter().map(|row| row.to_vec())))
}

/// A table; columns of numbers stand right, and of a list of counts each stays in one line.
pub fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.collect();
    let of_column = |n: usize| rows.iter().filter_map(move |row| row.get(n)).filter(|cell| !cell.is_empty());
    let is_numbers = |n: usize| of_column(n).next().is_some() && of_column(n).all(|cell| is_number(cell));
    let mut out = String::from("<table><thead><tr>");
    for (n, cell) in head.iter().enumerate() {
        let class = if is_numbers(n) { " class=n" } else { "" };
        let _ = write!(out, "<th{class}>{}</th>", escape(cell));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in &rows {
        out.push_str("<tr>");
        row.iter().for_each(|text| out.push_str(&cell(text)));
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
    out
}

fn is_number(text: &str) -> bool {
    text.trim_start_matches(['+', '-']).parse::<f64>().is_ok()
}

fn cell(text: &str) -> String {
    if is_number(text) {
        return format!("<td class=n>{}</td>", escape(text));
    }
    let is_count = |part: &str| part.rsplit_once(' ').is_some_and(|(_, number)| is_number(number));
    if !text.split(", ").all(is_count) {
        return format!("<td>{}</td>", escape(text));
    }
    let counts: Vec<String> = text.split(", ").map(|part| format!("<span>{}</span>", escape(part))).collect();
    format!("<td class=counts>{}</td>", counts.join(", "))
}

/// The whole page.
pub fn page(title: &str, body: &str) -> String {
    let (title, style) = (escape(title), style::STYLE);
    format!(
        "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport content=\"width=device-width\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}\
         <footer>chiaro {}</footer>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Instructions by cause as bars.
fn causes(made: &Made) -> String {
    let all = made.lines.len().max(1) as u64;
    let mut out = String::from("<table class=causes>");
    for (cause, count) in made.anatomy.by_cause() {
        let share = u64::from(count) * 100 / all;
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=n>{count}</td><td class=bar><span style=\"width:{share}%;background:{}\"></span></td></tr>",
            cause.name(),
            colour(cause)
        );
    }
    out.push_str("</table>");
    out
}
