//! Jobs that the plain loop cannot do, from their text to what the device got.

use crate::bench::{Outcome, Shared, clock, device, single};
use drivers::block::{Op, Request};
use engine::fake::HandClock;
use proto::job::JobFile;
use proto::result::{Run, RunStatus};

const ID: &str = "pvscsi@00:03.0:0:0";

/// Runs a job of these lines, and gives its rows and the requests of the last one.
fn ran_on(clock: &HandClock, lines: &str) -> (Outcome, Vec<Request>) {
    let text = format!("[j]\n{lines}\nallow_write={ID}\n");
    let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
    let mut device = device(clock);
    device.disks[0].trim = true;
    let (outcome, shared): (Outcome, Shared) = single(device, clock, &jobs);
    let rows = outcome.rows();
    let last = rows.last().unwrap();
    assert_eq!(
        (last.status, &last.reason),
        (RunStatus::Ok, &None),
        "{lines}"
    );
    let commands = last.commands;
    let all = commands.read + commands.write + commands.flush + commands.unmap;
    let log = shared.0.borrow().log.clone();
    let requests = log[log.len().saturating_sub(all as usize)..].to_vec();
    (outcome, requests)
}

fn ran(lines: &str) -> (Run, Vec<Request>) {
    let (outcome, requests) = ran_on(&clock(), lines);
    let run = (*outcome.rows().last().unwrap()).clone();
    (run, requests)
}

fn lbas(requests: &[Request]) -> Vec<u64> {
    requests.iter().map(|request| request.lba.0).collect()
}

#[test]
fn several_jobs_have_a_depth_a_region_and_a_quota_each() {
    let (run, requests) =
        ran("rw=read\nbs=4k\niodepth=2\nnumjobs=3\nsize=64k\noffset=1m\noffset_increment=8m");
    assert_eq!(
        (run.read.ios, run.read.bytes, run.params.numjobs),
        (48, 48 * 4096, 3)
    );
    assert_eq!(run.depth.asked, 6);
    for member in 0..3u64 {
        let start = (1 << 11) + member * (8 << 11);
        let of: Vec<u64> = lbas(&requests)
            .into_iter()
            .filter(|lba| (start..start + 128).contains(lba))
            .collect();
        let expected: Vec<u64> = (0..16).map(|index| start + index * 8).collect();
        assert_eq!(of, expected, "job {member} reads its region once, in order");
    }
}

#[test]
fn jobs_share_a_region_and_differ_in_their_order() {
    let (run, requests) = ran("rw=randread\nbs=4k\niodepth=4\nnumjobs=4\nsize=1m");
    assert_eq!(run.read.ios, 4 * 256);
    let mut counts = std::collections::BTreeMap::new();
    for lba in lbas(&requests) {
        *counts.entry(lba).or_insert(0) += 1;
    }
    // Each visits every block once.
    assert_eq!(counts.len(), 256);
    assert!(counts.values().all(|&count| count == 4));
    let first: std::collections::BTreeSet<u64> = lbas(&requests[..4]).into_iter().collect();
    assert_eq!(first.len(), 4, "four seeds, four starts");
}

#[test]
fn a_crew_of_one_does_what_the_plain_loop_does() {
    let lines = "rw=randrw\nbs=4k\niodepth=4\nsize=1m\nrwmixread=70";
    let (plain, of_plain) = ran(lines);
    let (crew, of_crew) = ran(&format!("{lines}\nthinktime=0\nfsync=1000000"));
    assert_eq!(plain.digest, crew.digest);
    assert_eq!(lbas(&of_plain), lbas(&of_crew));
    let (no_flush, some) = (crew.flush.as_ref().unwrap().ios, crew.write.ios);
    assert!(no_flush == 0 && some > 0);
}

#[test]
fn shares_are_exact_whoever_chooses() {
    for pct in [0u64, 1, 30, 50, 70, 99, 100] {
        let (run, requests) = ran(&format!(
            "rw=randrw\nbs=512\niodepth=8\nnumjobs=2\nsize=1m\nnumber_ios=1000\nrwmixread={pct}"
        ));
        let reads = requests
            .iter()
            .filter(|request| request.op == Op::Read)
            .count() as u64;
        assert_eq!(
            (reads, run.commands.read, run.commands.write),
            (pct * 20, pct * 20, 2000 - pct * 20)
        );
    }
}

#[test]
fn flushes_follow_writes_and_are_no_ios() {
    let (run, requests) = ran("rw=write\nbs=4k\nsize=64k\nfsync=4\niodepth=1");
    assert_eq!(
        (run.write.ios, run.commands.write, run.commands.flush),
        (16, 16, 4)
    );
    assert_eq!(run.flush.unwrap().ios, 4);
    for (at, request) in requests.iter().enumerate() {
        assert_eq!(request.op == Op::Flush, at % 5 == 4, "{at}");
    }
    let (reads, _) = ran("rw=read\nsize=64k\nfsync=4");
    assert_eq!((reads.commands.flush, reads.flush), (0, None));
}

#[test]
fn durable_writes_carry_it_and_say_where_there_is_none() {
    for lines in [
        "rw=write\nsize=64k\nsync=1",
        "rw=write\nsize=64k\nsync=dsync\nnumjobs=2",
    ] {
        let (_, requests) = ran(lines);
        assert!(
            requests
                .iter()
                .all(|request| request.op == Op::WriteDurable)
        );
    }
    let clock = clock();
    let text = format!("[j]\nrw=write\nsize=64k\nsync=1\nallow_write={ID}\n");
    let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
    let mut device = device(&clock);
    device.disks[0].durable_writes = false;
    let (outcome, _) = single(device, &clock, &jobs);
    let notes = outcome.notes();
    assert!(
        notes.iter().any(|note| note.contains("takes no FUA")),
        "{notes:?}"
    );
}

#[test]
fn trims_move_no_bytes_and_need_a_disk_that_takes_them() {
    let (run, requests) = ran("rw=randtrim\nbs=64k\nsize=1m\niodepth=4");
    assert_eq!(
        (
            run.commands.unmap,
            run.commands.write,
            run.commands.write_bytes
        ),
        (16, 0, 0)
    );
    let trim = run.trim.unwrap();
    assert_eq!((trim.ios, trim.bytes, run.write.ios), (16, 1 << 20, 0));
    assert!(
        requests
            .iter()
            .all(|request| request.op == Op::Trim && request.blocks == 128)
    );
    let clock = clock();
    let text = format!("[j]\nrw=trim\nsize=1m\nallow_write={ID}\n");
    let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
    let (outcome, _) = single(device(&clock), &clock, &jobs);
    let run = outcome.rows()[0];
    assert_eq!(run.reason.as_deref(), Some("the disk takes no trims"));
}

#[test]
fn lengths_by_share_are_counted_in_bytes() {
    let (run, requests) = ran("rw=read\nbssplit=4k/50:64k/50\nsize=16m\nnumber_ios=200");
    let of = |blocks| {
        requests
            .iter()
            .filter(|request| request.blocks == blocks)
            .count()
    };
    assert_eq!((of(8), of(128)), (100, 100));
    assert_eq!(run.read.bytes, 100 * (4096 + 65_536));
    assert_eq!(run.commands.read_bytes, run.read.bytes);
}

#[test]
fn a_rate_is_kept_and_lateness_is_told() {
    let (run, _) = ran("rw=randread\nrate_iops=1000\ntime_based\nruntime=100ms\niodepth=4");
    assert!((100..=101).contains(&run.read.ios), "{}", run.read.ios);
    let late = run.late.unwrap();
    assert!(late.mean_ns < 2_000.0, "{}", late.mean_ns);
    // A device of 20 us cannot do 100,000 a second at depth 1: what waits grows.
    let (run, _) = ran("rw=randread\nrate_iops=100000\ntime_based\nruntime=100ms\niodepth=1");
    let late = run.late.unwrap();
    assert!((4_500..=5_000).contains(&run.read.ios), "{}", run.read.ios);
    assert!(late.mean_ns > 20_000_000.0, "{}", late.mean_ns);
    assert!(late.lat_intended_ns.max.unwrap() > 40_000_000);
    assert!(run.read.lat_ns.max.unwrap() < 30_000);
    // Each of several jobs has the rate, and each direction.
    let (run, _) =
        ran("rw=randrw\nrate_iops=1000,500\nnumjobs=2\ntime_based\nruntime=100ms\niodepth=4");
    assert!((198..=204).contains(&run.read.ios), "{}", run.read.ios);
    assert!((98..=104).contains(&run.write.ios), "{}", run.write.ios);
}

#[test]
fn a_pause_comes_after_the_last_of_a_burst_is_done() {
    let (run, _) =
        ran("rw=randread\nthinktime=1ms\nthinktime_blocks=4\niodepth=2\ntime_based\nruntime=100ms");
    // Two rounds of two, 20 us each, and a pause of 1 ms.
    let bursts = 100_000 / (1_000 + 2 * 22);
    let expected = bursts * 4;
    assert!(
        run.read.ios.abs_diff(expected) <= 8,
        "{} {expected}",
        run.read.ios
    );
}

#[test]
fn a_delay_is_in_no_window() {
    let clock = clock();
    let before = clock.peek();
    let (outcome, _) = ran_on(&clock, "rw=read\nstartdelay=50ms\nsize=64k");
    let run = outcome.rows()[0];
    assert!(clock.peek() - before > 50_000_000);
    assert!(run.window_ns < 1_000_000, "{}", run.window_ns);
}

#[test]
fn loops_go_over_the_region_again() {
    let (run, requests) = ran("rw=read\nbs=4k\nsize=16k\nloops=3");
    assert_eq!(run.read.ios, 12);
    assert_eq!(lbas(&requests), [0, 8, 16, 24].repeat(3));
    assert_eq!(
        ran("rw=read\nbs=4k\nsize=16k\nloops=3\nnumjobs=2")
            .0
            .read
            .ios,
        24
    );
}

#[test]
fn the_depth_that_meets_a_latency_is_found_and_measured() {
    // 20 us each, and 1 us per command in the queue.
    let clock = HandClock::new(5_000_000, 10, 100);
    let text = "[j]\nrw=randread\niodepth=32\nlatency_target=20050ns\nlatency_window=5ms\n\
                latency_percentile=99\ntime_based\nruntime=10s\n";
    let jobs = JobFile::parse("t", text, &[]).unwrap().jobs;
    let mut device = device(&clock);
    device.costs = [0, 0, 0];
    let (outcome, _) = single(device, &clock, &jobs);
    let run = outcome.rows()[0];
    let found = run.latency_target.unwrap();
    assert!(found.finished, "{found:?}");
    // Latencies of a batch grow with what is built before its doorbell.
    assert!((1..32).contains(&found.depth), "{found:?}");
    assert!(run.depth.effective <= f64::from(found.depth) + 0.01);
    assert!(
        run.window_ns >= 5_000_000 && run.window_ns < 6_000_000,
        "{}",
        run.window_ns
    );
}

#[test]
fn a_steady_figure_ends_the_row() {
    let (run, _) = ran(
        "rw=randread\niodepth=1\nsteadystate=iops:5%\nsteadystate_duration=3\ntime_based\nruntime=60s",
    );
    let steady = run.steady.unwrap();
    assert!(steady.attained && steady.criterion < 5.0, "{steady:?}");
    assert!(
        (3_000_000_000..3_200_000_000).contains(&run.window_ns),
        "{}",
        run.window_ns
    );
}

#[test]
fn repeats_take_turns() {
    let clock = clock();
    let text = "[a]\nsize=64k\nrepeat=2\n[b]\nstonewall\nsize=64k\niodepth=2\nrepeat=3\n";
    let jobs = JobFile::parse("t", text, &[]).unwrap().jobs;
    let (outcome, _) = single(device(&clock), &clock, &jobs);
    let rows: Vec<(String, u32)> = outcome
        .rows()
        .iter()
        .map(|run| (run.job.clone(), run.repeat))
        .collect();
    let expected = [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("b", 2)];
    assert_eq!(
        rows,
        expected.map(|(job, repeat)| (job.to_string(), repeat))
    );
}

#[test]
fn a_prefill_writes_all_that_is_read_and_nothing_like_it_twice() {
    let clock = clock();
    let (outcome, requests) = ran_on(
        &clock,
        "rw=randread\nbs=4k\nsize=300k\noffset=1m\nprefill\niodepth=4",
    );
    let rows = outcome.rows();
    assert_eq!(
        (rows[0].job.as_str(), rows[0].commands.write_bytes),
        ("j-prefill", 300 << 10)
    );
    assert_eq!(rows[1].all_zero, Some(false));
    assert!(
        lbas(&requests)
            .iter()
            .all(|lba| (2048..2048 + 600).contains(lba))
    );
    assert_eq!(rows.len(), 2);
}

#[test]
fn what_writes_carry() {
    let contents = |lines: &str| {
        let clock = clock();
        let text = format!("[j]\nrw=write\nbs=4k\nsize=1m\noffset=8m\n{lines}\nallow_write={ID}\n");
        let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
        let (outcome, shared) = single(device(&clock), &clock, &jobs);
        assert_eq!(outcome.rows()[0].status, RunStatus::Ok);
        let device = shared.0.borrow();
        let blocks: Vec<Vec<u8>> = (0..2048)
            .map(|at| device.media[0].block((8 << 11) + at))
            .collect();
        blocks
    };
    assert!(
        contents("zero_buffers")
            .iter()
            .flatten()
            .all(|&byte| byte == 0)
    );
    assert!(
        contents("buffer_pattern=0xdead")
            .iter()
            .flatten()
            .copied()
            .eq([0xde, 0xad].repeat(512 * 1024))
    );
    let half = contents("buffer_compress_percentage=50");
    assert!(
        half.iter()
            .all(|block| block[256..].iter().all(|&byte| byte == 0))
    );
    let fresh = contents("refill_buffers");
    let distinct: std::collections::BTreeSet<&[u8]> =
        fresh.iter().map(|block| &block[16..]).collect();
    assert_eq!(distinct.len(), 2048);
    for (block, at) in fresh.iter().zip(0u64..) {
        let key = proto::pattern::key((8 << 20) + at * 512);
        assert_eq!(block[..16], key);
    }
}

#[test]
fn a_device_depth_bounds_what_the_device_has() {
    let (run, _) = ran("rw=randread\niodepth=32\ndevice_depth=8\ntime_based\nruntime=10ms");
    assert_eq!(run.depth.asked, 32);
    assert!(run.depth.effective <= 8.0 && run.depth.effective > 7.0);
}

#[test]
fn the_last_of_many_jobs_must_have_a_region_too() {
    let clock = clock();
    let text = "[j]\nnumjobs=4\nsize=1m\noffset_increment=22m\n";
    let jobs = JobFile::parse("t", text, &[]).unwrap().jobs;
    let (outcome, _) = single(device(&clock), &clock, &jobs);
    let reason = outcome.rows()[0].reason.clone().unwrap();
    assert!(reason.starts_with("job 3 of numjobs, from 0: "), "{reason}");
}

#[test]
fn positions_on_a_disk_of_20_tib_are_even_to_the_top() {
    for lines in [
        "",
        "norandommap",
        "numjobs=2",
        "random_distribution=pareto:0.5",
    ] {
        let clock = clock();
        let text = format!("[j]\nrw=randread\niodepth=8\n{lines}\nnumber_ios=20000\n");
        let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
        let disk = engine::fake::Device::new(&clock, 64, 20 << 31, 512, 2_000);
        let (outcome, shared) = single(disk, &clock, &jobs);
        assert_eq!(outcome.rows()[0].status, RunStatus::Ok, "{lines}");
        let log = shared.0.borrow().log.clone();
        let mut tenths = [0u32; 10];
        for request in log.iter().rev().take(20_000) {
            tenths[(request.lba.0 / (2 << 31)) as usize] += 1;
        }
        for tenth in tenths {
            assert!((1_800..=2_200).contains(&tenth), "{lines}: {tenths:?}");
        }
    }
}

#[test]
fn a_stall_is_seen_by_every_io_that_it_delays_where_the_rate_is_fixed() {
    let stall = |lines: &str| {
        // 1 ms each, and in the middle one that takes 2 s.
        let clock = HandClock::new(5_000_000, 10, 1_000);
        let text = format!("[j]\nrw=randread\niodepth=1\ntime_based\nruntime=10s\n{lines}\n");
        let jobs = JobFile::parse("t", &text, &[]).unwrap().jobs;
        let mut device = device(&clock);
        device.plan = Box::new(|number, _| {
            engine::fake::Answer::ok(if number == 400 {
                2_000_000_000
            } else {
                1_000_000
            })
        });
        let (outcome, _) = single(device, &clock, &jobs);
        (*outcome.rows()[0]).clone()
    };
    // In a closed loop one I/O has it all, and the others know nothing of it.
    let closed = stall("");
    assert!(closed.read.lat_ns.max.unwrap() >= 2_000_000_000);
    assert!(closed.read.lat_ns.p99.unwrap() < 1_100_000);
    let rated = stall("rate_iops=100");
    let late = rated.late.unwrap();
    assert_eq!(rated.read.lat_ns.p99.unwrap() / 1_000_000, 1);
    let slow: u64 = late
        .bins
        .iter()
        .filter(|bin| bin.0 > 20_000_000)
        .map(|bin| bin.1)
        .sum();
    assert!(
        (180..=240).contains(&slow),
        "some 200 were due in 2 s: {slow}"
    );
    assert!(late.lat_intended_ns.p99.unwrap() > 1_500_000_000);
}
