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
    /// Beside a processor whose full fences may not hold.
    #[must_use]
    pub const fn with_weak_fences(weak: bool) -> Self {
        Self {
            fences_do_not_hold: weak,
        }
    }
}
