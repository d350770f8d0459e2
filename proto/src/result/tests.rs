use super::*;
use alloc::string::ToString;
use serde_json::{Value, json};

#[test]
fn every_field_survives_a_round_trip() {
    let text = serde_json::to_string(&sample::run()).unwrap();
    assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), sample::run());
    let text = serde_json::to_string(&sample::guest()).unwrap();
    assert_eq!(
        serde_json::from_str::<GuestInfo>(&text).unwrap(),
        sample::guest()
    );
    let text = serde_json::to_string(&sample::controller()).unwrap();
    assert_eq!(
        serde_json::from_str::<ControllerInfo>(&text).unwrap(),
        sample::controller()
    );
    let text = serde_json::to_string(&sample::disk()).unwrap();
    assert_eq!(
        serde_json::from_str::<DiskInfo>(&text).unwrap(),
        sample::disk()
    );
    let text = serde_json::to_string(&sample::ignored()).unwrap();
    assert_eq!(
        serde_json::from_str::<IgnoredInfo>(&text).unwrap(),
        sample::ignored()
    );
}

#[test]
fn counts_stay_exact_beyond_what_doubles_hold() {
    let text = serde_json::to_string(&sample::run()).unwrap();
    for exact in [
        "\"bytes\":9007199254740993,",
        "\"ios\":1000000000000,",
        "[18446744073709551615,18446744073709551615]",
        "\"randseed\":18446744073709551615,",
    ] {
        assert!(text.contains(exact), "{exact} in {text}");
    }
    // What passes through an untyped value stays exact as well.
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["read"]["bytes"].as_u64(), Some((1 << 53) + 1));
    assert_eq!(serde_json::from_value::<Run>(value).unwrap(), sample::run());
}

#[test]
fn an_empty_direction_has_nulls_and_zeros_and_no_nan() {
    let value = serde_json::to_value(Direction::default()).unwrap();
    assert_eq!(
        value,
        json!({
            "ios": 0, "bytes": 0, "iops": 0.0, "bw_bytes": 0.0, "bins": [],
            "percentiles": {}, "overflow": 0,
            "lat_ns": {
                "min": null, "mean": null, "stddev": null, "max": null, "p50": null,
                "p90": null, "p95": null, "p99": null, "p99_9": null, "p99_99": null,
            },
        })
    );
}

#[test]
fn what_json_cannot_hold_becomes_zero_or_absent_in_every_field() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut run = sample::run();
        for direction in [&mut run.read, &mut run.write] {
            direction.iops = bad;
            direction.bw_bytes = bad;
            direction.lat_ns.mean = Some(bad);
            direction.lat_ns.stddev = Some(bad);
        }
        run.cpu = Cpu {
            busy_pct: bad,
            busy_cpu_s: bad,
            work_cycles_per_io: bad,
            submit_cycles_per_io: bad,
            doorbell_cycles_per_io: bad,
            reap_cycles_per_io: bad,
            handler_cycles_per_io: bad,
            empty_polls_per_io: bad,
            iops_per_cpu_pct: bad,
        };
        run.per_io = PerIo {
            accesses: bad,
            doorbells: bad,
            interrupts: bad,
        };
        run.depth.effective = bad;
        run.stages_ns = Some(StagesNs {
            build: bad,
            batch: bad,
            doorbell: bad,
            in_flight: bad,
            reap: bad,
            clamped: 0,
        });
        // serde_json writes null for a bad number, which would not read back as f64.
        let text = serde_json::to_string(&run).unwrap();
        let back: Run = serde_json::from_str(&text).unwrap();
        assert_eq!(back.read.iops, 0.0);
        assert_eq!(back.read.lat_ns.mean, None);
        assert_eq!(back.write.lat_ns.stddev, None);
        assert_eq!(back.cpu, Cpu::default());
        assert_eq!(back.per_io, PerIo::default());
        assert_eq!(back.stages_ns, Some(StagesNs::default()));
        assert_eq!(back.depth.effective, 0.0);
    }
}

#[test]
fn ratios_of_nothing_are_zero() {
    assert_eq!(ratio(1.0, 0.0), 0.0);
    assert_eq!(ratio(0.0, 0.0), 0.0);
    assert_eq!(ratio(1.0, 4.0), 0.25);
    assert_eq!(finite(f64::NAN), 0.0);
    assert_eq!(finite(-1.5), -1.5);
}

#[test]
fn fields_of_newer_versions_do_not_disturb() {
    let mut value = serde_json::to_value(sample::run()).unwrap();
    value["new"] = json!({"a": 2});
    value["cpu"]["new"] = json!([3]);
    assert_eq!(serde_json::from_value::<Run>(value).unwrap(), sample::run());
}

#[test]
fn a_higher_major_version_is_refused_with_the_version_needed() {
    assert_eq!(check_schema("ioprobe-result/1"), Ok(()));
    for (found, message) in [
        (
            "ioprobe-result/2",
            "schema `ioprobe-result/2` is newer than `ioprobe-result/1`: an ioprobe that \
             reads version 2 is needed",
        ),
        ("fio/1", "schema `fio/1` is not `ioprobe-result/1`"),
        ("", "schema `` is not `ioprobe-result/1`"),
    ] {
        assert_eq!(check_schema(found).unwrap_err().to_string(), message);
    }
}
