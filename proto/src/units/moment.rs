//! Moments of the wall clock: RFC 3339 with its offset, or seconds since 1970.

use alloc::format;
use alloc::string::{String, ToString};

const SECOND_NS: u64 = 1_000_000_000;
const DAY_S: i64 = 86_400;
/// 2000-01-01T00:00:00Z, before every machine that this runs on.
const YEAR_2000_S: u64 = 946_684_800;
const EXAMPLES: &str = "allowed are 2026-12-01T10:00:00Z, 2026-12-01T11:00:00.5+01:00 (RFC 3339) \
                        and seconds since 1970, such as 1796119200";

/// A day and a time of it in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateTime {
    /// Year of the common era.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59; a leap second has no place in seconds since 1970.
    pub second: u8,
}

impl DateTime {
    /// Seconds since 1970-01-01T00:00:00Z; `None` where there is no such day or time, or
    /// it is before 1970.
    #[must_use]
    pub fn unix_seconds(&self) -> Option<u64> {
        let time = self.hour < 24 && self.minute < 60 && self.second < 60;
        let day = (1..=12).contains(&self.month)
            && (1..=days_in(self.year, self.month)).contains(&self.day);
        if !time || !day {
            return None;
        }
        let days = days_since_1970(self.year.into(), self.month.into(), self.day.into());
        let seconds = (i64::from(self.hour) * 60 + i64::from(self.minute)) * 60;
        u64::try_from(days * DAY_S + seconds + i64::from(self.second)).ok()
    }

    /// The reverse, up to the year 65535.
    #[must_use]
    pub const fn of_unix_seconds(seconds: u64) -> Self {
        let (days, second) = (seconds / DAY_S as u64, seconds % DAY_S as u64);
        let (year, month, day) = civil(days as i64);
        Self {
            year: year as u16,
            month: month as u8,
            day: day as u8,
            hour: (second / 3600) as u8,
            minute: (second / 60 % 60) as u8,
            second: (second % 60) as u8,
        }
    }
}

const fn days_in(year: u16, month: u8) -> u8 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar, by counting years from March
/// in cycles of 400 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (cycle, of_cycle) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_cycle = of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + day_of_year;
    cycle * 146_097 + day_of_cycle - 719_468
}

/// The reverse: year, month, day.
const fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (cycle, of_cycle) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_cycle - of_cycle / 1_460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let day_of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = cycle * 400 + year;
    (if month <= 2 { year + 1 } else { year }, month, day)
}

/// Reads a moment, in ns since 1970-01-01T00:00:00Z.
///
/// # Errors
/// What is wrong with the text, and what would do.
pub fn moment_ns(text: &str) -> Result<u64, String> {
    let ns = match text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        true => seconds(text).ok_or_else(|| String::from(EXAMPLES))?,
        false => rfc3339(text)?,
    };
    if ns / SECOND_NS < YEAR_2000_S {
        return Err(format!(
            "that is {}, and no machine's clock is so early; for a delay there is `startdelay`",
            moment_text(ns)
        ));
    }
    Ok(ns)
}

/// RFC 3339 in UTC, with as many digits of a second as it takes. [`moment_ns`] reads it
/// back.
#[must_use]
pub fn moment_text(ns: u64) -> String {
    let DateTime {
        year,
        month,
        day,
        hour,
        minute,
        second,
    } = DateTime::of_unix_seconds(ns / SECOND_NS);
    let fraction = match ns % SECOND_NS {
        0 => String::new(),
        ns => format!(".{ns:09}").trim_end_matches('0').to_string(),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Whole seconds or a decimal, in ns.
fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let whole: u64 = whole.parse().ok()?;
    whole
        .checked_mul(SECOND_NS)?
        .checked_add(fraction_ns(fraction)?)
}

/// Digits after a point, nine at most.
fn fraction_ns(digits: &str) -> Option<u64> {
    let sound = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    format!("{digits:0<9}").parse().ok().filter(|_| sound)
}

/// `YYYY-MM-DDTHH:MM:SS[.FRACTION](Z|+HH:MM|-HH:MM)`.
fn rfc3339(text: &str) -> Result<u64, String> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let wrong = || String::from(EXAMPLES);
    let (head, tail) = text.split_at_checked(SHAPE.len()).ok_or_else(wrong)?;
    let fits = |(byte, shape): (u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        shape => byte.eq_ignore_ascii_case(shape),
    };
    if !head.bytes().zip(SHAPE).all(fits) {
        return Err(wrong());
    }
    let number = |from: usize, to: usize| head[from..to].parse::<u16>().unwrap_or(0);
    let local = DateTime {
        year: number(0, 4),
        month: number(5, 7) as u8,
        day: number(8, 10) as u8,
        hour: number(11, 13) as u8,
        minute: number(14, 16) as u8,
        second: number(17, 19) as u8,
    };
    let (fraction, offset) = match tail.strip_prefix('.') {
        None => (0, tail),
        Some(tail) => {
            let end = tail.find(|c: char| !c.is_ascii_digit());
            let (digits, offset) = tail.split_at(end.unwrap_or(tail.len()));
            (fraction_ns(digits).ok_or_else(wrong)?, offset)
        }
    };
    if offset.is_empty() {
        return Err(String::from(
            "it has no offset; add Z for UTC, or one such as +01:00",
        ));
    }
    let ahead_s = offset_seconds(offset).ok_or_else(wrong)?;
    let seconds = local
        .unix_seconds()
        .ok_or("there is no such day or time since 1970")?;
    seconds
        .checked_add_signed(-ahead_s)
        .and_then(|seconds| seconds.checked_mul(SECOND_NS)?.checked_add(fraction))
        .ok_or_else(|| String::from("allowed are the years 2000 to 2553"))
}

/// By how much local time is ahead of UTC.
fn offset_seconds(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, text) = match text.split_at_checked(1)? {
        ("+", text) => (1, text),
        ("-", text) => (-1, text),
        _ => return None,
    };
    let (hours, minutes) = text.split_once(':')?;
    let two = |text: &str, most: i64| {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        let number: i64 = text.parse().ok().filter(|_| digits)?;
        (number <= most).then_some(number)
    };
    Some(sign * (two(hours, 23)? * 3600 + two(minutes, 59)? * 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_of_the_calendar() {
        for (text, seconds) in [
            ("2000-01-01T00:00:00Z", 946_684_800),
            ("2000-02-29T23:59:59z", 951_868_799),
            ("2001-03-01T00:00:00Z", 983_404_800),
            ("2026-12-01T10:00:00Z", 1_796_119_200),
            ("2026-12-01t11:00:00+01:00", 1_796_119_200),
            ("2026-12-01T15:45:00+05:45", 1_796_119_200),
            ("2026-11-30T22:30:00-11:30", 1_796_119_200),
            ("2400-02-29T00:00:00Z", 13_574_563_200),
            ("1796119200", 1_796_119_200),
            ("1796119200.0", 1_796_119_200),
        ] {
            assert_eq!(moment_ns(text), Ok(seconds * SECOND_NS), "{text}");
        }
        assert_eq!(
            moment_ns("2026-12-01T10:00:00.25Z"),
            Ok(1_796_119_200_250_000_000)
        );
        assert_eq!(
            moment_ns("1796119200.000000001"),
            Ok(1_796_119_200_000_000_001)
        );
    }

    #[test]
    fn what_is_no_moment_is_told_apart() {
        for (text, why) in [
            ("tomorrow", "RFC 3339"),
            ("", "RFC 3339"),
            ("1.2.3", "RFC 3339"),
            ("2026-12-01", "RFC 3339"),
            ("2026-12-01 10:00:00Z", "RFC 3339"),
            ("2026-12-01T10:00:00.Z", "RFC 3339"),
            ("2026-12-01T10:00:00.0123456789Z", "RFC 3339"),
            ("2026-12-01T10:00:00+1:00", "RFC 3339"),
            ("2026-12-01T10:00:00+24:00", "RFC 3339"),
            ("2026-12-01T10:00:00ZZ", "RFC 3339"),
            ("\u{b5}026-12-01T10:00:00Z", "RFC 3339"),
            ("2026-12-01T10:00:00", "no offset"),
            ("2026-12-01T10:00:00.5", "no offset"),
            ("2026-02-29T10:00:00Z", "no such day"),
            ("2100-02-29T10:00:00Z", "no such day"),
            ("2026-13-01T10:00:00Z", "no such day"),
            ("2026-12-01T24:00:00Z", "no such day"),
            ("2026-12-01T10:00:60Z", "no such day"),
            ("4", "that is 1970-01-01T00:00:04Z"),
            ("1999-12-31T23:59:59Z", "that is 1999-12-31T23:59:59Z"),
            ("2600-01-01T00:00:00Z", "the years"),
            ("18446744074", "RFC 3339"),
        ] {
            let said = moment_ns(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
    }

    proptest! {
        #[test]
        fn texts_read_back(ns in YEAR_2000_S * SECOND_NS..u64::MAX) {
            prop_assert_eq!(moment_ns(&moment_text(ns)), Ok(ns));
            let (s, fraction) = (ns / SECOND_NS, ns % SECOND_NS);
            prop_assert_eq!(moment_ns(&format!("{s}.{fraction:09}")), Ok(ns));
        }

        #[test]
        fn days_follow_each_other(day in 0u64..200_000) {
            let of = |day: u64| DateTime::of_unix_seconds(day * DAY_S as u64);
            let (today, tomorrow) = (of(day), of(day + 1));
            prop_assert_eq!(today.unix_seconds(), Some(day * DAY_S as u64));
            prop_assert!(tomorrow.day == today.day + 1 || tomorrow.day == 1);
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,40}") {
            let _ = moment_ns(&text);
        }
    }
}
