//! The vectors of the repository, and those of the folder that `CHIARO_VECTORS` names.

use std::path::Path;

use chiaro_filetest::vectors::{Report, check_folder, check_target_folder};

fn assert_clean(report: &Report) {
    println!("{report}");
    assert_eq!(report.failed(), 0, "\n{report}");
}

#[test]
fn the_vectors_of_the_repository_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-pica200/tests/vectors");
    let report = check_target_folder(&folder, "pica200").unwrap();
    assert!(report.rows() > 1000, "\n{report}");
    assert_clean(&report);
}

#[test]
fn the_vectors_of_utgard_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-utgard/tests/vectors");
    let report = check_target_folder(&folder, "utgard-gp").unwrap();
    assert!(report.rows() > 150, "\n{report}");
    assert_clean(&report);
    let report = check_target_folder(&folder.join("compile"), "utgard-gp").unwrap();
    assert!(report.rows() > 20, "\n{report}");
    assert_clean(&report);
}

#[test]
fn the_vectors_of_a3xx_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-a3xx/tests/vectors");
    let report = check_target_folder(&folder, "a3xx").unwrap();
    assert!(report.rows() > 500, "\n{report}");
    assert_clean(&report);
}

#[test]
fn the_vectors_of_rdna_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-rdna/tests/vectors");
    let report = check_target_folder(&folder, "rdna").unwrap();
    assert!(report.rows() > 380, "\n{report}");
    assert_clean(&report);
}

#[test]
fn the_vectors_of_agx_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../chiaro-agx/tests/vectors");
    let report = check_target_folder(&folder, "agx").unwrap();
    assert!(report.rows() > 1000, "\n{report}");
    assert_clean(&report);
}

#[test]
fn the_vectors_of_the_environment_hold() {
    let Some(folder) = std::env::var_os("CHIARO_VECTORS") else { return };
    assert_clean(&check_folder(Path::new(&folder), None).unwrap());
}

#[test]
fn what_is_not_checked_is_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors");
    let target = folder.join("pica200");
    std::fs::create_dir_all(&target).unwrap();
    std::fs::create_dir_all(folder.join("voodoo")).unwrap();
    std::fs::write(target.join("strange.tsv"), "1\t2\n").unwrap();
    std::fs::write(target.join("float24_encode.tsv"), "# head\ntext\t1.0\t3f0000\ntext\t1.0\t3f0001\nbad\n")
        .unwrap();
    let report = check_folder(&folder, None).unwrap();
    assert_eq!((report.rows(), report.failed(), report.files[0].passed), (3, 2, 1));
    let text = report.to_string();
    for piece in [
        "line 3: `1.0` became 3f0000",
        "line 4: the row has 1 columns, not 3",
        "pica200/strange.tsv              skipped: no check knows this name",
        "voodoo                           skipped: chiaro has no such target",
    ] {
        assert!(text.contains(piece), "{piece} is not in\n{text}");
    }
    assert!(check_folder(&folder, Some("agx")).is_err());
}
