//! `cargo xtask run`.

use super::args::{MachineArgs, RunArgs};
use super::check::{check, check_host, notes};
use super::execute::{Executed, execute};
use super::finish::judge;
use super::machine::{Places, Plan, plan};
use super::preview::{preview, preview_json};
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job::{Source, compose};
use crate::qemu::command::Boot;
use crate::qemu::firmware::Firmware;
use crate::qemu::install::PROGRAM;
use crate::report::{Format, render, write_trace};
use std::fs::File;
use std::path::Path;

/// Runs a job and prints its result.
///
/// # Errors
/// [`Failure`] if anything that was asked for did not come out; what there is of a
/// result was printed and written all the same.
pub fn run(
    args: &RunArgs,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let job = compose(&Source {
        file: args.job.as_deref(),
        profile: args.profile.as_deref(),
        fio: args.fio.as_deref(),
        diskspd: args.diskspd.as_deref(),
        set: &args.set,
        sweep: &args.sweep,
        repeat: args.repeat,
    })?;
    for note in &job.file.notes {
        console.say(&format!("note: {note}"));
    }
    let plan = plan(&args.machine, &job)?;
    check_host(&args.machine)?;
    // With devices of the user's own only the guest knows what disks there are.
    if args.machine.qemu_arg.is_empty() {
        check(&plan, &args.machine)?;
    }
    if args.machine.dry_run {
        show(&plan, &args.machine, args.format, console);
        return Ok(());
    }
    if args.machine.qemu_arg.is_empty() {
        for note in notes(&plan) {
            console.say(&format!("note: {note}"));
        }
    }
    let Executed {
        folder,
        followed,
        mut document,
    } = execute(&plan, &args.machine, console, interrupt)?;
    let judged = judge(&plan, &followed, &mut document);
    folder.write("result.json", &document.to_json())?;
    if followed.said.traced_ios > 0 {
        let log = folder.file("serial.log");
        let path = folder.write_with("trace.csv", |csv| {
            write_trace(&mut File::open(&log)?, csv).map(|_| ())
        })?;
        console.say(&format!("I/Os one by one: {}", path.display()));
    }
    // A program that asked for JSON gets a document in any case.
    if !document.rows.is_empty() || judged.is_ok() || args.format == Format::Json {
        console.result(&render(&document, args.format, console.width()));
    }
    if let Some(hint) = plan.write_hint(&followed.said.disk_infos) {
        console.say(&hint);
    }
    if !document.outcome.complete {
        console.say(&format!("kept: {}", followed.said.kept()));
    }
    console.say(&format!("run folder: {}", folder.path().display()));
    judged
}

/// Shows what would be run.
pub fn show(plan: &Plan, machine: &MachineArgs, format: Format, console: &mut Console<'_>) {
    let line = plan.command_line(
        machine,
        Places {
            qemu: machine.qemu.as_deref().unwrap_or(Path::new(PROGRAM)),
            boot: match machine.firmware {
                Firmware::Pvh => Boot::Pvh(Path::new("ioprobe-pvh")),
                Firmware::Bios => Boot::Bios(Path::new("ioprobe.img")),
                Firmware::Uefi => Boot::Uefi {
                    image: Path::new("ioprobe.img"),
                    code: machine
                        .ovmf_code
                        .as_deref()
                        .unwrap_or(Path::new("OVMF_CODE")),
                    vars: Path::new("OVMF_VARS"),
                },
            },
            folder: machine.out.as_deref().unwrap_or(Path::new("RUN_DIR")),
            socket: Path::new("QMP_SOCKET"),
        },
    );
    console.say(&format!(
        "accelerator: {} ({})",
        plan.accel.name, plan.accel.reason
    ));
    if format == Format::Json {
        console.result(&format!("{:#}\n", preview_json(plan, &line.to_string())));
        return;
    }
    console.result(&format!(
        "# job.fio\n{}\n\n{}\n# QEMU\n{line}\n",
        plan.job_text.trim_end(),
        preview(plan)
    ));
}
