//! The commands as they are typed: what they print, what they leave and their exit codes.

use std::fs;

use crate::common::{SCENARIO, SOFT_GRAINS, Scratch, command, complaint, rubblepile, text};

fn short(scratch: &Scratch) -> std::path::PathBuf {
    let scenario = scratch.scenario(SCENARIO);
    let run = scratch.path().join("run");
    let output = rubblepile(&["run", text(&scenario), "--out", text(&run), "--until", "0.1"]);
    assert!(output.status.success(), "{}", complaint(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("done: t = 0.1 s") && said.contains("paraview"), "{said}");
    run
}

fn said(arguments: &[&str]) -> String {
    let output = rubblepile(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_run_can_be_looked_at_and_exported() {
    let scratch = Scratch::new("commands");
    let run = short(&scratch);
    for file in
        ["scenario.toml", "series.csv", "log.txt", "report.json", "checkpoint.rpk", "frames.vtkhdf.series"]
    {
        assert!(run.join(file).exists(), "{file} is missing");
    }
    let info = said(&["info", text(&run)]);
    assert!(info.contains("complete") && info.contains("frames             3"), "{info}");
    let json: serde_json::Value = serde_json::from_str(&said(&["info", text(&run), "--json"])).unwrap();
    assert_eq!(json["bodies"], 200);
    // Every column of the series is explained, and the names are those of the file.
    let json: serde_json::Value =
        serde_json::from_str(&said(&["info", text(&run), "--columns", "--json"])).unwrap();
    let columns = json["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().filter_map(|c| c["name"].as_str()).collect();
    let series = std::fs::read_to_string(run.join("series.csv")).unwrap();
    assert_eq!(series.lines().next().unwrap(), names.join(","));
    let listed = said(&["info", text(&run), "--columns"]);
    assert!(listed.starts_with("time_s") && listed.lines().count() == names.len(), "{listed}");
    assert!(said(&["schema", "--output", "--markdown"]).contains("| `time_s` | s | Simulated time |"));
    let frame = run.join("frames/frame-000002.vtkhdf");
    assert!(said(&["info", text(&frame)]).contains("bodies             200"));
    assert!(said(&["info", text(&run.join("checkpoint.rpk"))]).contains("beads"));
    assert!(said(&["info", text(&run.join("scenario.toml"))]).contains("200"));
    assert!(said(&["export", text(&run), "--format", "xyz"]).starts_with("3 frames"));
    assert_eq!(fs::read_to_string(run.join("export.xyz")).unwrap().lines().count(), 3 * 202);
    assert!(said(&["export", text(&frame), "--format", "vtp"]).starts_with("1 frame "));
    assert!(said(&["cite", text(&run)]).contains("@article{Song2024"));
    assert!(said(&["resume", text(&run)]).contains("nothing to do"));
    assert!(said(&["check", text(&run.join("scenario.toml"))]).contains("200"));
    serde_json::from_str::<serde_json::Value>(&said(&["schema"])).unwrap();
    let bench: serde_json::Value =
        serde_json::from_str(&said(&["bench", "checkpoint", "--n", "100", "--json"])).unwrap();
    assert_eq!(bench["case"], "checkpoint");
}

#[test]
fn deformable_grains_can_be_looked_at_exported_and_drawn() {
    let scratch = Scratch::new("deformable");
    let scenario = scratch.scenario(SOFT_GRAINS);
    let run = scratch.path().join("run");
    let check = said(&["check", text(&scenario)]);
    assert!(check.contains("4\n") && check.contains("nodes") && check.contains("time step"), "{check}");
    said(&["run", text(&scenario), "--out", text(&run), "--until", "0.3", "--quiet"]);
    let frame = run.join("frames/frame-000002.vtkhdf");
    for (path, words) in [
        (&run, "last values"),
        (&frame, "deformable grains  4"),
        (&run.join("checkpoint.rpk"), "deformable grains  4"),
    ] {
        let info = said(&["info", text(path)]);
        assert!(info.contains(words) && !info.contains("radii"), "{info}");
    }
    assert!(said(&["export", text(&run), "--format", "csv"]).starts_with("4 frames"));
    assert!(said(&["export", text(&frame), "--format", "vtp"]).starts_with("1 frame "));
    assert!(frame.with_file_name("frame-000002-walls.vtp").exists());
    assert!(said(&["picture", text(&run)]).contains("frame-000003.svg"));
    let grains = scratch.path().join("grains.svg");
    said(&["picture", text(&frame), "--by", "grain", "--out", text(&grains)]);
    assert!(fs::read_to_string(&grains).unwrap().contains("t = 0.2 s"));
    assert!(said(&["cite", text(&run)]).contains("@article{Mollon2016"));

    let spheres = scratch.path().join("spheres");
    let beads = scratch.scenario(SCENARIO);
    said(&["run", text(&beads), "--out", text(&spheres), "--until", "0.01", "--quiet"]);
    let checkpoint = run.join("checkpoint.rpk");
    let cases: [(&[&str], &str); 5] = [
        (&["picture", text(&spheres)], "no deformable grains"),
        (&["picture", text(&run), "--frame", "99"], "no such frame"),
        (&["picture", text(&frame), "--by", "grain", "--out", text(&grains)], "--force"),
        (&["picture", text(&checkpoint), "--by", "shear"], "no stresses"),
        (&["export", text(&run), "--format", "obj"], "--format vtp"),
    ];
    for (arguments, words) in cases {
        let output = rubblepile(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(words), "{arguments:?}: {}", complaint(&output));
    }
}

#[test]
fn bad_input_is_exit_code_2_and_says_what() {
    let scratch = Scratch::new("bad-input");
    let run = short(&scratch);
    let scenario = scratch.path().join("beads.toml");
    let bytes = fs::read(run.join("checkpoint.rpk")).unwrap();
    let torn = scratch.path().join("torn.rpk");
    fs::write(&torn, &bytes[..bytes.len() / 2]).unwrap();
    let nowhere = scratch.path().join("nowhere");
    let below_a_file = torn.join("below");
    let cases: [(&[&str], &str); 11] = [
        (&["run", text(&nowhere)], "nowhere"),
        (&["run", text(&scenario), "--out", text(&run)], "--force"),
        (&["run", text(&scenario), "--out", text(&below_a_file)], "below"),
        (&["run", text(&scenario), "--set", "run.ned=3"], "ned"),
        (&["run", text(&scenario), "--until", "3 apples"], "apples"),
        (&["resume", text(scratch.path())], "checkpoint.rpk"),
        (&["info", text(&torn)], "damaged"),
        (&["export", text(&torn), "--format", "csv"], "damaged"),
        (&["export", text(scratch.path()), "--format", "csv"], "frames"),
        (&["bench", "nonsense"], "nonsense"),
        (&["cite", text(&nowhere)], "nowhere"),
    ];
    for (arguments, word) in cases {
        let output = rubblepile(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(word), "{arguments:?}: {}", complaint(&output));
    }
    // Nothing of it has touched the run.
    assert!(fs::read(run.join("checkpoint.rpk")).unwrap() == bytes);
}

#[test]
fn instructions_that_are_not_there_are_refused() {
    let with = |lanes: &str| command(&["schema"]).env("RUBBLEPILE_LANES", lanes).output().unwrap();
    let output = with("sse9");
    assert_eq!(output.status.code(), Some(2));
    let said = complaint(&output);
    assert!(said.contains("sse9") && said.contains("portable, avx2 or avx512"), "{said}");
    assert!(with("portable").status.success() && with("").status.success());
}

#[cfg(unix)]
#[test]
fn pipes_devices_and_huge_files_are_refused_and_not_read() {
    let scratch = Scratch::new("endless");
    let pipe = scratch.path().join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let huge = scratch.path().join("huge.toml");
    fs::File::create(&huge).unwrap().set_len(65 << 20).unwrap();
    let refused = |arguments: &[&str], word: &str| {
        let output = rubblepile(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", complaint(&output));
        assert!(complaint(&output).contains(word), "{arguments:?}: {}", complaint(&output));
    };
    let out = scratch.path().join("out");
    for (path, word) in [("/dev/zero", "regular"), (text(&pipe), "regular"), (text(&huge), "MiB")] {
        refused(&["check", path], word);
        refused(&["run", path, "--out", text(&out)], word);
        refused(&["sweep", path, "--out", text(&out)], word);
        refused(&["info", path], word);
    }
    refused(&["export", "/dev/zero", "--format", "csv"], "zero");
    // Files that a scenario names.
    let bad = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/bad");
    for (scenario, key) in [
        ("file-missing", "grains[0].place.file.path"),
        ("shape-file-missing", "grains[0].shape.file"),
        ("deformable-file-missing", "deformable[0].shape.file.path"),
        ("asteroid-open", "asteroid[0].shape.file.path"),
    ] {
        let scenario = format!("{bad}/{scenario}.toml");
        for path in ["/dev/zero", text(&pipe)] {
            let set = format!("{key}={path:?}");
            refused(&["run", &scenario, "--out", text(&out), "--set", &set], "regular");
        }
    }
}

#[test]
fn force_moves_the_old_run_aside() {
    let scratch = Scratch::new("force");
    let run = short(&scratch);
    let before = fs::read(run.join("series.csv")).unwrap();
    let scenario = scratch.path().join("beads.toml");
    let output =
        rubblepile(&["run", text(&scenario), "--out", text(&run), "--until", "0.05", "--force", "--quiet"]);
    assert!(output.status.success(), "{}", complaint(&output));
    assert!(fs::read(scratch.path().join("run.old-1/series.csv")).unwrap() == before);
}

#[test]
fn a_deliberate_error_is_noticed_and_one_that_a_case_does_not_know_is_refused() {
    let noticed = rubblepile(&["validate", "stick-slip", "--wrong", "gravity=1.01", "--quiet"]);
    let complaint = complaint(&noticed);
    assert!(noticed.status.success() && complaint.contains("numbers notice the error"), "{complaint}");
    let unknown = rubblepile(&["validate", "stick-slip", "--wrong", "colour=2"]);
    let complaint = crate::common::complaint(&unknown);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(complaint.contains("cannot get `colour` wrong") && complaint.contains("friction"), "{complaint}");
}
