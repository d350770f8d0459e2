//! The Rust files of the workspace.

use super::Finding;
use super::code::blank_comments_and_strings;
use std::fs;
use std::io;
use std::path::Path;

/// One file.
#[derive(Clone, Debug)]
pub struct Source {
    /// Path from the workspace's root, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its text without comments and strings, line for line.
    pub code: String,
}

impl Source {
    /// From path and text.
    #[must_use]
    pub fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code: blank_comments_and_strings(text),
        }
    }

    /// A finding at a line of this file.
    #[must_use]
    pub fn finding(&self, line: usize, what: String) -> Finding {
        Finding {
            file: self.path.clone(),
            line,
            what,
        }
    }

    /// Lines of code with their numbers.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.code.lines())
    }
}

/// Folders that hold no source of ours.
const SKIPPED: [&str; 3] = ["target", ".git", "node_modules"];

/// Reads them all, in a stable order.
///
/// # Errors
/// If a folder or file cannot be read.
pub fn read(root: &Path) -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    walk(root, "", &mut sources)?;
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

fn walk(root: &Path, below: &str, sources: &mut Vec<Source>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        if entry.file_type()?.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                walk(root, &path, sources)?;
            }
        } else if name.ends_with(".rs") {
            sources.push(Source::new(&path, &fs::read_to_string(entry.path())?));
        }
    }
    Ok(())
}
