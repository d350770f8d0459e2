//! What a vector's entry leaves on its stack.

use core::fmt;

/// Registers at the moment of a fault or interrupt, lowest address first: what
/// the entry pushed, then what the processor pushed (Intel SDM volume 3, 6.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Frame {
    /// General registers.
    pub r15: u64,
    /// General register.
    pub r14: u64,
    /// General register.
    pub r13: u64,
    /// General register.
    pub r12: u64,
    /// General register.
    pub r11: u64,
    /// General register.
    pub r10: u64,
    /// General register.
    pub r9: u64,
    /// General register.
    pub r8: u64,
    /// General register.
    pub rbp: u64,
    /// General register.
    pub rdi: u64,
    /// General register.
    pub rsi: u64,
    /// General register.
    pub rdx: u64,
    /// General register.
    pub rcx: u64,
    /// General register.
    pub rbx: u64,
    /// General register.
    pub rax: u64,
    /// Number of the vector.
    pub vector: u64,
    /// Error code; 0 for vectors without one.
    pub error: u64,
    /// Instruction pointer.
    pub rip: u64,
    /// Code segment.
    pub cs: u64,
    /// Flags.
    pub rflags: u64,
    /// Stack pointer.
    pub rsp: u64,
    /// Stack segment.
    pub ss: u64,
}

const _: () = assert!(size_of::<Frame>() == 22 * 8);

/// The registers, four to a line.
impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            [
                ("rax", self.rax),
                ("rbx", self.rbx),
                ("rcx", self.rcx),
                ("rdx", self.rdx),
            ],
            [
                ("rsi", self.rsi),
                ("rdi", self.rdi),
                ("rbp", self.rbp),
                ("rsp", self.rsp),
            ],
            [
                ("r8 ", self.r8),
                ("r9 ", self.r9),
                ("r10", self.r10),
                ("r11", self.r11),
            ],
            [
                ("r12", self.r12),
                ("r13", self.r13),
                ("r14", self.r14),
                ("r15", self.r15),
            ],
        ];
        for row in rows {
            for (name, value) in row {
                write!(f, "  {name} {value:016x}")?;
            }
            writeln!(f)?;
        }
        writeln!(
            f,
            "  rip {:016x}  cs {:x}  ss {:x}  rflags {:x}",
            self.rip, self.cs, self.ss, self.rflags
        )
    }
}
