//! Shadow doorbells: fewer register writes, and never one too few.

use super::super::fake::NvmeConfig;
use super::super::{Nvme, Quirks};
use super::rig::{Q, Rig, machine, one_disk, plain, request, rig};
use crate::block::{Controller, Options};

fn shadowed(config: NvmeConfig) -> Rig {
    let mut rig = rig(config, &Options::default());
    rig.nvme.set_buffers(1, 4096).unwrap();
    assert!(rig.nvme.uses_shadow_doorbells() && rig.hal.device().uses_shadow_doorbells());
    rig
}

#[test]
fn they_are_used_when_offered_and_not_switched_off() {
    assert!(shadowed(NvmeConfig::default()).nvme.uses_shadow_doorbells());
    assert!(
        !rig(NvmeConfig::default(), &plain())
            .hal
            .device()
            .uses_shadow_doorbells()
    );
    let config = NvmeConfig {
        oacs: 0,
        ..NvmeConfig::default()
    };
    assert!(
        !rig(config, &Options::default())
            .nvme
            .uses_shadow_doorbells()
    );
}

#[test]
fn where_fences_do_not_hold_they_are_used_only_on_request() {
    let quirks = Quirks::of(0x1b36, 0x0010).with_weak_fences(true);
    for (asked, used) in [(None, false), (Some(false), false), (Some(true), true)] {
        let hal = machine(NvmeConfig::default(), one_disk());
        let options = Options {
            shadow_doorbells: asked,
            ..Options::default()
        };
        let mut nvme = Nvme::start(hal.clone(), hal.mmio(), quirks, &options).unwrap();
        assert_eq!(nvme.uses_shadow_doorbells(), used, "{asked:?}");
        // Nor may a later change of other options bring them back.
        let others = Options {
            queue_entries: Some(64),
            ..options
        };
        nvme.reconfigure(&others).unwrap();
        assert_eq!(nvme.uses_shadow_doorbells(), used, "{asked:?}");
    }
}

#[test]
fn doorbells_that_do_not_fit_the_page_stay_registers() {
    // 64 bytes apart, a page holds those of 32 queue pairs, the admin's included.
    for (queues, used) in [(31, true), (32, false)] {
        let config = NvmeConfig {
            doorbell_stride: 4,
            ..NvmeConfig::default()
        };
        let options = Options {
            queues: Some(queues),
            queue_entries: Some(4),
            ..Options::default()
        };
        let rig = rig(config, &options);
        assert_eq!(rig.nvme.limits().queues, queues);
        assert_eq!(rig.nvme.uses_shadow_doorbells(), used);
        rig.check();
    }
}

#[test]
fn an_idle_device_is_always_woken() {
    let mut rig = shadowed(NvmeConfig::default());
    let before = rig.nvme.accesses();
    for _ in 0..3000 {
        assert!(rig.run(&request()).status.is_ok());
    }
    let after = rig.nvme.accesses();
    assert_eq!(after.submit_doorbells - before.submit_doorbells, 3000);
    rig.check();
}

#[test]
fn a_device_that_was_rung_and_has_not_looked_is_not_rung_again() {
    let mut rig = shadowed(NvmeConfig::default());
    let before = rig.nvme.accesses();
    for _ in 0..3 {
        rig.send(10, &request());
    }
    let after = rig.nvme.accesses();
    assert_eq!(after.submit_doorbells - before.submit_doorbells, 1);
    rig.hal.step();
    assert_eq!(rig.reap().len(), 30);
    rig.check();
}

#[test]
fn heads_the_device_does_not_ask_for_cost_nothing() {
    for (wants_heads, written) in [(true, 40), (false, 1)] {
        let mut rig = shadowed(NvmeConfig {
            wants_heads,
            ..NvmeConfig::default()
        });
        let before = rig.nvme.accesses().completion_doorbells;
        for _ in 0..40 {
            rig.send(3, &request());
            rig.hal.step();
            assert_eq!(rig.reap().len(), 3);
        }
        let after = rig.nvme.accesses().completion_doorbells;
        assert_eq!(after - before, written);
        rig.check();
    }
}

#[test]
fn admin_commands_still_work_once_they_are_in_force() {
    let mut rig = shadowed(NvmeConfig::default());
    for _ in 0..50 {
        rig.nvme.refresh_disk(crate::block::DiskId(0)).unwrap();
    }
    rig.hal.device().hold = true;
    let tag = rig.nvme.submit(Q, &request()).unwrap();
    rig.nvme.ring_doorbell(Q);
    rig.hal.step();
    rig.nvme.abort(Q, tag).unwrap();
    rig.hal.device().complete_held(0);
    assert_eq!(rig.reap().len(), 1);
    rig.check();
}
