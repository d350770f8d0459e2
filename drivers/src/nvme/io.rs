//! The hot path: from a request to a queue entry, from a completion entry to a
//! status.

use super::prp::PrpLists;
use super::queue::{Cqe, QueuePair};
use super::regs::Registers;
use super::spec::{self, CID_SHIFT, Sqe, StatusField, nvm, status, word0};
use crate::block::{
    BufferPool, Completion, Geometry, Op, QueueDoorbells, Request, Status, SubmitError, Tag,
    TagTable,
};
use crate::hal::{DmaError, DmaLayout, DmaRegion, Hal, Mmio};

/// Bits of a command identifier; what slots leave of them is generation.
const ID_BITS: u32 = 16;

/// Opcode of each [`Op`] that moves data, and its bits in CDW12.
const TRANSFERS: [(u64, u64); 3] = [
    (nvm::READ as u64, 0),
    (nvm::WRITE as u64, 0),
    (nvm::WRITE as u64, nvm::FUA),
];

/// A namespace as the hot path needs it.
pub(super) struct Namespace {
    pub(super) geometry: Geometry,
    /// Word 0 of its commands, without opcode and identifier.
    word0: u64,
    trim: bool,
}

impl Namespace {
    pub(super) fn new(nsid: u32, geometry: Geometry, trim: bool) -> Self {
        Self {
            geometry,
            word0: word0(0, nsid),
            trim,
        }
    }
}

/// An I/O queue pair and its commands in flight.
pub(super) struct IoQueue<R> {
    pub(super) pair: QueuePair<R>,
    pub(super) tags: TagTable,
    pub(super) doorbells: QueueDoorbells,
    /// One Dataset Management range per slot, where trims are offered.
    ranges: Option<R>,
}

/// A completion that is none.
pub(super) struct Lie(pub(super) &'static str);

impl<R: DmaRegion> IoQueue<R> {
    /// # Errors
    /// [`DmaError`] when no memory is left.
    pub(super) fn new<H: Hal<Region = R>>(
        hal: &H,
        pair: QueuePair<R>,
        trim: bool,
    ) -> Result<Self, DmaError> {
        let slots = pair.entries() - 1;
        let ranges_bytes = slots as usize * nvm::RANGE_BYTES;
        Ok(Self {
            tags: TagTable::new(slots as u16, ID_BITS),
            pair,
            doorbells: QueueDoorbells::default(),
            ranges: if trim {
                Some(hal.allocate(DmaLayout::pages(ranges_bytes))?)
            } else {
                None
            },
        })
    }

    /// Gives the slots of consumed completions back; doorbell writes that took.
    #[inline]
    pub(super) fn ring_head<M: Mmio>(&mut self, registers: &Registers<M, R>) -> u64 {
        let wrote = u64::from(self.pair.ring_head(registers));
        self.doorbells.completion += wrote;
        wrote
    }

    /// Publishes what was pushed; doorbell writes that took.
    #[inline]
    pub(super) fn ring_tail<M: Mmio>(&mut self, registers: &Registers<M, R>) -> u64 {
        let wrote = u64::from(self.pair.ring_tail(registers));
        self.doorbells.submit += wrote;
        wrote
    }

    /// Writes a read or write into the ring.
    #[inline]
    pub(super) fn submit_transfer<H: Hal<Region = R>>(
        &mut self,
        namespace: &Namespace,
        request: &Request,
        buffers: &BufferPool<H>,
        lists: &PrpLists<R>,
    ) -> Result<Tag, SubmitError> {
        let offset = request.buffer_offset_bytes;
        let Some(&(opcode, flags)) = TRANSFERS.get(request.op as usize) else {
            return Err(SubmitError::Invalid);
        };
        let Some(bytes) = namespace
            .geometry
            .transfer_bytes(request.lba, request.blocks)
        else {
            return Err(SubmitError::Invalid);
        };
        let Some(address) = buffers.data_address(request.buffer, offset, bytes) else {
            return Err(SubmitError::Invalid);
        };
        // PRP1 is a multiple of 4 (4.3).
        if !offset.is_multiple_of(4) {
            return Err(SubmitError::Invalid);
        }
        let second = lists.second(request.buffer, offset, address.0, bytes);
        self.put(
            request.cookie,
            [
                namespace.word0 | opcode,
                0,
                0,
                address.0,
                second,
                request.lba.0,
                u64::from(request.blocks - 1) | flags,
                0,
            ],
        )
    }

    /// Writes a flush or trim into the ring.
    #[cold]
    #[inline(never)]
    pub(super) fn submit_other(
        &mut self,
        namespace: &Namespace,
        request: &Request,
    ) -> Result<Tag, SubmitError> {
        if request.op == Op::Flush {
            let command = namespace.word0 | u64::from(nvm::FLUSH);
            return self.put(request.cookie, [command, 0, 0, 0, 0, 0, 0, 0]);
        }
        let fits = namespace.geometry.contains(request.lba, request.blocks);
        let (Some(ranges), true) = (&self.ranges, namespace.trim && fits) else {
            return Err(SubmitError::Invalid);
        };
        let Some(tag) = self.tags.take(request.cookie) else {
            return Err(SubmitError::Full);
        };
        let at = tag.slot() * nvm::RANGE_BYTES;
        ranges.write_words(at, &[u64::from(request.blocks) << 32, request.lba.0]);
        let mut command = [0; 8];
        command[0] = namespace.word0 | u64::from(nvm::DATASET_MANAGEMENT) | self.id_bits(tag);
        command[spec::PRP1] = ranges.bus_addr().add(at as u64).0;
        // CDW10: one range, counted from 0.
        command[spec::CDW10] = u64::from(nvm::DEALLOCATE) << 32;
        self.pair.push(&command);
        Ok(tag)
    }

    #[inline]
    fn id_bits(&self, tag: Tag) -> u64 {
        u64::from(tag.bits()) << CID_SHIFT
    }

    #[inline]
    fn put(&mut self, cookie: u32, mut command: Sqe) -> Result<Tag, SubmitError> {
        let Some(tag) = self.tags.take(cookie) else {
            return Err(SubmitError::Full);
        };
        command[0] |= self.id_bits(tag);
        self.pair.push(&command);
        Ok(tag)
    }

    /// The command that a completion ends.
    ///
    /// # Errors
    /// [`Lie`] if it ends none.
    #[inline]
    pub(super) fn finish(&mut self, completion: &Cqe) -> Result<Completion, Lie> {
        if completion.queue != self.pair.id() {
            return Err(Lie("completion for another submission queue"));
        }
        match self.tags.finish(u32::from(completion.command)) {
            Ok((tag, cookie)) => Ok(Completion {
                tag,
                cookie,
                status: block_status(completion.status),
            }),
            Err(_) => Err(Lie("completion for no command in flight")),
        }
    }
}

/// What a status field means to the caller.
#[inline]
pub(super) fn block_status(field: StatusField) -> Status {
    if field.0 == 0 {
        Status::Ok
    } else {
        failure(field)
    }
}

#[cold]
fn failure(field: StatusField) -> Status {
    let code = field.code();
    let retry = !field.do_not_retry();
    match code {
        0 => Status::Ok,
        status::ABORT_REQUESTED | status::ABORTED_SQ_DELETED => Status::Aborted,
        status::INVALID_NAMESPACE => Status::NoDevice,
        // Transient by nature, as the field's definition has it ..
        status::NAMESPACE_NOT_READY
        | status::FORMAT_IN_PROGRESS
        | status::INTERRUPTED
        | status::TRANSIENT_TRANSPORT
            if retry =>
        {
            Status::Busy
        }
        // .. or because the device names a time after which to come back. Other
        // failures may pass on a retry too, but hiding them would hide media errors.
        _ if retry && field.retry_delay() != 0 => Status::Busy,
        _ => Status::NvmeStatus(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_transient_failures_without_dnr_are_busy() {
        let dnr = 1 << 14;
        let cases = [
            (0, Status::Ok),
            (0x82, Status::Busy),
            (0x82 | dnr, Status::NvmeStatus(0x82)),
            (0x21, Status::Busy),
            (0x280, Status::NvmeStatus(0x280)),
            (0x280 | 1 << 11, Status::Busy),
            (0x280 | 1 << 11 | dnr, Status::NvmeStatus(0x280)),
            (0x80 | dnr, Status::NvmeStatus(0x80)),
            (0x07, Status::Aborted),
            (0x08, Status::Aborted),
            (0x0b | dnr, Status::NoDevice),
            (0x20 | dnr, Status::NvmeStatus(0x20)),
        ];
        for (field, status) in cases {
            assert_eq!(block_status(StatusField(field)), status, "{field:#x}");
        }
    }
}
