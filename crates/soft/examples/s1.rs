use glam::DVec3;
use rubblepile_core::*;
use rubblepile_soft::*;
struct Uniform(DVec3);
impl Field for Uniform {
    fn name(&self) -> &'static str {
        "u"
    }
    fn accelerate(&mut self, _w: &World, out: &mut [DVec3]) -> Result<()> {
        for a in out {
            *a += self.0;
        }
        Ok(())
    }
    fn potential_energy(&mut self, _w: &World) -> Result<f64> {
        Ok(0.0)
    }
    fn every(&self) -> u64 {
        u64::MAX
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rolling = args[2] == "rolling";
    let threads: usize = args[3].parse().unwrap();
    let rep: usize = args[4].parse().unwrap();
    let steps: f64 = args[5].parse().unwrap();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let mut world = World::new(3e-4);
    let b = if rolling { 0.5 } else { 0.0 };
    world.materials.push(Material {
        name: "g".into(),
        density: 6.0 / std::f64::consts::PI,
        stiffness: Some(2e4),
        friction_rolling: 0.1 * b * 4.0,
        friction_twisting: 0.1 * b * 4.0,
        shape: b,
        ..Material::default()
    });
    world.groups.push("g".into());
    for a in 0..rep {
        for c in 0..rep {
            for line in text.lines().skip(1) {
                let v: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
                let k = world.bodies.push_sphere(
                    DVec3::new(v[0] + 30.0 * a as f64, v[1] + 30.0 * c as f64, v[2]),
                    v[3],
                    6.0 / std::f64::consts::PI,
                    0,
                    0,
                );
                world.bodies.velocity[k] = DVec3::new(v[4], v[5], v[6]);
                world.bodies.spin[k] = DVec3::new(v[7], v[8], v[9]);
            }
        }
    }
    let l = 30.0 * rep as f64;
    world.domain =
        Domain::Periodic { min: DVec3::ZERO, max: DVec3::new(l, l, 1.0), axes: [true, true, false] };
    world.walls.push(Wall::new(0, "floor", 0, Surface::Plane { point: DVec3::ZERO, normal: DVec3::Z }));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut m = SoftSpheres::new(Settings::default());
        let mut f = Fields { list: vec![Box::new(Uniform(-DVec3::Z))] };
        for a in m.check(&world) {
            println!("{a:?}");
        }
        let mut r = Report::default();
        m.advance(&mut world, &mut f, 100.0 * 3e-4, &mut r).unwrap();
        for _ in 0..3 {
            let mut r = Report::default();
            let t = std::time::Instant::now();
            let until = world.time() + steps * 3e-4;
            m.advance(&mut world, &mut f, until, &mut r).unwrap();
            let s = t.elapsed().as_secs_f64();
            println!(
                "{:.3e} grain-steps/s {:?} {:?}",
                world.bodies.len() as f64 * steps / s,
                r.phases,
                r.counts
            );
        }
        let c = m.contacts(&world).unwrap();
        let gg = c.iter().filter(|c| c.partner_row.is_some()).count();
        println!(
            "z {} ke {:?}",
            2.0 * gg as f64 / world.bodies.len() as f64,
            world.bodies.kinetic_energy().0 / world.bodies.len() as f64
        );
    });
}
