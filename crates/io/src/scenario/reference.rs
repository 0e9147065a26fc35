//! The format in a form that editors read (JSON schema) and one that people read, both from the tables' structs.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::{sweep::SweepTable, tables::Scenario};

/// The JSON schema of the scenario file.
pub fn schema() -> Value {
    let mut value = schemars::schema_for!(Scenario).to_value();
    // The table of a campaign is taken out before the rest is read, so it is no field of the scenario.
    let mut sweep = schemars::schema_for!(SweepTable).to_value();
    let inner = sweep.as_object_mut().and_then(|s| {
        s.remove("$schema");
        s.remove("$defs")
    });
    if let Some(object) = value.as_object_mut() {
        object.insert("title".into(), "Rubblepile scenario".into());
        let what = sweep.get("description").cloned().unwrap_or_default();
        if let Some(definitions) = object.get_mut("$defs").and_then(Value::as_object_mut) {
            definitions.extend(inner.and_then(|d| d.as_object().cloned()).unwrap_or_default());
            definitions.insert("SweepTable".into(), sweep);
        }
        if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
            let reference = json!({ "$ref": "#/$defs/SweepTable", "description": what });
            properties.insert("sweep".into(), reference);
        }
    }
    value
}

/// Names of the keys that may hold an array, of tables, of numbers or of names.
pub(super) fn array_keys() -> HashSet<String> {
    fn is_array(schema: &Value) -> bool {
        let has =
            |types: &Value| types == "array" || types.as_array().is_some_and(|t| t.contains(&"array".into()));
        schema.get("type").is_some_and(has)
            || schema.get("anyOf").and_then(Value::as_array).is_some_and(|any| any.iter().any(is_array))
    }
    let schema = schema();
    let definitions = schema.get("$defs").and_then(Value::as_object).into_iter().flat_map(|d| d.values());
    let tables = definitions.chain([&schema]).filter_map(|d| d.get("properties").and_then(Value::as_object));
    tables.flatten().filter(|(_, property)| is_array(property)).map(|(key, _)| key.clone()).collect()
}

/// The reference page: a table a struct, in the order in which the file reaches them.
pub fn reference_markdown() -> String {
    let schema = schema();
    let empty = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&empty);
    let mut page = Page { definitions, out: String::new(), seen: Vec::new() };
    page.out += "# The scenario file\n\nThis page is made from the program's own types (`rubblepile schema --markdown`); \
                 do not edit it.\n\nTOML. Numbers are SI; a string may carry a unit, such as `\"3.4 h\"`, `\"10 cm\"`, \
                 `\"1194 kg/m3\"`, `\"30 deg\"` or `\"0.5 rev/h\"`: products by a space, quotients by `/`, powers as in \
                 `m/s2` or `m/s^2`. Vectors are arrays of three numbers or strings, or a string such as \
                 `\"[0, 0, 1] km\"`. Unknown keys are errors.\n";
    page.section("Scenario", &schema);
    page.out
}

struct Page<'a> {
    definitions: &'a Map<String, Value>,
    out: String,
    seen: Vec<String>,
}

/// Name of a definition as a heading: the structs' suffix is no part of the format.
fn title(name: &str) -> &str {
    name.strip_suffix("Table").unwrap_or(name)
}

fn text(value: &Value, key: &str) -> String {
    let raw = value.get(key).and_then(Value::as_str).unwrap_or_default();
    raw.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The definition that a schema refers to, directly, as an element, or as the one that is not null.
fn reference(schema: &Value) -> Option<&str> {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return name.strip_prefix("#/$defs/");
    }
    if let Some(found) = schema.get("items").and_then(reference) {
        return Some(found);
    }
    let choices = schema.get("anyOf").or_else(|| schema.get("allOf")).and_then(Value::as_array)?;
    choices.iter().find_map(reference)
}

impl Page<'_> {
    fn section(&mut self, name: &str, schema: &Value) {
        if self.seen.iter().any(|s| s == name) {
            return;
        }
        self.seen.push(name.into());
        self.out += &format!("\n## {}\n\n{}\n\n", title(name), text(schema, "description"));
        let mut next = Vec::new();
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let required: Vec<&str> = schema
                .get("required")
                .and_then(Value::as_array)
                .map_or(Vec::new(), |r| r.iter().filter_map(Value::as_str).collect());
            self.out += "| key | type | unit | default | what |\n|---|---|---|---|---|\n";
            for (key, property) in properties {
                let default =
                    if required.contains(&key.as_str()) { "required".into() } else { default(property) };
                let unit = text(property, "x-unit");
                let what = text(property, "description").replace('|', "\\|");
                self.out += &format!("| `{key}` | {} | {unit} | {default} | {what} |\n", self.kind(property));
                next.extend(reference(property).map(str::to_string));
            }
        }
        if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
            self.out += "One of:\n\n";
            for choice in choices {
                let what = text(choice, "description");
                if let Some(word) = choice.get("const").and_then(Value::as_str) {
                    self.out += &format!("- `\"{word}\"`: {what}\n");
                }
                for (key, inside) in choice.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    self.out += &format!("- `{key}` = {}: {what}\n", self.kind(inside));
                    next.extend(reference(inside).map(str::to_string));
                }
            }
        }
        for name in next {
            if let Some(definition) = self.definitions.get(&name) {
                self.section(&name, definition);
            }
        }
    }

    /// What a value is, in words, with a link to its own table.
    fn kind(&self, schema: &Value) -> String {
        let is_array = schema.get("items").is_some();
        if let Some(name) = reference(schema) {
            let shown = title(name);
            let link = format!("[{shown}](#{})", shown.to_lowercase());
            if schema.pointer("/anyOf/0/x-unit").is_some() {
                return format!("vector or {link}");
            }
            return if is_array { format!("array of {link}") } else { link };
        }
        let types: Vec<&str> = match schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(many)) => {
                many.iter().filter_map(Value::as_str).filter(|t| *t != "null").collect()
            }
            _ => Vec::new(),
        };
        let with_unit = schema.get("x-unit").is_some();
        match types.as_slice() {
            ["array", "string"] => "vector".into(),
            ["string", "array"] => "string or array".into(),
            ["integer", "array"] => "integer or array of two".into(),
            ["array"] if schema.get("maxItems") == Some(&json!(2)) => "array of two".into(),
            ["array"] if schema.pointer("/items/x-unit").is_some() => "array of vectors".into(),
            ["array"] => "array".into(),
            ["number", "string"] if schema.get("x-auto").is_some() => "quantity or `\"auto\"`".into(),
            ["number", "string"] if with_unit && text(schema, "x-unit").is_empty() => "number".into(),
            ["number", "string"] => "quantity".into(),
            [one] => (*one).into(),
            _ => String::new(),
        }
    }
}

fn default(property: &Value) -> String {
    match property.get("default") {
        None | Some(Value::Null) => String::new(),
        Some(Value::Object(_)) | Some(Value::Array(_)) if property.get("x-unit").is_none() => String::new(),
        Some(Value::String(s)) if s.is_empty() => String::new(),
        Some(value) => format!("`{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rewrites the page with RUBBLEPILE_WRITE_REFERENCE=1.
    #[test]
    fn the_page_in_docs_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scenario-reference.md");
        let page = reference_markdown();
        if std::env::var_os("RUBBLEPILE_WRITE_REFERENCE").is_some() {
            std::fs::write(&path, &page).expect("written");
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            there == page,
            "docs/scenario-reference.md is stale: set RUBBLEPILE_WRITE_REFERENCE=1 and test again"
        );
    }

    #[test]
    fn the_reference_names_every_key_of_the_schema() {
        let (schema, page) = (schema(), reference_markdown());
        let definitions = schema["$defs"].as_object().expect("definitions");
        assert!(definitions.len() > 40);
        for (name, definition) in definitions {
            assert!(page.contains(&format!("\n## {}\n", title(name))), "{name}");
            for (key, property) in
                definition.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                assert!(page.contains(&format!("| `{key}` |")), "{name}.{key}");
                assert!(!text(property, "description").is_empty(), "{name}.{key} has no comment");
            }
        }
        assert!(!page.contains("|  |  |  |"), "a key without a type");
        assert!(page.contains("| `density` | quantity | kg/m3 |"), "{page}");
    }
}
