//! Faults in code of others and in our own: a sample of what `chiaro-filetest seeded` does, on the repository's own vectors.

use std::path::Path;

use chiaro_filetest::seeded;

#[test]
fn what_changes_something_is_found() {
    for target in seeded::targets() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../chiaro-{target}/tests/vectors"));
        let report = seeded::run(&folder, target, 400, 7).expect("the vectors are there");
        assert!(report.passed(), "{target}:\n{report}");
        assert!(report.found() > 100, "{target} finds next to nothing:\n{report}");
    }
}

/// Shaders in waves of both sizes under both ABIs, and random kernels.
#[test]
fn what_changes_our_own_programs_is_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-rdna/tests/vectors");
    let report = seeded::run_own(&folder, "rdna", 400, 7).expect("nothing is found before");
    assert!(report.passed(), "{report}");
    assert!(report.found() > 100, "next to nothing is found:\n{report}");
    let why = seeded::run_own(&folder, "agx", 1, 1).err().expect("it is not compiled for");
    assert_eq!(why, "faults are not put into what is compiled for agx");
}

#[test]
fn unknown_targets_are_told() {
    let why = seeded::run(Path::new("."), "pica200", 1, 1).err().expect("nothing is known of it");
    assert_eq!(why, "faults are put into code of rdna, agx");
}
