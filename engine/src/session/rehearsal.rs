//! Which disks take no writes, found out before the first row.

use super::Adapter;
use super::inventory::{Inventory, LOOK_BUFFER_BYTES};
use crate::guard::{self, Reader};
use crate::region::Region;
use alloc::format;
use drivers::hal::Clock;
use proto::job::Params;

/// Writes one block back on every disk that a job wants to write and may, inside
/// the region that it would write, and marks the disks that refuse as read-only.
/// Each adapter has a buffer of [`LOOK_BUFFER_BYTES`].
pub fn rehearse<K: Clock>(
    inventory: &mut Inventory,
    adapters: &mut [Adapter<K>],
    clock: &K,
    jobs: &[Params],
) {
    let all = inventory.disks();
    for target in &mut inventory.targets {
        let controller = adapters[target.adapter].controller.as_controller();
        let disk = &controller.disks()[usize::from(target.disk.0)];
        let mut regions = jobs
            .iter()
            .filter(|job| job.changes_data() && job.selects(&target.info.names()))
            .filter(|job| target.verdict(job, &all).allowed)
            .filter_map(|job| Region::resolve(job, disk, target.is_stamped()).ok());
        let Some(region) = regions.next() else {
            continue;
        };
        let mut reader = Reader::new(controller, clock, target.disk, LOOK_BUFFER_BYTES);
        let last = region.start_bytes + region.len_bytes - reader.block_bytes();
        if let Some(why) = guard::rehearse(&mut reader, [region.start_bytes, last]) {
            target.info.read_only = true;
            target.info.write_allowed = false;
            target.info.write_reason = format!("write-protected: {why}");
        }
    }
}
