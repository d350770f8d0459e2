//! Every controller by every way to wait: nothing is lost, nothing is made up.

use serde_json::Value;
use tests::call;

const JOB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/waiting.fio");

/// Sections of that job.
const SECTIONS: usize = 10;

/// The interrupt modes of each controller.
fn offers(result: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let controllers = result["controllers"].as_array().expect("controllers");
    controllers
        .iter()
        .map(|controller| {
            let modes = controller["interrupts"].as_array().expect("modes");
            (text(&controller["id"]), modes.iter().map(text).collect())
        })
        .collect()
}

/// A row that was announced by `irq`, or by the best mode.
fn halted(row: &Value, modes: &[String]) {
    let irq = row["params"]["irq"].as_str().expect("a mode");
    let best = row["params"]["wait"] == "hybrid";
    assert!(modes.iter().any(|mode| mode == irq), "{row:#}");
    assert!(!best || irq == modes[0], "{row:#}");
    let interrupts = &row["interrupts"];
    assert_eq!(interrupts["lost"], 0, "{row:#}");
    assert_eq!(interrupts["spurious"], 0, "{row:#}");
    let shared: u64 = interrupts["completions"]
        .as_array()
        .expect("buckets")
        .iter()
        .map(|bucket| bucket[1].as_u64().expect("a count"))
        .sum();
    let device = interrupts["device"].as_u64().expect("a count");
    assert!(shared <= device && device <= shared + 1, "{row:#}");
    let accesses = &row["accesses"];
    // Each was ended, but for one that the window may have ended before.
    let taken = accesses["interrupts"].as_u64().expect("a count");
    let ended = accesses["eois"].as_u64().expect("a count");
    assert!(taken - ended <= 1, "{row:#}");
    // One is taken per halt, and one more where the timer ended it.
    let halts = accesses["halts"].as_u64().expect("a count");
    let timer = interrupts["timer"].as_u64().expect("a count");
    assert!(taken <= halts + timer, "{row:#}");
}

#[test]
fn every_controller_completes_exactly_what_it_was_given_by_every_way_to_wait() {
    for backend in ["null", "null:latency=1ms"] {
        let flags = ["--controller", "all", "--backend", backend, "--job", JOB];
        let called = call("run", &flags);
        let result = called.result();
        assert_eq!(result["outcome"]["complete"], true, "{}", called.err);
        let offers = offers(&result);
        let rows = called.rows();
        assert_eq!(rows.len(), SECTIONS * offers.len());
        for row in rows {
            let controller = row["controller"].as_str().expect("an id");
            let (_, modes) = offers.iter().find(|(id, _)| id == controller).unwrap();
            let job = row["job"].as_str().expect("a job");
            let (asked, depth) = job.split_once('-').expect("way and depth");
            if ["msix", "msi", "intx"].contains(&asked) && !modes.iter().any(|mode| mode == asked) {
                assert_eq!(row["status"], "skipped", "{row:#}");
                let reason = format!("does not offer irq={asked}");
                assert!(row["reason"].as_str().unwrap().contains(&reason), "{row:#}");
                continue;
            }
            assert_eq!(row["status"], "ok", "{row:#}");
            let ios = if depth == "1" { 400 } else { 4_000 };
            assert_eq!(row["read"]["ios"], ios, "{row:#}");
            assert_eq!(row["commands"]["read"], ios, "{row:#}");
            for check in row["checks"].as_array().expect("checks") {
                assert_eq!(check["status"], "ok", "{controller} {job}: {check:#}");
            }
            if asked == "poll" {
                assert_eq!(row["interrupts"], Value::Null);
                assert_eq!(row["cpu"]["busy_pct"], 100.0, "{row:#}");
            } else {
                halted(&row, modes);
            }
            println!(
                "{backend} {controller} {job}: halted {:.0} %",
                100.0 - row["cpu"]["busy_pct"].as_f64().expect("a share")
            );
        }
    }
}
