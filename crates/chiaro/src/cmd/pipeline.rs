//! `chiaro pipeline`: the stages of a ray-tracing pipeline as one program of a target.

use std::path::PathBuf;

use chiaro::trace::check;
use chiaro_trace::Scene;
use clap::Args;

use crate::choices::Choices;
use crate::cli;
use crate::cmd::trace::{StagesOption, compiled, joined, pipeline};
use crate::shell::{Failure, Shell};

/// Compile a ray-tracing pipeline to a kernel with all its stages, which `chiaro trace --pipeline` runs.
#[derive(Args)]
pub struct Options {
    /// The pipeline; `chiaro trace --help` shows its form.
    file: PathBuf,
    /// For whom; the first target that traces rays without it.
    #[arg(long, value_parser = cli::targets())]
    target: Option<cli::TargetName>,
    /// The container.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Choices of the target.
    #[arg(short = 'm', value_name = "KEY=VALUE", value_parser = cli::key_value)]
    settings: Vec<(String, String)>,
    #[command(flatten)]
    stages: StagesOption,
    #[command(flatten)]
    module: Choices,
}

/// Compiles the pipeline.
pub fn run(options: &Options, shell: &mut Shell) -> Result<(), Failure> {
    let traces = |target: &&'static dyn chiaro::Target| target.structure(&Scene::default(), 0).is_ok();
    let Some(target) = options.target.or_else(|| chiaro::TARGETS.iter().find(traces)) else {
        return Err(shell.misused("no target traces rays", "build chiaro with one that does"));
    };
    let piped = pipeline::read(&options.file, &options.module, shell)?;
    let joined = joined(&piped);
    shell.report_all(check(&joined, &piped.pipeline));
    shell.check()?;
    let settings = options.stages.settings(&options.settings);
    let settings = (&settings[..], options.stages.form());
    let container = compiled(target, &joined, &piped.pipeline, settings, shell)?;
    shell.write(Some(&options.output), &container)
}
