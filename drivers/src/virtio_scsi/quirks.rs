//! What differs from the specification around the device.

/// Deviations of the machine that the device is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// The processor's full fence does not keep a store before a later load as
    /// the device's threads see them, so a wake-up that depends on it can be lost:
    /// doorbells and interrupts are left out only if the job asks for that.
    pub fences_do_not_hold: bool,
}

impl Quirks {
    /// Beside a processor whose full fences may not hold, such as QEMU's translator:
    /// NVMe's shadow doorbells, which rest on the same order of a store and a later
    /// load, lost wake-ups there.
    ///
    /// Here none was seen. With event indices, under QEMU 7.2.22, none of 108 rows of
    /// 2 s hung on a machine with one processor and none of 48 with two, at depths of
    /// 1 to 128, with doorbells for single requests too. Nothing was saved either:
    /// each of these batches rang its doorbell, because the device had gone to sleep
    /// before it. So they stay off there: what they risk is for nothing.
    #[must_use]
    pub const fn with_weak_fences(weak: bool) -> Self {
        Self {
            fences_do_not_hold: weak,
        }
    }
}
