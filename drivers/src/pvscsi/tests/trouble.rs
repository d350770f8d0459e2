//! Contexts that are none.

use super::bench::Qemu;
use super::*;
use crate::scsi::kit::trouble::{assert_lying, assert_recovers, three_open};

#[test]
fn an_unknown_context_is_not_believed() {
    for context in [0, 31, u64::MAX, 1 << 32 | 1 << 5] {
        let (machine, mut adapter, _) = three_open::<Qemu>();
        machine.device().post_context(context);
        assert_eq!(reap_all(&mut adapter), []);
        assert_eq!(adapter.in_flight(), 3);
        assert_lying(&mut adapter, 1);
        assert_recovers::<Qemu>(&machine, &mut adapter);
    }
}

#[test]
fn the_right_context_with_high_bits_set_is_not_believed() {
    let (machine, mut adapter, tags) = three_open::<Qemu>();
    let context = u64::from(tags[0].bits()) | 1 << 40;
    machine.device().post_context(context);
    assert_eq!(reap_all(&mut adapter), []);
    assert_lying(&mut adapter, 1);
}
