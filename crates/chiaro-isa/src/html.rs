//! The reference manual, from the same declaration: one self-contained HTML page.

use crate::decl::{Field, Length, Role};
use crate::explain::wait;
use crate::isa::{Form, Isa};
use std::fmt::Write;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}\
table{border-collapse:collapse;margin:.5rem 0}td,th{border:1px solid #8888;padding:.15rem .5rem;text-align:left}\
.bits td{text-align:center;font:13px ui-monospace,monospace}code{font:14px ui-monospace,monospace}\
nav{columns:8rem}h2{margin-top:2.5rem;border-top:1px solid #8888;padding-top:1rem}";

impl Isa {
    /// The whole set as a page: index, bit layouts, operands, rules, timing, sources.
    pub fn html(&self) -> String {
        let title = escape(self.set.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n<nav>"
        );
        for form in self.forms.iter().filter(|f| first_form(f)) {
            let name = escape(form.operation.name);
            let _ = write!(out, "<a href=\"#{name}\">{name}</a><br>");
        }
        out.push_str("</nav>\n");
        for i in 0..self.forms.len() {
            self.form_html(i, &mut out);
        }
        self.rules_html(&mut out);
        self.sources_html(&mut out);
        out
    }

    fn form_html(&self, index: usize, out: &mut String) {
        let form = &self.forms[index];
        let operation = form.operation;
        let name = escape(operation.name);
        if first_form(form) {
            let doc = escape(operation.doc.trim());
            let source = operation.source.name;
            let class = operation.class;
            let _ = writeln!(out, "<h2 id=\"{name}\">{name}</h2>\n<p>{doc} <small>[{source}]</small></p>");
            let unit = class.unit;
            let _ = writeln!(out, "<p>Runs on {unit} ({}); {}.</p>", class.name, wait(class.result));
            let also: Vec<_> =
                operation.implicit.iter().map(|i| format!("{} ({})", i.name, role(i.role))).collect();
            if !also.is_empty() {
                let _ = writeln!(out, "<p>Also touches {}.</p>", also.join(", "));
            }
        }
        let _ = writeln!(out, "<h3>{}, {}</h3>", escape(form.format.name), length(form.format.length));
        for (dialect, syntax) in self.set.dialects.iter().zip(form.format.syntax) {
            let shown = syntax.replace("{op}", operation.name_in(self.dialect(dialect)));
            let _ = writeln!(out, "<p><code>{}</code> <small>{dialect}</small></p>", escape(&shown));
        }
        self.layout_html(index, out);
        for field in form.format.fields {
            field_html(field, out);
        }
        if !form.format.fields.is_empty() {
            out.push_str("</table>\n");
        }
    }

    fn dialect(&self, name: &str) -> u8 {
        self.set.dialects.iter().position(|d| *d == name).unwrap_or(0) as u8
    }

    /// The row of bits, highest first, then the head of the table of fields.
    fn layout_html(&self, index: usize, out: &mut String) {
        out.push_str("<table class=\"bits\"><tr>");
        let mut bit = i32::from(self.forms[index].format.length.longest()) * 8 - 1;
        while bit >= 0 {
            let (label, low) = self.cell(index, bit as u8);
            let span = bit - i32::from(low) + 1;
            let range = if span == 1 { bit.to_string() } else { format!("{bit}:{low}") };
            let _ = write!(out, "<td colspan=\"{span}\">{label}<br><small>{range}</small></td>");
            bit = i32::from(low) - 1;
        }
        out.push_str("</tr></table>\n");
        if !self.forms[index].format.fields.is_empty() {
            out.push_str("<table><tr><th>field</th><th>bits</th><th>role</th><th>meaning</th></tr>\n");
        }
    }

    /// What stands at `bit`, and down to which bit.
    fn cell(&self, index: usize, bit: u8) -> (String, u8) {
        let (mask, value) = self.pattern(index as u16);
        if mask.bit(bit) {
            let low = (0..=bit).rev().take_while(|&b| mask.bit(b)).last().unwrap_or(bit);
            let digits = (low..=bit).rev().map(|b| if value.bit(b) { '1' } else { '0' });
            return (digits.collect(), low);
        }
        for f in self.forms[index].format.fields {
            if let Some(r) = f.bits.ranges().find(|r| r.contains(&bit)) {
                let low = (*r.start()..=bit).rev().take_while(|&b| !mask.bit(b)).last().unwrap_or(bit);
                return (escape(f.name), low);
            }
        }
        let claimed = self.claimed(index as u16);
        let low = (0..=bit).rev().take_while(|&b| !claimed.bit(b)).last().unwrap_or(bit);
        ("-".to_owned(), low)
    }

    fn rules_html(&self, out: &mut String) {
        let formats = self.forms.iter().flat_map(|f| f.format.rules.iter().chain(f.operation.rules));
        let mut rules: Vec<_> =
            self.set.rules.iter().chain(formats).map(|r| (r.id, r.doc, r.source.name)).collect();
        rules.sort_unstable();
        rules.dedup();
        if rules.is_empty() {
            return;
        }
        out.push_str("<h2>Rules</h2>\n<dl>\n");
        for (id, doc, source) in rules {
            let _ =
                writeln!(out, "<dt><code>{id}</code></dt><dd>{} <small>[{source}]</small></dd>", escape(doc));
        }
        out.push_str("</dl>\n");
    }

    fn sources_html(&self, out: &mut String) {
        let mut sources: Vec<_> =
            self.forms.iter().map(|f| (f.operation.source.name, f.operation.source.title)).collect();
        sources.sort_unstable();
        sources.dedup();
        out.push_str("<h2>Sources</h2>\n<dl>\n");
        for (name, title) in sources {
            let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(title));
        }
        out.push_str("</dl>\n</html>\n");
    }
}

fn first_form(form: &Form) -> bool {
    let first = form.operation.encodings[0];
    std::ptr::eq(first.0, form.format) && first.1 == form.opcode
}

fn field_html(field: &Field, out: &mut String) {
    let about = field.kind.about().map_or(String::new(), |a| format!(" <small>({})</small>", escape(&a)));
    let (name, doc) = (escape(field.name), escape(field.doc));
    let (bits, role) = (field.bits, role(field.role));
    let _ = writeln!(out, "<tr><td>{name}</td><td>{bits}</td><td>{role}</td><td>{doc}{about}</td></tr>");
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Def => "written",
        Role::Use => "read",
        Role::DefUse => "read and written",
        Role::Target => "place in the code",
        Role::Modifier => "modifier",
    }
}

fn length(length: Length) -> String {
    match length {
        Length::Bytes(n) => format!("{n} bytes"),
        Length::Marked { bit, short, long } => format!("{short} bytes, {long} if bit {bit} is set"),
        Length::Literal { short, long, .. } => format!("{short} bytes, {long} with a literal"),
        Length::Counted { base, step, .. } => format!("{base} bytes and {step} for each count"),
    }
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
