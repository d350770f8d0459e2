//! A disk that stands still for two seconds in the middle of a row.
//!
//! A closed loop sees a stall once: while it lasts nothing is started, so that one I/O
//! in hundreds is late. With a fixed rate the I/Os that should have started meanwhile
//! are late too, each by what was left of the stall.

use serde_json::{Value, json};
use tests::{Monitor, call_watched, wait_for_reads};

/// I/Os of the row without a rate.
const CLOSED: u64 = 600;
/// I/Os of that with one, and how many start in a second.
const RATED: u64 = 500;
const PER_SECOND: u64 = 100;
/// Latency that nothing but the stall explains.
const LATE_NS: u64 = 300_000_000;

/// Lets node 0 answer one read in a second, for two of them.
fn stall(monitor: &mut Monitor) {
    let done = set_iops(monitor, 1);
    // One was on its way.
    let _ = wait_for_reads(monitor, "node0", done + 3);
    let _ = set_iops(monitor, 0);
}

/// 0 is no limit. Gives how many reads were done then.
fn set_iops(monitor: &mut Monitor, iops: u64) -> u64 {
    let _ = monitor.execute(
        "block_set_io_throttle",
        &json!({
            "id": "disk-node0", "iops": iops, "iops_rd": 0, "iops_wr": 0,
            "bps": 0, "bps_rd": 0, "bps_wr": 0,
        }),
    );
    wait_for_reads(monitor, "node0", 0)
}

/// I/Os in bins from `from_ns` on.
fn beyond(bins: &Value, from_ns: u64) -> u64 {
    let bins = bins.as_array().expect("bins").iter();
    let bins = bins.map(|bin| {
        (
            bin[0].as_u64().expect("ns"),
            bin[1].as_u64().expect("a count"),
        )
    });
    bins.filter(|(start, _)| *start >= from_ns)
        .map(|(_, count)| count)
        .sum()
}

#[test]
fn a_stall_is_one_late_io_without_a_rate_and_hundreds_with_one() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("job.fio");
    let job = format!(
        "[global]\nrw=randread\nstonewall\n[closed]\nnumber_ios={CLOSED}\n\
         [rated]\nnumber_ios={RATED}\nrate_iops={PER_SECOND}\n"
    );
    std::fs::write(&path, job).expect("the job");
    let path = path.to_str().expect("a path");
    let flags = ["--backend", "null:latency=1ms", "--job", path];
    let called = call_watched("run", &flags, &[], |monitor| {
        let _ = wait_for_reads(monitor, "node0", CLOSED / 2);
        stall(monitor);
        let _ = wait_for_reads(monitor, "node0", CLOSED + RATED / 5);
        stall(monitor);
    });
    assert_eq!(called.code, 0, "{}", called.err);
    let rows = called.rows();
    let [closed, rated] = &rows[..] else {
        panic!("two rows: {}", called.err)
    };

    let max_ns = closed["read"]["lat_ns"]["max"].as_u64().expect("a maximum");
    assert!(max_ns >= 800_000_000, "{max_ns}");
    assert_eq!(closed["read"]["ios"], CLOSED);
    let late = beyond(&closed["read"]["bins"], LATE_NS);
    assert!((1..=4).contains(&late), "{late}");
    // Not even one in a hundred: the percentile is that of a disk that never stood still.
    let p99 = closed["read"]["lat_ns"]["p99"].as_u64();
    assert!(p99.is_none_or(|p99| p99 < LATE_NS), "{p99:?}");
    assert!(called.out.contains("closed loop"), "{}", called.out);

    assert_eq!(rated["read"]["ios"], RATED);
    let by_start = beyond(&rated["read"]["bins"], LATE_NS);
    assert!((1..=4).contains(&by_start), "{by_start}");
    let intended = &rated["late"];
    let longest_ns = intended["lat_intended_ns"]["max"]
        .as_u64()
        .expect("a maximum");
    let by_intention = beyond(&intended["bins"], LATE_NS);
    // One for each hundredth of a second that was left of the stall, and some while the
    // disk catches up.
    let expected = (longest_ns - LATE_NS) * PER_SECOND / 1_000_000_000;
    println!("{max_ns} ns; {by_start} and {by_intention} of {RATED} late, up to {longest_ns} ns");
    assert!(by_intention >= 100, "{by_intention}");
    assert!(by_intention + 3 >= expected, "{by_intention} of {expected}");
}
