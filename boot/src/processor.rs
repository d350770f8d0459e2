//! What the kernel's page tables need of the processor.
#![expect(unsafe_code, reason = "control registers")]

use core::arch::x86_64::__cpuid;
use x86_64::registers::control::{Cr0, Cr0Flags, Efer, EferFlags};

/// Extended feature bits in EDX (AMD APM volume 3, E.4.2).
fn extended_features() -> u32 {
    if __cpuid(0x8000_0000).eax < 0x8000_0001 {
        return 0;
    }
    __cpuid(0x8000_0001).edx
}

/// Whether pages can be marked as not executable.
pub(crate) fn has_no_execute() -> bool {
    extended_features() & 1 << 20 != 0
}

/// Whether pages of 1 GiB exist.
pub(crate) fn has_gib_pages() -> bool {
    extended_features() & 1 << 26 != 0
}

/// Makes the processor honour NX bits, and read-only pages in ring 0 too.
///
/// # Safety
/// The processor must have NX ([`has_no_execute`]), and the active page tables
/// must not rely on writes to read-only pages.
pub(crate) unsafe fn enforce_page_rights() {
    let efer = Efer::read() | EferFlags::NO_EXECUTE_ENABLE;
    // SAFETY: the caller says that the bit exists; the others stay as they are.
    unsafe { Efer::write(efer) };
    let cr0 = Cr0::read() | Cr0Flags::WRITE_PROTECT;
    // SAFETY: the caller says that nobody writes to read-only pages.
    unsafe { Cr0::write(cr0) };
}
