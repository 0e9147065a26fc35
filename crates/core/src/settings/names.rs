//! Names: whether one is valid, whether it is known, and which known name a misspelt one resembles.

use std::collections::HashSet;

use super::check::{Check, join};

/// The candidate nearest to `name` by edit distance (a swap of neighbours counts as one), if it is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase().replace('-', "_");
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.into_iter().filter(|c| c.len() <= 64) {
        let d = edit_distance(&lower, &candidate.to_lowercase().replace('-', "_"));
        let allowed = (candidate.chars().count() / 3).max(1);
        if d <= allowed && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, c)| c)
}

/// Help text for a wrong name: the nearest right one, or all of them.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(name, candidates.clone()) {
        return format!("did you mean `{near}`?");
    }
    let all: Vec<String> = candidates.into_iter().take(40).map(|c| format!("`{c}`")).collect();
    match all.len() {
        0 => "there are none".into(),
        _ => format!("expected one of: {}", all.join(", ")),
    }
}

/// `SolarTide` as `solar_tide`, as serde writes it.
pub fn snake_case(name: &str) -> String {
    let mut key = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !key.is_empty() {
            key.push('_');
        }
        key.extend(c.to_lowercase());
    }
    key
}

impl Check<'_> {
    /// The name that a table gives its thing: printable, and not taken.
    pub fn name<'n>(&mut self, name: &'n str, taken: &mut HashSet<&'n str>, at: &str, what: &str) {
        let printable = !name.trim().is_empty() && name.len() <= 200 && !name.chars().any(char::is_control);
        self.check(printable, at, "name", || format!("a {what} needs a printable name of at most 200 bytes"));
        if !taken.insert(name) {
            self.add(join(at, "name"), format!("there is another {what} named `{name}`"));
        }
    }

    /// The name of a wall; `at` is the path of its key.
    pub fn wall(&mut self, name: &str, at: &str) {
        let mut known = self.scene.wall_names();
        known.sort_unstable();
        self.known(name, known.iter().copied(), "wall", at);
    }

    /// The name of a material, given or left out; `at` is the path of the table.
    pub fn material(&mut self, name: Option<&str>, at: &str) {
        let scene = self.scene;
        let known = scene.materials.iter().map(|m| m.name.as_str());
        match name {
            Some(name) => self.known(name, known, "material", join(at, "material")),
            None if scene.materials.is_empty() => {
                let help = "add a [[material]] table with `name` and `density`";
                self.add_help(at, "there are no materials", help);
            }
            None => {
                let help = suggestion("", known);
                self.add_help(at, "`material` is missing: there are several to choose from", help);
            }
        }
    }
}

fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut d = vec![0usize; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            let at = |i: usize, j: usize| i * width + j;
            d[at(i, j)] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (d[at(i - 1, j)] + 1).min(d[at(i, j - 1)] + 1).min(d[at(i - 1, j - 1)] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(d[at(i - 2, j - 2)] + 1);
                }
                best
            };
        }
    }
    d[a.len() * width + b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["restitution", "friction", "density", "name"];
        assert_eq!(nearest("restitutoin", names), Some("restitution"));
        assert_eq!(nearest("Density", names), Some("density"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(edit_distance("center", "centre"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
