//! Campaigns: their runs are those that `run` makes, whatever stops them and however many go at a time.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::common::{Scratch, assert_same, command, complaint, rubblepile, text};

/// A few grains that fall: a tenth of a second of computing.
const BASE: &str = r#"
[run]
end = "0.2 s"
[method.soft]
timestep = "40 us"
[[gravity]]
uniform = { acceleration = [0, 0, -9.81] }
[[material]]
name = "glass"
density = 2500
stiffness = "1000 N/m"
[[grains]]
count = 40
size = { uniform = { min = "3 mm", max = "5 mm" } }
place = { random = { region = { box = { min = ["-2 cm", "-2 cm", "1 cm"], max = ["2 cm", "2 cm", "8 cm"] } } } }
[[wall]]
shape = { plane = {} }
[[probe]]
energy = { every = "10 ms" }
[[probe]]
contacts = { every = "30 ms" }
[output]
frames = { every = "50 ms" }
contacts = { every = "0.1 s" }
checkpoint = { every = "20 ms" }
"#;

const SWEEP: &str = r#"
[sweep]
"material.0.friction.sliding" = [0.1, 0.6]
run.seed = [1, 2]
plot = [
    { x = "material.0.friction.sliding", y = "grain_contacts", by = "run.seed", title = "contacts" },
    { x = ["run.seed", "material.0.friction.sliding"], y = "grain_contacts", log = "y" },
]
"#;

fn campaign(scratch: &Scratch, sweep: &str) -> PathBuf {
    scratch.scenario(&format!("{BASE}{sweep}"))
}

const NAMES: [&str; 4] =
    ["000-sliding-0.1-seed-1", "001-sliding-0.1-seed-2", "002-sliding-0.6-seed-1", "003-sliding-0.6-seed-2"];

fn whole_campaign(scratch: &Scratch, scenario: &Path) -> PathBuf {
    let out = scratch.path().join("whole");
    let output = rubblepile(&["sweep", text(scenario), "--out", text(&out), "--threads", "1"]);
    assert!(output.status.success(), "{}", complaint(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("[4/4] 003-sliding-0.6-seed-2: complete"), "{said}");
    assert!(said.contains("4 runs finished, 0 failed, 0 unfinished"), "{said}");
    out
}

#[test]
fn a_campaign_is_the_runs_it_says_and_has_a_row_for_each() {
    let scratch = Scratch::new("sweep");
    let scenario = campaign(&scratch, SWEEP);
    let out = whole_campaign(&scratch, &scenario);

    // The same as a run by hand.
    let plain = scratch.path().join("plain.toml");
    fs::write(&plain, BASE).unwrap();
    let alone = scratch.path().join("alone");
    let set = ["--set", "material.0.friction.sliding=0.6", "--set", "run.seed=2"];
    let mut arguments = vec!["run", text(&plain), "--out", text(&alone), "--quiet"];
    arguments.extend(set);
    let output = rubblepile(&arguments);
    assert!(output.status.success(), "{}", complaint(&output));
    assert_same(&alone, &out.join(NAMES[3]));

    let table = fs::read_to_string(out.join("sweep.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 5, "{table}");
    assert_eq!(rows[0][..6], ["task", "material.0.friction.sliding", "run.seed", "state", "time_s", "step"]);
    assert_eq!(rows[4][..6], ["3", "0.6", "2", "complete", "0.2", "5000"]);
    // Cells of the last row of the series, and of the last that has one for the slower probe.
    let series = fs::read_to_string(out.join(NAMES[3]).join("series.csv")).unwrap();
    let last: Vec<&str> = series.lines().last().unwrap().split(',').collect();
    assert_eq!(rows[4][4..8], last[..4]);
    assert!(rows[1..].iter().all(|r| r.iter().all(|cell| !cell.is_empty())), "{table}");

    let picture = fs::read_to_string(out.join("sweep.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"));
    for word in
        ["contacts", "seed = 1", "seed = 2", "material.0.friction.sliding", "part of the largest value"]
    {
        assert!(picture.contains(word), "{word}");
    }

    // All is done: a second time nothing runs, and the table is made again from the directories.
    fs::remove_file(out.join("sweep.csv")).unwrap();
    let before = fs::metadata(out.join(NAMES[0]).join("report.json")).unwrap().modified().unwrap();
    let output = rubblepile(&["sweep", text(&scenario), "--out", text(&out), "--jobs", "2"]);
    assert!(output.status.success(), "{}", complaint(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("done before"));
    assert_eq!(fs::metadata(out.join(NAMES[0]).join("report.json")).unwrap().modified().unwrap(), before);
    assert_eq!(fs::read_to_string(out.join("sweep.csv")).unwrap(), table);
}

#[test]
fn a_campaign_that_is_killed_again_and_again_ends_as_an_unbroken_one() {
    let scratch = Scratch::new("sweep-kill");
    let scenario = campaign(&scratch, SWEEP);
    let start = Instant::now();
    let whole = whole_campaign(&scratch, &scenario);
    let patience = start.elapsed() / 3;
    let killed = scratch.path().join("killed");
    let mut kills = 0;
    for round in 0..60 {
        let jobs = ["1", "2", "3"][round % 3];
        let mut child =
            command(&["sweep", text(&scenario), "--out", text(&killed), "--jobs", jobs, "--quiet"])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
        // Longer each time, so that it ends however slow the machine has become.
        let limit = patience.mul_f64(0.5 + 0.1 * round as f64);
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() > limit {
                child.kill().unwrap();
                child.wait().unwrap();
                kills += 1;
                break None;
            }
            sleep(Duration::from_millis(2));
        };
        if let Some(status) = ended {
            assert!(status.success(), "{}", complaint(&child.wait_with_output().unwrap()));
            break;
        }
    }
    assert!(kills > 0, "it was never killed");
    for name in NAMES {
        assert_same(&whole.join(name), &killed.join(name));
    }
    let table = |out: &Path| fs::read_to_string(out.join("sweep.csv")).unwrap();
    assert_eq!(table(&whole), table(&killed));
}

#[test]
fn tasks_of_a_job_array_make_the_same_campaign() {
    let scratch = Scratch::new("sweep-tasks");
    let scenario = campaign(&scratch, SWEEP);
    let whole = whole_campaign(&scratch, &scenario);
    let out = scratch.path().join("tasks");
    let children: Vec<_> = ["3", "1", "0", "2"]
        .iter()
        .map(|task| {
            command(&["sweep", text(&scenario), "--out", text(&out), "--task", task, "--quiet"])
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    for name in NAMES {
        assert_same(&whole.join(name), &out.join(name));
    }
    let output = rubblepile(&["sweep", text(&scenario), "--out", text(&out), "--list"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.matches("complete").count() == 4, "{said}");
    assert_eq!(fs::read(out.join("sweep.csv")).unwrap(), fs::read(whole.join("sweep.csv")).unwrap());
}

#[test]
fn a_run_that_fails_is_noted_and_the_others_go_on() {
    let scratch = Scratch::new("sweep-fail");
    // Far too many for the box; and a step so long that grains overlap too deep.
    let sets = "[sweep]\nsets = [{ \"grains.0.count\" = 5000 }, { \"method.soft.timestep\" = \"5 ms\" }, { \"run.seed\" = [7, 8] }]\n";
    let scenario = campaign(&scratch, sets);
    let out = scratch.path().join("out");
    let arguments = ["sweep", text(&scenario), "--out", text(&out)];
    let output = rubblepile(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", complaint(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("2 runs finished, 2 failed, 0 unfinished"), "{said}{}", complaint(&output));
    let table = fs::read_to_string(out.join("sweep.csv")).unwrap();
    let states: Vec<&str> = table.lines().skip(1).map(|l| l.split(',').nth(4).unwrap()).collect();
    assert_eq!(states, ["failed", "failed", "complete", "complete"], "{table}");
    // Not again, unless asked to.
    let output = rubblepile(&arguments);
    assert!(complaint(&output).contains("failed before (--retry"), "{}", complaint(&output));
    let mut again = arguments.to_vec();
    again.push("--retry");
    let output = rubblepile(&again);
    assert_eq!(output.status.code(), Some(1));
    assert!(!complaint(&output).contains("failed before"), "{}", complaint(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_runs_that_go_on() {
    let scratch = Scratch::new("sweep-interrupt");
    let scenario = campaign(&scratch, SWEEP);
    let whole = whole_campaign(&scratch, &scenario);
    let out = scratch.path().join("stopped");
    let child = command(&["sweep", text(&scenario), "--out", text(&out)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !out.join(NAMES[1]).join("frames/frame-000000.vtkhdf").exists() {
        sleep(Duration::from_millis(1));
    }
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", complaint(&output));
    assert!(fs::read_to_string(out.join("sweep.csv")).unwrap().contains("not started"));
    let output = rubblepile(&["sweep", text(&scenario), "--out", text(&out), "--quiet"]);
    assert!(output.status.success(), "{}", complaint(&output));
    for name in NAMES {
        assert_same(&whole.join(name), &out.join(name));
    }
}

#[test]
fn bad_campaigns_are_exit_code_2_and_say_what() {
    let scratch = Scratch::new("sweep-bad");
    let out = scratch.path().join("out");
    let complains = |sweep: &str, more: &[&str], words: &[&str]| {
        let scenario = campaign(&scratch, sweep);
        let mut arguments = vec!["sweep", text(&scenario), "--out", text(&out)];
        arguments.extend(more);
        let output = rubblepile(&arguments);
        assert_eq!(output.status.code(), Some(2), "{sweep}: {}", complaint(&output));
        // Lines may be broken anywhere between words.
        let said = complaint(&output).replace(['│', '\n'], " ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(said.contains(word), "{sweep}: {said}");
        }
        assert!(!out.exists(), "{sweep}: it left something");
    };
    complains("", &[], &["has no [sweep] table", "rubblepile run"]);
    complains("[sweep]\n", &[], &["nothing is swept"]);
    complains("[sweep]\n\"run.seed\" = 3\n", &[], &["`run.seed` needs a list of values"]);
    complains("[sweep]\n\"run.seed\" = []\n", &[], &["has no values"]);
    complains(
        "[sweep]\n\"run.sede\" = [1, 2]\n",
        &[],
        &["unknown key `sede`", "did you mean `seed`?", "beads.toml:27"],
    );
    complains(
        "[sweep]\n\"run.end\" = [\"1 s\", \"2 kg\"]\n",
        &[],
        &["expected a time, got a mass", "beads.toml:27:21"],
    );
    complains("[sweep]\n\"material.0.friction.sliding\" = [0.1, -2]\n", &[], &["must not be negative"]);
    complains("[sweep]\nsets = [3]\n", &[], &["expected a table"]);
    complains("[sweep]\nsets = []\n", &[], &["list of tables"]);
    complains("[sweep]\n\"run.seed\" = [1]\nsets = [{ \"run.seed\" = 2 }]\n", &[], &["swept twice"]);
    complains(
        "[sweep]\n\"run.seed\" = [1]\nplot = [{ x = \"run.seed\", y = \"grain_contatcs\" }]\n",
        &[],
        &["`grain_contatcs`", "did you mean `grain_contacts`?"],
    );
    complains("[sweep]\n\"run.seed\" = [1]\nplot = [{ x = \"run.seed\" }]\n", &[], &["`y` is missing"]);
    complains(
        "[sweep]\n\"run.seed\" = [1]\nplot = [{ x = \"run.seed\", y = \"grain_contacts\", log = \"z\" }]\n",
        &[],
        &["`log` names axes"],
    );
    complains(SWEEP, &["--task", "4"], &["there is no task 4: this sweep has 4"]);
    let many = format!(
        "[sweep]\n{}",
        (0..5).map(|k| format!("\"run.k{k}\" = [{}]\n", "1, ".repeat(100))).collect::<String>()
    );
    complains(&many, &[], &["more than 10000 runs"]);

    let scenario = campaign(&scratch, SWEEP);
    let output = rubblepile(&["run", text(&scenario), "--out", text(&out)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("rubblepile sweep"), "{}", complaint(&output));
    let output = rubblepile(&["check", text(&scenario)]);
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("4 runs"),
        "{}",
        complaint(&output)
    );

    // Another scenario under the directory of a run.
    let whole = whole_campaign(&scratch, &scenario);
    let changed = scratch.scenario(&format!("{}{SWEEP}", BASE.replace("count = 40", "count = 41")));
    let output = rubblepile(&["sweep", text(&changed), "--out", text(&whole)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("different scenario"), "{}", complaint(&output));
}
