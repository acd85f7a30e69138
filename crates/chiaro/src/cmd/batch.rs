//! `chiaro batch`: many shaders, a line of JSON for each, with what is known from earlier runs.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use chiaro_diag::Diagnostic;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;

use crate::choices::Variant;
use crate::cmd::report::json;
use crate::cmd::report::wanted::Wanted;
use crate::shell::{Failure, Shell};
use crate::survey::cache::Cache;
use crate::survey::files::Program;
use crate::survey::plan::Plan;

/// Report many shaders as JSON Lines, a row in each: in parts, with a cache, on all cores. What does not compile is
/// a row with its messages.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    wanted: Wanted,
    /// Keeps what came of each program in this folder, and takes from there what has not changed: a run that was
    /// stopped goes on where it was.
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Goes on where a run that was stopped had come to: until the output is whole, what came of each program is kept
    /// beside it, in FILE.parts.
    #[arg(long, requires = "output", conflicts_with = "cache")]
    resume: bool,
    /// Part I of N, from 0: the outputs of all parts, one behind the other, are that of the whole.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Where to write it; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Reads `I/N`, for clap.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parts.filter(|&(i, n): &(usize, usize)| i < n).ok_or_else(|| "write it as I/N, with I below N".to_owned())
}

/// Compiles what is not known yet, and writes all lines.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let mut plan = options.wanted.plan(shell)?;
    if let Some((i, n)) = options.shard {
        let all = plan.programs.len();
        let border = |i: usize| (all as u128 * i as u128 / n as u128) as usize;
        plan.programs = plan.programs.drain(border(i)..border(i + 1)).collect();
    }
    plan.note_inputs(shell);
    let parts = options.parts();
    let cache = match options.cache.as_ref().or(parts.as_ref()) {
        Some(folder) => Some(Cache::new(folder, &options_of(&plan)).map_err(|error| {
            let message = format!("cannot keep anything in `{}`: {error}", folder.display());
            shell.fail(Diagnostic::error(None, message).help("name a folder that can be written to"))
        })?),
        None => None,
    };
    let batch = Batch {
        plan: &plan,
        cache,
        known: AtomicUsize::new(0),
        lost: OnceLock::new(),
        bar: bar(&plan, shell),
    };
    let texts = batch.texts(options.wanted.threads);
    if let Some(error) = batch.lost.get() {
        let told = Diagnostic::warning(None, format!("the cache does not take everything: {error}"));
        shell.report(told.help("what it did not take is made again next time"));
    }
    let (known, programs) = (batch.known.into_inner(), texts.len());
    let text = texts.concat();
    drop(texts);
    let rows = text.bytes().filter(|&byte| byte == b'\n').count();
    shell.report(Diagnostic::remark(
        None,
        format!("{rows} rows of {programs} shaders and variants, {known} known before"),
    ));
    shell.write(options.output.as_deref(), text.as_bytes())?;
    // The output is whole: nobody needs its parts. If they cannot be removed they do no harm.
    if let Some(parts) = parts {
        let _ = std::fs::remove_dir_all(parts);
    }
    Ok(())
}

impl Options {
    /// The folder beside the output that an unfinished run leaves.
    fn parts(&self) -> Option<PathBuf> {
        let output = self.output.as_ref().filter(|_| self.resume)?;
        let mut name = output.clone().into_os_string();
        name.push(".parts");
        Some(name.into())
    }
}

/// What all programs have in common.
fn options_of(plan: &Plan) -> String {
    let targets: Vec<&str> = plan.targets.iter().map(|target| target.about().name).collect();
    format!("{targets:?} {:?} {:?} {}", plan.options, plan.choices, plan.folder.display())
}

/// For people who watch.
fn bar(plan: &Plan, shell: &Shell) -> ProgressBar {
    let all = (plan.programs.len() * plan.variants.len()) as u64;
    if shell.is_quiet() || !std::io::stderr().is_terminal() {
        return ProgressBar::with_draw_target(Some(all), ProgressDrawTarget::hidden());
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos} of {len}, {eta} left");
    ProgressBar::new(all).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

struct Batch<'a> {
    plan: &'a Plan,
    cache: Option<Cache>,
    /// Programs of which nothing had to be made.
    known: AtomicUsize,
    /// Why something could not be kept.
    lost: OnceLock<String>,
    bar: ProgressBar,
}

impl Batch<'_> {
    /// The lines of each program and variant, in order.
    fn texts(&self, threads: Option<usize>) -> Vec<String> {
        let variants = &self.plan.variants;
        let jobs = self.plan.programs.iter().flat_map(|program| variants.iter().map(move |v| (program, v)));
        let jobs: Vec<(&Program, &Variant)> = jobs.collect();
        let all = || jobs.par_iter().map(|(program, variant)| self.one(program, variant)).collect();
        let pool = threads.and_then(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().ok());
        let texts = pool.map_or_else(all, |pool| pool.install(all));
        self.bar.finish_and_clear();
        texts
    }

    fn one(&self, program: &Program, variant: &Variant) -> String {
        let what = format!("{:?} {variant:?}", program.files);
        self.bar.inc(1);
        if let Some(text) = self.cache.as_ref().and_then(|cache| cache.find(&what)) {
            self.known.fetch_add(1, Ordering::Relaxed);
            return text;
        }
        let (mut rows, inputs) = self.plan.survey().of_program(program, variant);
        rows.iter_mut().for_each(|row| self.plan.see_from_folder(row));
        let text: String = rows.iter().map(|row| format!("{}\n", json::row(row))).collect();
        if let Some(cache) = &self.cache {
            // What changed while it was read is not known.
            let is_settled = inputs.iter().all(|(path, stamp)| crate::input::stamp(path) == stamp);
            if is_settled {
                let kept = cache.keep(&what, inputs.iter().map(|(path, _)| path), &text);
                kept.unwrap_or_else(|error| drop(self.lost.set(error.to_string())));
            }
        }
        text
    }
}
