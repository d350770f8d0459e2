//! Decimals, without floating point, so that text and value are the same thing.

use super::load::Millionths;
use alloc::format;
use alloc::string::{String, ToString};

const DIGITS: usize = 6;

/// Reads a decimal such as `1.2` with at most six digits after its point.
pub(super) fn decimal(text: &str) -> Result<Millionths, String> {
    let refuse = || {
        format!(
            "`{text}` is not a decimal number such as 1.2, with up to {DIGITS} digits after its point"
        )
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > DIGITS {
        return Err(refuse());
    }
    let padded = format!("{fraction:0<DIGITS$}");
    let whole: u64 = whole.parse().map_err(|_| refuse())?;
    let fraction: u64 = padded.parse().map_err(|_| refuse())?;
    whole
        .checked_mul(1_000_000)
        .and_then(|whole| whole.checked_add(fraction))
        .map(Millionths)
        .ok_or_else(refuse)
}

/// The shortest text; [`decimal`] reads it back.
pub(super) fn decimal_text(value: Millionths) -> String {
    let (whole, fraction) = (value.0 / 1_000_000, value.0 % 1_000_000);
    if fraction == 0 {
        return whole.to_string();
    }
    let digits = format!("{fraction:06}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decimals_of_the_field() {
        for (text, millionths) in [
            ("0", 0),
            ("1.2", 1_200_000),
            ("0.3", 300_000),
            ("99.9999", 99_999_900),
            ("0.000001", 1),
            ("20", 20_000_000),
        ] {
            assert_eq!(decimal(text), Ok(Millionths(millionths)), "{text}");
        }
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "1e3",
            "1,2",
            "0.0000001",
            "18446744073710",
        ] {
            assert!(decimal(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn texts_read_back(value: u64) {
            prop_assert_eq!(decimal(&decimal_text(Millionths(value))), Ok(Millionths(value)));
        }
    }
}
