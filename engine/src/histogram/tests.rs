use super::*;
use proptest::prelude::*;
use std::vec::Vec as StdVec;

const PERCENTILES: [u32; 9] = [
    0, 1_000, 50_000, 90_000, 95_000, 99_000, 99_900, 99_990, 100_000,
];

/// fio's own formula, written out.
fn fio_index(value: u64) -> usize {
    let msb = if value == 0 {
        0
    } else {
        63 - value.leading_zeros()
    };
    if msb <= 6 {
        return value as usize;
    }
    let error_bits = msb - 6;
    let base = ((error_bits + 1) << 6) as usize;
    base + (63 & (value >> error_bits)) as usize
}

fn of(samples: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for &sample in samples {
        histogram.record(sample);
    }
    histogram
}

#[test]
fn equal_samples_give_equal_percentiles() {
    let histogram = of(&[5000; 1000]);
    for milli_pct in PERCENTILES {
        assert_eq!(histogram.quantile(milli_pct), Some(5000));
    }
    assert_eq!(histogram.stddev(), Some(0.0));
    assert_eq!(histogram.mean(), Some(5000.0));
}

#[test]
fn one_of_1_ns_and_one_of_100_s_stay_what_they_are() {
    let histogram = of(&[1, 100_000_000_000]);
    assert_eq!(histogram.quantile(0), Some(1));
    assert_eq!(histogram.quantile(50_000), Some(1));
    assert_eq!(histogram.quantile(50_001), Some(100_000_000_000));
    assert_eq!(histogram.overflow(), 0);
    assert_eq!(histogram.percentile(50_000), None, "one sample lies beyond");
}

#[test]
fn a_million_fast_and_one_of_30_s() {
    let mut histogram = Histogram::new();
    for _ in 0..1_000_000 {
        histogram.record(20_000);
    }
    histogram.record(30_000_000_000);
    assert_eq!(histogram.max(), Some(30_000_000_000));
    assert_eq!(histogram.quantile(100_000), Some(30_000_000_000));
    let p99_99 = histogram.percentile(99_990).unwrap();
    assert!((20_000..20_000 * 65 / 64).contains(&p99_99));
    assert_eq!(
        histogram.percentile(99_999),
        Some(p99_99),
        "10 samples lie beyond"
    );
    assert_eq!(histogram.percentile(100_000), None);
}

#[test]
fn what_is_out_of_range_is_counted_and_keeps_its_size() {
    let histogram = of(&[5, OVERFLOW_NS - 1, OVERFLOW_NS, 200_000_000_000, u64::MAX]);
    assert_eq!(histogram.overflow(), 3);
    assert_eq!(histogram.count(), 5);
    assert_eq!(histogram.bins().len(), 2);
    assert_eq!(histogram.max(), Some(u64::MAX));
    assert_eq!(histogram.quantile(80_000), Some(u64::MAX));
}

#[test]
fn exactly_ten_beyond_is_enough() {
    assert_eq!(of(&[7; 20]).percentile(50_000), Some(7));
    assert_eq!(of(&[7; 19]).percentile(50_000), None);
    assert_eq!(of(&[7; 1000]).percentile(99_000), Some(7));
    assert_eq!(of(&[7; 999]).percentile(99_000), None);
}

#[test]
fn without_samples_there_is_nothing() {
    let histogram = Histogram::new();
    assert_eq!(
        (
            histogram.min(),
            histogram.max(),
            histogram.mean(),
            histogram.stddev()
        ),
        (None, None, None, None)
    );
    assert_eq!(histogram.percentile(50_000), None);
    assert_eq!(histogram.quantile(0), None);
    assert!(histogram.bins().is_empty());
}

#[test]
fn clear_forgets_everything() {
    let mut histogram = of(&[1, OVERFLOW_NS]);
    histogram.clear();
    assert_eq!(histogram.count(), 0);
    histogram.record(9);
    assert_eq!((histogram.min(), histogram.max()), (Some(9), Some(9)));
}

fn latency() -> impl Strategy<Value = u64> {
    // Every magnitude from 1 ns to 100 s alike.
    (0u32..37, any::<u64>()).prop_map(|(bits, noise)| {
        ((1u64 << bits) | (noise & ((1 << bits) - 1))).min(100_000_000_000)
    })
}

proptest! {
    #[test]
    fn buckets_are_fios(value in any::<u64>(), shift in 0u32..64) {
        let value = value >> shift;
        prop_assert_eq!(index_of(value), fio_index(value));
    }

    #[test]
    fn a_value_lies_in_its_bucket_and_the_bucket_is_narrow(value in latency()) {
        let index = index_of(value);
        let (low, high) = (lower_bound_ns(index), upper_bound_ns(index));
        prop_assert!(low <= value && value <= high);
        prop_assert!((high - low) as f64 <= low as f64 / 64.0);
        prop_assert_eq!(index_of(high + 1), index + 1);
    }

    #[test]
    fn a_quantile_is_the_ranked_sample_within_a_bucket(mut samples in proptest::collection::vec(latency(), 1..300), milli_pct in 0u32..=100_000) {
        let found = of(&samples).quantile(milli_pct).unwrap();
        samples.sort_unstable();
        let rank = (samples.len() as u128 * u128::from(milli_pct)).div_ceil(100_000).max(1) as usize;
        let exact = samples[rank - 1];
        prop_assert!(found >= exact && found as f64 <= exact as f64 * (1.0 + 1.0 / 64.0));
        prop_assert!(found >= samples[0] && found <= samples[samples.len() - 1]);
    }

    #[test]
    fn quantiles_never_fall(samples in proptest::collection::vec(latency(), 1..200)) {
        let histogram = of(&samples);
        let all: StdVec<_> = PERCENTILES.iter().map(|p| histogram.quantile(*p)).collect();
        prop_assert!(all.is_sorted());
    }

    #[test]
    fn merging_is_adding(left in proptest::collection::vec(latency(), 0..100), right in proptest::collection::vec(latency(), 0..100)) {
        let mut merged = of(&left);
        merged.merge(&of(&right));
        let both: StdVec<u64> = left.iter().chain(&right).copied().collect();
        let whole = of(&both);
        prop_assert_eq!(merged.bins(), whole.bins());
        prop_assert_eq!(merged.mean(), whole.mean());
        prop_assert_eq!(merged.stddev(), whole.stddev());
        prop_assert_eq!((merged.min(), merged.max()), (whole.min(), whole.max()));
    }
}
