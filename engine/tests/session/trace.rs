//! The records of I/Os that rows keep one by one.

use crate::bench::Shared;
use crate::bench::{Line, adapter, clock, device, job, session, single};
use proto::job::Rw;
use proto::record::{Record, TraceIo};
use proto::result::RunStatus;

#[test]
fn they_come_after_the_row_in_records_of_bounded_length() {
    let clock = clock();
    let mut params = job("a", Rw::RandRead);
    params.number_ios = Some(600);
    params.trace = 500;
    params.stages = true;
    let (outcome, _) = single(device(&clock), &clock, &[params]);
    let after: Vec<&Line> = outcome
        .lines
        .iter()
        .skip_while(|line| !matches!(line, Line::Sync(1)))
        .collect();
    let mut ios: Vec<TraceIo> = Vec::new();
    let mut records = 0;
    for line in &after {
        if let Line::Record(Record::Trace(trace)) = line {
            assert_eq!((trace.row, trace.job.as_str()), (0, "a"));
            assert_eq!(trace.controllers, ["pvscsi@00:03.0"]);
            assert_eq!(trace.first, ios.len() as u64);
            ios.extend(trace.ios().unwrap());
            records += 1;
        }
    }
    assert_eq!((records, ios.len()), (2, 500));
    let row = outcome.rows()[0];
    assert_eq!((row.params.trace, row.trace_kept), (500, 500));
    assert_eq!((row.status, row.read.ios), (RunStatus::Ok, 600));
    let bounds = row.read.lat_ns.min.unwrap()..=row.read.lat_ns.max.unwrap();
    for io in &ios {
        assert!(bounds.contains(&io.latency_ns), "{io:?}");
        assert!(io.stages_ns.unwrap().is_sorted());
        assert!(io.stages_ns.unwrap()[3] <= io.latency_ns);
    }
    // All records are counted, and the row's own ends its traces.
    let all = outcome.records().count() as u64;
    let Some(Record::End(end)) = outcome.records().last() else {
        panic!("no end");
    };
    assert_eq!(end.records, all - 1 + 2);
    let last = after
        .iter()
        .rposition(|line| matches!(line, Line::Record(Record::Trace(_))));
    let row = after
        .iter()
        .position(|line| matches!(line, Line::Record(Record::Row(_))));
    assert!(last.unwrap() < row.unwrap());
}

#[test]
fn a_prefill_and_a_read_back_keep_none() {
    let clock = clock();
    let mut params = job("w", Rw::Write);
    params.prefill = true;
    params.verify = proto::job::Verify::Pattern;
    params.trace = 10;
    params.allow_write = vec!["pvscsi@00:03.0:0:0".into()];
    let (outcome, _) = single(device(&clock), &clock, &[params]);
    let kept: Vec<(u32, u64)> = outcome
        .rows()
        .iter()
        .map(|row| (row.params.trace, row.trace_kept))
        .collect();
    assert_eq!(kept, [(0, 0), (10, 10), (0, 0)]);
}

#[test]
fn of_several_adapters_at_once_each_io_names_its_own() {
    let clock = clock();
    let shared = [device(&clock), device(&clock)].map(|device| Shared::new(device, "pvscsi"));
    let mut params = job("a", Rw::RandRead);
    params.concurrent = true;
    params.trace = 100;
    let adapters = vec![
        adapter("00:03.0", &shared[0]),
        adapter("00:04.0", &shared[1]),
    ];
    let outcome = session(&clock, adapters, &[params]);
    let Some(Record::Trace(trace)) = outcome
        .records()
        .find(|record| matches!(record, Record::Trace(_)))
    else {
        panic!("no trace");
    };
    assert_eq!(trace.controllers, ["pvscsi@00:03.0", "pvscsi@00:04.0"]);
    let ios = trace.ios().unwrap();
    let of = |controller| ios.iter().filter(|io| io.controller == controller).count() as u64;
    let row = outcome.rows()[0];
    assert_eq!([of(0), of(1)], [row.shares[0].ios, row.shares[1].ios]);
    assert_eq!(row.trace_kept, 100);
}
