//! What our own loader says beyond BootInfo: which way in was taken, and when.
//!
//! The note is a page of text, found by the kind of its memory region; the crate
//! `boot` documents it. Other loaders leave none, and the kernel does without.

use super::physical;
use alloc::string::{String, ToString};
use bootloader_api::info::{MemoryRegion, MemoryRegionKind};

/// Kind of the region that holds the note: one page.
const REGION: MemoryRegionKind = MemoryRegionKind::UnknownUefi(0x8049_4f50);
const TITLE: &str = "ioprobe-boot 1";
const PAGE_BYTES: u64 = 4096;

/// The note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootNote {
    /// `pvh`, `uefi`, `bios`.
    pub entry: String,
    /// Time-stamp counter at the loader's first instruction.
    pub entry_tsc: u64,
}

impl BootNote {
    /// The note in one of `regions`, if there is one. Memory must be set up.
    #[must_use]
    pub fn find(regions: &[MemoryRegion]) -> Option<Self> {
        let region = regions
            .iter()
            .find(|region| region.kind == REGION && region.end - region.start == PAGE_BYTES)?;
        let page = physical::pointer(region.start)?.cast::<[u8; PAGE_BYTES as usize]>();
        // SAFETY: our loader put a page of memory there, which nobody else uses; it
        // lies below 4 GiB, so it is mapped.
        let page = unsafe { page.read() };
        let end = page.iter().position(|&byte| byte == 0)?;
        Self::parse(core::str::from_utf8(&page[..end]).ok()?)
    }

    /// Whether a BIOS ran before, or nothing at all: then a VGA adapter shows text.
    #[must_use]
    pub fn leaves_text_mode(&self) -> bool {
        matches!(self.entry.as_str(), "bios" | "pvh")
    }

    /// Reads `ioprobe-boot 1` and lines of `key=value`; keys that it does not know
    /// are a later loader's.
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        lines.next().filter(|&title| title == TITLE)?;
        let mut note = Self {
            entry: String::new(),
            entry_tsc: 0,
        };
        for (key, value) in lines.filter_map(|line| line.split_once('=')) {
            match key {
                "entry" => note.entry = value.to_string(),
                "tsc" => note.entry_tsc = value.parse().ok()?,
                _ => {}
            }
        }
        Some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use boot::{BOOT_NOTE_REGION, EntryKind, boot_note};

    #[test]
    fn reads_what_the_loader_writes() {
        assert_eq!(REGION, BOOT_NOTE_REGION);
        let page = *boot_note(EntryKind::Uefi, 123_456_789_012).page();
        let end = page.iter().position(|&byte| byte == 0).unwrap();
        let text = core::str::from_utf8(&page[..end]).unwrap();
        assert_eq!(
            BootNote::parse(text),
            Some(BootNote {
                entry: "uefi".to_string(),
                entry_tsc: 123_456_789_012,
            })
        );
    }

    #[test]
    fn unknown_keys_pass_and_other_texts_do_not() {
        let note = BootNote::parse("ioprobe-boot 1\nnew=1\ntsc=5\nentry=pvh\n").unwrap();
        assert_eq!((note.entry.as_str(), note.entry_tsc), ("pvh", 5));
        assert_eq!(BootNote::parse("ioprobe-boot 2\ntsc=5\n"), None);
        assert_eq!(BootNote::parse("ioprobe-boot 1\ntsc=x\n"), None);
        assert_eq!(BootNote::parse(""), None);
    }
}
