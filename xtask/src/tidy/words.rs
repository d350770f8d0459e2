//! Words that must not stay in the tree.

use super::Finding;
use super::code::has_word;
use super::sources::Source;

const MACROS: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// No `todo!`, `unimplemented!`, `dbg!`, and no test that is ignored.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in source.lines() {
        for name in MACROS {
            if has_word(line, name) && line.contains(&format!("{name}!")) {
                findings.push(source.finding(number, format!("{name}! must not stay")));
            }
        }
        let dense: String = line.split_whitespace().collect();
        if dense.contains("#[ignore") || dense.contains(",ignore") && dense.contains("cfg_attr") {
            findings
                .push(source.finding(number, "a test is ignored: make it run or remove it".into()));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let findings = check(&Source::new("x/src/a.rs", text));
        findings.into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn each_word_is_found() {
        assert_eq!(lines("fn f() {\n    todo!()\n}\n"), [2]);
        assert_eq!(lines("unimplemented!(\"x\");\ndbg!(1);\n"), [1, 2]);
        assert_eq!(lines("#[test]\n#[ignore = \"slow\"]\nfn t() {}\n"), [2]);
        assert_eq!(lines("#[cfg_attr(feature = \"x\", ignore)]\n"), [1]);
    }

    #[test]
    fn comments_strings_and_other_names_are_not() {
        assert_eq!(
            lines("// todo!()\nlet s = \"dbg!\";\nmy_todo!();\nignore(x);\n"),
            [0; 0]
        );
    }
}
