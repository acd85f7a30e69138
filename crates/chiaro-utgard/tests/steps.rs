//! Every step of the compiler by data: what it is given and what it makes of it, in the text of the
//! compiler's own IR; and the law that this text says all there is.

use std::fmt::Write;
use std::path::Path;

use chiaro_diag::Budget;
use chiaro_ir::Interface;
use chiaro_opt::Cx;
use chiaro_utgard::abi::Abi;
use chiaro_utgard::compile::allocate::{allocate, split};
use chiaro_utgard::compile::combine::extremes::extremes;
use chiaro_utgard::compile::combine::{combine, derive};
use chiaro_utgard::compile::finish::finish;
use chiaro_utgard::compile::graph::{Graph, Program};
use chiaro_utgard::compile::schedule::{Around, schedule};
use chiaro_utgard::compile::{Options, legalize, optimize, select};
use chiaro_utgard::explain::text;
use chiaro_utgard::isa::word::Word;

use crate::common::source;

/// Runs the cases of `steps/NAME.txt`.
fn run(name: &str, step: impl Fn(&str) -> String) {
    chiaro_cases::of_file(env!("CARGO_MANIFEST_DIR"), format!("tests/steps/{name}.txt"), step);
}

/// What selection makes of a shader.
fn selected(source: &str) -> Result<(Program, Abi), String> {
    let mut module = source::read("shader.vert".to_owned(), source.to_owned())?;
    let entry = module.entries[0].name.clone();
    let mut cx = Cx::default();
    let f = optimize(&mut module, &entry, &mut cx, 320).map_err(|e| e.message)?;
    let _ = cx.run_all(legalize::PASSES, &mut module, f);
    let abi = Abi::new(&module, module.function(f), &Interface::default()).map_err(|e| e.message)?;
    let made = select::select(&module, module.function(f), &abi, &Options::default());
    Ok((made.map_err(|e| e.message)?, abi))
}

/// The program of a case, after a step of it.
fn changed(text: &str, step: impl Fn(Program) -> Result<String, String>) -> String {
    Program::parse(text).and_then(step).unwrap_or_else(|why| format!("error: {why}"))
}

/// Cells of uniform memory from a row on, as many rows as are left.
fn cells(from: u16, rows: u16) -> impl FnMut() -> Option<(u16, u8)> {
    let mut used = 0;
    move || {
        used += 1;
        (used <= rows * 4).then_some((from + (used - 1) / 4, ((used - 1) % 4) as u8))
    }
}

fn listing(words: &[Word]) -> String {
    words.iter().enumerate().fold(String::new(), |mut all, (at, &word)| {
        let _ = writeln!(all, "{at:3} {}", text(word));
        all
    })
}

#[test]
fn selecting() {
    run("select", |source| match selected(source) {
        Ok((program, _)) => program.to_string(),
        Err(why) => format!("error: {why}"),
    });
}

#[test]
fn allocating() {
    run("allocate", |text| {
        changed(text, |mut program| {
            allocate(&mut program, &Abi::default(), None).map_err(|e| e.message)?;
            Ok(program.to_string())
        })
    });
}

#[test]
fn splitting() {
    run("split", |text| {
        changed(text, |program| {
            let halves = split::split(&program.blocks[0], cells(10, 2)).ok_or("there is nothing to split")?;
            Ok(Program { blocks: halves.into(), ..program }.to_string())
        })
    });
}

#[test]
fn combining() {
    run("combine", |text| match Graph::parse(text) {
        Ok(graph) => {
            let combined = combine(&graph);
            let better = extremes(combined.as_ref().unwrap_or(&graph)).or(combined);
            better.map_or_else(|| "nothing is found".to_owned(), |better| better.to_string())
        }
        Err(why) => format!("error: {why}"),
    });
}

#[test]
fn deriving() {
    run("derive", |text| {
        changed(text, |mut program| {
            let derived = derive::derive(&mut program.blocks, cells(40, 1));
            let mut out = program.to_string();
            for one in derived {
                let _ = writeln!(
                    out,
                    "the host sets t[{}].{}: {one}",
                    one.row,
                    ["x", "y", "z", "w"][usize::from(one.component)]
                );
            }
            Ok(out)
        })
    });
}

#[test]
fn scheduling() {
    run("schedule", |text| {
        let graph = match Graph::parse(text) {
            Ok(graph) => graph,
            Err(why) => return format!("error: {why}"),
        };
        let Some(made) = schedule(&graph, &Around::new(20, [0; 16]), 1, &Budget::default()) else {
            return "no way".to_owned();
        };
        let mut out = listing(&made.words);
        for (row, values) in made.constants.iter().enumerate() {
            let values =
                values.map(|bits| bits.map_or("-".to_owned(), |bits| f32::from_bits(bits).to_string()));
            let _ = writeln!(out, "t[{}] = {}", 20 + row, values.join(" "));
        }
        let (quality, spills) = (made.quality, made.spills);
        let _ = writeln!(out, "at least {} by {}, spills {spills}", quality.bound, quality.limit.name());
        out
    });
}

#[test]
fn finishing() {
    run("finish", |text| {
        changed(text, |program| {
            let made = finish(program, &Abi::default(), &Options::default(), &Budget::default())
                .map_err(|e| e.message)?;
            let mut out = listing(&made.words);
            for (i, row) in made.constants.iter().enumerate() {
                let _ = writeln!(out, "t[{}] = {row:?}", i + 2);
            }
            let _ = writeln!(out, "blocks start at {:?}", made.starts);
            Ok(out)
        })
    });
}

#[test]
fn the_text_of_a_program_says_all_of_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/compile/shaders");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("file").path();
        let source = std::fs::read_to_string(&path).expect("text");
        let Ok((mut program, abi)) = selected(&source) else { continue };
        let _ = allocate(&mut program, &abi, None);
        let text = program.to_string();
        let again = Program::parse(&text).expect("its own text");
        assert_eq!(again.to_string(), text, "{}", path.display());
        for (old, new) in program.blocks.iter().zip(&again.blocks) {
            assert_eq!(old.graph.nodes(), new.graph.nodes(), "{}", path.display());
        }
        count += 1;
    }
    assert!(count > 20, "{count} programs");
}

#[test]
fn texts_that_mean_nothing_are_errors() {
    let wrong = [
        "block\n %1 = a0.x",
        "block\n %0 = add %0 %0",
        "block\n %0 = a0.q",
        "block\n %0 = a0.x\n store v0.x",
        "block\n %0 = a0.x\n %1 = mul %0 %0 %0",
        "block\n address 4 %0",
        "block\n %0 = a0.x\n store v0.x %0\n %2 = floor %1",
        "block\n %0 = t[1+addr7].x",
        "block\n jump 0",
        "labels 0\nblock\n jump 0 if %3",
        "jump 1",
        "reserved $16.x",
        "temporary 1.0 2.0",
        "%0 = a0.x",
    ];
    for text in wrong {
        assert!(Program::parse(text).is_err(), "{text}");
    }
}
