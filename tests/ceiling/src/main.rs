//! `ioprobe-ceiling`: the bare loops as a guest of their own.
//!
//! Prints one line per depth, `ceiling KIND depth=32 in_flight=32 ios=.. ns=..
//! doorbells=..`, and leaves QEMU by its exit device; a line `ceiling error: ..`
//! and another status if anything goes wrong. Where the controller takes fewer
//! commands than the depth asked for, `in_flight` says how many there were.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::string::String;
use bootloader_api::BootInfo;
use ceiling::bare::{self, Bare};
use ceiling::plan::{FW_CFG_FILE, Plan, PlanError};
use ceiling::start::StartError;
use ceiling::{lsisas, nvme, pvscsi, virtio_scsi};
use core::fmt::Debug;
use drivers::hal::{Clock, Hal};
use kernel::bring_up::Ground;
use kernel::hal::{Machine, MmioRegion};
use kernel::hypervisor::Hypervisor;
use kernel::job::FwCfg;
use kernel::pci::{Config, Function};
use kernel::time::math;
use kernel::{arch, console, exit, memory, println};
use proto::exit::GuestExit;

kernel::guest!(main);

fn main(info: &'static mut BootInfo) -> ! {
    arch::init();
    console::init();
    exit::leave(match measure(info) {
        Ok(()) => GuestExit::Pass,
        Err(why) => {
            println!("ceiling error: {why}");
            GuestExit::Failed
        }
    })
}

/// The kernel's own machine, brought up as far as one controller needs it.
fn measure(info: &BootInfo) -> Result<(), String> {
    memory::init(info).map_err(text)?;
    let hypervisor = Hypervisor::detect();
    let plan = FwCfg::detect(&hypervisor).and_then(|device| device.read_file(FW_CFG_FILE));
    let plan = String::from_utf8(plan.unwrap_or_default()).map_err(text)?;
    let plan = Plan::parse(&plan)
        .map_err(|PlanError(word)| format!("{FW_CFG_FILE}: `{word}` is not understood"))?;
    let ground = Ground::survey(hypervisor, info.rsdp_addr.as_ref().copied()).map_err(text)?;
    let (machine, config, functions) = ground
        .functions(&info.memory_regions)
        .ok_or("there is no PCI")?;
    functions
        .iter()
        .find_map(|function| run_on(function, machine, &config, &plan))
        .unwrap_or_else(|| Err("no controller that has a ceiling loop".into()))
}

/// Runs the loop of the function's controller; `None` if there is none.
fn run_on(
    function: &Function,
    machine: Machine,
    config: &Config,
    plan: &Plan,
) -> Option<Result<(), String>> {
    let place = Place {
        function,
        machine,
        config,
        plan,
    };
    Some(match (function.vendor, function.device) {
        (pvscsi::VENDOR_ID, pvscsi::DEVICE_ID) => {
            place.run(pvscsi::BAR_BYTES, pvscsi::Pvscsi::start)
        }
        (lsisas::VENDOR_ID, lsisas::DEVICE_ID) => {
            place.run(lsisas::BAR_BYTES, lsisas::Lsisas::start)
        }
        (virtio_scsi::VENDOR_ID, device) if virtio_scsi::DEVICE_IDS.contains(&device) => {
            let registers = function.map_bar(virtio_scsi::BAR);
            place.run_in(registers, virtio_scsi::VirtioScsi::start)
        }
        _ if function.class == nvme::CLASS => place.run(nvme::BAR_BYTES, nvme::Nvme::start),
        _ => return None,
    })
}

/// A controller, and what is to be run on it.
struct Place<'a> {
    function: &'a Function,
    machine: Machine,
    config: &'a Config,
    plan: &'a Plan,
}

impl Place<'_> {
    fn run<B: Bare>(
        &self,
        bar_bytes: u64,
        start: impl FnOnce(&Machine, MmioRegion) -> Result<B, StartError>,
    ) -> Result<(), String> {
        self.run_in(self.function.map_first_bar(bar_bytes), start)
    }

    fn run_in<B: Bare>(
        &self,
        registers: Option<MmioRegion>,
        start: impl FnOnce(&Machine, MmioRegion) -> Result<B, StartError>,
    ) -> Result<(), String> {
        let registers = registers.ok_or("no registers")?;
        self.function.enable(self.config);
        run(start(&self.machine, registers).map_err(text)?, self)
    }
}

fn run<B: Bare>(mut bare: B, place: &Place<'_>) -> Result<(), String> {
    let clock = place.machine.clock();
    for &depth in place.plan.depths() {
        let in_flight = depth.min(bare.max_depth());
        let ran = bare::run(&mut bare, clock, in_flight, place.plan.runtime_ms)
            .map_err(|error| format!("{} depth={depth}: {error:?}", B::KIND))?;
        let ns = math::ticks_to_ns(ran.ticks, clock.ticks_per_second());
        println!(
            "ceiling {} depth={depth} in_flight={in_flight} ios={} ns={ns} doorbells={}",
            B::KIND,
            ran.ios,
            ran.doorbells
        );
    }
    Ok(())
}

fn text(error: impl Debug) -> String {
    format!("{error:?}")
}
