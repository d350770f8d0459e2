//! Which hypervisor this is, as CPUID says.

use crate::hal::cpu::{self, CpuidLeaf};
use alloc::string::String;

/// CPUID.1:ECX: a hypervisor is present.
const PRESENT: u32 = 1 << 31;
/// Leaf of the signature; KVM with Hyper-V features moves its own 0x100 further.
const BASE: u32 = 0x4000_0000;
const SHIFTED_BASE: u32 = 0x4000_0100;

/// The hypervisors that are treated differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// None that shows itself.
    None,
    /// QEMU's emulation.
    Tcg,
    /// KVM, with or without Hyper-V features.
    Kvm,
    /// ESXi, Workstation, Fusion.
    Vmware,
    /// Hyper-V itself.
    HyperV,
    /// Any other.
    Other,
}

/// What CPUID says of the hypervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypervisor {
    /// Which.
    pub kind: Kind,
    /// Signature at 0x40000000; zero without hypervisor.
    pub signature: [u8; 12],
    /// Base of the leaves that belong to `kind`.
    pub base: u32,
    /// Highest leaf at `base`.
    pub max_leaf: u32,
}

impl Hypervisor {
    /// Asks this processor.
    #[must_use]
    pub fn detect() -> Self {
        Self::from_cpuid(cpu::cpuid)
    }

    /// Decides from the answers of `cpuid`.
    pub fn from_cpuid(cpuid: impl Fn(u32) -> CpuidLeaf) -> Self {
        if cpuid(1).ecx & PRESENT == 0 {
            return Self {
                kind: Kind::None,
                signature: [0; 12],
                base: BASE,
                max_leaf: 0,
            };
        }
        let first = cpuid(BASE);
        let signature = signature(first);
        let here = |kind| Self {
            kind,
            signature,
            base: BASE,
            max_leaf: first.eax,
        };
        match &signature {
            b"VMwareVMware" => here(Kind::Vmware),
            b"KVMKVMKVM\0\0\0" => here(Kind::Kvm),
            b"TCGTCGTCGTCG" => here(Kind::Tcg),
            b"Microsoft Hv" => {
                let second = cpuid(SHIFTED_BASE);
                if &self::signature(second) == b"KVMKVMKVM\0\0\0" {
                    Self {
                        base: SHIFTED_BASE,
                        max_leaf: second.eax,
                        ..here(Kind::Kvm)
                    }
                } else {
                    here(Kind::HyperV)
                }
            }
            _ => here(Kind::Other),
        }
    }

    /// Name for the result: `tcg`, `kvm`, `vmware`, `hyper-v`, `none`, or the raw
    /// signature with unprintable bytes left out.
    #[must_use]
    pub fn name(&self) -> String {
        match self.kind {
            Kind::None => "none".into(),
            Kind::Tcg => "tcg".into(),
            Kind::Kvm => "kvm".into(),
            Kind::Vmware => "vmware".into(),
            Kind::HyperV => "hyper-v".into(),
            Kind::Other => self
                .signature
                .iter()
                .filter(|byte| byte.is_ascii_graphic())
                .map(|&byte| char::from(byte))
                .collect(),
        }
    }
}

fn signature(leaf: CpuidLeaf) -> [u8; 12] {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&leaf.ebx.to_le_bytes());
    bytes[4..8].copy_from_slice(&leaf.ecx.to_le_bytes());
    bytes[8..].copy_from_slice(&leaf.edx.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(eax: u32, text: &[u8; 12]) -> CpuidLeaf {
        let word =
            |at: usize| u32::from_le_bytes([text[at], text[at + 1], text[at + 2], text[at + 3]]);
        CpuidLeaf {
            eax,
            ebx: word(0),
            ecx: word(4),
            edx: word(8),
        }
    }

    fn machine(first: &'static [u8; 12], second: &'static [u8; 12]) -> Hypervisor {
        Hypervisor::from_cpuid(|number| match number {
            1 => CpuidLeaf {
                ecx: PRESENT,
                ..CpuidLeaf::default()
            },
            BASE => leaf(0x4000_0010, first),
            SHIFTED_BASE => leaf(0x4000_0101, second),
            _ => CpuidLeaf::default(),
        })
    }

    const NOTHING: &[u8; 12] = &[0; 12];

    #[test]
    fn each_signature_has_its_name() {
        for (signature, name) in [
            (b"VMwareVMware", "vmware"),
            (b"KVMKVMKVM\0\0\0", "kvm"),
            (b"TCGTCGTCGTCG", "tcg"),
            (b"Microsoft Hv", "hyper-v"),
            (b" lrpepyh  vr", "lrpepyhvr"),
        ] {
            assert_eq!(machine(signature, NOTHING).name(), name);
        }
    }

    #[test]
    fn kvm_behind_hyper_v_features_has_its_leaves_further_on() {
        let found = machine(b"Microsoft Hv", b"KVMKVMKVM\0\0\0");
        assert_eq!(
            (found.kind, found.base, found.max_leaf),
            (Kind::Kvm, SHIFTED_BASE, 0x4000_0101)
        );
    }

    #[test]
    fn without_the_present_bit_the_leaves_are_not_asked() {
        let found = Hypervisor::from_cpuid(|number| {
            assert!(number < BASE, "leaf {number:#x} asked on bare metal");
            CpuidLeaf::default()
        });
        assert_eq!(found.name(), "none");
    }
}
