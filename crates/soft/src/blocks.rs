//! Active contacts, in blocks of rows.
//!
//! A block owns the pairs whose lower row is in it. Forces on rows of its own and on rows of later blocks (its
//! halo) are summed into the block's own array; then every row adds what the blocks before left for it, in
//! their order. Blocks are cut by row number alone, so the sums are the same on any number of threads.

use glam::DVec3;
use rayon::prelude::*;
use rubblepile_core::{
    Asteroid, PackedSurface, Partner, Poses, SurfaceRef, Wall, WallResponse, World, Wrench,
};
use rubblepile_geometry::find_pairs;

/// Rows a block. Small enough that a block's sums stay in the second-level cache.
pub const ROWS: usize = 1024;

/// A body as the kernel reads it: x, y, z, radius, vx, vy, vz, mass; and wx, wy, wz, material.
pub type PackedBody = [f64; 8];
pub type Spin = [f64; 4];

/// Displacements of a contact, in one or two rows: sliding x y z and one to spare; rolling x y z and twisting.
pub type SpringRow = [f64; 4];
pub const NO_MEMORY: [SpringRow; 2] = [[0.0; 4]; 2];

use crate::{
    ground::FacetCandidate,
    history::{SoftState, SpringHistory},
    walls::{partner, poses},
};

/// A wall or a facet of an asteroid near a row.
#[derive(Debug, Clone, Copy)]
pub struct WallSlot {
    pub row: u32,
    pub surface: PackedSurface,
    /// Of the wall; or the facet.
    pub face: u32,
    pub live: bool,
    pub memory: [SpringRow; 2],
}

#[derive(Debug, Default)]
pub struct Block {
    /// First row.
    pub first: usize,
    pub rows: usize,
    /// Pairs of local row k: `start[k]..start[k + 1]`.
    pub start: Vec<u32>,
    /// Partner's row in the world, and where in `sum` its force goes.
    pub partner: Vec<u32>,
    pub local: Vec<u32>,
    /// Whether the pair touched at the last step, and what it remembers.
    pub live: Vec<bool>,
    pub memory: Vec<SpringRow>,
    /// Rows of memory a pair: 2 where contacts roll or twist, otherwise 1.
    pub width: usize,
    /// Rows of later blocks that pairs of this one reach, rising.
    pub halo: Vec<u32>,
    /// Part of the halo that lies in a later block: block, start and end in `halo`.
    pub exports: Vec<(u32, u32, u32)>,
    /// Force x y z and torque x y z on every row of the block, then of the halo.
    pub sum: Vec<[[f64; 4]; 2]>,
    pub walls: Vec<WallSlot>,
    /// Corners of the facets that `walls` are of, in its order; empty without asteroids. Beside them, because facets lie all over
    /// memory.
    pub corners: Vec<[DVec3; 3]>,
    /// What the grains of the block do to the asteroids.
    pub on_asteroids: Vec<Wrench>,
    /// Energy lost in this step: normal, sliding, rolling, twisting; and the work of walls.
    pub lost: [f64; 5],
    /// Above 0: something is deeper than allowed.
    pub too_deep: f64,
}

/// All blocks, with what they were made from.
#[derive(Debug, Default)]
pub struct Blocks {
    pub list: Vec<Block>,
    /// Halos that end in each block: (block that has it, start and end in that block's halo).
    pub imports: Vec<Vec<(u32, u32, u32)>>,
    /// Where everything was when the list was made.
    pub reference: Vec<DVec3>,
    /// No body can have moved farther than this since.
    pub moved: f64,
    /// Of all bodies from the first asteroid, when last looked.
    pub farthest: f64,
    pub poses: Poses,
    pub skin: f64,
}

/// A remembered contact by rows: lower row, upper row, displacements seen from the lower row.
type Remembered = (u32, u32, [SpringRow; 2]);

impl Blocks {
    /// Lists the pairs and walls that are near now, and gives them the memory of what touched before.
    pub fn new(
        world: &World,
        skin: f64,
        rolls: bool,
        remembered: &Remember,
        ground: &[FacetCandidate],
    ) -> Self {
        let bodies = &world.bodies;
        let pairs = find_pairs(&bodies.position, &bodies.radius, skin, &world.domain);
        let poses = poses(world, 0.0);
        let n = bodies.len();
        let list: Vec<Block> = (0..n.div_ceil(ROWS))
            .into_par_iter()
            .map(|b| {
                let first = b * ROWS;
                let rows = ROWS.min(n - first);
                let range = pairs.start[first] as usize..pairs.start[first + rows] as usize;
                let partner = pairs.partner[range.clone()].to_vec();
                let start =
                    pairs.start[first..=first + rows].iter().map(|s| s - range.start as u32).collect();
                let mut block = Block { first, rows, start, partner, ..Block::default() };
                block.make_halo();
                block.live = vec![false; block.partner.len()];
                block.width = if rolls { 2 } else { 1 };
                block.memory = vec![[0.0; 4]; block.width * block.partner.len()];
                block.recall(&remembered.pairs);
                block.find_walls(world, &poses, skin, &remembered.walls, ground);
                block
            })
            .collect();
        let mut imports = vec![Vec::new(); list.len()];
        for (b, block) in list.iter().enumerate() {
            for &(to, start, end) in &block.exports {
                imports[to as usize].push((b as u32, start, end));
            }
        }
        Blocks {
            list,
            imports,
            reference: bodies.position.clone(),
            moved: 0.0,
            farthest: farthest(world),
            poses,
            skin,
        }
    }

    /// What the live contacts remember, by the rows they have now.
    pub fn remember(&self, world: &World) -> Remember {
        let pairs = self
            .list
            .par_iter()
            .flat_map_iter(|b| {
                (0..b.rows).flat_map(move |k| {
                    (b.start[k] as usize..b.start[k + 1] as usize)
                        .filter(|&s| b.live[s])
                        .map(move |s| ((b.first + k) as u32, b.partner[s], b.memory_of(s)))
                })
            })
            .collect();
        let walls = self
            .list
            .iter()
            .flat_map(|b| b.walls.iter().filter(|w| w.live).map(|w| (b.first as u32 + w.row, w)))
            .map(|(row, w)| (row, partner(world, w), w.memory))
            .collect();
        Remember { pairs, walls }
    }

    /// Number of pairs that touched at the last step.
    pub fn live_count(&self) -> usize {
        self.list.iter().map(|b| b.live.iter().filter(|&&l| l).count()).sum()
    }

    /// The memory of all live contacts as it is saved, without a copy in between.
    pub fn history(&self, world: &World) -> Vec<SpringHistory> {
        let id = &world.bodies.id;
        let walls = self.list.iter().map(|b| b.walls.iter().filter(|w| w.live).count()).sum::<usize>();
        let mut all = Vec::with_capacity(self.live_count() + walls);
        for b in &self.list {
            for k in 0..b.rows {
                for s in (b.start[k] as usize..b.start[k + 1] as usize).filter(|&s| b.live[s]) {
                    let (i, j) = (id[b.first + k], id[b.partner[s] as usize]);
                    let memory = b.memory_of(s);
                    all.push(of_pair(i, j, memory));
                }
            }
        }
        for b in &self.list {
            for w in b.walls.iter().filter(|w| w.live) {
                all.push(history(id[b.first + w.row as usize], partner(world, w), w.memory));
            }
        }
        all
    }

    /// Adds a step in which no body moved farther than `distance`; says whether something may have moved half the skin. The
    /// sum of the farthest steps is only a bound: when it is used up, the true distances are checked.
    pub fn used_up(&mut self, distance: f64, world: &World) -> bool {
        self.moved += distance + self.asteroids_moved(world);
        if self.moved < 0.5 * self.skin {
            return false;
        }
        self.moved = self.true_distance(world);
        self.farthest = farthest(world);
        // Near the limit the next look would come at once: better a new list now. Not a number is too far.
        self.moved.is_nan() || self.moved >= 0.4 * self.skin
    }

    /// How far in a step the surface of an asteroid, or a body that is seen from it, moves at most.
    fn asteroids_moved(&self, world: &World) -> f64 {
        let speed = |a: &Asteroid| a.velocity.length() + a.spin.length() * self.farthest.max(a.radius);
        world.clock.timestep * world.asteroids.iter().map(speed).fold(0.0, f64::max)
    }

    /// The farthest way of a body or a surface since the list was made. A list holds in any frame in which nothing has moved
    /// far: grains at rest on an asteroid have not moved as it sees them.
    fn true_distance(&self, world: &World) -> f64 {
        let now = poses(world, 0.0);
        let own = self.poses.asteroids.iter().zip(&now.asteroids).zip(&world.asteroids);
        let surfaces = own
            .map(|((then, now), asteroid)| {
                let angle = then.rotation.angle_between(now.rotation);
                (now.translation - then.translation).length() + angle * asteroid.radius
            })
            .fold(0.0, worst);
        let inertial = worst(surfaces, self.bodies_moved(world, |x| x));
        match (&now.asteroids[..], &self.poses.asteroids[..]) {
            ([now], [then]) if world.walls.is_empty() && inertial >= 0.4 * self.skin => {
                self.bodies_moved(world, |x| now.to_world(then.to_local(x)))
            }
            _ => inertial,
        }
    }

    /// The farthest way of a body from where it would be if it were carried along.
    fn bodies_moved(&self, world: &World, carried: impl Fn(DVec3) -> DVec3 + Sync) -> f64 {
        world
            .bodies
            .position
            .par_chunks(ROWS)
            .zip(self.reference.par_chunks(ROWS))
            .map(|(now, then)| {
                now.iter().zip(then).map(|(a, b)| (*a - carried(*b)).length_squared()).fold(0.0, worst)
            })
            .reduce(|| 0.0, worst)
            .sqrt()
    }

    /// Whether a wall has moved so far that a grain could touch it unlisted.
    pub fn walls_moved(&self, world: &World, now: &Poses) -> bool {
        world.walls.iter().zip(self.poses.walls.iter().zip(&now.walls)).any(|(wall, (then, now))| {
            // Walls that turn out of their place list every grain: kinematics `find_walls`.
            now.translation != then.translation
                && now.rotation == then.rotation
                && !wall.keeps_its_place()
                && (now.translation - then.translation).length() > 0.5 * self.skin
        })
    }
}

/// The distance of the farthest body from an asteroid.
fn farthest(world: &World) -> f64 {
    let Some(asteroid) = world.asteroids.first() else { return 0.0 };
    let distance = |x: &DVec3| x.distance_squared(asteroid.position);
    world.bodies.position.par_iter().with_min_len(ROWS).map(distance).reduce(|| 0.0, worst).sqrt()
}

impl Block {
    /// What a pair remembers.
    pub fn memory_of(&self, slot: usize) -> [SpringRow; 2] {
        let at = slot * self.width;
        [self.memory[at], if self.width == 2 { self.memory[at + 1] } else { [0.0; 4] }]
    }

    pub fn forget(&mut self, slot: usize) {
        self.memory[slot * self.width..(slot + 1) * self.width].fill([0.0; 4]);
    }

    fn make_halo(&mut self) {
        let end = (self.first + self.rows) as u32;
        let mut halo: Vec<u32> = self.partner.iter().copied().filter(|&j| j >= end).collect();
        halo.sort_unstable();
        halo.dedup();
        let local = |j: u32| {
            if j < end {
                j - self.first as u32
            } else {
                self.rows as u32 + halo.partition_point(|&h| h < j) as u32
            }
        };
        self.local = self.partner.iter().map(|&j| local(j)).collect();
        let mut k = 0;
        while k < halo.len() {
            let to = halo[k] as usize / ROWS;
            let stop = k + halo[k..].iter().take_while(|&&h| h as usize / ROWS == to).count();
            self.exports.push((to as u32, k as u32, stop as u32));
            k = stop;
        }
        self.sum = vec![[[0.0; 4]; 2]; self.rows + halo.len()];
        self.halo = halo;
    }

    /// Takes the memories of this block's pairs from a list sorted by rows.
    fn recall(&mut self, remembered: &[Remembered]) {
        let at = |row: usize| remembered.partition_point(|r| (r.0 as usize) < row);
        for &(i, j, memory) in &remembered[at(self.first)..at(self.first + self.rows)] {
            let k = i as usize - self.first;
            let (start, end) = (self.start[k] as usize, self.start[k + 1] as usize);
            // What touches is always near, so it is always found.
            if let Ok(s) = self.partner[start..end].binary_search(&j) {
                self.live[start + s] = true;
                let at = (start + s) * self.width;
                self.memory[at..at + self.width].copy_from_slice(&memory[..self.width]);
            }
        }
    }

    fn find_walls(
        &mut self,
        world: &World,
        poses: &Poses,
        skin: f64,
        remembered: &[AtSurface],
        ground: &[FacetCandidate],
    ) {
        let bodies = &world.bodies;
        let mut facets = ground[ground.partition_point(|g| (g.0 as usize) < self.first)..].iter().peekable();
        for row in 0..self.rows {
            let k = self.first + row;
            let slot = |surface: SurfaceRef, face: u32| {
                let key = (k as u32, world.partner_at(surface, face));
                let found =
                    remembered.binary_search_by(|r| (r.0, r.1).cmp(&key)).ok().map(|r| remembered[r].2);
                WallSlot {
                    row: row as u32,
                    surface: surface.pack(),
                    face,
                    live: found.is_some(),
                    memory: found.unwrap_or(NO_MEMORY),
                }
            };
            // Sticky and absorbing walls exert no force: what gets into them is caught.
            let solid = |wall: &Wall| wall.touch == WallResponse::Bounce;
            for (w, wall) in world.walls.iter().enumerate().filter(|(_, wall)| solid(wall)) {
                // A wall that turns out of its place sweeps space: list every grain.
                let sweeps = matches!(wall.motion, rubblepile_core::WallMotion::Rotation { .. })
                    && !wall.keeps_its_place();
                for face in 0..wall.surface.faces() {
                    let near = wall.surface.nearest_at(face, &poses.walls[w], bodies.position[k]);
                    if sweeps || near.distance < bodies.radius[k] + skin {
                        self.walls.push(slot(SurfaceRef::Wall(w as u32), face));
                    }
                }
            }
            while let Some(&(_, asteroid, facet)) = facets.next_if(|g| g.0 as usize == k) {
                self.walls.push(slot(SurfaceRef::Asteroid(asteroid), facet));
                self.corners.resize(self.walls.len() - 1, [DVec3::ZERO; 3]);
                self.corners.push(world.asteroids[asteroid as usize].mesh.corners(facet as usize));
            }
        }
    }
}

/// A remembered contact with a wall or an asteroid: row, which, displacements.
type AtSurface = (u32, Partner, [SpringRow; 2]);

/// Contact memory on its way from one list to the next, sorted by rows.
#[derive(Debug, Default)]
pub struct Remember {
    pub pairs: Vec<Remembered>,
    pub walls: Vec<AtSurface>,
}

impl Remember {
    /// After the rows were reordered: `order[k]` is the old row of new row `k`.
    pub fn permute(&mut self, order: &[u32]) {
        let mut new = vec![0u32; order.len()];
        for (k, &old) in order.iter().enumerate() {
            new[old as usize] = k as u32;
        }
        self.pairs.par_iter_mut().for_each(|p| {
            let (i, j) = (new[p.0 as usize], new[p.1 as usize]);
            *p = if i < j { (i, j, p.2) } else { (j, i, swapped(p.2)) };
        });
        self.pairs.par_sort_unstable_by_key(|p| (p.0, p.1));
        for w in &mut self.walls {
            w.0 = new[w.0 as usize];
        }
        self.sort_walls();
    }

    /// After rows were taken out: `left[k]` is the old row of new row `k`, ascending. Contacts of what is gone are forgotten.
    pub fn keep(&mut self, left: &[u32]) {
        let new = |old: u32| left.binary_search(&old).ok().map(|k| k as u32);
        let pairs = std::mem::take(&mut self.pairs);
        self.pairs =
            pairs.into_iter().filter_map(|(i, j, memory)| Some((new(i)?, new(j)?, memory))).collect();
        let walls = std::mem::take(&mut self.walls);
        self.walls = walls.into_iter().filter_map(|(i, at, memory)| Some((new(i)?, at, memory))).collect();
    }

    pub fn sort_walls(&mut self) {
        self.walls.sort_unstable_by_key(|w| (w.0, w.1));
    }

    /// In the form that is saved.
    pub fn history(&self, world: &World) -> Vec<SpringHistory> {
        let id = &world.bodies.id;
        let pairs = self.pairs.iter().map(|&(i, j, memory)| of_pair(id[i as usize], id[j as usize], memory));
        let walls = self.walls.iter().map(|&(i, partner, memory)| history(id[i as usize], partner, memory));
        pairs.chain(walls).collect()
    }

    /// From the form that is saved. Contacts of bodies that are no more are forgotten.
    pub fn from_history(world: &World) -> Self {
        let mut rows: Vec<(u64, u32)> =
            world.bodies.id.iter().enumerate().map(|(k, &id)| (id, k as u32)).collect();
        rows.sort_unstable();
        let row = |id: u64| rows.binary_search_by_key(&id, |r| r.0).ok().map(|r| rows[r].1);
        let mut out = Remember::default();
        for h in world.part::<SoftState>().into_iter().flat_map(|part| &part.contacts) {
            let (s, r) = (h.sliding, h.rolling);
            let memory = [[s.x, s.y, s.z, h.share], [r.x, r.y, r.z, h.twisting]];
            match (row(h.body), h.partner) {
                (Some(i), Partner::Wall { .. } | Partner::Asteroid { .. }) => {
                    out.walls.push((i, h.partner, memory));
                }
                (Some(i), Partner::Body(id)) => {
                    if let Some(j) = row(id) {
                        out.pairs.push(if i < j { (i, j, memory) } else { (j, i, swapped(memory)) });
                    }
                }
                (None, _) => {}
            }
        }
        out.pairs.sort_unstable_by_key(|p| (p.0, p.1));
        out.sort_walls();
        out
    }
}

/// The larger, or what is not a number.
pub fn worst(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn of_pair(i: u64, j: u64, memory: [SpringRow; 2]) -> SpringHistory {
    if i < j { history(i, Partner::Body(j), memory) } else { history(j, Partner::Body(i), swapped(memory)) }
}

fn history(body: u64, partner: Partner, [s, r]: [SpringRow; 2]) -> SpringHistory {
    SpringHistory {
        body,
        partner,
        sliding: DVec3::new(s[0], s[1], s[2]),
        rolling: DVec3::new(r[0], r[1], r[2]),
        twisting: r[3],
        share: s[3],
    }
}

/// The displacements seen from the partner: relative motion changes sign, and so does n, by which twisting is
/// measured.
fn swapped([s, r]: [SpringRow; 2]) -> [SpringRow; 2] {
    [[-s[0], -s[1], -s[2], s[3]], [-r[0], -r[1], -r[2], r[3]]]
}
