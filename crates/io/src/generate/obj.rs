//! Solids from Wavefront OBJ files: the corners of each object or group. Only `v`, `f`, `o` and `g` count; textures,
//! normals and materials are left alone.

use glam::DVec3;

use super::table::TableFault;

/// Points of each part, in the unit of the file. Objects without faces are left out, unless no object has any: then
/// all points are one part.
pub fn read(text: &str) -> Result<Vec<Vec<DVec3>>, TableFault> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
    let mut offset = 0;
    for (number, whole) in text.split('\n').enumerate() {
        let span = offset..offset + whole.len();
        offset += whole.len() + 1;
        let fail = |what: String| TableFault {
            message: format!("line {}: {what}", number + 1),
            span: span.clone(),
            help: None,
        };
        let line = whole.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => vertices.push(vertex(words).map_err(fail)?),
            Some("f") => {
                let part = parts.last_mut();
                let n = vertices.len();
                let corners = words.map(|word| corner(word, n)).collect::<Result<Vec<_>, _>>();
                part.into_iter().for_each(|p| p.extend(corners.iter().flatten()));
                corners.map_err(fail)?;
            }
            Some("o" | "g") => parts.push(Vec::new()),
            _ => {}
        }
    }
    if vertices.is_empty() {
        let help = Some("an OBJ file has lines such as `v 1.0 0.5 -2.0` and `f 1 2 3`".into());
        return Err(TableFault { message: "there are no vertices in this file".into(), span: 0..0, help });
    }
    for part in &mut parts {
        part.sort_unstable();
        part.dedup();
    }
    parts.retain(|p| !p.is_empty());
    if parts.is_empty() {
        return Ok(vec![vertices]);
    }
    Ok(parts.iter().map(|p| p.iter().map(|&k| vertices[k]).collect()).collect())
}

pub(super) fn vertex<'a>(mut words: impl Iterator<Item = &'a str>) -> Result<DVec3, String> {
    let mut x = [0.0f64; 3];
    for slot in &mut x {
        let word = words.next().ok_or("a vertex has three coordinates")?;
        let shown: String = word.chars().take(40).collect();
        *slot = word.parse().map_err(|_| format!("`{shown}` is not a number"))?;
        if !(slot.is_finite() && slot.abs() <= 1e30) {
            return Err(format!("`{shown}` is not a usable number"));
        }
    }
    Ok(x.into())
}

/// `7`, `7/1`, `7/1/3`, `7//3`: from 1, or backwards from the newest if negative.
pub(super) fn corner(word: &str, n: usize) -> Result<usize, String> {
    let shown: String = word.chars().take(40).collect();
    let index: i64 = word
        .split('/')
        .next()
        .and_then(|w| w.parse().ok())
        .ok_or_else(|| format!("`{shown}` is not the number of a vertex"))?;
    let k = if index > 0 { index.checked_sub(1) } else { index.checked_add(n as i64) };
    match k.and_then(|k| usize::try_from(k).ok()).filter(|&k| index != 0 && k < n) {
        Some(k) => Ok(k),
        None => Err(format!("there is no vertex {shown} before this line: there are {n}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_parts_and_indices_count_both_ways() {
        let text = "# two\nv 0 0 0\nv 1 0 0 0.5\nv 0 1 0\nv 0 0 1\no first\nf 1/1 2/2/2 3//3\nf 1 2 4\n\
                    v 5 5 5\ng second\nusemtl x\nf -1 2 3\nf 4 5 1\no empty\n";
        let parts = read(text).expect("parts");
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[0].len(), parts[1].len()), (4, 5));
        assert_eq!(parts[1][4], DVec3::splat(5.0));
        assert_eq!(read("v 0 0 0\nv 1 1 1\n").expect("points")[0].len(), 2);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let fails = |text: &str, part: &str| {
            let fault = read(text).expect_err(text);
            assert!(fault.message.contains(part), "{text}: {}", fault.message);
            assert!(fault.span.end <= text.len());
        };
        fails("", "no vertices");
        fails("v 1 2\n", "line 1: a vertex has three coordinates");
        fails("v 1 2 x\n", "`x` is not a number");
        fails("v 1 2 nan\n", "not a usable number");
        fails("v 1 2 3\nf 1 2 3\n", "line 2: there is no vertex 2 before this line: there are 1");
        fails("v 1 2 3\nf 0 1 1\n", "there is no vertex 0");
        fails("v 1 2 3\nf -2\n", "there is no vertex -2");
        fails("v 1 2 3\nf a\n", "`a` is not the number of a vertex");
        fails("v 1 2 3\nf -9223372036854775808\n", "there is no vertex");
    }
}
