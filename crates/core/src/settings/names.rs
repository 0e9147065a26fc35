//! The nearest right name to a wrong one, for messages.

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
        _ => format!("what there is: {}", all.join(", ")),
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
