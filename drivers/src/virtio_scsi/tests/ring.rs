//! The ring alone, where the device acts between two steps of the driver.

use super::super::ring::{Ring, Suppression};
use super::*;
use crate::hal::BusAddr;

/// Offset of the used ring's index in what the device is told of (2.7.8).
const USED_INDEX: u64 = 2;

#[test]
fn a_ring_takes_the_bytes_that_its_entries_need() {
    let machine = one_disk();
    let before = machine.memory().live_bytes();
    let ring = Ring::allocate(&machine, 1024).unwrap();
    // 4 + 2 x 1,024 + 2 for the driver's part; as much as START more than
    // 4 + 8 x 1,024 + 2 for the device's (2.7).
    assert_eq!(machine.memory().live_bytes() - before, 2_054 + 8_202);
    assert_eq!(ring.entries(), 1024);
}

#[test]
fn asking_for_an_interrupt_tells_of_what_was_used_meanwhile() {
    for (event_index, told) in [(true, true), (false, false)] {
        let machine = one_disk();
        let mut ring = Ring::allocate(&machine, 64).unwrap();
        ring.clear(0xffff, event_index, Suppression::None);
        assert!(!ring.rearm(), "nothing was used");
        let BusAddr(device) = ring.parts(BusAddr(0)).device;
        // One entry is used: the index starts over.
        machine
            .memory()
            .device_write(BusAddr(device + USED_INDEX), &[0, 0]);
        assert_eq!(
            ring.rearm(),
            told,
            "without the event index all are announced"
        );
    }
}
