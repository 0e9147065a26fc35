//! A law with its kernels, chosen once per block of bodies: inside, the law is known when the kernel is compiled.

use rubblepile_core::{
    Citation, Contact, PairValues, World,
    settings::{Problem, ScenarioContext},
    simd::dispatch,
};

use super::ContactLaw;
use crate::{
    Settings,
    blocks::Block,
    forces::{Forces, Shared},
    table,
};

/// A [`ContactLaw`] behind a pointer.
pub(crate) trait Springy: Send + Sync {
    fn constants(&self, pair: &PairValues, settings: &Settings) -> [f64; 8];

    /// Sums the forces of a block's contacts and moves their memory on.
    fn push(&self, shared: &Shared, block: &mut Block, rolls: bool, energy: bool);

    /// The contacts of a block as they are: with bodies, and with walls.
    fn table(&self, world: &World, shared: &Shared, block: &mut Block) -> (Vec<Contact>, Vec<Contact>);

    fn contact_time(&self, pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64>;

    fn check_material(
        &self,
        scene: &ScenarioContext,
        material: usize,
        settings: &Settings,
    ) -> Option<Problem>;

    fn missing(&self, world: &World, present: &[usize], settings: &Settings) -> Option<String>;

    fn citations(&self) -> Vec<Citation>;
}

impl<C: ContactLaw> Springy for C {
    fn constants(&self, pair: &PairValues, settings: &Settings) -> [f64; 8] {
        ContactLaw::constants(self, pair, settings)
    }

    fn push(&self, shared: &Shared, block: &mut Block, rolls: bool, energy: bool) {
        match (rolls, energy) {
            (false, false) => dispatch(Forces::<C, false, false>::new(shared, block)),
            (false, true) => dispatch(Forces::<C, false, true>::new(shared, block)),
            (true, false) => dispatch(Forces::<C, true, false>::new(shared, block)),
            (true, true) => dispatch(Forces::<C, true, true>::new(shared, block)),
        }
    }

    fn table(&self, world: &World, shared: &Shared, block: &mut Block) -> (Vec<Contact>, Vec<Contact>) {
        table::of_block::<C>(world, shared, block)
    }

    fn contact_time(&self, pair: &PairValues, settings: &Settings, radius: f64, mass: f64) -> Option<f64> {
        ContactLaw::contact_time(self, pair, settings, radius, mass)
    }

    fn check_material(
        &self,
        scene: &ScenarioContext,
        material: usize,
        settings: &Settings,
    ) -> Option<Problem> {
        ContactLaw::check_material(self, scene, material, settings)
    }

    fn missing(&self, world: &World, present: &[usize], settings: &Settings) -> Option<String> {
        ContactLaw::missing(self, world, present, settings)
    }

    fn citations(&self) -> Vec<Citation> {
        C::papers()
    }
}
