//! Every step on code as data: the code of the toy machine before, and what the step makes of it.

use std::path::Path;

use chiaro_cases::Cases;
use chiaro_mach::toy::{self, LATE, MACHINES, TIMING};
use chiaro_mach::{
    Code, RegFile, allocate, check_allocation, check_waits, insert_waits, lower_copies, park,
    schedule_for_latency, schedule_for_pressure, split_critical_edges, verify,
};

/// The machine with few registers.
const FILES: &[RegFile] = &MACHINES[0];

/// Reads code, runs a step and prints what has become of it. Rules that are broken before or after
/// stand in front of the code.
fn case(text: &str, step: impl Fn(&mut Code) -> Result<(), String>) -> String {
    let mut code = match toy::read(text, FILES) {
        Ok(code) => code,
        Err(error) => return format!("{error}\n"),
    };
    if let Err(found) = verify(&code, FILES) {
        return format!("refused: {}\n", found[0]);
    }
    if let Err(error) = step(&mut code) {
        return format!("{error}\n");
    }
    let broken = verify(&code, FILES).err().map(|found| format!("broken: {}\n", found[0]));
    broken.unwrap_or_default() + &toy::text(&code, FILES)
}

/// The same, and the allocation checker has to accept what comes out.
fn allocated(text: &str, step: impl Fn(&mut Code) -> Result<(), String>) -> String {
    case(text, |code| {
        step(code)?;
        check_allocation(code, FILES).map_err(|found| format!("wrong: {}", found[0]))
    })
}

#[test]
fn steps_make_of_code_what_is_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases = Cases::new();
    let mut file = |name: &str, make: &dyn Fn(&str) -> String| cases.of_file(&folder.join(name), make);
    file("split_critical_edges.txt", &|text| {
        case(text, |code| {
            split_critical_edges(code);
            Ok(())
        })
    });
    file("park.txt", &|text| {
        case(text, |code| {
            park(code, FILES);
            Ok(())
        })
    });
    file("schedule_for_pressure.txt", &|text| {
        case(text, |code| {
            schedule_for_pressure(code, FILES);
            Ok(())
        })
    });
    file("allocate.txt", &|text| {
        allocated(text, |code| {
            split_critical_edges(code);
            allocate(code, FILES).map(|_| ()).map_err(|error| error.to_string())
        })
    });
    file("check_allocation.txt", &|text| {
        let code = toy::read(text, FILES).unwrap_or_else(|error| panic!("{error}"));
        let found = verify(&code, FILES).and_then(|()| check_allocation(&code, FILES));
        found.map_or_else(|found| format!("refused: {}\n", found[0]), |()| "accepted\n".to_owned())
    });
    file("lower_copies.txt", &|text| {
        case(text, |code| lower_copies(code, FILES).map_err(|stuck| format!("{stuck:?}")))
    });
    file("schedule_for_latency.txt", &|text| {
        case(text, |code| {
            schedule_for_latency(code, FILES, &TIMING);
            Ok(())
        })
    });
    file("insert_waits.txt", &|text| {
        case(text, |code| {
            insert_waits(code, FILES, &LATE);
            check_waits(code, FILES, &LATE).map_err(|found| format!("wrong: {}", found[0]))
        })
    });
    file("check_waits.txt", &|text| {
        case(text, |code| check_waits(code, FILES, &LATE).map_err(|found| format!("refused: {}", found[0])))
    });
    cases.finish();
}
