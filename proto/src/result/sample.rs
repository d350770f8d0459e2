//! Figures and a document in which every field holds something.

use super::*;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use serde_json::{Value, json};

fn counts(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs
        .iter()
        .map(|(name, count)| (name.to_string(), *count))
        .collect()
}

pub(crate) fn guest() -> GuestInfo {
    GuestInfo {
        hypervisor: "tcg".to_string(),
        boot: "pvh".to_string(),
        job_source: "fw_cfg".to_string(),
        tsc_khz: 2_400_000,
        tsc_source: "hpet".to_string(),
        tsc_spread_ppm: Some(12),
        tsc_cross_check: Some("pm_timer".to_string()),
        timer_cost_cycles: 54,
        empty_loop_cycles: 7,
        cpus: 1,
        memory_mib: 64,
        boot_ns: 41_000_000,
    }
}

pub(crate) fn controller() -> ControllerInfo {
    ControllerInfo {
        id: "pvscsi@00:03.0".to_string(),
        kind: "pvscsi".to_string(),
        pci: "00:03.0".to_string(),
        pci_id: "15ad:07c0".to_string(),
        interrupts: vec!["msix".to_string()],
        limits: counts(&[("depth", 1023)]),
        bars: vec![BarInfo {
            index: 0,
            space: "memory64".to_string(),
            prefetchable: false,
            address: 0x80_0000_0000,
            size_bytes: 32_768,
        }],
    }
}

pub(crate) fn disk() -> DiskInfo {
    DiskInfo {
        id: "pvscsi@00:03.0:0:0".to_string(),
        name_in_vsphere: "SCSI 0:0".to_string(),
        controller: "pvscsi@00:03.0".to_string(),
        serial: "S-1 \u{b5} \"quoted\"".to_string(),
        wwid: "naa.5000".to_string(),
        vendor: "QEMU".to_string(),
        model: "QEMU HARDDISK".to_string(),
        blocks: 419_430_400,
        block_size: 512,
        read_only: false,
        write_allowed: true,
        write_reason: "stamped as scratch".to_string(),
        holds: None,
    }
}

pub(crate) fn ignored() -> IgnoredInfo {
    IgnoredInfo {
        id: "pvscsi@00:03.0:1:0".to_string(),
        reason: "CD-ROM".to_string(),
    }
}

fn latency() -> LatencyNs {
    LatencyNs {
        min: Some(4_000),
        mean: Some(5_123.25),
        stddev: Some(0.1 + 0.2),
        max: Some(30_000_000_000),
        p50: Some(5_000),
        p90: Some(6_000),
        p95: Some(7_000),
        p99: Some(8_000),
        p99_9: Some(9_000),
        p99_99: Some(10_000),
    }
}

fn direction() -> Direction {
    Direction {
        ios: 1_000_000_000_000,
        bytes: (1 << 53) + 1,
        iops: 123_456.789,
        bw_bytes: 1_048_576_000.0,
        lat_ns: latency(),
        percentiles: [("99.5".to_string(), Some(8_500))].into(),
        bins: vec![(4_096, 17), (u64::MAX, u64::MAX)],
        overflow: 1,
    }
}

pub(crate) fn run() -> Run {
    Run {
        row: 3,
        job: "quick-b".to_string(),
        controller: "pvscsi@00:03.0".to_string(),
        disk: "pvscsi@00:03.0:0:0".to_string(),
        shares: vec![Share {
            controller: "pvscsi@00:03.0".to_string(),
            disk: "pvscsi@00:03.0:0:0".to_string(),
            ios: 19,
            commands: 21,
        }],
        repeat: 1,
        params: RunParams {
            rw: "randrw".to_string(),
            bs: 4096,
            bs_write: Some(8192),
            iodepth: 32,
            iodepth_batch_submit: 16,
            iodepth_batch_complete_min: 8,
            numjobs: 1,
            rwmixread: 70,
            wait: "irq".to_string(),
            irq: Some("msi".to_string()),
            runtime_ns: Some(2_000_000_000),
            ramp_ns: 500_000_000,
            region_start: 1 << 20,
            region_bytes: 64 << 20,
            randseed: u64::MAX,
            ring_pages: 8,
            queues: 2,
            doorbell_batch: 4,
            verify: "pattern".to_string(),
            trace: 1_000,
            keys: [("rw".to_string(), "randrw".to_string())].into(),
        },
        status: RunStatus::Failed,
        reason: Some("1 byte differs".to_string()),
        started_at: Some("2026-12-01T10:00:00.000000412Z".to_string()),
        start_skew_ns: Some(412),
        window_ns: 2_000_000_123,
        open_at_end: OpenAtEnd {
            count: 32,
            oldest_ns: 9_000,
            censored: true,
        },
        commands: Commands {
            read: 10,
            write: 11,
            durable: 3,
            flush: 1,
            unmap: 2,
            failed: 3,
            read_bytes: 40_960,
            write_bytes: 90_112,
        },
        read: direction(),
        write: direction(),
        trim: Some(direction()),
        flush: Some(direction()),
        errors: 3,
        errors_by_kind: counts(&[("medium error", 3)]),
        retries: 4,
        verified_blocks: 5,
        mismatched_bytes: 1,
        mismatches: vec![Mismatch {
            offset: 8_192,
            expected: 0x5a,
            found: 0x5b,
        }],
        all_zero: Some(false),
        digest: "0f1e2d3c4b5a6978".to_string(),
        cpu: Cpu {
            busy_pct: 100.0,
            busy_cpu_s: 2.0,
            work_cycles_per_io: 812.5,
            submit_cycles_per_io: 200.5,
            doorbell_cycles_per_io: 400.0,
            reap_cycles_per_io: 112.0,
            handler_cycles_per_io: 100.0,
            empty_polls_per_io: 0.25,
            iops_per_cpu_pct: 1_234.5,
        },
        accesses: Accesses {
            doorbell_writes: 6,
            mmio_reads: 7,
            mmio_writes: 8,
            pio: 9,
            interrupts: 10,
            halts: 11,
            eois: 12,
            timer_writes: 13,
        },
        doorbells: counts(&[("kick_rw_io", 6)]),
        per_io: PerIo {
            accesses: 0.75,
            doorbells: 0.03125,
            interrupts: 0.5,
        },
        interrupts: Some(Interrupts {
            device: 7,
            empty: 1,
            timer: 2,
            spurious: 1,
            lost: 3,
            completions: vec![(0, 1), (2, 6)],
        }),
        exits_bounds: ExitsBounds {
            min: 0.75,
            max: 1.5,
        },
        depth: Depth {
            asked: 32,
            effective: 31.75,
            limit: 1_023,
        },
        stages_ns: Some(StagesNs {
            build: 100.5,
            batch: 200.5,
            doorbell: 300.5,
            in_flight: 400.5,
            reap: 500.5,
            clamped: 12,
        }),
        late: Some(Late {
            mean_ns: 12.5,
            lat_intended_ns: latency(),
            bins: vec![(4_096, 17)],
        }),
        latency_target: Some(TargetFound {
            target_ns: 1_000_000,
            depth: 11,
            finished: true,
        }),
        steady: Some(SteadyFound {
            attained: true,
            criterion: 0.25,
        }),
        trace_kept: 999,
        gaps: Gaps {
            count: 1,
            longest_ns: 400_000,
            threshold_ns: 200_000,
            long_doorbells: 2,
            longest_doorbell_ns: 300_000,
        },
        checks: vec![Check {
            name: "commands".to_string(),
            status: CheckStatus::NotMade,
            detail: "no host".to_string(),
        }],
    }
}

/// The host's document around the guest's parts.
pub(crate) fn document() -> Value {
    let mut run = serde_json::to_value(run()).unwrap();
    run["host"] = json!({
        "wall_s": 2.75, "cpu_s": 3.5, "vcpu_s": 2.5, "device_s": 1.0, "cpu_us_per_io": 10.25,
        "threads": {"CPU 0/TCG": 2.5}, "idle_cpu_s": 2.5, "net_cpu_s": 1.0,
        "net_cpu_us_per_io": 3.0,
        "blockstats": {"rd_operations": (1u64 << 53) + 1},
    });
    json!({
        "schema": SCHEMA,
        "tool": "ioprobe 0.1.0",
        "started": "2024-01-02T03:04:05+05:45",
        "ended": "2024-01-02T03:04:15+05:45",
        "outcome": {
            "complete": true, "exit_code": 1, "message": "a check failed", "records": 12,
            "trouble": ["record 3 is missing"],
        },
        "host": {
            "job": "quick", "qemu_version": "7.2.22", "accel": "tcg", "accel_reason": "/dev/kvm is missing",
            "backend": "null", "command_line": "qemu-system-x86_64 -M q35",
            "first_record_s": 0.25,
        },
        "guest": guest(),
        "controllers": [controller()],
        "disks": [disk()],
        "ignored": [ignored()],
        "notes": ["a note"],
        "progress": [{"what": "first_io", "at_ns": 41_000_000}],
        "runs": [run],
    })
}
