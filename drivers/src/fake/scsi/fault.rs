//! Faults a test plants in a unit.

/// When a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultWhen {
    /// On any command.
    Any,
    /// On commands with this operation code.
    Opcode(u8),
    /// On reads and writes that touch this block.
    Block(u64),
}

/// What happens then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// This SCSI status, nothing executed: 8 busy, 0x18 conflict, 0x28 task set full.
    Status(u8),
    /// Check condition with key, code and qualifier, nothing executed.
    Check(u8, u8, u8),
    /// The same in descriptor-format sense.
    CheckDescriptor(u8, u8, u8),
    /// Executed, but only this many bytes move, and the status is good.
    Short(u64),
    /// Not executed; the transport reports this code of the controller.
    Transport(u16),
    /// Never answered.
    Lost,
}

/// A planted fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// When it strikes.
    pub when: FaultWhen,
    /// What happens.
    pub kind: FaultKind,
    /// How many more times it strikes.
    pub times: u32,
}

impl Fault {
    /// Whether it strikes a command with this code on these blocks.
    pub(super) fn strikes(&self, opcode: u8, blocks: Option<(u64, u64)>) -> bool {
        self.times > 0
            && match self.when {
                FaultWhen::Any => true,
                FaultWhen::Opcode(wanted) => wanted == opcode,
                FaultWhen::Block(wanted) => {
                    blocks.is_some_and(|(first, count)| wanted >= first && wanted - first < count)
                }
            }
    }
}
