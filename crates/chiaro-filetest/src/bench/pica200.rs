//! PICA200: decoding, text, assembling, simulating, and the command as a whole.

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use chiaro_diag::FileId;
use chiaro_isa::{Isa, Out, Word};
use chiaro_pica200::asm::{self, Source};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::dis;
use chiaro_pica200::isa::{PICA200, SET, fetch};
use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Layout, Machine, Mode, Program};

use super::{Figures, middle, seconds};
use crate::vectors::hex_words;

const TARGET: &str = "pica200";
const MILLION: f64 = 1e6;
/// Programs of usual sizes: name, words, descriptors, inputs, outputs.
const PROGRAMS: &str = include_str!("../../../chiaro-pica200/benches/programs.tsv");
/// A small source, for the time of a whole process.
const SMALL: &str = include_str!("../../../../examples/pica200/lamps.v.pica");
/// Vertices in a run: inputs and outputs stay in the second-level cache.
const VERTICES: usize = 1024;
/// Instructions to decode and print.
const WORDS: usize = 20_000;
/// Calls of the whole command.
const CALLS: usize = 40;

pub(super) fn measure(figures: &mut Figures) -> Result<(), String> {
    let programs = programs()?;
    instructions(figures, &programs);
    assembler(figures)?;
    for program in &programs {
        simulator(figures, program)?;
    }
    process(figures);
    Ok(())
}

/// A row of the list of programs.
struct Sample {
    name: &'static str,
    code: Vec<u32>,
    descriptors: Vec<[u32; 2]>,
    layout: Layout,
}

fn programs() -> Result<Vec<Sample>, String> {
    let rows = PROGRAMS.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    rows.map(|row| sample(row).ok_or_else(|| format!("not a row of a program: {row}"))).collect()
}

fn sample(row: &'static str) -> Option<Sample> {
    let [name, code, descriptors, inputs, outputs] = row.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let numbers = |text: &str| text.split(' ').map(|n| n.parse().ok()).collect::<Option<Vec<u8>>>();
    Some(Sample {
        name,
        code: hex_words(code).ok()?,
        descriptors: hex_words(descriptors).ok()?.into_iter().map(|d| [d, 0]).collect(),
        layout: Layout { inputs: numbers(inputs)?, outputs: numbers(outputs)? },
    })
}

/// Decoding and printing the words of the programs, over and over.
fn instructions(figures: &mut Figures, programs: &[Sample]) {
    let (best, median) = seconds(|| drop(black_box(Isa::new(&SET, 0))));
    figures.push(TARGET, "prepare the set", "ms", (best * 1e3, median * 1e3));
    let of = |p: &Sample| p.code.iter().map(|&word| fetch(word, &p.descriptors)).collect::<Vec<_>>();
    let words: Vec<Word> = programs.iter().flat_map(of).collect();
    let words: Vec<Word> = words.iter().copied().cycle().take(WORDS).collect();
    let (best, median) = figures.rate(TARGET, "decode", ("M instructions/s", MILLION), WORDS, || {
        for word in &words {
            let _ = black_box(PICA200.decode_word(word, 8));
        }
    });
    figures.push(TARGET, "decode, words alone", "MB/s", (4.0 * best, 4.0 * median));
    let decoded: Vec<_> = words.iter().filter_map(|word| PICA200.decode_word(word, 8).ok()).collect();
    let (cx, mut out) = (PICA200.cx(), Out::default());
    let (best, median) = figures.rate(TARGET, "text", ("M instructions/s", MILLION), WORDS, || {
        out.clear();
        for inst in &decoded {
            PICA200.print(inst, &cx, &mut out);
            out.push('\n');
        }
    });
    let bytes = out.len() as f64 / WORDS as f64;
    figures.push(TARGET, "text, characters", "MB/s", (bytes * best, bytes * median));
}

/// From source to container and back.
fn assembler(figures: &mut Figures) -> Result<(), String> {
    for count in [60, 500, 4000] {
        let text = source(count);
        let sources = [Source { name: "bench.g.pica", text: &text, file: FileId(0) }];
        let options = asm::Options::default();
        let made = asm::assemble(&sources, &options).map_err(|errors| format!("{errors:?}"))?;
        let name = format!("assemble {count} instructions");
        figures.rate(TARGET, name, ("M instructions/s", MILLION), count, || {
            let _ = black_box(asm::assemble(black_box(&sources), &options));
        });
        if count == 500 {
            disassembler(figures, &made.shbin, count);
        }
    }
    Ok(())
}

fn disassembler(figures: &mut Figures, shbin: &Shbin, count: usize) {
    figures.rate(TARGET, "list and assemble again", ("M instructions/s", MILLION), count, || {
        black_box(dis::disassemble(shbin));
    });
}

/// A geometry program, which may be long, with instructions of all formats.
fn source(count: usize) -> String {
    let head = ".gsh point c0\n.fvec proj[4], light\n.in inpos\n.out pos position\n.proc main\n";
    let lines = [
        "\tdp4 r0.x, proj[0], inpos ; row\n",
        "\tmul r1.xyz, light.xxyz, -r0\n",
        "\tmad r2, r1, light, r0.wzyx\n",
        "\tmov r6, r2\n",
        "\tadd r3, c90[aL+1], r2\n",
        "\trsq r4.w, r3.x\n",
        "\tcmp r4, ge, lt, r3\n",
        "\tmax r5, c7, r4\n",
    ];
    let body: String = lines.into_iter().cycle().take(count - 2).collect();
    format!("{head}{body}\tmov pos, r6\n\tend\n.end\n")
}

/// Vertices a second on the batch engine, the reference evaluator, and their ratio.
fn simulator(figures: &mut Figures, sample: &Sample) -> Result<(), String> {
    let mut speed = |name: &str, mode, engine| -> Result<(f64, f64), String> {
        let mut machine = machine(sample, mode, engine)?;
        let inputs = vertices(sample.layout.inputs.len());
        let mut outputs = vec![[0.0; 4]; VERTICES * sample.layout.outputs.len()];
        let name = format!("simulate {}, {name}", sample.name);
        Ok(figures.rate(TARGET, name, ("M vertices/s", MILLION), VERTICES, || {
            let _ = black_box(machine.run(&sample.layout, black_box(&inputs), &mut outputs));
        }))
    };
    let batch = speed("emu32", Mode::Emu32, EngineChoice::Batch)?;
    let scalar = speed("emu32, reference", Mode::Emu32, EngineChoice::Scalar)?;
    speed("hw24", Mode::Hw24, EngineChoice::Batch)?;
    let ratio = (batch.0 / scalar.0, batch.1 / scalar.1);
    figures.push(TARGET, format!("simulate {}, batch to reference", sample.name), "times", ratio);
    Ok(())
}

fn machine(sample: &Sample, mode: Mode, engine: EngineChoice) -> Result<Machine, String> {
    let config = Config { mode, engine, ..Config::default() };
    let program = Program::load(&sample.code, &sample.descriptors, 0, &config).map_err(|e| e.to_string())?;
    let mut machine = Arc::new(program).machine();
    for n in 0..96 {
        let x = f32::from(n);
        machine.set_float(n, [0.5 + 0.01 * x, 0.25 - 0.02 * x, 0.125 * x, 1.0]);
    }
    // Constants of the programs: zeros and ones, and the loop of the skinning program.
    machine.set_float(95, [0.0, 1.0, 0.5, 16.0]);
    machine.set_float(94, [1.0, 0.0, 0.0, 0.0]);
    machine.set_int(3, [3, 0, 1, 0]);
    Ok(machine)
}

/// Ordinary positive values; the fifth row of a vertex holds bone indices.
fn vertices(rows: usize) -> Vec<[f32; 4]> {
    let value = |vertex: usize, row: usize, k: usize| match row {
        4 => ((vertex * 7 + k * 5) % 20 * 3) as f32,
        _ => ((vertex * 37 + row * 11 + k * 3) % 100) as f32 * 0.01 + 0.1,
    };
    let row = |i: usize| [0, 1, 2, 3].map(|k| value(i / rows, i % rows, k));
    (0..VERTICES * rows).map(row).collect()
}

/// The time of `chiaro asm` on a small file, from start to end of the process.
///
/// The command is looked for beside this program; without it the figure is left out.
fn process(figures: &mut Figures) {
    let Ok(here) = std::env::current_exe() else { return };
    let command = here.with_file_name(format!("chiaro{}", std::env::consts::EXE_SUFFIX));
    let source = std::env::temp_dir().join(format!("chiaro-bench-{}.v.pica", std::process::id()));
    if !command.exists() || std::fs::write(&source, SMALL).is_err() {
        return;
    }
    let once = || {
        let start = Instant::now();
        let call = Command::new(&command).arg("asm").arg(&source).stdout(Stdio::null()).status();
        call.is_ok_and(|status| status.success()).then(|| start.elapsed().as_secs_f64() * 1e3)
    };
    let times: Vec<f64> = (0..CALLS).filter_map(|_| once()).collect();
    // A file of ours that nobody misses.
    let _ = std::fs::remove_file(&source);
    if !times.is_empty() {
        figures.push(TARGET, "whole process of chiaro asm", "ms", middle(times));
    }
}
