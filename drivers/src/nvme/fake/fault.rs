//! What the model does wrong on request.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// A false completion of an I/O command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// The completion is posted twice.
    Doubled,
    /// Another identifier is posted in its place: the true one xor this.
    Identifier(u16),
    /// Another submission queue is named.
    Queue(u16),
    /// The entry is written with the old phase tag, and no other follows.
    OldPhase,
}

/// Faults in force; all off by default.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// CSTS.RDY never follows CC.EN when that is set.
    pub never_ready: bool,
    /// CSTS.RDY stays when CC.EN is cleared.
    pub never_off: bool,
    /// CSTS.CFS is set on enable.
    pub fatal_on_enable: bool,
    /// CSTS.SHST never says complete.
    pub never_shut_down: bool,
    /// The device is pulled after this many more register loads.
    pub vanish_after: Option<u32>,
    /// This many more I/O commands are fetched and never answered.
    pub lose_commands: u32,
    /// Admin commands with these opcodes are never answered.
    pub deaf_to: Vec<u8>,
    /// Admin commands with these opcodes are refused: opcode, status field.
    pub refuse: Vec<(u8, u16)>,
    /// I/O commands with this opcode end so, unexecuted, this many times more:
    /// opcode, status field, times.
    pub fail: Vec<(u8, u16, u32)>,
    /// Reads and writes of namespace 1 that touch a block end so, unexecuted, this many times more:
    /// block, status field, times.
    pub bad_blocks: Vec<(u64, u16, u32)>,
    /// False completions, one per I/O command from now on.
    pub lies: VecDeque<Lie>,
}

impl Faults {
    /// The status field that an I/O command with this opcode is to end with.
    pub(super) fn take_failure(&mut self, opcode: u8) -> Option<u16> {
        let fault = self
            .fail
            .iter_mut()
            .find(|(wanted, _, times)| *wanted == opcode && *times > 0)?;
        fault.2 -= 1;
        Some(fault.1)
    }

    /// The status field that a read or write of these blocks is to end with.
    pub(super) fn take_bad_block(&mut self, lba: u64, blocks: u64) -> Option<u16> {
        let fault = self.bad_blocks.iter_mut().find(|(block, _, times)| {
            *times > 0 && block.checked_sub(lba).is_some_and(|at| at < blocks)
        })?;
        fault.2 -= 1;
        Some(fault.1)
    }
}
