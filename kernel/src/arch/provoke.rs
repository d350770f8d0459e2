//! Faults made on purpose, to see their reports.

use core::hint::black_box;

/// An address that nothing is ever mapped at: the lowest half stays empty, and the
/// loader's pages in it lie elsewhere.
const UNMAPPED: usize = 0x7000_0000_0000;

/// Reads where nothing is mapped.
pub fn read_unmapped() {
    let nowhere = black_box(UNMAPPED) as *const u64;
    // SAFETY: not sound, and meant to be: the fault ends the run.
    black_box(unsafe { nowhere.read_volatile() });
}

/// Uses up the stack.
pub fn overflow_stack() {
    deeper(0);
}

#[inline(never)]
fn deeper(level: u64) -> u64 {
    let frame = black_box([level; 32]);
    // Never true, but only the processor knows.
    if black_box(level) == u64::MAX {
        return frame[0];
    }
    let below = deeper(frame[0] + 1);
    black_box(below + frame[31])
}
