//! The program: wires the machine to the engine.

use crate::adapters::Driver;
use crate::bring_up::Ground;
use crate::console::{SerialLink, TeeLink, screen};
use crate::hal::TscClock;
use crate::hal::backdoor::Backdoor;
use crate::hal::counters::Counters;
use crate::hal::cpu;
use crate::hypervisor::Hypervisor;
use crate::job::{self, FwCfg, guestinfo};
use crate::memory::boot_note::BootNote;
use crate::{arch, console, exit, memory, println};
use alloc::string::ToString;
use bootloader_api::BootInfo;
use drivers::block::Options;
use engine::session::{Inject, Link, Setup};
use proto::exit::GuestExit;
use proto::job::{JobFile, presets};
use proto::record::{Hello, Note, Record};

/// The job of an image that brings none.
const BUILT_IN_JOB: &str = "quick";

/// Runs the job on all controllers that `drivers` drive, and leaves the machine.
pub fn run(info: &'static mut BootInfo, drivers: &[&Driver]) -> ! {
    let start_ticks = cpu::tsc_after_loads();
    arch::init();
    console::init();
    memory::init(info).expect("the loader maps physical memory");
    let (_, guards) = memory::guard::audit().expect("pages have the rights they shall have");
    if let Some(framebuffer) = info.framebuffer.take() {
        screen::attach_framebuffer(framebuffer);
    }
    let note = BootNote::find(&info.memory_regions);
    let origin_ticks = note.as_ref().map_or(start_ticks, |note| note.entry_tsc);
    println!(
        "ioprobe {}: {} MiB, no page writable and executable, {guards} guard pages",
        proto::VERSION,
        memory::physical::usable_bytes() >> 20,
    );

    let hypervisor = Hypervisor::detect();
    let fw_cfg = FwCfg::detect(&hypervisor);
    let inject = injected(fw_cfg.as_ref());
    let ground = match Ground::survey(hypervisor, info.rsdp_addr.into_option()) {
        Ok(ground) => ground,
        Err(error) => panic!("{error}"),
    };
    let built_in = presets::get(BUILT_IN_JOB).expect("the built-in job is a preset");
    let backdoor = Backdoor::of(&ground.hypervisor);
    let job = job::find(fw_cfg.as_ref(), backdoor, memory::ramdisk(info), built_in);
    let source = job.source.name();
    let jobs = job
        .text
        .and_then(|text| JobFile::parse(source, &text, &[]).map_err(|errors| errors.to_string()));

    let options = Options {
        ring_pages: jobs.as_ref().ok().and_then(ring_pages),
        ..Options::default()
    };
    let ready = ground.start_controllers(drivers, &info.memory_regions, &options);
    let clock = ready.clock();
    console::set_clock(&clock);
    if let Some(vga) = &ready.vga
        && !screen::is_attached()
        && note.as_ref().is_some_and(BootNote::leaves_text_mode)
    {
        screen::attach_vga_text(vga);
    }
    let row_protocol = job.source.has_host();
    let mut link = TeeLink::new(SerialLink::new(clock, row_protocol));
    link.record(&Record::Hello(Hello {
        version: proto::record::VERSION,
        tool: alloc::format!("ioprobe {}", proto::VERSION),
        job_source: source.to_string(),
        row_protocol,
    }));
    let guest = ready.guest_info(note.as_ref(), origin_ticks, source);
    link.record(&Record::Guest(guest));
    for text in ready.clock_remark().iter().chain(&job.notes) {
        link.record(&remark(text));
    }
    for failure in &ready.started.failures {
        link.record(&remark(failure));
    }
    let jobs = match jobs {
        Ok(jobs) => jobs,
        Err(text) => {
            link.record(&Record::Fatal(Note { text }));
            leave_summary(backdoor, &link);
            exit::leave(GuestExit::BadJob)
        }
    };
    exit::prepare(jobs.at_end(), ready.power);
    for text in &jobs.notes {
        link.record(&remark(text));
    }
    let mut wall = ready.wall_clock();
    let result = engine::session::run(Setup {
        clock: &clock,
        wall: &mut wall,
        link: &mut link,
        counters: &Counters,
        adapters: ready.started.adapters,
        jobs: &jobs.jobs,
        origin_ticks,
        records_sent: console::records_sent(),
        inject,
    });
    leave_summary(backdoor, &link);
    exit::leave(result)
}

/// Leaves the summary where a VMware administrator finds it. The end record was
/// sent, so what goes wrong is only shown.
fn leave_summary(backdoor: Option<Backdoor>, link: &TeeLink<TscClock>) {
    let Some(mut backdoor) = backdoor else {
        return;
    };
    if let Err(why) = guestinfo::write_summary(&mut backdoor, &link.summary().text()) {
        println!("{why}");
        screen::print(format_args!("{why}\n"));
    }
}

fn remark(text: &impl ToString) -> Record {
    Record::Note(Note {
        text: text.to_string(),
    })
}

/// The ring size that the first job with a wish asks for: controllers are set up
/// once in a run.
fn ring_pages(file: &JobFile) -> Option<u16> {
    file.jobs.iter().find_map(|job| job.ring_pages)
}

#[cfg(feature = "inject")]
fn injected(fw_cfg: Option<&FwCfg>) -> Inject {
    crate::inject::apply(fw_cfg)
}

#[cfg(not(feature = "inject"))]
const fn injected(_: Option<&FwCfg>) -> Inject {
    Inject::None
}
