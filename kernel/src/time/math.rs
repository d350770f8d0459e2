//! Arithmetic of clocks, exact where the result fits.

const NS_PER_SECOND: u128 = 1_000_000_000;

/// `ticks` at `ticks_per_second` in nanoseconds, rounded down; saturates.
#[must_use]
pub fn ticks_to_ns(ticks: u64, ticks_per_second: u64) -> u64 {
    let ns = u128::from(ticks) * NS_PER_SECOND / u128::from(ticks_per_second.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// Ticks per second when `ticks` passed while a counter of `hz` made `counts`;
/// rounded. `None` when the counter did not move.
#[must_use]
pub fn ticks_per_second(ticks: u64, counts: u64, hz: u64) -> Option<u64> {
    let counts = u128::from(counts);
    if counts == 0 {
        return None;
    }
    let rate = (u128::from(ticks) * u128::from(hz) + counts / 2) / counts;
    u64::try_from(rate).ok()
}

/// Counts between two readings of a counter that starts over at `modulus`, given
/// how many are to be expected: of all `difference + n * modulus` the nearest.
#[must_use]
pub const fn unwrap_counts(from: u64, to: u64, modulus: u64, expected: u64) -> u64 {
    let difference = (to + modulus - from) % modulus;
    let beyond = expected.saturating_sub(difference);
    difference + (beyond + modulus / 2) / modulus * modulus
}

/// How far `value` is from `reference`, in parts per million, rounded up; saturates.
#[must_use]
pub fn deviation_ppm(value: u64, reference: u64) -> u32 {
    let scaled = u128::from(value.abs_diff(reference)) * 1_000_000;
    let ppm = scaled.div_ceil(u128::from(reference.max(1)));
    u32::try_from(ppm).unwrap_or(u32::MAX)
}

/// Ticks per second from KVM's scale: ns = ((ticks << shift) * multiplier) >> 32.
#[must_use]
pub fn kvm_ticks_per_second(multiplier: u32, shift: i8) -> Option<u64> {
    if multiplier == 0 || !(-31..=31).contains(&shift) {
        return None;
    }
    let unshifted = NS_PER_SECOND << 32;
    let multiplier = u128::from(multiplier);
    let rate = if shift < 0 {
        (unshifted << -shift) / multiplier
    } else {
        unshifted / (multiplier << shift)
    };
    u64::try_from(rate).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_SECONDS: u64 = 86_400;

    #[test]
    fn thirty_days_convert_exactly() {
        for hz in [1_000_000_000, 2_112_003_000, 3_579_545_000, 5_000_000_000] {
            let ticks = hz * 30 * DAY_SECONDS;
            assert_eq!(ticks_to_ns(ticks, hz), 30 * DAY_SECONDS * 1_000_000_000);
            assert_eq!(
                ticks_to_ns(ticks + hz / 1000, hz) % 1_000_000_000,
                1_000_000
            );
        }
    }

    #[test]
    fn conversions_saturate_and_never_divide_by_zero() {
        assert_eq!(ticks_to_ns(u64::MAX, 1), u64::MAX);
        assert_eq!(ticks_to_ns(5, 0), 5_000_000_000);
        assert_eq!(ticks_per_second(1, 0, 1), None);
        assert_eq!(ticks_per_second(u64::MAX, 1, u64::MAX), None);
        assert_eq!(deviation_ppm(u64::MAX, 0), u32::MAX);
    }

    #[test]
    fn a_rate_is_ticks_by_counts_and_rounds_to_the_nearest() {
        assert_eq!(
            ticks_per_second(125_000_000, 178_977, 3_579_545),
            Some(2_500_003_492)
        );
        assert_eq!(ticks_per_second(3, 2, 1), Some(2));
        assert_eq!(ticks_per_second(5, 4, 1), Some(1));
    }

    #[test]
    fn a_counter_that_started_over_many_times_is_unwrapped() {
        let modulus = 0x1_0000;
        for passed in [0_u64, 1, 65_535, 65_536, 65_537, 200_000, 15_000_000] {
            for from in [0, 1, 40_000, 65_535] {
                let to = (from + passed) % modulus;
                for error in [-30_000_i64, 0, 30_000] {
                    let expected = passed.saturating_add_signed(error);
                    assert_eq!(unwrap_counts(from, to, modulus, expected), passed);
                }
            }
        }
    }

    #[test]
    fn deviation_is_symmetric_and_rounds_up() {
        assert_eq!(deviation_ppm(1_000_000, 1_000_000), 0);
        assert_eq!(deviation_ppm(1_000_100, 1_000_000), 100);
        assert_eq!(deviation_ppm(999_900, 1_000_000), 100);
        assert_eq!(deviation_ppm(2_000_000_001, 2_000_000_000), 1);
    }

    #[test]
    fn kvm_scale_gives_the_rate_back() {
        // As KVM computes it for 2.4 GHz (shift -1) and for 800 MHz (shift 1).
        assert_eq!(kvm_ticks_per_second(3_579_139_413, -1), Some(2_400_000_000));
        assert_eq!(kvm_ticks_per_second(2_684_354_560, 1), Some(800_000_000));
        assert_eq!(kvm_ticks_per_second(0, 0), None);
        assert_eq!(kvm_ticks_per_second(1, 64), None);
    }
}
