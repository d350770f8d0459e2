//! Other queue sizes, and what is told after a reset and a shutdown.

use super::*;

fn entries(count: u32) -> Options {
    Options {
        queue_entries: Some(count),
        ..Options::default()
    }
}

#[test]
fn other_ring_sizes_can_be_taken_while_idle() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    for count in [16, 128, 2, 64] {
        adapter.reconfigure(&entries(count)).unwrap();
        assert_eq!(u32::from(machine.device().queue_entries(2)), count);
        let batch = adapter.limits().max_in_flight;
        assert_eq!(batch, count);
        submit_reads(&mut adapter, batch);
        adapter.ring_doorbell(Q);
        let finished = reap_all(&mut adapter);
        assert_eq!(finished.len(), batch as usize);
        assert!(
            finished.iter().all(|done| done.status.is_ok()),
            "no unit attention"
        );
    }
    let resets = machine.device().seen.resets;
    adapter.reconfigure(&entries(64)).unwrap();
    assert_eq!(machine.device().seen.resets, resets, "nothing to change");
    assert_clean(&machine);
}

#[test]
fn commands_that_were_never_shown_are_counted_too() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    submit_reads(&mut adapter, 3);
    let told = adapter.accesses().commands;
    adapter.reset().unwrap();
    assert!(adapter.accesses().commands > told);
}

#[test]
fn after_shutdown_nothing_is_told_of_disks() {
    let machine = one_disk();
    let mut adapter = ready(&machine);
    adapter.shutdown();
    assert_eq!(adapter.take_disk_change(), Ok(false));
    assert_eq!(machine.device().device_status(), 0);
}
