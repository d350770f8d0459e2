//! docs/jobs.md shows the table of keys as it is.

use crate::job::foreign::{self, Group, UNSUPPORTED, WITHOUT_EFFECT};
use crate::job::{KEYS, Key, is_known, presets};
use crate::units::{SIZE_SUFFIXES, TIME_SUFFIXES};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const DOCUMENT: &str = include_str!("../../../../docs/jobs.md");

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn row(key: &Key) -> String {
    let names: Vec<String> = core::iter::once(&key.name)
        .chain(key.aliases)
        .map(|name| format!("`{name}`"))
        .collect();
    let cells = [
        names.join(", "),
        cell(key.values),
        cell(key.default),
        cell(key.meaning),
    ];
    format!("| {} |", cells.join(" | ")).replace("|  |", "| |")
}

fn rows(own: bool) -> String {
    let keys = KEYS.iter().filter(|key| key.own == own);
    let rows: Vec<String> = keys.map(row).collect();
    format!(
        "| key | values | default | meaning |\n|---|---|---|---|\n{}\n",
        rows.join("\n")
    )
}

fn assert_shown(block: &str) {
    assert!(DOCUMENT.contains(block), "docs/jobs.md must hold:\n{block}");
}

#[test]
fn keys_that_are_obeyed() {
    assert_shown(&rows(false));
    assert_shown(&rows(true));
}

/// Names as code, in the order of their groups.
fn groups(groups: &[Group], head: &str) -> String {
    let row = |(names, why): &Group| {
        let names: Vec<String> = names.split(' ').map(|name| format!("`{name}`")).collect();
        format!("| {} | {} |", names.join(", "), cell(why))
    };
    let rows: Vec<String> = groups.iter().map(row).collect();
    format!("| keys | {head} |\n|---|---|\n{}\n", rows.join("\n"))
}

#[test]
fn keys_without_effect() {
    assert_shown(&groups(WITHOUT_EFFECT, "why"));
}

#[test]
fn keys_of_fio_that_are_refused() {
    assert_shown(&groups(UNSUPPORTED, "what to do instead"));
}

#[test]
fn nothing_else_is_shown_as_a_key() {
    let first_cells = DOCUMENT
        .lines()
        .filter(|line| line.starts_with("| `"))
        .filter_map(|line| line.split('|').nth(1));
    for name in first_cells.flat_map(|cell| cell.split(',')) {
        let name = name.trim().trim_matches('`');
        assert!(
            is_known(name)
                || presets::get(name).is_some()
                || SIZE_SUFFIXES.iter().any(|suffix| suffix.spelling == name)
                || TIME_SUFFIXES.iter().any(|suffix| suffix.spelling == name),
            "docs/jobs.md shows `{name}`"
        );
    }
}

#[test]
fn every_preset_is_shown() {
    let table = &DOCUMENT[DOCUMENT.find("## Presets").unwrap()..];
    for name in presets::names() {
        assert!(table.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn no_name_stands_twice() {
    let mut names: Vec<&str> = KEYS
        .iter()
        .flat_map(|key| core::iter::once(&key.name).chain(key.aliases))
        .copied()
        .chain(foreign::names())
        .collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn every_suffix_is_shown() {
    for suffix in SIZE_SUFFIXES
        .iter()
        .filter(|suffix| !suffix.spelling.is_empty())
    {
        assert!(
            DOCUMENT.contains(&format!("`{}`", suffix.spelling)),
            "{}",
            suffix.spelling
        );
    }
    for suffix in TIME_SUFFIXES
        .iter()
        .filter(|suffix| !suffix.spelling.is_empty())
    {
        assert!(
            DOCUMENT.contains(&format!("`{}`", suffix.spelling)),
            "{}",
            suffix.spelling
        );
    }
}
