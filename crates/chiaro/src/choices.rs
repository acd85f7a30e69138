//! Options that concern shader modules, whatever is done with them.

use std::path::{Path, PathBuf};

use chiaro::{
    GlslOptions, GlslStage, Hub, LoadedModule, ModuleLanguage, ModuleOptions, Parts, Stage, check_glsl,
    glsl_words, load_glsl, load_ir, load_spirv, load_wgsl, spirv_words, stage_of, wgsl_words,
};
use chiaro_diag::{Diagnostic, FileId};
use clap::{Args, ValueEnum};

use crate::cli::glsl_stage;
use crate::input::{self, Bytes, Inputs};
use crate::module::is_spirv_text;
use crate::shell::{Failure, Shell};

/// Sources that belong together.
enum Program {
    /// The stages of a GLSL program.
    Stages(Vec<(FileId, GlslStage)>),
    /// A module of another language, by its file and bytes.
    Module(PathBuf, Bytes, ModuleLanguage),
}

/// What a shader is compiled with besides the choices of the run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Variant {
    /// What rows call it; empty of the only one.
    pub name: String,
    /// Macros of GLSL.
    pub define: Vec<(String, String)>,
    /// Specialisation constants and overrides.
    pub spec: Vec<(String, f64)>,
}

/// Choices that concern a module.
#[derive(Args, Clone, Debug, Default)]
pub struct Choices {
    /// Language of a shader module; by the file without it.
    #[arg(long, value_enum)]
    lang: Option<Language>,
    /// Sets a specialisation constant or override, by number or name.
    #[arg(long, value_name = "ID=VALUE", value_parser = constant)]
    spec: Vec<(String, f64)>,
    /// Defines a macro of GLSL, with the value 1 unless one is given.
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = define)]
    define: Vec<(String, String)>,
    /// A folder where GLSL's includes are looked for.
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Removes varyings that the next stage of a GLSL program does not read.
    #[arg(long)]
    strip: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Language {
    Glsl,
    Spirv,
    Wgsl,
    /// The IR's own text.
    Ir,
}

/// Words of SPIR-V, of a file that may be text.
fn spirv(path: &Path, bytes: Bytes, shell: &mut Shell) -> Result<Bytes, Failure> {
    if !is_spirv_text(&path.to_string_lossy()) {
        return Ok(bytes);
    }
    let file = shell.text(path, bytes)?;
    let words = chiaro_spirv::text::parse(shell.sources.text(file), file);
    let words = shell.taken(words)?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>().into())
}

/// Says which file errors are in that have no place in a text: there may be several.
fn in_file(path: &Path) -> impl Fn(Vec<Diagnostic>) -> Vec<Diagnostic> {
    let name = input::name(path);
    move |errors| {
        let placed = |error: Diagnostic| match error.span {
            None => error.note(format!("in `{name}`")),
            Some(_) => error,
        };
        errors.into_iter().map(placed).collect()
    }
}

/// Reads `ID=VALUE`, for clap.
pub fn constant(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected ID=VALUE")?;
    let number = match value {
        "true" => 1.0,
        "false" => 0.0,
        _ => value.parse().map_err(|_| format!("`{value}` is no number"))?,
    };
    Ok((name.to_owned(), number))
}

/// Reads `NAME=VALUE`, for clap; the value is 1 without one.
pub fn define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("`{name}` cannot name a macro"));
    }
    Ok((name.to_owned(), value.to_owned()))
}

impl Choices {
    /// Those for a variant: its own macros and constants come behind.
    pub fn with(&self, variant: &Variant) -> Choices {
        let mut choices = self.clone();
        choices.define.extend_from_slice(&variant.define);
        choices.spec.extend_from_slice(&variant.spec);
        choices
    }

    /// Those that look for includes in some folders, too.
    pub fn including(mut self, folders: &[PathBuf]) -> Choices {
        self.include.extend_from_slice(folders);
        self
    }

    /// The language of a file, if it is a module.
    pub fn language(&self, path: &Path, bytes: &[u8]) -> Option<ModuleLanguage> {
        match self.lang {
            Some(Language::Glsl) => Some(ModuleLanguage::Glsl),
            Some(Language::Spirv) => Some(ModuleLanguage::Spirv),
            Some(Language::Wgsl) => Some(ModuleLanguage::Wgsl),
            Some(Language::Ir) => Some(ModuleLanguage::Ir),
            None => ModuleLanguage::of_input(&path.to_string_lossy(), bytes),
        }
    }

    /// Reads and verifies all modules.
    pub fn load_all(
        &self,
        files: &[PathBuf],
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<Vec<LoadedModule>, Failure> {
        self.load_parts(files, (stage, Parts::Whole), shell)
    }

    /// The same of modules that may be parts of a program.
    pub fn load_parts(
        &self,
        files: &[PathBuf],
        (stage, parts): (Option<Stage>, Parts),
        shell: &mut Shell,
    ) -> Result<Vec<LoadedModule>, Failure> {
        let programs = self.programs(files, stage, shell)?;
        self.load_programs(programs, (stage, parts), shell)
    }

    /// The same of files that were read already.
    pub fn load_read(
        &self,
        files: impl IntoIterator<Item = (PathBuf, Bytes)>,
        shell: &mut Shell,
    ) -> Result<Vec<LoadedModule>, Failure> {
        let mut programs = Vec::new();
        for (path, bytes) in files {
            self.add_program(&mut programs, path, bytes, None, shell)?;
        }
        self.load_programs(programs, (None, Parts::Whole), shell)
    }

    fn load_programs(
        &self,
        programs: Vec<Program>,
        (stage, parts): (Option<Stage>, Parts),
        shell: &mut Shell,
    ) -> Result<Vec<LoadedModule>, Failure> {
        let options = ModuleOptions { parts, ..self.module_options(None) };
        let mut all = Vec::new();
        for program in programs {
            match program {
                Program::Stages(stages) => all.extend(self.load_glsl(&stages, &options, shell)?),
                Program::Module(path, bytes, language) => {
                    all.push(self.load(&path, bytes, language, &options, stage, shell)?);
                }
            }
        }
        Ok(all)
    }

    /// The words of all modules, which the reader of the IR does not see: they may hold what it
    /// does not know.
    pub fn words_of_all(
        &self,
        files: &[PathBuf],
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<Vec<Hub>, Failure> {
        let mut all = Vec::new();
        for program in self.programs(files, stage, shell)? {
            match program {
                Program::Stages(stages) => all.extend(self.words_of_glsl(&stages, shell)?),
                Program::Module(path, bytes, language) => {
                    let options = self.module_options(None);
                    let words = match language {
                        ModuleLanguage::Wgsl => {
                            wgsl_words(shell.text(&path, bytes)?, &options, &shell.sources)
                        }
                        ModuleLanguage::Ir => {
                            let file = shell.text(&path, bytes)?;
                            load_ir(file, &options, &shell.sources).map(|loaded| loaded.hub)
                        }
                        _ => spirv_words(&spirv(&path, bytes, shell)?).map_err(in_file(&path)),
                    };
                    all.push(shell.taken(words)?);
                }
            }
        }
        Ok(all)
    }

    fn words_of_glsl(&self, stages: &[(FileId, GlslStage)], shell: &mut Shell) -> Result<Vec<Hub>, Failure> {
        let (sources, inputs) = (&mut shell.sources, &mut shell.inputs);
        let mut include = |name: &str, quoted: bool, from: &str| self.open(name, quoted, from, inputs);
        let made = glsl_words(stages, &self.glsl_options(), sources, &mut include);
        let (modules, warnings) = shell.taken(made)?;
        shell.report_all(warnings);
        Ok(modules)
    }

    /// The files by the program that they belong to. GLSL sources are the stages of one program, until
    /// a stage comes again: that is the next program.
    fn programs(
        &self,
        files: &[PathBuf],
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<Vec<Program>, Failure> {
        let mut programs = Vec::new();
        for path in files {
            let bytes = shell.read(path)?;
            self.add_program(&mut programs, path.clone(), bytes, stage, shell)?;
        }
        Ok(programs)
    }

    fn add_program(
        &self,
        programs: &mut Vec<Program>,
        path: PathBuf,
        bytes: Bytes,
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<(), Failure> {
        let Some(language) = self.language(&path, &bytes) else {
            let message = format!("the language of `{}` is not clear from its name", input::name(&path));
            return Err(shell.misused(message, "name it with `--lang`; known are glsl, spirv, wgsl and ir"));
        };
        if language != ModuleLanguage::Glsl {
            programs.push(Program::Module(path, bytes, language));
            return Ok(());
        }
        let source = self.glsl(&path, bytes, stage, shell)?;
        match programs.last_mut() {
            Some(Program::Stages(stages)) if stages.iter().all(|(_, stage)| *stage != source.1) => {
                stages.push(source);
            }
            _ => programs.push(Program::Stages(vec![source])),
        }
        Ok(())
    }

    /// What modules are read with.
    pub fn module_options(&self, entry: Option<String>) -> ModuleOptions {
        ModuleOptions { entry, constants: self.spec.clone(), prints: true, parts: Parts::Whole }
    }

    /// Reads and verifies a module.
    pub fn load(
        &self,
        path: &Path,
        bytes: Bytes,
        language: ModuleLanguage,
        options: &ModuleOptions,
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<LoadedModule, Failure> {
        let loaded = match language {
            ModuleLanguage::Spirv => {
                let bytes = spirv(path, bytes, shell)?;
                load_spirv(&bytes, options, &mut shell.sources).map_err(in_file(path))
            }
            ModuleLanguage::Wgsl => {
                let file = shell.text(path, bytes)?;
                load_wgsl(file, options, &mut shell.sources)
            }
            ModuleLanguage::Ir => {
                let file = shell.text(path, bytes)?;
                load_ir(file, options, &shell.sources)
            }
            ModuleLanguage::Glsl => {
                let source = self.glsl(path, bytes, stage, shell)?;
                let mut all = self.load_glsl(&[source], options, shell)?;
                return all.pop().ok_or(Failure::Input);
            }
        };
        let mut loaded = shell.taken(loaded)?;
        shell.report_all(std::mem::take(&mut loaded.warnings));
        Ok(loaded)
    }

    /// Checks a GLSL source, no more: the time of a linter.
    pub fn check_glsl(
        &self,
        path: &Path,
        bytes: Bytes,
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let source = self.glsl(path, bytes, stage, shell)?;
        let (sources, inputs) = (&mut shell.sources, &mut shell.inputs);
        let mut include = |name: &str, quoted: bool, from: &str| self.open(name, quoted, from, inputs);
        Ok(check_glsl(&[source], &self.glsl_options(), sources, &mut include))
    }

    /// A GLSL source and its stage.
    fn glsl(
        &self,
        path: &Path,
        bytes: Bytes,
        stage: Option<Stage>,
        shell: &mut Shell,
    ) -> Result<(FileId, GlslStage), Failure> {
        let found = match stage {
            Some(stage) => glsl_stage(stage),
            None => stage_of(&path.to_string_lossy()),
        };
        let Some(found) = found else {
            return Err(match stage {
                Some(stage) => {
                    let message = format!("the stage {} is not read from GLSL yet", stage.name());
                    shell.misused(message, "compile it with another tool to SPIR-V, which is read")
                }
                None => {
                    let message = format!("the stage of `{}` is not clear from its name", input::name(path));
                    shell.misused(message, "name it with `--stage`")
                }
            });
        };
        Ok((shell.glsl(path, bytes)?, found))
    }

    fn load_glsl(
        &self,
        stages: &[(FileId, GlslStage)],
        options: &ModuleOptions,
        shell: &mut Shell,
    ) -> Result<Vec<LoadedModule>, Failure> {
        let (sources, inputs) = (&mut shell.sources, &mut shell.inputs);
        let mut include = |name: &str, quoted: bool, from: &str| self.open(name, quoted, from, inputs);
        let loaded = load_glsl(stages, &self.glsl_options(), options, sources, &mut include);
        let mut all = shell.taken(loaded)?;
        for loaded in &mut all {
            shell.report_all(std::mem::take(&mut loaded.warnings));
        }
        Ok(all)
    }

    fn glsl_options(&self) -> GlslOptions {
        GlslOptions { defines: self.define.clone(), strip: self.strip }
    }

    /// What a source includes: beside the source if the name is in quotes, then in the folders
    /// of `-I`.
    fn open(&self, name: &str, quoted: bool, from: &str, inputs: &mut Inputs) -> Option<(String, String)> {
        let beside = Path::new(from).parent().filter(|_| quoted);
        beside.into_iter().chain(self.include.iter().map(PathBuf::as_path)).find_map(|folder| {
            let path = folder.join(name);
            let text = inputs.open_glsl(&path)?;
            Some((input::name(&path), text))
        })
    }
}
