//! Figures as text. A figure that does not exist is blank, never 0 or NaN.

/// Text of a figure that may be missing.
pub fn blank<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map(text).unwrap_or_default()
}

/// A fraction with so many decimals; blank if it is no number.
#[must_use]
pub fn decimals(value: f64, places: usize) -> String {
    if value.is_finite() {
        format!("{value:.places$}")
    } else {
        String::new()
    }
}

/// A count or rate of at most 7 characters: with two decimals below 10, whole below
/// 100,000, then `k`, `M`, `G` (powers of 1000).
#[must_use]
pub fn count(value: f64) -> String {
    let (scale, suffix) = match value {
        _ if !value.is_finite() => return String::new(),
        // A disk may well do less than one I/O in a second.
        v if v > 0.0 && v < 9.995 => return format!("{v:.2}"),
        v if v < 99_999.5 => return format!("{v:.0}"),
        v if v < 999_950.0 => (1e3, "k"),
        v if v < 999_950_000.0 => (1e6, "M"),
        _ => (1e9, "G"),
    };
    let scaled = value / scale;
    let places = if scaled < 99.95 { 2 } else { 1 };
    format!("{scaled:.places$}{suffix}")
}

/// A time in us, from ns: three significant digits, whole from 100 us on.
#[must_use]
pub fn micros(ns: f64) -> String {
    let us = ns / 1e3;
    match us {
        _ if !us.is_finite() => String::new(),
        us if us < 9.995 => format!("{us:.2}"),
        us if us < 99.95 => format!("{us:.1}"),
        us => format!("{us:.0}"),
    }
}

/// A size in the largest binary unit that divides it: `512`, `4k`, `5m`.
#[must_use]
pub fn size(bytes: u64) -> String {
    for (shift, suffix) in [(30, "g"), (20, "m"), (10, "k")] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{suffix}", bytes >> shift);
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_short_and_exact_where_they_can_be() {
        let all = [0.0, 999.6, 99_999.0, 143_201.0, 12_345_678.0, 3.21e9];
        let texts = all.map(count);
        assert_eq!(texts, ["0", "1000", "99999", "143.2k", "12.35M", "3.21G"]);
        assert_eq!([0.066, 9.99, 9.996].map(count), ["0.07", "9.99", "10"]);
        assert_eq!(count(f64::NAN), "");
    }

    #[test]
    fn times_keep_three_digits() {
        let all = [6_944.0, 9_999.0, 40_120.0, 99_960.0, 1_234_567.0];
        assert_eq!(all.map(micros), ["6.94", "10.0", "40.1", "100", "1235"]);
        assert_eq!(micros(f64::INFINITY), "");
    }

    #[test]
    fn sizes_are_binary() {
        let all = [0, 512, 4096, 5_242_880, 1_048_577, 1 << 30];
        assert_eq!(all.map(size), ["0", "512", "4k", "5m", "1048577", "1g"]);
    }

    #[test]
    fn missing_is_blank() {
        assert_eq!(blank(None::<f64>, micros), "");
        assert_eq!(decimals(f64::NAN, 2), "");
        assert_eq!(decimals(0.0312, 3), "0.031");
    }
}
