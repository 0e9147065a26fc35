//! Stress and its tangent from the gradient of deformation, of the second dimension's kind: plane strain or plane stress.

use glam::DMat2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Plane strain or plane stress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "PlaneName")]
pub enum PlaneCondition {
    /// Plane strain: a slice of a long body.
    #[default]
    Strain,
    /// Plane stress: a thin plate.
    Stress,
}

/// The constitutive law.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElasticLaw {
    // Eq. (13): the stress is the second one of Piola and Kirchhoff.
    /// Stress proportional to the Green-Lagrange strain: softens under large compression, and stiffens again below `compression_limit`.
    #[default]
    SaintVenantKirchhoff,
    // W = μ/2 (tr FᵀF - 3) - μ ln J + λ/2 ln²J
    /// Compressible neo-Hookean: the material cannot turn inside out.
    NeoHookean,
}

/// An elastic law with its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elasticity {
    kind: ElasticLaw,
    plane: PlaneCondition,
    /// Lamé's, Pa. Of plane stress and eq. (13) the λ of the plane.
    lambda: f64,
    mu: f64,
    /// Area over that at the start below which [`resistance`] adds to eq. (13); 0: never.
    limit: f64,
}

/// Under eq. (13) a material that can only get thinner is softest at 1/√3 of its thickness, and below has a negative stiffness, until nothing is left
/// of it at no cost: a grain that is pressed hard becomes a film. From a little above on it is given more resistance.
pub const COMPRESSION_LIMIT: f64 = 0.6;

/// Where [`resistance`] goes on as a parabola: also material that is inside out, between two iterations, is to be pushed back.
const PARABOLA: f64 = 0.1;

/// Energy over λ + 2 μ that a material has which is compressed to z times the limit, -ln³z / 3, and its first two derivatives. They are 0
/// at the limit, so that stress and tangent have no jump there.
fn resistance(z: f64) -> [f64; 3] {
    let end = z.max(PARABOLA);
    let log = end.ln();
    let [value, slope, bend] = [-log.powi(3) / 3.0, -log * log / end, (log - 2.0) * log / (end * end)];
    let over = z - end;
    [value + (slope + 0.5 * bend * over) * over, slope + bend * over, bend]
}

#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LawError {
    #[error("Young's modulus must be above 0, not {0}")]
    Modulus(f64),
    #[error("Poisson's ratio must be above -1 and at most 0.5, not {0}")]
    Ratio(f64),
    #[error(
        "a Poisson ratio of 0.5 is incompressible: in plane strain, and with the neo-Hookean law, it must be below"
    )]
    Incompressible,
}

/// What a law says of a gradient of deformation F. Components are in the order xx, xy, yx, yy of eq. (A.9).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Response {
    /// J/m³ of the reference configuration.
    pub energy: f64,
    /// First Piola-Kirchhoff stress, F S.
    pub stress: [f64; 4],
    /// Its change with F: symmetric.
    pub tangent: [[f64; 4]; 4],
}

impl Elasticity {
    pub fn new(kind: ElasticLaw, plane: PlaneCondition, modulus: f64, ratio: f64) -> Result<Self, LawError> {
        if !(modulus > 0.0 && modulus.is_finite()) {
            return Err(LawError::Modulus(modulus));
        }
        if !(ratio > -1.0 && ratio <= 0.5) {
            return Err(LawError::Ratio(ratio));
        }
        let mu = modulus / (2.0 * (1.0 + ratio));
        let lambda = match (kind, plane) {
            (ElasticLaw::SaintVenantKirchhoff, PlaneCondition::Stress) => {
                modulus * ratio / (1.0 - ratio * ratio)
            }
            _ if ratio == 0.5 => return Err(LawError::Incompressible),
            _ => modulus * ratio / ((1.0 + ratio) * (1.0 - 2.0 * ratio)),
        };
        Ok(Elasticity { kind, plane, lambda, mu, limit: COMPRESSION_LIMIT })
    }

    /// With another limit of compression; 0: eq. (13) alone.
    pub fn with_limit(self, limit: f64) -> Self {
        Elasticity { limit, ..self }
    }

    pub fn shear_modulus(&self) -> f64 {
        self.mu
    }

    /// Speed of a pressure wave in material of this density, m/s.
    pub fn wave_speed(&self, density: f64) -> f64 {
        let (lambda, mu) = self.small();
        ((lambda + 2.0 * mu) / density).sqrt()
    }

    /// `None`: there is no stress, for the material is inside out.
    pub fn respond(&self, f: [f64; 4]) -> Option<Response> {
        self.answer::<true>(f)
    }

    /// As `respond`; the tangent may be left out.
    #[inline]
    pub fn answer<const TANGENT: bool>(&self, f: [f64; 4]) -> Option<Response> {
        match self.kind {
            ElasticLaw::SaintVenantKirchhoff => Some(self.saint_venant_kirchhoff::<TANGENT>(f)),
            ElasticLaw::NeoHookean => self.neo_hookean(f),
        }
    }

    /// Eqs (13), (A.5), (A.6), and [`resistance`].
    fn saint_venant_kirchhoff<const TANGENT: bool>(&self, f: [f64; 4]) -> Response {
        let Elasticity { lambda, mu, .. } = *self;
        let strain = green_lagrange(f);
        let stress = hooke(lambda, mu, strain);
        let energy = 0.5 * (stress[0] * strain[0] + stress[1] * strain[1] + 2.0 * stress[2] * strain[2]);
        let mut out = Response { energy, ..Response::default() };
        out.add_second::<TANGENT>(f, stress, lambda, mu);
        let [xx, xy, yx, yy] = f;
        let area = xx * yy - xy * yx;
        if area < self.limit {
            let [energy, slope, bend] = resistance(area / self.limit).map(|x| (lambda + 2.0 * mu) * x);
            let (slope, bend) = (slope / self.limit, bend / (self.limit * self.limit));
            // The area's change with F, and the change of that.
            let change = [yy, -yx, -xy, xx];
            let crossed = [1.0, -1.0, -1.0, 1.0];
            out.energy += energy;
            for a in 0..4 {
                out.stress[a] += slope * change[a];
                if TANGENT {
                    for b in 0..4 {
                        out.tangent[a][b] += bend * change[a] * change[b];
                    }
                    out.tangent[a][3 - a] += slope * crossed[a];
                }
            }
        }
        out
    }

    /// Lamé's constants of small strains in the plane, Pa.
    fn small(&self) -> (f64, f64) {
        let Elasticity { lambda, mu, .. } = *self;
        match (self.kind, self.plane) {
            (ElasticLaw::NeoHookean, PlaneCondition::Stress) => (2.0 * lambda * mu / (lambda + 2.0 * mu), mu),
            _ => (lambda, mu),
        }
    }

    /// Stress of small strains xx, yy, xy.
    pub fn small_stress(&self, strain: [f64; 3]) -> [f64; 3] {
        let (lambda, mu) = self.small();
        hooke(lambda, mu, strain)
    }

    /// As [`Elasticity::answer`], with a viscous stress besides, in the second Piola-Kirchhoff sense: `time` times that of small strains for the rate of the
    /// Green-Lagrange strain, which is `rate` times the strain, and `constant`. Rigid motion has none.
    pub fn answer_viscous<const TANGENT: bool>(
        &self,
        f: [f64; 4],
        (time, rate): (f64, f64),
        constant: [f64; 3],
    ) -> Option<Response> {
        let mut out = self.answer::<TANGENT>(f)?;
        let (lambda, mu) = self.small();
        let strain = green_lagrange(f);
        let stress = hooke(time * lambda, time * mu, std::array::from_fn(|k| rate * strain[k] + constant[k]));
        out.add_second::<TANGENT>(f, stress, time * rate * lambda, time * rate * mu);
        Some(out)
    }

    fn neo_hookean(&self, f: [f64; 4]) -> Option<Response> {
        let Elasticity { lambda, mu, .. } = *self;
        let [xx, xy, yx, yy] = f;
        let area = xx * yy - xy * yx;
        if area.is_nan() || area <= 0.0 {
            return None;
        }
        let thickness = match self.plane {
            PlaneCondition::Strain => 1.0,
            PlaneCondition::Stress => self.thickness(area)?,
        };
        let log = (area * thickness).ln();
        // F⁻ᵀ
        let inverse = [yy / area, -yx / area, -xy / area, xx / area];
        // In plane stress the thickness gives way, and of λ only a part resists.
        let stiff = match self.plane {
            PlaneCondition::Strain => lambda,
            PlaneCondition::Stress => {
                let side = 2.0 * mu * thickness * thickness;
                lambda * side / (side + lambda)
            }
        };
        let squares: f64 = f.iter().map(|x| x * x).sum();
        let mut out = Response {
            energy: 0.5 * mu * (squares + thickness * thickness - 3.0) - mu * log + 0.5 * lambda * log * log,
            ..Response::default()
        };
        for a in 0..4 {
            out.stress[a] = mu * (f[a] - inverse[a]) + lambda * log * inverse[a];
            for b in 0..4 {
                // F⁻ᵀ_il F⁻ᵀ_kj
                let crossed = inverse[(a & 2) | (b & 1)] * inverse[(b & 2) | (a & 1)];
                out.tangent[a][b] = stiff * inverse[a] * inverse[b] + (mu - lambda * log) * crossed;
            }
            out.tangent[a][a] += mu;
        }
        Some(out)
    }

    /// The stretch through the plate at which it bears no stress: μ (t² - 1) + λ ln(J t) = 0, which rises with t.
    fn thickness(&self, area: f64) -> Option<f64> {
        let Elasticity { lambda, mu, .. } = *self;
        let mut log_t = -lambda / (lambda + 2.0 * mu) * area.ln();
        for _ in 0..60 {
            let square = (2.0 * log_t).exp();
            let off = mu * (square - 1.0) + lambda * (area.ln() + log_t);
            let step = off / (2.0 * mu * square + lambda);
            log_t -= step;
            if step.abs() < 1e-15 * (1.0 + log_t.abs()) {
                break;
            }
        }
        Some(log_t.exp()).filter(|t| t.is_finite())
    }
}

impl Response {
    /// A second Piola-Kirchhoff stress S that changes with the Green-Lagrange strain by Lamé's constants: F S, and its change with F.
    #[inline]
    fn add_second<const TANGENT: bool>(&mut self, f: [f64; 4], s: [f64; 3], lambda: f64, mu: f64) {
        let f = [[f[0], f[1]], [f[2], f[3]]];
        let s = [[s[0], s[2]], [s[2], s[1]]];
        for (a, stress) in self.stress.iter_mut().enumerate() {
            *stress += f[a / 2][0] * s[0][a % 2] + f[a / 2][1] * s[1][a % 2];
        }
        if !TANGENT {
            return;
        }
        // F Fᵀ, which is what is left of F C F.
        let left = |i: usize, k: usize| f[i][0] * f[k][0] + f[i][1] * f[k][1];
        let same = |a: usize, b: usize| if a == b { 1.0 } else { 0.0 };
        for (a, row) in self.tangent.iter_mut().enumerate() {
            for (b, entry) in row.iter_mut().enumerate() {
                let (i, j, k, l) = (a / 2, a % 2, b / 2, b % 2);
                *entry += same(i, k) * s[j][l]
                    + lambda * f[i][j] * f[k][l]
                    + mu * (same(j, l) * left(i, k) + f[i][l] * f[k][j]);
            }
        }
    }
}

/// Stress xx, yy, xy of a strain xx, yy, xy.
fn hooke(lambda: f64, mu: f64, strain: [f64; 3]) -> [f64; 3] {
    let pressure = lambda * (strain[0] + strain[1]);
    [pressure + 2.0 * mu * strain[0], pressure + 2.0 * mu * strain[1], 2.0 * mu * strain[2]]
}

/// Green-Lagrange strain xx, yy, xy, eq. (A.6).
pub fn green_lagrange([xx, xy, yx, yy]: [f64; 4]) -> [f64; 3] {
    [0.5 * (xx * xx + yx * yx - 1.0), 0.5 * (xy * xy + yy * yy - 1.0), 0.5 * (xx * xy + yx * yy)]
}

/// Cauchy stress xx, yy, xy: P Fᵀ / J.
pub fn cauchy(f: [f64; 4], stress: [f64; 4]) -> [f64; 3] {
    let matrix = |m: [f64; 4]| DMat2::from_cols_array(&[m[0], m[2], m[1], m[3]]);
    let (f, p) = (matrix(f), matrix(stress));
    let s = p * f.transpose() * (1.0 / f.determinant());
    [s.x_axis.x, s.y_axis.y, 0.5 * (s.x_axis.y + s.y_axis.x)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Elasticity> {
        [ElasticLaw::SaintVenantKirchhoff, ElasticLaw::NeoHookean].into_iter().flat_map(|kind| {
            [PlaneCondition::Strain, PlaneCondition::Stress]
                .map(|plane| Elasticity::new(kind, plane, 1000.0, 0.3).unwrap())
        })
    }

    #[test]
    fn stress_is_the_slope_of_energy_and_the_tangent_that_of_stress() {
        for f in [[1.0, 0.0, 0.0, 1.0], [1.3, 0.4, -0.2, 0.7], [0.6, -0.5, 0.3, 1.1], [0.9, 0.2, -0.1, 0.4]] {
            for law in all() {
                let here = law.respond(f).unwrap();
                let h = 1e-5;
                for a in 0..4 {
                    let moved = |by: f64| {
                        let mut g = f;
                        g[a] += by;
                        law.respond(g).unwrap()
                    };
                    let (plus, minus) = (moved(h), moved(-h));
                    let slope = (plus.energy - minus.energy) / (2.0 * h);
                    assert!(
                        (slope - here.stress[a]).abs() < 1e-5,
                        "{law:?} {f:?} {slope} {}",
                        here.stress[a]
                    );
                    for b in 0..4 {
                        let slope = (plus.stress[b] - minus.stress[b]) / (2.0 * h);
                        assert!((slope - here.tangent[b][a]).abs() < 1e-4, "{law:?} {f:?} {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn compressed_material_resists_ever_more_and_eq_13_alone_does_not() {
        for plane in [PlaneCondition::Strain, PlaneCondition::Stress] {
            let law = Elasticity::new(ElasticLaw::SaintVenantKirchhoff, plane, 1000.0, 0.3).unwrap();
            let stress =
                |law: Elasticity, height: f64| law.respond([1.0, 0.0, 0.0, height]).unwrap().stress[3];
            for k in 1..=150 {
                let height = 1.0 - 0.01 * f64::from(k);
                assert!(stress(law, height) < stress(law, height + 0.01), "{plane:?} {height}");
                if height > COMPRESSION_LIMIT {
                    assert_eq!(stress(law, height), stress(law.with_limit(0.0), height));
                }
            }
            assert!(stress(law.with_limit(0.0), 0.3) > stress(law.with_limit(0.0), 0.6));
        }
    }

    #[test]
    fn viscous_stress_has_its_tangent_and_none_for_what_turns() {
        let (sine, cosine) = 0.7_f64.sin_cos();
        for law in all() {
            let (f, constant) = ([1.2, 0.3, -0.1, 0.8], [0.4, -0.2, 0.3]);
            let viscous = |f| law.answer_viscous::<true>(f, (0.05, 3.0), constant).unwrap();
            let here = viscous(f);
            for a in 0..4 {
                let moved = |by: f64| {
                    let mut g = f;
                    g[a] += by;
                    viscous(g)
                };
                let (plus, minus) = (moved(1e-5), moved(-1e-5));
                for b in 0..4 {
                    let slope = (plus.stress[b] - minus.stress[b]) / 2e-5;
                    assert!((slope - here.tangent[b][a]).abs() < 1e-4, "{law:?} {a} {b}");
                }
            }
            let turned = law
                .answer_viscous::<true>([cosine, -sine, sine, cosine], (0.05, 3.0), [0.0; 3])
                .unwrap()
                .stress;
            assert!(turned.iter().all(|s| s.abs() < 1e-10), "{law:?} {turned:?}");
        }
    }

    #[test]
    fn turning_makes_no_stress_and_small_strains_are_hookes() {
        let (sine, cosine) = 1.2_f64.sin_cos();
        for law in all() {
            let turned = law.respond([cosine, -sine, sine, cosine]).unwrap();
            assert!(turned.stress.iter().all(|s| s.abs() < 1e-11), "{law:?} {turned:?}");
            let here = law.respond([1.0, 0.0, 0.0, 1.0]).unwrap();
            let (modulus, ratio) = (1000.0, 0.3);
            let expected = match law.plane {
                PlaneCondition::Strain => modulus * (1.0 - ratio) / ((1.0 + ratio) * (1.0 - 2.0 * ratio)),
                PlaneCondition::Stress => modulus / (1.0 - ratio * ratio),
            };
            assert!((here.tangent[0][0] / expected - 1.0).abs() < 1e-12, "{law:?}");
            assert!((law.wave_speed(2.0).powi(2) * 2.0 / expected - 1.0).abs() < 1e-12, "{law:?}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let law = |kind, plane, ratio| Elasticity::new(kind, plane, 1e6, ratio);
        use ElasticLaw::*;
        assert_eq!(law(SaintVenantKirchhoff, PlaneCondition::Strain, 0.5), Err(LawError::Incompressible));
        assert_eq!(law(NeoHookean, PlaneCondition::Stress, 0.5), Err(LawError::Incompressible));
        assert!(law(SaintVenantKirchhoff, PlaneCondition::Stress, 0.5).is_ok());
        assert_eq!(law(NeoHookean, PlaneCondition::Strain, 0.6), Err(LawError::Ratio(0.6)));
        assert!(Elasticity::new(NeoHookean, PlaneCondition::Strain, f64::NAN, 0.3).is_err());
        let neo = law(NeoHookean, PlaneCondition::Strain, 0.3).unwrap();
        assert_eq!(neo.respond([-1.0, 0.0, 0.0, 1.0]), None);
    }

    #[test]
    fn cauchy_stress_of_a_turned_bar_lies_along_it() {
        let law = Elasticity::new(ElasticLaw::NeoHookean, PlaneCondition::Stress, 1000.0, 0.0).unwrap();
        // Pulled along x by a tenth, then turned by a quarter.
        let f = [0.0, -1.0, 1.1, 0.0];
        let [xx, yy, xy] = cauchy(f, law.respond(f).unwrap().stress);
        assert!(xx.abs() < 1e-9 && xy.abs() < 1e-9 && yy > 90.0, "{xx} {yy} {xy}");
    }
}
