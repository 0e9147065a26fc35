//! From one direction to up to four contact points.
//!
//! Each side shows a face, an edge or a corner towards the other: whatever is within 15 degrees of square to the
//! normal. Two faces, or a face and an edge, are laid over each other along the normal, and each corner of what they
//! have in common becomes a point, with the gap there. Of more than four, the deepest is kept, then those that spread
//! widest. The closest point is always among them.

use glam::{DMat3, DVec3};

use super::{
    MAX_POINTS, Manifold, ManifoldPoints, Point, name,
    plain::{between_segments, closest},
    prepared::{HullEdge, Placed},
    short::Short,
};

/// Sine of the angle up to which a face or an edge counts as square to the normal: 15 degrees.
const TILT: f64 = 0.259;
/// Edges that are nowhere farther beside each other than this, relative to the size, touch at two points.
const BESIDE: f64 = 3e-10;
/// Points closer than this, relative to the size of the smaller hull, are one.
const SAME: f64 = 1e-4;
/// Gaps that differ by less than this, relative to the size, are equal.
const EQUAL: f64 = 1e-10;

/// An edge that rises by less than this, relative to the hull, is level.
const LEVEL: f64 = 1e-9;

/// Closest points lie on the surfaces to this, relative to the size.
const ON: f64 = 3e-10;

/// The two closest points, relative to the centre of a.
#[derive(Debug, Clone, Copy)]
pub struct Witness {
    pub on_a: DVec3,
    pub on_b: DVec3,
    pub name: u32,
}

/// The feature that a hull turns towards the other.
#[derive(Clone, Copy)]
enum Shown {
    Face(usize),
    Edge(u32),
    Corner,
}

/// A corner of a polygon in the plane of contact, and which edge leaves it.
#[derive(Clone, Copy)]
struct Flat {
    x: f64,
    y: f64,
    name: u32,
    side: u32,
}

const NOTHING: Flat = Flat { x: 0.0, y: 0.0, name: 0, side: 0 };
/// Marks an edge of the polygon that clips, by its place in it, rather than of the one that is clipped.
const CLIPPING: u32 = 1 << 31;

type Polygon = Short<Flat, 16>;

/// A height over the plane of contact: `level + slope . (x, y)`.
#[derive(Clone, Copy)]
struct Height {
    level: f64,
    slope: [f64; 2],
}

impl Height {
    #[inline(always)]
    fn at(&self, x: f64, y: f64) -> f64 {
        self.level + self.slope[0] * x + self.slope[1] * y
    }
}

/// One hull as seen in the frame of the contact, whose third axis is the normal.
struct HullView<'a> {
    placed: &'a Placed,
    shift: DVec3,
    to_frame: DMat3,
    /// +1 for a, -1 for b: which way its surface looks.
    facing: f64,
}

impl HullView<'_> {
    #[inline(always)]
    fn vertex(&self, k: u32) -> DVec3 {
        self.to_frame * (self.placed.vertex(k as usize) + self.shift)
    }

    /// The face or edge at the highest vertex that is nearest to square to the normal.
    #[inline(always)]
    fn shown(&self, highest: usize, normal: DVec3) -> Shown {
        let (hull, n) = (&self.placed.hull, self.facing * normal);
        let mut edge = (TILT, None);
        let mut level = Short::<u32, 4>::new(0);
        for &e in hull.vertex_edges.of(highest) {
            let u = self.placed.edge_vector(e);
            if u == DVec3::ZERO {
                // Between front and back of a flat thing.
                continue;
            }
            let rise = n.dot(u).abs();
            if rise <= LEVEL * hull.radius {
                level.push(e);
            }
            let s = rise / u.length();
            if s < edge.0 {
                edge = (s, Some(e));
            }
        }
        // If just one edge is level, contact is along it: only faces beside it have all of that.
        let beside;
        let faces = if let &[e] = level.all() {
            let HullEdge { left, right, .. } = hull.edges[e as usize];
            beside = [left, right];
            &beside[..]
        } else {
            hull.vertex_faces.of(highest)
        };
        let mut face = (f64::NEG_INFINITY, 0);
        for &f in faces.iter().filter(|&&f| (f as usize) < hull.with_area) {
            let c = n.dot(self.placed.normals[f as usize]);
            if c > face.0 {
                face = (c, f as usize);
            }
        }
        if face.0 > 0.0 && face.0 * face.0 >= 1.0 - TILT * TILT {
            Shown::Face(face.1)
        } else {
            edge.1.map_or(Shown::Corner, Shown::Edge)
        }
    }

    #[inline(always)]
    fn corner(&self, v: u32, side: u32) -> Flat {
        let p = self.vertex(v);
        let name = if self.facing > 0.0 { name::of_a(v) } else { name::of_b(v) };
        Flat { x: p.x, y: p.y, name, side }
    }

    /// Counter-clockwise as seen along the normal of the contact from b.
    fn face(&self, f: usize, out: &mut Polygon) -> Height {
        let (vertices, edges) = (self.placed.hull.face_vertices.of(f), self.placed.hull.face_edges.of(f));
        if self.facing > 0.0 {
            vertices.iter().zip(edges).for_each(|(&v, &e)| out.push(self.corner(v, e)));
        } else {
            // Backwards, the edge that leaves a vertex is the one before it.
            for k in (0..vertices.len()).rev() {
                out.push(self.corner(vertices[k], edges[(k + edges.len() - 1) % edges.len()]));
            }
        }
        let (n, p) = (self.to_frame * self.placed.normals[f], self.vertex(vertices[0]));
        Height { level: n.dot(p) / n.z, slope: [-n.x / n.z, -n.y / n.z] }
    }

    fn edge(&self, e: u32, out: &mut Polygon) -> Height {
        let HullEdge { start, end, .. } = self.placed.hull.edges[e as usize];
        out.push(self.corner(start, e));
        out.push(self.corner(end, e));
        let (p, q) = (self.vertex(start), self.vertex(end));
        let (dx, dy, dz) = (q.x - p.x, q.y - p.y, q.z - p.z);
        let steep = dz / (dx * dx + dy * dy);
        let slope = [steep * dx, steep * dy];
        Height { level: p.z - slope[0] * p.x - slope[1] * p.y, slope }
    }
}

/// The points of a contact with this normal, gap and closest points.
pub fn build(
    a: &Placed,
    b: &Placed,
    d: DVec3,
    (normal, gap): (DVec3, f64),
    (highest_a, highest_b): (usize, usize),
    witness: Witness,
    margin: f64,
) -> Manifold {
    let scale = a.hull.radius + b.hull.radius;
    let same = (2.0 * SAME * a.hull.radius.min(b.hull.radius)).powi(2);
    let (t, u) = normal.any_orthonormal_pair();
    let u = if t.cross(u).dot(normal) > 0.0 { u } else { -u };
    let from_frame = DMat3::from_cols(t, u, normal);
    let to_frame = from_frame.transpose();
    let of_a = HullView { placed: a, shift: DVec3::ZERO, to_frame, facing: 1.0 };
    let of_b = HullView { placed: b, shift: d, to_frame, facing: -1.0 };
    let mut corners = Polygon::new(NOTHING);
    let heights = lay_over(
        (&of_a, of_a.shown(highest_a, normal)),
        (&of_b, of_b.shown(highest_b, normal)),
        scale,
        &mut corners,
    );
    let point = |position: DVec3, gap: f64, feature: u32| Point { position, gap, feature, normal };
    let mut found = Short::<Point, 16>::new(point(DVec3::ZERO, 0.0, 0));
    let mut least = f64::INFINITY;
    if let Some((on_a, on_b)) = heights {
        for c in corners.all() {
            let (low, high) = (on_a.at(c.x, c.y), on_b.at(c.x, c.y));
            if high - low <= margin {
                least = least.min(high - low);
                found.push(point(DVec3::new(c.x, c.y, 0.5 * (low + high)), high - low, c.name));
            }
        }
    }
    let mut all = Short::<Point, 16>::new(point(DVec3::ZERO, 0.0, 0));
    if least > gap + EQUAL * scale {
        let sound = within(a, witness.on_a, scale) && within(b, witness.on_b - d, scale);
        let witness = if sound { witness } else { by_all_features(a, b, d) };
        all.push(point(to_frame * (0.5 * (witness.on_a + witness.on_b)), gap, witness.name));
    }
    for p in found.all() {
        // Of points that are one the deepest stays, and it is the witness if that is among them.
        let near = |q: &Point| (q.position - p.position).truncate().length_squared() < same;
        let hidden = |q: &Point| near(q) && (q.gap < p.gap || (q.gap == p.gap && q.feature < p.feature));
        let there = |q: &Point| q.feature == p.feature || (near(q) && q.gap <= p.gap);
        if !all.all().iter().any(there) && !found.all().iter().any(hidden) {
            all.push(*p);
        }
    }
    let mut points = select(all.all(), scale);
    for p in points.iter_mut() {
        p.position = a.centre + from_frame * p.position;
    }
    Manifold { normal, points }
}

/// Whether a point is in the hull, or on it but for rounding.
fn within(hull: &Placed, x: DVec3, scale: f64) -> bool {
    hull.normals.iter().zip(&hull.hull.offsets).all(|(n, offset)| n.dot(x) - offset <= ON * scale)
}

/// Hulls that touch without overlap by more than rounding can do so elsewhere than the axis says.
#[cold]
fn by_all_features(a: &Placed, b: &Placed, d: DVec3) -> Witness {
    let (on_a, on_b) = closest(a, b, d);
    Witness { on_a, on_b, name: name::CLOSEST }
}

/// The corners of what the two have in common, and the heights of both.
fn lay_over(
    (of_a, shown_a): (&HullView, Shown),
    (of_b, shown_b): (&HullView, Shown),
    scale: f64,
    out: &mut Polygon,
) -> Option<(Height, Height)> {
    let mut clipper = Polygon::new(NOTHING);
    match (shown_a, shown_b) {
        (Shown::Face(f), Shown::Face(g)) => {
            let heights = (of_a.face(f, &mut clipper), of_b.face(g, out));
            clip(out, clipper.all(), true, scale);
            Some(heights)
        }
        (Shown::Face(f), Shown::Edge(e)) => {
            let heights = (of_a.face(f, &mut clipper), of_b.edge(e, out));
            clip(out, clipper.all(), true, scale);
            Some(heights)
        }
        (Shown::Edge(e), Shown::Face(g)) => {
            let heights = (of_a.edge(e, out), of_b.face(g, &mut clipper));
            clip(out, clipper.all(), false, scale);
            Some(heights)
        }
        (Shown::Edge(e), Shown::Edge(h)) => {
            let heights = (of_a.edge(e, &mut clipper), of_b.edge(h, out));
            side_by_side(out, clipper.all(), scale).then_some(heights)
        }
        _ => None,
    }
}

/// Cuts `polygon` (or a segment, as a polygon of two) down to what lies within the convex `clipper`, both
/// counter-clockwise (Sutherland and Hodgman 1974).
fn clip(polygon: &mut Polygon, clipper: &[Flat], clipper_is_a: bool, scale: f64) {
    let count = clipper.len() as u32;
    for (k, p) in clipper.iter().enumerate() {
        let q = clipper[(k + 1) % clipper.len()];
        let (ex, ey) = (q.x - p.x, q.y - p.y);
        let length = (ex * ex + ey * ey).sqrt();
        if length == 0.0 {
            continue;
        }
        // On the edge counts as inside, so that aligned faces meet at corners and not at doubled crossings.
        let within = -1e-12 * scale * length;
        let side = |c: &Flat| ex * (c.y - p.y) - ey * (c.x - p.x);
        let all = polygon.all();
        if all.iter().all(|c| side(c) >= within) {
            continue;
        }
        let mut cut = Polygon::new(NOTHING);
        for (i, c) in all.iter().enumerate() {
            let next = &all[(i + 1) % all.len()];
            let (s, t) = (side(c), side(next));
            let (inside, next_inside) = (s >= within, t >= within);
            if inside {
                cut.push(*c);
            }
            if inside != next_inside {
                let part = (s / (s - t)).clamp(0.0, 1.0);
                let k = k as u32;
                let name = if c.side & CLIPPING == 0 {
                    if clipper_is_a { name::crossing(p.side, c.side) } else { name::crossing(c.side, p.side) }
                } else {
                    // Between two edges of the clipping polygon: the vertex that they share.
                    let j = c.side & !CLIPPING;
                    if j == (k + 1) % count { clipper[j as usize].name } else { p.name }
                };
                let leaving = if inside { CLIPPING | k } else { c.side };
                cut.push(Flat {
                    x: c.x + part * (next.x - c.x),
                    y: c.y + part * (next.y - c.y),
                    name,
                    side: leaving,
                });
            }
        }
        *polygon = cut;
        if polygon.all().is_empty() {
            return;
        }
    }
}

/// Cuts a segment down to the length that it has in common with another, if one covers the other.
fn side_by_side(segment: &mut Polygon, other: &[Flat], scale: f64) -> bool {
    let &[p, q] = segment.all() else { return false };
    let &[r, s] = other else { return false };
    let (ux, uy, vx, vy) = (q.x - p.x, q.y - p.y, s.x - r.x, s.y - r.y);
    let (uu, vv) = (ux * ux + uy * uy, vx * vx + vy * vy);
    if uu == 0.0 || vv == 0.0 {
        return false;
    }
    let place = |c: &Flat| ((c.x - p.x) * ux + (c.y - p.y) * uy) / uu;
    let (first, last) = if place(&r) < place(&s) { (r, s) } else { (s, r) };
    let (from, to) = (place(&first).max(0.0), place(&last).min(1.0));
    if from > to {
        return false;
    }
    let at = |t: f64, name: u32| Flat { x: p.x + t * ux, y: p.y + t * uy, name, side: p.side };
    let ends = [
        at(from, if from > 0.0 { first.name } else { p.name }),
        at(to, if to < 1.0 { last.name } else { q.name }),
    ];
    let beside = |c: &Flat| (vx * (c.y - r.y) - vy * (c.x - r.x)).abs() / vv.sqrt();
    if ends.iter().any(|c| beside(c) > BESIDE * scale) {
        return false;
    }
    segment.clear();
    ends.into_iter().for_each(|c| segment.push(c));
    true
}

/// At most four: the deepest, the one farthest from it, and those that make the largest triangles with the two on
/// either side. Positions are in the frame of the contact.
pub fn select(all: &[Point], scale: f64) -> ManifoldPoints {
    let mut points = ManifoldPoints::default();
    let Some(least) = all.iter().map(|p| p.gap).min_by(f64::total_cmp) else { return points };
    let middle = all.iter().map(|p| p.position).sum::<DVec3>() / all.len() as f64;
    let mut taken = [usize::MAX; MAX_POINTS];
    let mut take = |measure: &dyn Fn(&Point) -> f64| {
        let (mut best, mut which) = (0.0, None);
        for (k, p) in all.iter().enumerate() {
            let m = measure(p);
            if m > best && !taken[..points.len()].contains(&k) {
                (best, which) = (m, Some(k));
            }
        }
        if let Some(k) = which {
            taken[points.len()] = k;
            points.push(all[k]);
        }
        which.map(|k| all[k].position)
    };
    let flat = |p: DVec3, q: DVec3| (p - q).truncate().length_squared();
    // Of several that are deepest the outermost; 1 is added since a single point is its own middle.
    let deepest = take(&|p: &Point| {
        if p.gap <= least + EQUAL * scale { 1.0 + flat(p.position, middle) / (scale * scale) } else { 0.0 }
    });
    let Some(p) = deepest else { return points };
    let Some(q) = take(&|r: &Point| flat(r.position, p)) else { return points };
    let area = |r: DVec3| {
        let (u, v) = ((q - p).truncate(), (r - p).truncate());
        u.perp_dot(v)
    };
    let Some(r) = take(&|c: &Point| area(c.position).abs()) else { return points };
    let other = -area(r).signum();
    if take(&|c: &Point| other * area(c.position)).is_none() {
        // All on one side: whatever adds most area beyond the triangle's other edges.
        let beyond =
            |c: DVec3, (u, v): (DVec3, DVec3)| ((v - u).truncate().perp_dot((c - u).truncate())) * -other;
        take(&|c: &Point| -beyond(c.position, (q, r)).min(beyond(c.position, (r, p))));
    }
    points
}

/// The closest points of two edges, which cross.
pub fn of_edges(a: &Placed, b: &Placed, d: DVec3, ea: u32, eb: u32) -> Witness {
    let (u, v) = (a.hull.edges[ea as usize], b.hull.edges[eb as usize]);
    let (on_a, on_b) = between_segments(
        (a.vertex(u.start as usize), a.vertex(u.end as usize)),
        (d + b.vertex(v.start as usize), d + b.vertex(v.end as usize)),
    );
    Witness { on_a, on_b, name: name::crossing(ea, eb) }
}
