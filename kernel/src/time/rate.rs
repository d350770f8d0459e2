//! What calibration results in.

use core::fmt;

/// Where a rate came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// CPUID leaf 0x40000010, as VMware defined it and KVM copies it.
    VmwareLeaf,
    /// VMware's backdoor, command GETHZ.
    VmwareBackdoor,
    /// KVM's clock structure.
    KvmClock,
    /// CPUID leaves 0x15 and 0x16.
    Cpuid,
    /// Compared with the ACPI PM timer.
    PmTimer,
    /// Compared with channel 2 of the PIT.
    Pit,
}

impl Source {
    /// Name in the result.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::VmwareLeaf => "vmware-leaf",
            Self::VmwareBackdoor => "vmware-backdoor",
            Self::KvmClock => "kvm-clock",
            Self::Cpuid => "cpuid",
            Self::PmTimer => "acpi-pm-timer",
            Self::Pit => "pit",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The rate of the TSC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Ticks per second.
    pub ticks_per_second: u64,
    /// Where that came from.
    pub source: Source,
    /// The second source it was compared with.
    pub cross_check: Option<Source>,
    /// Largest deviation from `ticks_per_second` that any window of the comparison
    /// showed, in parts per million, rounded up; `None` without a second source.
    pub spread_ppm: Option<u32>,
}

impl Rate {
    /// The rate in kHz, rounded.
    #[must_use]
    pub const fn khz(&self) -> u64 {
        (self.ticks_per_second + 500) / 1000
    }
}

/// Nothing tells the rate: no hypervisor or CPUID leaf, no PM timer, no PIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoReference;

impl fmt::Display for NoReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "no clock: neither CPUID nor the hypervisor tells the TSC's rate, and neither an \
             ACPI PM timer nor a PIT counts; add one of them to the virtual machine",
        )
    }
}
