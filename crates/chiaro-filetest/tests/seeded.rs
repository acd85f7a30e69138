//! Faults in code of others: a sample of what `chiaro-filetest seeded` does, on the repository's own vectors.

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

#[test]
fn unknown_targets_are_told() {
    let why = seeded::run(Path::new("."), "pica200", 1, 1).err().expect("nothing is known of it");
    assert_eq!(why, "faults are put into code of rdna, agx");
}
