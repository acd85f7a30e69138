//! AGX's rows of a driver of others, and its random keys: what is right passes, and what is not is noticed.

use std::fs;
use std::path::Path;

use chiaro_filetest::fuzz::keys;
use chiaro_filetest::vectors::check_target_folder;
use serde_json::Value;

/// The rows of the file, each with the first word of one thing that comes out changed in bits that count.
fn changed(text: &str) -> String {
    let mut all = String::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let row: Value = serde_json::from_str(line).expect("JSON");
        for name in row["out"].as_object().expect("what comes out").keys() {
            let words = row["out"][name].as_str().expect("words");
            let first = u32::from_str_radix(&words[..8], 16).expect("a word") ^ 0x4040_4000;
            let mut row = row.clone();
            row["out"][name] = format!("{first:08x}{}", &words[8..]).into();
            all += &format!("{row}\n");
        }
    }
    all
}

#[test]
fn numbers_that_are_not_the_drivers_are_noticed() {
    let rows =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-agx/tests/vectors/lavapipe_corpus.jsonl");
    let text = fs::read_to_string(rows).expect("the rows are there");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lavapipe-changed");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("lavapipe_corpus.jsonl"), changed(&text)).expect("it is written");
    let report = check_target_folder(&folder, "agx").expect("it is read");
    assert!(report.rows() > 100, "{report}");
    assert_eq!(report.failed(), report.rows(), "{report}");
}

#[test]
fn random_keys_mean_what_they_say() {
    let report = keys::run(60, 2000);
    assert!(report.passed(), "{}", report.table());
    assert!(report.passed > 45, "{}", report.table());
}

/// Seeds of keys that failed once: in one piece a clamp reached values that others read, and numbers lay where addresses
/// are; main parts were said to read what
/// killed lanes and those that leave several levels had not written; targets without room had no memory.
#[test]
fn seeds_that_failed_once_pass() {
    let clamped = [2_002_005, 44_019_795, 44_015_115, 44_019_961];
    let linked = [44_005_215, 44_006_782, 44_011_081, 44_013_139, 44_020_761];
    let spilled = [44_012_923, 44_015_215, 44_018_905, 44_024_093, 44_027_435];
    let placed = [47_064_349, 47_084_339, 47_097_037];
    // A lane that has killed the sample that it shades may read anything.
    let dead = [47_076_681];
    for seed in clamped.into_iter().chain(linked).chain(spilled).chain(placed).chain(dead) {
        let report = keys::run(1, seed);
        assert!(report.passed(), "{}", report.table());
    }
}

#[test]
fn programs_of_other_keys_are_noticed() {
    let noticed = keys::noticed(2001..2041);
    assert!(noticed > 5, "{noticed}");
}
