//! Properties: nothing panics, and the canonical text is the job.

use crate::job::{
    AtEnd, BlockSizes, ByDirection, Distribution, Extent, Irq, JobFile, KEYS, LatencyTarget,
    Millionths, Params, RateProcess, Rw, Split, SteadyFigure, SteadyLimit, SteadyState, Verify,
    Wait, WriteData,
};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

fn rw() -> impl Strategy<Value = Rw> {
    select(alloc::vec![
        Rw::Read,
        Rw::Write,
        Rw::RandRead,
        Rw::RandWrite,
        Rw::ReadWrite,
        Rw::RandRw,
        Rw::Trim,
        Rw::RandTrim
    ])
}

fn block() -> impl Strategy<Value = u64> {
    prop_oneof![1u64..=2_097_152, (0u32..21).prop_map(|shift| 1 << shift)]
        .prop_map(|units| units * 512)
}

fn size() -> impl Strategy<Value = Option<Extent>> {
    of(prop_oneof![
        (1u64..).prop_map(Extent::Bytes),
        (1u8..=100).prop_map(Extent::Percent)
    ])
}

fn offset() -> impl Strategy<Value = Extent> {
    prop_oneof![
        any::<u64>().prop_map(Extent::Bytes),
        (0u8..=99).prop_map(Extent::Percent)
    ]
}

fn words(pattern: &'static str) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(pattern, 0..3)
}

prop_compose! {
    fn shape()(
        rw in rw(),
        read_bytes in block(),
        write_bytes in block(),
        trim_bytes in block(),
        iodepth in 1u32..=65_535,
        submit in any::<proptest::sample::Index>(),
        complete in any::<proptest::sample::Index>(),
        rwmixread_pct in 0u8..=100,
        size in size(),
        offset in offset(),
        number_ios in of(1u64..),
        randseed: u64,
        norandommap: bool,
    ) -> Params {
        Params {
            rw,
            bs: BlockSizes { read_bytes, write_bytes, trim_bytes },
            iodepth,
            iodepth_batch_submit: submit.index(iodepth as usize) as u32 + 1,
            iodepth_batch_complete_min: complete.index(iodepth as usize) as u32 + 1,
            rwmixread_pct,
            size,
            offset,
            number_ios,
            randseed,
            norandommap,
            ..Params::new("")
        }
    }
}

fn by<T: Clone + std::fmt::Debug + 'static>(
    one: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = ByDirection<T>> {
    (one.clone(), one.clone(), one).prop_map(|(read, write, trim)| ByDirection {
        read,
        write,
        trim,
    })
}

fn splits() -> impl Strategy<Value = Vec<Split>> + Clone {
    let shares = proptest::collection::vec((1u64..2048, 1u8..10), 0..6);
    shares.prop_map(|parts| {
        let mut splits: Vec<Split> = parts
            .into_iter()
            .map(|(units, pct)| Split {
                bytes: units * 512,
                pct,
            })
            .collect();
        let given: u8 = splits.iter().map(|split| split.pct).sum();
        if let Some(first) = splits.first_mut() {
            first.pct += 100 - given;
        }
        splits
    })
}

fn distribution() -> impl Strategy<Value = Distribution> {
    prop_oneof![
        Just(Distribution::Random),
        (1u64..=100_000_000).prop_map(|theta| Distribution::Zipf(Millionths(theta))),
        (1u64..1_000_000).prop_map(|share| Distribution::Pareto(Millionths(share))),
        (1u64..=100_000_000).prop_map(|pct| Distribution::Normal(Millionths(pct))),
    ]
}

fn steady() -> impl Strategy<Value = Option<SteadyState>> {
    let limit = prop_oneof![
        any::<u64>().prop_map(SteadyLimit::Absolute),
        any::<u64>().prop_map(|limit| SteadyLimit::Percent(Millionths(limit))),
    ];
    let figure = select(alloc::vec![SteadyFigure::Iops, SteadyFigure::Bandwidth]);
    of(
        (figure, any::<bool>(), limit).prop_map(|(figure, slope, limit)| SteadyState {
            figure,
            slope,
            limit,
        }),
    )
}

fn data() -> impl Strategy<Value = WriteData> {
    let pattern = proptest::collection::vec(any::<u8>(), 0..8);
    (any::<bool>(), any::<bool>(), of(0u8..=100), pattern).prop_map(
        |(zero, refill, compress_pct, pattern)| WriteData {
            zero,
            refill,
            compress_pct,
            pattern,
        },
    )
}

prop_compose! {
    fn load()(
        shape in shape(),
        numjobs in 1u32..=1024,
        offset_increment in offset(),
        (startdelay_ns, loops) in (any::<u64>(), 1u64..),
        bssplit in by(splits()),
        percentage_random in by(0u8..=100),
        distribution in distribution(),
        rate_iops in by(any::<u32>()),
        poisson: bool,
        (thinktime_ns, thinktime_blocks) in (any::<u64>(), 1u32..),
        (target_ns, window_ns, percentile_milli_pct) in (any::<u64>(), 1u64.., 1u32..=100_000),
        steadystate in steady(),
        percentiles in proptest::collection::btree_set(1u32..=100_000, 0..5),
    ) -> Params {
        Params {
            numjobs,
            offset_increment,
            startdelay_ns,
            loops,
            bssplit,
            percentage_random,
            distribution,
            rate_iops,
            rate_process: if poisson { RateProcess::Poisson } else { RateProcess::Linear },
            thinktime_ns,
            thinktime_blocks,
            latency_target: LatencyTarget { target_ns, window_ns, percentile_milli_pct },
            steadystate,
            percentile_list: percentiles.into_iter().collect(),
            ..shape
        }
    }
}

prop_compose! {
    fn finer()(
        load in load(),
        (steadystate_duration_ns, steadystate_ramp_ns) in any::<(u64, u64)>(),
        (fsync, fdatasync, sync) in any::<(u32, u32, bool)>(),
        write_data in data(),
        (prefill, repeat) in (any::<bool>(), 1u32..=1000),
        queue_size in of(2u32..=65_536),
        (queues, doorbell_batch) in (1u16..=64, 0u32..=65_535),
        device_depth in of(1u32..=65_535),
        (shadow_doorbells, kick_suppression) in any::<(Option<bool>, Option<bool>)>(),
    ) -> Params {
        Params {
            steadystate_duration_ns,
            steadystate_ramp_ns,
            fsync,
            fdatasync,
            sync,
            write_data,
            prefill,
            repeat,
            queue_size,
            queues,
            doorbell_batch,
            device_depth,
            shadow_doorbells,
            kick_suppression,
            ..load
        }
    }
}

/// Whether one job may ask for all of it at once.
fn is_consistent(params: &Params) -> bool {
    let plain = params.verify == Verify::None;
    let alike = params.bssplit == ByDirection::default()
        && params.numjobs == 1
        && !params.concurrent
        && params.rw_run == 1
        && params.rw_hole_bytes == 0;
    let in_place = params.percentage_random == ByDirection::all(100)
        && params.distribution == Distribution::Random;
    plain
        || params.write_data == WriteData::KEYED
            && alike
            && (in_place || !params.rw.writes() || !params.rw.is_random())
            && !params.rw.trims()
}

prop_compose! {
    fn params()(
        shape in prop_oneof![shape(), finer()],
        (rw_run, rw_identical, hole_units) in (1u32.., any::<bool>(), 0u64..1 << 40),
        name in "[!-~&&[^#;]]([ -~&&[^#;]]{0,20}[!-~&&[^#;]])?",
        description in "([!-~&&[^#;$]]([ -~&&[^#;$]]{0,30}[!-~&&[^#;$]])?)?",
        runtime_ns in of(1u64..),
        time_based: bool,
        ramp_ns: u64,
        verify in select(alloc::vec![Verify::None, Verify::Pattern]),
        do_verify: bool,
        stonewall: bool,
        disks in words("nvme@[0-9a-f:./]{1,12}"),
        controllers in words("pvscsi|lsisas|nvme|virtio-scsi"),
        wait in select(alloc::vec![Wait::Poll, Wait::Irq, Wait::Hybrid]),
        irq in of(select(Irq::ALL.to_vec())),
        poll_interval_ns in of(0u64..=1_000_000_000),
        stages: bool,
        trace in 0u32..=65_536,
        start_at_ns in of(946_684_800_000_000_000u64..u64::MAX),
        concurrent: bool,
        adapters in of(1u32..=64),
        ring_pages in of((0u16..=5).prop_map(|shift| 1 << shift)),
        allow_write in words("[a-z0-9@:./-]{1,20}"),
        scratch in words("[A-Za-z0-9-]{1,64}"),
        at_end in select(alloc::vec![AtEnd::Stay, AtEnd::PowerOff, AtEnd::Reboot]),
    ) -> Params {
        let name = if name.starts_with("global") { format!("_{name}") } else { name };
        let alone = !(shape.rw.reads() && shape.rw.writes());
        let random = shape.rw.is_random();
        let follows = shape.percentage_random != ByDirection::all(100);
        let params = Params {
            rw_run: if alone && random && !follows { rw_run } else { 1 },
            rw_identical,
            rw_hole_bytes: if alone && !random { hole_units * 512 } else { 0 },
            name,
            description,
            runtime_ns,
            time_based: time_based && runtime_ns.is_some(),
            ramp_ns,
            verify,
            do_verify,
            stonewall,
            disks,
            controllers,
            wait,
            irq,
            poll_interval_ns,
            stages,
            trace,
            start_at_ns: start_at_ns.filter(|_| shape.startdelay_ns == 0),
            concurrent,
            adapters: adapters.filter(|_| concurrent),
            ring_pages,
            allow_write,
            scratch,
            at_end,
            ..shape
        };
        if is_consistent(&params) {
            params
        } else {
            Params { verify: Verify::None, ..params }
        }
    }
}

/// Lines as a user might write them: known keys with fitting and unfitting values.
fn line() -> impl Strategy<Value = String> {
    let keys: Vec<&str> = KEYS
        .iter()
        .flat_map(|key| core::iter::once(&key.name).chain(key.aliases))
        .copied()
        .collect();
    let value = prop_oneof![
        "[0-9]{1,6}(|k|m|KiB|ms|s|%)",
        "read|randrw|pattern|none|poll|all|nvme|1000|,8k|4k,8k",
        "zipf:1.2|normal:20|iops:1%|bw_slope:1m|poisson|4k/50:8k/|99:99.9|0xdead|\"ab\"7",
        "(iodepth|bs|rw|numjobs|rwmixread|sweep):(1\\.\\.8|0\\.\\.100/20|4k,8k|read,randrw|x)",
        "\\PC{0,12}",
    ];
    prop_oneof![
        6 => (select(keys.clone()), value).prop_map(|(key, value)| format!("{key}={value}")),
        1 => select(keys).prop_map(String::from),
        1 => "\\[[a-z]{1,6}\\]",
        1 => "\\PC{0,20}",
    ]
}

proptest! {
    #[test]
    fn canonical_text_reads_back(jobs in proptest::collection::vec(params(), 1..4)) {
        let file = JobFile { jobs, notes: Vec::new() };
        let text = file.to_text();
        let again = JobFile::parse("t", &text, &[]).unwrap();
        prop_assert_eq!(&again.jobs, &file.jobs);
        prop_assert_eq!(again.to_text(), text);
    }

    #[test]
    fn any_bytes_are_answered(text in "(?s).{0,200}") {
        let _ = JobFile::parse("t", &text, &[]);
    }

    #[test]
    fn what_is_accepted_has_a_canonical_text(
        lines in proptest::collection::vec(line(), 0..12),
        overrides in proptest::collection::vec(line(), 0..3),
    ) {
        let text = format!("[j]\n{}", lines.join("\n"));
        let overrides: Vec<(String, String)> = overrides
            .iter()
            .map(|line| line.split_once('=').unwrap_or((line, "1")))
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        match JobFile::parse("t", &text, &overrides) {
            Ok(file) => {
                let again = JobFile::parse("t", &file.to_text(), &[]).unwrap();
                prop_assert_eq!(again.jobs, file.jobs);
            }
            Err(errors) => prop_assert!(!errors.0.is_empty()),
        }
    }

    #[test]
    fn a_single_good_line_is_accepted_or_refused_with_its_place(line in line()) {
        if let Err(errors) = JobFile::parse("t", &format!("[j]\n{line}"), &[]) {
            prop_assert_eq!(errors.0.len(), 1, "{}", errors);
            let shown = format!("{errors}");
            prop_assert!(shown.starts_with("t:2: ") || shown.starts_with("t:1: job `j`"), "{}", shown);
        }
    }

    /// A good file with bytes changed, cut, doubled or added.
    #[test]
    fn a_damaged_file_is_answered(
        which: proptest::sample::Index,
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), 0u8..4, any::<u8>()), 0..24),
    ) {
        let names: Vec<&str> = crate::job::presets::names().collect();
        let mut bytes = crate::job::presets::get(names[which.index(names.len())])
            .unwrap()
            .as_bytes()
            .to_vec();
        for (at, edit, byte) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, byte),
                _ => bytes.extend_from_within(at..(at + 40).min(bytes.len())),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match JobFile::parse("t", &text, &[]) {
            Ok(file) => {
                let again = JobFile::parse("t", &file.to_text(), &[]).unwrap();
                prop_assert_eq!(again.jobs, file.jobs);
            }
            Err(errors) => prop_assert!(!errors.0.is_empty()),
        }
    }
}
