//! Closed surfaces from files, in the unit of the file: Wavefront OBJ, and the tables of plates of the Planetary Data System,
//! which are either lines of `v` and `f` too, or a count of vertices, as many numbered lines, a count of plates, and as many
//! numbered lines.

use rubblepile_geometry::mesh::Mesh;

use super::{
    obj::{corner, vertex},
    table::TableFault,
};

/// Faces with more than three corners become fans of triangles. Whether the surface is closed is not looked at here.
pub fn read(text: &str) -> Result<Mesh, TableFault> {
    let first = text.split_whitespace().next().unwrap_or_default();
    let mesh = if first.parse::<u64>().is_ok() { numbered(text)? } else { lettered(text)? };
    if mesh.triangles.is_empty() {
        return Err(TableFault {
            message: "there are no faces in this file".into(),
            span: 0..0,
            help: Some("a surface has lines such as `v 1.0 0.5 -2.0` and `f 1 2 3`".into()),
        });
    }
    Ok(mesh)
}

/// Each line with its number, its place in the text and its words.
fn lines(text: &str) -> impl Iterator<Item = (usize, std::ops::Range<usize>, Vec<&str>)> {
    let mut offset = 0;
    text.split('\n').enumerate().map(move |(number, whole)| {
        let span = offset..offset + whole.len();
        offset += whole.len() + 1;
        (number + 1, span, whole.split('#').next().unwrap_or_default().split_whitespace().collect())
    })
}

fn fault(line: usize, span: std::ops::Range<usize>, what: String) -> TableFault {
    TableFault { message: format!("line {line}: {what}"), span, help: None }
}

fn lettered(text: &str) -> Result<Mesh, TableFault> {
    let mut mesh = Mesh::default();
    for (line, span, words) in lines(text) {
        let done = match words.split_first() {
            Some((&"v", rest)) => vertex(rest.iter().copied()).map(|v| mesh.vertices.push(v)),
            Some((&"f", rest)) => face(&mut mesh, rest),
            _ => Ok(()),
        };
        done.map_err(|what| fault(line, span, what))?;
    }
    Ok(mesh)
}

fn face(mesh: &mut Mesh, words: &[&str]) -> Result<(), String> {
    let n = mesh.vertices.len();
    let corners = words.iter().map(|word| corner(word, n)).collect::<Result<Vec<_>, _>>()?;
    if corners.len() < 3 {
        return Err(format!("a face has three corners or more, this one has {}", corners.len()));
    }
    for pair in corners[1..].windows(2) {
        mesh.triangles.push([corners[0], pair[0], pair[1]].map(|k| k as u32));
    }
    Ok(())
}

fn numbered(text: &str) -> Result<Mesh, TableFault> {
    let mut mesh = Mesh::default();
    let end = text.len()..text.len();
    let mut rows = lines(text).filter(|row| !row.2.is_empty());
    let count = |what: &str, rows: &mut dyn Iterator<Item = (usize, std::ops::Range<usize>, Vec<&str>)>| {
        let (line, span, words) =
            rows.next().ok_or_else(|| fault(0, end.clone(), format!("the number of {what} is missing")))?;
        let first = words[0];
        let n = first
            .parse::<u64>()
            .map_err(|_| fault(line, span, format!("`{first}` is not a number of {what}")))?;
        Ok::<u64, TableFault>(n)
    };
    for table in ["vertices", "plates"] {
        for k in 0..count(table, &mut rows)? {
            let Some((line, span, words)) = rows.next() else {
                return Err(fault(0, text.len()..text.len(), format!("{table} end after {k}")));
            };
            // The first word is the row's own number.
            let done = match table {
                "vertices" => vertex(words[1..].iter().copied()).map(|v| mesh.vertices.push(v)),
                _ => face(&mut mesh, &words[1..]),
            };
            done.map_err(|what| fault(line, span, what))?;
        }
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use rubblepile_geometry::mesh::{flaws, mass};

    use super::*;

    #[test]
    fn both_kinds_of_file_give_the_same_tetrahedron() {
        let letters =
            "# a solid\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1/1 2/2 4/4\nf -4 -1 -2\nf 2 3 4\n";
        let numbers = "4\n1 0 0 0\n 2 1 0 0\n3 0 1 0\n4 0 0 1\n\n4\n1 1 3 2\n2 1 2 4\n3 1 4 3\n4 2 3 4\n";
        let mesh = read(letters).expect("a mesh");
        assert_eq!(mesh, read(numbers).expect("a mesh"));
        assert_eq!(flaws(&mesh), []);
        assert!((mass(&mesh).volume - 1.0 / 6.0).abs() < 1e-15);
        // A square is two triangles.
        assert_eq!(
            read("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").expect("a mesh").triangles.len(),
            2
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let fails = |text: &str, part: &str| {
            let fault = read(text).expect_err(text);
            assert!(fault.message.contains(part), "{text}: {}", fault.message);
            assert!(fault.span.end <= text.len());
        };
        fails("", "no faces");
        fails("v 1 2 3\n", "no faces");
        fails("v 1 2 3\nf 1 1\n", "line 2: a face has three corners or more, this one has 2");
        fails("v 1 2\n", "line 1: a vertex has three coordinates");
        fails("2\n1 0 0 0\n", "vertices end after 1");
        fails("1\n1 0 0 0\nx\n", "line 3: `x` is not a number of plates");
        fails("1\n1 0 0 0\n", "the number of plates is missing");
        fails("1\n1 0 0 0\n1\n1 1 2 1\n", "line 4: there is no vertex 2");
        fails("99999999999999999999999 1\n", "no faces");
    }

    #[test]
    fn real_shape_models_are_closed_and_have_their_volumes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/shapes");
        for (name, facets, volume) in [
            ("bennu-radar-2692.obj", 2692, 0.06227),
            ("bennu-14744.obj", 14744, 0.06155),
            ("itokawa-16220.obj", 16220, 0.01772),
            ("eros-14744.obj", 14744, 2506.0),
            ("67p-18294.obj", 18294, 18.41),
            ("25143itokawa.tab", 12192, 0.02406),
        ] {
            // Users bring these: they are not part of the project.
            let Ok(text) = fs::read_to_string(folder.join(name)) else { continue };
            let mesh = read(&text).expect(name);
            assert_eq!(mesh.triangles.len(), facets, "{name}");
            assert_eq!(flaws(&mesh), [], "{name}");
            let found = mass(&mesh).volume;
            assert!((found / volume - 1.0).abs() < 5e-4, "{name}: {found}");
        }
    }
}
