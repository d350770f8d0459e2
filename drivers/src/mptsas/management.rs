//! Task management and acknowledgements, one at a time through the frame and the
//! credit that commands never use.

use super::queue::MANAGEMENT;
use super::spec::{function, lun_word, task};
use crate::block::Tag;
use crate::scsi::ScsiAddress;
use alloc::collections::VecDeque;

/// One thing to ask of the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errand {
    /// Give up one command.
    Abort {
        /// The command.
        tag: Tag,
        /// Its unit.
        at: ScsiAddress,
    },
    /// Reset a target with all its units.
    ResetTarget(u16),
    /// Take an event for acknowledged. QEMU never asks for this, and would fault.
    Acknowledge {
        /// The event.
        event: u32,
        /// Its context.
        context: u32,
    },
}

impl Errand {
    /// The request. `contexts` are its own and that of the task it is about.
    fn words(self, context: u32, task_context: u32) -> [u64; task::WORDS] {
        let mut words = [0; task::WORDS];
        words[1] = u64::from(context);
        let mut manage = |target: u16, kind: u8| {
            words[0] = u64::from(target & 0xff)
                | u64::from(function::TASK_MANAGEMENT) << 24
                | u64::from(kind) << 40;
        };
        match self {
            Self::Abort { at, .. } => {
                manage(at.target, task::ABORT_TASK);
                words[1] |= lun_word(at.lun as u8);
                words[task::CONTEXT_WORD] = u64::from(task_context);
            }
            Self::ResetTarget(target) => manage(target, task::TARGET_RESET),
            Self::Acknowledge { event, context } => {
                words[0] = u64::from(function::EVENT_ACK) << 24;
                words[1] |= u64::from(event) << 32;
                words[2] = u64::from(context);
            }
        }
        words
    }
}

/// Errands that wait, and the one on its way.
pub(super) struct Management {
    waiting: VecDeque<Errand>,
    room: usize,
    /// Context of the one on its way.
    open: Option<u32>,
    sequence: u32,
}

impl Management {
    /// Room for `room` errands. Allocates only here.
    pub(super) fn new(room: usize) -> Self {
        Self {
            waiting: VecDeque::with_capacity(room),
            room,
            open: None,
            sequence: 0,
        }
    }

    /// Forgets everything, after a reset.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.open = None;
    }

    /// Puts an errand into the row, once; false if there is no room.
    pub(super) fn add(&mut self, errand: Errand) -> bool {
        if self.waiting.contains(&errand) {
            return true;
        }
        if self.waiting.len() == self.room {
            return false;
        }
        self.waiting.push_back(errand);
        true
    }

    /// The request of the next errand, if none is on its way. `task_context` gives
    /// the context of a command in flight; aborts of others are dropped.
    pub(super) fn next(
        &mut self,
        mut task_context: impl FnMut(Tag) -> Option<u32>,
    ) -> Option<(Errand, [u64; task::WORDS])> {
        if self.open.is_some() {
            return None;
        }
        loop {
            let errand = self.waiting.pop_front()?;
            let about = match errand {
                Errand::Abort { tag, .. } => task_context(tag),
                Errand::ResetTarget(_) | Errand::Acknowledge { .. } => Some(0),
            };
            if let Some(about) = about {
                self.sequence = self.sequence.wrapping_add(1) & (MANAGEMENT - 1);
                let context = MANAGEMENT | self.sequence;
                self.open = Some(context);
                return Some((errand, errand.words(context, about)));
            }
        }
    }

    /// Ends the errand on its way; false if the context is not its.
    pub(super) fn end(&mut self, context: u32) -> bool {
        let known = self.open == Some(context);
        if known {
            self.open = None;
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::TagTable;

    fn bytes(words: &[u64; task::WORDS]) -> alloc::vec::Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn requests_have_the_bytes_of_the_headers() {
        let tag = TagTable::new(127, 28).take(0).unwrap();
        let at = ScsiAddress { target: 5, lun: 1 };
        let abort = bytes(&Errand::Abort { tag, at }.words(0x1000_0001, 0x80));
        let mut expected = [0; 56];
        expected[..16].copy_from_slice(&[5, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0x10, 0, 1, 0, 0]);
        expected[0x30] = 0x80;
        assert_eq!(abort, expected);
        let reset = bytes(&Errand::ResetTarget(3).words(2, 0));
        assert_eq!(reset[..12], [3, 0, 0, 1, 0, 3, 0, 0, 2, 0, 0, 0]);
        assert!(reset[12..].iter().all(|byte| *byte == 0));
        let errand = Errand::Acknowledge {
            event: 0xf,
            context: 0x55,
        };
        let ack = bytes(&errand.words(7, 0));
        let expected = [
            0, 0, 0, 8, 0, 0, 0, 0, 7, 0, 0, 0, 0xf, 0, 0, 0, 0x55, 0, 0, 0,
        ];
        assert_eq!(ack[..20], expected);
    }

    #[test]
    fn one_is_on_its_way_at_a_time() {
        let mut management = Management::new(2);
        assert!(management.add(Errand::ResetTarget(1)));
        assert!(management.add(Errand::ResetTarget(1)), "already waits");
        assert!(management.add(Errand::ResetTarget(2)));
        assert!(!management.add(Errand::ResetTarget(3)), "no room");
        let (first, words) = management.next(|_| None).unwrap();
        assert_eq!(first, Errand::ResetTarget(1));
        assert_eq!(management.next(|_| None), None);
        let context = words[1] as u32;
        assert!(context < 1 << CONTEXT_BITS && context >> 28 == 1);
        assert!(!management.end(context + 1));
        assert!(management.end(context));
        assert!(!management.end(context), "answered twice");
        let (second, words) = management.next(|_| None).unwrap();
        assert_eq!(second, Errand::ResetTarget(2));
        assert_ne!(words[1] as u32, context);
    }

    #[test]
    fn aborts_of_what_has_ended_are_dropped() {
        let mut tags = TagTable::new(2, 28);
        let (gone, open) = (tags.take(0).unwrap(), tags.take(1).unwrap());
        let mut management = Management::new(4);
        let at = ScsiAddress { target: 0, lun: 0 };
        assert!(management.add(Errand::Abort { tag: gone, at }));
        assert!(management.add(Errand::Abort { tag: open, at }));
        let context = |tag| (tag == open).then_some(0x81);
        let (errand, words) = management.next(context).unwrap();
        assert_eq!(errand, Errand::Abort { tag: open, at });
        assert_eq!(words[task::CONTEXT_WORD], 0x81);
    }
    use super::super::spec::CONTEXT_BITS;
}
