//! `chiaro diff`: where two programs differ, and why.

mod align;
mod baselines;
mod compare;
mod json;
mod many;
mod markdown;
mod passes;
mod text;

use std::path::PathBuf;

use chiaro::{CompileOptions, LoadedModule};
use clap::{Args, ValueEnum};

use crate::choices::{Choices, Variant};
use crate::cli;
use crate::made::{Made, Wanted};
use crate::shell::{Failure, Shell};
use crate::survey::fitting;

pub use compare::{Difference, Row};
pub use text::{head, named, told};

/// Compare two programs, or one in two ways: instructions by cause and source line, resources, cycles, and the
/// pass behind which they part. Also two folders or patterns, shader by shader, and two baselines of `chiaro gate`.
#[derive(Args)]
pub struct Options {
    /// The first source, container or baseline; a folder, or a pattern such as 'shaders/**/*.frag'.
    before: PathBuf,
    /// The second; the first again without it, with what `--before-…` and `--after-…` say.
    after: Option<PathBuf>,
    /// The target of both, or those of the first and the second with a comma between them; `all` compares for each
    /// that compiles.
    #[arg(long, value_delimiter = ',', value_parser = cli::targets_or_all())]
    target: Vec<cli::Targets>,
    /// Defines a macro of GLSL for the first alone.
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::choices::define)]
    before_define: Vec<(String, String)>,
    /// Defines a macro of GLSL for the second alone.
    #[arg(long, value_name = "NAME=VALUE", value_parser = crate::choices::define)]
    after_define: Vec<(String, String)>,
    /// Sets a specialisation constant or override for the first alone.
    #[arg(long, value_name = "ID=VALUE", value_parser = crate::choices::constant)]
    before_spec: Vec<(String, f64)>,
    /// Sets a specialisation constant or override for the second alone.
    #[arg(long, value_name = "ID=VALUE", value_parser = crate::choices::constant)]
    after_spec: Vec<(String, f64)>,
    /// Sets a choice of the target for the first alone.
    #[arg(long, value_name = "KEY=VALUE", value_parser = cli::key_value)]
    before_set: Vec<(String, String)>,
    /// Sets a choice of the target for the second alone.
    #[arg(long, value_name = "KEY=VALUE", value_parser = cli::key_value)]
    after_set: Vec<(String, String)>,
    /// How hard to search for a shorter program, for the first alone.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=3))]
    before_effort: Option<u32>,
    /// The same for the second.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=3))]
    after_effort: Option<u32>,
    /// The form; docs/diff.schema.json describes JSON.
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    format: Form,
    /// The files are code alone, without a container.
    #[arg(long)]
    raw: bool,
    /// The entry point, where there are several.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    settings: cli::Settings,
    #[command(flatten)]
    module: Choices,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// For people.
    Text,
    /// Tables for a merge request.
    Markdown,
    /// A versioned schema.
    Json,
    /// A page with both programs side by side.
    Html,
}

/// Compares, and prints what differs.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut has_failed = false;
    let text = match options.baselines(shell)? {
        Some(text) => text,
        None => options.programs(&mut has_failed, shell)?,
    };
    shell.check()?;
    let written = shell.write(options.output.as_deref(), text.as_bytes());
    // What failed stands among the rows, whoever reads them.
    if has_failed { written.and(Err(Failure::Input)) } else { written }
}

impl Options {
    /// The comparison of two baselines, if the first is one.
    fn baselines(&self, shell: &mut Shell) -> Result<Option<String>, Failure> {
        if many::is_many(&self.before) {
            return Ok(None);
        }
        let bytes = shell.read(&self.before)?;
        if !baselines::is(&bytes) {
            return Ok(None);
        }
        let Some(after) = &self.after else {
            return Err(shell.misused("a baseline is compared with another", "name the second one"));
        };
        let read = |path: &PathBuf, shell: &mut Shell| {
            let file = shell.read_text(path)?;
            baselines::read(file, shell)
        };
        let (before, after) = (read(&self.before, shell)?, read(after, shell)?);
        match self.format {
            Form::Text => Ok(Some(baselines::text(&before, &after))),
            Form::Markdown => Ok(Some(baselines::markdown(&before, &after))),
            Form::Json => Ok(Some(baselines::json(&before, &after))),
            Form::Html => Ok(Some(crate::page::baselines(&baselines::markdown_rows(&before, &after)))),
        }
    }

    /// The comparison of two programs, or of many.
    fn programs(&self, has_failed: &mut bool, shell: &mut Shell) -> Result<String, Failure> {
        let all = self.sides(shell)?;
        let sides = match &all[..] {
            [sides] if !sides.iter().any(|side| many::is_many(side.file)) => sides,
            _ => return many::forms::told(self, self.format, &all, has_failed, shell),
        };
        // What is wrong with either is told in one run.
        let [before, after] = [0, 1].map(|n| {
            let file = std::slice::from_ref(sides[n].file);
            self.made(&sides[n], file, None, shell)
        });
        let (before, after) = (before?, after?);
        let difference = Difference::of(&before, &after);
        Ok(match self.format {
            Form::Text => text::difference(&before, &after, &difference),
            Form::Markdown => markdown::difference(&before, &after, &difference),
            Form::Json => json::difference(&before, &after, &difference),
            Form::Html => crate::page::difference(&before, &after, &difference),
        })
    }

    /// What is compared with what: for `all` targets each with itself.
    fn sides(&self, shell: &mut Shell) -> Result<Vec<[Side<'_>; 2]>, Failure> {
        let of = |before, after| [self.side(true, before), self.side(false, after)];
        match &self.target[..] {
            [cli::Targets::All] => Ok(cli::compilers().into_iter().map(|one| of(one, one)).collect()),
            [cli::Targets::One(one)] => Ok(vec![of(*one, *one)]),
            [cli::Targets::One(first), cli::Targets::One(second)] => Ok(vec![of(*first, *second)]),
            [] => Err(shell.misused("no target is named", "name it with `--target`, or two with a comma")),
            _ => {
                let message = "two programs have two targets at most";
                Err(shell.misused(message, "name one or two, or `all` for each by itself"))
            }
        }
    }

    fn side(&self, is_before: bool, target: cli::TargetName) -> Side<'_> {
        let variant = |define: &[(String, String)], spec: &[(String, f64)]| Variant {
            name: String::new(),
            define: define.to_vec(),
            spec: spec.to_vec(),
        };
        match is_before {
            true => Side {
                file: &self.before,
                target,
                variant: variant(&self.before_define, &self.before_spec),
                set: &self.before_set,
                effort: self.before_effort,
            },
            false => Side {
                file: self.after.as_ref().unwrap_or(&self.before),
                target,
                variant: variant(&self.after_define, &self.after_spec),
                set: &self.after_set,
                effort: self.after_effort,
            },
        }
    }

    /// What becomes of files on one side, or of modules that were read of them.
    fn made(
        &self,
        side: &Side<'_>,
        files: &[PathBuf],
        modules: Option<&[LoadedModule]>,
        shell: &mut Shell,
    ) -> Result<Made, Failure> {
        let settings: Vec<_> = self.settings.settings.iter().chain(side.set).cloned().collect();
        let targets: Vec<_> = self.target.iter().flat_map(cli::Targets::list).collect();
        let options = CompileOptions {
            entry: self.entry.clone(),
            settings: fitting(&settings, side.target, &targets),
            effort: side.effort,
            ..CompileOptions::default()
        };
        let wanted = Wanted {
            files,
            target: side.target,
            choices: &self.module.with(&side.variant),
            options: &options,
            raw: self.raw,
            passes: true,
            accounts: true,
        };
        match modules {
            Some(modules) => Made::of_modules(&wanted, modules, shell),
            None => Made::of(&wanted, shell),
        }
    }
}

/// What one of the two has of its own.
struct Side<'a> {
    file: &'a PathBuf,
    target: cli::TargetName,
    variant: Variant,
    set: &'a [(String, String)],
    effort: Option<u32>,
}
