//! Output that nobody can take: a full disk is a failure that is told, a reader who has enough is not.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn chiaro(arguments: &str, stdout: impl Into<Stdio>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chiaro"));
    command.args(arguments.split(' ')).stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped());
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).output().expect("chiaro runs")
}

/// Commands that print: all there are, and the help of clap. `@` stands for a container.
const PRINTING: [&str; 46] = [
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
    "check examples/glsl/phong.vert --message-format json",
    "asm examples/pica200/lamps.v.pica",
    "asm examples/pica200/lamps.v.pica -o -",
    "compile examples/glsl/phong.vert --emit ir",
    "compile examples/glsl/phong.vert --target a3xx -o -",
    "report examples/pica200/skinned.wgsl --target pica200",
    "report examples/glsl/phong.vert examples/glsl/sprite.vert --target all --format csv",
    "batch examples/glsl/phong.vert --target all",
    "diff examples/glsl/phong.vert examples/glsl/sprite.vert --target pica200",
    "timeline examples/glsl/phong.vert --target pica200",
    "gate --project examples/gate/chiaro.toml",
    "init examples/glsl -o -",
    "run examples/pica200/lamps.v.pica",
    "run examples/pica200/lamps.v.pica --trace",
    "run examples/pica200/lamps.v.pica --trace=table",
    "run examples/wgsl/scale.wgsl --inputs examples/wgsl/scale.json",
    "lift @ --to ir",
    "draw crates/chiaro/tests/draw/cube.json -o -",
    "explain pica200 0x4e000000",
    "explain a3xx 40100005_28030004",
    "sample pica200",
    "ref a3xx -o -",
    "completions zsh",
    "man compile",
    "trace examples/rdna/rt/records/scene.json -o @.png",
    "pipeline --help",
    "link --help",
    "abi --help",
    "lsp --help",
    "dap --help",
    "check @",
    "dis @",
    "dis @ --json",
    "info @",
    "info @ --json",
];

/// The commands, with a container in its place.
fn printing() -> Vec<String> {
    let container = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("full{}.shbin", std::process::id()));
    let container = container.display().to_string();
    let made = chiaro(&format!("asm examples/pica200/lamps.v.pica -o {container}"), Stdio::null());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    PRINTING.iter().map(|line| line.replace('@', &container)).collect()
}

/// No command is forgotten that `--help` lists.
#[test]
fn every_command_is_tried() {
    let help = String::from_utf8(chiaro("--help", Stdio::piped()).stdout).expect("help is text");
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What goes on in the next line stands further to the right.
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 10, "{help}");
    for name in names {
        assert!(PRINTING.iter().any(|line| line.split(' ').next() == Some(name)), "`{name}` is not tried");
    }
}

#[test]
fn a_full_disk_is_told() {
    for arguments in printing() {
        let full = File::options().write(true).open("/dev/full").expect("there is /dev/full");
        let output = chiaro(&arguments, full);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert!(said.contains("cannot write `<standard output>`: No space left"), "{arguments}: {said}");
    }
}

#[test]
fn a_reader_who_has_enough_hears_nothing() {
    for arguments in printing() {
        let (reader, writer) = std::io::pipe().expect("there are pipes");
        drop(reader);
        let output = chiaro(&arguments, writer);
        let said = String::from_utf8_lossy(&output.stderr);
        // Warnings about inputs that are not given are none of the reader's.
        let is_silent = !said.contains("error") && !said.contains("cannot write");
        assert!(output.status.success() && is_silent, "{arguments}: {:?} {said}", output.status);
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

/// A folder that has room for a little: what does not fit leaves nothing behind, and a cache that takes no more is no
/// failure. Where no such folder can be made, as without the rights for it, there is nothing to try.
#[test]
fn a_small_disk_holds_nothing_half() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("small");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let small = folder.display().to_string();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=16k", "tmpfs", &small]).output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        return;
    }
    let shaders = "examples/glsl/phong.vert examples/glsl/sprite.vert examples/glsl/skin.vert --target all";
    let writing = [
        format!("report {shaders} --format html -o {small}/page.html"),
        format!("batch {shaders} -o {small}/rows.jsonl"),
        format!("timeline examples/glsl/skin.vert --target a3xx --format trace -o {small}/trace.json"),
    ];
    let ran: Vec<Output> = writing.iter().map(|line| chiaro(line, Stdio::piped())).collect();
    let left = std::fs::read_dir(&folder).map(Iterator::count);
    let cached = chiaro(&format!("batch {shaders} --cache {small}/cache"), Stdio::piped());
    let plain = chiaro(&format!("batch {shaders}"), Stdio::piped());
    let unmounted = Command::new("umount").arg(&small).status();
    for (line, output) in writing.iter().zip(ran) {
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains("No space left") && said.contains("make room there"), "{line}: {said}");
    }
    assert_eq!(left.ok(), Some(0), "nothing is left");
    let said = String::from_utf8_lossy(&cached.stderr);
    assert!(cached.status.success() && said.contains("the cache does not take everything"), "{said}");
    assert!(cached.stdout == plain.stdout, "the rows are the same");
    assert!(unmounted.is_ok_and(|status| status.success()), "{small} is mounted still");
}
