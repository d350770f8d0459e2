//! Where `unsafe` may stand.

use super::Finding;
use super::code::has_word;
use super::sources::Source;

/// The only places with unsafe code.
const ALLOWED: [&str; 5] = [
    "boot/",
    "kernel/src/arch/",
    "kernel/src/hal/",
    "kernel/src/memory/",
    "kernel/src/pci/",
];

/// Crate roots that must forbid it outright.
const FORBIDDEN: [&str; 7] = [
    "drivers/src/lib.rs",
    "engine/src/lib.rs",
    "guest/src/lib.rs",
    "proto/src/lib.rs",
    "tests/src/lib.rs",
    "xtask/src/lib.rs",
    "xtask/src/main.rs",
];

/// No `unsafe` elsewhere.
pub fn check(source: &Source) -> Vec<Finding> {
    if ALLOWED.iter().any(|place| source.path.starts_with(place)) {
        return Vec::new();
    }
    source
        .lines()
        .filter(|(_, line)| has_word(line, "unsafe"))
        .map(|(number, _)| {
            source.finding(number, format!("unsafe outside of {}", ALLOWED.join(", ")))
        })
        .collect()
}

/// Each root is there and says `#![forbid(unsafe_code)]`.
pub fn check_roots(sources: &[Source]) -> Vec<Finding> {
    let says = |root: &&&str| {
        sources
            .iter()
            .any(|source| source.path == **root && source.code.contains("#![forbid(unsafe_code)]"))
    };
    let silent = FORBIDDEN.iter().filter(|root| !says(root));
    silent
        .map(|root| Finding {
            file: (*root).to_owned(),
            line: 0,
            what: "does not say #![forbid(unsafe_code)]".into(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_is_found_where_it_may_not_be() {
        let text = "// unsafe\nlet x = unsafe { y };\n";
        let found = |path| check(&Source::new(path, text)).len();
        assert_eq!(found("drivers/src/pvscsi/ring.rs"), 1);
        assert_eq!(found("kernel/src/time/tsc.rs"), 1);
        assert_eq!(found("kernel/src/arch/idt.rs"), 0);
        assert_eq!(found("boot/src/paging.rs"), 0);
    }

    #[test]
    fn a_root_that_is_silent_or_missing_is_found() {
        let all = |text: &str| {
            let sources: Vec<_> = FORBIDDEN
                .iter()
                .map(|root| Source::new(root, text))
                .collect();
            check_roots(&sources).len()
        };
        assert_eq!(all("#![no_std]\n#![forbid(unsafe_code)]\n"), 0);
        assert_eq!(all("// #![forbid(unsafe_code)]\n"), FORBIDDEN.len());
        assert_eq!(check_roots(&[]).len(), FORBIDDEN.len());
    }
}
