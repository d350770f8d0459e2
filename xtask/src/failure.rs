//! How a command can fail, and the exit code of each way.

use std::fmt;

/// Exit code of a command that did all it was asked.
pub const EXIT_OK: u8 = 0;

/// Why a command did not do all it was asked; each kind has its own exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A run or a check failed, or rows were skipped: exit code 1.
    Run(String),
    /// The command line or the job is wrong; nothing was started: exit code 2.
    Usage(String),
    /// The job is wrong: one fault a line, each with its place. Exit code 2 as well.
    Job(String),
    /// QEMU is missing or refuses, or the guest cannot be built: exit code 3.
    Environment(String),
    /// The guest died, or did not end in time: exit code 4.
    Guest(String),
    /// SIGINT, SIGTERM or SIGHUP came: exit code 130.
    Interrupted(String),
}

impl Failure {
    /// The exit code.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Run(_) => 1,
            Self::Usage(_) | Self::Job(_) => 2,
            Self::Environment(_) => 3,
            Self::Guest(_) => 4,
            Self::Interrupted(_) => 130,
        }
    }

    /// What a person reads.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Run(text)
            | Self::Usage(text)
            | Self::Job(text)
            | Self::Environment(text)
            | Self::Guest(text)
            | Self::Interrupted(text) => text,
        }
    }

    /// An environment failure from an I/O error, with what was being done.
    pub fn io(what: impl fmt::Display, error: &std::io::Error) -> Self {
        Self::Environment(format!("{what}: {error}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}
