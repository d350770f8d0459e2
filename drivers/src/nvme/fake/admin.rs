//! Admin commands.

use super::FakeNvme;
use super::device::ShadowPages;
use super::identify;
use super::io::Fetched;
use super::queues::{CompletionQueue, SubmissionQueue};
use crate::hal::BusAddr;
use alloc::format;

const INVALID_OPCODE: u16 = 0x4001;
const INVALID_FIELD: u16 = 0x4002;
const INVALID_QUEUE: u16 = 0x4101;
const INVALID_QUEUE_SIZE: u16 = 0x4102;
const SEQUENCE_ERROR: u16 = 0x400c;
const ABORTED: u16 = 0x0007;

/// Status field and Dword 0.
type Answer = (u16, u32);

impl FakeNvme {
    pub(super) fn run_admin(&mut self, fetched: &Fetched) {
        if self.faults.deaf_to.contains(&fetched.opcode) {
            return;
        }
        let refused = self
            .faults
            .refuse
            .iter()
            .find(|(opcode, _)| *opcode == fetched.opcode);
        if let Some(&(_, status)) = refused {
            return self.complete(fetched, status, 0);
        }
        let (status, result) = match fetched.opcode {
            0x00 | 0x04 => (self.delete_queue(fetched), 0),
            0x01 => (self.create_submission(fetched), 0),
            0x02 => (self.log_page(fetched), 0),
            0x05 => (self.create_completion(fetched), 0),
            0x06 => (self.identify(fetched), 0),
            0x08 => self.abort(fetched),
            0x09 => self.set_feature(fetched),
            0x0a => self.get_feature(fetched),
            0x0c if self.event_request.is_none() => {
                self.event_request = Some(fetched.id);
                return;
            }
            0x7c if self.config.oacs & 1 << 8 != 0 => (self.use_shadow(fetched), 0),
            _ => (INVALID_OPCODE, 0),
        };
        self.complete(fetched, status, result);
    }

    /// Completes an admin command that waited.
    pub(super) fn complete_admin(&mut self, id: u16, status: u16, result: u32) {
        let mut entry = [0; 64];
        entry[2..4].copy_from_slice(&id.to_le_bytes());
        self.complete(&Fetched::parse(0, &entry), status, result);
    }

    fn identify(&mut self, fetched: &Fetched) -> u16 {
        let nsid = fetched.nsid;
        // Version 1.0 had one bit here and no list.
        let old = self.config.version < 0x0001_0100;
        let page = match fetched.cdw[0] & if old { 1 } else { 0xff } {
            0 => match self.namespaces.iter().find(|found| found.nsid == nsid) {
                Some(found) => identify::namespace(found),
                // Inactive: zeros; beyond what there can be: refused.
                None if old || (1..=self.config.claimed_namespaces).contains(&nsid) => [0; 4096],
                None => return 0x400b,
            },
            1 => identify::controller(&self.config),
            2 if self.config.lists_namespaces => identify::active(&self.namespaces, nsid),
            _ => return INVALID_FIELD,
        };
        self.return_page(fetched, &page)
    }

    fn log_page(&mut self, fetched: &Fetched) -> u16 {
        if fetched.cdw[0] & 0xff == 4 {
            self.event_masked = false;
        }
        self.return_page(fetched, &[0; 4096])
    }

    fn set_feature(&mut self, fetched: &Fetched) -> Answer {
        match fetched.cdw[0] & 0xff {
            0x07 if self.submission.len() > 1 => (SEQUENCE_ERROR, 0),
            0x07 => {
                let last = u32::from(self.config.granted_queues - 1);
                (0, last << 16 | last)
            }
            0x0b => {
                self.events_wanted = fetched.cdw[1] & 1 << 8 != 0;
                (0, 0)
            }
            _ => (INVALID_FIELD, 0),
        }
    }

    fn get_feature(&mut self, fetched: &Fetched) -> Answer {
        let namespace = self
            .namespaces
            .iter()
            .find(|found| found.nsid == fetched.nsid);
        match (fetched.cdw[0] & 0xff, namespace) {
            (0x84, Some(found)) if self.config.nwpc & 1 != 0 => (0, found.protection.into()),
            _ => (INVALID_FIELD, 0),
        }
    }

    fn queue_shape(&mut self, fetched: &Fetched) -> Result<(u16, u32), u16> {
        let (id, last) = (fetched.cdw[0] as u16, fetched.cdw[0] >> 16);
        let exists = match fetched.opcode {
            0x05 => self.completion.contains_key(&id),
            _ => self.submission.contains_key(&id),
        };
        if id == 0 || id > self.config.granted_queues || exists {
            return Err(INVALID_QUEUE);
        }
        if last == 0 || last > u32::from(self.config.max_queue_entries_0) {
            return Err(INVALID_QUEUE_SIZE);
        }
        if fetched.cdw[1] & 1 == 0 || !fetched.prp1.is_multiple_of(4096) || fetched.prp2 != 0 {
            self.violation(format!(
                "queue {id} at {:#x} is not contiguous pages",
                fetched.prp1
            ));
            return Err(INVALID_FIELD);
        }
        Ok((id, last + 1))
    }

    fn create_completion(&mut self, fetched: &Fetched) -> u16 {
        match self.queue_shape(fetched) {
            Ok((id, entries)) => {
                let interrupts = fetched.cdw[1] >> 1 & 1 != 0;
                let base = BusAddr(fetched.prp1);
                self.check_phases(base, entries);
                let queue = CompletionQueue::new(id, base, entries, interrupts);
                self.completion.insert(id, queue);
                0
            }
            Err(status) => status,
        }
    }

    /// A fresh completion queue must not hold entries that look new.
    fn check_phases(&mut self, base: BusAddr, entries: u32) {
        let mut memory = alloc::vec![0; entries as usize * 16];
        self.memory.device_read(base, &mut memory);
        if memory
            .as_chunks::<16>()
            .0
            .iter()
            .any(|entry| entry[14] & 1 != 0)
        {
            self.violation(format!(
                "completion queue at {:#x} holds old phase tags",
                base.0
            ));
        }
    }

    fn create_submission(&mut self, fetched: &Fetched) -> u16 {
        let completion_id = (fetched.cdw[1] >> 16) as u16;
        match self.queue_shape(fetched) {
            Ok(_) if !self.completion.contains_key(&completion_id) => 0x4100,
            Ok((id, entries)) => {
                let base = BusAddr(fetched.prp1);
                let queue = SubmissionQueue::new(base, entries, completion_id);
                self.submission.insert(id, queue);
                0
            }
            Err(status) => status,
        }
    }

    fn delete_queue(&mut self, fetched: &Fetched) -> u16 {
        let id = fetched.cdw[0] as u16;
        let known = match fetched.opcode {
            _ if id == 0 => false,
            0x00 => self.submission.remove(&id).is_some(),
            _ => self.completion.remove(&id).is_some(),
        };
        if known { 0 } else { INVALID_QUEUE }
    }

    fn abort(&mut self, fetched: &Fetched) -> Answer {
        let (queue, id) = (fetched.cdw[0] as u16, (fetched.cdw[0] >> 16) as u16);
        let wanted = |held: &Fetched| held.queue == queue && held.id == id;
        let position = self.held.iter().position(wanted);
        match position {
            Some(index) if self.config.aborts => {
                let victim = self.held.remove(index);
                self.complete(&victim, ABORTED, 0);
                (0, 0)
            }
            _ => (0, 1),
        }
    }

    fn use_shadow(&mut self, fetched: &Fetched) -> u16 {
        let pages = ShadowPages {
            shadow: BusAddr(fetched.prp1),
            events: BusAddr(fetched.prp2),
        };
        if !fetched.prp1.is_multiple_of(4096)
            || !fetched.prp2.is_multiple_of(4096)
            || fetched.prp1 == fetched.prp2
        {
            self.violation(format!(
                "shadow pages at {:#x}, {:#x}",
                fetched.prp1, fetched.prp2
            ));
            return INVALID_FIELD;
        }
        self.pages = Some(pages);
        0
    }
}
