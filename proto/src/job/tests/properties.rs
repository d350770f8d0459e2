//! Properties: nothing panics, and the canonical text is the job.

use crate::job::{AtEnd, BlockSizes, Extent, Irq, JobFile, KEYS, Params, Rw, Verify, Wait};
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
        Rw::RandRw
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
            bs: BlockSizes { read_bytes, write_bytes },
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

prop_compose! {
    fn params()(
        shape in shape(),
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
        ring_pages in of((0u16..=5).prop_map(|shift| 1 << shift)),
        allow_write in words("[a-z0-9@:./-]{1,20}"),
        scratch in words("[A-Za-z0-9-]{1,64}"),
        at_end in select(alloc::vec![AtEnd::Stay, AtEnd::PowerOff, AtEnd::Reboot]),
    ) -> Params {
        let name = if name.starts_with("global") { format!("_{name}") } else { name };
        Params {
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
            ring_pages,
            allow_write,
            scratch,
            at_end,
            ..shape
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
            prop_assert_eq!(errors.0.len(), 1);
            let shown = format!("{errors}");
            prop_assert!(shown.starts_with("t:2: ") || shown.starts_with("t:1: job `j`"), "{}", shown);
        }
    }
}
