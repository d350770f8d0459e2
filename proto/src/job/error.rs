//! What is wrong with a job, and where.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Where a fault stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the file as a whole.
    File(String),
    /// In one line, counted from 1.
    Line {
        /// The file's name as it was given.
        file: String,
        /// The line.
        line: usize,
    },
    /// In an override, `--set KEY=VALUE`.
    Override {
        /// Its key.
        key: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => f.write_str(file),
            Self::Line { file, line } => write!(f, "{file}:{line}"),
            Self::Override { key } => write!(f, "--set {}", key.escape_debug()),
        }
    }
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    /// Where.
    pub place: Place,
    /// What, and what would be right.
    pub message: String,
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Every fault of a job, in the order of the file; never empty. Shown one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobErrors(pub Vec<JobError>);

impl fmt::Display for JobErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl core::error::Error for JobErrors {}
