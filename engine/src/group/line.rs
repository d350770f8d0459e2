//! The interrupts of several adapters.

use crate::session::{Halt, InterruptLine, Woken};
use alloc::vec::Vec;

/// Lines that are open, as one: an interrupt of any of them ends a wait.
pub struct GroupLine<'a> {
    lines: Vec<&'a mut dyn InterruptLine>,
    /// The line that halts for all.
    leader: usize,
}

impl<'a> GroupLine<'a> {
    /// `leader` halts for all, and must be level-triggered if any line is: it ends
    /// such interrupts, and all level-triggered lines share theirs.
    ///
    /// # Panics
    /// If there is no such line.
    #[must_use]
    pub fn new(lines: Vec<&'a mut dyn InterruptLine>, leader: usize) -> Self {
        assert!(leader < lines.len(), "a group has a line that leads");
        Self { lines, leader }
    }

    fn judge(&self, woken: Woken) -> Woken {
        match woken {
            Woken::Other(source) if self.lines.iter().any(|line| line.is_source(source)) => {
                Woken::Device
            }
            woken => woken,
        }
    }
}

impl Halt for GroupLine<'_> {
    fn wait(&mut self, until_ticks: u64) -> Woken {
        let woken = self.lines[self.leader].wait(until_ticks);
        self.judge(woken)
    }

    fn take_pending(&mut self) -> Option<Woken> {
        let woken = self.lines[self.leader].take_pending()?;
        Some(self.judge(woken))
    }

    fn mask(&mut self) {
        for line in &mut self.lines {
            line.mask();
        }
    }
}
