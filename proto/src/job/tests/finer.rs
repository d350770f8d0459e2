//! Keys that say more than what, where and how deep.

use super::{errors, job, parsed, refusal, set};
use crate::job::{
    ByDirection, Distribution, Extent, JobFile, Millionths, RateProcess, Rw, Split, SteadyFigure,
    SteadyLimit, SteadyState,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

#[test]
fn block_sizes_with_shares() {
    let split = |bytes, pct| Split { bytes, pct };
    let both = job("bssplit=4k/10:64k/50:32k/40").bssplit;
    let expected = [split(4096, 10), split(65_536, 50), split(32_768, 40)];
    assert_eq!(both, ByDirection::all(expected.to_vec()));
    let open = job("bssplit=4k/50:1k/:32k/").bssplit.read;
    assert_eq!(open, [split(4096, 50), split(1024, 25), split(32_768, 25)]);
    let two = job("bssplit=2k/50:4k/50,4k/90:8k/10").bssplit;
    assert_eq!(two.read[0].bytes, 2048);
    assert_eq!((two.write[1].pct, two.trim == two.write), (10, true));
    for (text, why) in [
        ("4k/60:8k/50", "the shares make 110 per cent, and not 100"),
        ("4k/60:8k/30", "the shares make 90 per cent, and not 100"),
        ("4k/101", "out of range; allowed are 0 to 100"),
    ] {
        assert_eq!(
            refusal(&format!("bssplit={text}")),
            format!("`bssplit={text}`: {why}")
        );
    }
}

#[test]
fn modifiers_of_rw() {
    let run = job("rw=randread:8");
    assert_eq!(
        (run.rw, run.rw_run, run.rw_identical),
        (Rw::RandRead, 8, false)
    );
    assert!(job("rw=randwrite:2\nrw_sequencer=identical").rw_identical);
    let hole = job("rw=write:12k");
    assert_eq!((hole.rw_run, hole.rw_hole_bytes), (1, 12_288));
    assert_eq!(
        job("rw=randread:8\nrw=read").rw_run,
        1,
        "the later one holds"
    );
    assert_eq!(job("rw=randread:1"), job("rw=randread"));
    for (lines, why) in [
        ("rw=randrw:8", "for reads, writes or trims alone"),
        ("rw=read:-8k", "positions do not go backwards"),
        ("rw=read:100", "multiples of 512"),
        ("rw=randread:0", "allowed are 1 to 4294967295"),
        ("rw=randread:", "not a number"),
        ("rw=randreat:8", "allowed are read"),
        (
            "rw_sequencer=random",
            "allowed are sequential and identical",
        ),
    ] {
        let message = refusal(lines);
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn distributions() {
    for (text, expected) in [
        ("random", Distribution::Random),
        ("zipf:1.2", Distribution::Zipf(Millionths(1_200_000))),
        ("zipf", Distribution::Zipf(Millionths(1_100_000))),
        ("pareto:0.9", Distribution::Pareto(Millionths(900_000))),
        ("normal:25", Distribution::Normal(Millionths(25_000_000))),
    ] {
        assert_eq!(
            job(&format!("random_distribution={text}")).distribution,
            expected
        );
    }
    for (text, why) in [
        (
            "zipf:0",
            "`0` is out of range; allowed is above 0 up to 100",
        ),
        (
            "pareto:1",
            "`1` is out of range; allowed is above 0 and below 1",
        ),
        (
            "zipf:1.2:0.5",
            "a centre after a second `:` is not supported",
        ),
        ("zoned:60/10:40/90", "`zoned` is not supported"),
        ("uniform", "allowed are random, zipf:THETA"),
    ] {
        let message = refusal(&format!("random_distribution={text}"));
        assert!(message.contains(why), "{message}");
    }
}

#[test]
fn short_times_are_microseconds_where_they_are_in_fio() {
    let job = job(
        "thinktime=250\nlatency_target=500\nlatency_window=1s\nlatency_percentile=99.9\n\
         startdelay=3\nsteadystate_duration=10",
    );
    assert_eq!(job.thinktime_ns, 250_000);
    assert_eq!(job.latency_target.target_ns, 500_000);
    assert_eq!(job.latency_target.window_ns, 1_000_000_000);
    assert_eq!(job.latency_target.percentile_milli_pct, 99_900);
    assert_eq!(job.startdelay_ns, 3_000_000_000);
    assert_eq!(job.steadystate_duration_ns, 10_000_000_000);
    let message = refusal("startdelay=1-5");
    assert!(message.contains("a delay by chance"), "{message}");
    let message = errors("[j]\nlatency_target=500").remove(0);
    assert!(
        message.ends_with("`latency_target` needs a `latency_window`"),
        "{message}"
    );
}

#[test]
fn rates_and_steadiness() {
    let rated = job("rate_iops=500,200\nrate_process=poisson");
    let ByDirection { read, write, trim } = rated.rate_iops;
    assert_eq!((read, write, trim), (500, 200, 200));
    assert_eq!(rated.rate_process, RateProcess::Poisson);
    for (text, figure, slope, limit) in [
        (
            "iops:0.3%",
            SteadyFigure::Iops,
            false,
            SteadyLimit::Percent(Millionths(300_000)),
        ),
        (
            "bw_slope:1m",
            SteadyFigure::Bandwidth,
            true,
            SteadyLimit::Absolute(1 << 20),
        ),
    ] {
        let expected = SteadyState {
            figure,
            slope,
            limit,
        };
        assert_eq!(
            job(&format!("steadystate={text}")).steadystate,
            Some(expected)
        );
        assert_eq!(job(&format!("ss={text}")).steadystate, Some(expected));
    }
    assert!(refusal("steadystate=lat:1%").contains("allowed are iops"));
    assert_eq!(
        job("percentile_list=99.9:50:99.99").percentile_list,
        [50_000, 99_900, 99_990]
    );
}

#[test]
fn a_sweep_makes_a_job_of_each_value() {
    let file = parsed("[a]\nsweep=iodepth:1..4\nsweep=bs:4k,8k\n[b]\nstonewall\nrw=write\n");
    let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "a/iodepth=1/bs=4k",
            "a/iodepth=1/bs=8k",
            "a/iodepth=2/bs=4k",
            "a/iodepth=2/bs=8k",
            "a/iodepth=4/bs=4k",
            "a/iodepth=4/bs=8k",
            "b"
        ]
    );
    assert_eq!(
        (file.jobs[3].iodepth, file.jobs[3].bs.read_bytes),
        (2, 8192)
    );
    let message = refusal("sweep=iodepth:0..3");
    assert!(message.contains("never ends"), "{message}");
    let message = refusal("sweep=iodepth:1,x");
    assert!(message.contains("`iodepth=x`"), "{message}");
    let message = refusal("sweep=bs:4k,5k,1000");
    assert!(message.contains("multiples of 512"), "{message}");
    assert!(refusal("sweep=repeat:1,2").contains("cannot be swept"));
    assert!(refusal("sweep=iodept:1,2").contains("did you mean `iodepth`"));
}

#[test]
fn names_of_a_sweep_have_one_spelling_of_a_size() {
    let names = |text: &str| -> Vec<String> {
        let file = JobFile::parse("t", text, &[]).unwrap();
        file.jobs.into_iter().map(|job| job.name).collect()
    };
    assert_eq!(
        names("[a]\nsweep=bs:4k..16k,5MiB,1536,0x200\n"),
        [
            "a/bs=4k",
            "a/bs=8k",
            "a/bs=16k",
            "a/bs=5m",
            "a/bs=1536",
            "a/bs=512"
        ]
    );
    // Ends of different units, which count in bytes.
    assert_eq!(
        names("[a]\nsweep=bs:512k..2m\n"),
        ["a/bs=512k", "a/bs=1m", "a/bs=2m"]
    );
    assert_eq!(
        names("[a]\nsweep=bs:64000,512k\nkb_base=1000\n"),
        ["a/bs=64000", "a/bs=500k"]
    );
    assert_eq!(
        names("[a]\nsweep=size:10%,1024k\n"),
        ["a/size=10%", "a/size=1m"]
    );
    assert_eq!(names("[a]\nsweep=iodepth:4096\n"), ["a/iodepth=4096"]);
}

#[test]
fn a_sweep_from_outside_and_a_key_set_for_all() {
    let text = "[a]\nsweep=iodepth:1,2\n";
    let file = JobFile::parse("t", text, &[set("sweep", "iodepth:8,16,32")]).unwrap();
    let depths: Vec<u32> = file.jobs.iter().map(|job| job.iodepth).collect();
    assert_eq!(depths, [8, 16, 32]);
    let file = JobFile::parse("t", text, &[set("iodepth", "5")]).unwrap();
    assert_eq!((file.jobs.len(), file.jobs[0].name.as_str()), (1, "a"));
    assert_eq!(
        file.notes,
        ["t:1: `iodepth` is set for all jobs, so it is not swept"]
    );
    let both = [set("iodepth", "5"), set("sweep", "iodepth:6,7")];
    assert_eq!(JobFile::parse("t", text, &both).unwrap().jobs.len(), 2);
}

#[test]
fn what_several_sections_become_alike_under_a_sweep_runs_once() {
    let text = "[a]\niodepth=1\n[b]\nstonewall\niodepth=32\n";
    let file = JobFile::parse("t", text, &[set("sweep", "iodepth:1,32")]).unwrap();
    let names: Vec<&str> = file.jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a/iodepth=1", "a/iodepth=32"]);
}

#[test]
fn more_jobs_than_anyone_waits_for_are_refused() {
    let message = errors("[a]\nsweep=iodepth:1..1024/1\nsweep=rwmixread:0..100/1\n").remove(0);
    assert!(message.contains("more than 1024 jobs"), "{message}");
}

#[test]
fn names_of_jobs() {
    assert_eq!(job("name=mine").name, "mine");
    let file = parsed("[global]\nname=all\n[a]\n[b]\nstonewall\nname=own\n");
    assert_eq!(
        (file.jobs[0].name.as_str(), file.jobs[1].name.as_str()),
        ("all", "own")
    );
    assert!(refusal("name=global-x").contains("global sections"));
}

#[test]
fn keys_that_contradict_each_other() {
    for lines in [
        "verify=pattern\nzero_buffers",
        "verify=pattern\nbuffer_pattern=0xff",
        "verify=pattern\nrw=randrw\nbssplit=4k/50:8k/50",
        "verify=pattern\nrw=randwrite\nnumjobs=2",
        "verify=pattern\nrw=randtrim",
        "verify=pattern\nrw=write\nconcurrent=1",
        "adapters=2",
        "verify=pattern\nrw=randwrite\nrandom_distribution=zipf",
    ] {
        let all = errors(&format!("[j]\n{lines}"));
        assert!(
            all.len() == 1 && all[0].starts_with("t.fio:1: job `j`: "),
            "{all:?}"
        );
    }
}

#[test]
fn scattered_writes_can_be_verified_in_a_region_that_was_filled() {
    for lines in [
        "rw=randrw\nbssplit=4k/50:8k/50",
        "rw=randwrite\nnumjobs=2",
        "rw=randwrite\nrandom_distribution=zipf",
    ] {
        job(&format!("verify=pattern\nprefill\n{lines}"));
    }
    // Reads change nothing.
    job("verify=pattern\nbssplit=4k/50:8k/50");
}

#[test]
fn trims_have_a_block_size_of_their_own() {
    let trim = job("rw=randtrim\nbs=4k,8k,1m\noffset_increment=10%");
    assert_eq!((trim.rw, trim.bs.trim_bytes), (Rw::RandTrim, 1 << 20));
    assert!(trim.rw.writes() && !trim.rw.reads() && trim.rw.is_random());
    assert_eq!(trim.offset_increment, Extent::Percent(10));
}

#[test]
fn what_is_not_default_is_told_key_by_key() {
    let keys = job("rw=randrw\nnumjobs=4\nfsync=8\nscratch=x\nrepeat=3").keys();
    let told: Vec<String> = keys
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    assert_eq!(
        told,
        ["fsync=8", "numjobs=4", "repeat=3", "rw=randrw"].map(|one| one.to_string())
    );
}
