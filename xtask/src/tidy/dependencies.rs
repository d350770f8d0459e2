//! Dependencies between the workspace's packages point one way.

use super::Finding;
use crate::failure::Failure;
use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// A package, what it may depend on within the workspace, and what else its tests may.
type Rule = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// The layout. Tests may also use their own package, with other features.
const LAYOUT: [Rule; 9] = [
    ("proto", &[], &[]),
    ("drivers", &[], &[]),
    ("engine", &["drivers", "proto"], &[]),
    // The loader's side of the contract is compared with the kernel's.
    ("kernel", &["engine", "drivers", "proto"], &["boot"]),
    ("guest", &["kernel", "drivers"], &[]),
    ("boot", &[], &[]),
    ("xtask", &["proto"], &[]),
    // The fault matrix runs sessions on device models.
    ("tests", &["proto", "xtask"], &["drivers", "engine"]),
    // A bare loop to compare the engine with, so it must not use the engine.
    ("ceiling", &["drivers", "kernel", "proto"], &[]),
];

/// Asks cargo for the manifests and checks them.
///
/// # Errors
/// [`Failure::Environment`] if cargo cannot say.
pub fn check(root: &Path) -> Result<Vec<Finding>, Failure> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(program)
        .current_dir(root)
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .output()
        .map_err(|error| Failure::io("cargo metadata", &error))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Failure::Environment(format!("cargo metadata: {error}\n{said}"))
    })?;
    Ok(judge(&metadata))
}

fn judge(metadata: &Value) -> Vec<Finding> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages = list(&metadata["packages"]);
    let members: Vec<&str> = packages
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    let mut findings = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap_or_default();
        let mut find = |what: String| {
            findings.push(Finding {
                file: format!("{name}/Cargo.toml"),
                line: 0,
                what,
            });
        };
        let Some((_, allowed, tests)) = LAYOUT.iter().find(|rule| rule.0 == name) else {
            find(format!("{name} is no package of the layout"));
            continue;
        };
        for dependency in list(&package["dependencies"]) {
            let on = dependency["name"].as_str().unwrap_or_default();
            let in_tests = dependency["kind"] == "dev" && (on == name || tests.contains(&on));
            if members.contains(&on) && !allowed.contains(&on) && !in_tests {
                find(format!("{name} must not depend on {on}"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn metadata(package: &str, on: &str, kind: Value) -> Value {
        json!({"packages": [
            {"name": package, "dependencies": [{"name": on, "kind": kind}, {"name": "serde", "kind": null}]},
            {"name": "drivers", "dependencies": []},
            {"name": "kernel", "dependencies": []},
        ]})
    }

    #[test]
    fn one_way_only() {
        assert_eq!(judge(&metadata("engine", "drivers", Value::Null)), []);
        let findings = judge(&metadata("proto", "kernel", Value::Null));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].what, "proto must not depend on kernel");
        assert_eq!(judge(&metadata("engine", "kernel", json!("dev"))).len(), 1);
        assert_eq!(judge(&metadata("proto", "kernel", json!("build"))).len(), 1);
    }

    #[test]
    fn a_package_may_test_itself() {
        let own = json!({"packages": [
            {"name": "drivers", "dependencies": [{"name": "drivers", "kind": "dev"}]}
        ]});
        assert_eq!(judge(&own), []);
    }

    #[test]
    fn tests_may_see_more() {
        let boot = |kind| {
            let on = json!({"name": "boot", "kind": kind});
            let kernel = json!({"name": "kernel", "dependencies": [on]});
            judge(&json!({"packages": [kernel, {"name": "boot", "dependencies": []}]})).len()
        };
        assert_eq!(boot("dev"), 0);
        assert_eq!(boot("build"), 1);
    }

    #[test]
    fn unknown_packages_are_found() {
        assert_eq!(judge(&metadata("helper", "drivers", Value::Null)).len(), 1);
    }
}
