//! Words can be inserted anywhere, and what counts words follows.

use chiaro_pica200::check::{Severity, check};
use chiaro_pica200::container::splice::{SpliceError, splice};
use chiaro_pica200::container::{Dvle, Dvlp, Label, Shbin};

use crate::samples;

const NOP: u32 = 0x8400_0000;

/// Programs without errors, small enough to try every place.
fn sound() -> impl Iterator<Item = (String, Shbin)> {
    let all = samples::samples().into_iter();
    let read = all.map(|(name, _, bytes)| (name, Shbin::read(&bytes).expect("sample is sound")));
    let good = |file: &Shbin| check(file).iter().all(|finding| finding.rule.severity < Severity::Error);
    read.filter(move |(_, file)| file.program.code.len() < 100 && good(file))
}

#[test]
fn a_nop_anywhere_keeps_a_program_sound() {
    for (name, file) in sound() {
        // Behind the last END of a program there is no path that the NOP could be on.
        for at in 0..file.program.code.len() as u32 {
            let mut changed = file.clone();
            splice(&mut changed, at..at, &[NOP]).expect("small enough");
            let found = check(&changed);
            let bad = found.iter().find(|finding| finding.rule.severity == Severity::Error);
            assert_eq!(bad, None, "{name} with a NOP at {at:#x}");
        }
    }
}

#[test]
fn what_was_inserted_can_be_removed() {
    for (name, file) in sound() {
        for at in 0..=file.program.code.len() as u32 {
            let mut changed = file.clone();
            splice(&mut changed, at..at, &[NOP, NOP]).expect("small enough");
            splice(&mut changed, at..at + 2, &[]).expect("within the code");
            assert_eq!(changed, file, "{name} at {at:#x}");
        }
    }
}

/// loop i0 over 1..=2, then end; label "loop" over all.
fn small() -> Shbin {
    let code = vec![0xa400_0000 | 2 << 10, NOP, NOP, 0x8800_0000];
    let mut dvle = Dvle { entry: 0, end: 4, ..Dvle::default() };
    dvle.labels.push(Label { id: 0, unknown: 0, offset: 1, size: 2, name: 0 });
    Shbin::new(Dvlp { code, ..Dvlp::default() }, vec![dvle])
}

#[test]
fn blocks_and_labels_grow_with_what_is_put_into_them() {
    let mut file = small();
    splice(&mut file, 2..2, &[NOP; 3]).expect("fits");
    assert_eq!(file.program.code[0], 0xa400_0000 | 5 << 10);
    assert_eq!((file.executables[0].labels[0].size, file.executables[0].end), (5, 7));
    splice(&mut file, 6..6, &[NOP]).expect("fits");
    assert_eq!(file.program.code[0], 0xa400_0000 | 5 << 10, "a word behind the loop is not in it");
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let mut file = small();
    let error = splice(&mut file, 5..5, &[]).expect_err("past the code");
    assert_eq!(error, SpliceError::Range { end: 5, words: 4 });
    let error = splice(&mut file, 1..1, &[NOP; 4094]).expect_err("too far");
    assert_eq!(error, SpliceError::Field { word: 0, needed: 4096, allowed: 4095 });
    assert_eq!(file, small());
}
