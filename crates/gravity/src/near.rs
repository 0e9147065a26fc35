//! The near field: body by body, sixteen targets at a time, and the value of the local expansion at the bodies.
//!
//! In single precision the difference of two positions carries an error of rounding times the distance of the
//! leaves, which a close pair would feel. Each pair of leaves therefore reports its least distance; where that is too
//! small, the pair of leaves is summed again in double precision from the positions themselves. Two bodies at the same
//! point exert no force on each other and have no mutual potential: the direction of their force is undefined, and
//! one skipped pair is better than a run lost to a not-a-number.

use glam::DVec3;

use crate::{
    cells::{Ball, Leaf, TreeCells, TreeUnits},
    expansion::Expansion,
    simd::{Kernel, Lanes, Real},
    sort::Item,
    topology::LEAF,
};

/// Gradient of the potential and the potential at the bodies of a leaf, in the tree's units.
#[derive(Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Out<S> {
    pub x: [S; LEAF],
    pub y: [S; LEAF],
    pub z: [S; LEAF],
    pub potential: [S; LEAF],
}

/// Far field of the local expansion and near field of the listed leaves, for one leaf.
pub struct LeafField<'a, S, E, const POTENTIAL: bool> {
    pub leaves: &'a [Leaf<S>],
    pub balls: &'a [Ball],
    pub target: usize,
    pub sources: &'a [u32],
    pub locals: &'a [S],
    /// A pair of leaves is summed again when two of its bodies are nearer than this times their extent.
    pub close: f64,
    pub out: &'a mut Out<S>,
    /// The leaves that must be summed again.
    pub again: &'a mut Vec<u32>,
    pub expansion: std::marker::PhantomData<E>,
}

impl<S: Real, E: Expansion, const POTENTIAL: bool> Kernel<S> for LeafField<'_, S, E, POTENTIAL> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<S>>(self) {
        let leaf = &self.leaves[self.target];
        let ball = &self.balls[self.target];
        let (x, y, z) = (V::load(&leaf.x), V::load(&leaf.y), V::load(&leaf.z));
        let mut field = [V::zero(); 4];
        E::l2p(x, y, z, self.locals, &mut field);
        let [mut ax, mut ay, mut az, mut potential] = field;
        for &s in self.sources {
            let source = &self.leaves[s as usize];
            let other = &self.balls[s as usize];
            let d: [f64; 3] = std::array::from_fn(|k| other.centre[k] - ball.centre[k]);
            let span = d[0].abs() + d[1].abs() + d[2].abs() + ball.radius + other.radius;
            let shift = |k: usize| V::splat(S::of(d[k]));
            let (tx, ty, tz) = (x.sub(shift(0)), y.sub(shift(1)), z.sub(shift(2)));
            let own = s as usize == self.target;
            let mut least = V::splat(S::of(S::FAR));
            let (mut sx, mut sy, mut sz, mut sp) = (ax, ay, az, potential);
            for j in 0..LEAF {
                let dx = V::splat(source.x[j]).sub(tx);
                let dy = V::splat(source.y[j]).sub(ty);
                let dz = V::splat(source.z[j]).sub(tz);
                let mut r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
                if own {
                    // A body and itself: as far away as can be.
                    r2 = r2.max(V::splat(S::of(S::FAR)).where_positive(V::load(&SELF.lane(j))));
                }
                least = least.min(r2);
                let m = V::splat(source.mass[j]);
                let w = if POTENTIAL {
                    let u = r2.inverse_root();
                    let mu = m.mul(u);
                    sp = sp.add(mu);
                    mu.mul(u).mul(u)
                } else {
                    r2.inverse_cube().mul(m)
                };
                sx = dx.mul_add(w, sx);
                sy = dy.mul_add(w, sy);
                sz = dz.mul_add(w, sz);
            }
            let limit = (self.close * span).powi(2).max(1e-18);
            if least.least().wide() < limit {
                self.again.push(s);
            } else {
                (ax, ay, az, potential) = (sx, sy, sz, sp);
            }
        }
        ax.store(&mut self.out.x);
        ay.store(&mut self.out.y);
        az.store(&mut self.out.z);
        potential.store(&mut self.out.potential);
    }
}

/// `lane(j)`: one in lane `j`, else zero.
struct Diagonal;
const SELF: Diagonal = Diagonal;
impl Diagonal {
    #[inline(always)]
    fn lane<S: Real>(&self, j: usize) -> [S; LEAF] {
        let mut a = [S::default(); LEAF];
        a[j] = S::of(1.0);
        a
    }
}

/// The pairs of leaves that were too close, in double precision from the positions themselves.
pub fn sum_again<S: Real>(
    cells: &TreeCells<S>,
    positions: &[DVec3],
    masses: &[f64],
    target: usize,
    sources: &[u32],
    out: &mut Out<S>,
) {
    let rows = |leaf: usize| {
        let start = leaf * LEAF;
        &cells.items[start..(start + LEAF).min(cells.items.len())]
    };
    let targets = rows(target);
    let Some(first) = targets.first() else { return };
    let origin = positions[first.row as usize];
    let mut sum = Out::<f64>::default();
    for &s in sources {
        f64::launch(Careful {
            targets,
            sources: rows(s as usize),
            positions,
            masses,
            origin,
            scale: cells.scale,
            out: &mut sum,
        });
    }
    for k in 0..targets.len() {
        out.x[k] = out.x[k] + S::of(sum.x[k]);
        out.y[k] = out.y[k] + S::of(sum.y[k]);
        out.z[k] = out.z[k] + S::of(sum.z[k]);
        out.potential[k] = out.potential[k] + S::of(sum.potential[k]);
    }
}

struct Careful<'a> {
    targets: &'a [Item],
    sources: &'a [Item],
    positions: &'a [DVec3],
    masses: &'a [f64],
    /// Positions are taken from here, so that bodies near it keep all their digits.
    origin: DVec3,
    scale: TreeUnits,
    out: &'a mut Out<f64>,
}

impl Kernel<f64> for Careful<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<f64>>(self) {
        let inverse = 1.0 / self.scale.length;
        let place = |item: &Item| (self.positions[item.row as usize] - self.origin) * inverse;
        let mut t = Leaf::<f64>::default();
        for (k, item) in self.targets.iter().enumerate() {
            [t.x[k], t.y[k], t.z[k]] = place(item).to_array();
        }
        let (tx, ty, tz) = (V::load(&t.x), V::load(&t.y), V::load(&t.z));
        let (mut ax, mut ay) = (V::load(&self.out.x), V::load(&self.out.y));
        let (mut az, mut potential) = (V::load(&self.out.z), V::load(&self.out.potential));
        for item in self.sources {
            let x = place(item);
            let (dx, dy, dz) = (V::splat(x.x).sub(tx), V::splat(x.y).sub(ty), V::splat(x.z).sub(tz));
            let r2 = dx.mul_add(dx, dy.mul_add(dy, dz.mul(dz)));
            // Zero for a body and itself, and for bodies at the same point: skipped, see the head of the module.
            let u = r2.inverse_root().where_positive(r2);
            let mu = V::splat(self.masses[item.row as usize] / self.scale.mass).mul(u);
            let w = mu.mul(u).mul(u);
            ax = dx.mul_add(w, ax);
            ay = dy.mul_add(w, ay);
            az = dz.mul_add(w, az);
            potential = potential.add(mu);
        }
        ax.store(&mut self.out.x);
        ay.store(&mut self.out.y);
        az.store(&mut self.out.z);
        potential.store(&mut self.out.potential);
    }
}
