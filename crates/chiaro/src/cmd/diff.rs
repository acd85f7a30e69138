//! `chiaro diff`: where two programs differ, and why.

mod align;
mod baselines;
mod compare;
mod json;
mod markdown;
mod passes;
mod text;

use std::path::PathBuf;

use chiaro::CompileOptions;
use clap::{Args, ValueEnum};

use crate::choices::{Choices, Variant};
use crate::cli;
use crate::made::{Made, Wanted};
use crate::shell::{Failure, Shell};

pub use compare::{Difference, Row};
pub use text::{head, named, told};

/// Compare two programs, or one in two ways: instructions by cause and source line, resources, cycles, and the
/// pass behind which they part. Also two baselines of `chiaro gate`.
#[derive(Args)]
pub struct Options {
    /// The first source, container or baseline.
    before: PathBuf,
    /// The second; the first again without it, with what `--before-…` and `--after-…` say.
    after: Option<PathBuf>,
    /// The target of both, or those of the first and the second with a comma between them.
    #[arg(long, value_delimiter = ',', value_parser = cli::targets())]
    target: Vec<cli::TargetName>,
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
    let text = match options.baselines(shell)? {
        Some(text) => text,
        None => {
            let (before, after) = options.both(shell)?;
            let difference = Difference::of(&before, &after);
            match options.format {
                Form::Text => text::difference(&before, &after, &difference),
                Form::Markdown => markdown::difference(&before, &after, &difference),
                Form::Json => json::difference(&before, &after, &difference),
                Form::Html => crate::page::difference(&before, &after, &difference),
            }
        }
    };
    shell.check()?;
    shell.write(options.output.as_deref(), text.as_bytes())
}

impl Options {
    /// The comparison of two baselines, if the first is one.
    fn baselines(&self, shell: &mut Shell) -> Result<Option<String>, Failure> {
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

    fn both(&self, shell: &mut Shell) -> Result<(Made, Made), Failure> {
        let (first, second) = match self.target[..] {
            [one] => (one, one),
            [first, second] => (first, second),
            [] => {
                return Err(
                    shell.misused("no target is named", "name it with `--target`, or two with a comma")
                );
            }
            _ => return Err(shell.misused("two programs have two targets at most", "name one or two")),
        };
        let before = Side {
            file: &self.before,
            target: first,
            variant: variant(&self.before_define, &self.before_spec),
            set: &self.before_set,
            effort: self.before_effort,
        };
        let after = Side {
            file: self.after.as_ref().unwrap_or(&self.before),
            target: second,
            variant: variant(&self.after_define, &self.after_spec),
            set: &self.after_set,
            effort: self.after_effort,
        };
        // What is wrong with either is told in one run.
        let before = self.made(&before, shell);
        let after = self.made(&after, shell);
        Ok((before?, after?))
    }

    fn made(&self, side: &Side<'_>, shell: &mut Shell) -> Result<Made, Failure> {
        let settings = self.settings.settings.iter().chain(side.set).cloned().collect();
        let options = CompileOptions {
            entry: self.entry.clone(),
            settings,
            effort: side.effort,
            ..CompileOptions::default()
        };
        let files = [side.file.clone()];
        let wanted = Wanted {
            files: &files,
            target: side.target,
            choices: &self.module.with(&side.variant),
            options: &options,
            raw: self.raw,
            passes: true,
            accounts: true,
        };
        Made::of(&wanted, shell)
    }
}

fn variant(define: &[(String, String)], spec: &[(String, f64)]) -> Variant {
    Variant { name: String::new(), define: define.to_vec(), spec: spec.to_vec() }
}

/// What one of the two has of its own.
struct Side<'a> {
    file: &'a PathBuf,
    target: cli::TargetName,
    variant: Variant,
    set: &'a [(String, String)],
    effort: Option<u32>,
}
