//! Every step on code as data, beside the step: code before, and what the step makes of it.

use std::path::Path;

use chiaro_a3xx::compile::code::{SPILLING, text};
use chiaro_a3xx::compile::combine::{HALVE, MOVE, NARROW};
use chiaro_a3xx::compile::schedule::Clock;
use chiaro_a3xx::compile::{allocate, finish};
use chiaro_a3xx::listing::mesa::listing;
use chiaro_cases::Cases;
use chiaro_mach::{Code, schedule_for_latency, verify};

/// Bytes of private memory before those of spills.
const VARIABLES: u32 = 64;

/// Reads code, runs a step and prints what has become of it. Rules that are broken before or after stand in front.
fn case(source: &str, step: impl Fn(&mut Code) -> Option<String>) -> String {
    let mut code = match text::read(source) {
        Ok(code) => code,
        Err(error) => return format!("{error}\n"),
    };
    if let Err(found) = verify(&code, &SPILLING) {
        return format!("refused: {}\n", found[0]);
    }
    if let Some(made) = step(&mut code) {
        return made;
    }
    let broken = verify(&code, &SPILLING).err().map(|found| format!("broken: {}\n", found[0]));
    broken.unwrap_or_default() + &text::text(&code)
}

/// A step that leaves code.
fn on_code(source: &str, step: impl Fn(&mut Code)) -> String {
    case(source, |code| {
        step(code);
        None
    })
}

#[test]
fn steps_make_of_code_what_is_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/compile");
    let mut cases = Cases::new();
    let own = NARROW.iter().chain(HALVE).chain(MOVE).filter(|step| step.name != "dead_code");
    for step in own {
        let path = folder.join(format!("combine/{}.txt", step.name));
        cases.of_file(&path, |source| on_code(source, step.run));
    }
    cases.of_file(&folder.join("allocate/lower_spills.txt"), |source| {
        on_code(source, |code| allocate::lower_spills(code, VARIABLES))
    });
    cases.of_file(&folder.join("schedule.txt"), |source| {
        on_code(source, |code| schedule_for_latency(code, &SPILLING, &Clock))
    });
    cases.of_file(&folder.join("finish.txt"), |source| {
        case(source, |code| {
            Some(finish::finish(code).map_or_else(|why| why, |made| listing(&made.words, Default::default())))
        })
    });
    cases.finish();
}
