//! Numbers that JSON can hold. JSON has no NaN and no infinity, so neither may leave
//! this crate: every floating-point field is written through here.

use serde::{Serialize, Serializer};

/// `value`, or 0 where it is NaN or infinite.
#[must_use]
pub fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// `numerator / denominator`, or 0 where there is nothing to divide by.
#[must_use]
pub fn ratio(numerator: f64, denominator: f64) -> f64 {
    finite(numerator / denominator)
}

pub(super) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    finite(*value).serialize(to)
}

/// For `Option<f64>`: what is not finite is absent.
pub(super) fn serialize_option<S: Serializer>(
    value: &Option<f64>,
    to: S,
) -> Result<S::Ok, S::Error> {
    value.filter(|value| value.is_finite()).serialize(to)
}
