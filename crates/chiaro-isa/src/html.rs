//! The reference manual, from the same declaration: one self-contained HTML page.
//!
//! Index by class; for each operation what it does, and for each of its encodings the
//! bits, the text in every dialect and the operands; then rules and sources.

mod diagram;

use crate::bundle::Bundle;
use crate::decl::{Class, Field, Length, Operation, Role, Rule, Source};
use crate::explain::wait;
use crate::form::Form;
use crate::isa::Isa;
use std::fmt::Write;

const STYLE: &str = include_str!("html/style.css");

const LEGEND: &str = "<p class=\"quiet\">Bits are numbered from the lowest; the highest stands first. \
<span class=\"op\">&nbsp;fixed&nbsp;</span> <span class=\"def\">&nbsp;written&nbsp;</span> \
<span class=\"use\">&nbsp;read&nbsp;</span> <span class=\"target\">&nbsp;place in the code&nbsp;</span> \
<span class=\"modifier\">&nbsp;modifier&nbsp;</span> <span class=\"spare\">&nbsp;no known meaning&nbsp;</span>. \
In the texts, what stands in [ ] may be left out, and what stands in { } may come in any order. \
Names in [ ] behind a fact are its source.</p>\n";

impl Isa {
    /// The whole set as a page that needs no other file.
    pub fn html(&self) -> String {
        let mut out = String::with_capacity(4_000 * (self.forms.len() + 4));
        page_head(self.set.title, &mut out);
        self.head(&mut out);
        let classes = self.classes();
        self.index(&classes, "", &mut out);
        for class in classes {
            class_head(class, &mut out);
            for (op, forms) in self.operations_of(class) {
                self.operation(op, &forms, "", &mut out);
            }
        }
        rules_section(&[self], &mut out);
        sources_section(&[self], &mut out);
        out.push_str("</html>\n");
        out
    }

    fn head(&self, out: &mut String) {
        let generation = self.set.generations.get(usize::from(self.generation)).copied().unwrap_or("");
        let mut operations: Vec<u16> = self.forms.iter().map(|f| f.op).collect();
        operations.dedup();
        let _ = write!(
            out,
            "<p>{}</p>\n<p>{} operations in {} encodings; generation {}; dialects {}.</p>\n{LEGEND}",
            escape(self.set.about),
            operations.len(),
            self.forms.len(),
            escape(generation),
            escape(&self.set.dialects.join(", "))
        );
    }

    /// In the order in which they first appear.
    fn classes(&self) -> Vec<&'static Class> {
        let mut classes: Vec<&'static Class> = Vec::new();
        for form in &self.forms {
            let class = form.operation.class;
            if !classes.iter().any(|c| std::ptr::eq(*c, class)) {
                classes.push(class);
            }
        }
        classes
    }

    /// The operations of a class by row number, with their encodings.
    fn operations_of(&self, class: &Class) -> Vec<(u16, Vec<u16>)> {
        let mut operations: Vec<(u16, Vec<u16>)> = Vec::new();
        let forms = self.forms.iter().enumerate().filter(|(_, f)| std::ptr::eq(f.operation.class, class));
        for (i, form) in forms {
            match operations.last_mut() {
                Some((op, forms)) if *op == form.op => forms.push(i as u16),
                _ => operations.push((form.op, vec![i as u16])),
            }
        }
        operations
    }

    fn operation_of(&self, forms: &[u16]) -> &'static Operation {
        self.forms[usize::from(forms[0])].operation
    }

    /// Anchors begin with `unit` where a page has several sets.
    fn index(&self, classes: &[&'static Class], unit: &str, out: &mut String) {
        out.push_str("<nav>\n");
        for class in classes {
            let name = escape(class.name);
            let _ = writeln!(out, "<section><b><a href=\"#{unit}{name}\">{name}</a></b>\n<ul>");
            for (op, forms) in self.operations_of(class) {
                let name = self.operation_of(&forms).name;
                let _ = writeln!(out, "<li><a href=\"#{unit}op{op}\">{}</a></li>", shown(name));
            }
            out.push_str("</ul></section>\n");
        }
        out.push_str("</nav>\n");
    }

    fn operation(&self, op: u16, forms: &[u16], unit: &str, out: &mut String) {
        let operation = self.operation_of(forms);
        let _ = write!(
            out,
            "<article id=\"{unit}op{op}\">\n<h3><a href=\"#{unit}op{op}\">{}</a></h3>\n<p>{} {}</p>\n",
            shown(operation.name),
            escape(operation.doc.trim()),
            cited(operation.source)
        );
        let also: Vec<_> =
            operation.implicit.iter().map(|i| format!("{} ({})", i.name, role(i.role))).collect();
        if !also.is_empty() {
            let _ = writeln!(out, "<p>Also touches {}.</p>", escape(&also.join(", ")));
        }
        for (n, &form) in forms.iter().enumerate() {
            self.encoding(form, n, forms.len(), out);
        }
        out.push_str("</article>\n");
    }

    fn encoding(&self, index: u16, n: usize, of: usize, out: &mut String) {
        let form = &self.forms[index as usize];
        let which = match (n, of) {
            (_, 1) => "",
            (0, _) => ", preferred",
            _ => ", where the ones before cannot hold the operands",
        };
        let (name, length) = (escape(form.format.name), length(form.format.length));
        let _ = writeln!(
            out,
            "<h4>{name}: opcode {:#x}, {length}<span class=\"quiet\">{which}</span></h4>",
            form.opcode
        );
        diagram::write(self, index, out);
        self.texts(form, out);
        let here: Vec<&Field> = form.format.fields.iter().filter(|f| f.when.has(self.generation)).collect();
        if !here.is_empty() {
            out.push_str("<table><tr><th>operand</th><th>bits</th><th></th><th>meaning</th></tr>\n");
            here.iter().for_each(|field| field_row(field, out));
            out.push_str("</table>\n");
        }
        let rules = form.format.rules.iter().chain(form.operation.rules);
        for Rule { id, doc, .. } in rules {
            let _ = writeln!(
                out,
                "<p>{} <small>(<a href=\"#rule-{1}\">{1}</a>)</small></p>",
                escape(doc),
                escape(id)
            );
        }
    }

    /// The text in every dialect; dialects that write the same share a line.
    fn texts(&self, form: &Form, out: &mut String) {
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        for (d, dialect) in self.set.dialects.iter().enumerate() {
            let syntax = form.format.syntax.get(d).or(form.format.syntax.first()).copied().unwrap_or("{op}");
            let suffix = form.format.suffix.get(d).copied().unwrap_or("");
            let text = template(syntax, &format!("{}{suffix}", form.operation.name_in(d as u8)));
            match lines.iter_mut().find(|(line, _)| *line == text) {
                Some((_, dialects)) => dialects.push(dialect),
                None => lines.push((text, vec![dialect])),
            }
        }
        for (text, dialects) in lines.iter().filter(|(text, _)| !text.is_empty()) {
            let _ =
                writeln!(out, "<p><code>{text}</code> <small>{}</small></p>", escape(&dialects.join(", ")));
        }
    }
}

/// The head of a page.
fn page_head(title: &str, out: &mut String) {
    let title = escape(title);
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n<h1>{title}</h1>\n"
    );
}

impl Bundle {
    /// All units as one page that needs no other file.
    pub fn html(&self, title: &str, about: &str) -> String {
        let mut out = String::new();
        page_head(title, &mut out);
        let _ = writeln!(out, "<p>{}</p>\n{LEGEND}", escape(about));
        for isa in &self.units {
            let unit = isa.set.name;
            let classes = isa.classes();
            let _ = writeln!(
                out,
                "<h2 id=\"{unit}\">{}</h2>\n<p>{}</p>",
                escape(isa.set.title),
                escape(isa.set.about)
            );
            isa.index(&classes, &format!("{unit}-"), &mut out);
            for (op, forms) in classes.into_iter().flat_map(|class| isa.operations_of(class)) {
                isa.operation(op, &forms, &format!("{unit}-"), &mut out);
            }
        }
        let all: Vec<&Isa> = self.units.iter().collect();
        rules_section(&all, &mut out);
        sources_section(&all, &mut out);
        out.push_str("</html>\n");
        out
    }
}

fn rules_section(sets: &[&Isa], out: &mut String) {
    let forms = sets.iter().flat_map(|isa| &isa.forms);
    let of_forms = forms.flat_map(|f| f.format.rules.iter().chain(f.operation.rules));
    let mut rules: Vec<&Rule> = Vec::new();
    for rule in sets.iter().flat_map(|isa| isa.set.rules).chain(of_forms) {
        if !rules.iter().any(|r| r.id == rule.id) {
            rules.push(rule);
        }
    }
    if rules.is_empty() {
        return;
    }
    out.push_str("<h2>Rules</h2>\n<dl>\n");
    for Rule { id, doc, source, .. } in rules {
        let (id, doc) = (escape(id), escape(doc));
        let _ = writeln!(out, "<dt id=\"rule-{id}\">{id}</dt><dd>{doc} {}</dd>", cited(source));
    }
    out.push_str("</dl>\n");
}

fn sources_section(sets: &[&Isa], out: &mut String) {
    let of_form = |f: &Form| {
        let fields = f.format.fields.iter().filter_map(|field| field.source);
        let rules = f.format.rules.iter().chain(f.operation.rules).map(|rule| rule.source);
        let all = fields.chain(rules).chain(f.operation.class.source);
        all.chain([f.operation.source]).collect::<Vec<_>>()
    };
    let of_sets = sets.iter().flat_map(|isa| isa.set.rules).map(|rule| rule.source);
    let forms = sets.iter().flat_map(|isa| &isa.forms);
    let mut sources: Vec<(&str, &str)> =
        forms.flat_map(of_form).chain(of_sets).map(|s| (s.name, s.title)).collect();
    sources.sort_unstable();
    sources.dedup();
    out.push_str("<h2>Sources</h2>\n<dl>\n");
    for (name, title) in sources {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(name), escape(title));
    }
    out.push_str("</dl>\n");
}

fn class_head(class: &Class, out: &mut String) {
    let issue = match class.issue {
        Some(n) => format!("takes an instruction every {n} cycles"),
        None => "issue rate unknown".to_owned(),
    };
    let source = class.source.map_or(String::new(), cited);
    let name = escape(class.name);
    let _ = writeln!(
        out,
        "<h2 id=\"{name}\">{name}</h2>\n<p>Unit: {}; {issue}; {}. {source}</p>",
        escape(class.unit),
        escape(&wait(class.result))
    );
}

fn field_row(field: &Field, out: &mut String) {
    let about = field.kind.about().map_or(String::new(), |a| format!("<br><small>{}</small>", escape(&a)));
    let source = field.source.map_or(String::new(), |s| format!(" {}", cited(s)));
    let bits = if field.bits.width() == 0 { "none".to_owned() } else { field.bits.to_string() };
    let view = if field.view { ", another reading of the bits" } else { "" };
    let _ = writeln!(
        out,
        "<tr><td><var>{}</var></td><td>{bits}</td><td>{}{view}</td><td>{}{source}{about}</td></tr>",
        escape(field.name),
        role(field.role),
        escape(field.doc)
    );
}

/// A template as people read it: names of fields instead of holes.
fn template(syntax: &str, name: &str) -> String {
    let mut out = String::new();
    let mut rest = syntax;
    while let Some(at) = rest.find(['{', '}', '[', ']']) {
        out.push_str(&escape(&rest[..at]));
        rest = &rest[at..];
        if let Some(double) = ["{{", "}}", "[[", "]]"].iter().find(|d| rest.starts_with(**d)) {
            out.push_str(&double[1..]);
            rest = &rest[2..];
        } else if let Some(hole) = rest.strip_prefix('{') {
            let (hole, tail) = hole.split_once('}').unwrap_or((hole, ""));
            out.push_str(&hole_text(hole, name));
            rest = tail;
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out + &escape(rest)
}

fn hole_text(hole: &str, name: &str) -> String {
    let field = |name: &str| format!("<var>{}</var>", escape(name));
    match hole.strip_prefix('*') {
        _ if hole == "op" => escape(name),
        Some(list) => format!(" {{{}}}", list.split_whitespace().map(field).collect::<Vec<_>>().join(" ")),
        None => field(hole),
    }
}

fn cited(source: &Source) -> String {
    format!("<small title=\"{}\">[{}]</small>", escape(source.title), escape(source.name))
}

/// Idle operations of units have no name.
fn shown(name: &str) -> String {
    if name.is_empty() { "(idle)".to_owned() } else { escape(name) }
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
        Length::Bytes(1) => "1 byte".to_owned(),
        Length::Bytes(n) => format!("{n} bytes"),
        Length::Marked { bit, short, long } => format!("{short} bytes, {long} if bit {bit} is set"),
        Length::Literal { short, long, .. } => format!("{short} bytes, {long} with a literal"),
        Length::Before { bytes, clear } => format!("{bytes} bytes, before a clear bit {clear}"),
        Length::Counted { count, base, step } => {
            format!("{base} bytes and {step} for each count in bits {count}")
        }
    }
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
