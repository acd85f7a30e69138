//! Every runner of vectors notices a wrong row: rows that pass fail with damage to what they expect.
//! Which damage, says `planted.tsv`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chiaro_filetest::suite::Miss;
use chiaro_filetest::vectors::{check_text, files_with_checks};
use serde_json::Value;

/// Rows of each file that are damaged.
const ROWS: usize = 3;
/// Rows that are looked at until so many are found.
const LOOKED_AT: usize = 400;

/// A place in a row.
struct Damage<'a> {
    target: &'a str,
    file: &'a str,
    place: &'a str,
    character: usize,
}

fn planted() -> Vec<Damage<'static>> {
    let rows = include_str!("planted.tsv").lines().filter(|line| !line.starts_with('#'));
    let row = |line: &'static str| match line.split('\t').collect::<Vec<_>>()[..] {
        [target, file, place, character] => {
            Damage { target, file, place, character: character.parse().expect("a number") }
        }
        _ => panic!("{line}"),
    };
    rows.map(row).collect()
}

impl Damage<'_> {
    /// A file of this crate's neighbours, or of the larger set; `None` if it is in neither.
    fn path(&self) -> Option<PathBuf> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let ours = match self.target {
            "utgard-gp" => crates.join("chiaro-utgard/tests/vectors"),
            other => crates.join(format!("chiaro-{other}/tests/vectors")),
        };
        let larger = std::env::var_os("CHIARO_VECTORS").map(|folder| Path::new(&folder).join(self.target));
        let folders = [Some(ours.clone()), Some(ours.join("compile")), larger];
        folders.into_iter().flatten().map(|folder| folder.join(self.file)).find(|path| path.exists())
    }

    /// The row with the place changed; `None` if it has no such place.
    fn plant(&self, row: &str) -> Option<String> {
        if let Ok(column) = self.place.parse::<usize>() {
            let mut columns: Vec<String> = row.split('\t').map(str::to_owned).collect();
            let cell = columns.get_mut(column.checked_sub(1)?)?;
            *cell = self.changed(cell)?;
            return Some(columns.join("\t"));
        }
        let mut value: Value = serde_json::from_str(row).ok()?;
        let leaf = leaf(value.pointer_mut(self.place)?)?;
        *leaf = match &*leaf {
            Value::String(text) => Value::from(self.changed(text)?),
            // A number that no tolerance reaches, whole where it was.
            number => match number.as_i64() {
                Some(whole) => Value::from(whole.unsigned_abs() * 2 + 1000),
                None => Value::from(number.as_f64()?.abs() * 2.0 + 1000.0),
            },
        };
        Some(value.to_string())
    }

    /// A text with one of its characters changed to another of its kind: still a number or a word.
    fn changed(&self, text: &str) -> Option<String> {
        let mut all: Vec<char> = text.chars().collect();
        let old = all.get_mut(self.character)?;
        *old = match *old {
            '0' => '1',
            '0'..='9' => '0',
            'a'..='e' => 'f',
            'f' => 'a',
            'x' => 'y',
            _ => 'x',
        };
        Some(all.into_iter().collect())
    }
}

fn leaf(value: &mut Value) -> Option<&mut Value> {
    match value {
        Value::Array(all) => all.iter_mut().find_map(leaf),
        Value::Object(all) => all.values_mut().find_map(leaf),
        Value::Null | Value::Bool(_) => None,
        leaf => Some(leaf),
    }
}

#[test]
fn runners_notice_damage() {
    let (mut missed, mut absent) = (Vec::new(), Vec::new());
    for damage in planted() {
        let Damage { target, file, place, .. } = damage;
        let Some(path) = damage.path() else {
            absent.push(file);
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("vectors");
        let folder = path.parent().expect("a folder");
        let outcome = |row: &str| check_text(target, file, folder, row);
        let rows = text.lines().filter(|row| !row.starts_with('#') && !row.is_empty()).take(LOOKED_AT);
        let damaged: Vec<_> = rows.filter_map(|row| Some((row, damage.plant(row)?))).collect();
        let with = |wanted: fn(&Result<(), Miss>) -> bool| {
            let found = damaged.iter().filter(|(row, _)| wanted(&outcome(row)));
            found.take(ROWS).collect::<Vec<_>>()
        };
        let mut found = with(Result::is_ok);
        if found.is_empty() {
            // Every row of some files is skipped for another of its columns: what is damaged must fail none the less.
            found = with(|outcome| matches!(outcome, Err(Miss::Skipped(_))));
        }
        if found.is_empty() {
            missed.push(format!("{target}/{file}: no row that passes has {place}"));
        }
        let blind = found.iter().filter(|(_, wrong)| !matches!(outcome(wrong), Err(Miss::Failed(_))));
        missed.extend(blind.map(|(row, wrong)| {
            format!("{target}/{file}: damage to {place} gives {:?}: {row:.300}", outcome(wrong))
        }));
    }
    println!("not there: {absent:?}");
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn every_runner_has_damage() {
    let planted = planted();
    let named: BTreeSet<(&str, &str)> = planted.iter().map(|damage| (damage.target, damage.file)).collect();
    let without: Vec<_> = files_with_checks().into_iter().filter(|suite| !named.contains(suite)).collect();
    assert_eq!(without, []);
}
