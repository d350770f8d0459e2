//! Which namespaces there are, and what they are.

use super::controller::Nvme;
use super::identify::{ControllerInfo, NamespaceInfo, Unusable, active_namespaces};
use super::io::Namespace;
use super::spec::{CDW10, PRP1, admin, cns, feature, nvm, word0};
use crate::block::{ControllerError, Disk, DiskAddress, Geometry, Ignored};
use crate::hal::Hal;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Most identifiers that are looked at, however many the device claims.
const MAX_NAMESPACES: usize = 4096;
/// Highest identifier that is probed where the device gives no list.
const MAX_PROBED: u32 = 1024;
/// First version that knows the active namespace list: 1.1.0.
const LIST_VERSION: u32 = 0x0001_0100;

impl<H: Hal> Nvme<H> {
    fn identify(
        &mut self,
        what: &'static str,
        nsid: u32,
        structure: u32,
    ) -> Result<(), ControllerError> {
        let mut command = [0; 8];
        command[0] = word0(admin::IDENTIFY, nsid);
        command[PRP1] = self.admin()?.page_addr().0;
        command[CDW10] = u64::from(structure);
        self.execute(what, command).map(drop)
    }

    /// Asks the controller what it is.
    pub(super) fn identify_controller(&mut self) -> Result<ControllerInfo, ControllerError> {
        self.identify("identify controller", 0, cns::CONTROLLER)?;
        let page = self.admin()?.page();
        let unit_bytes = self.registers.cap().min_page_bytes();
        let info = ControllerInfo::parse(&page, unit_bytes);
        if info.entry_sizes_fit {
            Ok(info)
        } else {
            Err(ControllerError::Refused {
                what: "64-byte and 16-byte queue entries",
                answer: u64::from(page[super::spec::controller::SQES]),
            })
        }
    }

    /// Fills `disks`, `ignored` and `namespaces`, in the order of identifiers.
    pub(super) fn discover(&mut self) -> Result<(), ControllerError> {
        let listed = self.listed_namespaces()?;
        let probed = listed.is_none();
        let all = listed.unwrap_or_else(|| (1..=self.info.max_nsid.min(MAX_PROBED)).collect());
        for nsid in all {
            let reason = match self.identify_namespace(nsid) {
                Ok(Ok(info)) => {
                    let disk = self.disk(nsid, info);
                    self.namespaces.push(self.namespace(nsid, &disk));
                    self.disks.push(disk);
                    continue;
                }
                // Without a list, an identifier that means nothing is no news.
                Ok(Err(Unusable::Empty)) | Err(ControllerError::Refused { .. }) if probed => {
                    continue;
                }
                Ok(Err(unusable)) => unusable.to_string(),
                Err(ControllerError::Refused { answer, .. }) => {
                    format!("refuses to be identified, status {answer:#x}")
                }
                Err(other) => return Err(other),
            };
            let address = DiskAddress::Namespace(nsid);
            self.ignored.push(Ignored { address, reason });
        }
        Ok(())
    }

    /// The active namespace list; `None` where the device does not know it.
    fn listed_namespaces(&mut self) -> Result<Option<Vec<u32>>, ControllerError> {
        // Controllers of 1.0 look at one bit of CNS and answer something else.
        if self.registers.version() < LIST_VERSION {
            return Ok(None);
        }
        let mut all = Vec::new();
        loop {
            let after = all.last().copied().unwrap_or(0);
            match self.identify("active namespaces", after, cns::ACTIVE_NAMESPACES) {
                Ok(()) => {}
                Err(ControllerError::Refused { .. }) if all.is_empty() => return Ok(None),
                Err(other) => return Err(other),
            }
            let found = active_namespaces(&self.admin()?.page());
            // A list that does not ascend would never end.
            let mut last = after;
            for &nsid in &found {
                if nsid <= last || nsid >= 0xffff_fffe || all.len() == MAX_NAMESPACES {
                    return Ok(Some(all));
                }
                all.push(nsid);
                last = nsid;
            }
            if found.len() < cns::LIST_ENTRIES {
                return Ok(Some(all));
            }
        }
    }

    fn identify_namespace(
        &mut self,
        nsid: u32,
    ) -> Result<Result<NamespaceInfo, Unusable>, ControllerError> {
        self.identify("identify namespace", nsid, cns::NAMESPACE)?;
        let mut info = match NamespaceInfo::parse(&self.admin()?.page()) {
            Ok(info) => info,
            Err(unusable) => return Ok(Err(unusable)),
        };
        if self.info.write_protection && !info.read_only {
            let mut command = [0; 8];
            command[0] = word0(admin::GET_FEATURES, nsid);
            command[CDW10] = u64::from(feature::WRITE_PROTECTION);
            match self.execute("get features (write protection)", command) {
                // 0 is no protection; all other states refuse writes (8.19).
                Ok(state) => info.read_only = state & 7 != 0,
                Err(ControllerError::Refused { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(Ok(info))
    }

    fn disk(&self, nsid: u32, info: NamespaceInfo) -> Disk {
        Disk {
            address: DiskAddress::Namespace(nsid),
            blocks: info.blocks,
            block_size_bytes: 1 << info.block_shift,
            physical_block_bytes: info.preferred_write_bytes,
            read_only: info.read_only,
            durable_writes: true,
            trim: self.info.trim,
            max_transfer_bytes: nvm::MAX_BLOCKS << info.block_shift,
            vendor: String::new(),
            model: self.info.model.clone(),
            serial: self.info.serial.clone(),
            wwid: info.wwid,
        }
    }

    fn namespace(&self, nsid: u32, disk: &Disk) -> Namespace {
        let geometry = Geometry::new(disk, self.limits.max_transfer_bytes);
        Namespace::new(nsid, geometry, disk.trim)
    }

    /// Identifies one disk again.
    pub(super) fn refresh(&mut self, index: usize) -> Result<(), ControllerError> {
        let Some(DiskAddress::Namespace(nsid)) = self.disks.get(index).map(|disk| disk.address)
        else {
            return Err(ControllerError::Refused {
                what: "refresh of a disk that does not exist",
                answer: index as u64,
            });
        };
        let info = self
            .identify_namespace(nsid)?
            .map_err(|_| ControllerError::Refused {
                what: "identify namespace: no usable disk any more",
                answer: u64::from(nsid),
            })?;
        let disk = self.disk(nsid, info);
        self.namespaces[index] = self.namespace(nsid, &disk);
        self.disks[index] = disk;
        Ok(())
    }
}
