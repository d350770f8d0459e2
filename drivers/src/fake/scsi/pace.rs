//! How fast a model works.

/// When published requests are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetching {
    /// All of them inside the doorbell, as in QEMU.
    AtKick,
    /// At most so many per step once there was a doorbell.
    OnStep(usize),
}

/// When fetched requests are completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completing {
    /// As soon as they are fetched.
    AtOnce,
    /// That many steps later.
    AfterSteps(u32),
    /// When the test says so, by the model's `complete`.
    ByHand,
}
