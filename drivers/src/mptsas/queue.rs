//! Tags, shadows and frames: what one command in flight needs.

use super::frames::{Element, Frames};
use super::spec::{CONTEXT_BITS, MAX_ELEMENT_BYTES, control, element, function, lun_word, task};
use crate::block::{Op, Tag, TagTable};
use crate::hal::{BusAddr, DmaError, DmaRegion, Hal};
use crate::scsi::sense::SENSE_BYTES;
use crate::scsi::{ScsiAddress, Wire};
use alloc::boxed::Box;
use alloc::vec;

/// Tags take all bits of a context but the highest, which marks what is no
/// command: task management and acknowledgements.
const TAG_BITS: u32 = CONTEXT_BITS - 1;
/// Mark of such a context.
pub(super) const MANAGEMENT: u32 = 1 << TAG_BITS;

/// Direction of a command, as request and scatter element say it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    control: u64,
    element: u32,
}

impl Way {
    /// No data; the element is there all the same, with length 0.
    pub(super) const NONE: Self = Self {
        control: control::NONE,
        element: element::SIMPLE_64,
    };
    /// Device to memory.
    pub(super) const IN: Self = Self {
        control: control::READ,
        element: element::SIMPLE_64,
    };
    /// Memory to device.
    pub(super) const OUT: Self = Self {
        control: control::WRITE,
        element: element::SIMPLE_64 | element::TO_DEVICE,
    };
}

/// What every request to a unit has in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitWords {
    /// Word 0 but for the CDB's length: target, function, room for sense data.
    head: u64,
    /// Word 1 but for the context.
    lun: u64,
}

impl Wire for UnitWords {
    type Frame = Frame;
    const NONE: Frame = Frame::NONE;

    fn of(at: ScsiAddress) -> Option<Self> {
        let target = u8::try_from(at.target).ok()?;
        Some(Self {
            head: u64::from(target)
                | u64::from(function::SCSI_IO) << 24
                | (SENSE_BYTES as u64) << 40,
            lun: lun_word(u8::try_from(at.lun).ok()?),
        })
    }

    fn frame(&self, op: Op, cdb_bytes: u8, data_bytes: u32, disk: u16) -> Frame {
        let way = match op {
            Op::Read => Way::IN,
            Op::Flush => Way::NONE,
            Op::Write | Op::WriteDurable | Op::Trim => Way::OUT,
        };
        Frame::new(self, cdb_bytes, way, data_bytes, disk)
    }
}

/// All of a request frame that does not depend on where a command reads or writes.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    /// Words 0 to 2: unit, length of the CDB; unit; direction.
    head: u64,
    lun: u64,
    control: u64,
    /// Flags of its only element, and length.
    element: u64,
    data_bytes: u32,
    way: Way,
    shadow: Shadow,
}

impl Frame {
    /// Is for no command.
    pub(super) const NONE: Self = Self {
        head: 0,
        lun: 0,
        control: 0,
        element: 0,
        data_bytes: 0,
        way: Way::NONE,
        shadow: Shadow(0),
    };

    pub(super) const fn new(
        unit: &UnitWords,
        cdb_bytes: u8,
        way: Way,
        data_bytes: u32,
        disk: u16,
    ) -> Self {
        Self {
            head: unit.head | (cdb_bytes as u64) << 32,
            lun: unit.lun,
            control: way.control,
            element: (way.element | element::LAST | data_bytes & 0xff_ffff) as u64,
            data_bytes,
            way,
            shadow: Shadow::new(data_bytes, disk),
        }
    }
}

/// What the driver remembers of a command in flight, as the note of its tag:
/// data length 31:0, disk 47:32.
#[derive(Clone, Copy)]
pub(super) struct Shadow(u64);

impl Shadow {
    const fn new(data_bytes: u32, disk: u16) -> Self {
        Self(data_bytes as u64 | (disk as u64) << 32)
    }

    pub(super) const fn data_bytes(self) -> u32 {
        self.0 as u32
    }

    pub(super) const fn disk(self) -> u16 {
        (self.0 >> 32) as u16
    }
}

/// The one queue of an adapter.
pub(super) struct Queue<R> {
    pub(super) frames: Frames<R>,
    pub(super) tags: TagTable,
    /// What is to be posted for the commands that were written since the last
    /// doorbell, in their order; the first `written` are meant.
    posts: Box<[u32]>,
    written: usize,
    /// Slot of the request frame that is kept for management.
    spare: usize,
}

impl<R: DmaRegion> Queue<R> {
    /// Room for `commands` in flight, with one request frame more that is kept
    /// for task management, and `replies` reply frames.
    pub(super) fn allocate<H: Hal<Region = R>>(
        hal: &H,
        commands: u16,
        replies: u16,
    ) -> Result<Self, DmaError> {
        let slots = usize::from(commands);
        Ok(Self {
            frames: Frames::allocate(hal, slots + 1, usize::from(replies))?,
            tags: TagTable::new(commands, TAG_BITS),
            posts: vec![0; slots].into_boxed_slice(),
            written: 0,
            spare: slots,
        })
    }

    /// Writes a command into its frame, to be posted with the next doorbell;
    /// `None` if all slots are in flight.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        frame: &Frame,
        cdb: [u64; 2],
        data: BusAddr,
        cookie: u32,
    ) -> Option<Tag> {
        let tag = self.tags.take_noting(cookie, frame.shadow.0)?;
        self.write_frame(tag, frame, cdb, data);
        Some(tag)
    }

    /// The same for a command whose data is the parameter list of an UNMAP, which
    /// lies beside the slot's sense data.
    pub(super) fn write_unmap(
        &mut self,
        frame: &Frame,
        cdb: [u64; 2],
        list: &[u64; 3],
        cookie: u32,
    ) -> Option<Tag> {
        let tag = self.tags.take_noting(cookie, frame.shadow.0)?;
        let data = self.frames.write_unmap_list(tag.slot(), list);
        self.write_frame(tag, frame, cdb, data);
        Some(tag)
    }

    #[inline(always)]
    fn write_frame(&mut self, tag: Tag, frame: &Frame, cdb: [u64; 2], data: BusAddr) {
        let slot = tag.slot();
        let bytes = frame.data_bytes;
        self.frames.write_request(
            slot,
            &[
                frame.head,
                frame.lun | u64::from(tag.bits()),
                frame.control,
                cdb[0],
                cdb[1],
                u64::from(bytes) | u64::from(self.frames.sense_low(slot)) << 32,
                frame.element | data.0 << 32,
                data.0 >> 32,
            ],
        );
        if bytes > MAX_ELEMENT_BYTES {
            self.write_list(slot, frame.way, data, bytes);
        }
        // There are as many places as commands can be in flight.
        if let Some(place) = self.posts.get_mut(self.written) {
            *place = self.frames.request_low(slot);
            self.written += 1;
        }
    }

    /// Takes what is to be posted, in the order in which it was written.
    #[inline(always)]
    pub(super) fn take_posts(&mut self) -> &[u32] {
        let written = core::mem::take(&mut self.written);
        self.posts.get(..written).unwrap_or_default()
    }

    /// Whether a context names a command that the adapter has not been shown yet.
    #[inline(always)]
    pub(super) fn is_unposted(&self, context: u32) -> bool {
        self.written != 0 && self.awaits_post(context)
    }

    #[cold]
    fn awaits_post(&self, context: u32) -> bool {
        let low_address = self.frames.request_low(self.tags.slot_of(context));
        self.posts[..self.written].contains(&low_address)
    }

    /// Forgets what is in flight and what was to be posted, after a reset.
    pub(super) fn forget_all(&mut self) {
        self.written = 0;
        self.tags.forget_all();
    }

    /// Several elements for one contiguous buffer that is too long for one.
    #[cold]
    fn write_list(&self, slot: usize, way: Way, data: BusAddr, bytes: u32) {
        let (mut done, mut index) = (0, 0);
        while done < bytes {
            let len = (bytes - done).min(MAX_ELEMENT_BYTES);
            let last = if done + len == bytes {
                element::LAST
            } else {
                0
            };
            let head = way.element | last | len;
            let address = data.add(u64::from(done)).0;
            self.frames
                .write_element(slot, index, Element { head, address });
            done += len;
            index += 1;
        }
    }

    /// What is remembered of the command that took a slot last.
    pub(super) fn shadow(&self, slot: usize) -> Shadow {
        Shadow(self.tags.note(slot))
    }

    /// Writes a task management request or another message without data into the
    /// frame kept for that, and returns what is to be posted.
    pub(super) fn write_management(&self, words: &[u64; task::WORDS]) -> u32 {
        let slot = self.spare;
        let mut frame = [0; 8];
        frame[..task::WORDS].copy_from_slice(words);
        self.frames.write_request(slot, &frame);
        self.frames.request_low(slot)
    }
}
