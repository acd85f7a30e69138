//! What each command prints and answers, on small folders of its kind: `commands.txt`. `CHIARO_BLESS=1` rewrites it.

use std::path::Path;
use std::process::Command;

use chiaro_cases::Cases;

const COMMANDS: [&str; 15] = [
    "corpus tests/commands/corpora",
    "corpus tests/commands/nowhere",
    "piglit tests/commands/piglit",
    "piglit tests/commands/piglit colour",
    "piglit tests/commands/piglit --target pica200",
    "piglit tests/commands/piglit --target utgard-gp colour",
    "shaders tests/commands/shaders --target pica200",
    "shaders tests/commands/shaders --target utgard-gp",
    "glsl tests/commands/nowhere",
    "opt tests/commands/nowhere",
    "vectors tests/commands/shaders --target agx",
    "vectors tests/commands/nowhere",
    "fuzz --target pica200 --count 12 --seed 3",
    "fuzz --target utgard-gp --count 12 --seed 3",
    "public tests/commands/nowhere",
];

/// A report without what a clock says: words that end in a unit of time.
fn timeless(text: &str) -> String {
    let line = |line: &str| {
        let words = line.split(' ');
        let is_time = |word: &&str| matches!(word.trim_end_matches(','), "s" | "ms" | "us");
        if words.clone().any(|word| is_time(&word)) { "(a time)".to_owned() } else { line.to_owned() }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A command with what it prints and answers.
fn said(line: &str) -> String {
    let command = Command::new(env!("CARGO_BIN_EXE_chiaro-filetest"))
        .args(line.split(' '))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CHIARO_VECTORS")
        .output()
        .expect("the command runs");
    let text = |bytes: &[u8]| timeless(&String::from_utf8_lossy(bytes));
    let code = command.status.code();
    format!("$ {line}\n{}{}\n= {code:?}\n\n", text(&command.stdout), text(&command.stderr))
}

#[test]
fn commands_say_what_is_written_down() {
    let out: String = COMMANDS.into_iter().map(said).collect();
    let mut cases = Cases::new();
    cases.file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands.txt"), Some(&out));
    cases.finish();
}

/// What runs on a driver says so where it is not built.
#[cfg(not(feature = "lavapipe"))]
#[test]
fn commands_that_need_a_driver_are_skipped_without_it() {
    for line in ["lavapipe tests/commands/nowhere", "textures", "rays", "golden tests/commands/nowhere"] {
        let said = said(line);
        assert!(
            said.contains("\nskipped: this program was built without the feature `lavapipe`\n"),
            "{said}"
        );
    }
}
