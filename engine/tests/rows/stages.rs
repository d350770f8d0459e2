//! The split of a latency.

use crate::bench::{clock, device, run, spec};
use engine::fake::Answer;
use engine::row::{Kind, Spec, Stages};
use engine::workload::Mix;

fn sum(stages: &Stages) -> u64 {
    stages.build + stages.batch + stages.doorbell + stages.in_flight + stages.reap
}

#[test]
fn one_io_by_hand() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 5_000);
    device.costs = [300, 200, 50];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            stages: true,
            ..spec(1)
        },
    );
    // Built in 300; rung in 200; due 4,800 later; passes take 50 and idle turns
    // 100, so the pass that finds it starts 4,800 after the doorbell's return.
    let expected = Stages {
        build: 300,
        batch: 0,
        doorbell: 200,
        in_flight: 4_800,
        reap: 50,
        clamped: 0,
    };
    assert_eq!(outcome.stats.stages, expected);
    assert_eq!(outcome.stats.latency[0].max(), Some(5_350));
}

#[test]
fn a_batch_waits_for_its_doorbell() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 5_000);
    device.costs = [300, 200, 0];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 3,
            stages: true,
            ..spec(3)
        },
    );
    // The first waits for two builds, the second for one.
    assert_eq!(outcome.stats.stages.build, 900);
    assert_eq!(outcome.stats.stages.batch, 900);
    assert_eq!(outcome.stats.stages.doorbell, 600);
}

#[test]
fn they_add_up_to_the_latency_in_every_shape() {
    for posts in [false, true] {
        for (depth, bs_bytes, command_bytes) in
            [(1, 4096, 1 << 20), (16, 4096, 1 << 20), (8, 16_384, 4096)]
        {
            let clock = clock(7);
            let mut device = device(&clock, 64, 0);
            device.limits.doorbell_per_request = posts;
            device.costs = [31, 57, 13];
            device.plan = Box::new(|number, _| Answer::ok(number * 613 % 9_000));
            let mut spec = Spec {
                kind: Kind::Mix,
                mix: Mix::new(50, 4),
                depth,
                stages: true,
                ..spec(400)
            };
            for lane in [&mut spec.read, &mut spec.write] {
                lane.bs_bytes = bs_bytes;
                lane.command_bytes = command_bytes;
            }
            let outcome = run(&mut device, &clock, spec);
            let total: f64 = outcome
                .stats
                .latency
                .iter()
                .map(|latency| latency.mean().unwrap() * latency.count() as f64)
                .sum();
            // One tick is one nanosecond here, so both sums are of whole numbers.
            assert_eq!(outcome.reads() + outcome.writes(), 400);
            assert_eq!(sum(&outcome.stats.stages), total.round() as u64);
        }
    }
}

#[test]
fn a_pass_that_began_before_the_doorbell_returned_is_clamped() {
    // A look costs nothing and so does a pass: t3 == s0 is no clamp; a doorbell
    // that steps over the pass cannot be made with one processor, but a clock
    // that steps back between the two stamps looks the same.
    let clock = clock(0);
    let mut device = device(&clock, 4, 0);
    let back = clock.clone();
    let mut once = true;
    device.plan = Box::new(move |_, _| {
        if core::mem::take(&mut once) {
            back.set(back.peek() + 10);
        }
        Answer::ok(0)
    });
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            stages: true,
            ..spec(2)
        },
    );
    assert_eq!(outcome.stats.stages.clamped, 0);
    assert_eq!(outcome.stats.stages.build, 10);
}

#[test]
fn the_doorbell_stage_of_each_holds_the_posting_of_all() {
    let clock = clock(0);
    let mut device = device(&clock, 4, 5_000);
    device.limits.doorbell_per_request = true;
    device.costs = [300, 40, 0];
    let outcome = run(
        &mut device,
        &clock,
        Spec {
            depth: 2,
            stages: true,
            ..spec(2)
        },
    );
    assert_eq!(outcome.stats.stages.build, 600);
    assert_eq!(outcome.stats.stages.batch, 300);
    assert_eq!(outcome.stats.stages.doorbell, 160);
}
