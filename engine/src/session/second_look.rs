//! Whether a disk is still the one that was found.

use super::inventory::{Looked, Target, look_through};
use crate::guard::{Reader, Verdict};
use alloc::format;
use alloc::string::{String, ToString};
use drivers::block::{BufferId, Controller, Disk, DiskId};
use drivers::hal::Clock;
use proto::job::Params;
use proto::result::DiskInfo;

/// A second look at a disk that reported a change.
pub struct SecondLook<'a, K> {
    /// Time.
    pub clock: &'a K,
    /// The disk as it was found.
    pub target: &'a Target,
    /// Its index at the controller that is asked.
    pub disk: DiskId,
    /// A buffer there.
    pub buffer: BufferId,
    /// The same, as it was when the row began.
    pub before: &'a Disk,
    /// The job that writes.
    pub params: &'a Params,
    /// All disks, for names.
    pub all: &'a [DiskInfo],
    /// Length of that buffer in bytes.
    pub buffer_bytes: usize,
}

impl<K: Clock> SecondLook<'_, K> {
    /// Asks for identity, capacity and contents again, and the guard with them.
    ///
    /// # Errors
    /// Why the disk must not be written any more.
    pub fn take(&self, controller: &mut dyn Controller, looked: &mut Looked) -> Result<(), String> {
        let Self {
            clock,
            target,
            disk,
            buffer,
            before,
            params,
            all,
            buffer_bytes,
        } = *self;
        controller
            .refresh_disk(disk)
            .map_err(|error| error.to_string())?;
        let now = &controller.disks()[usize::from(disk.0)];
        same_disk(&target.info, now)?;
        if now.max_transfer_bytes < before.max_transfer_bytes {
            return Err(String::from("it takes shorter commands than before"));
        }
        let mut reader = Reader::new(controller, clock, disk, buffer_bytes);
        reader.buffer = buffer;
        let look = look_through(&mut reader, true, looked);
        let Verdict { allowed, reason } = target.with(look).verdict(params, all);
        if allowed { Ok(()) } else { Err(reason) }
    }
}

/// Whether a disk is still the one that was found.
pub fn same_disk(info: &DiskInfo, now: &Disk) -> Result<(), String> {
    if now.blocks != info.blocks || now.block_size_bytes != info.block_size {
        return Err(format!(
            "it has {} blocks of {} B now, and had {} of {} B",
            now.blocks, now.block_size_bytes, info.blocks, info.block_size
        ));
    }
    if now.serial != info.serial || now.wwid != info.wwid {
        return Err(format!(
            "it is another disk now (serial {}, {})",
            now.serial, now.wwid
        ));
    }
    Ok(())
}
