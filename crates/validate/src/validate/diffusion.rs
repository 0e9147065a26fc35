//! `diffusion`: mean free time and self-diffusion of the elastic fluid of hard spheres. validation/diffusion/README.md has
//! the sources. Units: diameter, mass and temperature are 1.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::World;

use super::{ValidateRow, gas};
use crate::{
    cases::{Case, CaseError, Options, Rows, Wrong},
    workload::gas::equal_spheres,
};

pub struct Diffusion;

const CASE: &str = "diffusion";
/// Virial coefficients B_k over (pi/6)^(k - 1), k = 1 to 10: exact to the fourth, the others Clisby and McCoy (2006).
const VIRIAL: [f64; 10] = [1.0, 4.0, 10.0, 18.364768, 28.2245, 39.8151, 53.3444, 68.5375, 85.8128, 105.775];
/// Exact self-diffusion of the dilute gas over its first approximation D0 (Chapman and Cowling), in which Speedy writes
/// his fit: it cannot be better than this.
const SONINE: f64 = 0.019;
/// Of the sum over a periodic lattice (Duenweg and Kremer 1993, Yeh and Hummer 2004).
const LATTICE: f64 = 2.837297;
/// Number densities: volume fractions of 0.21, 0.31 and 0.42.
const DENSITIES: [f64; 3] = [0.4, 0.6, 0.8];
/// Spheres that Speedy's fit is for, and of a box of twice the side.
const SMALL: usize = 500;
const LARGE: usize = 4000;
/// Parts of a run from which errors are taken.
const BLOCKS: usize = 10;

/// The fluid at a number density.
struct Fluid {
    density: f64,
}

impl Fluid {
    fn fraction(&self) -> f64 {
        PI / 6.0 * self.density
    }

    /// Pair correlation at contact, (Z - 1) / (4 phi), from the virial series of Z (1 - phi)^3, and its last term for an
    /// error.
    fn contact(&self) -> (f64, f64) {
        let phi = self.fraction();
        let term = |k: usize| {
            let b = |j: usize| if k >= j { VIRIAL[k - j] } else { 0.0 };
            (b(0) - 3.0 * b(1) + 3.0 * b(2) - b(3)) * phi.powi(k as i32)
        };
        let over = (1.0 - phi).powi(3);
        let z = (0..VIRIAL.len()).map(term).sum::<f64>() / over;
        let last = term(VIRIAL.len() - 1).abs() / over;
        ((z - 1.0) / (4.0 * phi), last / (4.0 * phi))
    }

    /// First approximation for the dilute gas.
    fn dilute_diffusion(&self) -> f64 {
        0.375 / (self.density * PI.sqrt())
    }

    /// Speedy (1987), for some 500 spheres.
    fn speedy(&self) -> f64 {
        let n = self.density;
        self.dilute_diffusion() * (1.0 - n / 1.09) * (1.0 + n * n * (0.4 - 0.83 * n * n))
    }

    /// Kinematic viscosity of Enskog's theory.
    fn viscosity(&self) -> f64 {
        let (n, g) = (self.density, self.contact().0);
        let b = 2.0 * PI / 3.0 * n * g;
        // eta / eta0 = (1/g) (1 + 2/5 b)^2 + 48 b^2 / (25 pi g), b = 2/3 pi n g
        let eta = 5.0 / (16.0 * PI.sqrt()) / g * ((1.0 + 0.4 * b).powi(2) + 48.0 / (25.0 * PI) * b * b);
        eta / n
    }

    fn side(&self, spheres: usize) -> f64 {
        (spheres as f64 / self.density).cbrt()
    }

    /// What an infinite system has more than one of so many spheres. Yeh and Hummer's is for D far below the viscosity; in a
    /// gas the sphere leaves the flow that it drags along by diffusion too: nu + D for nu.
    fn missing(&self, spheres: usize, diffusion: f64) -> f64 {
        LATTICE / (6.0 * PI * self.density * (self.viscosity() + diffusion) * self.side(spheres))
    }
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy)]
struct Measured {
    mean: f64,
    error: f64,
}

impl Measured {
    fn of(blocks: &[f64]) -> Self {
        let n = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / n;
        let variance = blocks.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Measured { mean, error: (variance / n).sqrt() }
    }
}

/// Where spheres would be without the periodic box, by id: they are put back into it when rows are sorted.
struct Journey {
    seen: Vec<DVec3>,
    place: Vec<DVec3>,
}

impl Journey {
    fn new(world: &World) -> Self {
        let seen = positions(world);
        Journey { place: seen.clone(), seen }
    }

    /// To be called before a sphere can have gone half a box.
    fn follow(&mut self, world: &World) {
        let now = positions(world);
        for ((place, seen), now) in self.place.iter_mut().zip(&self.seen).zip(&now) {
            *place += world.domain.shortest(*now - *seen);
        }
        self.seen = now;
    }
}

fn positions(world: &World) -> Vec<DVec3> {
    let mut by_id = vec![DVec3::ZERO; world.bodies.len()];
    for (id, x) in world.bodies.id.iter().zip(&world.bodies.position) {
        by_id[*id as usize] = *x;
    }
    by_id
}

fn mean_square(from: &[DVec3], to: &[DVec3]) -> f64 {
    from.iter().zip(to).map(|(a, b)| (*b - *a).length_squared()).sum::<f64>() / from.len() as f64
}

/// Mean free time and diffusion from a run over `spans` times t: D = (<r^2(2t)> - <r^2(t)>) / 6t. The slowest flow in the box
/// decays as exp(-(nu + D) (2 pi / L)^2 t); t is three times that.
fn measure(fluid: &Fluid, spheres: usize, spans: usize, wrong: &Wrong) -> Result<[Measured; 2], CaseError> {
    let expected = gas::rate(spheres, fluid.fraction());
    let inside = if spheres == LARGE { (LARGE as f64 * wrong.factor("large")) as usize } else { spheres };
    let mut world = equal_spheres(inside, fluid.fraction() * wrong.factor("density"), (1.0, 1.0), 1);
    gas::run(&mut world, 200.0 / expected, expected)?;
    let slowest = (fluid.side(spheres) / (2.0 * PI)).powi(2) / (fluid.viscosity() + fluid.speedy());
    let span = 3.0 * slowest;
    // In a unit of time a sphere gets some diameters far; half a box is more than four.
    let pieces = span.ceil();
    let mut journey = Journey::new(&world);
    let (mut times, mut diffusions) = (Vec::new(), Vec::new());
    for _ in 0..BLOCKS {
        let (mut collisions, mut once, mut twice) = (0, 0.0, 0.0);
        let mut seen = [journey.place.clone(), journey.place.clone()];
        for k in 0..spans / BLOCKS {
            for _ in 0..pieces as u32 {
                collisions += gas::run(&mut world, span / pieces, expected)?;
                journey.follow(&world);
            }
            let now = journey.place.clone();
            once += mean_square(&seen[1], &now);
            if k > 0 {
                twice += mean_square(&seen[0], &now);
            }
            let [_, last] = seen;
            seen = [last, now];
        }
        let n = (spans / BLOCKS) as f64;
        times.push(0.5 * inside as f64 * n * span / collisions as f64);
        diffusions.push((twice / (n - 1.0) - once / n) / (6.0 * span));
    }
    Ok([Measured::of(&times), Measured::of(&diffusions)])
}

impl Case for Diffusion {
    type Row = ValidateRow;

    fn name(&self) -> &'static str {
        CASE
    }

    fn about(&self) -> &'static str {
        "an elastic fluid of hard spheres: mean free time, self-diffusion and how it depends on the size of the box"
    }

    fn wrongs(&self) -> &'static [&'static str] {
        &["density", "large"]
    }

    fn run(&self, options: &Options, rows: &Rows<ValidateRow>) -> Result<(), CaseError> {
        let (more, large_at) = if options.full { (16, &DENSITIES[..2]) } else { (1, &DENSITIES[1..2]) };
        // A run of the eightfold box has to last four times as long, and needs an eighth of the looks.
        let small = DENSITIES.iter().map(|&density| (density, SMALL, 400 * more));
        let large = large_at.iter().map(|&density| (density, LARGE, 40 * more));
        let plans: Vec<(f64, usize, usize)> = large.chain(small).collect();
        let found = rows.in_order(plans.par_iter().enumerate(), |&(density, spheres, spans), own| {
            let fluid = Fluid { density };
            let [time, diffusion] = measure(&fluid, spheres, spans, &options.wrong)?;
            let mut push = |what: &str, reference: f64, ours: f64, tolerance: f64, source: &str| {
                let what = format!("density {density}, {spheres} spheres: {what}");
                own.push(ValidateRow::new(CASE, what, reference, ours, tolerance, source));
            };
            let (contact, error) = fluid.contact();
            let free = 1.0 / (4.0 * PI.sqrt() * density * contact);
            // The series, ensembles that differ by 1/N, and our scatter.
            let tolerance = free * (error / contact + 1.0 / spheres as f64) + 2.0 * time.error;
            push("mean free time", free, time.mean, tolerance, "virial series, Clisby and McCoy (2006)");
            let speedy = fluid.speedy();
            if spheres == SMALL {
                let tolerance = SONINE * speedy + 2.0 * diffusion.error;
                push("self-diffusion", speedy, diffusion.mean, tolerance, "Speedy (1987)");
            }
            Ok(diffusion)
        })?;
        for (&(density, spheres, _), diffusion) in plans.iter().zip(&found).filter(|(p, _)| p.1 == LARGE) {
            let same = plans.iter().zip(&found).find(|(p, _)| p.0 == density && p.1 == SMALL);
            let Some((_, less)) = same else { continue };
            let fluid = Fluid { density };
            let speedy = fluid.speedy();
            let gain = fluid.missing(SMALL, speedy) - fluid.missing(LARGE, speedy);
            // Enskog's viscosity is within a tenth of that of molecular dynamics up to a density of 0.7.
            let tolerance = 0.1 * gain + 2.0 * less.error.hypot(diffusion.error);
            let source = "Yeh and Hummer (2004), viscosity of Enskog";
            let ours = diffusion.mean - less.mean;
            let what =
                format!("density {density}, {spheres} spheres: self-diffusion, more than {SMALL} have");
            rows.push(ValidateRow::new(CASE, what, gain, ours, tolerance, source));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contact_value_is_that_of_carnahan_and_starling_to_half_a_per_cent_and_better_where_it_is_exact() {
        for density in [0.05, 0.4, 0.8] {
            let fluid = Fluid { density };
            let phi = fluid.fraction();
            let starling = (1.0 - 0.5 * phi) / (1.0 - phi).powi(3);
            let (ours, error) = fluid.contact();
            assert!((ours / starling - 1.0).abs() < 5e-3, "{ours} {starling}");
            assert!(error / ours < 3e-4, "{error}");
        }
        // 1 + 5/8 b + ...
        let fluid = Fluid { density: 1e-4 };
        assert!(((fluid.contact().0 - 1.0) / fluid.fraction() - 2.5).abs() < 1e-3);
    }

    #[test]
    fn viscosity_starts_at_the_dilute_gas() {
        let fluid = Fluid { density: 1e-6 };
        let eta = fluid.viscosity() * fluid.density;
        assert!((eta * 16.0 * PI.sqrt() / 5.0 - 1.0).abs() < 1e-5, "{eta}");
    }
}
