//! What every SCSI driver keeps of its disks and buffers, and makes of a request
//! before it writes it into its ring.

use super::{Cdb, ScsiAddress, Transfer, UNMAP_LIST_BYTES, transfer, unmap_list};
use crate::block::{
    BufferId, BufferPool, ControllerError, Disk, DiskId, Geometry, Op, Request, SubmitError,
};
use crate::hal::{BusAddr, Hal};
use alloc::vec::Vec;

/// How a driver writes what stays the same of a unit, and of the commands to it.
pub trait Wire: Sized {
    /// All of a command's descriptor but where it reads or writes, and its number.
    type Frame: Copy;

    /// Of no command.
    const NONE: Self::Frame;

    /// `None` if the driver cannot address the unit.
    fn of(address: ScsiAddress) -> Option<Self>;

    /// Of commands of one kind and length to the unit, which is `disk`. The
    /// direction of the data follows from `op`: [`Op::Read`] to the host,
    /// [`Op::Flush`] none, all others to the device.
    fn frame(&self, op: Op, cdb_bytes: u8, data_bytes: u32, disk: u16) -> Self::Frame;
}

/// A disk, as far as requests to it are concerned.
struct Unit<W> {
    wire: W,
    geometry: Geometry,
    trim: bool,
}

impl<W: Wire> Unit<W> {
    fn new(disk: &Disk, max_transfer_bytes: u64) -> Option<Self> {
        Some(Self {
            wire: W::of(ScsiAddress::of(disk)?)?,
            geometry: Geometry::new(disk, max_transfer_bytes),
            trim: disk.trim,
        })
    }
}

/// A flush or trim.
pub struct Other<F> {
    /// Of the driver.
    pub frame: F,
    /// The CDB.
    pub cdb: [u64; 2],
    /// The parameter list that is the data of a trim.
    pub list: Option<[u64; 3]>,
}

/// The disks of a controller, the buffers, and what was worked out for the last
/// transfer of each kind.
pub struct Units<H: Hal, W: Wire> {
    units: Vec<Unit<W>>,
    transfers: [Transfer<W::Frame>; transfer::KINDS],
    pool: BufferPool<H>,
    disks: Vec<Disk>,
}

impl<H: Hal, W: Wire> Default for Units<H, W> {
    fn default() -> Self {
        Self {
            units: Vec::new(),
            transfers: Self::NO_TRANSFERS,
            pool: BufferPool::default(),
            disks: Vec::new(),
        }
    }
}

impl<H: Hal, W: Wire> Units<H, W> {
    const NO_TRANSFERS: [Transfer<W::Frame>; transfer::KINDS] =
        [Transfer::none(W::NONE); transfer::KINDS];

    /// Takes these disks instead of any it had, but none that the driver cannot
    /// address, behind a controller that takes commands of at most
    /// `max_transfer_bytes` each.
    pub fn set_disks(&mut self, disks: Vec<Disk>, max_transfer_bytes: u64) {
        self.forget_transfers();
        self.units.clear();
        self.disks.clear();
        for disk in disks {
            if let Some(unit) = Unit::new(&disk, max_transfer_bytes) {
                self.units.push(unit);
                self.disks.push(disk);
            }
        }
    }

    /// Takes what a disk says of itself now.
    ///
    /// # Errors
    /// [`ControllerError::Unsupported`] if there is no such disk, or it can no
    /// longer be addressed.
    pub fn renew_disk(
        &mut self,
        disk: DiskId,
        fresh: Disk,
        max_transfer_bytes: u64,
    ) -> Result<(), ControllerError> {
        let index = usize::from(disk.0);
        let unit = Unit::new(&fresh, max_transfer_bytes);
        let (Some(unit), Some(place)) = (unit, self.disks.get_mut(index)) else {
            return Err(ControllerError::Unsupported);
        };
        *place = fresh;
        self.units[index] = unit;
        self.forget_transfers();
        Ok(())
    }

    /// All disks, by number.
    pub fn disks(&self) -> &[Disk] {
        &self.disks
    }

    /// Where a disk is.
    ///
    /// # Errors
    /// [`ControllerError::Unsupported`] if there is no such disk.
    pub fn address(&self, disk: DiskId) -> Result<ScsiAddress, ControllerError> {
        let disk = self.disks.get(usize::from(disk.0));
        disk.and_then(ScsiAddress::of)
            .ok_or(ControllerError::Unsupported)
    }

    /// How the driver writes a disk.
    pub fn wire(&self, disk: DiskId) -> Option<&W> {
        let unit = self.units.get(usize::from(disk.0));
        unit.map(|unit| &unit.wire)
    }

    /// Frame, CDB and place of the data of a read or write, whose `op as usize` is
    /// below [`transfer::KINDS`].
    ///
    /// # Errors
    /// [`SubmitError::Invalid`] if it names no disk, buffer or range that exists.
    #[inline(always)]
    pub fn transfer(
        &mut self,
        request: &Request,
    ) -> Result<(&W::Frame, [u64; 2], BusAddr), SubmitError> {
        let kind = request.op as usize;
        if !self.transfers[kind].is_for(request.disk, request.blocks) {
            self.prepare(request)?;
        }
        let transfer = &self.transfers[kind];
        if !transfer.fits(request.lba, request.buffer_offset_bytes) {
            return Err(SubmitError::Invalid);
        }
        let Some(buffer) = self.pool.address(request.buffer) else {
            return Err(SubmitError::Invalid);
        };
        let data = buffer.add(u64::from(request.buffer_offset_bytes));
        Ok((&transfer.frame, transfer.cdb.at(request.lba), data))
    }

    /// Works out what a transfer shares with those that follow it.
    #[cold]
    #[inline(never)]
    fn prepare(&mut self, request: &Request) -> Result<(), SubmitError> {
        let DiskId(disk) = request.disk;
        let transfer = self.units.get(usize::from(disk)).and_then(|unit| {
            let frame =
                |cdb_bytes, data_bytes| unit.wire.frame(request.op, cdb_bytes, data_bytes, disk);
            Transfer::new(request, &unit.geometry, self.pool.size_bytes(), frame)
        });
        self.transfers[request.op as usize] = transfer.ok_or(SubmitError::Invalid)?;
        Ok(())
    }

    /// What a flush or trim is made of.
    ///
    /// # Errors
    /// [`SubmitError::Invalid`] as for [`transfer`](Self::transfer), or if the disk
    /// takes no trim.
    #[cold]
    #[inline(never)]
    pub fn other(&self, request: &Request) -> Result<Other<W::Frame>, SubmitError> {
        let DiskId(disk) = request.disk;
        let unit = self.units.get(usize::from(disk));
        let unit = unit.ok_or(SubmitError::Invalid)?;
        let (cdb, list, list_bytes) = if request.op == Op::Trim {
            if !unit.trim || !unit.geometry.contains(request.lba, request.blocks) {
                return Err(SubmitError::Invalid);
            }
            let list = unmap_list(request.lba, request.blocks);
            (Cdb::unmap(), Some(list), UNMAP_LIST_BYTES as u32)
        } else {
            (Cdb::flush(), None, 0)
        };
        let frame = unit.wire.frame(request.op, cdb.len_bytes, list_bytes, disk);
        Ok(Other {
            frame,
            cdb: cdb.words,
            list,
        })
    }

    /// Replaces the buffers; see [`BufferPool::replace`].
    ///
    /// # Errors
    /// [`ControllerError::Dma`], and there are none.
    pub fn set_buffers(
        &mut self,
        hal: &H,
        count: u32,
        size_bytes: usize,
    ) -> Result<(), ControllerError> {
        self.forget_transfers();
        self.pool
            .replace(hal, count, size_bytes)
            .map_err(ControllerError::Dma)
    }

    /// Copies `data` into a buffer. Panics if it does not fit.
    pub fn fill_buffer(&mut self, buffer: BufferId, offset_bytes: usize, data: &[u8]) {
        self.pool.fill(buffer, offset_bytes, data);
    }

    /// Copies out of a buffer. Panics if it does not fit.
    pub fn read_buffer(&self, buffer: BufferId, offset_bytes: usize, out: &mut [u8]) {
        self.pool.read(buffer, offset_bytes, out);
    }

    /// Where a buffer lies; `None` if there is no such.
    pub fn buffer_address(&self, buffer: BufferId) -> Option<BusAddr> {
        self.pool.address(buffer)
    }

    /// To be called when disks or buffers change, or how commands are written.
    pub fn forget_transfers(&mut self) {
        self.transfers = Self::NO_TRANSFERS;
    }
}
