//! Every key, with the values it takes and those it refuses.

use super::{job, parsed, refusal};
use crate::job::{AtEnd, BlockSizes, Extent, Irq, JobFile, Params, Rw, Verify, Wait};
use alloc::format;
use std::string::String;

fn with(change: impl FnOnce(&mut Params)) -> Params {
    let mut params = Params::new("j");
    change(&mut params);
    params
}

fn both(bytes: u64) -> BlockSizes {
    BlockSizes {
        read_bytes: bytes,
        write_bytes: bytes,
        trim_bytes: bytes,
    }
}

#[test]
fn an_empty_section_has_fio_defaults() {
    assert_eq!(job(""), Params::new("j"));
    let defaults = Params::new("j");
    assert_eq!(defaults.bs, both(4096));
    assert_eq!(
        (defaults.iodepth, defaults.rwmixread_pct, defaults.randseed),
        (1, 50, 0x89)
    );
    assert!(defaults.do_verify);
}

#[test]
fn directions() {
    for (text, rw) in [
        ("read", Rw::Read),
        ("write", Rw::Write),
        ("randread", Rw::RandRead),
        ("randwrite", Rw::RandWrite),
        ("rw", Rw::ReadWrite),
        ("readwrite", Rw::ReadWrite),
        ("randrw", Rw::RandRw),
        ("trim", Rw::Trim),
        ("randtrim", Rw::RandTrim),
    ] {
        assert_eq!(job(&format!("rw={text}")), with(|params| params.rw = rw));
        assert_eq!(
            job(&format!("readwrite={text}")),
            with(|params| params.rw = rw)
        );
    }
    let allowed = "allowed are read, write, randread, randwrite, rw, randrw, trim, randtrim";
    assert_eq!(refusal("rw=randrwx"), format!("`rw=randrwx`: {allowed}"));
    assert_eq!(
        refusal("rw=trimwrite"),
        format!("`rw=trimwrite`: trims and writes in turn are not supported; {allowed}")
    );
}

#[test]
fn block_sizes_of_the_field() {
    for (text, bytes) in [
        ("512", 512),
        ("4k", 4096),
        ("4K", 4096),
        ("4Ki", 4096),
        ("4KiB", 4096),
        ("4kB", 4096),
        ("5m", 5_242_880),
        ("5MiB", 5_242_880),
        ("5MB", 5_242_880),
        ("1g", 1 << 30),
        ("4608", 4608),
    ] {
        let expected = with(|params| params.bs = both(bytes));
        assert_eq!(job(&format!("bs={text}")), expected, "{text}");
        assert_eq!(job(&format!("blocksize={text}")), expected, "{text}");
    }
    let range = "allowed are multiples of 512 from 512 to 1g";
    for (text, why) in [
        ("0", format!("`0` is 0 bytes; {range}")),
        ("4000", format!("`4000` is 4000 bytes; {range}")),
        ("2g", format!("`2g` is 2147483648 bytes; {range}")),
        ("-4k", "`-4k` is not a size: it is negative".into()),
        (
            "4.5k",
            "`4.5k` is not a size: fractions are not taken; use the next smaller unit".into(),
        ),
        (
            "5 MiB",
            "`5 MiB` is not a size: no space may stand between number and unit".into(),
        ),
        (
            "18446744073709551616",
            "`18446744073709551616` is not a size: it is larger than 64 bits can hold".into(),
        ),
        (
            "4k,8k,16k,32k",
            "give one value, or up to three as READ,WRITE,TRIM".into(),
        ),
        (
            ",",
            "give one value, or up to three as READ,WRITE,TRIM".into(),
        ),
        ("", "`` is not a size: it is empty".into()),
    ] {
        assert_eq!(
            refusal(&format!("bs={text}")),
            format!("`bs={text}`: {why}")
        );
    }
}

#[test]
fn block_sizes_by_direction() {
    let sizes = |read_bytes, write_bytes, trim_bytes| BlockSizes {
        read_bytes,
        write_bytes,
        trim_bytes,
    };
    assert_eq!(job("bs=8k,64k").bs, sizes(8192, 65536, 65536));
    assert_eq!(job("bs=8k, 64k").bs, sizes(8192, 65536, 65536));
    assert_eq!(job("bs=8k,64k,").bs, sizes(8192, 65536, 4096));
    assert_eq!(job("bs=8k,64k,1m").bs, sizes(8192, 65536, 1 << 20));
    assert_eq!(job("bs=,8k").bs, sizes(4096, 8192, 8192));
    assert_eq!(job("bs=8k,").bs, sizes(8192, 4096, 4096));
    assert_eq!(job("bs=1m\nbs=,8k,").bs, sizes(1 << 20, 8192, 1 << 20));
}

#[test]
fn kb_base_holds_for_the_section_wherever_it_stands() {
    assert_eq!(
        job("size=1m\nkb_base=1000").size,
        Some(Extent::Bytes(1_000_000))
    );
    assert_eq!(
        job("kb_base=1000\nsize=1Mi").size,
        Some(Extent::Bytes(1 << 20))
    );
    assert_eq!(
        job("kb_base=1024\nsize=1m").size,
        Some(Extent::Bytes(1 << 20))
    );
    let file = parsed("[a]\nkb_base=1000\nsize=1m\n[b]\nsize=1m\nstonewall");
    assert_eq!(file.jobs[1].size, Some(Extent::Bytes(1 << 20)));
    assert_eq!(
        refusal("kb_base=1001"),
        "`kb_base=1001`: allowed are 1024 and 1000"
    );
}

#[test]
fn where_fio_reads_another_size_it_is_said_once() {
    let file = parsed("[a]\nsize=1GiB\n[b]\nstonewall\nsize=1GiB\noffset=1Gi");
    assert_eq!(file.jobs[0].size, Some(Extent::Bytes(1 << 30)));
    assert_eq!(
        file.notes,
        ["t.fio:2: `1GiB` is 1073741824 bytes here; fio takes it for 1000000000"]
    );
}

#[test]
fn depths_and_batches_are_bounded_as_in_fio() {
    let depths = |lines: &str| {
        let job = job(lines);
        (
            job.iodepth,
            job.iodepth_batch_submit,
            job.iodepth_batch_complete_min,
        )
    };
    assert_eq!(depths("iodepth=32"), (32, 1, 1));
    assert_eq!(depths("iodepth=1k"), (1024, 1, 1));
    assert_eq!(depths("iodepth=65535"), (65_535, 1, 1));
    assert_eq!(
        depths("iodepth=32\niodepth_batch_submit=16\niodepth_batch_complete_min=8"),
        (32, 16, 8)
    );
    assert_eq!(
        depths("iodepth_batch=0\niodepth_batch_complete=0\niodepth=8"),
        (8, 8, 1)
    );
    assert_eq!(
        depths("iodepth_batch=99\niodepth_batch_complete=99\niodepth=8"),
        (8, 8, 8)
    );
    assert_eq!(
        refusal("iodepth=0"),
        "`iodepth=0`: out of range; allowed are 1 to 65535"
    );
    assert_eq!(
        refusal("iodepth=65536"),
        "`iodepth=65536`: out of range; allowed are 1 to 65535"
    );
    assert_eq!(
        refusal("iodepth=deep"),
        "`iodepth=deep`: `deep` is not a number: it does not start with a digit"
    );
    assert_eq!(
        refusal("iodepth=-1"),
        "`iodepth=-1`: `-1` is not a number: it is negative"
    );
}

#[test]
fn shares_of_a_mix() {
    assert_eq!(job("rwmixread=70").rwmixread_pct, 70);
    assert_eq!(job("rwmixread=0").rwmixread_pct, 0);
    assert_eq!(job("rwmixread=100").rwmixread_pct, 100);
    assert_eq!(job("rwmixwrite=70").rwmixread_pct, 30);
    assert_eq!(job("rwmixwrite=70\nrwmixread=60").rwmixread_pct, 60);
    assert_eq!(job("rwmixread=60\nrwmixwrite=70").rwmixread_pct, 30);
    for key in ["rwmixread", "rwmixwrite"] {
        assert_eq!(
            refusal(&format!("{key}=101")),
            format!("`{key}=101`: out of range; allowed are 0 to 100")
        );
    }
}

#[test]
fn regions() {
    assert_eq!(job("size=1g").size, Some(Extent::Bytes(1 << 30)));
    assert_eq!(job("size=20t").size, Some(Extent::Bytes(20 << 40)));
    assert_eq!(job("size=50%").size, Some(Extent::Percent(50)));
    assert_eq!(job("size=1g\nsize=0").size, None);
    assert_eq!(job("offset=4k").offset, Extent::Bytes(4096));
    assert_eq!(job("fileoffset=99%").offset, Extent::Percent(99));
    assert_eq!(job("offset=0%").offset, Extent::Percent(0));
    assert_eq!(
        refusal("size=101%"),
        "`size=101%`: allowed are 1% to 100%, or a size"
    );
    assert_eq!(
        refusal("size=0%"),
        "`size=0%`: allowed are 1% to 100%, or a size"
    );
    assert_eq!(
        refusal("offset=100%"),
        "`offset=100%`: allowed are 0% to 99%, or a size"
    );
}

#[test]
fn times() {
    let job = job("runtime=2\nramp_time=500ms\ntime_based");
    assert_eq!(
        (job.runtime_ns, job.ramp_ns),
        (Some(2_000_000_000), 500_000_000)
    );
    assert!(job.time_based);
    assert_eq!(super::job("timeout=1m").runtime_ns, Some(60_000_000_000));
    assert_eq!(super::job("runtime=5\nruntime=0").runtime_ns, None);
    assert_eq!(
        refusal("runtime=2w"),
        "`runtime=2w`: `2w` is not a time: unknown unit; accepted are ns, us, ms, s, \
         m (minutes), h, d; a bare number is seconds"
    );
}

#[test]
fn counts_and_seeds() {
    assert_eq!(job("number_ios=1k").number_ios, Some(1024));
    assert_eq!(job("number_ios=1\nnumber_ios=0").number_ios, None);
    assert_eq!(job("randseed=0").randseed, 0);
    assert_eq!(job("randseed=18446744073709551615").randseed, u64::MAX);
    assert_eq!(job("randseed=0x89"), Params::new("j"));
    assert_eq!(job("numjobs=1"), Params::new("j"));
    assert_eq!(
        refusal("numjobs=1025"),
        "`numjobs=1025`: out of range; allowed are 1 to 1024"
    );
    assert_eq!(
        refusal("numjobs=0"),
        "`numjobs=0`: out of range; allowed are 1 to 1024"
    );
    assert_eq!(job("randrepeat=1"), Params::new("j"));
    assert_eq!(
        parsed("[j]\nrandrepeat=0").notes,
        [
            "t.fio:2: `randrepeat=0`: positions are the same in each run nevertheless; \
          give another `randseed` for others"
        ]
    );
}

#[test]
fn flags_may_be_bare() {
    type Flag = fn(&Params) -> bool;
    let flags: [(&str, Flag); 5] = [
        ("norandommap", |params| params.norandommap),
        ("do_verify", |params| params.do_verify),
        ("stonewall", |params| params.stonewall),
        ("wait_for_previous", |params| params.stonewall),
        ("stages", |params| params.stages),
    ];
    for (key, get) in flags {
        assert!(get(&job(key)), "{key}");
        assert!(get(&job(&format!("{key}=1"))), "{key}");
        assert!(!get(&job(&format!("{key}=0"))), "{key}");
        assert_eq!(
            refusal(&format!("{key}=yes")),
            format!(
                "`{}=yes`: allowed are 0 and 1",
                key.replace("wait_for_previous", "stonewall")
            )
        );
    }
    assert_eq!(
        refusal("iodepth"),
        "`iodepth` needs a value: iodepth=1 to 65535"
    );
}

#[test]
fn verification() {
    assert_eq!(job("verify=pattern").verify, Verify::Pattern);
    let file = parsed("[j]\nverify=crc32c");
    assert_eq!(file.jobs[0].verify, Verify::Pattern);
    assert!(
        file.notes[0].contains("every byte is compared"),
        "{:?}",
        file.notes
    );
    assert_eq!(job("verify=pattern\nverify=none").verify, Verify::None);
    assert_eq!(job("verify=0").verify, Verify::None);
    assert_eq!(
        refusal("verify=md5"),
        "`verify=md5`: allowed are none, pattern and crc32c; other checks are not supported yet"
    );
}

#[test]
fn waiting() {
    for (text, wait) in [
        ("poll", Wait::Poll),
        ("irq", Wait::Irq),
        ("hybrid", Wait::Hybrid),
    ] {
        assert_eq!(job(&format!("wait={text}")).wait, wait);
    }
    for (text, irq) in [("msix", Irq::Msix), ("msi", Irq::Msi), ("intx", Irq::Intx)] {
        assert_eq!(job(&format!("irq={text}")).irq, Some(irq));
    }
    assert_eq!(job("wait=irq").irq, None);
    assert_eq!(job("poll_interval=0").poll_interval_ns, Some(0));
    assert_eq!(job("poll_interval=5us").poll_interval_ns, Some(5_000));
}

#[test]
fn own_keys() {
    let job = job(
        "controller=pvscsi, nvme\nwait=poll\nring_pages=32\nscratch=a1,b2\n\
         allow_write=pvscsi@00:03.0:0:0,nvme@00:04.0:1:ext4",
    );
    assert_eq!(job.controllers, ["pvscsi", "nvme"]);
    assert_eq!(job.ring_pages, Some(32));
    assert_eq!(job.scratch, ["a1", "b2"]);
    assert_eq!(
        job.allow_write,
        ["pvscsi@00:03.0:0:0", "nvme@00:04.0:1:ext4"]
    );
    assert_eq!(
        super::job("controller=nvme\ncontroller=all"),
        Params::new("j")
    );

    assert_eq!(
        refusal("controller=pvsci"),
        "`controller=pvsci`: unknown controller `pvsci`; did you mean `pvscsi`? \
         allowed are pvscsi, lsisas, nvme, virtio-scsi and all"
    );
    assert_eq!(
        refusal("wait=sleep"),
        "`wait=sleep`: allowed are poll, irq and hybrid"
    );
    assert_eq!(
        refusal("irq=msi-x"),
        "`irq=msi-x`: allowed are msix, msi and intx"
    );
    assert_eq!(
        refusal("poll_interval=2"),
        "`poll_interval=2`: allowed are 0 to 1 s"
    );
    for pages in ["3", "31", "6"] {
        assert_eq!(
            refusal(&format!("ring_pages={pages}")),
            format!("`ring_pages={pages}`: allowed are the powers of two from 1 to 32")
        );
    }
    for pages in ["0", "33", "64"] {
        assert_eq!(
            refusal(&format!("ring_pages={pages}")),
            format!("`ring_pages={pages}`: out of range; allowed are 1 to 32")
        );
    }
    let long = "n".repeat(65);
    assert_eq!(
        refusal(&format!("scratch={long}")),
        format!("`scratch={long}`: a nonce has at most 64 bytes")
    );
    assert_eq!(
        refusal("allow_write=a,,b"),
        "`allow_write=a,,b`: a name is empty; part names by single commas"
    );
    assert_eq!(
        refusal("allow_write=a b"),
        "`allow_write=a b`: `a b` holds a blank; part names by commas"
    );
}

#[test]
fn filename_selects_disks_of_ours_and_notes_others() {
    let file = parsed("[j]\nfilename=pvscsi@00:03.0:0:0,virtio-scsi@00:1c.0/00.0:1:0");
    assert_eq!(
        file.jobs[0].disks,
        ["pvscsi@00:03.0:0:0", "virtio-scsi@00:1c.0/00.0:1:0"]
    );
    assert!(file.notes.is_empty());

    let file =
        parsed("[a]\nfilename=/dev/sda:/dev/sdb\n[b]\nstonewall\nfilename=/dev/sda:/dev/sdb");
    assert!(file.jobs.iter().all(|job| job.disks.is_empty()));
    let path = "/dev/sda:/dev/sdb";
    assert_eq!(
        file.notes,
        [format!(
            "t.fio:2: `filename={path}` names no disk by its id; the selected disks are used"
        )]
    );
    let mixed = parsed("[j]\nfilename=nvme@00:04.0:1,/dev/sda");
    assert_eq!(mixed.jobs[0].disks, ["nvme@00:04.0:1"]);
    assert_eq!(mixed.notes.len(), 1);
}

#[test]
fn text_is_kept_as_it_is() {
    let name = "a b]c [x";
    let file = parsed(&format!(
        "[{name}]\ndescription=  8K, 70 % reads = \u{b5}s  "
    ));
    assert_eq!(file.jobs[0].name, name);
    assert_eq!(file.jobs[0].description, "8K, 70 % reads = \u{b5}s");
    assert_eq!(job("description=").description, String::new());
}

#[test]
fn the_first_wish_for_the_end_is_obeyed() {
    let at_end = |text: &str| JobFile::parse("t", text, &[]).unwrap().at_end();
    assert_eq!(at_end("[a]\n"), AtEnd::Stay);
    assert_eq!(
        at_end("[a]\nat_end=stay\n[b]\nat_end=poweroff\n"),
        AtEnd::PowerOff
    );
    assert_eq!(
        at_end("[a]\nat_end=reboot\n[b]\nstonewall\nat_end=poweroff\n"),
        AtEnd::Reboot
    );
    assert_eq!(
        refusal("at_end=halt"),
        "`at_end=halt`: allowed are stay, poweroff and reboot"
    );
}
