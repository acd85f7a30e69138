//! Folders and files that may not be read, and names that are no text: each is a row of its own, and the rest is looked
//! at all the same.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

const SHADER: &str = "#version 100\nattribute vec4 p;\nvoid main() { gl_Position = p; }\n";

/// Somebody for whom files can be closed: the superuser reads everything.
const NOBODY: u32 = 65534;

/// Calls chiaro as somebody who may not read everything; nothing where nobody else may call it.
fn chiaro(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    command.args(arguments).current_dir(folder);
    if fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0) {
        command.uid(NOBODY);
    }
    command.output().ok()
}

#[test]
fn what_may_not_be_read_is_a_row() {
    let folder = std::env::temp_dir().join(format!("chiaro-closed-{}", std::process::id()));
    for (name, text) in [("open/a.vert", SHADER), ("open/file.vert", SHADER), ("open/closed/b.vert", SHADER)]
    {
        fs::create_dir_all(folder.join(name).parent().expect("a folder")).expect("it can be made");
        fs::write(folder.join(name), text).expect("it can be written");
    }
    let closed = ["open/closed", "open/file.vert"];
    closed.iter().for_each(|name| {
        fs::set_permissions(folder.join(name), Permissions::from_mode(0o000)).expect("it can be closed");
    });
    let report = chiaro(&folder, &["report", "open", "--target", "pica200"]);
    let batch = chiaro(&folder, &["batch", "open", "--target", "pica200", "-q"]);
    let alone = chiaro(&folder, &["report", "open/closed", "--target", "pica200", "--format", "csv"]);
    fs::set_permissions(folder.join("open/closed"), Permissions::from_mode(0o700)).expect("it can be opened");
    fs::remove_dir_all(&folder).expect("it can be removed");
    let (Some(report), Some(batch), Some(alone)) = (report, batch, alone) else { return };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&report.stdout) + &text(&report.stderr);
    assert_eq!(report.status.code(), Some(1), "{said}");
    for line in [
        "open/closed for pica200: `open/closed` may not be read (its permissions",
        "open/file.vert for pica200: `open/file.vert` may not be read (its permissions",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert!(said.contains("1 compiled, 2 failed"), "{said}");
    assert_eq!(text(&batch.stdout).lines().count(), 3, "{}", text(&batch.stdout));
    let said = text(&alone.stderr);
    assert!(alone.status.code() == Some(1) && said.contains("cannot look through `open/closed`"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_are_told_apart() {
    use std::os::unix::ffi::OsStrExt;
    let folder = std::env::temp_dir().join(format!("chiaro-names-{}", std::process::id()));
    fs::create_dir_all(folder.join("s")).expect("a folder");
    for name in [b"a\xfe.vert", b"a\xff.vert"] {
        fs::write(folder.join("s").join(std::ffi::OsStr::from_bytes(name)), SHADER).expect("a file");
    }
    fs::write(folder.join("chiaro.toml"), "shaders = [\"s\"]\ntargets = [\"pica200\"]\n").expect("a file");
    let ran = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
        let output = command.args(arguments).current_dir(&folder).output().expect("chiaro runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("what is printed is text")
    };
    ran(&["gate", "--update"]);
    let baseline = fs::read_to_string(folder.join("chiaro.baseline")).expect("a baseline");
    let held = ran(&["gate"]);
    let cache = ["batch", "-q", "--cache", "cache"];
    let (cold, warm) = (ran(&cache), ran(&cache));
    fs::remove_dir_all(&folder).expect("it can be removed");
    assert!(
        baseline.contains("s/a\\xfe.vert pica200") && baseline.contains("s/a\\xff.vert pica200"),
        "{baseline}"
    );
    assert!(held.starts_with("0 over budget, 0 changed and allowed, 2"), "{held}");
    assert!(cold == warm && cold.lines().count() == 2, "{cold}");
}

/// What an unfinished run left beside the output is used and gone when the output is whole; without `--resume` it is
/// nobody's business.
#[test]
fn parts_of_an_unfinished_run_go_with_it() {
    let folder = std::env::temp_dir().join(format!("chiaro-parts-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("a.vert"), SHADER).expect("a file");
    let parts = folder.join("rows.jsonl.parts");
    let left = |resume: &[&str]| {
        fs::create_dir_all(&parts).expect("a folder");
        let all = [&["batch", "a.vert", "--target", "pica200", "-q", "-o", "rows.jsonl"], resume].concat();
        let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
        let output = command.args(&all).current_dir(&folder).output().expect("chiaro runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(fs::read_to_string(folder.join("rows.jsonl")).expect("rows").lines().count(), 1);
        parts.exists()
    };
    let (without, with) = (left(&[]), left(&["--resume"]));
    fs::remove_dir_all(&folder).expect("it can be removed");
    assert!(without && !with);
}
