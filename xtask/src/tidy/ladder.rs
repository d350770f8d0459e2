//! Inside a driver the files form a ladder, and drivers do not know each other.

use super::Finding;
use super::code::has_word;
use super::sources::Source;

/// From the ground up: each may use those before it.
const LADDER: [&str; 4] = ["spec", "regs", "ring", "controller"];

/// Driver modules of `drivers`.
const DRIVERS: [&str; 4] = ["pvscsi", "mptsas", "nvme", "virtio_scsi"];

/// Modules of `drivers` that must know no driver.
const SHARED: [&str; 3] = ["hal", "block", "scsi"];

/// Checks the `use` statements and paths of one file.
pub fn check(source: &Source) -> Vec<Finding> {
    let Some(rest) = source.path.strip_prefix("drivers/src/") else {
        return Vec::new();
    };
    let Some((module, file)) = rest.split_once('/') else {
        return Vec::new();
    };
    let driver = DRIVERS.contains(&module);
    if !driver && !SHARED.contains(&module) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (number, path) in paths(&source.code) {
        for other in DRIVERS {
            if other != module && path.starts_with("crate::") && has_word(&path, other) {
                findings.push(source.finding(number, format!("{module} must not know {other}")));
            }
        }
        if driver {
            findings.extend(steps_up(source, module, file, number, &path));
        }
    }
    findings
}

/// Uses of a higher rung.
fn steps_up(source: &Source, module: &str, file: &str, number: usize, path: &str) -> Vec<Finding> {
    let own = format!("crate::{module}::");
    let near = path
        .strip_prefix("super::")
        .or_else(|| path.strip_prefix(&own));
    let stem = file.split(['/', '.']).next().unwrap_or_default();
    let (Some(near), Some(rung)) = (near, LADDER.iter().position(|name| *name == stem)) else {
        return Vec::new();
    };
    let higher = LADDER.iter().skip(rung + 1);
    higher
        .filter(|name| has_word(near, name))
        .map(|name| source.finding(number, format!("{stem} must not use {name}")))
        .collect()
}

/// Paths from `crate::` or `super::` up to the end of their statement or
/// expression, braces of `use` lists included.
fn paths(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let line = code[..at].matches('\n').count() + 1;
            let statement = code[..at]
                .rsplit([';', '}', '{'])
                .next()
                .unwrap_or_default();
            let is_use = has_word(statement, "use");
            let ends = |c: char| {
                if is_use {
                    c == ';'
                } else {
                    !(c.is_alphanumeric() || c == '_' || c == ':')
                }
            };
            let end = code[at..].find(ends).map_or(code.len(), |end| at + end);
            found.push((line, code[at..end].to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<(usize, String)> {
        let findings = check(&Source::new(path, text));
        findings
            .into_iter()
            .map(|finding| (finding.line, finding.what))
            .collect()
    }

    #[test]
    fn going_down_is_free() {
        let text = "use super::regs::{Regs, DOORBELL};\nuse super::spec;\nuse crate::hal::Mmio;\n";
        assert_eq!(found("drivers/src/pvscsi/ring.rs", text), []);
        assert_eq!(
            found("drivers/src/pvscsi/controller.rs", "use super::ring::Ring;"),
            []
        );
    }

    #[test]
    fn going_up_is_found() {
        let up = |text| found("drivers/src/nvme/regs.rs", text);
        assert_eq!(
            up("\nuse super::ring::Ring;"),
            [(2, "regs must not use ring".into())]
        );
        assert_eq!(up("use super::{spec, controller::C};").len(), 1);
        assert_eq!(up("fn f() { crate::nvme::ring::go() }").len(), 1);
        assert_eq!(
            found("drivers/src/nvme/spec.rs", "use super::regs;").len(),
            1
        );
    }

    #[test]
    fn drivers_do_not_know_each_other() {
        let text = "use crate::{hal::Dma, nvme::spec};";
        let what = found("drivers/src/pvscsi/controller.rs", text);
        assert_eq!(what, [(1, "pvscsi must not know nvme".into())]);
        assert_eq!(
            found("drivers/src/block/limits.rs", "use crate::pvscsi::MAX;").len(),
            1
        );
        assert_eq!(
            found("drivers/src/fake/machine.rs", "use crate::pvscsi::MAX;"),
            []
        );
    }

    #[test]
    fn words_in_comments_do_not_count() {
        assert_eq!(
            found("drivers/src/nvme/regs.rs", "// use super::ring::Ring;"),
            []
        );
    }
}
