//! From a machine with memory and a serial line to running controllers.
//!
//! The order is one of needs: the hypervisor says where else to look, the firmware
//! tables where timer and buses are, and the job what the controllers are to be
//! set up for. The clock is compared with its reference all the while.

use crate::acpi::{self, PmTimer, Power};
use crate::adapters::{self, Driver, Started};
use crate::hal::{Machine, TscClock, cpu};
use crate::hypervisor::{self, Hypervisor};
use crate::interrupts::Platform;
use crate::memory::boot_note::BootNote;
use crate::memory::physical;
use crate::pci::{self, Config, Function, VGA_CLASS};
use crate::time::{self, Calibration, Cmos, NoReference, Rate, Rtc, math};
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use bootloader_api::info::{MemoryRegion, MemoryRegionKind};
use drivers::block::Options;
use drivers::hal::Clock;
use proto::result::GuestInfo;

/// CPUID: width of a physical address in EAX bits 0..8 (AMD APM volume 3, E.4.7).
const LEAF_ADDRESS_BITS: u32 = 0x8000_0008;
const LEAF_EXTENDED_MAX: u32 = 0x8000_0000;
/// Width where CPUID does not tell.
const DEFAULT_ADDRESS_BITS: u32 = 36;

/// A machine whose clock is being measured.
pub struct Ground {
    /// What runs underneath.
    pub hypervisor: Hypervisor,
    firmware: acpi::Tables,
    calibration: Calibration,
}

impl Ground {
    /// Reads the firmware's tables and starts to measure the clock.
    ///
    /// # Errors
    /// [`NoReference`]: nothing tells the clock's rate.
    pub fn survey(hypervisor: Hypervisor, rsdp: Option<u64>) -> Result<Self, NoReference> {
        let firmware = rsdp.and_then(acpi::discover).unwrap_or_default();
        let pm_timer: Option<PmTimer> = firmware.fadt.pm_timer;
        Ok(Self {
            calibration: Calibration::begin(&hypervisor, pm_timer)?,
            hypervisor,
            firmware,
        })
    }

    /// Finds and starts all controllers that `drivers` drive, and finishes the clock.
    #[must_use]
    pub fn start_controllers(
        self,
        drivers: &[&Driver],
        regions: &[MemoryRegion],
        options: &Options,
    ) -> Ready {
        let Self {
            hypervisor,
            firmware,
            mut calibration,
        } = self;
        let machine = Machine::new(calibration.rough_clock());
        let mut vga = None;
        let cpus = firmware.madt.cpus().max(1);
        let platform = Rc::new(Platform::new(firmware.madt, calibration.rough_clock()));
        let started = Config::new(&firmware.ecam).map(|config| {
            let config = Rc::new(config);
            let map = memory_map(regions);
            let found = pci::scan(&*config, &map, &firmware.ecam, address_bits());
            vga = found.functions.iter().find(is_vga).cloned();
            calibration.sample();
            let functions = &found.functions;
            adapters::start_all(
                drivers,
                &config,
                &platform,
                functions,
                machine,
                options,
                || {
                    calibration.sample();
                },
            )
        });
        Ready {
            hypervisor,
            started: started.unwrap_or_default(),
            vga,
            power: firmware.power,
            century: firmware.fadt.century,
            no_rtc: firmware.fadt.no_rtc,
            rate: calibration.finish(),
            cpus,
        }
    }

    /// Finishes the clock and finds PCI functions, but starts nothing: for guests
    /// that drive a controller by themselves. `None` where there is no PCI.
    #[must_use]
    pub fn functions(self, regions: &[MemoryRegion]) -> Option<(Machine, Config, Vec<Function>)> {
        let config = Config::new(&self.firmware.ecam)?;
        let map = memory_map(regions);
        let found = pci::scan(&config, &map, &self.firmware.ecam, address_bits());
        let rate = self.calibration.finish();
        let machine = Machine::new(TscClock::new(rate.ticks_per_second));
        Some((machine, config, found.functions))
    }
}

/// A machine that is ready for a session.
pub struct Ready {
    /// Controllers that run, and those that do not.
    pub started: Started,
    /// The first VGA-compatible display adapter.
    pub vga: Option<Function>,
    /// How it is switched off.
    pub power: Power,
    century: Option<u8>,
    no_rtc: bool,
    rate: Rate,
    hypervisor: Hypervisor,
    cpus: u32,
}

impl Ready {
    /// The clock for all figures.
    #[must_use]
    pub fn clock(&self) -> TscClock {
        let emulated = self.hypervisor.kind == hypervisor::Kind::Tcg;
        TscClock::new(self.rate.ticks_per_second).pausing(!emulated)
    }

    /// What tells the time of day.
    #[must_use]
    pub fn wall_clock(&self) -> Rtc<Cmos, TscClock> {
        Rtc::new(self.clock(), self.century, self.no_rtc)
    }

    /// What a person must know of the clock, if anything.
    #[must_use]
    pub fn clock_remark(&self) -> Option<String> {
        self.rate.remark()
    }

    /// What the result says of the machine. `note` is what the loader told, if it
    /// is ours, and `origin_ticks` when it started.
    #[must_use]
    pub fn guest_info(
        &self,
        note: Option<&BootNote>,
        origin_ticks: u64,
        job_source: &str,
    ) -> GuestInfo {
        let clock = self.clock();
        let timer_cost_cycles = time::timer_cost_ticks(&clock);
        let empty_loop_cycles = time::empty_loop_ticks(&clock);
        let since_entry = clock.now_ticks().wrapping_sub(origin_ticks);
        GuestInfo {
            hypervisor: self.hypervisor.name(),
            boot: note.map_or("other loader", |note| &note.entry).into(),
            job_source: job_source.into(),
            tsc_khz: self.rate.khz(),
            tsc_source: self.rate.source.name().into(),
            tsc_spread_ppm: self.rate.spread_ppm,
            tsc_cross_check: self.rate.cross_check.map(|source| source.name().into()),
            timer_cost_cycles,
            empty_loop_cycles,
            cpus: self.cpus,
            memory_mib: (physical::usable_bytes() + (1 << 19)) >> 20,
            boot_ns: math::ticks_to_ns(since_entry, self.rate.ticks_per_second),
        }
    }
}

/// Whether a function is a VGA-compatible display adapter.
fn is_vga(function: &&Function) -> bool {
    function.class[..2] == VGA_CLASS
}

/// The memory map as address assignment needs it.
fn memory_map(regions: &[MemoryRegion]) -> pci::MemoryMap {
    let mut map = pci::MemoryMap::default();
    for region in regions {
        let list = match region.kind {
            MemoryRegionKind::Usable | MemoryRegionKind::Bootloader => &mut map.ram,
            _ => &mut map.reserved,
        };
        list.push(region.start..region.end);
    }
    map
}

fn address_bits() -> u32 {
    if cpu::cpuid(LEAF_EXTENDED_MAX).eax < LEAF_ADDRESS_BITS {
        return DEFAULT_ADDRESS_BITS;
    }
    cpu::cpuid(LEAF_ADDRESS_BITS).eax & 0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_took_is_still_ram() {
        let region = |start, end, kind| MemoryRegion { start, end, kind };
        let map = memory_map(&[
            region(0, 10, MemoryRegionKind::Usable),
            region(10, 20, MemoryRegionKind::Bootloader),
            region(30, 40, MemoryRegionKind::UnknownBios(2)),
        ]);
        assert_eq!(map.ram, [0..10, 10..20]);
        assert_eq!(map.reserved.first(), Some(&(30..40)));
    }
}
