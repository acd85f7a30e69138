//! What the preprocessor makes of a source, and what it says: `tests/preprocess/*.{vert,frag}`.
//!
//! Behind the line `--- expect` come the tokens, a line of source a line, then the messages.
//! Words behind `// define` on the first line are macros of the options. An include gives the
//! text `NAME_of_include` and a number. `CHIARO_BLESS=1` writes the expectations.

use chiaro_diag::{Printer, SourceMap};
use chiaro_glsl::preprocess::preprocess;
use chiaro_glsl::symbol::Symbols;
use chiaro_glsl::token::{Kind, Token};

use crate::data;

fn spelled(token: &Token, symbols: &Symbols) -> String {
    match token.kind {
        Kind::Word(word) => symbols.text(word).to_owned(),
        Kind::Int { value, unsigned, bits } => {
            let suffix = if unsigned { "u" } else { "" };
            if bits == 32 { format!("{value}{suffix}") } else { format!("{value}{suffix}:{bits}") }
        }
        Kind::Float { value, bits: 32 } => format!("{:?}", value as f32),
        Kind::Float { value, bits } => format!("{value:?}:{bits}"),
        Kind::Punct(bytes) => bytes.iter().filter(|&&b| b != 0).map(|&b| char::from(b)).collect(),
        Kind::Text(text) => format!("\"{}\"", symbols.text(text)),
        Kind::Small { value, small } => format!("{value:?}{}", small.prefix()),
        Kind::End => String::new(),
    }
}

fn run(name: &str, text: &str) -> String {
    let mut sources = SourceMap::new();
    let mut symbols = Symbols::default();
    let mut diagnostics = Vec::new();
    let file = sources.add(name, text);
    let options = data::options(name, text);
    let mut include = |name: &str, _: bool, _: &str| {
        let text =
            if name == "self" { "#include \"self\"\n".to_owned() } else { format!("{name}_of_include 7\n") };
        (name != "absent").then(|| (name.to_owned(), text))
    };
    let done = preprocess(file, &mut sources, &options, &mut include, &mut symbols, &mut diagnostics);
    let mut out = format!("version {} {:?}\n", done.version.number, done.version.profile);
    let mut line = 0;
    for token in &done.tokens.list {
        let here = sources.position(token.span.file, token.span.start).line;
        out.push_str(if line == 0 {
            ""
        } else if here == line {
            " "
        } else {
            "\n"
        });
        line = here;
        out.push_str(&spelled(token, &symbols));
    }
    out = out.trim_end().to_owned() + "\n";
    for pragma in &done.pragmas {
        out.push_str(&format!("pragma {:?} from token {}\n", pragma.text, pragma.from));
    }
    for said in &done.extensions.statements {
        let name = said.extension.map_or("all", |extension| extension.name);
        out.push_str(&format!("extension {name} {:?} from token {}\n", said.behaviour, said.from));
    }
    out + &Printer::plain().print(&diagnostics, &sources)
}

#[test]
fn sources_give_their_tokens_and_messages() {
    data::check("preprocess", run);
}
