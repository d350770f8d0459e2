//! KVM's clock structure (Linux Documentation/virt/kvm/x86/msr.rst).
#![expect(unsafe_code, reason = "an MSR tells KVM which memory it may write to")]

use super::{DmaMemory, cpu};
use crate::hypervisor::{Hypervisor, Kind};
use drivers::hal::{DmaLayout, DmaRegion};
use x86_64::registers::model_specific::Msr;

/// MSR_KVM_SYSTEM_TIME_NEW: address of the structure, bit 0 enables.
const MSR_SYSTEM_TIME: u32 = 0x4b56_4d01;
/// KVM_FEATURE_CLOCKSOURCE2 in EAX of the feature leaf.
const FEATURE_CLOCKSOURCE2: u32 = 1 << 3;

/// How KVM converts TSC ticks into nanoseconds: shift the ticks, multiply, and
/// take the upper 32 bits of the product's lower 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TscScale {
    /// `tsc_to_system_mul`, not 0.
    pub multiplier: u32,
    /// `tsc_shift`: to the left when positive.
    pub shift: i8,
}

/// Asks KVM for its scale; `None` where this is not KVM, or it offers no clock.
/// The clock is switched off again, so KVM writes nowhere afterwards.
#[must_use]
pub fn tsc_scale(hypervisor: &Hypervisor) -> Option<TscScale> {
    if hypervisor.kind != Kind::Kvm {
        return None;
    }
    let features = cpu::cpuid(hypervisor.base + 1).eax;
    if features & FEATURE_CLOCKSOURCE2 == 0 {
        return None;
    }
    let page = DmaMemory::allocate(DmaLayout::pages(4096)).ok()?;
    let mut msr = Msr::new(MSR_SYSTEM_TIME);
    // SAFETY: the feature bit says that the MSR exists; KVM writes 32 bytes into
    // the page, which is not freed before the next write.
    unsafe { msr.write(page.bus_addr().0 | 1) };
    let version = page.load32(0);
    let [_, _, _, scale] = page.read_words::<4>(0);
    // SAFETY: zero tells KVM to stop.
    unsafe { msr.write(0) };
    let multiplier = scale as u32;
    let filled = version != 0 && version.is_multiple_of(2) && multiplier != 0;
    filled.then_some(TscScale {
        multiplier,
        shift: (scale >> 32) as i8,
    })
}
