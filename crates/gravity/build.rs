//! Writes the operators of the gravity expansions as straight-line code, one set an order.
//!
//! What: for each order p the functions P2M, M2M, M2L, L2L and L2P of `expansion.rs`, in Cartesian form. With
//! multi-indices a, b, potential phi(x) = sum_j m_j / |x - x_j| and D_a = d^a (1/r):
//!
//! ```text
//! M_b = sum_j m_j (-y_j)^b / b!                 y_j = x_j - z_source
//! L_a = sum_{|a|+|b| <= p} M_b D_{a+b}(R)       R = z_target - z_source
//! phi(z_target + h) = sum_a h^a / a! L_a
//! ```
//!
//! 1/r is harmonic, so D and L are traceless and two powers of z can always be written as powers of x and y:
//! D_(a,b,c+2) = -D_(a+2,b,c) - D_(a,b+2,c). Only components with at most one power of z are kept: 2n+1 instead of
//! (n+1)(n+2)/2 of order n ("reduced" below). D comes from the recursion R^q_(a+1,b,c) = x R^(q+1)_(a,b,c) +
//! a R^(q+1)_(a-1,b,c), R^q_(0,0,0) = (-1)^q (2q-1)!! / r^(2q+1), D = R^0. Sources are expanded about their centre of
//! mass, so there is no dipole.
//!
//! All work on sixteen lanes. Where those are several registers, the code is a loop over registers: unrolled it would be as
//! many times longer to compile and to fetch, and would spill whatever it computes.
//!
//! Why generated: the index arithmetic costs more than the sums when done at run time, and nobody should have to
//! read or to type four hundred products of an order-6 M2L.

use std::{collections::BTreeSet, env, fs, path::PathBuf};

type Index = (usize, usize, usize);

fn full(n: usize) -> Vec<Index> {
    let mut v = Vec::new();
    for c in 0..=n {
        for b in 0..=n - c {
            v.push((n - c - b, b, c));
        }
    }
    v
}

fn reduced(n: usize) -> Vec<Index> {
    full(n).into_iter().filter(|i| i.2 <= 1).collect()
}

fn name(prefix: &str, i: Index) -> String {
    format!("{prefix}{}_{}_{}", i.0, i.1, i.2)
}

fn add(i: Index, j: Index) -> Index {
    (i.0 + j.0, i.1 + j.1, i.2 + j.2)
}

fn order(i: Index) -> usize {
    i.0 + i.1 + i.2
}

/// Place of a reduced component among the locals: all orders from 0.
fn local_slot(i: Index) -> usize {
    let n = order(i);
    let within = if i.2 == 0 { i.1 } else { n + 1 + i.1 };
    n * n + within
}

/// Place among the multipoles: as the locals, without the dipole.
fn multipole_slot(i: Index) -> usize {
    if order(i) == 0 { 0 } else { local_slot(i) - 3 }
}

fn multipole_orders(p: usize) -> impl Iterator<Item = usize> {
    (0..=p).filter(|&n| n != 1)
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let mut text = String::new();
    // Order 2 estimates, 4 to 6 compute.
    for p in [2, 4, 5, 6] {
        write_order(&mut text, p);
    }
    // Cargo always sets OUT_DIR for a build script.
    if let Some(dir) = env::var_os("OUT_DIR") {
        let path = PathBuf::from(dir).join("operators.rs");
        if let Err(error) = fs::write(&path, text) {
            println!("cargo:error=cannot write {}: {error}", path.display());
        }
    }
}

fn write_order(t: &mut String, p: usize) {
    let (nm, nl) = ((p + 1) * (p + 1) - 3, (p + 1) * (p + 1));
    let record = (6 + nm).next_multiple_of(16);
    line(t, format!("/// Expansions to order {p}.\npub struct Order{p};\nimpl Expansion for Order{p} {{"));
    line(t, format!("const ORDER: usize = {p}; const MULTIPOLES: usize = {nm};"));
    line(t, format!("const LOCALS: usize = {nl}; const RECORD: usize = {record};"));
    p2m(t, p, nm);
    m2m(t, p, nm);
    m2l(t, p, nm, nl);
    l2l(t, p, nl);
    l2p(t, p, nl);
    line(t, "}");
}

fn line(t: &mut String, s: impl AsRef<str>) {
    t.push_str(s.as_ref());
    t.push('\n');
}

/// `{prefix}a_b_c` = x^a y^b z^c / (a! b! c!) for all orders up to `p`, from variables `x`, `y`, `z`.
fn powers(t: &mut String, prefix: &str, p: usize) {
    for k in 2..=p {
        let f = 1.0 / k as f64;
        line(t, format!("let f = V::Register::splat(S::of({f:?}));"));
        line(t, format!("let (x{k}, y{k}, z{k}) = (x.mul(f), y.mul(f), z.mul(f));"));
    }
    for n in 1..=p {
        for i in full(n) {
            let (axis, k, below) = if i.2 > 0 {
                ("z", i.2, (i.0, i.1, i.2 - 1))
            } else if i.1 > 0 {
                ("y", i.1, (i.0, i.1 - 1, 0))
            } else {
                ("x", i.0, (i.0 - 1, 0, 0))
            };
            let factor = if k == 1 { axis.to_string() } else { format!("{axis}{k}") };
            let value = if n == 1 { factor } else { format!("{}.mul({factor})", name(prefix, below)) };
            line(t, format!("let {} = {value};", name(prefix, i)));
        }
    }
}

/// Moves components with two or more powers of z to those with fewer, for multipoles of all orders.
fn fold(t: &mut String, prefix: &str, p: usize) {
    for n in 2..=p {
        for c in (2..=n).rev() {
            for i in full(n).into_iter().filter(|i| i.2 == c) {
                for target in [(i.0 + 2, i.1, c - 2), (i.0, i.1 + 2, c - 2)] {
                    let (to, from) = (name(prefix, target), name(prefix, i));
                    line(t, format!("let {to} = {to}.sub({from});"));
                }
            }
        }
    }
}

/// Names for the components of the local expansion with two or more powers of z, from those with fewer.
fn unfold(t: &mut String, prefix: &str, p: usize) {
    for n in 2..=p {
        for c in 2..=n {
            for i in full(n).into_iter().filter(|i| i.2 == c) {
                let (l, r) = ((i.0 + 2, i.1, c - 2), (i.0, i.1 + 2, c - 2));
                let sum = format!("{}.add({})", name(prefix, l), name(prefix, r));
                line(t, format!("let {} = V::Register::zero().sub({sum});", name(prefix, i)));
            }
        }
    }
}

fn open(t: &mut String, array: &str, n: usize, mutable: bool) {
    let method = if mutable { "first_chunk_mut" } else { "first_chunk" };
    line(t, format!("let Some({array}) = {array}.{method}::<{n}>() else {{ return }};"));
}

/// Opens the loop over the registers of the lanes: what is inside is done register by register.
fn for_registers(t: &mut String) {
    line(t, "for k in 0..V::REGISTERS {");
    line(t, "let (x, y, z) = (x.register(k), y.register(k), z.register(k));");
}

/// Closes the loop over registers and sums the multipoles over all lanes.
fn reduce_multipoles(t: &mut String, prefix: &str, p: usize) {
    for i in multipole_orders(p).flat_map(reduced) {
        line(t, format!("sums[{}].set_register(k, {});", multipole_slot(i), name(prefix, i)));
    }
    line(t, "}");
    line(t, "for (out, sum) in out.iter_mut().zip(sums) { *out = sum.sum(); }");
}

/// One register of the lanes at a place of an array.
fn register(array: &str, slot: usize) -> String {
    format!("{array}[{slot}].register(k)")
}

const NEGATE: &str =
    "let (x, y, z) = (V::Register::zero().sub(x), V::Register::zero().sub(y), V::Register::zero().sub(z));";

fn p2m(t: &mut String, p: usize, nm: usize) {
    line(t, "#[inline(always)] fn p2m<S: Real, V: Lanes<S>>(x: V, y: V, z: V, mass: V, out: &mut [S]) {");
    open(t, "out", nm, true);
    line(t, format!("let mut sums = [V::zero(); {nm}];"));
    for_registers(t);
    line(t, NEGATE);
    powers(t, "t", p);
    line(t, "let mass = mass.register(k);");
    line(t, "let q0_0_0 = mass;");
    for n in 2..=p {
        for i in full(n) {
            line(t, format!("let {} = {}.mul(mass);", name("q", i), name("t", i)));
        }
    }
    fold(t, "q", p);
    reduce_multipoles(t, "q", p);
    line(t, "}");
}

fn m2m(t: &mut String, p: usize, nm: usize) {
    line(t, "#[inline(always)] fn m2m<S: Real, V: Lanes<S>>(x: V, y: V, z: V, m: &[V], out: &mut [S]) {");
    open(t, "out", nm, true);
    open(t, "m", nm, false);
    line(t, format!("let mut sums = [V::zero(); {nm}];"));
    for_registers(t);
    line(t, NEGATE);
    powers(t, "t", p);
    for n in multipole_orders(p) {
        for i in full(n) {
            let start =
                if i.2 <= 1 { register("m", multipole_slot(i)) } else { "V::Register::zero()".into() };
            line(t, format!("let s = {start};"));
            for k in multipole_orders(n.saturating_sub(1)).filter(|&k| k < n) {
                for j in reduced(k).into_iter().filter(|j| j.0 <= i.0 && j.1 <= i.1 && j.2 <= i.2) {
                    let d = (i.0 - j.0, i.1 - j.1, i.2 - j.2);
                    line(
                        t,
                        format!("let s = {}.mul_add({}, s);", register("m", multipole_slot(j)), name("t", d)),
                    );
                }
            }
            line(t, format!("let {} = s;", name("q", i)));
        }
    }
    fold(t, "q", p);
    reduce_multipoles(t, "q", p);
    line(t, "}");
}

/// What has been written: by q for the recursion, and under `SCALED` for the derivatives themselves.
type Done = BTreeSet<(usize, Index)>;
const SCALED: usize = usize::MAX;

/// Emits the derivative `D_i` and all it needs.
fn scaled_derivative(t: &mut String, i: Index, done: &mut Done) {
    if !done.insert((SCALED, i)) {
        return;
    }
    let this = name("d", i);
    if i.2 >= 2 {
        let (l, r) = ((i.0 + 2, i.1, i.2 - 2), (i.0, i.1 + 2, i.2 - 2));
        scaled_derivative(t, l, done);
        scaled_derivative(t, r, done);
        line(t, format!("let {this} = V::Register::zero().sub({}.add({}));", name("d", l), name("d", r)));
    } else {
        derivative(t, 0, i, done);
        line(t, format!("let {this} = {}.mul(u{});", name("r0_", i), order(i) + 1));
    }
}

/// Emits the derivative `R^q_i` on the unit sphere and all it needs.
fn derivative(t: &mut String, q: usize, i: Index, done: &mut Done) {
    if !done.insert((q, i)) {
        return;
    }
    let this = name(&format!("r{q}_"), i);
    if order(i) == 0 {
        line(t, format!("let {this} = s{q};"));
        return;
    }
    // Along an axis of power one there is no second term: take such an axis when there is one.
    let power = [i.0, i.1, i.2];
    let axis = (0..3).rev().filter(|&k| power[k] > 0).min_by_key(|&k| power[k]).unwrap_or(0);
    let below = |n: usize| {
        let mut v = power;
        v[axis] -= n;
        (v[0], v[1], v[2])
    };
    let p = format!("r{}_", q + 1);
    let x = ["x", "y", "z"][axis];
    derivative(t, q + 1, below(1), done);
    let first = name(&p, below(1));
    if power[axis] == 1 {
        line(t, format!("let {this} = {x}.mul({first});"));
        return;
    }
    derivative(t, q + 1, below(2), done);
    let mut second = name(&p, below(2));
    if power[axis] > 2 {
        second = format!("{second}.mul(V::Register::splat(S::of({}.0)))", power[axis] - 1);
    }
    line(t, format!("let {this} = {x}.mul_add({first}, {second});"));
}

fn m2l(t: &mut String, p: usize, nm: usize, nl: usize) {
    line(t, "#[inline(always)] fn m2l<S: Real, V: Lanes<S>, const POTENTIAL: bool>(");
    line(t, "x: V, y: V, z: V, m: &[V], l: &mut [V]) {");
    open(t, "m", nm, false);
    open(t, "l", nl, true);
    for_registers(t);
    line(t, "let u1 = x.mul_add(x, y.mul_add(y, z.mul(z))).inverse_root();");
    // Derivatives on the unit sphere, then times 1/R^(n+1): their own powers of R would leave single precision.
    line(t, "let (x, y, z) = (x.mul(u1), y.mul(u1), z.mul(u1));");
    line(t, "let s0 = V::Register::splat(S::of(1.0));");
    let mut double_factorial = 1.0;
    for q in 1..=p {
        double_factorial *= -(2.0 * q as f64 - 1.0);
        line(t, format!("let s{q} = V::Register::splat(S::of({double_factorial:?}));"));
    }
    for n in 1..=p {
        line(t, format!("let u{} = u{n}.mul(u1);", n + 1));
    }
    let mut done = BTreeSet::new();
    // The potential has a scope of its own, so what it derives is not known to the orders after it.
    for n in 0..=p {
        if n == 0 {
            line(t, "if POTENTIAL {");
        }
        let mut inner = if n == 0 { BTreeSet::new() } else { std::mem::take(&mut done) };
        for i in reduced(n) {
            line(t, format!("let mut s = {};", register("l", local_slot(i))));
            for k in multipole_orders(p - n) {
                for j in reduced(k) {
                    scaled_derivative(t, add(i, j), &mut inner);
                    let d = name("d", add(i, j));
                    line(t, format!("s = {}.mul_add({d}, s);", register("m", multipole_slot(j))));
                }
            }
            line(t, format!("l[{}].set_register(k, s);", local_slot(i)));
        }
        if n == 0 {
            line(t, "}");
        } else {
            done = inner;
        }
    }
    line(t, "} }");
}

fn l2l(t: &mut String, p: usize, nl: usize) {
    line(t, "#[inline(always)] fn l2l<S: Real, V: Lanes<S>>(x: V, y: V, z: V, l: &[S], out: &mut [V]) {");
    open(t, "l", nl, false);
    open(t, "out", nl, true);
    for_registers(t);
    powers(t, "t", p);
    splat_locals(t, p);
    for n in 0..=p {
        for i in reduced(n) {
            line(t, format!("let mut s = {};", name("l", i)));
            for k in 1..=p - n {
                for j in full(k) {
                    line(t, format!("s = {}.mul_add({}, s);", name("t", j), name("l", add(i, j))));
                }
            }
            line(t, format!("out[{}].set_register(k, s);", local_slot(i)));
        }
    }
    line(t, "} }");
}

fn splat_locals(t: &mut String, p: usize) {
    for n in 0..=p {
        for i in reduced(n) {
            line(t, format!("let {} = V::Register::splat(l[{}]);", name("l", i), local_slot(i)));
        }
    }
    unfold(t, "l", p);
}

/// Gradient (three lanes) and potential of the local expansion at `(x, y, z)` from its centre.
fn l2p(t: &mut String, p: usize, nl: usize) {
    line(t, "#[inline(always)] fn l2p<S: Real, V: Lanes<S>>(x: V, y: V, z: V, l: &[S], out: &mut [V; 4]) {");
    open(t, "l", nl, false);
    for_registers(t);
    powers(t, "t", p);
    splat_locals(t, p);
    for (slot, shift) in [(0, (1, 0, 0)), (1, (0, 1, 0)), (2, (0, 0, 1)), (3, (0, 0, 0))] {
        line(t, format!("let mut s = {};", name("l", shift)));
        for k in 1..=p - order(shift) {
            for j in full(k) {
                line(t, format!("s = {}.mul_add({}, s);", name("t", j), name("l", add(shift, j))));
            }
        }
        line(t, format!("out[{slot}].set_register(k, s);"));
    }
    line(t, "} }");
}
