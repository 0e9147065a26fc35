//! Grains as columns, and their CSV files: a header with names of columns, then one grain per line, in SI.
//!
//! Fields are separated by commas, semicolons or tabs (whichever the header has). Lines that are empty or begin
//! with `#` are left out. Quoted fields are not understood: there is nothing here that would need them.

use glam::DVec3;

use super::MAX_GRAINS;

/// The largest number that is believed, and what radii and densities must exceed.
const LARGEST: f64 = 1e30;
const LEAST: f64 = 1e-30;

/// The columns that were there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GrainTable {
    pub position: Vec<DVec3>,
    pub radius: Option<Vec<f64>>,
    pub velocity: Option<Vec<DVec3>>,
    pub spin: Option<Vec<DVec3>>,
    pub density: Option<Vec<f64>>,
}

impl GrainTable {
    /// What a file with these columns would be refused for: columns of unequal length, values that are not finite, radii
    /// and densities that are not positive.
    pub fn check(&self) -> Result<(), String> {
        let n = self.position.len();
        let vectors = [("velocity", self.velocity.as_deref()), ("spin", self.spin.as_deref())];
        let vectors = vectors.into_iter().chain([("position", Some(self.position.as_slice()))]);
        for (name, column) in vectors.filter_map(|(name, c)| Some((name, c?))) {
            if column.len() != n {
                return Err(format!("there are {n} positions and {} values of {name}", column.len()));
            }
            let absurd = |v: &DVec3| !v.is_finite() || v.abs().max_element() > LARGEST;
            if let Some(k) = column.iter().position(absurd) {
                return Err(format!("the {name} of grain {k} is not a usable vector: {}", column[k]));
            }
        }
        for (name, column) in [("radius", &self.radius), ("density", &self.density)] {
            let Some(column) = column else { continue };
            if column.len() != n {
                return Err(format!("there are {n} positions and {} values of {name}", column.len()));
            }
            if let Some(k) = column.iter().position(|v| !(*v > LEAST && *v <= LARGEST)) {
                return Err(format!("the {name} of grain {k} is {}: it must be positive", column[k]));
            }
        }
        if n == 0 { Err("there are no grains".into()) } else { Ok(()) }
    }

    /// As a CSV file that [`read`] reads back, to the bit.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("x,y,z");
        let vectors = [(&self.velocity, ",vx,vy,vz"), (&self.spin, ",wx,wy,wz")];
        let scalars = [(&self.radius, ",radius"), (&self.density, ",density")];
        text.extend(scalars.iter().filter(|(c, _)| c.is_some()).map(|(_, names)| *names));
        text.extend(vectors.iter().filter(|(c, _)| c.is_some()).map(|(_, names)| *names));
        text.push('\n');
        for (k, x) in self.position.iter().enumerate() {
            let scalars = scalars.iter().filter_map(|(c, _)| Some(c.as_ref()?[k]));
            let vectors = vectors.iter().filter_map(|(c, _)| Some(c.as_ref()?[k].to_array()));
            let row = x.to_array().into_iter().chain(scalars).chain(vectors.flatten());
            for (n, value) in row.enumerate() {
                if n > 0 {
                    text.push(',');
                }
                crate::table::push_number(&mut text, value);
            }
            text.push('\n');
        }
        text
    }
}

/// What is wrong, and where in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableFault {
    pub message: String,
    pub span: std::ops::Range<usize>,
    pub help: Option<String>,
}

const NAMES: [&str; 12] = ["x", "y", "z", "radius", "r", "vx", "vy", "vz", "wx", "wy", "wz", "density"];

/// Which field of a line holds what.
struct Columns {
    separator: char,
    position: [usize; 3],
    radius: Option<usize>,
    velocity: Option<[usize; 3]>,
    spin: Option<[usize; 3]>,
    density: Option<usize>,
    count: usize,
}

fn header(line: &str, offset: usize) -> Result<Columns, TableFault> {
    let separator = [',', ';', '\t'].into_iter().find(|s| line.contains(*s)).unwrap_or(',');
    let names: Vec<String> = line.split(separator).map(|n| n.trim().to_lowercase()).collect();
    let span = offset..offset + line.len();
    let fail =
        |message: String, help: String| Err(TableFault { message, span: span.clone(), help: Some(help) });
    for (k, name) in names.iter().enumerate() {
        if NAMES.contains(&name.as_str()) && names[..k].contains(name) {
            return fail(format!("the column `{name}` is there twice"), "remove one".into());
        }
    }
    let find = |name: &str| names.iter().position(|n| n == name);
    let three = |a: &str, b: &str, c: &str| -> Result<Option<[usize; 3]>, TableFault> {
        match (find(a), find(b), find(c)) {
            (Some(x), Some(y), Some(z)) => Ok(Some([x, y, z])),
            (None, None, None) => Ok(None),
            _ => Err(TableFault {
                message: format!("the columns `{a}`, `{b}` and `{c}` go together, and one is missing"),
                span: span.clone(),
                help: None,
            }),
        }
    };
    let Some(position) = three("x", "y", "z")? else {
        let help = "the first line must name the columns, such as `x,y,z,radius`";
        return fail("the columns `x`, `y` and `z` are missing in the header".into(), help.into());
    };
    if find("radius").is_some() && find("r").is_some() {
        return fail("there are both `radius` and `r`".into(), "rename one".into());
    }
    Ok(Columns {
        separator,
        position,
        radius: find("radius").or(find("r")),
        velocity: three("vx", "vy", "vz")?,
        spin: three("wx", "wy", "wz")?,
        density: find("density"),
        count: names.len(),
    })
}

/// Reads the whole text.
pub fn read(text: &str) -> Result<GrainTable, TableFault> {
    let mut columns: Option<Columns> = None;
    let mut table = GrainTable::default();
    let mut offset = 0;
    let mut fields: Vec<&str> = Vec::new();
    for (number, whole) in text.split('\n').enumerate() {
        let start = offset;
        offset += whole.len() + 1;
        let mut line = whole.strip_suffix('\r').unwrap_or(whole);
        if number == 0 {
            line = line.trim_start_matches('\u{feff}');
        }
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let Some(c) = &columns else {
            let c = header(line, start)?;
            table.radius = c.radius.map(|_| Vec::new());
            table.velocity = c.velocity.map(|_| Vec::new());
            table.spin = c.spin.map(|_| Vec::new());
            table.density = c.density.map(|_| Vec::new());
            columns = Some(c);
            continue;
        };
        fields.clear();
        fields.extend(line.split(c.separator));
        let span = start..start + line.len();
        if fields.len() != c.count {
            let message =
                format!("line {} has {} fields, the header has {}", number + 1, fields.len(), c.count);
            return Err(TableFault { message, span, help: None });
        }
        row(&mut table, c, &fields).map_err(|(field, why)| TableFault {
            message: format!(
                "line {}: `{}` {why}",
                number + 1,
                field.trim().chars().take(40).collect::<String>()
            ),
            span,
            help: None,
        })?;
        if table.position.len() as u64 > MAX_GRAINS {
            let message = format!("more than {MAX_GRAINS} grains");
            return Err(TableFault { message, span: start..start, help: None });
        }
    }
    if columns.is_none() || table.position.is_empty() {
        let help = Some("the first line names the columns, then there is a line a grain".into());
        return Err(TableFault { message: "there are no grains in this file".into(), span: 0..0, help });
    }
    Ok(table)
}

type FieldFault<'a> = (&'a str, &'static str);

fn number<'a>(field: &'a str) -> Result<f64, FieldFault<'a>> {
    match field.trim().parse::<f64>() {
        Ok(v) if v.is_finite() && v.abs() <= LARGEST => Ok(v),
        Ok(_) => Err((field, "is not a usable number")),
        Err(_) => Err((field, "is not a number")),
    }
}

fn row<'a>(table: &mut GrainTable, c: &Columns, fields: &[&'a str]) -> Result<(), FieldFault<'a>> {
    let vector = |k: [usize; 3]| -> Result<DVec3, FieldFault<'a>> {
        Ok(DVec3::new(number(fields[k[0]])?, number(fields[k[1]])?, number(fields[k[2]])?))
    };
    let positive = |k: usize| -> Result<f64, FieldFault<'a>> {
        let v = number(fields[k])?;
        if v > LEAST { Ok(v) } else { Err((fields[k], "must be larger than 0")) }
    };
    table.position.push(vector(c.position)?);
    if let (Some(k), Some(list)) = (c.radius, &mut table.radius) {
        list.push(positive(k)?);
    }
    if let (Some(k), Some(list)) = (c.velocity, &mut table.velocity) {
        list.push(vector(k)?);
    }
    if let (Some(k), Some(list)) = (c.spin, &mut table.spin) {
        list.push(vector(k)?);
    }
    if let (Some(k), Some(list)) = (c.density, &mut table.density) {
        list.push(positive(k)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name() {
        let text = "# from elsewhere\r\nid; z; y; x; R; vx; vy; vz\r\n7; 3; 2; 1; 0.5; 1e-3; 0; 0\r\n\r\n";
        let table = read(text).expect("a table");
        assert_eq!(table.position, [DVec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(table.radius, Some(vec![0.5]));
        assert_eq!(table.velocity, Some(vec![DVec3::new(1e-3, 0.0, 0.0)]));
        assert!(table.spin.is_none() && table.density.is_none());
    }

    #[test]
    fn a_table_is_written_as_it_is_read() {
        let table = GrainTable {
            position: vec![DVec3::new(0.1, -1e-9, 3.0), DVec3::new(1e20, 0.0, -0.3)],
            radius: Some(vec![0.5, 1.0 / 3.0]),
            velocity: None,
            spin: Some(vec![DVec3::X, DVec3::new(0.0, 0.7, 1e-3)]),
            density: Some(vec![2500.0, 1e3]),
        };
        assert_eq!(table.check(), Ok(()));
        assert_eq!(read(&table.to_csv()).expect("a table"), table);
        let short = GrainTable { radius: Some(vec![0.5]), ..table.clone() };
        assert!(short.check().is_err_and(|e| e.contains("2 positions and 1 values of radius")));
        let negative = GrainTable { density: Some(vec![1.0, -1.0]), ..table };
        assert!(negative.check().is_err_and(|e| e.contains("density of grain 1 is -1")));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let fails = |text: &str, part: &str| {
            let fault = read(text).expect_err(text);
            assert!(fault.message.contains(part), "{text}: {}", fault.message);
            assert!(fault.span.end <= text.len());
        };
        fails("", "no grains");
        fails("1,2,3\n4,5,6\n", "missing in the header");
        fails("x,y,z,radius\n", "no grains");
        fails("x,y,z,radius\n1,2,3\n", "line 2 has 3 fields, the header has 4");
        fails("x,y,z,radius\n1,2,3,0.1\n1,2,b,1\n", "line 3: `b` is not a number");
        fails("x,y,z,radius\n1,2,nan,1\n", "`nan` is not a usable number");
        fails("x,y,z,radius\n1,2,3,-1\n", "`-1` must be larger than 0");
        fails("x,y,z,x\n1,2,3,-1\n", "twice");
        fails("x,y,z,vx\n1,2,3,-1\n", "go together");
    }
}
