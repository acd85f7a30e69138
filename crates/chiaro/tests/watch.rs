//! `--watch`: a change of a source, or of what it includes, gives a new result.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a change may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The process, ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Waits until the file holds something that is `wanted`.
fn wait(path: &Path, wanted: impl Fn(&str) -> bool) {
    let start = Instant::now();
    while !fs::read_to_string(path).is_ok_and(|text| wanted(&text)) {
        assert!(start.elapsed() < PATIENCE, "{} never became what it should", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn changes_are_compiled() {
    let folder = folder("changes");
    let shader = |factor: &str| {
        format!(
            "#version 310 es\n#extension GL_GOOGLE_include_directive : require\n#include \"k.glsl\"\n\
             in vec4 p;\nvoid main() {{ gl_Position = p * {factor}; }}\n"
        )
    };
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("the file can be written");
    write("k.glsl", "const float k = 2.0;\n");
    write("a.vert", &shader("k"));
    let child = Command::new(env!("CARGO_BIN_EXE_chiaro"))
        .args([
            "compile", "a.vert", "--target", "pica200", "--emit", "json", "-o", "out.json", "--watch", "-q",
        ])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _running = Running(child.expect("chiaro runs"));
    let out = folder.join("out.json");
    wait(&out, |text| text.contains("\"words\""));
    fs::remove_file(&out).expect("the result can be removed");
    // As editors do: a new file in the place of the old one.
    write("k.new", "const float k = 3.0;\n");
    fs::rename(folder.join("k.new"), folder.join("k.glsl")).expect("the file can be renamed");
    wait(&out, |text| text.contains("\"words\""));
    // An error does not end the watch.
    fs::remove_file(&out).expect("the result can be removed");
    write("a.vert", "#version 310 es\nvoid main() { nonsense }\n");
    std::thread::sleep(Duration::from_millis(300));
    write("a.vert", &shader("(k + 1.0)"));
    wait(&out, |text| text.contains("\"words\""));
}
