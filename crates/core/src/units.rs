//! Quantities with units: `"3.4 h"`, `"1194 kg/m3"`, `"9.8 m/s^2"`, `"0.5 rev/h"`, `"2 kg m-3"`.
//!
//! A text is a number and an expression of unit symbols: products by a space, `*` or `·`, quotients by `/`
//! (which divides by the next symbol or bracket only), powers by `^`, by a number written after the symbol or by
//! superscripts. Everything becomes SI: metre, kilogram, second, radian. An angle counts as a dimension of its
//! own, so that 30 Hz is not taken for 30 rad/s. Symbols are case-sensitive, as in SI.
//!
//! It does not know temperatures, currents or amounts of substance: nothing in this program has them.

use std::fmt;

/// Powers of the base units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dimension {
    pub metre: i8,
    pub kilogram: i8,
    pub second: i8,
    pub radian: i8,
}

const fn dimension(metre: i8, kilogram: i8, second: i8, radian: i8) -> Dimension {
    Dimension { metre, kilogram, second, radian }
}

pub const NUMBER: Dimension = dimension(0, 0, 0, 0);
pub const LENGTH: Dimension = dimension(1, 0, 0, 0);
pub const AREA: Dimension = dimension(2, 0, 0, 0);
pub const VOLUME: Dimension = dimension(3, 0, 0, 0);
pub const MASS: Dimension = dimension(0, 1, 0, 0);
pub const TIME: Dimension = dimension(0, 0, 1, 0);
pub const SPEED: Dimension = dimension(1, 0, -1, 0);
pub const ACCELERATION: Dimension = dimension(1, 0, -2, 0);
pub const DENSITY: Dimension = dimension(-3, 1, 0, 0);
pub const FORCE: Dimension = dimension(1, 1, -2, 0);
pub const PRESSURE: Dimension = dimension(-1, 1, -2, 0);
pub const ENERGY: Dimension = dimension(2, 1, -2, 0);
pub const POWER: Dimension = dimension(2, 1, -3, 0);
pub const STIFFNESS: Dimension = dimension(0, 1, -2, 0);
/// Pressure a length: of contacts that are spread over a surface.
pub const CONTACT_STIFFNESS: Dimension = dimension(-2, 1, -2, 0);
pub const FREQUENCY: Dimension = dimension(0, 0, -1, 0);
pub const ANGLE: Dimension = dimension(0, 0, 0, 1);
pub const ANGULAR_VELOCITY: Dimension = dimension(0, 0, -1, 1);
pub const ANGULAR_ACCELERATION: Dimension = dimension(0, 0, -2, 1);

/// Dimensions that have a name, and the unit they are written in.
const NAMED: [(Dimension, &str, &str); 19] = [
    (NUMBER, "a plain number", ""),
    (LENGTH, "a length", "m"),
    (AREA, "an area", "m2"),
    (VOLUME, "a volume", "m3"),
    (MASS, "a mass", "kg"),
    (TIME, "a time", "s"),
    (SPEED, "a speed", "m/s"),
    (ACCELERATION, "an acceleration", "m/s2"),
    (DENSITY, "a density", "kg/m3"),
    (FORCE, "a force", "N"),
    (PRESSURE, "a pressure", "Pa"),
    (ENERGY, "an energy", "J"),
    (POWER, "a power", "W"),
    (STIFFNESS, "a stiffness", "N/m"),
    (CONTACT_STIFFNESS, "a stiffness of contact", "Pa/m"),
    (FREQUENCY, "a frequency", "Hz"),
    (ANGLE, "an angle", "rad"),
    (ANGULAR_VELOCITY, "an angular velocity", "rad/s"),
    (ANGULAR_ACCELERATION, "an angular acceleration", "rad/s2"),
];

impl Dimension {
    /// "a length", or the powers of the base units where there is no name.
    pub fn describe(&self) -> String {
        match NAMED.iter().find(|(d, ..)| d == self) {
            Some((_, name, _)) => (*name).into(),
            None => self.unit(),
        }
    }

    /// The SI unit: `kg/m3`, `Pa`, or the powers of the base units.
    pub fn unit(&self) -> String {
        if let Some((.., unit)) = NAMED.iter().find(|(d, ..)| d == self) {
            return (*unit).into();
        }
        let powers = [("kg", self.kilogram), ("m", self.metre), ("s", self.second), ("rad", self.radian)];
        let terms = powers.iter().filter(|(_, p)| *p != 0).map(|(u, p)| match p {
            1 => (*u).to_string(),
            p => format!("{u}^{p}"),
        });
        terms.collect::<Vec<_>>().join(" ")
    }

    fn times(self, other: Dimension, power: i32) -> Option<Dimension> {
        let add = |a: i8, b: i8| i8::try_from(i32::from(a) + i32::from(b) * power).ok();
        Some(Dimension {
            metre: add(self.metre, other.metre)?,
            kilogram: add(self.kilogram, other.kilogram)?,
            second: add(self.second, other.second)?,
            radian: add(self.radian, other.radian)?,
        })
    }
}

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitError {
    pub message: String,
    /// A suggestion.
    pub hint: Option<String>,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.hint {
            Some(hint) => write!(f, "{}; {hint}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for UnitError {}

fn error(message: impl Into<String>) -> UnitError {
    UnitError { message: message.into(), hint: None }
}

/// A unit symbol: factor to SI as a number and a power of ten, dimension, the prefixes that it takes.
///
/// Powers of ten are kept apart to the end, so that 2 g/cm3 is 2000 kg/m3 to the last bit.
struct Unit {
    symbol: &'static str,
    factor: f64,
    exponent: i64,
    dimension: Dimension,
    prefixes: &'static str,
}

const fn unit(
    symbol: &'static str,
    (factor, exponent): (f64, i64),
    dimension: Dimension,
    prefixes: &'static str,
) -> Unit {
    Unit { symbol, factor, exponent, dimension, prefixes }
}

const ALL: &str = "fpnuµμmcdhkMGT";
const DAY: f64 = 86_400.0;
const PI: f64 = std::f64::consts::PI;

static UNITS: &[Unit] = &[
    unit("m", (1.0, 0), LENGTH, ALL),
    unit("au", (149_597_870_700.0, 0), LENGTH, ""),
    unit("AU", (149_597_870_700.0, 0), LENGTH, ""),
    unit("g", (1.0, -3), MASS, ALL),
    unit("t", (1.0, 3), MASS, "kMGT"),
    unit("s", (1.0, 0), TIME, "fpnuµμmkMG"),
    unit("min", (60.0, 0), TIME, ""),
    unit("h", (3600.0, 0), TIME, ""),
    unit("hour", (3600.0, 0), TIME, ""),
    unit("hours", (3600.0, 0), TIME, ""),
    unit("d", (DAY, 0), TIME, ""),
    unit("day", (DAY, 0), TIME, ""),
    unit("days", (DAY, 0), TIME, ""),
    unit("yr", (365.25 * DAY, 0), TIME, "kMG"),
    unit("year", (365.25 * DAY, 0), TIME, ""),
    unit("years", (365.25 * DAY, 0), TIME, ""),
    unit("rad", (1.0, 0), ANGLE, "num"),
    unit("deg", (PI / 180.0, 0), ANGLE, ""),
    unit("°", (PI / 180.0, 0), ANGLE, ""),
    unit("arcmin", (PI / 10_800.0, 0), ANGLE, ""),
    unit("arcsec", (PI / 648_000.0, 0), ANGLE, "m"),
    unit("rev", (2.0 * PI, 0), ANGLE, ""),
    unit("turn", (2.0 * PI, 0), ANGLE, ""),
    unit("rpm", (2.0 * PI / 60.0, 0), ANGULAR_VELOCITY, ""),
    unit("Hz", (1.0, 0), FREQUENCY, "mkMG"),
    unit("N", (1.0, 0), FORCE, ALL),
    unit("dyn", (1.0, -5), FORCE, ""),
    unit("Pa", (1.0, 0), PRESSURE, ALL),
    unit("bar", (1.0, 5), PRESSURE, "mk"),
    unit("J", (1.0, 0), ENERGY, ALL),
    unit("erg", (1.0, -7), ENERGY, ""),
    unit("W", (1.0, 0), POWER, ALL),
    unit("L", (1.0, -3), VOLUME, "mc"),
    unit("l", (1.0, -3), VOLUME, "mc"),
    unit("%", (1.0, -2), NUMBER, ""),
];

fn prefix_exponent(prefix: char) -> i64 {
    match prefix {
        'f' => -15,
        'p' => -12,
        'n' => -9,
        'u' | 'µ' | 'μ' => -6,
        'm' => -3,
        'c' => -2,
        'd' => -1,
        'h' => 2,
        'k' => 3,
        'M' => 6,
        'G' => 9,
        'T' => 12,
        _ => 0,
    }
}

/// A factor to SI with its power of ten, and a dimension.
type Scale = (f64, i64, Dimension);

/// One symbol, with or without a prefix.
fn symbol(name: &str) -> Option<Scale> {
    if let Some(u) = UNITS.iter().find(|u| u.symbol == name) {
        return Some((u.factor, u.exponent, u.dimension));
    }
    let prefix = name.chars().next()?;
    let rest = &name[prefix.len_utf8()..];
    let u = UNITS.iter().find(|u| u.symbol == rest && u.prefixes.contains(prefix))?;
    Some((u.factor, u.exponent + prefix_exponent(prefix), u.dimension))
}

fn unknown(name: &str) -> UnitError {
    let shown: String = name.chars().take(24).collect();
    let lower = name.to_lowercase();
    let mut candidates = Vec::new();
    for u in UNITS {
        candidates.push(u.symbol.to_string());
        candidates.extend(u.prefixes.chars().map(|p| format!("{p}{}", u.symbol)));
    }
    let same = candidates.iter().find(|c| c.to_lowercase() == lower);
    let words = [
        ("sec", "s"),
        ("secs", "s"),
        ("second", "s"),
        ("seconds", "s"),
        ("minute", "min"),
        ("minutes", "min"),
        ("hr", "h"),
        ("hrs", "h"),
        ("meter", "m"),
        ("meters", "m"),
        ("metre", "m"),
        ("metres", "m"),
        ("kilometer", "km"),
        ("kilometre", "km"),
        ("degree", "deg"),
        ("degrees", "deg"),
        ("radian", "rad"),
        ("radians", "rad"),
        ("pascal", "Pa"),
        ("newton", "N"),
        ("joule", "J"),
        ("kilogram", "kg"),
        ("gram", "g"),
    ];
    let word = words.iter().find(|(w, _)| *w == lower).map(|(_, s)| (*s).to_string());
    let hint = word.or_else(|| same.cloned()).map(|s| format!("did you mean `{s}`?"));
    UnitError { message: format!("`{shown}` is not a known unit"), hint }
}

struct Parser<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The number at the start: sign, digits (underscores between them are ignored) and point as a text, and the
    /// exponent.
    fn number(&mut self) -> Result<(String, i64), UnitError> {
        let bytes = self.rest.as_bytes();
        let digits = |mut k: usize| {
            while k < bytes.len() && (bytes[k].is_ascii_digit() || bytes[k] == b'_') {
                k += 1;
            }
            k
        };
        let mut k = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        k = digits(k);
        if bytes.get(k) == Some(&b'.') {
            k = digits(k + 1);
        }
        let mantissa = self.rest[..k].replace('_', "");
        if mantissa.parse::<f64>().is_err() {
            return Err(error("a quantity starts with a number, such as \"10 cm\""));
        }
        let mut exponent = 0;
        if matches!(bytes.get(k), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(k + 1), Some(b'+' | b'-')));
            let end = digits(k + 1 + sign);
            // An `e` that no digit follows belongs to the unit (`erg`).
            if end > k + 1 + sign {
                let text = self.rest[k + 1..end].replace('_', "");
                exponent = text.parse().map_err(|_| error("the exponent of the number is out of range"))?;
                k = end;
            }
        }
        self.rest = &self.rest[k..];
        Ok((mantissa, exponent))
    }

    /// The power after a symbol, 1 by default.
    fn power(&mut self) -> Result<i32, UnitError> {
        let marked = if let Some(rest) = self.rest.strip_prefix("**") {
            self.rest = rest;
            true
        } else {
            self.eat('^')
        };
        let mut text = String::new();
        for c in self.rest.chars() {
            let plain = match c {
                '⁻' => '-',
                '⁰' => '0',
                '¹' => '1',
                '²' => '2',
                '³' => '3',
                '⁴' => '4',
                '⁵' => '5',
                '⁶' => '6',
                c => c,
            };
            if !(plain.is_ascii_digit() || (plain == '-' || plain == '+') && text.is_empty()) {
                break;
            }
            text.push(plain);
            self.rest = &self.rest[c.len_utf8()..];
        }
        if text.is_empty() && !marked {
            return Ok(1);
        }
        let power: i32 = text.parse().map_err(|_| error("a power must be a whole number, as in `m/s^2`"))?;
        if power.abs() > 9 {
            return Err(error(format!("the power {power} is too large for a unit")));
        }
        Ok(power)
    }

    /// A product of terms up to the end or the closing bracket.
    fn product(&mut self) -> Result<Scale, UnitError> {
        let (mut factor, mut exponent, mut dimension) = (1.0, 0i64, NUMBER);
        let mut first = true;
        loop {
            self.skip_space();
            let mut sign = 1;
            let mut joined = false;
            if self.eat('/') {
                (sign, joined) = (-1, true);
            } else if !first && (self.eat('*') || self.eat('·') || self.eat('.')) {
                joined = true;
            }
            self.skip_space();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                return if joined {
                    Err(error("a unit is missing after the last sign"))
                } else {
                    Ok((factor, exponent, dimension))
                };
            }
            let (f, e, d) = self.term()?;
            let power = self.power()? * sign;
            factor *= f.powi(power);
            exponent = exponent.saturating_add(e.saturating_mul(i64::from(power)));
            dimension =
                dimension.times(d, power).ok_or_else(|| error("the powers of the unit are too large"))?;
            first = false;
        }
    }

    fn term(&mut self) -> Result<Scale, UnitError> {
        if self.eat('(') {
            self.depth += 1;
            if self.depth > 4 {
                return Err(error("too many brackets in the unit"));
            }
            let inside = self.product()?;
            if !self.eat(')') {
                return Err(error("a bracket of the unit is not closed"));
            }
            self.depth -= 1;
            return Ok(inside);
        }
        let end =
            self.rest.find(|c: char| !(c.is_alphabetic() || c == '%' || c == '°')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            let c = self.rest.chars().next().unwrap_or(' ');
            return Err(error(format!("`{}` is not allowed in a unit", c.escape_debug())));
        }
        self.rest = rest;
        symbol(name).ok_or_else(|| unknown(name))
    }
}

fn scale(text: &str) -> Result<Scale, UnitError> {
    let mut parser = Parser { rest: text.trim(), depth: 0 };
    let result = parser.product()?;
    if parser.rest.is_empty() { Ok(result) } else { Err(error("a bracket of the unit was never opened")) }
}

/// The unit alone: its factor to SI and its dimension.
pub fn parse_unit(text: &str) -> Result<(f64, Dimension), UnitError> {
    let (factor, exponent, dimension) = scale(text)?;
    Ok((factor * shifted("1", exponent), dimension))
}

/// A decimal number times a power of ten, rounded once.
fn shifted(digits: &str, exponent: i64) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// A number with a unit, as its value in SI and its dimension.
pub fn parse(text: &str) -> Result<(f64, Dimension), UnitError> {
    let mut parser = Parser { rest: text.trim(), depth: 0 };
    let (digits, own) = parser.number()?;
    let (factor, exponent, dimension) = scale(parser.rest)?;
    let value = shifted(&digits, own.saturating_add(exponent)) * factor;
    if value.is_finite() { Ok((value, dimension)) } else { Err(error("the value is too large for a number")) }
}

/// A number with a unit that must have this dimension, in SI.
pub fn parse_as(text: &str, expected: Dimension) -> Result<f64, UnitError> {
    let (value, found) = parse(text)?;
    if found == expected {
        return Ok(value);
    }
    let shown: String = text.trim().chars().take(40).collect();
    Err(mismatch(&shown, found, expected))
}

/// "expected a length, got a time".
pub fn mismatch(text: &str, found: Dimension, expected: Dimension) -> UnitError {
    let unit = expected.unit();
    let hint = match (found, expected) {
        (NUMBER, _) => {
            Some(format!("add a unit, such as \"{text} {unit}\", or write an SI number without quotes"))
        }
        (FREQUENCY, ANGULAR_VELOCITY) => Some("write `rev/s` for turns, or `rad/s`".into()),
        (ANGULAR_VELOCITY, FREQUENCY) => Some("write it in Hz".into()),
        (_, NUMBER) => Some("omit the unit".into()),
        _ => Some(format!("write it in {unit}, or in a multiple of it")),
    };
    let found = match found {
        NUMBER => "a number without a unit".into(),
        found => found.describe(),
    };
    UnitError { message: format!("expected {}, got {found} (`{text}`)", expected.describe()), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(text: &str, value: f64, dimension: Dimension) {
        let (v, d) = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!((v - value).abs() <= 1e-14 * value.abs(), "{text}: {v} != {value}");
        assert_eq!(d, dimension, "{text}");
    }

    #[test]
    fn quantities_become_si() {
        close("3.4 h", 12_240.0, TIME);
        close("10 cm", 0.1, LENGTH);
        close("10cm", 0.1, LENGTH);
        close("1194 kg/m3", 1194.0, DENSITY);
        close("1.194 g/cm^3", 1194.0, DENSITY);
        close("2 kg m-3", 2.0, DENSITY);
        close("2 kg·m⁻³", 2.0, DENSITY);
        close("9.8 m/s2", 9.8, ACCELERATION);
        close("9.8 m/s^2", 9.8, ACCELERATION);
        close("9.8 m/s**2", 9.8, ACCELERATION);
        close("9.8 m/s/s", 9.8, ACCELERATION);
        close("1 Pa", 1.0, PRESSURE);
        close("2 N/m2", 2.0, PRESSURE);
        close("5 kN/m", 5e3, STIFFNESS);
        close("3 J", 3.0, ENERGY);
        close("3 kg m2/s2", 3.0, ENERGY);
        close("3 kg m2/(s s)", 3.0, ENERGY);
        close("30 deg", std::f64::consts::FRAC_PI_6, ANGLE);
        close("0.5 rev/h", PI / 3600.0, ANGULAR_VELOCITY);
        close("1 rpm", PI / 30.0, ANGULAR_VELOCITY);
        close("1/s", 1.0, FREQUENCY);
        close("-2e-3 um", -2e-9, LENGTH);
        close("1_000 erg", 1e-4, ENERGY);
        close("2erg", 2e-7, ENERGY);
        close("50 %", 0.5, NUMBER);
        close("7 µm", 7e-6, LENGTH);
        close("1 kg", 1.0, MASS);
        close("2 d", 172_800.0, TIME);
    }

    /// Decimal multiples are exact: 2 g/cm3 was once 1999.9999999999998 kg/m3.
    #[test]
    fn decimal_multiples_are_exact() {
        for (text, value) in [
            ("2 g/cm3", 2000.0),
            ("2.7 g/cm3", 2700.0),
            ("0.3 mm", 0.0003),
            ("1.1e-3 km", 1.1),
            ("7 um", 7e-6),
            ("3 kPa", 3000.0),
            ("1 mJ", 1e-3),
            (".5 m", 0.5),
            ("5. m", 5.0),
        ] {
            assert_eq!(parse(text).map(|q| q.0), Ok(value), "{text}");
        }
        assert_eq!(parse_unit("km/h").map(|u| u.0), Ok(1000.0 / 3600.0));
    }

    #[test]
    fn what_is_no_quantity_says_why() {
        let fails = |text: &str, part: &str| {
            let message = parse(text).expect_err(text).to_string();
            assert!(message.contains(part), "{text}: {message}");
        };
        fails("", "starts with a number");
        fails("m", "starts with a number");
        fails("nan m", "starts with a number");
        fails("3 sec", "did you mean `s`");
        fails("3 pa", "did you mean `Pa`");
        fails("3 KM", "did you mean");
        fails("3 furlongs", "`furlongs` is not a known unit");
        fails("3 m/", "a unit is missing");
        fails("3 m^x", "whole number");
        fails("3 m99", "too large for a unit");
        fails("3 (m", "not closed");
        fails("3 m)", "never opened");
        fails("3 ((((((m))))))", "too many brackets");
        fails("1e999 m", "too large");
        fails("3 m \u{0}", "not allowed in a unit");
        assert!(parse(&"m9 ".repeat(100_000)).is_err());
        assert!(parse(&format!("1 {}", "m9 ".repeat(100_000))).is_err());
    }

    #[test]
    fn the_dimension_is_checked() {
        let message = |text: &str, d: Dimension| parse_as(text, d).expect_err(text).to_string();
        assert!(message("3 s", LENGTH).contains("expected a length, got a time"));
        assert!(message("3", LENGTH).contains("expected a length, got a number without a unit"));
        assert!(message("3 Hz", ANGULAR_VELOCITY).contains("rev/s"));
        assert!(message("3 m7", LENGTH).contains("got m^7"));
        assert_eq!(parse_as("3 km", LENGTH), Ok(3000.0));
    }
}
