//! `trace`: I/Os one by one, in a file of their own.

use std::fs;
use tests::{Scenario, call, run};

/// A line of trace.csv by the names of its header.
struct Line<'a> {
    names: Vec<&'a str>,
    cells: Vec<&'a str>,
}

impl Line<'_> {
    fn text(&self, name: &str) -> &str {
        let at = self.names.iter().position(|one| *one == name);
        self.cells[at.unwrap_or_else(|| panic!("no column {name}"))]
    }

    fn number(&self, name: &str) -> i64 {
        let text = self.text(name);
        text.parse().unwrap_or_else(|_| panic!("{name}: `{text}`"))
    }
}

fn lines(csv: &str) -> Vec<Line<'_>> {
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = rows.next().expect("a header");
    let line = |cells: Vec<_>| Line {
        names: names.clone(),
        cells,
    };
    rows.map(line).collect()
}

#[test]
fn each_controller_tells_its_first_ios_one_by_one() {
    let called = run(&Scenario {
        name: "trace of sequential reads",
        flags: &[
            "--controller=all",
            "--fio=--name=a --rw=read --bs=4k --iodepth=8 --number_ios=2000",
            "--set=trace=700",
            "--set=stages=1",
        ],
        code: 0,
        says: &["eff."],
        rows: 4,
    });
    let path = called.file("trace.csv");
    let said = format!("I/Os one by one: {}", path.display());
    assert!(called.err.contains(&said), "{}", called.err);
    let csv = fs::read_to_string(path).expect("trace.csv");
    let all = lines(&csv);
    assert_eq!(all.len(), 4 * 700);
    for row in called.rows() {
        let number = 1 + row["row"].as_i64().expect("a number");
        assert_eq!(
            (&row["params"]["trace"], &row["trace_kept"]),
            (&700.into(), &700.into())
        );
        let own: Vec<&Line<'_>> = all
            .iter()
            .filter(|line| line.number("row") == number)
            .collect();
        assert_eq!(own.len(), 700, "row {number}");
        let latency = |name: &str| row["read"]["lat_ns"][name].as_i64().expect("a latency");
        let mut last = 0;
        let mut seqs = Vec::new();
        for line in own {
            assert_eq!(line.text("controller"), row["controller"]);
            assert_eq!(line.text("direction"), "read");
            // The sequence of the job: one block after the other.
            assert_eq!(line.number("offset_bytes"), 4096 * line.number("seq"));
            assert_eq!(line.number("length_bytes"), 4096);
            let stamps = [
                "submit_ns",
                "written_ns",
                "doorbell_ns",
                "doorbell_done_ns",
                "found_ns",
                "complete_ns",
            ]
            .map(|name| line.number(name));
            assert!(stamps.is_sorted(), "{stamps:?}");
            assert_eq!(stamps[5] - stamps[0], line.number("latency_ns"));
            assert!((latency("min")..=latency("max")).contains(&line.number("latency_ns")));
            assert!(last <= stamps[5], "in the order of completion");
            last = stamps[5];
            seqs.push(line.number("seq"));
        }
        assert!(last <= row["window_ns"].as_i64().expect("a window"));
        seqs.sort_unstable();
        seqs.dedup();
        assert_eq!(seqs.len(), 700, "each of them once");
    }
}

#[test]
fn a_row_that_is_bounded_by_time_fills_what_it_may_keep() {
    let called = call(
        "run",
        &[
            "--controller=nvme",
            "--fio=--name=t --rw=randrw --bs=4k --iodepth=32 --numjobs=2 --runtime=1 --time_based --ramp_time=100ms",
            "--set=trace=64k",
        ],
    );
    assert_eq!(called.code, 0, "{}", called.err);
    let csv = fs::read_to_string(called.file("trace.csv")).expect("trace.csv");
    let all = lines(&csv);
    let row = &called.rows()[0];
    let ios = row["read"]["ios"].as_u64().unwrap() + row["write"]["ios"].as_u64().unwrap();
    assert_eq!(row["trace_kept"], ios.min(65_536));
    assert_eq!(all.len() as u64, ios.min(65_536));
    let of = |direction: &str| {
        all.iter()
            .filter(|line| line.text("direction") == direction)
            .count()
    };
    assert!(of("read") > 0 && of("write") > 0 && of("read") + of("write") == all.len());
    for numjob in 0..2 {
        assert!(all.iter().any(|line| line.number("numjob") == numjob));
    }
    assert!(all.iter().all(|line| line.text("written_ns").is_empty()));
    assert!(all.iter().all(|line| line.number("complete_ns") >= 0));
}

#[test]
fn without_it_there_is_no_file() {
    let called = call("run", &["--fio=--name=n --rw=read --number_ios=10"]);
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(!called.file("trace.csv").exists());
    assert!(!called.err.contains("one by one"), "{}", called.err);
}
