//! Ticks into nanoseconds, without a division where it matters.

/// Converts ticks of one clock into nanoseconds.
///
/// `ns = high64(ticks * 16 * factor)` with `factor = 10^9 * 2^60 / rate`, rounded
/// up. The error is below `ticks / 2^60` ns, and the nearest value that could be
/// mistaken for a whole nanosecond lies `1 / rate` away, so the result equals the
/// exact quotient, rounded down, for all `ticks` below `2^60 / rate` (0.1 s at
/// 3 GHz); longer spans, and those of 2^32 ns or more, take a division.
#[derive(Clone, Copy, Debug)]
pub struct Timebase {
    rate: u64,
    factor: u64,
    exact_below_ticks: u64,
}

const NS_PER_SECOND: u64 = 1_000_000_000;

impl Timebase {
    /// For a clock of `ticks_per_second`, at least 1.
    #[must_use]
    pub const fn new(ticks_per_second: u64) -> Self {
        let rate = if ticks_per_second == 0 {
            1
        } else {
            ticks_per_second
        };
        let factor = ((NS_PER_SECOND as u128) << 60).div_ceil(rate as u128);
        // A slow clock's factor does not fit, and each span takes the division.
        let fits = factor <= u64::MAX as u128;
        Self {
            rate,
            factor: if fits { factor as u64 } else { 0 },
            exact_below_ticks: if fits { exact_below(rate) } else { 0 },
        }
    }

    /// Ticks per second.
    #[must_use]
    pub const fn rate(&self) -> u64 {
        self.rate
    }

    /// Spans below this convert without a division.
    #[inline]
    #[must_use]
    pub const fn quick_below_ticks(&self) -> u64 {
        self.exact_below_ticks
    }

    /// Nanoseconds in `ticks`, rounded down; `u64::MAX` where 64 bits are too few.
    #[inline]
    #[must_use]
    pub const fn ns(&self, ticks: u64) -> u64 {
        if ticks >= self.exact_below_ticks {
            return self.ns_by_division(ticks);
        }
        self.quick_ns(ticks) as u64
    }

    /// Nanoseconds in `ticks`, which is below [`Self::quick_below_ticks`].
    #[inline]
    #[must_use]
    pub const fn quick_ns(&self, ticks: u64) -> u32 {
        ((ticks.wrapping_shl(4) as u128 * self.factor as u128) >> 64) as u32
    }

    /// Ticks in `ns` nanoseconds, rounded up; `u64::MAX` where 64 bits are too few.
    #[must_use]
    pub const fn ticks(&self, ns: u64) -> u64 {
        let ticks = (ns as u128 * self.rate as u128).div_ceil(NS_PER_SECOND as u128);
        if ticks > u64::MAX as u128 {
            u64::MAX
        } else {
            ticks as u64
        }
    }

    #[cold]
    const fn ns_by_division(&self, ticks: u64) -> u64 {
        let ns = ticks as u128 * NS_PER_SECOND as u128 / self.rate as u128;
        if ns > u64::MAX as u128 {
            u64::MAX
        } else {
            ns as u64
        }
    }
}

/// Where the quick way is exact, and its result fits into 32 bits.
const fn exact_below(rate: u64) -> u64 {
    let exact = (1 << 60) / rate;
    let short = ((rate as u128) << 32) / NS_PER_SECOND as u128;
    if short < exact as u128 {
        short as u64
    } else {
        exact
    }
}

/// Ticks from `start` to `end`, 0 where the clock stepped back. The second value
/// is 1 then, for counting.
#[inline]
#[must_use]
pub const fn elapsed(start: u64, end: u64) -> (u64, u64) {
    let backward = (end < start) as u64;
    (end.saturating_sub(start), backward)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(ticks: u64, rate: u64) -> u64 {
        (u128::from(ticks) * 1_000_000_000 / u128::from(rate)) as u64
    }

    #[test]
    fn thirty_days_are_exact() {
        for rate in [
            1_000_000_000,
            2_599_987_000,
            3_000_000_000,
            4_999_999_999,
            24_000_000,
        ] {
            let days = rate * 86_400 * 30;
            let base = Timebase::new(rate);
            assert_eq!(base.ns(days), 2_592_000_000_000_000);
            for near in [days - 1, days + 1, days + 12_345] {
                assert_eq!(base.ns(near), exact(near, rate));
            }
        }
    }

    #[test]
    fn one_tick_of_a_nanosecond_clock_is_one_nanosecond() {
        assert_eq!(Timebase::new(1_000_000_000).ns(1), 1);
        assert_eq!(Timebase::new(500_000_000).ns(3), 6);
        assert_eq!(Timebase::new(2_000_000_000).ns(3), 1);
    }

    #[test]
    fn what_is_quick_fits_into_32_bits_and_is_exact() {
        for rate in [65_536_000, 100_000_000, 1_000_000_000, 5_000_000_000] {
            let base = Timebase::new(rate);
            let last = base.quick_below_ticks() - 1;
            assert!(last > rate / 100, "{rate}: {last}");
            assert_eq!(u64::from(base.quick_ns(last)), exact(last, rate));
        }
    }

    #[test]
    fn a_span_beyond_64_bits_of_nanoseconds_saturates() {
        assert_eq!(Timebase::new(1).ns(u64::MAX), u64::MAX);
        assert_eq!(Timebase::new(u64::MAX).ticks(u64::MAX), u64::MAX);
    }

    #[test]
    fn a_backward_step_is_clamped_and_counted() {
        assert_eq!(elapsed(10, 9), (0, 1));
        assert_eq!(elapsed(9, 10), (1, 0));
        assert_eq!(elapsed(9, 9), (0, 0));
    }

    proptest! {
        #[test]
        fn conversion_equals_the_exact_quotient(rate in 1_000u64..10_000_000_000, ticks in 0u64..1 << 54, shift in 0u32..50) {
            let ticks = ticks >> shift;
            prop_assert_eq!(Timebase::new(rate).ns(ticks), exact(ticks, rate));
        }

        #[test]
        fn ticks_of_ns_last_at_least_that_long(rate in 1_000_000u64..10_000_000_000, ns in 0u64..1 << 50) {
            let base = Timebase::new(rate);
            prop_assert!(base.ns(base.ticks(ns)) >= ns);
        }
    }
}
