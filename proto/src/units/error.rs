//! Why a number with a unit was refused.

use alloc::string::String;
use core::fmt;

/// What is wrong with a size or a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitFault {
    /// Nothing was given.
    Empty,
    /// It starts with a minus sign.
    Negative,
    /// It has a decimal point or comma.
    Fraction,
    /// There is white space inside.
    Space,
    /// It does not start with a digit.
    NoNumber,
    /// The letters after the number are in no table; the tables' short list is shown.
    UnknownSuffix {
        /// The suffixes that would do.
        accepted: &'static str,
    },
    /// It is beyond 64 bits.
    TooLarge,
}

/// A refusal that quotes what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// The text as it was given.
    pub text: String,
    /// `size` or `time`.
    pub what: &'static str,
    /// The fault.
    pub fault: UnitFault,
}

impl UnitError {
    pub(super) fn new(what: &'static str, text: &str, fault: UnitFault) -> Self {
        Self {
            text: String::from(text),
            what,
            fault,
        }
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, what, fault } = self;
        write!(f, "`{text}` is not a {what}: ")?;
        match fault {
            UnitFault::Empty => f.write_str("it is empty"),
            UnitFault::Negative => f.write_str("it is negative"),
            UnitFault::Fraction => {
                f.write_str("fractions are not taken; use the next smaller unit")
            }
            UnitFault::Space => f.write_str("no space may stand between number and unit"),
            UnitFault::NoNumber => f.write_str("it does not start with a digit"),
            UnitFault::UnknownSuffix { accepted } => {
                write!(f, "unknown unit; accepted are {accepted}")
            }
            UnitFault::TooLarge => f.write_str("it is larger than 64 bits can hold"),
        }
    }
}

impl core::error::Error for UnitError {}
