//! The part that sizes and times share: a whole number, then a suffix.

use super::error::UnitFault;

/// Splits `text` into its number and its suffix.
///
/// Decimal, or hexadecimal after `0x`, in which case a trailing `b` is a digit.
pub(super) fn split(text: &str) -> Result<(u64, &str), UnitFault> {
    if text.is_empty() {
        return Err(UnitFault::Empty);
    }
    if text.starts_with('-') {
        return Err(UnitFault::Negative);
    }
    if text.contains(char::is_whitespace) {
        return Err(UnitFault::Space);
    }
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let end = digits
        .find(|c: char| !c.is_digit(radix))
        .unwrap_or(digits.len());
    let (number, suffix) = digits.split_at(end);
    if number.is_empty() {
        return Err(UnitFault::NoNumber);
    }
    if suffix.starts_with(['.', ',']) {
        return Err(UnitFault::Fraction);
    }
    // Only an overflow is left to go wrong: all are digits and there is at least one.
    let value = u64::from_str_radix(number, radix).map_err(|_| UnitFault::TooLarge)?;
    Ok((value, suffix))
}
