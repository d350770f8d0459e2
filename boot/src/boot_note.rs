//! What BootInfo has no field for: which way in was taken, and when.
//!
//! The note is text in a page of its own, found by the kind of its memory region:
//! [`BOOT_NOTE_REGION`] comes from the range that UEFI leaves to operating system
//! loaders (UEFI 2.10 table 7.6: 0x8000_0000..=0xffff_ffff). A kernel that does
//! not know the kind leaves the page alone, and a kernel that looks for it in vain
//! was started by another loader. The text ends at the first zero byte:
//!
//! ```text
//! ioprobe-boot 1
//! entry=pvh
//! tsc=1234567
//! ```

use crate::{EntryKind, PAGE_BYTES};
use bootloader_api::info::MemoryRegionKind;
use core::fmt::{self, Write};

/// The region that holds the note: one page.
pub const BOOT_NOTE_REGION: MemoryRegionKind = MemoryRegionKind::UnknownUefi(0x8049_4f50);

/// A page of text, zero-filled.
pub struct BootNote {
    page: [u8; PAGE_BYTES as usize],
    len: usize,
}

impl BootNote {
    /// The whole page.
    #[must_use]
    pub const fn page(&self) -> &[u8; PAGE_BYTES as usize] {
        &self.page
    }
}

impl Write for BootNote {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        // The last byte stays zero, so that the text always ends.
        if end >= self.page.len() {
            return Err(fmt::Error);
        }
        self.page[self.len..end].copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// The note for a machine that was entered by `entry` at `entry_tsc`.
#[must_use]
pub fn boot_note(entry: EntryKind, entry_tsc: u64) -> BootNote {
    let mut note = BootNote {
        page: [0; PAGE_BYTES as usize],
        len: 0,
    };
    // A hundred bytes fit a page, so this cannot fail.
    let _ = write!(
        note,
        "ioprobe-boot 1\nentry={}\ntsc={entry_tsc}\n",
        entry.name()
    );
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_the_documented_one_and_ends_in_zero() {
        let note = boot_note(EntryKind::Bios, u64::MAX);
        let expected = b"ioprobe-boot 1\nentry=bios\ntsc=18446744073709551615\n\0";
        assert_eq!(&note.page()[..expected.len()], expected);
        assert!(note.page()[expected.len()..].iter().all(|&byte| byte == 0));
    }
}
