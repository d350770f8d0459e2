//! Replies that come as frames: whatever is not plain success.

use super::Mptsas;
use super::errors::Verdict;
use super::frames::{BadReply, Reply};
use super::management::Errand;
use super::spec::{event, function, reply};
use crate::block::{Completion, ControllerError};
use crate::hal::Hal;
use crate::scsi::sense::SENSE_BYTES;

impl<H: Hal> Mptsas<H> {
    /// Takes a reply frame, gives it back, and returns the completion in it;
    /// `None` if it was something else, or not to be believed.
    #[cold]
    pub(super) fn read_reply(&mut self, low_address: u32) -> Option<Completion> {
        let frame = match self.queue.frames.take_reply(low_address) {
            Ok(frame) => frame,
            Err(BadReply::Foreign) => {
                self.distrust("reply at an address that is none of its frames");
                return None;
            }
            Err(BadReply::Unwritten) => {
                self.distrust("reply in a frame that was not written");
                return None;
            }
        };
        self.regs.give_frame(low_address);
        self.recycled += 1;
        let context = frame.word(reply::CONTEXT);
        match frame.byte(reply::FUNCTION) {
            function::SCSI_IO => return self.complete(context, &frame),
            function::EVENT_NOTIFICATION => self.note_event(&frame),
            function::TASK_MANAGEMENT | function::EVENT_ACK => {
                if self.management.end(context) {
                    self.next_errand();
                } else {
                    self.distrust("reply to no task management on its way");
                }
            }
            _ => self.distrust("reply to a message that was never sent"),
        }
        None
    }

    fn complete(&mut self, context: u32, frame: &Reply) -> Option<Completion> {
        let (tag, cookie) = self.finish(context)?;
        let verdict = Verdict::of(frame);
        let sense = if verdict.has_sense() {
            self.queue
                .frames
                .take_sense(tag.slot(), verdict.sense_bytes)
        } else {
            [0; SENSE_BYTES]
        };
        let expected_bytes = self.queue.shadow(tag.slot()).data_bytes();
        Some(Completion {
            tag,
            cookie,
            status: verdict.status(&sense, expected_bytes, self.facts.parallel),
        })
    }

    /// An event. Disks that come are not taken into use; commands to those that
    /// go end by themselves.
    fn note_event(&mut self, frame: &Reply) {
        let event = frame.word(reply::EVENT);
        if matches!(event, event::RESCAN | event::SAS_DEVICE_STATUS_CHANGE) {
            self.disks_changed = true;
        }
        if frame.byte(reply::ACK_REQUIRED) == 1 {
            let context = frame.word(reply::EVENT_CONTEXT);
            // Without room the adapter waits for ever, and says so again.
            self.management.add(Errand::Acknowledge { event, context });
            self.next_errand();
        }
    }

    /// Sends an errand now, or once those before it are done.
    pub(super) fn run_errand(&mut self, errand: Errand) -> Result<(), ControllerError> {
        if !self.management.add(errand) {
            return Err(ControllerError::Refused {
                what: "more task management at a time",
                answer: u64::from(self.queue.tags.in_flight()),
            });
        }
        self.next_errand();
        Ok(())
    }

    fn next_errand(&mut self) {
        let tags = &self.queue.tags;
        let context_of = |tag| {
            let open = tags.is_in_flight(tag);
            open.then(|| tag.bits())
        };
        let Some((errand, words)) = self.management.next(context_of) else {
            return;
        };
        let low_address = self.queue.write_management(&words);
        let first = self.facts.has_hi_pri() && !matches!(errand, Errand::Acknowledge { .. });
        if first {
            self.regs.post_first(low_address);
        } else {
            self.regs.post(low_address);
        }
        self.errands += 1;
    }
}
