//! Eight contact points at once: their data, and what an impulse at them does to the two bodies.
//!
//! A contact point has a normal n from body a to body b, a relative velocity `u = u_b - u_a` of the two material points
//! (positive along n: opening) and an impulse p on b, -p on a. Both are vectors in the world frame: the tangential
//! parts are what is left across n, and no tangent frame is needed. `H` of eq. (6) is in the [`LeverArms`].

use rubblepile_core::simd::{LANES, Lanes, V3};

pub type Eight = [f64; LANES];
pub type Eight3 = [Eight; 3];

#[inline(always)]
pub fn load3<L: Lanes>(x: &Eight3) -> V3<L> {
    V3(L::load(&x[0]), L::load(&x[1]), L::load(&x[2]))
}

#[inline(always)]
pub fn store3<L: Lanes>(x: V3<L>) -> Eight3 {
    [x.0.store(), x.1.store(), x.2.store()]
}

/// Eight contact points.
#[derive(Debug, Clone)]
pub struct Batch<A> {
    pub normal: Eight3,
    /// The normal velocity must not be below minus this: `u_n + bias >= 0`.
    pub bias: Eight,
    /// Coulomb's coefficient mu.
    pub friction: Eight,
    /// Inverses of the diagonal of the Delassus block, W_nn and W_tt of eq. (13). W_tt is the larger of the two
    /// tangential ones, so that one number serves both directions.
    pub inverse_normal: Eight,
    pub inverse_tangent: Eight,
    /// p, N s
    pub impulse: Eight3,
    pub arms: A,
}

impl<A: Default> Batch<A> {
    /// Nothing in any lane: no impulse ever comes of it.
    pub fn empty() -> Self {
        Batch {
            normal: [[0.0; LANES]; 3],
            bias: [0.0; LANES],
            friction: [0.0; LANES],
            inverse_normal: [1.0; LANES],
            inverse_tangent: [1.0; LANES],
            impulse: [[0.0; LANES]; 3],
            arms: A::default(),
        }
    }
}

/// Where the contact is seen from the two centres, and how the bodies resist turning.
pub trait LeverArms: Default + Clone + Send + Sync {
    type Loaded<L: Lanes>: LeverArmLanes<L>;
    /// Whether a normal impulse changes the tangential velocity of its own contact.
    const COUPLED: bool;
    /// `n`: the normals; `ia`, `ib`: inverse moments of inertia of spheres.
    fn load<L: Lanes>(&self, n: V3<L>, ia: L, ib: L) -> Self::Loaded<L>;
}

pub trait LeverArmLanes<L: Lanes>: Copy {
    /// What the spins add to the relative velocity.
    fn slip(&self, spin_a: V3<L>, spin_b: V3<L>) -> V3<L>;
    /// Changes of the two spins by an impulse p on b and -p on a.
    fn push(&self, p: V3<L>) -> (V3<L>, V3<L>);
    /// Changes of the two spins by a torque impulse t on b and -t on a.
    fn twist(&self, t: V3<L>) -> (V3<L>, V3<L>);
}

/// Two spheres, or a sphere and a wall: the contact lies on the line of centres.
#[derive(Debug, Clone, Copy, Default)]
pub struct SphereArms {
    /// Distance of the contact from each centre, m.
    pub a: Eight,
    pub b: Eight,
}

#[derive(Debug, Clone, Copy)]
pub struct SphereArmLanes<L> {
    n: V3<L>,
    a: L,
    b: L,
    ia: L,
    ib: L,
}

impl LeverArms for SphereArms {
    type Loaded<L: Lanes> = SphereArmLanes<L>;
    const COUPLED: bool = false;
    #[inline(always)]
    fn load<L: Lanes>(&self, n: V3<L>, ia: L, ib: L) -> SphereArmLanes<L> {
        SphereArmLanes { n, a: L::load(&self.a), b: L::load(&self.b), ia, ib }
    }
}

impl<L: Lanes> LeverArmLanes<L> for SphereArmLanes<L> {
    #[inline(always)]
    fn slip(&self, spin_a: V3<L>, spin_b: V3<L>) -> V3<L> {
        // w_b x (-b n) - w_a x (a n)
        self.n.cross(spin_a * self.a + spin_b * self.b)
    }
    #[inline(always)]
    fn push(&self, p: V3<L>) -> (V3<L>, V3<L>) {
        let turn = p.cross(self.n);
        (turn * (self.ia * self.a), turn * (self.ib * self.b))
    }
    #[inline(always)]
    fn twist(&self, t: V3<L>) -> (V3<L>, V3<L>) {
        (-(t * self.ia), t * self.ib)
    }
}

/// Bodies of any shape: arms from the centres to the contact and inverse inertia in the world frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct SolidArms {
    pub a: Eight3,
    pub b: Eight3,
    /// xx, yy, zz, xy, yz, zx of J^-1.
    pub inverse_a: [Eight; 6],
    pub inverse_b: [Eight; 6],
}

#[derive(Debug, Clone, Copy)]
pub struct SolidArmLanes<L> {
    a: V3<L>,
    b: V3<L>,
    inverse_a: [L; 6],
    inverse_b: [L; 6],
}

#[inline(always)]
fn load6<L: Lanes>(x: &[Eight; 6]) -> [L; 6] {
    [L::load(&x[0]), L::load(&x[1]), L::load(&x[2]), L::load(&x[3]), L::load(&x[4]), L::load(&x[5])]
}

#[inline(always)]
fn times<L: Lanes>(m: &[L; 6], v: V3<L>) -> V3<L> {
    let [xx, yy, zz, xy, yz, zx] = *m;
    V3(xx * v.0 + xy * v.1 + zx * v.2, xy * v.0 + yy * v.1 + yz * v.2, zx * v.0 + yz * v.1 + zz * v.2)
}

impl LeverArms for SolidArms {
    type Loaded<L: Lanes> = SolidArmLanes<L>;
    const COUPLED: bool = true;
    #[inline(always)]
    fn load<L: Lanes>(&self, _: V3<L>, _: L, _: L) -> SolidArmLanes<L> {
        SolidArmLanes {
            a: load3(&self.a),
            b: load3(&self.b),
            inverse_a: load6(&self.inverse_a),
            inverse_b: load6(&self.inverse_b),
        }
    }
}

impl<L: Lanes> LeverArmLanes<L> for SolidArmLanes<L> {
    #[inline(always)]
    fn slip(&self, spin_a: V3<L>, spin_b: V3<L>) -> V3<L> {
        spin_b.cross(self.b) - spin_a.cross(self.a)
    }
    #[inline(always)]
    fn push(&self, p: V3<L>) -> (V3<L>, V3<L>) {
        (times(&self.inverse_a, p.cross(self.a)), times(&self.inverse_b, self.b.cross(p)))
    }
    #[inline(always)]
    fn twist(&self, t: V3<L>) -> (V3<L>, V3<L>) {
        (-times(&self.inverse_a, t), times(&self.inverse_b, t))
    }
}

/// Rolling and twisting resistance of eight contacts (nbody-polyhedra-2017, [29]): the torque impulse t on b.
#[derive(Debug, Clone)]
pub struct Rolling {
    /// Largest rolling and twisting torque over normal force, m.
    pub roll: Eight,
    pub twist: Eight,
    /// Inverse of the resistance to relative spin.
    pub inverse: Eight,
    /// N m s
    pub torque: Eight3,
    /// The same after the last pair of sweeps.
    pub last: Eight3,
}

impl Rolling {
    pub fn empty() -> Self {
        Rolling {
            roll: [0.0; LANES],
            twist: [0.0; LANES],
            inverse: [0.0; LANES],
            torque: [[0.0; LANES]; 3],
            last: [[0.0; LANES]; 3],
        }
    }
}
