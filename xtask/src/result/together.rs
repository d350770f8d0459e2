//! Checks of a row that ran on several disks at once.

use super::checks::{checks, compare, not_made};
use crate::qemu::blockstats::BlockStats;
use proto::result::{Check, Run};

/// All checks of a row; `each` has the statistics of its disks, in their order.
#[must_use]
pub fn row_checks(run: &Run, each: Result<&[BlockStats], &str>) -> Vec<Check> {
    let sum = each.map(BlockStats::sum);
    let sum = sum.as_ref().map_err(|why| *why);
    let mut made = checks(kind(run), &run.commands, run.retries, sum);
    if !run.shares.is_empty() {
        made.push(by_disk(run, each));
    }
    made
}

/// The kind of the row's controllers, or `mixed`.
fn kind(run: &Run) -> &str {
    let kind_of = |id: &'_ str| id.split('@').next().unwrap_or_default().len();
    let first = &run.controller[..kind_of(&run.controller)];
    let mut others = run.shares.iter().map(|share| share.controller.as_str());
    match others.all(|id| id[..kind_of(id)] == *first) {
        true => first,
        false => "mixed",
    }
}

/// Whether each disk was given as many commands as its controller's driver says.
///
/// Not compared where a command need not be one operation of QEMU's: one that was
/// sent again, or is a flush, an unmap or durable.
fn by_disk(run: &Run, each: Result<&[BlockStats], &str>) -> Check {
    let name = "disks";
    let each = match each {
        Ok(each) => each,
        Err(why) => return not_made(name, why),
    };
    let commands = &run.commands;
    if run.retries + commands.flush + commands.unmap + commands.durable > 0 {
        return not_made(
            name,
            "a command that is sent again, a flush, an unmap and a durable write need not be \
             one operation of QEMU's",
        );
    }
    let pairs: Vec<(&str, u64, u64)> = run
        .shares
        .iter()
        .zip(each)
        .map(|(share, qemu)| {
            let operations = qemu.reads() + qemu.writes();
            (share.disk.as_str(), share.commands, operations)
        })
        .collect();
    compare(name, &pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::row;
    use proto::result::{CheckStatus, Commands, Share};

    fn together(controllers: [&str; 2]) -> Run {
        let share = |(controller, commands): (&str, u64)| Share {
            controller: controller.into(),
            disk: format!("{controller}:0:0"),
            ios: commands,
            commands,
        };
        let mut run = row(0).run;
        run.controller = controllers.join("+");
        run.shares = controllers.into_iter().zip([7, 3]).map(share).collect();
        run.commands = Commands {
            read: 10,
            read_bytes: 40_960,
            ..Commands::default()
        };
        run
    }

    fn reads(rd_operations: u64) -> BlockStats {
        BlockStats {
            rd_operations,
            rd_bytes: rd_operations * 4096,
            ..BlockStats::default()
        }
    }

    fn statuses(run: &Run, each: &[BlockStats]) -> Vec<CheckStatus> {
        let made = row_checks(run, Ok(each));
        let names: Vec<&str> = made.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["commands", "bytes", "disks"]);
        made.into_iter().map(|check| check.status).collect()
    }

    #[test]
    fn the_sum_is_compared_and_each_disk() {
        use CheckStatus::{Failed, Ok};
        let run = together(["pvscsi@00:03.0", "nvme@00:04.0"]);
        assert_eq!(statuses(&run, &[reads(7), reads(3)]), [Ok, Ok, Ok]);
        assert_eq!(statuses(&run, &[reads(6), reads(4)]), [Ok, Ok, Failed]);
        let one_more = statuses(&run, &[reads(7), reads(4)]);
        assert_eq!(one_more, [Failed, Failed, Failed]);
        let detail = &row_checks(&run, Result::Ok(&[reads(7), reads(3)]))[2].detail;
        assert!(
            detail.contains("nvme@00:04.0:0:0: guest 3, qemu 3"),
            "{detail}"
        );
    }

    #[test]
    fn flushes_are_compared_where_all_disks_count_them() {
        let of = |controllers, flush_operations| {
            let mut run = together(controllers);
            run.commands.flush = 2;
            let mut first = reads(7);
            first.flush_operations = flush_operations;
            statuses(&run, &[first, reads(3)])[0]
        };
        let scsi = ["pvscsi@00:03.0", "pvscsi@00:04.0"];
        assert_eq!(of(scsi, 2), CheckStatus::Ok);
        assert_eq!(of(scsi, 1), CheckStatus::Failed);
        assert_eq!(of(["pvscsi@00:03.0", "nvme@00:04.0"], 1), CheckStatus::Ok);
    }
}
