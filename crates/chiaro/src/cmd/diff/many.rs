//! Folders or patterns compared, shader by shader: rows are matched by their names below either.

pub mod forms;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::compare::Difference;
use super::{Options, Side};
use crate::cmd::report::place;
use crate::input;
use crate::made::Made;
use crate::shell::{Failure, Shell, Voice};
use crate::survey::files::{Program, is_pattern, name_of_program, programs, root_of};
use crate::survey::{Unit, absent_stage, messages, name, units};

/// A row of both sides.
pub struct Compared<T> {
    /// What both call it, below what was named.
    pub name: String,
    /// The targets of the first and the second.
    pub targets: [&'static str; 2],
    /// What came of it.
    pub outcome: Outcome<T>,
}

/// What came of a row.
pub enum Outcome<T> {
    /// Both are the same, instruction by instruction.
    Same,
    /// They differ: by how much, and what the form tells of it.
    Differs(Box<Difference>, T),
    /// The first alone has it.
    Gone,
    /// The second alone has it.
    New,
    /// What is wrong with the first, and with the second.
    Failed([Option<String>; 2]),
    /// Of a stage that neither target runs.
    NotHere,
}

/// What a form tells of two programs that differ.
pub type Detail<'a, T> = &'a (dyn Fn(&Made, &Made, &Difference) -> T + Sync);

/// What came of a row on one side; nothing of a stage that the target does not run.
type One = Option<Result<Made, String>>;

/// Programs of both sides.
type Both = [Vec<Program>; 2];

/// Whether a path names many files: a folder, or a pattern.
pub fn is_many(path: &Path) -> bool {
    path.is_dir() || !path.exists() && is_pattern(path)
}

/// All rows, in the order of sides and names.
pub fn rows<T: Send>(
    options: &Options,
    sides: &[[Side<'_>; 2]],
    detail: Detail<'_, T>,
    shell: &mut Shell,
) -> Result<Vec<Compared<T>>, Failure> {
    let mut jobs = Vec::new();
    for sides in sides {
        jobs.extend(matched(sides, shell)?.into_values().map(|both| (sides, both)));
    }
    let all = jobs.par_iter().map(|(sides, both)| of_programs(options, sides, both, detail));
    let rows: Vec<Vec<Compared<T>>> = all.collect();
    Ok(rows.into_iter().flatten().collect())
}

/// Programs of both by their name below what was named; a file is compared with a file whatever they are called.
fn matched(sides: &[Side<'_>; 2], shell: &mut Shell) -> Result<BTreeMap<PathBuf, Both>, Failure> {
    if is_many(sides[0].file) != is_many(sides[1].file) {
        let message = "a folder or pattern is compared with another, not with a file";
        return Err(shell.misused(message, "name two files, or two folders"));
    }
    let mut all: BTreeMap<PathBuf, Both> = BTreeMap::new();
    for (n, side) in sides.iter().enumerate() {
        let root = root_of(side.file);
        for program in programs(std::slice::from_ref(side.file)).map_err(|error| shell.fail(*error))? {
            program.files.iter().for_each(|path| shell.inputs.note(path));
            let file = &program.files[0];
            let stem = name_of_program(file).unwrap_or_else(|| file.clone());
            let inside = stem.strip_prefix(&root).unwrap_or(&stem).to_owned();
            let key = if is_many(side.file) { inside } else { PathBuf::new() };
            all.entry(key).or_default()[n].push(program);
        }
    }
    Ok(all)
}

/// The rows of programs of one name.
fn of_programs<T>(
    options: &Options,
    sides: &[Side<'_>; 2],
    both: &Both,
    detail: Detail<'_, T>,
) -> Vec<Compared<T>> {
    let [old, new] = [0, 1].map(|n| {
        let all = both[n].iter().flat_map(|program| of_program(options, &sides[n], program));
        all.collect::<BTreeMap<String, One>>()
    });
    let mut pairs: BTreeMap<String, [Option<One>; 2]> = BTreeMap::new();
    for (n, side) in [old, new].into_iter().enumerate() {
        side.into_iter().for_each(|(key, one)| pairs.entry(key).or_default()[n] = Some(one));
    }
    let row = |(key, [before, after]): (String, [Option<One>; 2])| Compared {
        // A file has no name below itself.
        name: if is_many(sides[1].file) { key } else { name(sides[1].file) + &key },
        targets: [0, 1].map(|n| sides[n].target.about().name),
        outcome: outcome(before, after, detail),
    };
    pairs.into_iter().map(row).collect()
}

fn outcome<T>(before: Option<One>, after: Option<One>, detail: Detail<'_, T>) -> Outcome<T> {
    match (before, after) {
        (Some(Some(Ok(before))), Some(Some(Ok(after)))) => {
            let difference = Difference::of(&before, &after);
            if difference.is_empty(&before, &after) {
                return Outcome::Same;
            }
            let told = detail(&before, &after, &difference);
            Outcome::Differs(Box::new(difference), told)
        }
        (None | Some(None), None | Some(None)) => Outcome::NotHere,
        (Some(Some(Ok(_))), None | Some(None)) => Outcome::Gone,
        (None | Some(None), Some(Some(Ok(_)))) => Outcome::New,
        (before, after) => Outcome::Failed([before, after].map(|one| one.flatten().and_then(Result::err))),
    }
}

/// The rows of a program under their names below what was named.
fn of_program(options: &Options, side: &Side<'_>, program: &Program) -> Vec<(String, One)> {
    let mut shell = Shell::new(Voice::plain());
    let (file, files) = (below(side.file, &name(&program.files[0])), &program.files);
    if is_container(options, side, files, &mut shell) {
        let made = options.made(side, files, None, &mut shell).map_err(|_| said(&mut shell));
        return vec![(file, Some(made))];
    }
    let choices = options.module.with(&side.variant);
    let Ok(modules) = choices.load_all(files, None, &mut shell) else {
        let why = said(&mut shell);
        if files.len() > 1 {
            // What is wrong with one stage is no matter for the others.
            let alone = files.iter().map(|path| Program { files: vec![path.clone()] });
            return alone.flat_map(|one| of_program(options, side, &one)).collect();
        }
        let is_absent = absent_stage(&files[0], side.target).is_some();
        return vec![(file, (!is_absent).then_some(Err(why)))];
    };
    let mut of_unit = |unit: Unit| {
        let stage = unit.loaded.module.entries.first().map(|entry| entry.stage);
        if stage.is_some_and(|stage| !side.target.about().stages.contains(&stage)) {
            return (below(side.file, &unit.shader), None);
        }
        let made = options.made(side, files, Some(std::slice::from_ref(&unit.loaded)), &mut shell);
        let made = made.map(|made| Made { file: unit.shader.clone(), ..made });
        (below(side.file, &unit.shader), Some(made.map_err(|_| said(&mut shell))))
    };
    units(program, modules, options.entry.as_deref()).into_iter().map(&mut of_unit).collect()
}

fn is_container(options: &Options, side: &Side<'_>, files: &[PathBuf], shell: &mut Shell) -> bool {
    let [path] = files else { return false };
    options.raw || shell.read(path).is_ok_and(|bytes| input::is_container(side.target, path, &bytes))
}

/// What a row is called below what was named.
fn below(argument: &Path, shader: &str) -> String {
    let root = name(&root_of(argument));
    let inside = if root == "." { shader } else { shader.strip_prefix(&root).unwrap_or(shader) };
    inside.trim_start_matches('/').to_owned()
}

/// The first error that a shell has gathered, with its place.
fn said(shell: &mut Shell) -> String {
    messages(shell).first().map(place).unwrap_or_default()
}
