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
const MESSAGE: u16 = 30;

/// The backdoor. A value exists only where CPUID says VMware: elsewhere the port
/// belongs to nobody, or to a device that does not expect this.
#[derive(Clone, Copy, Debug)]
pub struct Backdoor {
    _proof: (),
}

/// The registers that a call takes and gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Registers {
    eax: u32,
    ebx: u32,
    ecx: u32,
    edx: u32,
    esi: u32,
    edi: u32,
}

/// One step of a conversation (command MESSAGE; open-vm-tools, lib/message).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Which step: the upper half of ECX.
    pub step: u16,
    /// Number of the channel: the upper half of EDX.
    pub channel: u16,
    /// EBX.
    pub argument: u32,
    /// ESI and EDI: what the opening of the channel gave.
    pub cookie: [u32; 2],
}

/// What a step gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageAnswer {
    /// Flags: the upper half of ECX.
    pub status: u16,
    /// The upper half of EDX: a new channel's number, or the kind of what follows.
    pub detail: u16,
    /// EBX.
    pub value: u32,
    /// ESI and EDI.
    pub cookie: [u32; 2],
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
        let answer = self.call(Registers {
            ebx: u32::MAX,
            ecx: u32::from(GET_HZ),
            edx: u32::from(PORT),
            ..Registers::default()
        });
        let hz = u64::from(answer.ebx) << 32 | u64::from(answer.eax);
        (answer.ebx != u32::MAX && hz != 0).then_some(hz)
    }

    /// One step of a conversation with the hypervisor.
    #[must_use]
    pub fn message(self, message: &Message) -> MessageAnswer {
        let [esi, edi] = message.cookie;
        let answer = self.call(Registers {
            eax: 0,
            ebx: message.argument,
            ecx: u32::from(message.step) << 16 | u32::from(MESSAGE),
            edx: u32::from(message.channel) << 16 | u32::from(PORT),
            esi,
            edi,
        });
        MessageAnswer {
            status: (answer.ecx >> 16) as u16,
            detail: (answer.edx >> 16) as u16,
            value: answer.ebx,
            cookie: [answer.esi, answer.edi],
        }
    }

    /// Calls with the magic number in EAX. Only the two commands above: others may
    /// write to memory.
    fn call(self, mut registers: Registers) -> Registers {
        super::port::count_one();
        registers.eax = MAGIC;
        let mut rbx = u64::from(registers.ebx);
        // SAFETY: on VMware, where alone a value of this type exists, both commands
        // change only the general registers, all of which are named here (RBX is
        // swapped because the compiler keeps it for itself).
        unsafe {
            asm!(
                "xchg {rbx}, rbx",
                "in eax, dx",
                "xchg {rbx}, rbx",
                rbx = inout(reg) rbx,
                inout("eax") registers.eax,
                inout("ecx") registers.ecx,
                inout("edx") registers.edx,
                inout("esi") registers.esi,
                inout("edi") registers.edi,
                options(nostack),
            );
        }
        registers.ebx = rbx as u32;
        registers
    }
}
