//! Preprocesses and parses files, prints messages, or with `--time` how fast it was.

use std::time::Instant;

use chiaro_diag::{Counts, Printer, SourceMap};
use chiaro_glsl::parse::parse;
use chiaro_glsl::preprocess::preprocess;
use chiaro_glsl::source::{Options, Stage};
use chiaro_glsl::symbol::Symbols;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let time = arguments.first().is_some_and(|first| first == "--time");
    let (mut bytes, mut pre_time, mut parse_time, mut tokens) = (0, 0.0, 0.0, 0);
    for path in arguments.iter().filter(|path| *path != "--time") {
        let Ok(text) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&text).into_owned();
        let stage = match path.rsplit('.').next() {
            Some("vert") => Stage::Vertex,
            Some("comp") => Stage::Compute,
            Some("geom") => Stage::Geometry,
            _ => Stage::Fragment,
        };
        let options = Options::new(stage);
        for _ in 0..if time { 20 } else { 1 } {
            let mut sources = SourceMap::new();
            let mut symbols = Symbols::default();
            let mut diagnostics = Vec::new();
            let file = sources.add(path.as_str(), text.as_str());
            let mut include = |_: &str, _: bool, _: &str| None;
            let start = Instant::now();
            let pre = preprocess(file, &mut sources, &options, &mut include, &mut symbols, &mut diagnostics);
            pre_time += start.elapsed().as_secs_f64();
            let start = Instant::now();
            let ast = parse(&pre, &symbols, &mut diagnostics);
            parse_time += start.elapsed().as_secs_f64();
            std::hint::black_box(ast);
            bytes += text.len();
            tokens += pre.tokens.list.len();
            if !time && Counts::of(&diagnostics).errors > 0 {
                println!("{}", Printer::plain().print(&diagnostics, &sources));
            }
        }
    }
    if time {
        let speed = |seconds: f64| bytes as f64 / seconds / 1e6;
        println!(
            "{bytes} bytes, {tokens} tokens; preprocess {:.1} MB/s, parse {:.1} MB/s",
            speed(pre_time),
            speed(parse_time)
        );
    }
}
