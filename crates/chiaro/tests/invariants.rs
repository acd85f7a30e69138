//! What `ARCHITECTURE.md` says of the crates, checked: what each depends on, that no target names
//! another, that there is one list of targets, that libraries read no files and no environment.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The crates by name.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("there are crates");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn folder(name: &str) -> PathBuf {
    root().join("crates").join(name)
}

/// The crates that implement the door.
fn targets() -> Vec<String> {
    crates().into_iter().filter(|name| folder(name).join("src/target.rs").exists()).collect()
}

/// The names in a section of a crate's manifest.
fn section(name: &str, heading: &str) -> BTreeSet<String> {
    let manifest = read(&folder(name).join("Cargo.toml"));
    let lines = manifest.lines().skip_while(|line| *line != heading).skip(1);
    let entries = lines.take_while(|line| !line.starts_with('['));
    let names = entries.filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect()
}

/// Source files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|end| end == "rs") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// The lines of a source that are code: neither comments nor the tests at its end.
fn code(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    lines.filter(|line| !line.trim_start().starts_with("//"))
}

/// What the code map says that a crate depends on: `Depends on ...` in the crate's paragraph.
fn stated(map: &str, name: &str) -> Option<BTreeSet<String>> {
    let paragraph = map.split(&format!("**`{name}`")).nth(1)?.split("\n**`").next()?;
    let sentence = paragraph.split("Depends on ").nth(1)?;
    let sentence = sentence.split(".\n").next()?.split(". ").next()?;
    let names = sentence.split('`').skip(1).step_by(2);
    Some(names.map(|name| format!("chiaro-{name}")).collect())
}

#[test]
fn crates_depend_on_what_the_code_map_says() {
    let map = read(&root().join("ARCHITECTURE.md"));
    let mut wrong = Vec::new();
    for name in crates() {
        let real: BTreeSet<String> =
            section(&name, "[dependencies]").into_iter().filter(|n| n.starts_with("chiaro-")).collect();
        match stated(&map, &name) {
            None => wrong.push(format!("{name}: the code map does not say what it depends on")),
            Some(stated) if stated != real => {
                wrong.push(format!("{name}: the code map says {stated:?}, Cargo.toml {real:?}"));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dependencies_are_used() {
    let mut unused = Vec::new();
    for name in crates() {
        let folder = folder(&name);
        let all: String = sources(&folder).iter().map(|path| read(path)).collect();
        for heading in ["[dependencies]", "[dev-dependencies]"] {
            for dependency in section(&name, heading) {
                if !all.contains(&dependency.replace('-', "_")) {
                    unused.push(format!("{name}: {dependency}"));
                }
            }
        }
    }
    assert!(unused.is_empty(), "dependencies that no source names:\n{}", unused.join("\n"));
}

#[test]
fn no_target_names_another() {
    let targets = targets();
    let mut wrong = Vec::new();
    for target in &targets {
        let others: Vec<_> = targets.iter().filter(|other| *other != target).collect();
        let depended = section(target, "[dependencies]");
        wrong.extend(
            others.iter().filter(|other| depended.contains(**other)).map(|o| format!("{target}: {o}")),
        );
        for path in sources(&folder(target).join("src")) {
            let text = read(&path);
            let named = |other: &&&String| code(&text).any(|line| line.contains(&other.replace('-', "_")));
            wrong.extend(others.iter().filter(named).map(|other| format!("{}: {other}", path.display())));
        }
    }
    assert!(targets.len() >= 2 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_list_names_the_targets() {
    let names: Vec<String> = targets().iter().map(|name| name.replace('-', "_")).collect();
    let mut lines = Vec::new();
    for path in sources(&folder("chiaro").join("src")) {
        let text = read(&path);
        let named = code(&text).filter(|line| names.iter().any(|name| line.contains(name.as_str())));
        lines.extend(named.map(|line| format!("{}: {line}", path.display())));
    }
    assert_eq!(lines.len(), names.len(), "one line for each target:\n{}", lines.join("\n"));
    assert!(lines.iter().all(|line| line.contains("lib.rs")), "{}", lines.join("\n"));
}

/// Crates whose business is files: the command, and what only developers run.
const MAY_READ: [&str; 4] = ["chiaro", "chiaro-cases", "chiaro-filetest", "chiaro-structure"];

#[test]
fn libraries_read_no_files_and_no_environment() {
    let mut wrong = Vec::new();
    for name in crates().iter().filter(|name| !MAY_READ.contains(&name.as_str())) {
        for path in sources(&folder(name).join("src")) {
            let text = read(&path);
            let reads = ["std::env::", "std::fs", "println!(", "Instant::now", "SystemTime"];
            let found = code(&text).filter(|line| reads.iter().any(|word| line.contains(word)));
            wrong.extend(found.map(|line| format!("{}: {}", path.display(), line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_engine_of_instructions_knows_no_target() {
    let mut wrong = Vec::new();
    for path in sources(&folder("chiaro-isa").join("src")) {
        let text = read(&path);
        let words = ["pica", "utgard", "mali", "adreno", "rdna", "shbin"];
        let found = code(&text).filter(|line| words.iter().any(|w| line.to_lowercase().contains(w)));
        wrong.extend(found.map(|line| format!("{}: {}", path.display(), line.trim())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
