//! What a row's loop can leave out.

/// Directions and extras that a loop is compiled for.
pub(super) trait Policy {
    /// It issues reads.
    const READS: bool;
    /// It issues writes.
    const WRITES: bool;
    /// It takes the stamps of the stages.
    const STAGES: bool;
    /// It splits I/Os and compares data, as the row says.
    const GENERAL: bool;
}

/// Reads only.
pub(super) struct Reads;
/// Writes only.
pub(super) struct Writes;
/// Reads and writes. The mix of a row of one kind never yields the other, so it does
/// for these too where the loop halts, which costs far more than a look at the mix.
pub(super) struct Mixed;
/// Any direction, with stages.
pub(super) struct Staged;
/// Everything.
pub(super) struct General;

/// How a loop waits.
pub(super) trait Waiting {
    /// Whether it halts until an interrupt; `None` to ask the row each time.
    const HALTS: Option<bool>;
}

/// It looks again and again.
pub(super) struct Looks;
/// It halts.
pub(super) struct Halts;
/// Either, as the row says: for loops that are large and have other things to ask.
pub(super) struct AsTheRowSays;

impl Waiting for Looks {
    const HALTS: Option<bool> = Some(false);
}

impl Waiting for Halts {
    const HALTS: Option<bool> = Some(true);
}

impl Waiting for AsTheRowSays {
    const HALTS: Option<bool> = None;
}

macro_rules! policy {
    ($name:ident: $reads:literal, $writes:literal, $stages:literal, $general:literal) => {
        impl Policy for $name {
            const READS: bool = $reads;
            const WRITES: bool = $writes;
            const STAGES: bool = $stages;
            const GENERAL: bool = $general;
        }
    };
}

policy!(Reads: true, false, false, false);
policy!(Writes: false, true, false, false);
policy!(Mixed: true, true, false, false);
policy!(Staged: true, true, true, false);
policy!(General: true, true, true, true);
