//! A row as guest and host saw it.

use super::host::HostRun;
use proto::result::Run;
use std::ops::{Deref, DerefMut};

/// Both parts. It can be used as the guest's part.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The guest's part, with all checks.
    pub run: Run,
    /// The host's part; `None` where there was no host.
    pub host: Option<HostRun>,
}

impl Deref for Row {
    type Target = Run;

    fn deref(&self) -> &Run {
        &self.run
    }
}

impl DerefMut for Row {
    fn deref_mut(&mut self) -> &mut Run {
        &mut self.run
    }
}
