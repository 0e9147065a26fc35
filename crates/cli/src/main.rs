//! The `rubblepile` command: parses the arguments, runs the subcommand and sets the exit code.

mod aggregates;
mod args;
mod cases;
mod check;
mod cite;
mod export;
mod failure;
mod info;
mod interrupt;
mod map;
mod picture;
mod progress;
mod quantity;
mod run;
mod shape_info;
mod sweep;
mod text;

use std::process::ExitCode;

use clap::Parser;
use rubblepile_core::simd::Instructions;

use args::{Cli, Command};
use failure::Failure;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = lanes().and_then(|()| match cli.command {
        Command::Run(args) => run::run(args),
        Command::Resume(args) => run::resume(args),
        Command::Sweep(args) => sweep::sweep(args),
        Command::Check(args) => check::check(args),
        Command::Schema { markdown, output } => check::schema(markdown, output),
        Command::Info(args) => info::info(args),
        Command::Map(args) => map::map(args),
        Command::Picture(args) => picture::picture(args),
        Command::Export(args) => export::export(args),
        Command::Cite { directory } => cite::cite(&directory),
        Command::Bench(args) => cases::bench(args),
        Command::Validate(args) => cases::validate(args),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Refuses a request for instructions that this processor does not have, rather than computing with others.
fn lanes() -> Result<(), Failure> {
    let requested = Instructions::requested();
    requested.map(drop).map_err(|e| Failure::bad_input(e, "without the variable, the widest are used"))
}

/// Prints to standard output; a reader that has gone away (`| head`) is no error.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}
