//! Output that nobody can take: a full disk is a failure that is told, a reader who has enough is not.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn chiaro(arguments: &str, stdout: impl Into<Stdio>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    command.args(arguments.split(' ')).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).output().expect("chiaro runs")
}

/// Commands that print, the help of clap among them.
const PRINTING: [&str; 11] = [
    "--help",
    "-h",
    "compile --help",
    "help run",
    "--version",
    "targets",
    "completions bash",
    "man",
    "ref pica200",
    "compile examples/pica200/skinned.wgsl --target pica200",
    "check examples/glsl/phong.vert",
];

#[test]
fn a_full_disk_is_told() {
    for arguments in PRINTING {
        let full = File::options().write(true).open("/dev/full").expect("there is /dev/full");
        let output = chiaro(arguments, full);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert!(said.contains("cannot write `<standard output>`: No space left"), "{arguments}: {said}");
    }
}

#[test]
fn a_reader_who_has_enough_hears_nothing() {
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let output = chiaro(arguments, writer);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{arguments}: {:?} {said}", output.status);
    }
}

/// What cannot be printed keeps files from appearing: all or nothing.
#[test]
fn files_do_not_appear_beside_what_failed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let header = folder.join("lamps.h");
    for container in ["/dev/full", "-"] {
        let full = File::options().write(true).open("/dev/full").expect("there is /dev/full");
        let line = format!("asm examples/pica200/lamps.v.pica -o {container} --header {}", header.display());
        let output = chiaro(&line, full);
        assert_eq!(output.status.code(), Some(1), "{container}");
        assert_eq!(std::fs::read_dir(&folder).expect("the folder is there").count(), 0, "{container}");
    }
}
