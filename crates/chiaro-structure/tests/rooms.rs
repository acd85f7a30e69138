//! The folders of the targets against the list of rooms in `ARCHITECTURE.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Targets that are complete: they have every room of theirs. The others may lack some.
const COMPLETE: [&str; 2] = ["pica200", "utgard"];

/// Targets by the name of their crate.
const TARGETS: [&str; 5] = ["pica200", "utgard", "a3xx", "rdna", "agx"];

/// A row of the list.
struct Room {
    name: String,
    /// Targets that have it.
    targets: BTreeSet<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the table below the heading.
fn rooms(text: &str) -> Vec<Room> {
    let section = text.split("## Rooms of a target").nth(1).expect("the list of rooms");
    let section = section.split("\n## ").next().unwrap_or(section);
    section.lines().filter(|line| line.starts_with("| `")).map(room).collect()
}

fn room(line: &str) -> Room {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let all: BTreeSet<String> = TARGETS.map(str::to_owned).into();
    let listed = |text: &str| -> BTreeSet<String> {
        let names = text.split(':').next().unwrap_or_default();
        names.split(',').map(|name| name.trim().to_owned()).collect()
    };
    let targets = match cells[2] {
        "all" => all,
        place => match place.strip_prefix("all but ") {
            Some(without) => all.difference(&listed(without)).cloned().collect(),
            None => listed(place),
        },
    };
    assert!(targets.is_subset(&TARGETS.map(str::to_owned).into()), "unknown target: {line}");
    Room { name: cells[0].trim_matches('`').to_owned(), targets }
}

/// Files and folders of a target's crate that are rooms: those of `src`, and those of `src/compile`.
fn found(target: &str) -> Option<BTreeSet<String>> {
    let source = root().join("crates").join(format!("chiaro-{target}")).join("src");
    let names = |folder: &Path, prefix: &str| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let name = |path: PathBuf| {
            Some(format!("{prefix}{}", path.with_extension("").file_name()?.to_string_lossy()))
        };
        entries.filter_map(|entry| name(entry.path())).collect()
    };
    let all = names(&source, "").into_iter().chain(names(&source.join("compile"), "compile/")).collect();
    source.is_dir().then_some(all)
}

/// What is wrong with a target's folders.
fn compare(rooms: &[Room], target: &str, found: &BTreeSet<String>, is_complete: bool) -> Vec<String> {
    let own = |room: &&Room| room.targets.contains(target);
    let allowed: BTreeSet<String> = rooms.iter().filter(own).map(|room| room.name.clone()).collect();
    let strange = found.difference(&allowed).map(|name| format!("{target}: `{name}` is no room of it"));
    let missing = allowed.difference(found).filter(|_| is_complete);
    strange.chain(missing.map(|name| format!("{target}: the room `{name}` is missing"))).collect()
}

#[test]
fn targets_have_the_rooms_of_the_list() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rooms = rooms(&text);
    let wrong = TARGETS.iter().filter_map(|target| Some((target, found(target)?)));
    let wrong: Vec<String> = wrong
        .flat_map(|(target, found)| compare(&rooms, target, &found, COMPLETE.contains(target)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn strange_and_missing_rooms_are_found() {
    let text = "## Rooms of a target\n| `isa` | rows | all |\n| `dag` | own IR | utgard |\n| `gone` | - | all but a3xx: no |\n## Next\n| `x` | | all |\n";
    let rooms = rooms(text);
    let found = ["isa", "dag", "misc"].map(str::to_owned).into();
    let told = compare(&rooms, "utgard", &found, true);
    assert_eq!(told, ["utgard: `misc` is no room of it", "utgard: the room `gone` is missing"]);
    assert_eq!(
        compare(&rooms, "a3xx", &found, true),
        ["a3xx: `dag` is no room of it", "a3xx: `misc` is no room of it"]
    );
}
