//! The shaders of the vectors: compiled, checked by the rules over words, counted against Mesa.

use std::path::{Path, PathBuf};

use chiaro_a3xx::asm::padded;
use chiaro_a3xx::check;
use chiaro_a3xx::compile::{Compiled, Options, Variant, compile};
use chiaro_a3xx::report::{Stage, Statistics};
use chiaro_diag::SourceMap;
use chiaro_ir::Module;
use chiaro_opt::Cx;

/// The larger set, or the sample of this crate.
fn folder() -> PathBuf {
    match std::env::var_os("CHIARO_VECTORS") {
        Some(dir) => Path::new(&dir).join("a3xx"),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders"),
    }
}

fn load(path: &Path, stage: chiaro_glsl::source::Stage) -> Module {
    let text = std::fs::read_to_string(path).expect("a shader");
    let mut sources = SourceMap::new();
    let file = sources.add(path.display().to_string(), text);
    let options = chiaro_glsl::source::Options::new(stage);
    let (words, errors) = chiaro_glsl::compile(file, &mut sources, &options, &mut |_, _, _| None);
    let words = words.unwrap_or_else(|| panic!("{}: {}", path.display(), errors[0].message));
    match chiaro_spirv::read_module(&words, &Default::default(), &mut sources) {
        Ok(reading) => reading.module,
        Err(why) => panic!("{}: {}", path.display(), why.diagnostic(None).message),
    }
}

fn build(module: &Module, variant: Variant, half: bool) -> Result<Compiled, String> {
    let mut cx = Cx { verify: true, ..Cx::default() };
    let made = compile(&mut module.clone(), "main", Options { variant, half }, &mut cx);
    let made = made.map_err(|errors| errors.first().map_or_else(String::new, |e| e.message.clone()))?;
    let outputs: Vec<u16> = made
        .interface
        .outputs
        .iter()
        .flat_map(|o| o.register..o.register + u16::from(o.components))
        .collect();
    match check::check(&padded(&made.words), 0, Some(&outputs)).first() {
        // The container gives back what was put in.
        #[cfg(feature = "target")]
        None if !returns(&made) => Err("the container reads back as something else".to_owned()),
        Some(found) => Err(format!("word {:?}: {}", found.at, found.message)),
        None => Ok(made),
    }
}

#[cfg(feature = "target")]
fn returns(made: &Compiled) -> bool {
    use chiaro_a3xx::container::{self, program::Program};
    let program = Program { interface: made.interface.clone(), words: padded(&made.words) };
    let bytes = program.write();
    container::kind(&bytes) == container::Kind::Program && Program::read(&bytes) == Ok(program)
}

/// A row of Mesa's statistics.
struct Row<'a> {
    name: &'a str,
    stage: &'a str,
    numbers: Vec<u32>,
}

fn rows(text: &str) -> Vec<Row<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let (name, stage) = (cells.next()?, cells.next()?);
            Some(Row { name, stage, numbers: cells.filter_map(|cell| cell.parse().ok()).collect() })
        })
        .collect()
}

#[test]
fn against_mesa() {
    let dir = folder();
    let text = std::fs::read_to_string(dir.join("shader_stats_gpu320.tsv")).expect("statistics");
    let only = std::env::var("ONLY").ok();
    let (mut ours, mut mesa, mut bad) = ([[0u32; 3]; 3], [[0u32; 3]; 3], Vec::new());
    for row in &rows(&text) {
        if only.as_ref().is_some_and(|only| only != row.name) {
            continue;
        }
        let (stage, glsl, n) = match row.stage {
            "frag" => (Stage::Fragment, chiaro_glsl::source::Stage::Fragment, 1),
            "bvert" => (Stage::Vertex, chiaro_glsl::source::Stage::Vertex, 2),
            _ => (Stage::Vertex, chiaro_glsl::source::Stage::Vertex, 0),
        };
        let module = load(
            &dir.join("shaders").join(format!("{}.{}", row.name, row.stage.trim_start_matches('b'))),
            glsl,
        );
        let variant = if n == 2 { Variant::Binning } else { Variant::Whole };
        let theirs = [row.numbers[0], row.numbers[1], row.numbers[8]];
        match build(&module, variant, false) {
            Ok(made) => {
                let s = Statistics::of(&padded(&made.words), stage);
                let found = [s.inst, s.nops, s.full];
                if s.waves < row.numbers[21] {
                    bad.push(format!(
                        "{}.{}: {} waves, Mesa has {}",
                        row.name, row.stage, s.waves, row.numbers[21]
                    ));
                }
                if n == 2 && s.inst > theirs[0] {
                    bad.push(format!(
                        "{} for binning: {} instructions, Mesa has {}",
                        row.name, s.inst, theirs[0]
                    ));
                }
                for i in 0..3 {
                    ours[n][i] += found[i];
                    mesa[n][i] += theirs[i];
                }
                println!("{}\t{}\t{found:?}\t{theirs:?}\tmov {} cov {}", row.name, row.stage, s.mov, s.cov);
                if only.is_some() {
                    println!("{}", chiaro_a3xx::listing::mesa::listing(&made.words, Default::default()));
                    println!("{:#?}", made.interface);
                    println!("{}", chiaro_ir::print(&made.module));
                }
            }
            Err(why) => bad.push(format!("{}.{}: {why}", row.name, row.stage)),
        }
    }
    println!(
        "instructions, nops, registers: vertex {:?} Mesa {:?}, fragment {:?} Mesa {:?}, binning {:?} Mesa {:?}",
        ours[0], mesa[0], ours[1], mesa[1], ours[2], mesa[2]
    );
    assert!(bad.is_empty(), "{} bad\n{}", bad.len(), bad.join("\n"));
    if only.is_none() {
        stays_below(&ours, &mesa);
    }
}

/// With half registers for mediump, fewer full ones are in use, and no fewer waves run.
#[test]
fn half_registers_take_the_place_of_full_ones() {
    let dir = folder();
    let text = std::fs::read_to_string(dir.join("shader_stats_gpu320.tsv")).expect("statistics");
    let only = std::env::var("ONLY").ok();
    let (mut all, mut bad) = ([[0u32; 5]; 2], Vec::new());
    for row in rows(&text).iter().filter(|row| row.stage == "frag") {
        if only.as_ref().is_some_and(|only| only != row.name) {
            continue;
        }
        let path = dir.join("shaders").join(format!("{}.frag", row.name));
        let module = load(&path, chiaro_glsl::source::Stage::Fragment);
        for half in [false, true] {
            match build(&module, Variant::Whole, half) {
                Ok(made) => {
                    let s = Statistics::of(&padded(&made.words), Stage::Fragment);
                    let found = [s.inst, s.nops, s.full, s.half, s.waves];
                    (0..5).for_each(|i| all[usize::from(half)][i] += found[i]);
                    println!("{}\t{half}\t{found:?}\tcov {}", row.name, s.cov);
                    if only.is_some() {
                        println!("{}", chiaro_a3xx::listing::mesa::listing(&made.words, Default::default()));
                    }
                }
                Err(why) => bad.push(format!("{}: {why}", row.name)),
            }
        }
    }
    println!("instructions, nops, full, half, waves: {all:?}");
    assert!(bad.is_empty(), "{} bad\n{}", bad.len(), bad.join("\n"));
    let [full, half] = all;
    assert!(half[2] < full[2] && half[3] > full[3] && half[4] >= full[4], "{all:?}");
}

/// All stages together: instructions at most 85 % of Mesa's, half the nops, no more registers.
fn stays_below(ours: &[[u32; 3]; 3], mesa: &[[u32; 3]; 3]) {
    let sum = |of: &[[u32; 3]; 3], i: usize| of[0][i] + of[1][i];
    let [inst, nops, full] = [0, 1, 2].map(|i| (sum(ours, i), sum(mesa, i)));
    assert!(inst.0 * 100 <= inst.1 * 85, "{inst:?} instructions");
    assert!(nops.0 * 2 <= nops.1, "{nops:?} nops");
    assert!(full.0 <= full.1, "{full:?} registers");
}
