//! What there is to measure.

use super::{Adapter, names, rehearsal};
use crate::guard::{self, Contents, Look, Reader, Token, Verdict};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use drivers::block::{Controller, Disk, DiskId, Limits};
use drivers::hal::Clock;
use proto::job::Params;
use proto::result::{ControllerInfo, DiskInfo, IgnoredInfo};

/// Length of the one buffer that a look at a disk needs.
pub const LOOK_BUFFER_BYTES: usize = 64 << 10;

/// A disk in the plan's reach.
pub struct Target {
    /// Index of its adapter.
    pub adapter: usize,
    /// Its index there.
    pub disk: DiskId,
    /// What is said of it.
    pub info: DiskInfo,
    /// What the guard saw, or why it could not look.
    pub look: Result<Look, String>,
}

impl Target {
    /// Both ends carry the same stamp, whoever made it: they are left alone.
    pub fn is_stamped(&self) -> bool {
        self.look.as_ref().is_ok_and(|look| look.nonce.is_some())
    }

    /// The same disk after another look.
    pub fn with(&self, look: Result<Look, String>) -> Self {
        Self {
            adapter: self.adapter,
            disk: self.disk,
            info: self.info.clone(),
            look,
        }
    }

    /// Whether one job may write to it; `all` are all disks.
    pub fn verdict(&self, job: &Params, all: &[DiskInfo]) -> Verdict {
        judge(&self.info, &self.look, &job.scratch, &job.allow_write, all)
    }
}

fn judge(
    info: &DiskInfo,
    look: &Result<Look, String>,
    scratch: &[String],
    allow: &[String],
    all: &[DiskInfo],
) -> Verdict {
    let token = guard::tokens_for(allow, info, all);
    match look {
        Ok(look) => guard::decide(info, look, scratch, &token),
        Err(_) if info.read_only => {
            let nothing = Look {
                boot_image: None,
                nonce: None,
                contents: None,
            };
            guard::decide(info, &nothing, scratch, &Token::None)
        }
        Err(why) => Verdict {
            allowed: false,
            reason: why.clone(),
        },
    }
}

/// Everything found.
pub struct Inventory {
    /// By adapter.
    pub controllers: Vec<ControllerInfo>,
    /// All disks, in the order of adapters.
    pub targets: Vec<Target>,
    /// What is left alone.
    pub ignored: Vec<IgnoredInfo>,
}

impl Inventory {
    /// Asks every adapter, looks at the stamps of every disk, and at the contents
    /// of those that a job wants to write.
    pub fn take<K: Clock>(adapters: &mut [Adapter<K>], clock: &K, jobs: &[Params]) -> Self {
        let mut inventory = Self {
            controllers: Vec::new(),
            targets: Vec::new(),
            ignored: Vec::new(),
        };
        let mut counts = [0; 2];
        for (index, adapter) in adapters.iter_mut().enumerate() {
            let kind = adapter.controller.kind();
            let id = names::controller_id(kind, &adapter.pci);
            let count = &mut counts[usize::from(names::is_nvme(kind))];
            let number = *count;
            *count += 1;
            for ignored in adapter.controller.ignored() {
                inventory.ignored.push(IgnoredInfo {
                    id: names::disk_id(&id, ignored.address),
                    reason: ignored.reason.clone(),
                });
            }
            let disks = adapter.controller.disks();
            let infos = disks.iter().map(|disk| disk_info(&id, number, disk));
            let infos: Vec<DiskInfo> = infos.collect();
            let ready = adapter.controller.set_buffers(1, LOOK_BUFFER_BYTES);
            for (disk, info) in (0u16..).zip(infos) {
                let writes = jobs
                    .iter()
                    .any(|job| job.changes_data() && job.selects(&info.names()));
                let look = match &ready {
                    Ok(()) => {
                        let controller = adapter.controller.as_controller();
                        let disk = DiskId(disk);
                        let looked = &mut Looked::default();
                        look_at(controller, clock, disk, LOOK_BUFFER_BYTES, writes, looked)
                    }
                    Err(error) => Err(alloc::format!("no buffer to look at it: {error}")),
                };
                if let Some(reason) = look.as_ref().ok().and_then(guard::no_target) {
                    let id = info.id;
                    inventory.ignored.push(IgnoredInfo { id, reason });
                    continue;
                }
                inventory.targets.push(Target {
                    adapter: index,
                    disk: DiskId(disk),
                    info,
                    look,
                });
            }
            inventory.controllers.push(ControllerInfo {
                limits: limits(adapter.controller.limits()),
                id,
                kind: kind.to_string(),
                pci: adapter.pci.clone(),
                pci_id: adapter.pci_id.clone(),
                interrupts: adapter.interrupts.clone(),
                bars: adapter.bars.clone(),
            });
        }
        inventory.judge_all(jobs);
        rehearsal::rehearse(&mut inventory, adapters, clock, jobs);
        inventory
    }

    /// All disks, as names must be unambiguous among them.
    pub fn disks(&self) -> Vec<DiskInfo> {
        self.targets
            .iter()
            .map(|target| target.info.clone())
            .collect()
    }

    /// Says of each disk whether any of the jobs may write to it.
    fn judge_all(&mut self, jobs: &[Params]) {
        let all = self.disks();
        for target in &mut self.targets {
            let writers = jobs
                .iter()
                .filter(|job| job.changes_data() && job.selects(&target.info.names()));
            let (mut scratch, mut allow) = (Vec::new(), Vec::new());
            for job in writers {
                scratch.extend(job.scratch.iter().cloned());
                allow.extend(job.allow_write.iter().cloned());
            }
            let verdict = judge(&target.info, &target.look, &scratch, &allow, &all);
            target.info.write_allowed = verdict.allowed;
            target.info.write_reason = verdict.reason;
            let seen = target.look.as_ref().ok();
            let contents = seen.and_then(|look| look.contents.as_ref());
            target.info.holds = contents.and_then(Contents::word).map(ToString::to_string);
        }
    }
}

/// Reads that looking at a disk made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looked {
    /// Commands given to the device.
    pub commands: u64,
    /// Bytes that moved.
    pub moved_bytes: u64,
}

/// Looks at a disk through buffer 0 of the pool; `fully` if it shall be written.
pub fn look_at<K: Clock>(
    controller: &mut dyn Controller,
    clock: &K,
    disk: DiskId,
    buffer_bytes: usize,
    fully: bool,
    looked: &mut Looked,
) -> Result<Look, String> {
    let mut reader = Reader::new(controller, clock, disk, buffer_bytes);
    look_through(&mut reader, fully, looked)
}

/// The same through a reader.
pub fn look_through<K: Clock>(
    reader: &mut Reader<'_, K>,
    fully: bool,
    looked: &mut Looked,
) -> Result<Look, String> {
    let look = if fully {
        guard::look(reader)
    } else {
        guard::look_at_stamps(reader)
    };
    looked.commands += reader.commands;
    looked.moved_bytes += reader.moved_bytes;
    look.map_err(|error| alloc::format!("the guard could not look at it: {error}"))
}

fn disk_info(controller: &str, adapter: usize, disk: &Disk) -> DiskInfo {
    DiskInfo {
        id: names::disk_id(controller, disk.address),
        name_in_vsphere: names::name_in_vsphere(adapter, disk.address),
        controller: controller.to_string(),
        serial: disk.serial.clone(),
        wwid: disk.wwid.clone(),
        vendor: disk.vendor.clone(),
        model: disk.model.clone(),
        blocks: disk.blocks,
        block_size: disk.block_size_bytes,
        read_only: disk.read_only,
        write_allowed: false,
        write_reason: String::new(),
        holds: None,
    }
}

fn limits(limits: &Limits) -> BTreeMap<String, u64> {
    let named = [
        ("queues", u64::from(limits.queues)),
        ("queue_entries", u64::from(limits.queue_entries)),
        ("max_in_flight", u64::from(limits.max_in_flight)),
        ("max_batch", u64::from(limits.max_batch)),
        ("max_transfer_bytes", limits.max_transfer_bytes),
        ("max_targets", u64::from(limits.max_targets)),
        ("ring_pages", u64::from(limits.ring_pages)),
        (
            "doorbell_per_request",
            u64::from(limits.doorbell_per_request),
        ),
        ("polls_by_register", u64::from(limits.polls_by_register)),
    ];
    let mut map = BTreeMap::new();
    map.extend(named.map(|(name, value)| (name.to_string(), value)));
    map
}
