//! The makefile for devkitPro's projects builds what it says, with a stand-in for devkitPro whose
//! compiler copies.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What the makefile uses of devkitPro's rules.
const RULES: &str = "\
CTRULIB := /nowhere
CC := $(DEVKITARM)/cc
%.smdh:
\ttouch $@
%.3dsx: %.elf
\tcp $< $@
%.elf:
\tcat $(OFILES) > $@
";

/// Copies the source, what it includes of ours, and says so.
const COMPILER: &str = "#!/bin/sh
while [ $# -gt 0 ]; do case $1 in -c) from=$2; shift;; -o) to=$2; shift;; -MF) dep=$2; shift;; esac; shift; done
echo compiled >> log
cat \"$from\" build/*_shbin.h > \"$to\"
echo \"$to: $from\" > \"$dep\"
";

fn project() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("makefile");
    let _ = fs::remove_dir_all(&folder);
    for sub in ["devkit", "demo/source", "demo/shaders"] {
        fs::create_dir_all(folder.join(sub)).expect("folders can be made");
    }
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("files can be written");
    write("devkit/3ds_rules", RULES);
    write("devkit/cc", COMPILER);
    write("demo/source/main.c", "#include \"lines_shbin.h\"\n");
    let copy =
        |from: &str, to: &str| fs::copy(root.join(from), folder.join(to)).expect("files can be copied");
    copy("examples/3ds/Makefile", "demo/Makefile");
    copy("examples/pica200/lines.vert", "demo/shaders/lines.vert");
    copy("examples/pica200/lines.geom", "demo/shaders/lines.geom");
    copy("examples/pica200/skinned.wgsl", "demo/shaders/skinned.wgsl");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(folder.join("devkit/cc"), mode).expect("the compiler can be made a program");
    folder
}

/// Runs make; nothing where there is none.
fn make(folder: &Path) -> Option<Output> {
    let binary = Path::new(env!("CARGO_BIN_EXE_chiaro")).parent().expect("the binary lies in a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("make");
    command.current_dir(folder.join("demo")).env("PATH", path).env("DEVKITARM", folder.join("devkit"));
    command.output().ok()
}

#[test]
fn a_project_is_built_and_built_again() {
    let folder = project();
    let Some(output) = make(&folder) else {
        println!("skipped: there is no make");
        return;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let made = fs::read_to_string(folder.join("demo/demo.3dsx")).expect("the program is there");
    for array in ["uint8_t lines_shbin[]", "uint8_t skinned_shbin[]"] {
        assert!(made.contains(array), "{array}: {made}");
    }
    let compiled = || fs::read_to_string(folder.join("demo/log")).map_or(0, |log| log.lines().count());
    assert!(make(&folder).is_some_and(|output| output.status.success()));
    assert_eq!(compiled(), 1, "nothing has changed");
    // The geometry shader is known from the dependency file alone.
    let geometry = folder.join("demo/shaders/lines.geom");
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::options().append(true).open(&geometry).and_then(|f| f.set_modified(later)).expect("touched");
    assert!(make(&folder).is_some_and(|output| output.status.success()));
    assert_eq!(compiled(), 2, "the geometry shader has changed");
}
