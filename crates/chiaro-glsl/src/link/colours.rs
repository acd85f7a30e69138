//! Colours of fixed functions, which have other names where they are written and where read.

use chiaro_diag::Diagnostic;

use super::unit::{Unit, interpolation};
use crate::qualifier::{Interpolation, Storage};

/// Colours of fixed functions that are declared again have to agree in all versions, both sides
/// of a face with what is read.
pub(super) fn check(from: &Unit, to: &Unit, found: &mut Vec<Diagnostic>) {
    const SIDES: [(&str, [&str; 2]); 2] = [
        ("gl_Color", ["gl_FrontColor", "gl_BackColor"]),
        ("gl_SecondaryColor", ["gl_FrontSecondaryColor", "gl_BackSecondaryColor"]),
    ];
    let used = |unit: &Unit, storage, name: &str| {
        let fits = |&at: &usize| unit.program.globals[at].used && unit.name(at) == name;
        unit.of(storage).into_iter().find(fits)
    };
    for (read, written) in SIDES {
        let sides: Vec<usize> = written.iter().filter_map(|name| used(from, Storage::Out, name)).collect();
        let read = used(to, Storage::In, read);
        let mut all = sides.iter().map(|&at| (from, at)).chain(read.map(|at| (to, at)));
        let Some((first, first_at)) = all.next() else { continue };
        let mode = |unit: &Unit, at: usize| {
            let layout = &unit.program.globals[at].layout;
            (layout.interpolation, layout.smooth)
        };
        if let Some((unit, at)) = all.find(|&(unit, at)| mode(unit, at) != mode(first, first_at)) {
            let message = format!(
                "`{}` is {} and `{}` is {}, but they are one colour",
                first.name(first_at),
                word(mode(first, first_at)),
                unit.name(at),
                word(mode(unit, at))
            );
            found.push(Diagnostic::error(unit.span(at).or(first.span(first_at)), message));
        }
    }
}

/// How a colour is declared: without a word the host says it. [GLSL 1.30, 4.3.9]
fn word((mode, written): (Interpolation, bool)) -> String {
    match mode {
        Interpolation::Smooth if !written => "declared without a word for interpolation".into(),
        _ => format!("`{}`", interpolation(mode)),
    }
}
