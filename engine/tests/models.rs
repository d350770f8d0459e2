//! Rows that halt, on the drivers and their device models: each driver enables,
//! acknowledges and ends the interrupts of its device, and a device whose interrupts
//! fail ends the row with a message. So it is with several queues.

use drivers::block::{Controller, DiskId, InterruptMode, Options};
use drivers::fake::scsi::ScsiBus;
use drivers::fake::{FakeClock, FakeDevice, FakeHal};
use drivers::hal::Hal;
use drivers::mptsas::Mptsas;
use drivers::mptsas::fake::MptModel;
use drivers::nvme::fake::{FakeNamespace, FakeNvme, NvmeConfig};
use drivers::nvme::{Nvme, Quirks};
use drivers::pvscsi::Pvscsi;
use drivers::pvscsi::fake::PvscsiModel;
use drivers::virtio_scsi::VirtioScsi;
use drivers::virtio_scsi::fake::{VirtioModel, regions};
use engine::fake::NoCounters;
use engine::row::{
    self, Env, Extras, Failure, Kind, Lane, RingSpec, Spec, Stats, Tally, WaitFor, Workspace,
};
use engine::session::{Halt, InterruptLine, Woken};
use engine::workload::{Mix, Order, Stream};
use proto::job::Irq;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Lost,
    Storm,
}

/// The level-triggered line of a model.
struct Wired<D> {
    machine: FakeHal<D>,
    up: fn(&D) -> bool,
    fault: Fault,
    masked: bool,
}

impl<D: FakeDevice + 'static> Wired<D> {
    fn clock(&self) -> &FakeClock {
        self.machine.clock()
    }

    fn comes(&self) -> bool {
        let up = (self.up)(&self.machine.device());
        !self.masked && self.fault != Fault::Lost && (up || self.fault == Fault::Storm)
    }
}

impl<D: FakeDevice + 'static> InterruptLine for Wired<D> {
    fn offers(&self) -> &[Irq] {
        &[Irq::Intx]
    }

    fn open(&mut self, _irq: Irq, controller: &mut dyn Controller) -> Result<(), String> {
        let set = controller.set_interrupts(InterruptMode::Level);
        set.map_err(|error| error.to_string())
    }

    fn close(&mut self, controller: &mut dyn Controller) -> Result<(), String> {
        let set = controller.set_interrupts(InterruptMode::Off);
        set.map_err(|error| error.to_string())
    }

    fn is_source(&self, _source: u8) -> bool {
        false
    }
}

impl<D: FakeDevice + 'static> Halt for Wired<D> {
    fn wait(&mut self, until_ticks: u64) -> Woken {
        loop {
            if self.fault != Fault::Storm {
                self.machine.step();
            }
            if self.comes() {
                return Woken::Device;
            }
            if self.clock().peek_ticks() >= until_ticks {
                return Woken::Timer;
            }
            self.clock().advance_ticks(10_000);
        }
    }

    fn take_pending(&mut self) -> Option<Woken> {
        self.comes().then_some(Woken::Device)
    }

    fn mask(&mut self) {
        self.masked = true;
    }
}

const IOS: u64 = 200;

fn spec(queues: u16) -> Spec {
    let lane = |seed| Lane {
        stream: Stream::new(&Order::Once, 1_000, seed),
        bs_bytes: 4096,
        command_bytes: 1 << 20,
    };
    Spec {
        disk: DiskId(0),
        block_size_bytes: 512,
        region_start_bytes: 0,
        kind: Kind::Read,
        read: lane(1),
        write: lane(2),
        mix: Mix::new(100, 3),
        depth: 8,
        batch_submit: 1,
        batch_complete_min: 1,
        ramp_ticks: 0,
        runtime_ticks: u64::MAX,
        quota_ios: IOS,
        timeout_ticks: 2_000_000_000,
        wait: WaitFor::Interrupt {
            level: true,
            look_ticks: 0,
        },
        poll_interval_ticks: None,
        stages: false,
        verify: false,
        extras: Extras {
            rings: RingSpec {
                queues,
                doorbell_batch: 0,
            },
            ..Extras::default()
        },
    }
}

fn run<D: FakeDevice + 'static, C: Controller>(
    machine: &FakeHal<D>,
    controller: &mut C,
    up: fn(&D) -> bool,
    fault: Fault,
) -> (Tally, Stats) {
    let mut line = Wired {
        machine: machine.clone(),
        up,
        fault,
        masked: false,
    };
    line.open(Irq::Intx, controller).unwrap();
    // All queues that it has.
    let spec = spec(controller.limits().queues);
    let buffers = row::buffers_needed(&spec, controller.limits());
    controller.set_buffers(buffers, 4096).unwrap();
    let mut workspace = Workspace::new();
    let env = Env {
        clock: machine.clock(),
        counters: &NoCounters,
        line: &mut line,
        workspace: &mut workspace,
        recheck: &mut |_| Ok(()),
    };
    let tally = row::run(controller, env, spec);
    line.close(controller).unwrap();
    assert!(!up(&machine.device()), "closed, it is silent");
    (tally, workspace.stats)
}

/// The three fates of one controller's line.
fn fates<D: FakeDevice + 'static, C: Controller>(
    name: &str,
    make: impl Fn() -> (FakeHal<D>, C),
    up: fn(&D) -> bool,
) {
    let (machine, mut controller) = make();
    let (tally, stats) = run(&machine, &mut controller, up, Fault::None);
    assert_eq!(tally.failure, None, "{name}");
    assert_eq!(
        (tally.issued[0], stats.latency[0].count()),
        (IOS, IOS),
        "{name}"
    );
    assert_eq!((stats.waits.lost, tally.bad_completions), (0, 0), "{name}");
    assert!((1..=IOS + 1).contains(&stats.waits.device), "{name}");

    let (machine, mut controller) = make();
    let (tally, _) = run(&machine, &mut controller, up, Fault::Lost);
    let lost = Some(Failure::LostInterrupts { times: 4 });
    assert_eq!(tally.failure, lost, "{name}");

    let (machine, mut controller) = make();
    let (tally, stats) = run(&machine, &mut controller, up, Fault::Storm);
    let storm = Some(Failure::InterruptStorm { interrupts: 10_000 });
    assert_eq!(tally.failure, storm, "{name}");
    assert_eq!(stats.waits.empty, 10_000, "{name}");
    assert_eq!(controller.in_flight(), 0, "{name}");
}

#[test]
fn pvscsi() {
    use drivers::pvscsi::fake::{Completing, Fetching};
    let make = || {
        let machine =
            FakeHal::new(|memory| PvscsiModel::new(memory, ScsiBus::with_disk(16_384, 512)));
        let driver = Pvscsi::start(machine.clone(), machine.mmio(), &Options::default()).unwrap();
        machine.device().fetching = Fetching::OnStep(4);
        machine.device().completing = Completing::AfterSteps(3);
        (machine, driver)
    };
    fates("pvscsi", make, PvscsiModel::interrupts);
}

#[test]
fn mptsas() {
    use drivers::mptsas::fake::{Completing, Fetching};
    let make = || {
        let machine = FakeHal::new(|memory| MptModel::new(memory, ScsiBus::with_disk(16_384, 512)));
        let driver = Mptsas::start(machine.clone(), machine.mmio(), &Options::default()).unwrap();
        machine.device().fetching = Fetching::OnStep(4);
        machine.device().completing = Completing::AfterSteps(3);
        (machine, driver)
    };
    fates("mptsas", make, MptModel::interrupts);
}

#[test]
fn virtio_scsi() {
    for queues in [1, 2, 4] {
        virtio_scsi_with(queues);
    }
}

fn of_queues(queues: u16) -> Options {
    Options {
        queues: Some(queues),
        ..Options::default()
    }
}

fn virtio_scsi_with(queues: u16) {
    use drivers::virtio_scsi::fake::{Completing, Fetching};
    let make = || {
        let bus = ScsiBus::with_disk(16_384, 512);
        let offers = drivers::virtio_scsi::fake::Quirks {
            request_queues: 4,
            ..Default::default()
        };
        let machine = FakeHal::new(|memory| VirtioModel::with(memory, bus, offers));
        let (quirks, options) = (drivers::virtio_scsi::Quirks::default(), of_queues(queues));
        let regions = regions();
        let driver =
            VirtioScsi::start(machine.clone(), machine.mmio(), regions, quirks, &options).unwrap();
        machine.device().fetching = Fetching::OnStep(4);
        machine.device().completing = Completing::AfterSteps(3);
        (machine, driver)
    };
    fates("virtio-scsi", make, VirtioModel::line_is_up);
}

#[test]
fn nvme() {
    for queues in [1, 2, 4] {
        nvme_with(queues);
    }
}

fn nvme_with(queues: u16) {
    let make = || {
        let config = NvmeConfig {
            messages: false,
            ..NvmeConfig::default()
        };
        let disks = vec![FakeNamespace::new(1, 16_384, 9)];
        let machine = FakeHal::new(|memory| FakeNvme::new(memory, config, disks));
        let (quirks, options) = (Quirks::default(), of_queues(queues));
        let driver = Nvme::start(machine.clone(), machine.mmio(), quirks, &options);
        (machine, driver.unwrap())
    };
    fates("nvme", make, FakeNvme::line_is_up);
}
