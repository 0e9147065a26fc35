//! The scenarios of the repository: the good ones load, build and survive a round trip; each bad one gives the
//! message, and points to the line, that its first lines say.

use std::path::{Path, PathBuf};

use rubblepile_io::{
    diagnostic::{Rendering, render},
    scenario::{Built, Scenario, ScenarioError, Summary, Sweep, build, summary, sweep::is_sweep},
};

fn files(name: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let mut list: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| (path.clone(), std::fs::read_to_string(&path).expect("a text")))
        .collect();
    list.sort();
    list
}

fn run(path: &Path, text: &str) -> Result<(Built, Summary), ScenarioError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let loaded = Scenario::load(&name, text, &[])?;
    let built = build(&loaded, path.parent().unwrap_or(Path::new(".")))?;
    let summary = summary(&built);
    Ok((built, summary))
}

#[test]
fn good_scenarios_build_and_survive_a_round_trip() {
    let list = files("scenarios");
    assert!(list.len() >= 5);
    for (path, text) in list {
        let base = path.parent().expect("a folder");
        let loaded = if is_sweep(text.as_bytes()) {
            // Of a campaign every run is read, and the first is made.
            let sweep = Sweep::load("good", &text, &[]).unwrap_or_else(|e| panic!("{path:?}: {e}"));
            let runs = sweep.tasks.iter().map(|task| sweep.scenario(task));
            let runs: Result<Vec<_>, _> = runs.collect();
            runs.unwrap_or_else(|e| panic!("{path:?}: {e}")).swap_remove(0)
        } else {
            Scenario::load("good", &text, &[]).unwrap_or_else(|e| panic!("{path:?}: {e}"))
        };
        let written = loaded.to_toml().expect("a text");
        let again =
            Scenario::load("again", &written, &[]).unwrap_or_else(|e| panic!("{path:?}: {e}\n{written}"));
        assert_eq!(loaded.scenario, again.scenario, "{path:?}\n{written}");
        assert_eq!(written, again.to_toml().expect("a text"));
        let (a, b) = (build(&loaded, base), build(&again, base));
        let a = a.unwrap_or_else(|e| panic!("{path:?}: {e}"));
        assert_eq!(a, b.expect("a world"), "{path:?}");
        let summary = summary(&a);
        println!("{path:?}\n{summary}");
        assert!(!summary.is_fatal() && summary.grains > 0, "{path:?}\n{summary}");
        assert!(summary.overlaps.deepest_part < 0.01, "{path:?}\n{summary}");
        assert!(text.starts_with("# "), "{path:?} has no paragraph on top");
    }
}

#[test]
fn bad_scenarios_say_what_is_wrong_and_where() {
    let list = files("scenarios/bad");
    assert!(list.len() >= 25);
    let mut failures = Vec::new();
    for (path, text) in list {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let mut lines = text.lines();
        let expect = lines.next().and_then(|l| l.strip_prefix("# expect: ")).expect("an expectation");
        let line = lines
            .next()
            .and_then(|l| l.strip_prefix("# line: "))
            .map(|n| n.parse::<usize>().expect("a line"));
        let (found, position) = match run(&path, &text) {
            Ok((_, summary)) if summary.is_fatal() => (summary.to_string(), None),
            Ok(_) => (String::from("nothing wrong"), None),
            Err(e) => {
                let found = format!("{} {}", e.message(), e.help_text().unwrap_or_default());
                let position = e.position();
                // What a user sees shows the line, with its number, and the message.
                let shown = render(&e, Rendering::PLAIN);
                println!("{shown}");
                let number = position.map(|p| p.0.to_string()).unwrap_or_default();
                if !shown.contains(&number) || !shown.contains('╭') {
                    failures.push(format!("{name}: no picture of the place: {shown}"));
                }
                (found, position)
            }
        };
        for part in expect.split(" | ") {
            if !found.contains(part) {
                failures.push(format!("{name}: expected `{part}`, got: {found}"));
            }
        }
        if line.is_some() && line != position.map(|p| p.0) {
            failures.push(format!("{name}: expected line {line:?}, got {position:?}: {found}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
