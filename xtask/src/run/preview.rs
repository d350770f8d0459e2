//! What a run would do: its rows, how long they take, what they need, and what would
//! be written where.

use super::disks::{Disk, Medium};
use super::machine::Plan;
use crate::failure::Failure;
use proto::job::{AtEnd, Extent, Params, Verify};
use proto::units::{size_text, time_text};

/// Rows that are shown one by one.
const SHOWN: usize = 64;

/// One row of the plan.
struct Row<'a> {
    job: &'a Params,
    /// One, or all of those that it runs on at once.
    disks: Vec<&'a Disk>,
    what: &'static str,
    repeat: u32,
}

/// The plan for a person.
#[must_use]
pub fn preview(plan: &Plan) -> String {
    let jobs = &plan.jobs;
    let rows = rows(jobs, &plan.disks);
    let mut text = String::from("# plan\n");
    let timed: u64 = rows.iter().filter_map(|row| length_ns(row)).sum();
    let open = rows.iter().filter(|row| length_ns(row).is_none()).count();
    text.push_str(&format!(
        "{} rows, {} of measuring, ramps and delays{}; {} MiB of guest memory\n",
        rows.len(),
        seconds(timed),
        match open {
            0 => String::new(),
            open => format!(", and {open} rows that end with their size or number of I/Os"),
        },
        plan.memory_mib
    ));
    for (number, row) in (1..).zip(&rows).take(SHOWN) {
        text.push_str(&format!("{number:>4}  {}\n", shown(row)));
    }
    if rows.len() > SHOWN {
        text.push_str(&format!("      .. and {} more\n", rows.len() - SHOWN));
    }
    for name in idle(plan) {
        text.push_str(&format!("job {name} has no disk to run on\n"));
    }
    text.push_str(&written(&rows));
    if jobs.iter().any(|job| job.at_end != AtEnd::Stay) {
        text.push_str("the machine ends itself after the last row\n");
    }
    text
}

/// Why a plan cannot give what its jobs ask for.
///
/// # Errors
/// [`Failure::Usage`] if no job has a disk, or one compares data on disks that hold
/// none.
pub fn check(plan: &Plan) -> Result<(), Failure> {
    let rows = rows(&plan.jobs, &plan.disks);
    if rows.is_empty() {
        let wanted: Vec<&str> = plan
            .jobs
            .iter()
            .flat_map(|job| job.controllers.iter().chain(&job.disks))
            .map(String::as_str)
            .collect();
        return Err(Failure::Usage(format!(
            "no job has a disk to run on: they ask for {}; attach it with --controller, and see \
             `cargo xtask identify` for names of disks",
            wanted.join(", ")
        )));
    }
    for row in rows.iter().filter(|row| row.job.verify == Verify::Pattern) {
        let compares = !row.job.rw.writes() || row.job.do_verify;
        let empty = |disk: &&Disk| matches!(disk.medium, Medium::Null { .. });
        if compares && row.disks.iter().any(empty) {
            return Err(Failure::Usage(format!(
                "job {} compares data, and a null disk keeps none; give --backend file:1G",
                row.job.name
            )));
        }
    }
    Ok(())
}

/// Jobs that no disk of the plan is for.
pub fn idle(plan: &Plan) -> impl Iterator<Item = &str> {
    let with_disk = |job: &&Params| !groups(job, &plan.disks).is_empty();
    let idle = plan.jobs.iter().filter(move |job| !with_disk(job));
    idle.map(|job| job.name.as_str())
}

/// As the guest orders them: repeats in turns, jobs in order, disks in order.
fn rows<'a>(jobs: &'a [Params], disks: &'a [Disk]) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let most = jobs.iter().map(|job| job.repeat).max().unwrap_or(0);
    for repeat in 0..most {
        for job in jobs.iter().filter(|job| repeat < job.repeat) {
            for disks in groups(job, disks) {
                let row = |what, disks: &[&'a Disk]| Row {
                    job,
                    disks: disks.to_vec(),
                    what,
                    repeat,
                };
                if job.prefill && repeat == 0 {
                    rows.extend(disks.chunks(1).map(|disk| row("prefill", disk)));
                }
                rows.push(row(job.rw.name(), &disks));
                if job.rw.writes() && job.verify == Verify::Pattern && job.do_verify {
                    rows.extend(disks.chunks(1).map(|disk| row("read back", disk)));
                }
            }
        }
    }
    rows
}

/// The disks of each of a job's rows: one, or the first of each adapter.
fn groups<'a>(job: &Params, disks: &'a [Disk]) -> Vec<Vec<&'a Disk>> {
    let selected = disks.iter().filter(|disk| selects(job, disk));
    if !job.concurrent {
        return selected.map(|disk| vec![disk]).collect();
    }
    let mut first: Vec<&Disk> = selected.collect();
    first.dedup_by_key(|disk| disk.controller);
    first.truncate(job.adapters.map_or(usize::MAX, |most| most as usize));
    match first.is_empty() {
        true => Vec::new(),
        false => vec![first],
    }
}

fn selects(job: &Params, disk: &Disk) -> bool {
    let controller = disk.id.rsplitn(2, ':').last().unwrap_or_default();
    let kind = disk.id.split('@').next().unwrap_or_default();
    let on =
        |name: &String| name == kind || name == controller || disk.id.starts_with(name.as_str());
    (job.controllers.is_empty() || job.controllers.iter().any(on))
        && (job.disks.is_empty() || job.disks.contains(&disk.id))
}

fn length_ns(row: &Row<'_>) -> Option<u64> {
    let job = row.job;
    let own = row.what == job.rw.name();
    job.runtime_ns
        .filter(|_| own)
        .map(|runtime| runtime + job.ramp_ns + job.startdelay_ns)
}

fn shown(row: &Row<'_>) -> String {
    let job = row.job;
    let bs = match (job.rw.reads(), job.rw.trims()) {
        (_, true) => job.bs.trim_bytes,
        (true, _) => job.bs.read_bytes,
        (false, _) => job.bs.write_bytes,
    };
    let length = match length_ns(row) {
        Some(ns) => seconds(ns),
        None => "until done".into(),
    };
    let repeat = match job.repeat {
        1 => String::new(),
        of => format!("  repeat {} of {of}", row.repeat + 1),
    };
    let skipped = match job.adapters {
        Some(asked) if row.disks.len() < asked as usize && row.what == job.rw.name() => {
            format!("  skipped: it asks for {asked} adapters")
        }
        _ => String::new(),
    };
    let disks: Vec<&str> = row.disks.iter().map(|disk| disk.id.as_str()).collect();
    format!(
        "{}  {}  {} bs={} depth={}x{}  {length}{repeat}{skipped}",
        job.name,
        disks.join("+"),
        row.what,
        size_text(bs),
        job.iodepth,
        job.numjobs
    )
}

/// Whole and tenths of seconds.
fn seconds(ns: u64) -> String {
    time_text(ns / 1_000_000 * 1_000_000)
}

/// Where data would change, job by job.
fn written(rows: &[Row<'_>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let writers = rows.iter().filter(|row| row.job.changes_data());
    let each = writers.flat_map(|row| row.disks.iter().map(|disk| (row.job, *disk)));
    for (job, disk) in each {
        let length = match job.size {
            None => "to the end of the disk".into(),
            Some(size) => format!("for {}", extent(size)),
        };
        let apart = match job.offset_increment {
            Extent::Bytes(0) => String::new(),
            step => format!(", each of numjobs {} further", extent(step)),
        };
        let on = match &disk.medium {
            Medium::Null { .. } => "a null disk, which holds nothing".into(),
            Medium::Scratch { name, .. } => format!("the run's own scratch file {name}"),
            Medium::Shared {
                image,
                writable: true,
            } => format!("{}", image.path.display()),
            Medium::Shared { image, .. } => format!(
                "{}, which is attached read-only: the guest will refuse",
                image.path.display()
            ),
        };
        let line = format!(
            "writes: {} from {} {length}{apart}, on {on}",
            disk.id,
            extent(job.offset)
        );
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.is_empty() {
        true => "nothing is written to any disk\n".into(),
        false => lines.join("\n") + "\n",
    }
}

fn extent(extent: Extent) -> String {
    match extent {
        Extent::Bytes(bytes) => size_text(bytes),
        Extent::Percent(pct) => format!("{pct}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Source, compose};
    use crate::run::{RunArgs, plan};
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        run: RunArgs,
    }

    fn of(args: &[&str]) -> String {
        let all = ["xtask"].iter().chain(args);
        let args = Cli::try_parse_from(all).unwrap().run;
        let job = compose(&Source {
            profile: args.profile.as_deref(),
            fio: args.fio.as_deref(),
            diskspd: args.diskspd.as_deref(),
            set: &args.set,
            sweep: &args.sweep,
            repeat: args.repeat,
            ..Source::default()
        })
        .unwrap();
        preview(&plan(&args.machine, &job).unwrap())
    }

    #[test]
    fn rows_time_memory_and_writes_are_told() {
        let text = of(&[
            "--controller=pvscsi,nvme",
            "--backend=file:1G",
            "--fio=--name=a --rw=randrw --bs=64k --iodepth=16 --numjobs=4 --runtime=5 --time_based \
             --ramp_time=1 --size=512m",
            "--sweep=rwmixwrite=10,20",
            "--repeat=2",
        ]);
        assert!(
            text.starts_with("# plan\n8 rows, 48s of measuring, ramps and delays; "),
            "{text}"
        );
        assert!(text.contains("a/rwmixwrite=20"), "{text}");
        assert!(
            text.contains("randrw bs=64k depth=16x4  6s  repeat 2 of 2"),
            "{text}"
        );
        assert_eq!(text.matches("writes: ").count(), 2, "{text}");
        assert!(
            text.contains("from 0 for 512m, on the run's own scratch file"),
            "{text}"
        );
    }

    #[test]
    fn turns_are_taken_and_what_is_open_is_said() {
        let text = of(&["--controller=pvscsi", "--profile=verify"]);
        let order: Vec<&str> = text.lines().skip(2).take(4).collect();
        assert!(
            order[0].contains("randwrite") && order[1].contains("read back"),
            "{text}"
        );
        assert!(
            text.contains("and 4 rows that end with their size"),
            "{text}"
        );
        let text = of(&["--controller=pvscsi", "--profile=tuning"]);
        assert!(text.contains("job lsisas has no disk to run on"), "{text}");
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim_start().split_once("  ")?.1.split("  ").next())
            .filter(|name| name.starts_with("pvscsi-"))
            .collect();
        assert_eq!(names, ["pvscsi-default", "pvscsi-tuned"].repeat(3));
        assert!(
            of(&["--profile=ruler"]).contains("nothing is written"),
            "reads only"
        );
    }

    #[test]
    fn several_adapters_at_once_are_one_row() {
        let text = of(&["--controller=pvscsi", "--profile=spread", "--repeat=1"]);
        let rows: Vec<&str> = text.lines().skip(2).take(3).collect();
        assert!(rows[0].contains("  pvscsi@00:03.0:0:0  randread"), "{text}");
        let two = "  pvscsi@00:03.0:0:0+pvscsi@00:04.0:0:0  randread";
        assert!(rows[1].contains(two), "{text}");
        assert!(rows[2].contains("+pvscsi@00:06.0:0:0  randread"), "{text}");
        let text = of(&["--adapters=2", "--disks=2", "--profile=spread"]);
        assert!(text.contains("skipped: it asks for 4 adapters"), "{text}");
        assert!(!text.contains(":1:0"), "the first disk of each: {text}");
    }

    fn refusal(args: &[&str]) -> String {
        let all = ["xtask"].iter().chain(args);
        let args = Cli::try_parse_from(all).unwrap().run;
        let job = compose(&Source {
            profile: args.profile.as_deref(),
            set: &args.set,
            ..Source::default()
        })
        .unwrap();
        match check(&plan(&args.machine, &job).unwrap()) {
            Ok(()) => String::new(),
            Err(failure) => format!("{} {failure}", failure.code()),
        }
    }

    #[test]
    fn what_cannot_give_a_result_is_refused_before_anything_starts() {
        let none = refusal(&["--controller=pvscsi", "--set=controller=nvme"]);
        assert!(
            none.starts_with("2 no job has a disk to run on: they ask for nvme"),
            "{none}"
        );
        let null = refusal(&["--controller=pvscsi", "--profile=verify"]);
        assert!(null.contains("give --backend file:1G"), "{null}");
        for good in [
            &["--controller=pvscsi", "--profile=tuning"][..],
            &[
                "--controller=pvscsi",
                "--profile=verify",
                "--backend=file:1G",
            ],
        ] {
            assert_eq!(refusal(good), "");
        }
    }

    #[test]
    fn a_file_that_may_not_be_written_is_said_so() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let backend = format!("--backend={}", file.path().display());
        let text = of(&["--controller=pvscsi", &backend, "--fio=--name=w --rw=write"]);
        assert!(
            text.contains("attached read-only: the guest will refuse"),
            "{text}"
        );
    }
}
