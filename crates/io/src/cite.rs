//! What to cite for a run: this program, and the papers that its method and fields name.

use rubblepile_core::Citation;

use crate::scenario::methods;

/// The paper of this key.
pub fn by_key(key: &str) -> Option<Citation> {
    let all = methods::papers().into_iter().chain(rubblepile_gravity::papers());
    all.into_iter().find(|c| c.key == key)
}

/// The program itself.
pub fn program_bibtex(version: &str) -> String {
    format!(
        "@software{{rubblepile,\n  title = {{Rubblepile: simulation of small solar-system bodies as piles of \
         rubble}},\n  version = {{{version}}}\n}}\n"
    )
}
