//! One boot: QEMU is started, followed and gone again.

use super::args::MachineArgs;
use super::boot;
use super::disks::Medium;
use super::machine::{Places, Plan};
use super::progress::Progress;
use crate::backend;
use crate::build;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::qemu::install::{self, Qemu};
use crate::qemu::process::Process;
use crate::result::{Document, HostInfo, RunFolder, folder_name};
use crate::serial::{Followed, Limits, Line, Sampler, follow};
use std::path::Path;
use std::time::{Duration, Instant};
use time::OffsetDateTime;

/// What a boot gave.
pub struct Executed {
    /// The run's folder.
    pub folder: RunFolder,
    /// What happened.
    pub followed: Followed,
    /// The result, whose outcome is not filled in yet.
    pub document: Document,
}

/// Boots a plan and follows it to its end, whatever that is.
///
/// # Errors
/// [`Failure`] if the guest could not be started or its folder not be written.
pub fn execute(
    plan: &Plan,
    args: &MachineArgs,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Executed, Failure> {
    let qemu = install::find(args.qemu.as_deref(), !args.no_install, console, interrupt)?;
    let built = boot::build(args, console, interrupt)?;
    let started = OffsetDateTime::now_utc();
    let folder = match &args.out {
        Some(path) => RunFolder::given(path)?,
        None => RunFolder::new(
            &build::target_dir().join("ioprobe"),
            &folder_name(started, &plan.controller_names(), &plan.job_name),
        )?,
    };
    folder.write("job.fio", &plan.job_text)?;
    make_scratch(plan, &folder)?;
    let files = built.place(&folder)?;
    // Sockets have short names only, so this is not in the run's folder.
    let sockets = tempfile::Builder::new()
        .prefix("ioprobe-")
        .tempdir_in("/tmp")
        .map_err(|error| Failure::io("a folder for QMP's socket", &error))?;
    let socket = sockets.path().join("qmp");
    let places = Places {
        qemu: &qemu.path,
        boot: files.boot(),
        folder: folder.path(),
        socket: &socket,
    };
    let line = plan.command_line(args, places);
    folder.write("qemu.txt", &format!("{line}\n"))?;
    console.say(&format!(
        "starting QEMU {}, {} ({}), {} MiB",
        qemu.version, plan.accel.name, plan.accel.reason, plan.memory_mib
    ));
    if plan.jobs.iter().any(|job| job.start_at_ns.is_some()) {
        std::thread::sleep(to_next_second(OffsetDateTime::now_utc().nanosecond()));
    }
    let mut process = Process::start(&line)?;
    let followed = watch(
        plan,
        &mut process,
        &folder,
        args,
        &socket,
        console,
        interrupt,
    )?;
    let host = host_info(plan, args, &qemu, line.to_string());
    let ended = OffsetDateTime::now_utc();
    let document = Document::new(&followed, &plan.nodes(args), host, started, ended);
    Ok(Executed {
        folder,
        followed,
        document,
    })
}

/// Time until the next whole second. QEMU gives its real-time clock the second at which
/// it starts without the fraction: one that starts at the edge has a clock that is late
/// by no more than its own start takes.
const fn to_next_second(nanosecond: u32) -> Duration {
    Duration::from_nanos((1_000_000_000 - nanosecond as u64) % 1_000_000_000)
}

fn make_scratch(plan: &Plan, folder: &RunFolder) -> Result<(), Failure> {
    for disk in &plan.disks {
        if let Medium::Scratch { name, bytes } = &disk.medium {
            let path = folder.file(name);
            backend::make_scratch(&path, *bytes, &plan.nonce)
                .map_err(|error| Failure::io(path.display(), &error))?;
        }
    }
    Ok(())
}

fn watch(
    plan: &Plan,
    process: &mut Process,
    folder: &RunFolder,
    args: &MachineArgs,
    socket: &Path,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Followed, Failure> {
    let mut log = folder.create("serial.log")?;
    let limits = Limits {
        total: args.timeout.map(Duration::from_secs),
        ..Limits::default()
    };
    let line = Line {
        sampler: Sampler::new(process.id(), socket.to_path_buf()),
        started: Instant::now(),
        process,
        log: &mut log,
    };
    // One I/O, as `identify` reads of each disk, is no measurement.
    let measures = plan.jobs.iter().any(|job| job.number_ios != Some(1));
    let mut progress = Progress::new(console, measures);
    let followed = follow(line, &limits, interrupt, |said| progress.update(said));
    progress.finish();
    followed.map_err(|error| Failure::io("serial.log", &error))
}

fn host_info(plan: &Plan, args: &MachineArgs, qemu: &Qemu, command_line: String) -> HostInfo {
    HostInfo {
        job: plan.job_name.clone(),
        qemu_version: qemu.version.clone(),
        accel: plan.accel.name.to_owned(),
        accel_reason: plan.accel.reason.clone(),
        backend: args.backend.to_string(),
        command_line,
        first_record_s: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_second_is_at_most_one_away() {
        assert_eq!(to_next_second(0), Duration::ZERO);
        assert_eq!(to_next_second(1), Duration::from_nanos(999_999_999));
        assert_eq!(to_next_second(999_999_999), Duration::from_nanos(1));
    }
}
