//! `cargo xtask test`: what has to hold before a change is handed on. Steps run in their order and
//! the first that fails ends the run, with the way to run it alone.

mod browser;
mod counts;
mod examples;
mod playground;
mod readme;
mod steps;
mod transcript;

use clap::Args;

use crate::failure::{Failure, Result};
use crate::stopwatch::Stopwatch;
use crate::workspace::Workspace;
pub(crate) use counts::Counts;
use steps::Step;

#[derive(Args)]
pub(crate) struct Options {
    /// Leave out the release build of the program and the steps that need it
    #[arg(long)]
    quick: bool,
    /// Run one step alone, with the build of the program where it needs that
    #[arg(long, value_name = "STEP", conflicts_with = "quick")]
    only: Option<Step>,
}

pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let plan = plan(options);
    let whole = Stopwatch::start();
    let mut counts = Counts::default();
    for step in &plan {
        println!("== {step}");
        let watch = Stopwatch::start();
        let outcome = step.run(workspace, &mut counts);
        outcome.map_err(|failure| {
            let alone = format!("run it alone: cargo xtask test --only {step}");
            Failure::new(format!(
                "{failure}\n== {step}: failed after {watch}; {alone}"
            ))
        })?;
        println!("== {step}: done in {watch}");
    }
    println!("== all steps: done in {whole}");
    if plan.contains(&Step::Test) {
        println!("{counts}");
    }
    Ok(())
}

fn plan(options: &Options) -> Vec<Step> {
    let wanted = |step: &Step| match options.only {
        Some(only) => {
            *step == only
                || (*step == Step::Program && only.needs_program())
                || (*step == Step::Browser && only == Step::Test)
        }
        None => !options.quick || (*step != Step::Program && !step.needs_program()),
    };
    Step::ALL.into_iter().filter(wanted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_run_builds_no_release_program() {
        let quick = plan(&Options {
            quick: true,
            only: None,
        });
        assert_eq!(
            quick,
            [
                Step::Fmt,
                Step::Tidy,
                Step::Clippy,
                Step::Browser,
                Step::Test
            ]
        );
        assert_eq!(
            plan(&Options {
                quick: false,
                only: None
            }),
            Step::ALL
        );
    }

    #[test]
    fn a_step_alone_brings_the_program_it_needs() {
        let only = |step| {
            plan(&Options {
                quick: false,
                only: Some(step),
            })
        };
        assert_eq!(only(Step::Clippy), [Step::Clippy]);
        assert_eq!(only(Step::Readme), [Step::Program, Step::Readme]);
        assert_eq!(only(Step::Test), [Step::Browser, Step::Test]);
    }
}
