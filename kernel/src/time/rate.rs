//! What calibration results in.

use alloc::format;
use alloc::string::String;
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

    /// What a person must know before comparing this run's times with those of
    /// another; `None` if there is nothing.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        let (spread_ppm, other) = (self.spread_ppm?, self.cross_check?);
        (spread_ppm > NOTED_SPREAD_PPM).then(|| {
            let whole = spread_ppm / 10_000;
            let thousandths = spread_ppm % 10_000 / 10;
            format!(
                "the clock is uncertain: {} and {other} differ by up to {whole}.{thousandths:03} % \
                 (a busy host, or a rate that is stated wrongly), and all times with them",
                self.source
            )
        })
    }
}

/// Spread above which the clock's rate is remarked on: a tenth of a per cent.
const NOTED_SPREAD_PPM: u32 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(cross_check: Option<Source>, spread_ppm: Option<u32>) -> Rate {
        Rate {
            ticks_per_second: 2_400_000_000,
            source: Source::VmwareLeaf,
            cross_check,
            spread_ppm,
        }
    }

    #[test]
    fn a_spread_above_a_tenth_of_a_per_cent_is_remarked_on() {
        let pit = Some(Source::Pit);
        assert_eq!(rate(pit, Some(1_000)).remark(), None);
        assert_eq!(rate(None, None).remark(), None);
        for (spread_ppm, part) in [
            (1_001, "0.100 %"),
            (12_345, "1.234 %"),
            (2_000_000, "200.000 %"),
        ] {
            let text = rate(pit, Some(spread_ppm)).remark().unwrap();
            assert!(text.contains(part), "{text}");
            assert!(text.contains("vmware-leaf and pit"), "{text}");
        }
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
