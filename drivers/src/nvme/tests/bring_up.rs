//! Controllers that start, and every way in which one does not.

use super::super::fake::{Faults, Found, NvmeConfig};
use super::rig::{Q, check, machine, one_disk, plain, request, rig, start};
use crate::block::{Controller, ControllerError, Health, Options, QueueId, Status};
use crate::fake::RegisterWrite;
use crate::hal::Hal;
use std::vec;

fn config() -> NvmeConfig {
    NvmeConfig::default()
}

/// The error of a start with these faults, and the milliseconds it took.
fn failing(config: NvmeConfig, faults: Faults) -> (ControllerError, u64) {
    let hal = machine(config, one_disk());
    hal.device().faults = faults;
    let error = start(&hal, &plain()).err().expect("it does not start");
    assert_eq!(hal.memory().violations(), []);
    (error, hal.clock().peek_ticks() / 1_000_000)
}

#[test]
fn a_controller_like_qemus_starts() {
    let rig = rig(config(), &Options::default());
    let limits = *rig.nvme.limits();
    assert_eq!(rig.nvme.kind(), "nvme");
    assert_eq!((limits.queues, limits.queue_entries), (1, 1024));
    assert_eq!((limits.max_in_flight, limits.max_batch), (1023, 1023));
    assert_eq!(limits.max_transfer_bytes, 512 << 10);
    assert_eq!(limits.max_targets, 256);
    assert!(!limits.doorbell_per_request && !limits.polls_by_register);
    assert_eq!(rig.nvme.info().model, "Fake NVMe Ctrl");
    assert_eq!(rig.nvme.health(), Health::Ok);
    assert!(rig.nvme.uses_shadow_doorbells());
    assert_eq!(rig.hal.device().io_queues(), (1, 1024));
    rig.check();
}

#[test]
fn queues_are_as_long_as_wanted_and_possible() {
    // MQES, wanted entries, entries.
    let cases = [
        (1, None, 2),
        (127, None, 128),
        (65_535, None, 1024),
        (65_535, Some(65_536), 4096),
        (2047, Some(64), 64),
        (2047, Some(2), 2),
        (5, Some(4), 4),
        (6, None, 7),
    ];
    for (mqes, wanted, entries) in cases {
        let config = NvmeConfig {
            max_queue_entries_0: mqes,
            ..config()
        };
        let options = Options {
            queue_entries: wanted,
            ..plain()
        };
        let mut rig = rig(config, &options);
        assert_eq!(rig.nvme.limits().queue_entries, entries, "MQES {mqes}");
        assert_eq!(rig.nvme.limits().max_in_flight, entries - 1);
        assert_eq!(rig.hal.device().io_queues(), (1, entries));
        rig.nvme.set_buffers(1, 4096).unwrap();
        // Around the ring, at full depth each time.
        for _ in 0..3 {
            rig.send(entries - 1, &request());
            assert_eq!(
                rig.nvme.submit(Q, &request()),
                Err(crate::block::SubmitError::Full)
            );
            rig.hal.step();
            let done = rig.reap();
            assert_eq!(done.len() as u32, entries - 1);
            assert!(done.iter().all(|done| done.status == Status::Ok));
        }
        rig.check();
    }
}

#[test]
fn a_queue_of_one_entry_is_refused() {
    let config = NvmeConfig {
        max_queue_entries_0: 0,
        ..config()
    };
    let (error, _) = failing(config, Faults::default());
    assert!(matches!(error, ControllerError::Refused { what, .. } if what.contains("MQES")));
}

#[test]
fn doorbells_lie_at_their_stride() {
    for (power, stride) in [(0, 4), (1, 8), (4, 64)] {
        let config = NvmeConfig {
            doorbell_stride: power,
            ..config()
        };
        let options = Options {
            queues: Some(2),
            ..plain()
        };
        let mut rig = rig(config, &options);
        rig.nvme.set_buffers(1, 4096).unwrap();
        rig.hal.record_writes(true);
        let second = QueueId(1);
        rig.nvme.submit(second, &request()).unwrap();
        rig.nvme.ring_doorbell(second);
        rig.hal.step();
        let mut out = [crate::block::Completion::EMPTY; 1];
        assert_eq!(rig.nvme.reap(second, &mut out), 1);
        let at = |index: usize| RegisterWrite {
            offset: 0x1000 + index * stride,
            value: 1,
        };
        assert_eq!(rig.hal.recorded_writes(), [at(4), at(5)]);
        rig.check();
    }
}

#[test]
fn waits_end_within_the_time_the_device_names() {
    for (units, after_ms) in [(0, 500), (1, 500), (15, 7500), (255, 127_500)] {
        let config = NvmeConfig {
            timeout_units: units,
            ..config()
        };
        let faults = Faults {
            never_ready: true,
            ..Faults::default()
        };
        let (error, took_ms) = failing(config, faults);
        let what = "controller ready";
        assert_eq!(error, ControllerError::TimedOut { what, after_ms });
        // The wait to get ready, and at the end the one to switch it off, which
        // this device does at once.
        assert!((after_ms..after_ms + 5).contains(&took_ms), "{took_ms}");
    }
}

#[test]
fn a_slow_device_is_waited_for() {
    let config = NvmeConfig {
        steps_to_ready: 40_000,
        ..config()
    };
    rig(config, &plain()).check();
}

#[test]
fn a_fatal_state_ends_the_wait_at_once() {
    let faults = Faults {
        fatal_on_enable: true,
        ..Faults::default()
    };
    let (error, took_ms) = failing(config(), faults);
    assert!(matches!(error, ControllerError::Refused { what, answer: 2 } if what.contains("CFS")));
    assert!(took_ms < 5);
}

#[test]
fn a_device_that_stays_ready_is_not_started() {
    let hal = machine(
        NvmeConfig {
            found: Found::On,
            ..config()
        },
        one_disk(),
    );
    hal.device().faults.never_off = true;
    let error = start(&hal, &plain()).err();
    let what = "controller off";
    let after_ms = 7500;
    assert_eq!(error, Some(ControllerError::TimedOut { what, after_ms }));
}

#[test]
fn a_controller_that_firmware_left_on_is_taken_over() {
    for found in [Found::On, Found::Starting(0), Found::Starting(100)] {
        let rig = rig(NvmeConfig { found, ..config() }, &plain());
        assert_eq!(rig.hal.device().resets(), 1);
        assert_eq!(rig.nvme.disks().len(), 1);
        rig.check();
    }
}

#[test]
fn one_stuck_while_starting_is_taken_over_too() {
    let found = Found::Starting(u32::MAX);
    let rig = rig(NvmeConfig { found, ..config() }, &plain());
    assert_eq!(rig.nvme.disks().len(), 1);
}

#[test]
fn an_absent_device_is_gone() {
    let hal = machine(config(), one_disk());
    hal.unplug();
    assert_eq!(start(&hal, &plain()).err(), Some(ControllerError::Gone));
}

#[test]
fn a_device_pulled_at_any_moment_of_the_start_is_gone() {
    let mut started = 0;
    for loads in 0..60 {
        let hal = machine(
            NvmeConfig {
                found: Found::Starting(3),
                steps_to_ready: 3,
                ..config()
            },
            one_disk(),
        );
        hal.device().faults.vanish_after = Some(loads);
        match start(&hal, &Options::default()) {
            Ok(_) => started += 1,
            Err(error) => assert_eq!(error, ControllerError::Gone, "after {loads} loads"),
        }
        assert_eq!(hal.memory().live_bytes(), 0, "after {loads} loads");
        assert_eq!(hal.memory().violations(), []);
    }
    assert!(
        (1..59).contains(&started),
        "the range covers both: {started}"
    );
}

#[test]
fn every_admin_command_may_be_refused_or_unanswered() {
    let required = [
        (0x05, 0x4102),
        (0x01, 0x4101),
        (0x06, 0x4002),
        (0x09, 0x4002),
    ];
    for (opcode, status) in required {
        let mut faults = Faults {
            refuse: vec![(opcode, status)],
            ..Faults::default()
        };
        let (error, _) = failing(config(), faults.clone());
        assert!(
            matches!(error, ControllerError::Refused { answer, .. } if answer == u64::from(status)),
            "{opcode:#x}: {error:?}"
        );
        faults.refuse.clear();
        faults.deaf_to = vec![opcode];
        let (error, took_ms) = failing(config(), faults);
        assert!(
            matches!(error, ControllerError::TimedOut { after_ms: 5000, .. }),
            "{opcode:#x}: {error:?}"
        );
        assert!((5000..10_100).contains(&took_ms), "{took_ms}");
    }
}

#[test]
fn events_and_shadow_doorbells_may_be_refused_without_harm() {
    let hal = machine(config(), one_disk());
    hal.device().faults.refuse = vec![(0x7c, 0x4002), (0x0c, 0x4107)];
    let nvme = start(&hal, &Options::default()).unwrap();
    assert!(!nvme.uses_shadow_doorbells());
    assert_eq!(nvme.disks().len(), 1);
    check(&hal);
}

#[test]
fn what_the_driver_cannot_serve_is_refused() {
    let large_pages = NvmeConfig {
        min_page: 1,
        ..config()
    };
    let no_commands = NvmeConfig {
        nvm_commands: false,
        ..config()
    };
    for config in [large_pages, no_commands] {
        let (error, _) = failing(config, Faults::default());
        assert!(matches!(error, ControllerError::Refused { what, .. } if what.contains("CAP")));
    }
}

#[test]
fn queues_are_as_many_as_wanted_and_granted() {
    // Granted, BAR bytes, wanted, got.
    let cases = [
        (64, 0x4000, Some(3), 3),
        (64, 0x4000, None, 1),
        (1, 0x4000, Some(4), 1),
        (2, 0x4000, Some(4), 2),
        (64, 0x1000 + 6 * 4, Some(4), 2),
    ];
    for (granted_queues, bar_len_bytes, queues, got) in cases {
        let config = NvmeConfig {
            granted_queues,
            bar_len_bytes,
            ..config()
        };
        let rig = rig(config, &Options { queues, ..plain() });
        assert_eq!(rig.nvme.limits().queues, got);
        assert_eq!(rig.hal.device().io_queues().0, usize::from(got));
        rig.check();
    }
}

#[test]
fn options_no_device_can_take_are_refused_before_it_sees_them() {
    let bad = [
        (Some(1), None, "queue_entries", 1),
        (Some(0), None, "queue_entries", 0),
        (Some(65_537), None, "queue_entries", 65_537),
        (None, Some(0), "queues", 0),
    ];
    for (queue_entries, queues, what, value) in bad {
        let hal = machine(config(), one_disk());
        let options = Options {
            queue_entries,
            queues,
            ..Options::default()
        };
        let error = start(&hal, &options).err();
        assert_eq!(error, Some(ControllerError::BadOption { what, value }));
        assert_eq!(hal.device().resets(), 0);
        assert!(!hal.device().is_enabled());
    }
}

#[test]
fn no_memory_at_any_step_leaves_the_device_off_and_nothing_behind() {
    let mut started = false;
    for left in 0..20 {
        let hal = machine(config(), one_disk());
        hal.memory().fail_after(Some(left));
        match start(&hal, &Options::default()) {
            Ok(_) => started = true,
            Err(error) => {
                assert!(matches!(error, ControllerError::Dma(_)), "{error:?}");
                assert!(!started, "{left} allocations failed where fewer sufficed");
            }
        }
        assert!(!hal.device().is_enabled());
        assert_eq!(hal.memory().live_bytes(), 0);
        check(&hal);
    }
    assert!(started);
}
