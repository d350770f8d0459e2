//! The registers of this processor's local APIC (Intel SDM volume 3, chapter 11).
//!
//! In memory, or as model-specific registers where firmware has switched that on
//! (x2APIC), which cannot be switched off again but by a reset.
#![expect(
    unsafe_code,
    reason = "registers behind a raw pointer, and model-specific registers"
)]

use super::cpu;
use super::volatile;
use crate::memory::mmio;
use core::ptr::NonNull;
use spin::Once;
use x86_64::registers::model_specific::Msr;

/// IA32_APIC_BASE: bit 10 x2APIC, bit 11 on, base from bit 12 (11.4.4).
const APIC_BASE: u32 = 0x1b;
const X2APIC_ON: u64 = 1 << 10;
const APIC_ON: u64 = 1 << 11;
const BASE_MASK: u64 = 0x000f_ffff_ffff_f000;
/// First register as a model-specific one (11.12.1.2).
const FIRST_MSR: u32 = 0x800;
/// IA32_TSC_DEADLINE (11.5.4.1).
const TSC_DEADLINE: u32 = 0x6e0;
/// CPUID 1: EDX bit 9, there is a local APIC; ECX bit 24, it knows deadlines.
const HAS_APIC: u32 = 1 << 9;
const HAS_DEADLINE: u32 = 1 << 24;
const REGISTER_BYTES: usize = 4096;

/// Register offsets (table 11-1).
pub mod register {
    /// Id: bits 24..32 in memory, all of it as a model-specific register.
    pub const ID: usize = 0x20;
    /// Task priority.
    pub const TASK_PRIORITY: usize = 0x80;
    /// End of interrupt.
    pub const EOI: usize = 0xb0;
    /// Spurious vector; bit 8 switches the APIC on.
    pub const SPURIOUS: usize = 0xf0;
    /// Interrupts in service, 32 vectors in every 16 bytes.
    pub const IN_SERVICE: usize = 0x100;
    /// Timer: vector, bit 16 masked, bits 17..19 mode.
    pub const TIMER: usize = 0x320;
    /// Pin LINT0, where a PIC is wired to.
    pub const LINT0: usize = 0x350;
    /// Timer: count to start from.
    pub const INITIAL_COUNT: usize = 0x380;
    /// Timer: count left.
    pub const CURRENT_COUNT: usize = 0x390;
    /// Timer: divider.
    pub const DIVIDE: usize = 0x3e0;
}

#[derive(Debug)]
enum Registers {
    Memory(NonNull<u8>),
    Model,
}

/// The local APIC of the one processor that runs this program.
#[derive(Debug)]
pub struct LocalApic(Registers);

// SAFETY: registers of the processor that makes the access; no memory of the program.
unsafe impl Send for LocalApic {}
// SAFETY: as above; every access is one volatile access.
unsafe impl Sync for LocalApic {}

static APIC: Once<Option<LocalApic>> = Once::new();

/// This processor's local APIC, switched on; `None` where there is none. `start`
/// must have been called.
#[inline]
#[must_use]
pub fn get() -> Option<&'static LocalApic> {
    APIC.get()?.as_ref()
}

/// Finds it, and switches it on.
pub fn start() -> Option<&'static LocalApic> {
    APIC.call_once(LocalApic::find).as_ref()
}

impl LocalApic {
    fn find() -> Option<Self> {
        if cpu::cpuid(1).edx & HAS_APIC == 0 {
            return None;
        }
        let mut base = Msr::new(APIC_BASE);
        // SAFETY: there is a local APIC, so there is this register.
        let value = unsafe { base.read() };
        if value & X2APIC_ON != 0 {
            return Some(Self(Registers::Model));
        }
        if value & APIC_ON == 0 {
            // SAFETY: switching it on at the base that it has.
            unsafe { base.write(value | APIC_ON) };
        }
        let at = mmio::map(value & BASE_MASK, REGISTER_BYTES)?;
        Some(Self(Registers::Memory(at)))
    }

    /// Reads a register.
    #[must_use]
    pub fn read(&self, register: usize) -> u32 {
        match self.0 {
            // SAFETY: a register of the page that `find` mapped for good.
            Registers::Memory(base) => unsafe { volatile::load32(base, register) },
            // SAFETY: the registers of `register` exist in this mode.
            Registers::Model => unsafe { msr(register).read() as u32 },
        }
    }

    /// Writes a register. What interrupts may be raised by that has a handler:
    /// every vector from 32 on is taken.
    #[inline]
    pub fn write(&self, register: usize, value: u32) {
        match self.0 {
            // SAFETY: a register of the page that `find` mapped for good.
            Registers::Memory(base) => unsafe { volatile::store32(base, register, value) },
            // SAFETY: the registers of `register` exist in this mode, and callers
            // set no reserved bits.
            Registers::Model => unsafe { msr(register).write(value.into()) },
        }
    }

    /// The id by which messages reach this processor; `None` if it is too large for
    /// the 8 bits that they have.
    #[must_use]
    pub fn id(&self) -> Option<u8> {
        let id = self.read(register::ID);
        match self.0 {
            Registers::Memory(_) => Some((id >> 24) as u8),
            Registers::Model => u8::try_from(id).ok().filter(|id| *id != u8::MAX),
        }
    }

    /// Whether the timer can wait for a value of the time-stamp counter.
    #[must_use]
    pub fn knows_deadlines(&self) -> bool {
        cpu::cpuid(1).ecx & HAS_DEADLINE != 0
    }

    /// Sets the value to wait for; 0 for none. To be called where the timer is in
    /// that mode.
    pub fn set_deadline(&self, ticks: u64) {
        let mut deadline = Msr::new(TSC_DEADLINE);
        // SAFETY: `knows_deadlines`, or the mode could not have been set.
        unsafe { deadline.write(ticks) };
    }

    /// Keeps the write of the timer's mode, which goes to memory, before that of a
    /// deadline, which does not (11.5.4.1).
    pub fn settle(&self) {
        // SAFETY: a fence.
        unsafe { core::arch::x86_64::_mm_mfence() };
    }
}

const fn msr(register: usize) -> Msr {
    Msr::new(FIRST_MSR + (register >> 4) as u32)
}
