//! Changes of the world by a program: checked, and wholly or not at all.

use rubblepile_core::{Bodies, Domain, World, method, run::Engine};
use rubblepile_io::{checkpoint, scenario::summary};

use crate::{Error, Result};

/// Overlap over the smaller radius, of bodies that did not overlap as much before, at which a change is refused: the springs
/// would fling them apart.
const DEEPEST_NEW_OVERLAP: f64 = 0.1;

pub fn edit<T>(engine: &mut Engine, change: impl FnOnce(&mut World) -> Result<T>) -> Result<T> {
    method::edit(engine.method.as_mut(), &mut engine.world, |world| {
        let before = world.clone();
        let outcome = change(world).and_then(|value| check(&before, world).map(|()| value));
        if outcome.is_err() {
            *world = before;
        } else if moved(&before.bodies, &world.bodies) {
            world.rates = Default::default();
        }
        outcome
    })
}

/// Accelerations of the last step no longer hold: they are recomputed before the next.
pub fn forget_forces(engine: &mut Engine) -> Result<()> {
    method::edit(engine.method.as_mut(), &mut engine.world, |world| {
        world.rates = Default::default();
        Ok(())
    })
}

/// Whether anything has changed that forces depend on.
fn moved(before: &Bodies, after: &Bodies) -> bool {
    before.id != after.id
        || before.position != after.position
        || before.orientation != after.orientation
        || before.radius != after.radius
        || before.mass != after.mass
        || before.shape != after.shape
        || before.material != after.material
}

fn check(before: &World, after: &World) -> Result<()> {
    let refused = |what: String| Error::bad_input(format!("invalid change: {what}"), "nothing has changed");
    checkpoint::check(after).map_err(|(_, what)| refused(what))?;
    after.bodies.check_finite(after.time()).map_err(|e| refused(e.to_string()))?;
    let inertia = |k: &usize| {
        let moments = after.bodies.inertia[*k];
        !(moments.is_finite() && moments.min_element() > 0.0)
    };
    if let Some(k) = (0..after.bodies.len()).find(inertia) {
        return Err(refused(format!(
            "the moments of inertia of body {} are {}",
            after.bodies.id[k], after.bodies.inertia[k]
        )));
    }
    if moved(&before.bodies, &after.bodies) {
        let deepest = |world: &World, domain: &Domain| summary::overlaps(&world.bodies, domain);
        let now = deepest(after, &after.domain);
        if now.deepest_part > DEEPEST_NEW_OVERLAP
            && now.deepest_part > deepest(before, &before.domain).deepest_part
            && let Some((a, b)) = now.between
        {
            return Err(refused(format!(
                "bodies {a} and {b} overlap by {:.0} % of a radius",
                100.0 * now.deepest_part
            )));
        }
    }
    Ok(())
}
