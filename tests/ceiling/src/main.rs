//! `ioprobe-ceiling`: the bare loops as a guest of their own.
//!
//! Prints one line per depth, `ceiling KIND depth=32 ios=.. ns=.. doorbells=..`, and leaves
//! QEMU by its exit device; a line `ceiling error: ..` and another status if
//! anything goes wrong.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::string::String;
use bootloader_api::BootInfo;
use ceiling::bare::{self, Bare};
use ceiling::plan::{FW_CFG_FILE, Plan, PlanError};
use ceiling::pvscsi::Pvscsi;
use core::fmt::Debug;
use drivers::hal::{Clock, Hal};
use drivers::pvscsi::{BAR_BYTES, DEVICE_ID, VENDOR_ID};
use kernel::bring_up::Ground;
use kernel::hal::Machine;
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
    for function in &functions {
        if (function.vendor, function.device) == (VENDOR_ID, DEVICE_ID) {
            return run(start_pvscsi(machine, &config, function)?, machine, &plan);
        }
    }
    Err("no controller that has a ceiling loop".into())
}

fn start_pvscsi(
    machine: Machine,
    config: &Config,
    function: &Function,
) -> Result<Pvscsi<Machine>, String> {
    let registers = function
        .map_first_bar(BAR_BYTES as u64)
        .ok_or("no registers")?;
    function.enable(config);
    Pvscsi::start(&machine, registers).map_err(text)
}

fn run<B: Bare>(mut bare: B, machine: Machine, plan: &Plan) -> Result<(), String> {
    for &depth in plan.depths() {
        let ran = bare::run(&mut bare, machine.clock(), depth, plan.runtime_ms)
            .map_err(|error| format!("{} depth={depth}: {error:?}", B::KIND))?;
        let ns = math::ticks_to_ns(ran.ticks, machine.clock().ticks_per_second());
        println!(
            "ceiling {} depth={depth} ios={} ns={ns} doorbells={}",
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
