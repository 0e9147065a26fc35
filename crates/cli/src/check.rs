//! `check` and `schema`.

use rubblepile::{Scenario, is_sweep, on_threads};
use rubblepile_core::{Advice, Severity};
use rubblepile_io::{
    reference,
    scenario::{self, Summary},
    session::Plan,
};

use crate::{args, failure::Failure, print, sweep, text};

pub fn check(args: args::Check) -> Result<(), Failure> {
    let chosen = if is_sweep(&args.scenario) {
        let (first, count) = sweep::first_task(&args.scenario, &args.sets)?;
        if !args.print {
            print(&format!("sweep              {count} runs; this is the first\n"));
        }
        first
    } else {
        Scenario::open_with(&args.scenario, &args.sets)?
    };
    if args.print {
        print(chosen.text());
        return Ok(());
    }
    let (advice, said) = on_threads(chosen.threads(), || {
        let built = chosen.build()?;
        let summary = scenario::summary(&built);
        print(&format!("{summary}time step          {}\n", text::time(built.world.clock.timestep)));
        let advice = all(&summary, &chosen.plan(built));
        Ok::<_, Failure>((advice, summary.advice))
    })??;
    // The summary has printed its own part.
    advice.iter().filter(|a| !said.contains(a)).for_each(|a| print(&format!("{}\n", line(a))));
    refuse(&advice)
}

/// All advice on a plan before it runs, from the scenario and from the method.
pub fn all(summary: &Summary, plan: &Plan) -> Vec<Advice> {
    let mut all = summary.advice.clone();
    for advice in plan.advice() {
        if !all.contains(&advice) {
            all.push(advice);
        }
    }
    all
}

/// An advice as it is printed.
pub fn line(advice: &Advice) -> String {
    let word = match advice.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Fatal => "error",
    };
    format!("{word}: {}", advice.text)
}

/// An error if a run would be refused.
pub fn refuse(advice: &[Advice]) -> Result<(), Failure> {
    let fatal: Vec<&str> =
        advice.iter().filter(|a| a.severity == Severity::Fatal).map(|a| a.text.as_str()).collect();
    if fatal.is_empty() {
        return Ok(());
    }
    Err(Failure::bad_input(
        format!("this scenario cannot be run: {}", fatal.join("; ")),
        "`rubblepile check` prints all there is to say about it",
    ))
}

pub fn schema(markdown: bool, output: bool) -> Result<(), Failure> {
    print(&match (output, markdown) {
        (false, false) => format!("{:#}\n", scenario::schema()),
        (false, true) => scenario::reference_markdown(),
        (true, false) => format!("{:#}\n", reference::json()),
        (true, true) => reference::markdown(),
    });
    Ok(())
}
