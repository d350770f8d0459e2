//! What a run would do: its rows, how long they take, what they need, and what would
//! be written where.

use super::check::notes;
use super::disks::Medium;
use super::machine::Plan;
use super::rows::{Part, Row, rows, seconds};
use proto::job::{AtEnd, Extent};
use proto::units::{moment_text, size_text};
use serde_json::{Value, json};

/// Rows that are shown one by one.
const SHOWN: usize = 64;

/// The plan for a person.
#[must_use]
pub fn preview(plan: &Plan) -> String {
    let jobs = &plan.jobs;
    let rows = rows(jobs, &plan.disks);
    let mut text = String::from("# plan\n");
    let open = rows.iter().filter(|row| row.length_ns().is_none()).count();
    text.push_str(&format!(
        "{} rows, {} of measuring, ramps and delays{}; {} MiB of guest memory\n",
        rows.len(),
        seconds(timed_ns(&rows)),
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
    for note in notes(plan) {
        text.push_str(&format!("{note}\n"));
    }
    let lines = written(&rows);
    text.push_str(&match lines.is_empty() {
        true => "nothing is written to any disk\n".into(),
        false => lines.join("\n") + "\n",
    });
    if jobs.iter().any(|job| job.at_end != AtEnd::Stay) {
        text.push_str("the machine ends itself after the last row\n");
    }
    text
}

/// The plan for a program, with the command line that would be run.
#[must_use]
pub fn preview_json(plan: &Plan, qemu: &str) -> Value {
    let rows = rows(&plan.jobs, &plan.disks);
    let row = |(number, row): (usize, &Row<'_>)| {
        let ids: Vec<&str> = row.disks.iter().map(|disk| disk.id.as_str()).collect();
        json!({
            "row": number,
            "job": row.job.name,
            "disks": ids,
            "what": row.what(),
            "repeat": row.repeat,
            "planned_ns": row.length_ns(),
            "region_bytes": row.region_bytes(),
            "iodepth": row.job.iodepth,
            "numjobs": row.job.numjobs,
            "wait": row.job.wait.name(),
            "keys": row.job.keys(),
        })
    };
    json!({
        "rows": rows.iter().enumerate().map(row).collect::<Vec<Value>>(),
        "planned_ns": timed_ns(&rows),
        "memory_mib": plan.memory_mib,
        "accel": plan.accel.name,
        "accel_reason": plan.accel.reason,
        "notes": notes(plan),
        "writes": written(&rows),
        "qemu": qemu,
        "job": plan.job_text,
    })
}

fn timed_ns(rows: &[Row<'_>]) -> u64 {
    let timed = rows.iter().filter_map(Row::length_ns);
    timed.fold(0, u64::saturating_add)
}

fn shown(row: &Row<'_>) -> String {
    let job = row.job;
    let repeat = match job.repeat {
        1 => String::new(),
        of => format!("  repeat {} of {of}", row.repeat + 1),
    };
    let skipped = row.missing_adapters().map_or(String::new(), |asked| {
        format!("  skipped: it asks for {asked} adapters")
    });
    let from = match job.start_at_ns {
        Some(ns) if row.part == Part::Itself => format!("  not before {}", moment_text(ns)),
        _ => String::new(),
    };
    let disks: Vec<&str> = row.disks.iter().map(|disk| disk.id.as_str()).collect();
    format!(
        "{}  {}  {} {}  {}{from}{repeat}{skipped}",
        job.name,
        disks.join("+"),
        row.what(),
        row.load(),
        row.length()
    )
}

/// Where data would change, job by job.
fn written(rows: &[Row<'_>]) -> Vec<String> {
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
    lines
}

fn extent(extent: Extent) -> String {
    match extent {
        Extent::Bytes(bytes) => size_text(bytes),
        Extent::Percent(pct) => format!("{pct}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{check, check_host};
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
    fn a_row_with_a_moment_says_so() {
        let text = of(&[
            "--controller=pvscsi",
            "--fio=--name=a --rw=read --runtime=5",
            "--set=start_at=2026-12-01T11:00:00+01:00",
        ]);
        assert!(
            text.contains("  not before 2026-12-01T10:00:00Z\n"),
            "{text}"
        );
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
            text.contains("randrw bs=64k depth=16x4 wait=poll  6s  repeat 2 of 2"),
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
            fio: args.fio.as_deref(),
            set: &args.set,
            ..Source::default()
        })
        .unwrap();
        match check(&plan(&args.machine, &job).unwrap(), &args.machine) {
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
        for (flags, why) in [
            (
                &["--backend=file:1G", "--fio=--name=a --offset=1g"][..],
                "job a: with `offset` it starts at 1g, and pvscsi@00:03.0:0:0 has 1g",
            ),
            (
                &[
                    "--backend=file:1G",
                    "--fio=--name=a --numjobs=5 --offset_increment=256m",
                ],
                "starts at 1g for the last of 5",
            ),
            (
                &["--backend=file:1G", "--fio=--name=a --size=4k --bs=8k"],
                "its region of 4k on pvscsi@00:03.0:0:0 has no room for a block of 8k",
            ),
            (
                &["--fio=--name=a --wait=irq --irq=msix"],
                "job a: pvscsi does not offer irq=msix; it offers msi, intx",
            ),
            (
                &["--set=allow_write=foo"],
                "allow_write=foo names no disk of this machine; its disks are pvscsi@00:03.0:0:0",
            ),
        ] {
            let said = refusal(flags);
            assert!(said.starts_with("2 ") && said.contains(why), "{said}");
        }
        for good in [
            &["--controller=pvscsi", "--profile=tuning"][..],
            &["--fio=--name=a --irq=msix"],
            &["--fio=--name=a --wait=irq --irq=msix", "--device-opt=x=y"],
            &["--controller=nvme", "--fio=--name=a --wait=irq --irq=msix"],
            &["--controller=all", "--fio=--name=a --wait=irq --irq=msix"],
            &["--fio=--name=a --wait=irq", "--sweep=irq=msix,msi"],
            &["--set=allow_write=pvscsi"],
            &["--set=allow_write=pvscsi@00:03.0:0:0:ext4"],
            &[
                "--backend=file:1G",
                "--fio=--name=a --offset=1023m --size=2g",
            ],
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

    #[test]
    fn rows_show_what_is_default_and_what_is_split() {
        let text = of(&[
            "--backend=file:1G",
            "--fio=--name=a --bssplit=4k/50:64k/50 --wait=irq --irq=intx --offset=25% \
             --name=b --bs=4k,8k --number_ios=9 --name=c --runtime=3 \
             --name=d --prefill --numjobs=2 --loops=5",
        ]);
        for row in [
            "read bssplit=4k/50:64k/50 depth=1x1 wait=irq/intx  until 768m are done",
            "read bs=4k,8k depth=1x1 wait=poll  until 9 I/Os are done",
            "read bs=4k depth=1x1 wait=poll  at most 3s",
            "prefill bs=256k depth=16  until 1g are done",
            "read bs=4k depth=1x2 wait=poll  until 2 x 5 x 1g are done",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(
            text.contains("job d has neither size nor runtime: it works through 1g of each disk"),
            "{text}"
        );
        assert!(!text.contains("job b has neither"), "{text}");
    }

    #[test]
    fn a_program_gets_the_plan_as_json() {
        let args = Cli::try_parse_from(["xtask", "--profile=quick"])
            .unwrap()
            .run;
        let job = compose(&Source::default()).unwrap();
        let json = preview_json(&plan(&args.machine, &job).unwrap(), "qemu -x");
        assert_eq!(json["rows"].as_array().unwrap().len(), 4);
        assert_eq!(json["rows"][1]["iodepth"], 32);
        assert_eq!(json["rows"][3]["wait"], "irq");
        assert_eq!(json["rows"][0]["planned_ns"], 1_800_000_000_u64);
        assert_eq!(json["writes"].as_array().unwrap().len(), 0);
        assert_eq!(json["qemu"], "qemu -x");
    }

    #[test]
    fn what_the_flags_name_on_the_host_is_looked_at() {
        let of = |flag: String| {
            let args = Cli::try_parse_from(["xtask", &flag]).unwrap().run;
            check_host(&args.machine).map_err(|failure| failure.code())
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().display();
        assert_eq!(of(format!("--out={path}")), Ok(()));
        assert_eq!(of(format!("--qemu={path}/none")), Err(3));
        std::fs::write(dir.path().join("result.json"), "{}").unwrap();
        assert_eq!(of(format!("--out={path}")), Err(2));
    }
}
