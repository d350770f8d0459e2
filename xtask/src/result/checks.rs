//! The guest's counts against QEMU's, row by row and exactly.

use crate::qemu::blockstats::BlockStats;
use proto::result::{Check, CheckStatus, Commands};

/// Compares the commands and bytes of a row with the difference of QEMU's block
/// statistics between its two edges; without a difference both are not made.
///
/// QEMU's NVMe device does its flushes and deallocations past the statistics, so
/// there these two are not compared, and the check says so; nor are they for
/// controllers of several kinds (`mixed`), of which it may be one.
///
/// The two edges are points at which nothing is in flight, so there is no
/// tolerance. Of the `retries`, the commands that the guest sent again, QEMU counts
/// those as failed that a backend refused (TASK SET FULL), and does not count those
/// that no backend saw (UNIT ATTENTION). Each is one or the other.
#[must_use]
pub fn checks(
    controller: &str,
    guest: &Commands,
    retries: u64,
    qemu: Result<&BlockStats, &str>,
) -> Vec<Check> {
    let qemu = match qemu {
        Ok(qemu) => qemu,
        Err(why) => return vec![not_made("commands", why), not_made("bytes", why)],
    };
    let unseen_reads = guest.read.saturating_sub(qemu.reads()).min(retries);
    let others = retries - unseen_reads;
    let unseen_writes = guest.write.saturating_sub(qemu.writes()).min(others);
    let refused = others - unseen_writes;
    let mut kinds = vec![
        ("read", guest.read - unseen_reads, qemu.reads()),
        ("write", guest.write - unseen_writes, qemu.writes()),
        ("failed", guest.failed + refused, qemu.failed()),
    ];
    let past_statistics = match controller {
        "nvme" => guest.flush + guest.unmap > 0,
        "mixed" => guest.flush + guest.unmap + guest.durable > 0,
        _ => false,
    };
    if !past_statistics {
        // A SCSI disk of QEMU's makes a durable write a write and a flush.
        let flushes = match controller {
            "nvme" => guest.flush,
            _ => guest.flush + guest.durable,
        };
        kinds.push(("flush", flushes, qemu.flushes()));
        kinds.push(("unmap", guest.unmap, qemu.unmaps()));
    }
    let mut commands = compare("commands", &kinds);
    if past_statistics {
        commands.detail.push_str(&format!(
            "; QEMU's NVMe device counts no flushes and no unmaps (guest: {} and {})",
            guest.flush, guest.unmap
        ));
    }
    vec![
        commands,
        compare(
            "bytes",
            &[
                ("read", guest.read_bytes, qemu.rd_bytes),
                ("write", guest.write_bytes, qemu.wr_bytes),
            ],
        ),
    ]
}

pub(super) fn not_made(name: &str, why: &str) -> Check {
    Check {
        name: name.to_owned(),
        status: CheckStatus::NotMade,
        detail: why.to_owned(),
    }
}

/// Names both figures of every kind that is not zero on both sides.
pub(super) fn compare(name: &str, pairs: &[(&str, u64, u64)]) -> Check {
    let same = pairs.iter().all(|(_, guest, qemu)| guest == qemu);
    let figures: Vec<String> = pairs
        .iter()
        .filter(|(_, guest, qemu)| *guest != 0 || *qemu != 0)
        .map(|(kind, guest, qemu)| format!("{kind}: guest {guest}, qemu {qemu}"))
        .collect();
    Check {
        name: name.to_owned(),
        status: if same {
            CheckStatus::Ok
        } else {
            CheckStatus::Failed
        },
        detail: if figures.is_empty() {
            "none on either side".into()
        } else {
            figures.join("; ")
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUEST: Commands = Commands {
        read: 10,
        write: 2,
        durable: 0,
        flush: 1,
        unmap: 0,
        failed: 3,
        read_bytes: 40_960,
        write_bytes: 0,
    };

    fn qemu() -> BlockStats {
        BlockStats {
            rd_operations: 9,
            failed_rd_operations: 1,
            rd_bytes: 40_960,
            failed_wr_operations: 1,
            invalid_wr_operations: 1,
            flush_operations: 1,
            ..BlockStats::default()
        }
    }

    fn statuses(guest: &Commands, qemu: &BlockStats) -> [CheckStatus; 2] {
        let made = checks("pvscsi", guest, 0, Ok(qemu));
        assert_eq!(
            (made[0].name.as_str(), made[1].name.as_str()),
            ("commands", "bytes")
        );
        [made[0].status, made[1].status]
    }

    #[test]
    fn failed_and_refused_operations_are_commands() {
        assert_eq!(statuses(&GUEST, &qemu()), [CheckStatus::Ok; 2]);
    }

    #[test]
    fn a_difference_of_one_is_found_in_every_kind() {
        use CheckStatus::{Failed, Ok};
        let off = |change: fn(&mut Commands)| {
            let mut guest = GUEST;
            change(&mut guest);
            statuses(&guest, &qemu())
        };
        assert_eq!(off(|guest| guest.read += 1), [Failed, Ok]);
        assert_eq!(off(|guest| guest.write -= 1), [Failed, Ok]);
        assert_eq!(off(|guest| guest.flush += 1), [Failed, Ok]);
        assert_eq!(off(|guest| guest.unmap += 1), [Failed, Ok]);
        assert_eq!(off(|guest| guest.failed -= 1), [Failed, Ok]);
        assert_eq!(off(|guest| guest.read_bytes -= 1), [Ok, Failed]);
        assert_eq!(off(|guest| guest.write_bytes += 1), [Ok, Failed]);
    }

    #[test]
    fn commands_sent_again_were_refused_by_the_backend_or_not_seen_by_it() {
        let status = |read, failed, retries| {
            let guest = Commands {
                read,
                failed,
                ..GUEST
            };
            checks("pvscsi", &guest, retries, Ok(&qemu()))[0].status
        };
        // One of QEMU's three failures was sent again.
        assert_eq!(status(10, 2, 1), CheckStatus::Ok);
        // It never saw one of eleven.
        assert_eq!(status(11, 3, 1), CheckStatus::Ok);
        assert_eq!(status(11, 2, 2), CheckStatus::Ok);
        for (read, failed, retries) in [(10, 3, 1), (10, 2, 0), (11, 2, 1), (11, 3, 0), (12, 3, 1)]
        {
            assert_eq!(status(read, failed, retries), CheckStatus::Failed);
        }
    }

    #[test]
    fn what_qemu_does_not_count_of_nvme_is_not_compared_and_that_is_said() {
        let guest = Commands {
            unmap: 7,
            ..Commands::default()
        };
        let of = |kind: &str| checks(kind, &guest, 0, Ok(&BlockStats::default())).remove(0);
        assert_eq!(of("lsisas").status, CheckStatus::Failed);
        assert_eq!(of("nvme").status, CheckStatus::Ok);
        assert!(of("nvme").detail.ends_with("no unmaps (guest: 0 and 7)"));
        let wrong = Commands { read: 1, ..guest };
        let made = checks("nvme", &wrong, 0, Ok(&BlockStats::default()));
        assert_eq!(made[0].status, CheckStatus::Failed);
    }

    #[test]
    fn a_durable_write_is_a_flush_too_where_qemu_makes_it_one() {
        let guest = Commands {
            write: 5,
            durable: 5,
            ..Commands::default()
        };
        let with = |flush_operations| BlockStats {
            wr_operations: 5,
            flush_operations,
            ..BlockStats::default()
        };
        let of = |kind: &str, flushes| checks(kind, &guest, 0, Ok(&with(flushes)))[0].status;
        assert_eq!(of("pvscsi", 5), CheckStatus::Ok);
        assert_eq!(of("pvscsi", 4), CheckStatus::Failed);
        assert_eq!(of("nvme", 0), CheckStatus::Ok);
    }

    #[test]
    fn detail_has_both_figures() {
        let detail = &checks("pvscsi", &GUEST, 0, Ok(&BlockStats::default()))[0].detail;
        assert!(detail.contains("read: guest 10, qemu 0"), "{detail}");
        assert!(!detail.contains("unmap"), "{detail}");
    }

    #[test]
    fn without_statistics_nothing_is_claimed() {
        let made = checks("nvme", &GUEST, 0, Err("QMP: gone"));
        assert!(
            made.iter()
                .all(|check| check.status == CheckStatus::NotMade)
        );
        assert!(made.iter().all(|check| check.detail == "QMP: gone"));
    }
}
