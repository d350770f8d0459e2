//! `cargo xtask tidy`: the rules of the house that no compiler checks.

mod code;
mod dependencies;
mod ladder;
mod length;
mod sources;
mod unsafety;
mod words;

use crate::build::workspace_root;
use crate::console::Console;
use crate::failure::Failure;
pub use code::blank_comments_and_strings;
use sources::Source;
use std::fmt;

/// A rule that is broken, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Path from the workspace's root.
    pub file: String,
    /// Line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what would be right.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// The rules that look at one source file.
const RULES: [fn(&Source) -> Vec<Finding>; 4] =
    [ladder::check, unsafety::check, length::check, words::check];

/// Checks the workspace.
///
/// # Errors
/// [`Failure::Run`] if a rule is broken; each finding was shown.
pub fn tidy(console: &mut Console<'_>) -> Result<(), Failure> {
    let root = workspace_root();
    let sources = sources::read(root).map_err(|error| Failure::io(root.display(), &error))?;
    let mut findings = dependencies::check(root)?;
    findings.extend(unsafety::check_roots(&sources));
    for source in &sources {
        findings.extend(RULES.iter().flat_map(|rule| rule(source)));
    }
    for finding in &findings {
        console.result(&format!("{finding}\n"));
    }
    if findings.is_empty() {
        console.say(&format!("tidy: {} files, nothing found", sources.len()));
        Ok(())
    } else {
        Err(Failure::Run(format!("tidy: {} findings", findings.len())))
    }
}
