//! VMware's backdoor port (open-vm-tools, lib/include/backdoor_def.h).
#![expect(
    unsafe_code,
    reason = "the backdoor is an IN that changes six registers"
)]

use crate::hypervisor::{Hypervisor, Kind};
use core::arch::asm;

const MAGIC: u32 = 0x564d_5868;
const PORT: u16 = 0x5658;
const GET_HZ: u16 = 45;

/// The backdoor. A value exists only where CPUID says VMware: elsewhere the port
/// belongs to nobody, or to a device that does not expect this.
#[derive(Clone, Copy, Debug)]
pub struct Backdoor {
    _proof: (),
}

/// Registers after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Answer {
    eax: u32,
    ebx: u32,
}

impl Backdoor {
    /// The backdoor, if this is VMware.
    #[must_use]
    pub fn of(hypervisor: &Hypervisor) -> Option<Self> {
        (hypervisor.kind == Kind::Vmware).then_some(Self { _proof: () })
    }

    /// Virtual TSC ticks per second (command GETHZ); `None` where the host does
    /// not know the command.
    #[must_use]
    pub fn tsc_hz(self) -> Option<u64> {
        let answer = self.call(GET_HZ, u32::MAX);
        let hz = u64::from(answer.ebx) << 32 | u64::from(answer.eax);
        (answer.ebx != u32::MAX && hz != 0).then_some(hz)
    }

    fn call(self, command: u16, argument: u32) -> Answer {
        super::port::count_one();
        let (mut eax, mut ebx) = (MAGIC, u64::from(argument));
        // SAFETY: on VMware, where alone a value of this type exists, the command
        // changes only the general registers, all of which are named here (RBX is
        // swapped because the compiler keeps it for itself).
        unsafe {
            asm!(
                "xchg {argument}, rbx",
                "in eax, dx",
                "xchg {argument}, rbx",
                argument = inout(reg) ebx,
                inout("eax") eax,
                inout("ecx") u32::from(command) => _,
                inout("edx") u32::from(PORT) => _,
                out("esi") _,
                out("edi") _,
                options(nostack),
            );
        }
        Answer {
            eax,
            ebx: ebx as u32,
        }
    }
}
