//! Instructions of the processor that safe code needs: TSC and CPUID.
#![expect(unsafe_code, reason = "RDTSC has no safe form in the core library")]

use core::arch::asm;

/// What CPUID answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuidLeaf {
    /// EAX.
    pub eax: u32,
    /// EBX.
    pub ebx: u32,
    /// ECX.
    pub ecx: u32,
    /// EDX.
    pub edx: u32,
}

/// CPUID of `leaf`, subleaf 0. An exit on hardware virtualisation.
#[must_use]
pub fn cpuid(leaf: u32) -> CpuidLeaf {
    let raw = core::arch::x86_64::__cpuid_count(leaf, 0);
    CpuidLeaf {
        eax: raw.eax,
        ebx: raw.ebx,
        ecx: raw.ecx,
        edx: raw.edx,
    }
}

/// The time-stamp counter, read after all earlier loads are done.
///
/// `lfence; rdtsc`, because RDTSC alone may execute before loads that precede it
/// in the program, and so stamp an I/O before the load that found its completion
/// (Intel SDM vol. 2, RDTSC). LFENCE holds it back until those loads have
/// completed; on AMD it does so where it is dispatch-serialising, which every
/// hypervisor at hand sets. Stores need no fence of their own: a doorbell is a
/// store that exits synchronously, and a stamp taken before ring memory is
/// written may be early by the few cycles that the stores wait in the buffer.
/// No LFENCE follows: later instructions that overlap the read cost the stamp
/// nothing. The block names memory as clobbered, so the compiler keeps its
/// place among the volatile accesses.
#[inline(always)]
#[must_use]
pub fn tsc_after_loads() -> u64 {
    let (low, high): (u32, u32);
    // SAFETY: LFENCE and RDTSC exist on every x86-64 processor and change nothing
    // but EAX and EDX; CR4.TSD is never set by this kernel.
    unsafe {
        asm!("lfence", "rdtsc", out("eax") low, out("edx") high, options(nostack, preserves_flags));
    }
    u64::from(high) << 32 | u64::from(low)
}
