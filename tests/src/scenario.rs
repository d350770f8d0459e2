//! Scenarios as data.

use super::call::{Called, call};

/// One call and what must come of it.
pub struct Scenario<'a> {
    /// What it shows.
    pub name: &'a str,
    /// Flags of `run`.
    pub flags: &'a [&'a str],
    /// Exit code.
    pub code: u8,
    /// Must stand in what is said (stdout or stderr).
    pub says: &'a [&'a str],
    /// Whole rows in result.json.
    pub rows: usize,
}

/// Runs one and checks what every scenario has; returns the rest for a closer look.
///
/// # Panics
/// If anything differs.
#[must_use]
pub fn run(scenario: &Scenario<'_>) -> Called {
    let called = call("run", scenario.flags);
    let all = format!("{}\n--- stderr\n{}", called.out, called.err);
    let name = scenario.name;
    assert_eq!(called.code, scenario.code, "{name}: exit code\n{all}");
    for part in scenario.says {
        assert!(all.contains(part), "{name}: `{part}` is not said\n{all}");
    }
    let rows = called.result()["runs"].as_array().map_or(0, Vec::len);
    assert_eq!(rows, scenario.rows, "{name}: rows\n{all}");
    called
}
