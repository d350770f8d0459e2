//! The published schema and the types agree, field by field.

use super::{JSON_SCHEMA, SCHEMA, sample, schema_differences};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde_json::{Value, json};

#[test]
fn every_field_is_in_both() {
    let value = sample::document();
    assert_eq!(schema_differences(&value), Vec::<String>::new());
}

#[test]
fn a_field_in_one_place_only_is_found() {
    let mut value = sample::document();
    value["runs"][0]["cpu"]["new"] = json!(1);
    value["guest"].as_object_mut().unwrap().remove("boot");
    value["runs"][0]["status"] = json!("fine");
    value["disks"][0]["blocks"] = json!("many");
    let mut found = schema_differences(&value);
    found.sort();
    assert_eq!(
        found,
        [
            ".disks[0].blocks: is string, not \"integer\"",
            ".guest.boot: only in the schema",
            ".runs[0].cpu.new: not in the schema",
            ".runs[0].status: \"fine\" is not in the list",
        ]
    );
}

#[test]
fn absent_figures_are_allowed_where_the_types_allow_them() {
    let mut run = sample::run();
    run.reason = None;
    run.all_zero = None;
    run.stages_ns = None;
    run.params.runtime_ns = None;
    run.read = super::Direction::default();
    let mut run = serde_json::to_value(run).unwrap();
    run["host"] = Value::Null;
    let mut document = sample::document();
    document["host"] = Value::Null;
    document["guest"] = Value::Null;
    document["runs"] = json!([run]);
    assert_eq!(schema_differences(&document), Vec::<String>::new());
}

#[test]
fn every_property_is_described_and_all_but_one_are_required() {
    let root: Value = serde_json::from_str(JSON_SCHEMA).unwrap();
    assert_eq!(root["properties"]["schema"]["const"], SCHEMA);
    let mut objects = alloc::vec![("", &root)];
    let mut optional = Vec::new();
    objects.extend(
        root["$defs"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, it)| (name.as_str(), it)),
    );
    for (at, schema) in objects {
        let required = schema["required"].as_array().unwrap();
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{at}.{name}");
            if !required.iter().any(|required| required == name) {
                optional.push(format!("{at}.{name}"));
            }
        }
    }
    // Only what the types leave out when there is nothing to say may be missing.
    assert_eq!(optional, ["params.bs_write"]);
}
