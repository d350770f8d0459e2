//! The fake machine must itself notice what it exists to notice.

use super::{FakeClock, FakeDevice, FakeHal, FakeMemory, Violation};
use crate::hal::{BusAddr, Clock, DmaLayout, DmaRegion, Hal, Mmio};

/// One register that counts its stores and the steps.
#[derive(Default)]
struct Counter {
    stored: u32,
    steps: u32,
}

impl FakeDevice for Counter {
    fn bar_len_bytes(&self) -> usize {
        16
    }
    fn read32(&mut self, offset: usize) -> u32 {
        self.stored + offset as u32
    }
    fn write32(&mut self, _offset: usize, value: u32) {
        self.stored = self.stored.wrapping_add(value);
    }
    fn step(&mut self, _now_ticks: u64) {
        self.steps += 1;
    }
}

#[test]
fn memory_lies_above_4_gib_and_is_seen_by_both_sides() {
    let memory = FakeMemory::default();
    let region = memory.allocate(DmaLayout::pages(8192)).unwrap();
    assert!(region.bus_addr().0 > 1 << 32);
    assert_eq!(region.bus_addr().0 % 4096, 0);
    region.write_bytes(4093, &[1, 2, 3, 4, 5, 6, 7]);
    let mut seen = [0; 7];
    memory.device_read(region.bus_addr().add(4093), &mut seen);
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7]);
    memory.device_write(region.bus_addr().add(8), &[0x11, 0x22, 0x33, 0x44]);
    assert_eq!(region.load32(8), 0x4433_2211);
    assert_eq!(region.load16(10), 0x4433);
    assert_eq!(region.read_words::<2>(0), [0, 0x4433_2211]);
    region.store16(10, 0xaabb);
    assert_eq!(region.load32(8), 0xaabb_2211);
    assert!(memory.violations().is_empty());
}

#[test]
fn a_device_that_leaves_its_memory_is_recorded() {
    let memory = FakeMemory::default();
    let region = memory.allocate(DmaLayout::pages(512)).unwrap();
    let address = region.bus_addr();
    memory.device_write(address.add(510), &[0; 4]);
    drop(region);
    memory.device_read(address, &mut [0; 4]);
    memory.device_read(BusAddr(0x1000), &mut [0; 4]);
    let at = |address| Violation {
        address,
        len_bytes: 4,
    };
    assert_eq!(
        memory.violations(),
        [at(address.add(510)), at(address), at(BusAddr(0x1000))]
    );
    assert_eq!(memory.live_bytes(), 0);
}

#[test]
fn a_region_does_not_cross_its_boundary() {
    let memory = FakeMemory::starting_at(BusAddr(0x1_ffff_e000));
    let region = memory.allocate(DmaLayout::pages(3 * 4096)).unwrap();
    assert_eq!(region.bus_addr(), BusAddr(0x2_0000_0000));
}

#[test]
fn allocations_fail_when_told_to() {
    let memory = FakeMemory::default();
    memory.fail_after(Some(1));
    let layout = DmaLayout::pages(4096);
    assert!(memory.allocate(layout).is_ok());
    assert_eq!(memory.allocate(layout).err().unwrap().layout, layout);
    memory.fail_after(None);
    assert!(memory.allocate(layout).is_ok());
}

#[test]
#[should_panic(expected = "leaves a region of 16 bytes")]
fn a_driver_that_leaves_its_region_panics() {
    let memory = FakeMemory::default();
    let region = memory.allocate(DmaLayout::pages(16)).unwrap();
    region.write_bytes(12, &[0; 5]);
}

#[test]
fn registers_are_counted_and_vanish_with_the_device() {
    let hal = FakeHal::new(|_| Counter::default());
    let mmio = hal.mmio();
    hal.record_writes(true);
    mmio.write32(4, 7);
    assert_eq!(mmio.read32(8), 15);
    assert_eq!(mmio.read64(0), 11 << 32 | 7);
    assert_eq!(mmio.read32(16), u32::MAX);
    hal.unplug();
    mmio.write32(4, 1);
    assert_eq!(mmio.read64(0), u64::MAX);
    assert_eq!((mmio.counts().reads, mmio.counts().writes), (4, 2));
    assert_eq!(hal.recorded_writes().len(), 2);
    assert_eq!(hal.device().stored, 7);
}

#[test]
fn devices_work_on_when_a_loop_relaxes() {
    let hal = FakeHal::new(|_| Counter::default());
    let clock: &FakeClock = hal.clock();
    assert_eq!(clock.now_ticks(), 100);
    clock.relax();
    assert_eq!(clock.peek_ticks(), 100_100);
    assert_eq!(hal.device().steps, 1);
    clock.step_on_now(true);
    let _ = clock.now_ticks();
    assert_eq!(hal.device().steps, 2);
}
