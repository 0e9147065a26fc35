//! Two asteroids that touch end the run: their contact is not resolved.

use std::fs;

use crate::common::{Scratch, complaint, rubblepile};

/// A block moves at 1 m/s, turning, towards another one whose edge it meets after 60 s and before their enclosing spheres would
/// let it pass.
fn scenario(method: &str) -> String {
    format!(
        "[run]\nend = \"200 s\"\n{method}\n\
         [[material]]\nname = \"rock\"\ndensity = 2000\nstiffness = 1e6\n\
         [[asteroid]]\nname = \"primary\"\nmaterial = \"rock\"\n\
         shape = {{ ellipsoid = {{ semi_axes = [\"100 m\", \"50 m\", \"50 m\"], facets = 1000 }} }}\n\
         [[asteroid]]\nname = \"moon\"\nmaterial = \"rock\"\nposition = [0, \"150.05 m\", 0]\nvelocity = [0, -1, 0]\n\
         shape = {{ sphere = {{ radius = \"40 m\", facets = 1000 }} }}\n\
         [[grains]]\nname = \"dust\"\ncount = 2\nradius = 1\n\
         place = {{ points = {{ positions = [[500, 0, 0], [600, 0, 0]] }} }}\n\
         [[probe]]\nasteroids = {{ every = \"1 s\" }}\n\
         [output]\nframes = {{ every = \"10 s\" }}\ncheckpoint = {{ every = \"20 s\" }}\n"
    )
}

#[test]
fn asteroids_that_touch_end_the_run_and_the_last_frame_and_checkpoint_stay() {
    let methods = [
        "[method.soft]\ntimestep = 0.1",
        "[method.hard]\ntimestep = 0.1",
        "[method.nonsmooth]\ntimestep = 0.1",
    ];
    for method in methods {
        let scratch = Scratch::new("touching");
        let file = scratch.scenario(&scenario(method));
        let run = scratch.path().join("run");
        let output = rubblepile(&["run", file.to_str().unwrap(), "--out", run.to_str().unwrap(), "--quiet"]);
        let complaint = complaint(&output);
        assert_eq!(output.status.code(), Some(1), "{method}: {complaint}");
        // 150.05 - 50 - 40 m at 1 m/s; facets lie within the smooth forms.
        assert!(complaint.contains("asteroids `primary` and `moon`"), "{method}: {complaint}");
        let series = fs::read_to_string(run.join("series.csv")).unwrap();
        let last: f64 = series.lines().last().unwrap().split(',').next().unwrap().parse().unwrap();
        assert!((59.0..62.0).contains(&last), "{method}: {last} s");
        assert!(run.join("checkpoint.rpk").exists(), "{method}");
        assert!(run.join("frames/frame-000006.vtkhdf").exists(), "{method}");
        assert!(!run.join("frames/frame-000007.vtkhdf").exists(), "{method}");
    }
}

#[test]
fn asteroids_that_pass_each_other_closely_do_not_end_the_run() {
    // Within the enclosing spheres, beside the ellipsoid: 100 m along x, 50 m across.
    let text = scenario("[method.soft]\ntimestep = 0.5").replace(
        "[0, \"150.05 m\", 0]\nvelocity = [0, -1, 0]",
        "[\"-95 m\", \"91 m\", 0]\nvelocity = [1, 0, 0]",
    );
    let scratch = Scratch::new("passing");
    let file = scratch.scenario(&text);
    let run = scratch.path().join("run");
    let output = rubblepile(&["run", file.to_str().unwrap(), "--out", run.to_str().unwrap(), "--quiet"]);
    assert!(output.status.success(), "{}", complaint(&output));
}
