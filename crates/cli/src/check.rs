//! `check` and `schema`.

use rubblepile_core::{Advice, Severity};
use rubblepile_io::scenario;

use crate::{args, failure::Failure, on_threads, print, sweep};
use rubblepile::assemble;

pub fn check(args: args::Check) -> Result<(), Failure> {
    let prepared = if assemble::is_sweep(&args.scenario) {
        let (first, count) = sweep::first_task(&args.scenario, &args.sets)?;
        if !args.print {
            print(&format!("sweep              {count} runs; this is the first\n"));
        }
        first
    } else {
        assemble::load(&args.scenario, &args.sets, None)?
    };
    if args.print {
        print(&prepared.text);
        return Ok(());
    }
    let (advice, said) = on_threads(prepared.threads, || {
        let built = assemble::build(&prepared)?;
        let summary = assemble::summary(&built);
        print(&format!("{summary}time step          {:e} s\n", built.world.clock.timestep));
        let advice = assemble::advice(&summary, &assemble::plan(&prepared, built));
        Ok::<_, Failure>((advice, summary.advice))
    })??;
    // The summary has printed its own part.
    advice.iter().filter(|a| !said.contains(a)).for_each(|a| print(&format!("{}\n", line(a))));
    refuse(&advice)
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

pub fn schema(markdown: bool) -> Result<(), Failure> {
    if markdown {
        print(&scenario::reference_markdown());
    } else {
        print(&format!("{:#}\n", scenario::schema()));
    }
    Ok(())
}
