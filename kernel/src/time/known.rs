//! Rates that somebody states: the hypervisor or the processor.

use super::{Source, math};
use crate::hal::backdoor::Backdoor;
use crate::hal::cpu::{self, CpuidLeaf};
use crate::hal::kvm_clock;
use crate::hypervisor::{Hypervisor, Kind};

/// VMware's timing leaf: EAX is the TSC rate in kHz.
const TIMING_LEAF: u32 = 0x4000_0010;
/// TSC and core crystal ratio (Intel SDM vol. 2, CPUID).
const CRYSTAL_LEAF: u32 = 0x15;
/// Processor frequencies: EAX is the base rate in MHz.
const FREQUENCY_LEAF: u32 = 0x16;

/// The first stated rate, in the order of how directly it says what RDTSC counts.
pub fn stated_rate(hypervisor: &Hypervisor) -> Option<(Source, u64)> {
    timing_leaf(hypervisor, cpu::cpuid)
        .or_else(|| {
            let hz = Backdoor::of(hypervisor)?.tsc_hz()?;
            Some((Source::VmwareBackdoor, hz))
        })
        .or_else(|| {
            let scale = kvm_clock::tsc_scale(hypervisor)?;
            let hz = math::kvm_ticks_per_second(scale.multiplier, scale.shift)?;
            Some((Source::KvmClock, hz))
        })
        .or_else(|| crystal(cpu::cpuid))
}

/// Leaf 0x40000010. KVM copies it where its own leaves are not moved.
fn timing_leaf(hypervisor: &Hypervisor, cpuid: impl Fn(u32) -> CpuidLeaf) -> Option<(Source, u64)> {
    let defined = matches!(hypervisor.kind, Kind::Vmware | Kind::Kvm)
        && hypervisor.base < TIMING_LEAF
        && hypervisor.max_leaf >= TIMING_LEAF;
    if !defined {
        return None;
    }
    let khz = u64::from(cpuid(TIMING_LEAF).eax);
    (khz != 0).then_some((Source::VmwareLeaf, khz * 1000))
}

/// Leaf 0x15; where it leaves the crystal's rate out, the base rate of leaf 0x16
/// is what the TSC counts.
fn crystal(cpuid: impl Fn(u32) -> CpuidLeaf) -> Option<(Source, u64)> {
    let max_leaf = cpuid(0).eax;
    if max_leaf < CRYSTAL_LEAF {
        return None;
    }
    let ratio = cpuid(CRYSTAL_LEAF);
    if ratio.eax == 0 || ratio.ebx == 0 {
        return None;
    }
    let hz = if ratio.ecx != 0 {
        u64::from(ratio.ecx) * u64::from(ratio.ebx) / u64::from(ratio.eax)
    } else if max_leaf >= FREQUENCY_LEAF {
        u64::from(cpuid(FREQUENCY_LEAF).eax & 0xffff) * 1_000_000
    } else {
        0
    };
    (hz != 0).then_some((Source::Cpuid, hz))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(kind: Kind, base: u32, max_leaf: u32) -> Hypervisor {
        Hypervisor {
            kind,
            signature: [0; 12],
            base,
            max_leaf,
        }
    }

    fn timing(_: u32) -> CpuidLeaf {
        CpuidLeaf {
            eax: 2_400_000,
            ..CpuidLeaf::default()
        }
    }

    #[test]
    fn the_timing_leaf_counts_only_where_it_is_defined() {
        let rate = Some((Source::VmwareLeaf, 2_400_000_000));
        let base = 0x4000_0000;
        assert_eq!(
            timing_leaf(&host(Kind::Vmware, base, 0x4000_0010), timing),
            rate
        );
        assert_eq!(
            timing_leaf(&host(Kind::Kvm, base, 0x4000_0010), timing),
            rate
        );
        assert_eq!(
            timing_leaf(&host(Kind::Kvm, base, 0x4000_0001), timing),
            None
        );
        let moved = host(Kind::Kvm, 0x4000_0100, 0x4000_0110);
        assert_eq!(timing_leaf(&moved, timing), None);
        assert_eq!(
            timing_leaf(&host(Kind::HyperV, base, 0x4000_0010), timing),
            None
        );
    }

    fn processor(max: u32, ratio: [u32; 3], base_mhz: u32) -> impl Fn(u32) -> CpuidLeaf {
        move |leaf| {
            let [eax, ebx, ecx] = match leaf {
                0 => [max, 0, 0],
                CRYSTAL_LEAF => ratio,
                FREQUENCY_LEAF => [base_mhz, 0, 0],
                _ => [0; 3],
            };
            CpuidLeaf {
                eax,
                ebx,
                ecx,
                edx: 0,
            }
        }
    }

    #[test]
    fn the_crystal_is_multiplied_or_the_base_rate_taken() {
        let hz = |cpuid| crystal(cpuid).map(|(_, hz)| hz);
        assert_eq!(
            hz(processor(0x16, [2, 176, 24_000_000], 0)),
            Some(2_112_000_000)
        );
        assert_eq!(hz(processor(0x16, [2, 176, 0], 2100)), Some(2_100_000_000));
        assert_eq!(hz(processor(0x15, [2, 176, 0], 2100)), None);
        assert_eq!(hz(processor(0x16, [0, 0, 0], 2100)), None);
        assert_eq!(hz(processor(0x0d, [2, 176, 24_000_000], 0)), None);
    }
}
