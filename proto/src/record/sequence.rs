//! The order of records: what is missing, and the account at the end.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// The account of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whole records.
    pub records: u64,
    /// Numbers that were passed over, in order of discovery.
    pub missing: Vec<RangeInclusive<u64>>,
    /// Lines that start as a record and are none.
    pub damaged: u64,
    /// Times that a number came again or went back.
    pub out_of_order: u64,
    /// Records of kinds that this version does not know, by kind.
    pub unknown_kinds: BTreeMap<String, u64>,
    /// Whole records that were held back because the log is of a newer version.
    pub refused: u64,
    /// The number of records that the last one promises before it; `None` if it is missing.
    pub promised: Option<u64>,
}

impl Summary {
    /// Whether the log is complete and undamaged.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.promised
            .is_some_and(|before| before + 1 == self.records)
            && self.missing.is_empty()
            && self.damaged == 0
            && self.out_of_order == 0
            && self.refused == 0
    }
}

/// Follows the numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    expected: u64,
}

/// How a number fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// As expected.
    Next,
    /// These are missing before it.
    Gap(RangeInclusive<u64>),
    /// It came before, or the guest started anew; this was expected.
    Back(u64),
}

impl Sequence {
    /// Takes the number of a whole record.
    pub(super) fn step(&mut self, seq: u64) -> Step {
        let expected = core::mem::replace(&mut self.expected, seq.saturating_add(1));
        match seq.checked_sub(expected) {
            Some(0) => Step::Next,
            Some(_) => Step::Gap(expected..=seq - 1),
            None => Step::Back(expected),
        }
    }
}
