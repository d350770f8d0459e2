//! The published schema of result.json, and whether a document is as it says.

use super::SCHEMA;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use serde_json::Value;

/// The JSON Schema (draft 2020-12) of result.json.
pub const JSON_SCHEMA: &str = include_str!("../../schema/ioprobe-result-1.schema.json");

/// Everything in which a document differs from [`JSON_SCHEMA`], one line each.
///
/// Stricter than the schema, so that it can hold the types that make the document to
/// it: a field that the schema does not know is a difference, and so is a field that is
/// only in the schema, required or not. A document in which every field holds something
/// must have no difference. Only the keywords that the schema uses are looked at.
#[must_use]
pub fn schema_differences(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match serde_json::from_str::<Value>(JSON_SCHEMA) {
        Ok(root) => differences(&root, &root, document, "", &mut found),
        Err(why) => found.push(format!("the schema is no JSON: {why}")),
    }
    found
}

/// A document that this version must not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaMismatch {
    /// The schema that the document names.
    pub found: String,
}

impl fmt::Display for SchemaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = &self.found;
        match newer_major(found) {
            Some(major) => write!(
                f,
                "schema `{found}` is newer than `{SCHEMA}`: an ioprobe that reads version \
                 {major} is needed"
            ),
            None => write!(f, "schema `{found}` is not `{SCHEMA}`"),
        }
    }
}

impl core::error::Error for SchemaMismatch {}

/// Whether a document of this schema can be read. Fields may be added within a major
/// version, so unknown ones are no reason to refuse.
///
/// # Errors
/// [`SchemaMismatch`] names the schema that was found, and the version needed.
pub fn check_schema(found: &str) -> Result<(), SchemaMismatch> {
    if found == SCHEMA {
        return Ok(());
    }
    Err(SchemaMismatch {
        found: String::from(found),
    })
}

fn newer_major(schema: &str) -> Option<u64> {
    let split = |schema: &str| -> Option<(String, u64)> {
        let (name, major) = schema.rsplit_once('/')?;
        Some((String::from(name), major.parse().ok()?))
    };
    let (ours, found) = (split(SCHEMA)?, split(schema)?);
    (found.0 == ours.0 && found.1 > ours.1).then_some(found.1)
}

/// Follows a `$ref` into `$defs`.
fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(path) => root.pointer(path.trim_start_matches('#')).unwrap_or(schema),
        None => schema,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn allows(schema: &Value, name: &str) -> bool {
    let one = |allowed: &Value| allowed == name || (name == "integer" && allowed == "number");
    match &schema["type"] {
        Value::Array(names) => names.iter().any(one),
        single => one(single),
    }
}

/// Everything in which `value` and `schema` differ.
fn differences(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let schema = resolve(root, schema);
    if !allows(schema, type_name(value)) {
        found.push(format!(
            "{at}: is {}, not {}",
            type_name(value),
            schema["type"]
        ));
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array)
        && !values.contains(value)
    {
        found.push(format!("{at}: {value} is not in the list"));
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let item_schema = match &schema["prefixItems"] {
                    Value::Array(schemas) => &schemas[index],
                    _ => &schema["items"],
                };
                differences(root, item_schema, item, &format!("{at}[{index}]"), found);
            }
        }
        Value::Object(fields) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                for (name, field) in fields {
                    let any = &schema["additionalProperties"];
                    differences(root, any, field, &format!("{at}.{name}"), found);
                }
                return;
            };
            for (name, field) in fields {
                match properties.get(name) {
                    Some(inner) => {
                        differences(root, inner, field, &format!("{at}.{name}"), found);
                    }
                    None => found.push(format!("{at}.{name}: not in the schema")),
                }
            }
            for name in properties.keys().filter(|name| !fields.contains_key(*name)) {
                found.push(format!("{at}.{name}: only in the schema"));
            }
        }
        _ => {}
    }
}
