//! The device's side of a split virtqueue.

use super::VirtioModel;
use crate::fake::FakeMemory;
use crate::hal::BusAddr;
use alloc::vec::Vec;

/// One queue as the registers describe it.
pub(super) struct ModelRing {
    pub(super) entries: u16,
    pub(super) vector: u16,
    pub(super) enabled: bool,
    /// A doorbell asks to look at it.
    pub(super) kicked: bool,
    /// Descriptors, driver area, device area.
    addresses: [u64; 3],
    /// Next available entry, next used one.
    pub(super) next: u16,
    pub(super) used: u16,
}

/// One buffer of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) address: BusAddr,
    pub(super) len_bytes: usize,
    /// The device writes it.
    pub(super) writes: bool,
}

/// A chain that was made available.
pub(super) struct Chain {
    pub(super) head: u32,
    pub(super) segments: Vec<Segment>,
    pub(super) indirect: bool,
}

impl ModelRing {
    pub(super) fn new(entries: u16) -> Self {
        Self {
            entries,
            vector: 0xffff,
            enabled: false,
            kicked: false,
            addresses: [0; 3],
            next: 0,
            used: 0,
        }
    }

    pub(super) fn set_address(&mut self, which: usize, half: usize, value: u32) {
        let shift = 32 * half;
        let kept = self.addresses[which] & !(0xffff_ffff << shift);
        self.addresses[which] = kept | u64::from(value) << shift;
    }

    pub(super) fn enable(&mut self, memory: &FakeMemory, from_memory: bool) {
        self.enabled = true;
        if from_memory {
            self.next = self.load16(memory, 1, 2);
            self.used = self.load16(memory, 2, 2);
            // Memory that is all zero asks to be told of the first entry.
            self.want_kicks(memory, true, true);
        }
        if self.available(memory) != self.next {
            // A ring must start empty.
            self.enabled = false;
        }
    }

    fn at(&self, which: usize, offset: usize) -> BusAddr {
        BusAddr(self.addresses[which]).add(offset as u64)
    }

    fn load16(&self, memory: &FakeMemory, which: usize, offset: usize) -> u16 {
        let mut bytes = [0; 2];
        memory.device_read(self.at(which, offset), &mut bytes);
        u16::from_le_bytes(bytes)
    }

    fn store16(&self, memory: &FakeMemory, which: usize, offset: usize, value: u16) {
        memory.device_write(self.at(which, offset), &value.to_le_bytes());
    }

    pub(super) fn available(&self, memory: &FakeMemory) -> u16 {
        self.load16(memory, 1, 2)
    }

    /// Tells when a doorbell is wanted: at the entry `next`, or by the flag.
    pub(super) fn want_kicks(&self, memory: &FakeMemory, event_index: bool, wanted: bool) {
        if event_index {
            // What is not wanted lies behind, as far as can be.
            let event = self.next.wrapping_sub(u16::from(!wanted));
            let at = 4 + 8 * usize::from(self.entries);
            self.store16(memory, 2, at, event);
        } else {
            self.store16(memory, 2, 0, u16::from(!wanted));
        }
    }

    /// The next chain, if there is one; `Err` for one that breaks the rules.
    pub(super) fn fetch(&mut self, memory: &FakeMemory) -> Option<Result<Chain, ()>> {
        let ahead = self.available(memory).wrapping_sub(self.next);
        if ahead == 0 {
            return None;
        }
        let slot = usize::from(self.next % self.entries);
        let head = self.load16(memory, 1, 4 + 2 * slot);
        self.next = self.next.wrapping_add(1);
        let overflow = ahead > self.entries || head >= self.entries;
        Some(if overflow {
            Err(())
        } else {
            self.chain(memory, head).ok_or(())
        })
    }

    fn chain(&self, memory: &FakeMemory, head: u16) -> Option<Chain> {
        let ring = self.at(0, 0);
        let first = read_descriptor(memory, ring, head);
        let (table, count, start, indirect) = if first.flags & 4 != 0 {
            // An indirect table is alone in its chain.
            if first.flags & 3 != 0 || !first.len.is_multiple_of(16) || first.len == 0 {
                return None;
            }
            (BusAddr(first.address), first.len / 16, 0, true)
        } else {
            (ring, u32::from(self.entries), head, false)
        };
        let mut segments: Vec<Segment> = Vec::new();
        let mut at = start;
        loop {
            if u32::from(at) >= count || segments.len() as u32 >= count {
                return None;
            }
            let descriptor = read_descriptor(memory, table, at);
            let writes = descriptor.flags & 2 != 0;
            let goes_back = !writes && segments.last().is_some_and(|last| last.writes);
            if descriptor.flags & 4 != 0 || descriptor.len == 0 || goes_back {
                return None;
            }
            segments.push(Segment {
                address: BusAddr(descriptor.address),
                len_bytes: descriptor.len as usize,
                writes,
            });
            if descriptor.flags & 1 == 0 {
                break;
            }
            at = descriptor.next;
        }
        Some(Chain {
            head: u32::from(head),
            segments,
            indirect,
        })
    }
}

struct Descriptor {
    address: u64,
    len: u32,
    flags: u16,
    next: u16,
}

fn read_descriptor(memory: &FakeMemory, table: BusAddr, number: u16) -> Descriptor {
    let mut bytes = [0; 16];
    memory.device_read(table.add(16 * u64::from(number)), &mut bytes);
    let field = |at: usize, len: usize| {
        bytes[at..at + len]
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    Descriptor {
        address: field(0, 8),
        len: field(8, 4) as u32,
        flags: field(12, 2) as u16,
        next: field(14, 2) as u16,
    }
}

impl VirtioModel {
    /// Puts an entry into the used ring and moves the index on, with an interrupt
    /// where one is wanted.
    pub(super) fn put_used(&mut self, queue: usize, head: u32, len_bytes: u32) {
        let event_index = self.agreed(29);
        let ring = &mut self.rings[queue];
        let slot = usize::from(ring.used % ring.entries);
        let entry = u64::from(head) | u64::from(len_bytes) << 32;
        let at = ring.at(2, 4 + 8 * slot);
        self.memory.device_write(at, &entry.to_le_bytes());
        self.last_used = (queue, head);
        ring.used = ring.used.wrapping_add(1);
        let new = ring.used;
        ring.store16(&self.memory, 2, 2, new);
        let wanted = if event_index {
            let event = ring.load16(&self.memory, 1, 4 + 2 * usize::from(ring.entries));
            event == new.wrapping_sub(1)
        } else {
            ring.load16(&self.memory, 1, 0) & 1 == 0
        };
        if wanted {
            self.raised |= 1;
            self.seen.interrupts += 1;
        }
    }

    /// Moves a used index on over nothing.
    pub(super) fn skip_used(&mut self, queue: usize, count: u16) {
        let ring = &mut self.rings[queue];
        ring.used = ring.used.wrapping_add(count);
        ring.store16(&self.memory, 2, 2, ring.used);
    }
}
