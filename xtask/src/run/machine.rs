//! What will be booted, worked out before anything is built or started.

use super::args::MachineArgs;
use super::disks::{self, Disk, Medium};
use crate::backend;
use crate::failure::Failure;
use crate::job::{Job, Tokens, memory_mib};
use crate::qemu::accel::{self, Accel};
use crate::qemu::command::{Boot, CommandLine, Machine};
use crate::qemu::controllers::Controller;
use proto::job::Params;
use proto::result::DiskInfo;
use std::collections::BTreeMap;
use std::path::Path;

/// A machine and its job.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The job's text as the guest gets it, with the tokens for its disks.
    pub job_text: String,
    /// The job's name, for the folder.
    pub job_name: String,
    /// What the text says, section by section.
    pub jobs: Vec<Params>,
    /// The job has sections that write.
    pub writes: bool,
    /// Controllers.
    pub controllers: Vec<Controller>,
    /// Disks.
    pub disks: Vec<Disk>,
    /// Guest memory.
    pub memory_mib: u32,
    /// Accelerator.
    pub accel: Accel,
    /// Nonce of the scratch files that the run makes.
    pub nonce: String,
}

/// Paths that are known only when a run starts.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// QEMU.
    pub qemu: &'a Path,
    /// What the machine starts from.
    pub boot: Boot<'a>,
    /// The run's folder.
    pub folder: &'a Path,
    /// Socket for QMP.
    pub socket: &'a Path,
}

/// Works a plan out.
///
/// # Errors
/// [`Failure::Usage`] if the flags make no sense.
pub fn plan(args: &MachineArgs, job: &Job) -> Result<Plan, Failure> {
    let jobs = job.file.jobs.iter();
    let at_once = jobs.filter_map(|job| job.adapters).max().unwrap_or(1);
    let adapters = args.adapters.unwrap_or(at_once);
    let controllers = disks::controllers(&args.controller, adapters)?;
    let disks = disks::disks(args, &controllers)?;
    let nonce = backend::new_nonce();
    let tokens = tokens(args, &disks, &nonce);
    Ok(Plan {
        job_text: job.text_with(&tokens),
        job_name: job.name.clone(),
        jobs: job.file.jobs.clone(),
        writes: job.file.jobs.iter().any(Params::changes_data),
        memory_mib: args.memory.unwrap_or_else(|| {
            memory_mib(&job.file.jobs, controllers.len()).max(args.firmware.least_memory_mib())
        }),
        controllers,
        disks,
        accel: accel::choose(args.accel)?,
        nonce,
    })
}

/// What the guest's guard must be told: the nonce of our scratch files, the null
/// disks that we made and that hold nothing, and what the user allowed.
fn tokens(args: &MachineArgs, disks: &[Disk], nonce: &str) -> Tokens {
    let mut tokens = Tokens {
        allow_write: args.allow_write.clone(),
        ..Tokens::default()
    };
    for disk in disks {
        match disk.medium {
            Medium::Null { .. } => tokens.allow_write.push(disk.id.clone()),
            Medium::Scratch { .. } => tokens.scratch = vec![nonce.to_owned()],
            Medium::Shared { .. } => {}
        }
    }
    tokens
}

impl Plan {
    /// QEMU's command line.
    #[must_use]
    pub fn command_line(&self, args: &MachineArgs, places: Places<'_>) -> CommandLine {
        let mut blockdevs = Vec::new();
        let queues = self.jobs.iter().map(|job| job.queues).max().unwrap_or(1);
        let device = |one: &Controller| one.device(&args.device_opt, queues);
        let mut devices: Vec<String> = self.controllers.iter().map(device).collect();
        for disk in &self.disks {
            blockdevs.push(disk.blockdev(places.folder));
            devices.push(disk.device.clone());
        }
        Machine {
            qemu: places.qemu,
            accel: self.accel.name,
            memory_mib: self.memory_mib,
            smp: args.smp,
            boot: places.boot,
            job: &places.folder.join("job.fio"),
            inject: args.inject.as_deref(),
            qmp_socket: places.socket,
            blockdevs: &blockdevs,
            devices: &devices,
            extra: &args.qemu_arg,
        }
        .command_line()
    }

    /// Controllers' names, joined, for the folder.
    #[must_use]
    pub fn controller_names(&self) -> String {
        let mut names: Vec<&str> = self.controllers.iter().map(|one| one.kind.name).collect();
        names.dedup();
        names.join("+")
    }

    /// Block nodes by the guest's disk names, those of disks that the user added to
    /// these controllers by further arguments for QEMU among them.
    #[must_use]
    pub fn nodes(&self, args: &MachineArgs) -> BTreeMap<String, String> {
        let own = self
            .disks
            .iter()
            .map(|disk| (disk.id.clone(), disk.node.clone()));
        let devices = args.qemu_arg.windows(2).filter(|pair| pair[0] == "-device");
        let added = devices.flat_map(|pair| {
            let controllers = self.controllers.iter();
            controllers.filter_map(|one| one.added_disk(&pair[1]))
        });
        own.chain(added).collect()
    }

    /// What to type so that a job may write to the user's own disks, where it
    /// would and may not; `found` is what the guest saw.
    #[must_use]
    pub fn write_hint(&self, found: &[DiskInfo]) -> Option<String> {
        let locked = self.disks.iter().find_map(|disk| match &disk.medium {
            Medium::Shared {
                image,
                writable: false,
            } => Some((disk, image)),
            _ => None,
        });
        let (disk, image) = locked.filter(|_| self.writes)?;
        let seen = found.iter().find(|info| info.id == disk.id);
        let holds = seen.and_then(|info| info.holds.as_deref());
        let (what, token) = match holds {
            Some(word) => (format!("holds {word}"), format!("{}:{word}", disk.id)),
            None => ("holds nothing that is known".into(), disk.id.clone()),
        };
        Some(format!(
            "{} is attached read-only, so jobs that write to it are refused. It {what}. If nothing \
             on it is needed any more, type: --allow-write {token}",
            image.path.display(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Source, compose};
    use crate::run::RunArgs;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        run: RunArgs,
    }

    #[test]
    fn the_hint_names_what_the_disk_holds() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(1 << 20).unwrap();
        let backend = format!("--backend={}", file.path().display());
        let args = Cli::try_parse_from(["x", &backend]).unwrap().run;
        let set = ["rw=write".to_owned()];
        let job = compose(&Source {
            set: &set,
            ..Source::default()
        })
        .unwrap();
        let plan = plan(&args.machine, &job).unwrap();
        let mut info = DiskInfo {
            id: plan.disks[0].id.clone(),
            name_in_vsphere: String::new(),
            controller: String::new(),
            serial: String::new(),
            wwid: String::new(),
            vendor: String::new(),
            model: String::new(),
            blocks: 2048,
            block_size: 512,
            read_only: true,
            write_allowed: false,
            write_reason: String::new(),
            holds: Some("ext4".into()),
        };
        let hint = plan.write_hint(std::slice::from_ref(&info)).unwrap();
        assert!(
            hint.ends_with("--allow-write pvscsi@00:03.0:0:0:ext4"),
            "{hint}"
        );
        info.holds = None;
        let hint = plan.write_hint(&[info]).unwrap();
        assert!(hint.ends_with("--allow-write pvscsi@00:03.0:0:0"), "{hint}");
    }
}
