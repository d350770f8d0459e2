//! The last step: onto the kernel's page tables and stack, and away.
#![expect(unsafe_code, reason = "control passes from one program to another")]

use crate::processor;
use core::arch::naked_asm;
use x86_64::instructions::segmentation::{CS, DS, ES, SS, Segment};
use x86_64::instructions::tables::lgdt;
use x86_64::structures::DescriptorTablePointer;
use x86_64::structures::gdt::SegmentSelector;
use x86_64::{PrivilegeLevel, VirtAddr};

/// Null, ring 0 code (64 bit), ring 0 data; both marked as accessed, so that the
/// processor never writes to them.
pub(crate) const GDT: [u64; 3] = [0, 0x00af_9b00_0000_ffff, 0x00cf_9300_0000_ffff];
/// Bytes of [`switch`], rounded up generously.
pub(crate) const SWITCH_BYTES: u64 = 64;

/// A loaded kernel that waits for its start.
#[derive(Debug)]
pub struct Handoff {
    /// Physical address of the top page table.
    pub(crate) root: u64,
    /// Where the [`GDT`] lies, mapped one to one.
    pub(crate) gdt: u64,
    /// The kernel's first instruction.
    pub(crate) entry: u64,
    /// First byte above its stack, a multiple of 16.
    pub(crate) stack_top: u64,
    /// Its BootInfo.
    pub(crate) boot_info: u64,
}

impl Handoff {
    /// Starts the kernel.
    ///
    /// # Safety
    /// Must run in ring 0 with interrupts off, on the processor and the one-to-one
    /// mapping that the kernel was loaded under, with all of the loader's memory
    /// painted in the memory map it was loaded with.
    pub unsafe fn enter(self) -> ! {
        // SAFETY: `load` refuses processors without NX; the loader's own pages are
        // all writable.
        unsafe { processor::enforce_page_rights() };
        let pointer = DescriptorTablePointer {
            limit: (size_of_val(&GDT) - 1) as u16,
            base: VirtAddr::new(self.gdt),
        };
        // SAFETY: `load` put the table there, mapped in both sets of page tables.
        unsafe { lgdt(&pointer) };
        // SAFETY: entry 1 is 64-bit code of ring 0.
        unsafe { CS::set_reg(SegmentSelector::new(1, PrivilegeLevel::Ring0)) };
        let data = SegmentSelector::new(2, PrivilegeLevel::Ring0);
        // SAFETY: entry 2 is flat data of ring 0.
        unsafe { SS::set_reg(data) };
        // SAFETY: as above.
        unsafe { DS::set_reg(data) };
        // SAFETY: as above.
        unsafe { ES::set_reg(data) };
        // SAFETY: `load` mapped `switch` one to one, the stack and the kernel.
        unsafe { switch(self.root, self.stack_top, self.entry, self.boot_info) }
    }
}

/// Address of the code that runs on both sets of page tables.
pub(crate) fn switch_address() -> u64 {
    switch as *const () as u64
}

/// The kernel finds the stack as after a call from an outermost frame.
#[unsafe(naked)]
unsafe extern "sysv64" fn switch(root: u64, stack_top: u64, entry: u64, boot_info: u64) -> ! {
    naked_asm!(
        "mov cr3, rdi",
        "mov rsp, rsi",
        "xor ebp, ebp",
        "push rbp",
        "mov rdi, rcx",
        "jmp rdx",
    )
}
