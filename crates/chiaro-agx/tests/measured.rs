//! The error that reports and timelines state, computed from what was measured on the machine.

use chiaro_agx::asm::{Options, assemble};
use chiaro_agx::report::{ERROR, SEQUENCES, Statistics};
use chiaro_diag::{Printer, SourceMap};

/// The generation of M1 Max, G13.
const G13: u8 = 0;

/// By how many percent cycles of code are off, rounded.
fn error(code: &str, measured: u32) -> i32 {
    let mut sources = SourceMap::new();
    let text = format!("{code}stop\n");
    let file = sources.add("sequence.agx", text.as_str());
    let (program, _) = assemble(file, &text, Options::default())
        .unwrap_or_else(|errors| panic!("{}", Printer::plain().print(&errors, &sources)));
    let cycles = f64::from(Statistics::of(&program.bytes, G13, None).cycles.longest());
    ((10.0 * cycles / f64::from(measured) - 1.0) * 100.0).round() as i32
}

#[test]
fn the_stated_error_is_that_of_the_measured_sequences() {
    let errors: Vec<i32> = SEQUENCES.iter().map(|(_, code, measured)| error(code, *measured)).collect();
    let (low, high) = (errors.iter().min().expect("some"), errors.iter().max().expect("some"));
    let stated = format!("{} to {} percent below six sequences", -high, -low);
    assert!(ERROR.contains(&stated) && errors.len() == 6, "{errors:?} is not: {ERROR}");
}
