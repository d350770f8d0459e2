//! Several adapters at once: one row, exact counts, and an even share for each.

use serde_json::Value;
use tests::call;

const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/together.fio");

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a count")
}

fn rows_on(flags: &[&str]) -> Vec<Value> {
    let flags = [flags, &["--backend", "file:64m", "--job", JOB]].concat();
    let called = call("run", &flags);
    assert_eq!(
        called.result()["outcome"]["complete"],
        true,
        "{}",
        called.err
    );
    called.rows()
}

/// A row on all `adapters` at once, of so many I/Os.
fn is_whole(row: &Value, adapters: usize, ios: u64) {
    assert_eq!(row["status"], "ok", "{row:#}");
    assert_eq!(
        number(&row["read"]["ios"]) + number(&row["write"]["ios"]),
        ios
    );
    let shares = row["shares"].as_array().expect("shares");
    assert_eq!(shares.len(), adapters, "{row:#}");
    let each: Vec<u64> = shares.iter().map(|share| number(&share["ios"])).collect();
    assert_eq!(each.iter().sum::<u64>(), ios, "{row:#}");
    let least = each.iter().min().expect("a share");
    let most = each.iter().max().expect("a share");
    assert!(
        most - least <= 3,
        "{each:?}: one for each of numjobs at most"
    );
    let names: Vec<&str> = row["checks"]
        .as_array()
        .expect("checks")
        .iter()
        .map(|check| {
            assert_eq!(check["status"], "ok", "{row:#}");
            check["name"].as_str().expect("a name")
        })
        .collect();
    assert_eq!(names, ["commands", "bytes", "disks"]);
    let interrupts = &row["interrupts"];
    if row["params"]["wait"] != "poll" {
        assert!(number(&interrupts["device"]) > 0, "{row:#}");
        assert_eq!(interrupts["lost"], 0, "{row:#}");
        assert_eq!(interrupts["spurious"], 0, "{row:#}");
    }
}

#[test]
fn two_of_one_kind_and_two_of_different_kinds_and_all_four() {
    for (flags, adapters, irq) in [
        (&["--adapters", "2"][..], 2, "msi"),
        (&["--controller", "pvscsi,nvme"], 2, "msi+msix"),
        (&["--controller", "all"], 4, "msi+msix"),
    ] {
        let rows = rows_on(flags);
        let (fills, others): (Vec<Value>, Vec<Value>) = rows.into_iter().partition(|row| {
            let job = row["job"].as_str().expect("a job");
            job.ends_with("-prefill") || job.ends_with("-verify")
        });
        assert_eq!(fills.len(), 2 * adapters, "{flags:?}");
        for row in &fills {
            assert_eq!(row["status"], "ok", "{row:#}");
            assert_eq!(row["shares"], Value::Array(Vec::new()));
        }
        let jobs: Vec<&str> = others
            .iter()
            .map(|row| row["job"].as_str().expect("a job"))
            .collect();
        assert_eq!(jobs, ["poll", "irq", "intx", "mix"], "{flags:?}");
        for row in &others[..3] {
            is_whole(row, adapters, 4_000);
        }
        is_whole(&others[3], adapters, 12_000);
        assert!(number(&others[3]["verified_blocks"]) > 0);
        assert_eq!(others[1]["params"]["irq"], irq);
        assert_eq!(others[2]["params"]["irq"], "intx");
    }
}

/// By time and one at a time, where the first of four once did twice as much as the last.
#[test]
fn adapters_of_one_kind_have_about_equal_shares() {
    let mut flags = vec!["--adapters", "4"];
    for key in [
        "concurrent=1",
        "iodepth=4",
        "wait=irq",
        "runtime=1",
        "ramp_time=100ms",
    ] {
        flags.extend(["--set", key]);
    }
    let called = call("run", &flags);
    assert_eq!(called.code, 0, "{}", called.err);
    for row in called.rows() {
        let shares = row["shares"].as_array().expect("shares").iter();
        let each: Vec<u64> = shares.map(|share| number(&share["ios"])).collect();
        let (least, most) = (each.iter().min(), each.iter().max());
        let (least, most) = (*least.expect("four"), *most.expect("four"));
        println!("{each:?}");
        assert!(most * 10 <= least * 13, "{each:?}");
    }
}
