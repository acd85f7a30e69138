//! Which files are looked at: files, folders and patterns to programs, in an order that no file system decides.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use chiaro::{ModuleLanguage, Role, TARGETS, stage_of};
use chiaro_diag::Diagnostic;
use globset::{GlobBuilder, GlobMatcher};
use walkdir::WalkDir;

use crate::input::is_stdin;

/// Sources that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The files: several are the stages of one GLSL program.
    pub files: Vec<PathBuf>,
}

/// The most files that a folder may hold before somebody has to say which.
const MOST_FILES: usize = 1_000_000;

/// The programs that arguments name. A file is itself; of a folder, all shaders in it and below; of a pattern
/// (`*`, `?`, `[...]`, `{a,b}`, and `**` for any folders), what fits. GLSL stages of one folder and name,
/// `water.vert` and `water.frag`, are a program.
///
/// # Errors
/// Names that nothing stands behind, and patterns that cannot be read.
pub fn programs(arguments: &[PathBuf]) -> Result<Vec<Program>, Box<Diagnostic>> {
    let mut all = Vec::new();
    for argument in arguments {
        let found = expanded(argument)?;
        if found.is_empty() {
            let what = if argument.is_dir() { "there is no shader in" } else { "no file fits" };
            return Err(Diagnostic::error(None, format!("{what} `{}`", argument.display()))
                .help("shaders are known by their endings: .vert .frag .comp .geom, .wgsl, .spv, and those of containers").into());
        }
        all.extend(found);
    }
    Ok(grouped(all))
}

fn expanded(argument: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    if argument.is_dir() {
        return walked(argument, &|path| is_shader(path));
    }
    if argument.exists() || !is_pattern(argument) {
        return regular(argument).map(|()| vec![plain(argument)]);
    }
    let folder = before_pattern(argument);
    // What stands before the pattern is a folder by its name, whatever characters it has.
    let pattern = plain(argument);
    let rest = pattern.strip_prefix(plain(&folder)).unwrap_or(&pattern).to_string_lossy().into_owned();
    let matcher = matcher(&rest)?;
    walked(&folder, &|path| matcher.is_match(path.strip_prefix(plain(&folder)).unwrap_or(path)))
}

/// Whether a path has characters that mean something in patterns.
pub fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// A path without parts that mean nothing: `./a//b` is `a/b`, so that a file has one name.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, std::path::Component::CurDir)).collect()
}

/// A source is read more than once, and by several threads: it has to be a file.
fn regular(path: &Path) -> Result<(), Box<Diagnostic>> {
    let told = |what: String, help: &str| Err(Diagnostic::error(None, what).help(help).into());
    match std::fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(()),
        Ok(_) => {
            told(format!("`{}` is no file", path.display()), "write what it gives to a file, and name that")
        }
        Err(_) if is_stdin(path) => {
            told("several rows cannot come from standard input".to_owned(), "name a file")
        }
        Err(error) => {
            told(format!("cannot read `{}`: {error}", path.display()), "name a file, a folder or a pattern")
        }
    }
}

/// A pattern of paths.
///
/// # Errors
/// What is wrong with it.
pub fn matcher(pattern: &str) -> Result<GlobMatcher, Box<Diagnostic>> {
    let pattern = plain(Path::new(pattern)).to_string_lossy().into_owned();
    let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| {
        Diagnostic::error(None, format!("the pattern `{pattern}` cannot be read: {}", error.kind())).into()
    })
}

/// What names of programs are seen from: a folder, or that of a pattern; of a file itself.
pub fn root_of(argument: &Path) -> PathBuf {
    let root = if argument.exists() || !is_pattern(argument) {
        plain(argument)
    } else {
        plain(&before_pattern(argument))
    };
    if root.as_os_str().is_empty() { PathBuf::from(".") } else { root }
}

/// The folder that everything which fits a pattern is in: as far as it is there by its name.
fn before_pattern(pattern: &Path) -> PathBuf {
    let mut folder = PathBuf::new();
    for part in pattern.components() {
        let longer = folder.join(part);
        if is_pattern(Path::new(part.as_os_str())) && !longer.is_dir() {
            break;
        }
        folder = longer;
    }
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

/// The files below a folder that are wanted, in the order of their names. Links to files count, those to folders
/// are not followed: no circle can be walked. What may not be looked into is wanted, too, so that it is told as
/// a row of its own.
fn walked(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    let mut found = Vec::new();
    if !folder.exists() {
        return Ok(found);
    }
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let (path, is_file) = match &entry {
            Ok(entry) => (plain(entry.path()), is_file(entry)),
            Err(error) => match error.path().filter(|path| *path != folder) {
                Some(closed) => {
                    found.push(plain(closed));
                    continue;
                }
                None => {
                    let message = format!("cannot look through `{}`: {error}", folder.display());
                    return Err(Diagnostic::error(None, message).help("it has to be readable").into());
                }
            },
        };
        if is_file && is_wanted(&path) {
            found.push(path);
        }
        if found.len() > MOST_FILES {
            let message = format!("there are more than {MOST_FILES} shaders in `{}`", folder.display());
            return Err(Diagnostic::error(None, message).help("name the folders that are meant").into());
        }
    }
    Ok(found)
}

/// Whether an entry is a file, or a link to one; one to nothing is told when it is read.
fn is_file(entry: &walkdir::DirEntry) -> bool {
    let kind = entry.file_type();
    kind.is_file()
        || kind.is_symlink() && std::fs::metadata(entry.path()).map_or(true, |about| about.is_file())
}

/// Whether a file is a shader by its name; GLSL without a stage is there to be included.
fn is_shader(path: &Path) -> bool {
    let name = path.to_string_lossy();
    match ModuleLanguage::of_input(&name, &[]) {
        Some(ModuleLanguage::Glsl) => stage_of(&name).is_some(),
        Some(_) => true,
        None => TARGETS.iter().flat_map(|target| target.about().formats).any(|format| {
            let endings = format.endings.split(' ').filter(|ending| !ending.is_empty());
            format.role == Role::Container && endings.into_iter().any(|ending| name.ends_with(ending))
        }),
    }
}

/// Files by the program that they belong to, in the order of the first file of each; none twice.
fn grouped(files: Vec<PathBuf>) -> Vec<Program> {
    let mut programs: Vec<Program> = Vec::new();
    let mut by_name: HashMap<PathBuf, usize> = HashMap::new();
    let mut known: HashSet<PathBuf> = HashSet::new();
    for path in files.into_iter().filter(|path| known.insert(path.clone())) {
        let Some(name) = name_of_program(&path) else {
            programs.push(Program { files: vec![path] });
            continue;
        };
        match by_name.get(&name) {
            Some(&at) if programs[at].takes(&path) => programs[at].files.push(path),
            _ => {
                by_name.insert(name, programs.len());
                programs.push(Program { files: vec![path] });
            }
        }
    }
    programs
}

/// What the stages of a program have in common: `water.vert` and `water.frag.glsl` are stages of `water`.
pub fn name_of_program(path: &Path) -> Option<PathBuf> {
    let is_stage = |path: &Path| stage_of(&path.to_string_lossy()).is_some();
    let bare = path.with_extension("");
    is_stage(path).then(|| if is_stage(&bare) { bare.with_extension("") } else { bare })
}

impl Program {
    /// Whether a GLSL source is a stage that this one does not have yet.
    fn takes(&self, path: &Path) -> bool {
        let stage = |path: &Path| stage_of(&path.to_string_lossy());
        self.files.iter().all(|known| stage(known).is_some() && stage(known) != stage(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str]) -> Vec<Vec<String>> {
        let programs = grouped(files.iter().map(PathBuf::from).collect());
        programs.iter().map(|p| p.files.iter().map(|f| f.display().to_string()).collect()).collect()
    }

    #[test]
    fn stages_of_one_name_are_one_program() {
        assert_eq!(
            names(&[
                "a/water.frag",
                "a/water.vert",
                "b/water.vert",
                "a/water.vert",
                "a/sky.wgsl",
                "a/water.comp.glsl"
            ]),
            [
                vec!["a/water.frag", "a/water.vert", "a/water.comp.glsl"],
                vec!["b/water.vert"],
                vec!["a/sky.wgsl"]
            ]
        );
        assert_eq!(names(&["x.vert", "x.vert.glsl"]), [vec!["x.vert"], vec!["x.vert.glsl"]]);
    }

    #[test]
    fn a_pattern_is_looked_for_where_it_begins() {
        assert_eq!(before_pattern(Path::new("shaders/**/*.vert")), Path::new("shaders"));
        assert_eq!(before_pattern(Path::new("*.vert")), Path::new("."));
        let fits = matcher("shaders/**/*.{vert,frag}").expect("a pattern");
        assert!(
            fits.is_match("shaders/a/b/x.frag")
                && fits.is_match("shaders/x.vert")
                && !fits.is_match("x.vert")
        );
        assert!(matcher("a[").is_err());
        assert!(matcher("./a//*.vert").is_ok_and(|fits| fits.is_match("a/x.vert")));
        assert_eq!(plain(Path::new("./a//b/./c")), Path::new("a/b/c"));
    }
    #[cfg(unix)]
    #[test]
    fn links_to_files_count_and_those_to_folders_do_not() {
        use std::os::unix::fs::symlink;
        let folder = std::env::temp_dir().join(format!("chiaro-links-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("far")).expect("a folder");
        std::fs::write(folder.join("far/real.vert"), "").expect("a file");
        for (to, name) in [("far/real.vert", "link.vert"), (".", "circle"), ("gone.vert", "dangling.vert")] {
            let _ = symlink(to, folder.join(name));
        }
        let found = programs(std::slice::from_ref(&folder)).expect("shaders");
        let names: Vec<_> = found.iter().filter_map(|p| p.files[0].strip_prefix(&folder).ok()).collect();
        assert_eq!(names, ["dangling.vert", "far/real.vert", "link.vert"].map(Path::new));
        let _ = std::fs::remove_dir_all(&folder);
    }
}
