//! The stacks that interrupts and faults run on.
//!
//! Every vector has one: compiled code of this target may keep data below the
//! stack pointer (the red zone), which an interrupt on the same stack would
//! overwrite. Each stack stands on a page that [`crate::memory`] unmaps.

use core::cell::UnsafeCell;
use x86_64::VirtAddr;

const GUARD_BYTES: usize = 4096;
const STACK_BYTES: usize = 16 * 1024;

/// A guard page, and the stack above it.
#[repr(C, align(4096))]
struct Stack(UnsafeCell<[u8; GUARD_BYTES + STACK_BYTES]>);

// SAFETY: only the processor uses the content, through the task state segment.
unsafe impl Sync for Stack {}

impl Stack {
    const fn new() -> Self {
        Self(UnsafeCell::new([0; GUARD_BYTES + STACK_BYTES]))
    }

    fn start(&self) -> VirtAddr {
        VirtAddr::from_ptr(self.0.get())
    }

    fn top(&self) -> VirtAddr {
        self.start() + (GUARD_BYTES + STACK_BYTES) as u64
    }
}

/// Uses of the interrupt stack table, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Use {
    /// All that has no stack of its own.
    Common = 0,
    /// A fault on the way to a handler.
    DoubleFault = 1,
    /// Comes at any time, even while another handler starts.
    NonMaskable = 2,
    /// The same.
    MachineCheck = 3,
}

const USES: [(Use, &str); 4] = [
    (Use::Common, "the interrupt stack"),
    (Use::DoubleFault, "the double fault stack"),
    (Use::NonMaskable, "the NMI stack"),
    (Use::MachineCheck, "the machine check stack"),
];

static STACKS: [Stack; USES.len()] = [const { Stack::new() }; USES.len()];

/// Tops of the stacks, in the order of [`Use`].
pub(super) fn tops() -> impl Iterator<Item = VirtAddr> {
    STACKS.iter().map(Stack::top)
}

/// The guard page below each stack, and its name.
pub fn interrupt_stack_guards() -> impl Iterator<Item = (u64, &'static str)> {
    STACKS
        .iter()
        .zip(USES)
        .map(|(stack, (_, what))| (stack.start().as_u64(), what))
}
