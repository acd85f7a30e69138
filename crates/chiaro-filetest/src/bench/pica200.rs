//! PICA200: decoding, text, assembling, simulating, lifting, and the command as a whole.

mod lift;

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use chiaro_diag::FileId;
use chiaro_isa::{Isa, Out, Word};
use chiaro_pica200::asm::picasso::{self, Source};
use chiaro_pica200::container::Shbin;
use chiaro_pica200::isa::{PICA200, SET, fetch};
use chiaro_pica200::listing::dis;
use chiaro_pica200::machine::config::EngineChoice;
use chiaro_pica200::machine::{Config, Mode};

#[path = "../../../chiaro-pica200/benches/setup/mod.rs"]
mod setup;

use self::setup::{Sample, VERTICES, programs, source};
use super::{Figures, middle, seconds};

const TARGET: &str = "pica200";
const MILLION: f64 = 1e6;
/// A small source, for the time of a whole process.
const SMALL: &str = include_str!("../../../../examples/pica200/lamps.v.pica");
/// Instructions to decode and print.
const WORDS: usize = 20_000;
/// Calls of the whole command.
const CALLS: usize = 40;

pub(super) fn measure(figures: &mut Figures, folder: &Path) -> Result<(), String> {
    let programs = programs();
    instructions(figures, &programs);
    assembler(figures)?;
    for program in &programs {
        simulator(figures, program)?;
    }
    lift::measure(figures, folder)?;
    process(figures);
    Ok(())
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
        let options = picasso::Options::default();
        let made = picasso::assemble(&sources, &options).map_err(|errors| format!("{errors:?}"))?;
        let name = format!("assemble {count} instructions");
        figures.rate(TARGET, name, ("M instructions/s", MILLION), count, || {
            let _ = black_box(picasso::assemble(black_box(&sources), &options));
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

/// Vertices a second on the batch engine, the reference evaluator, and their ratio.
fn simulator(figures: &mut Figures, sample: &Sample) -> Result<(), String> {
    let mut speed = |name: &str, mode, engine| -> Result<(f64, f64), String> {
        let config = Config { mode, engine, ..Config::default() };
        let mut machine = sample.machine(&config).map_err(|e| e.to_string())?;
        let (inputs, mut outputs) = (sample.vertices(), sample.outputs());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is measured has the same inputs year by year.
    #[test]
    fn inputs_of_samples_stay_as_they_are() {
        let hundredths = |row: &[f32; 4]| row.map(|x| (x * 100.0).round() as u32);
        let mut with_bones = 0;
        for sample in programs() {
            let (rows, vertices) = (sample.layout.inputs.len(), sample.vertices());
            assert_eq!(vertices.len(), VERTICES * rows);
            assert_eq!(hundredths(&vertices[rows]), [47, 50, 53, 56], "{}", sample.name);
            if rows > 2 {
                assert_eq!(hundredths(&vertices[5 * rows + 2]), [17, 20, 23, 26], "{}", sample.name);
            }
            if rows > 4 {
                with_bones += 1;
                assert_eq!(vertices[3 * rows + 4], [3.0, 18.0, 33.0, 48.0], "{}", sample.name);
            }
        }
        assert!(with_bones > 0);
    }
}
