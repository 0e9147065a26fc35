//! `map`, and shape models: what `info` says of them and what `heal` does.

use std::{fs, path::Path};

use crate::common::{SCENARIO, Scratch, complaint, rubblepile, text};

fn scenario(shape: &str, more: &str) -> String {
    format!(
        "[run]\nend = 100\n[method.soft]\ntimestep = \"1 ms\"\nmax_speed = 1\n\
         [[material]]\nname = \"regolith\"\ndensity = 3000\ncohesion = \"0.5 Pa\"\nfriction = {{ shape = 0.5 }}\n\
         [[asteroid]]\ndensity = 1200\nperiod = \"3 h\"\nshape = {{ {shape} }}\n{more}"
    )
}

fn said(arguments: &[&str]) -> String {
    let output = rubblepile(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", complaint(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn refused(arguments: &[&str], words: &[&str]) {
    let output = rubblepile(arguments);
    // Lines are broken where the terminal ends.
    let complaint = complaint(&output).replace(['\n', '│'], " ");
    let complaint = complaint.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    for word in words {
        assert!(complaint.contains(word), "{arguments:?}: `{word}` is not in: {complaint}");
    }
}

#[test]
fn check_tells_of_asteroids() {
    let scratch = Scratch::new("check-asteroids");
    let grains = "[[gravity]]\ndirect = {}\n[[grains]]\nradius = 1\nplace = { points = { positions = [[300, 0, 0]] } }\n";
    let path = scratch.scenario(&scenario("sphere = { radius = \"200 m\", facets = 500 }", grains));
    let said = said(&["check", text(&path)]);
    assert!(said.contains("500 facets, radius 200 m, mass 3.") && said.contains("period 3 h"), "{said}");
    // The grains alone are no body that something could escape from.
    assert!(!said.contains("escape speed"), "{said}");
}

/// A cube of two units with its last face missing, and one more triangle turned.
fn broken_cube(path: &Path) {
    let mut text = String::new();
    for k in 0..8 {
        text += &format!("v {} {} {}\n", 2 * (k & 1), 2 * (k >> 1 & 1), 2 * (k >> 2));
    }
    // Fine enough that a face is a small part: each face is four triangles about its middle.
    let squares = [[1, 5, 7, 3], [2, 4, 8, 6], [1, 2, 6, 5], [3, 7, 8, 4], [1, 3, 4, 2], [5, 6, 8, 7]];
    for (k, q) in squares.iter().enumerate() {
        let middle = [[0, 1, 1], [2, 1, 1], [1, 0, 1], [1, 2, 1], [1, 1, 0], [1, 1, 2]][k];
        text += &format!("v {} {} {}\n", middle[0], middle[1], middle[2]);
        for c in 0..4 {
            let (mut i, mut j) = (q[c], q[(c + 1) % 4]);
            match (k, c) {
                (5, 3) => continue,
                (0, 0) => (i, j) = (j, i),
                _ => {}
            }
            text += &format!("f {i} {j} -1\n");
        }
    }
    fs::write(path, text).unwrap();
}

#[test]
fn a_map_has_its_files_and_says_what_fails() {
    let scratch = Scratch::new("map");
    let file = scratch.scenario(&scenario("sphere = { radius = 200, facets = 500 }", ""));
    let out = scratch.path().join("maps");
    let told = said(&["map", text(&file), "--out", text(&out), "--thickness", "2 m"]);
    for part in
        ["500 facets", "cohesion 0.5 Pa, 2 m thick, 1200 kg/m3", "radius 0.1 m, 3000 kg/m3", "period 3 h"]
    {
        assert!(told.contains(part), "`{part}` is not in: {told}");
    }
    for name in
        ["map.vtp", "map.csv", "slope.svg", "factor-of-safety.svg", "lift-off-speed.svg", "fission.svg"]
    {
        assert!(out.join(name).exists(), "{name}");
    }
    assert_eq!(fs::read_to_string(out.join("map.csv")).unwrap().lines().count(), 501);
    // A sphere of this density flies apart at 3.03 h at its equator: faster, and without cohesion, it does.
    let fast = ["map", text(&file), "--out", text(&out), "--force", "--period", "2.8 h", "--cohesion", "0"];
    let told = said(&fast);
    assert!(told.contains("flies off (eq. 17): ") && !told.contains("flies off (eq. 17): 0.00 %"), "{told}");
    let slow = ["map", text(&file), "--out", text(&out), "--force", "--period", "30 h"];
    assert!(said(&slow).contains("flies off (eq. 17): 0.00 %"));
}

#[test]
fn maps_of_nothing_are_refused() {
    let scratch = Scratch::new("map-refused");
    let file = scratch.scenario(&scenario("sphere = { radius = 200, facets = 80 }", ""));
    let out = scratch.path().join("maps");
    let path = text(&file);
    said(&["map", path, "--out", text(&out)]);
    refused(&["map", path, "--out", text(&out)], &["map.vtp", "--force"]);
    refused(&["map", path, "--asteroid", "moon"], &["no asteroid `moon`", "its asteroids are: asteroid"]);
    for (option, value, word) in [
        ("--cohesion", "3 m", "a length"),
        ("--cohesion", "-1", "must not be negative"),
        ("--thickness", "0", "must be larger than 0"),
        ("--thickness", "2 apples", "apples"),
        ("--friction-angle", "90", "not a friction angle"),
        ("--period", "0", "must not be 0"),
        ("--period", "nan", "not a finite number"),
        ("--grain-radius", "1 kg", "a mass"),
    ] {
        refused(&["map", path, "--force", "--out", text(&out), option, value], &[option, word]);
    }
    let two = scenario(
        "sphere = { radius = 200, facets = 80 }",
        "[[asteroid]]\nname = \"moon\"\ndensity = 1200\nposition = [1000, 0, 0]\nshape = { sphere = { radius = 50, facets = 80 } }\n",
    );
    let file = scratch.scenario(&two);
    refused(&["map", text(&file)], &["2 asteroids", "asteroid, moon"]);
    said(&["map", text(&file), "--asteroid", "moon", "--force", "--out", text(&out)]);
    let none = scratch.scenario(SCENARIO);
    refused(&["map", text(&none)], &["no asteroid"]);
}

#[test]
fn broken_shape_models_are_refused_and_healed() {
    let scratch = Scratch::new("heal");
    let model = scratch.path().join("cube.obj");
    broken_cube(&model);
    let file = scratch.scenario(&scenario("file = { path = \"cube.obj\", unit = \"km\" }", ""));
    refused(&["check", text(&file)], &["not a closed surface", "heal = true"]);
    let file = scratch.scenario(&scenario("file = { path = \"cube.obj\", unit = \"km\", heal = true }", ""));
    let told = said(&["check", text(&file)]);
    assert_eq!(
        told.matches("note: cube.obj: turned 1 triangle that faced the other way").count(),
        1,
        "{told}"
    );
    assert!(told.contains("note: cube.obj: filled a hole of 3 edges"), "{told}");
    let output = rubblepile(&["map", text(&file), "--out", text(&scratch.path().join("maps"))]);
    assert!(
        output.status.success() && complaint(&output).contains("filled a hole"),
        "{}",
        complaint(&output)
    );
    // What cannot be healed.
    fs::write(&model, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    refused(&["check", text(&file)], &["cannot be healed", "too large to be filled", "it is open"]);
}

#[test]
fn info_of_a_shape_model() {
    let scratch = Scratch::new("shape-info");
    let model = scratch.path().join("cube.obj");
    broken_cube(&model);
    let path = text(&model);
    refused(&["info", path], &["--unit km"]);
    refused(&["info", path, "--unit", "kg"], &["--unit"]);
    refused(&["info", path, "--unit", "m", "--density", "-3"], &["--density"]);
    let told = said(&["info", path, "--unit", "m"]);
    assert!(told.contains("23") && told.contains("it is open") && told.contains("--heal"), "{told}");
    let whole = ["info", path, "--unit", "m", "--heal", "--density", "1 g/cm3", "--json"];
    let json: serde_json::Value = serde_json::from_str(&said(&whole)).unwrap();
    assert_eq!((json["kind"].as_str(), json["facets"].as_u64()), (Some("shape model"), Some(24)));
    assert_eq!(json["repair"].as_array().map(Vec::len), Some(2));
    let near = |value: &serde_json::Value, x: f64| (value.as_f64().unwrap() / x - 1.0).abs() < 1e-9;
    assert!(near(&json["volume"], 8.0) && near(&json["mass"], 8000.0), "{json}");
    assert!(near(&json["principal_moments"][1], 8000.0 * 4.0 / 6.0) && near(&json["centre"][2], 1.0));
    assert!(near(&json["enclosing_radius"], 3f64.sqrt()), "{json}");
    // Not for other files.
    let file = scratch.scenario(SCENARIO);
    refused(&["info", text(&file), "--heal"], &["shape models"]);
}
