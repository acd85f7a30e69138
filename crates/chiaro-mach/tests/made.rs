//! What every step makes of random code, as numbers that are written down: a step that does something else
//! changes its line, even where what it does is right. `CHIARO_BLESS=1` rewrites `made.txt`.

use std::fmt::Write;
use std::path::Path;

use chiaro_cases::{Cases, damaged, digest, head};
use chiaro_mach::toy::{self, LATE, MACHINES, Shape, TIMING};
use chiaro_mach::{
    Code, RegFile, Schedules, allocate, block_slots, check_allocation, check_waits, dead_code, insert_waits,
    liveness, lower_copies, park, pressure, schedule_for_latency, schedule_for_pressure,
    split_critical_edges, verify,
};

/// Functions of each machine.
const SEEDS: u64 = 120;

fn shape(seed: u64) -> Shape {
    Shape { insts: 20 + seed as usize % 80, depth: 3, alive: 4 + seed as usize % 24 }
}

/// Texts with one thing changed that are made of each function.
const CHANGED: u64 = 30;

/// The steps in their order, each with what it leaves or says.
fn steps(seed: u64, files: &[RegFile]) -> String {
    let mut code = toy::generate(seed, shape(seed));
    let mut out = digest(&toy::text(&code, files));
    let live = liveness(&code, files);
    let _ = write!(out, " {}", digest(&format!("{live:?} {:?}", pressure(&code, files, &live))));
    let mut step = |code: &mut Code, run: &dyn Fn(&mut Code) -> String| {
        let said = run(code);
        let all = format!("{said}\n{}\n{:?}", toy::text(code, files), verify(code, files));
        let _ = write!(out, " {}", digest(&all));
    };
    let limits: Vec<u32> = files.iter().map(|_| 6).collect();
    let mut early = code.clone();
    step(&mut early, &|code| format!("{:?}", Schedules::new(code, files, &TIMING).within(code, &limits)));
    step(&mut code, &|code| {
        schedule_for_pressure(code, files);
        String::new()
    });
    step(&mut code, &|code| {
        split_critical_edges(code);
        String::new()
    });
    step(&mut code, &|code| format!("{:?}", park(code, files)));
    step(&mut code, &|code| format!("{:?} {:?}", allocate(code, files), check_allocation(code, files)));
    step(&mut code, &|code| format!("{:?}", lower_copies(code, files)));
    step(&mut code, &|code| {
        schedule_for_latency(code, files, &TIMING);
        let slots = code.blocks().map(|block| block_slots(code, files, block, &TIMING));
        format!("{:?}", slots.collect::<Vec<u32>>())
    });
    step(&mut code, &|code| {
        format!("{} {:?}", insert_waits(code, files, &LATE), check_waits(code, files, &LATE))
    });
    out
}

#[test]
fn steps_make_of_random_code_what_is_written_down() {
    let mut out =
        "# machine, seed: code alive early pressure edges park allocate copies latency waits\n".to_owned();
    for (machine, files) in MACHINES.iter().enumerate() {
        for seed in 0..SEEDS {
            let _ = writeln!(out, "{machine} {seed}: {}", steps(seed, files));
        }
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made.txt"), Some(&out));
    cases.finish();
}

/// What is said of a text, and what is found out about the code that it may be.
fn judged(text: &str, files: &[RegFile]) -> String {
    let code = match toy::read(text, files) {
        Ok(code) => code,
        Err(error) => return format!("{error:?} {error}"),
    };
    let breaches = verify(&code, files);
    if breaches.is_err() {
        return format!("{breaches:?}");
    }
    let mut kept = code.clone();
    dead_code(&mut kept);
    // Behind allocation a value may be read from another file than its own, which nobody measures.
    let units = (!text.contains('@')).then(|| pressure(&code, files, &liveness(&code, files)));
    let verdicts = format!("{:?} {:?}", check_allocation(&code, files), check_waits(&code, files, &LATE));
    format!("{} {} {verdicts} {units:?}", toy::text(&code, files), toy::text(&kept, files))
}

/// Texts of code as it is drawn, and behind allocation, with one token changed: messages of the reader and of what
/// checks code.
#[test]
fn damaged_texts_are_judged_as_written_down() {
    let mut out = head("machine, seed: of the text as it is, of damaged ones; the same of allocated code");
    for (machine, files) in MACHINES.iter().enumerate() {
        for seed in 0..8 {
            let mut code = toy::generate(seed, shape(seed));
            let _ = write!(out, "{machine} {seed}:");
            let drawn = toy::text(&code, files);
            split_critical_edges(&mut code);
            let _ = (park(&mut code, files), allocate(&mut code, files));
            for text in [drawn, toy::text(&code, files)] {
                let others: Vec<String> =
                    (0..CHANGED).map(|n| judged(&damaged(&text, seed * 100 + n), files)).collect();
                let _ = write!(out, " {} {}", digest(&judged(&text, files)), digest(&others.join("\n")));
            }
            out.push('\n');
        }
    }
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/made-damaged.txt"), Some(&out));
    cases.finish();
}
