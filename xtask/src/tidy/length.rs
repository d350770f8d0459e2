//! Files stay small.

use super::Finding;
use super::sources::Source;

/// Longest file in lines, unless its first comment gives a reason.
const MAX_LINES: usize = 500;

/// Longest crate root in lines: it is a table of contents.
const MAX_CONTENTS_LINES: usize = 60;

/// How the reason starts.
const REASON: &str = "Long because";

/// `lib.rs` is a table of contents; anything else is short or says why not.
pub fn check(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().count();
    let name = source.path.rsplit('/').next().unwrap_or_default();
    let contents = name == "lib.rs";
    let what = if contents && lines > MAX_CONTENTS_LINES {
        format!("{lines} lines: a table of contents has {MAX_CONTENTS_LINES} at most")
    } else if lines > MAX_LINES && !first_comment(&source.text).contains(REASON) {
        format!(
            "{lines} lines, over {MAX_LINES}: split it, or start its first comment's reason with `{REASON}`"
        )
    } else {
        return Vec::new();
    };
    vec![source.finding(0, what)]
}

fn first_comment(text: &str) -> String {
    let comment = |line: &&str| line.trim_start().starts_with("//");
    text.lines().take_while(comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, head: &str, lines: usize) -> usize {
        let text = format!("{head}\n{}", "x\n".repeat(lines - 1));
        check(&Source::new(path, &text)).len()
    }

    #[test]
    fn long_files_need_a_reason() {
        assert_eq!(found("a/src/b.rs", "//! b", 500), 0);
        assert_eq!(found("a/src/b.rs", "//! b", 501), 1);
        assert_eq!(found("a/src/b.rs", "//! Long because one table.", 501), 0);
    }

    #[test]
    fn contents_have_no_excuse() {
        assert_eq!(found("a/src/lib.rs", "//! a", 60), 0);
        assert_eq!(found("a/src/lib.rs", "//! Long because.", 61), 1);
        assert_eq!(found("a/src/my_lib.rs", "//! b", 61), 0);
    }
}
