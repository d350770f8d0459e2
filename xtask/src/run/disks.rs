//! Which disks a machine gets, what they are called, and what may be written.

use super::args::MachineArgs;
use crate::backend::{self, Backend, SharedImage};
use crate::failure::Failure;
use crate::qemu::controllers::{Controller, KINDS, MOST, by_name};
use proto::job::DiskNames;
use std::path::Path;

/// One disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    /// As the guest names it.
    pub id: String,
    /// Index of its controller among the machine's.
    pub controller: usize,
    /// The guest's name for that.
    pub controller_id: String,
    /// QEMU's block node.
    pub node: String,
    /// `-device`.
    pub device: String,
    /// What lies behind it.
    pub medium: Medium,
}

/// What lies behind one disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Nothing.
    Null {
        /// Added to each command.
        latency_ns: u64,
    },
    /// A scratch file in the run's folder, of this name and size.
    Scratch {
        /// File name.
        name: String,
        /// Size.
        bytes: u64,
    },
    /// The user's.
    Shared {
        /// The image.
        image: SharedImage,
        /// The user allowed writes.
        writable: bool,
    },
}

impl Disk {
    /// The names that stand for it.
    #[must_use]
    pub fn names(&self) -> DiskNames<'_> {
        DiskNames {
            id: &self.id,
            wwid: "",
            controller: &self.controller_id,
        }
    }

    /// Its size in bytes; `None` if only the device itself knows.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        match &self.medium {
            Medium::Null { .. } => Some(backend::NULL_BYTES),
            Medium::Scratch { bytes, .. } => Some(*bytes),
            Medium::Shared { image, .. } if image.device => None,
            // What is left of a block at the end of a file, QEMU adds to.
            Medium::Shared { image, .. } => {
                let file = image.path.metadata().ok()?;
                Some(file.len().next_multiple_of(512))
            }
        }
    }

    /// `-blockdev`, with scratch files in `folder`.
    #[must_use]
    pub fn blockdev(&self, folder: &Path) -> String {
        match &self.medium {
            Medium::Null { latency_ns } => backend::null_blockdev(&self.node, *latency_ns),
            Medium::Scratch { name, .. } => {
                backend::raw_blockdev(&self.node, &folder.join(name), false, false)
            }
            Medium::Shared { image, writable } => {
                backend::raw_blockdev(&self.node, &image.path, image.device, !writable)
            }
        }
    }
}

/// The controllers that the flags name, `adapters` of each, in the order they get
/// slots.
///
/// # Errors
/// [`Failure::Usage`] that names the known kinds, or how many the machine takes.
pub fn controllers(names: &[String], adapters: u32) -> Result<Vec<Controller>, Failure> {
    let mut kinds = Vec::new();
    for name in names {
        match (name.as_str(), by_name(name)) {
            ("all", _) => kinds.extend(KINDS),
            (_, Some(kind)) => kinds.push(kind),
            (_, None) => {
                let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
                return Err(Failure::Usage(format!(
                    "--controller {name}: known are {} and all",
                    names.join(", ")
                )));
            }
        }
    }
    let each = |kind| std::iter::repeat_n(kind, adapters as usize);
    let all: Vec<_> = kinds.into_iter().flat_map(each).collect();
    if all.len() > MOST {
        return Err(Failure::Usage(format!(
            "{} adapters are more than the {MOST} that the machine takes",
            all.len()
        )));
    }
    let in_slots = all.into_iter().enumerate();
    Ok(in_slots
        .map(|(index, kind)| Controller::nth(kind, index))
        .collect())
}

/// The disks that the flags ask for.
///
/// # Errors
/// [`Failure::Usage`] where the flags contradict each other or a path cannot be used.
pub fn disks(args: &MachineArgs, controllers: &[Controller]) -> Result<Vec<Disk>, Failure> {
    let mut disks = Vec::new();
    for (place, controller) in controllers.iter().enumerate() {
        if args.disks > controller.kind.max_disks {
            return Err(Failure::Usage(format!(
                "--disks {}: {} takes {} at most",
                args.disks, controller.kind.name, controller.kind.max_disks
            )));
        }
        for index in 0..args.disks {
            let number = disks.len();
            let node = format!("node{number}");
            let id = controller.disk_id(index);
            disks.push(Disk {
                device: controller.disk_device(index, &node, &args.device_opt),
                medium: medium(args, number, &id)?,
                node,
                id,
                controller: place,
                controller_id: controller.id(),
            });
        }
    }
    let shared = |disk: &&Disk| matches!(disk.medium, Medium::Shared { .. });
    if disks.len() > 1 && disks.iter().any(|disk| shared(&disk)) {
        return Err(Failure::Usage(format!(
            "--backend {} is one disk, but the flags ask for {}; --controller names one kind",
            args.backend,
            disks.len()
        )));
    }
    check_tokens(&args.allow_write, &disks)?;
    Ok(disks)
}

fn medium(args: &MachineArgs, number: usize, id: &str) -> Result<Medium, Failure> {
    Ok(match &args.backend {
        Backend::Null { latency_ns } => Medium::Null {
            latency_ns: *latency_ns,
        },
        Backend::File { bytes } => Medium::Scratch {
            name: format!("disk{number}.img"),
            bytes: *bytes,
        },
        Backend::Path(path) => Medium::Shared {
            image: backend::check_image(path)
                .map_err(|why| Failure::Usage(format!("--backend {why}")))?,
            writable: args.allow_write.iter().any(|token| names(token, id)),
        },
    })
}

/// Whether an `--allow-write` token names this disk. What follows the name is a
/// signature, which the guest judges.
fn names(token: &str, id: &str) -> bool {
    token
        .strip_prefix(id)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

/// A token that names no disk is a mistake to be told, not to be passed over.
fn check_tokens(tokens: &[String], disks: &[Disk]) -> Result<(), Failure> {
    let stray = |token: &&String| !disks.iter().any(|disk| names(token, &disk.id));
    match tokens.iter().find(stray) {
        None => Ok(()),
        Some(token) => {
            let known: Vec<&str> = disks.iter().map(|disk| disk.id.as_str()).collect();
            Err(Failure::Usage(format!(
                "--allow-write {token} names no disk of this machine; its disks are {}",
                known.join(", ")
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Flags {
        #[command(flatten)]
        machine: MachineArgs,
    }

    fn made(flags: &[&str]) -> Result<Vec<Disk>, Failure> {
        let args = Flags::parse_from([&["x"], flags].concat()).machine;
        disks(
            &args,
            &controllers(&args.controller, args.adapters.unwrap_or(1))?,
        )
    }

    fn ids(flags: &[&str]) -> Vec<String> {
        made(flags)
            .unwrap()
            .into_iter()
            .map(|disk| disk.id)
            .collect()
    }

    #[test]
    fn every_controller_gets_its_disks() {
        assert_eq!(ids(&[]), ["pvscsi@00:03.0:0:0"]);
        assert_eq!(
            ids(&["--controller", "pvscsi,nvme", "--disks", "2"]),
            [
                "pvscsi@00:03.0:0:0",
                "pvscsi@00:03.0:1:0",
                "nvme@00:04.0:1",
                "nvme@00:04.0:2"
            ]
        );
        assert_eq!(ids(&["--controller", "all"]).len(), 4);
    }

    #[test]
    fn several_adapters_of_one_kind_have_slots_of_their_own() {
        let flags = ["--controller", "pvscsi,nvme", "--adapters", "2"];
        assert_eq!(
            ids(&flags),
            [
                "pvscsi@00:03.0:0:0",
                "pvscsi@00:04.0:0:0",
                "nvme@00:05.0:1",
                "nvme@00:06.0:1"
            ]
        );
        assert_eq!(ids(&["--adapters", "28"]).len(), 28);
        let failure = made(&["--adapters", "29"]).unwrap_err();
        assert_eq!(failure.code(), 2);
        assert!(failure.message().contains("more than the 28"), "{failure}");
    }

    #[test]
    fn unknown_controller_is_told_what_is_known() {
        let failure = made(&["--controller", "pvscsci"]).unwrap_err();
        assert_eq!(failure.code(), 2);
        let known = "known are pvscsi, lsisas, nvme, virtio-scsi and all";
        assert!(failure.message().contains(known), "{failure}");
    }

    #[test]
    fn a_path_is_writable_only_by_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d.img");
        std::fs::write(&path, [0; 4096]).unwrap();
        let path = path.to_str().unwrap();
        let writable = |flags: &[&str]| {
            let disks = made(&[&["--backend", path], flags].concat()).unwrap();
            matches!(disks[0].medium, Medium::Shared { writable: true, .. })
        };
        assert!(!writable(&[]));
        assert!(writable(&["--allow-write", "pvscsi@00:03.0:0:0"]));
        assert!(writable(&["--allow-write", "pvscsi@00:03.0:0:0:ext4"]));
        let stray = made(&["--backend", path, "--allow-write", "pvscsi@00:03.0:0:01"]);
        assert!(stray.unwrap_err().message().contains("pvscsi@00:03.0:0:0"));
    }

    #[test]
    fn one_path_is_one_disk() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d.img");
        std::fs::write(&path, [0; 4096]).unwrap();
        let flags = ["--backend", path.to_str().unwrap(), "--disks", "2"];
        assert_eq!(made(&flags).unwrap_err().code(), 2);
    }
}
