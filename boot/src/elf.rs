//! The kernel's ELF file, as far as a loader needs it (System V ABI, ELF-64).

use crate::PAGE_BYTES;
use core::fmt;

/// Segments a kernel may have.
const MAX_SEGMENTS: usize = 16;
const PT_LOAD: u32 = 1;
const PT_TLS: u32 = 7;
const PF_X: u32 = 1;
const PF_W: u32 = 2;

/// Why a kernel's ELF file cannot be honoured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElfError {
    /// The file ends before the field at this offset.
    Truncated(u64),
    /// Not a little-endian x86-64 ELF-64 file.
    NotX86Elf64,
    /// Not `ET_EXEC`; its `e_type`. Position-independent kernels are not supported.
    NotExecutable(u16),
    /// No section `.bootloader-config`: not a kernel for `bootloader_api`.
    NoConfig,
    /// More than 16 loadable segments.
    TooManySegments,
    /// A segment is writable and executable; its address.
    WritableCode(u64),
    /// Two segments share a page, or one is larger in the file than in memory; the address.
    BadSegment(u64),
    /// The entry point lies in no executable segment.
    EntryOutside(u64),
}

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated(offset) => write!(f, "the file ends before offset {offset:#x}"),
            Self::NotX86Elf64 => f.write_str("not an ELF-64 file for x86-64"),
            Self::NotExecutable(kind) => {
                write!(f, "type {kind}, but only ET_EXEC (2) can be loaded")
            }
            Self::NoConfig => f.write_str("no section .bootloader-config"),
            Self::TooManySegments => f.write_str("more than 16 loadable segments"),
            Self::WritableCode(virt) => {
                write!(f, "segment at {virt:#x} is writable and executable")
            }
            Self::BadSegment(virt) => {
                write!(f, "segment at {virt:#x} is malformed or shares a page")
            }
            Self::EntryOutside(virt) => write!(f, "entry {virt:#x} lies in no executable segment"),
        }
    }
}

/// A loadable segment. Addresses are virtual, lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment<'a> {
    /// First byte.
    pub virt: u64,
    /// What the file holds; the rest up to `memory_bytes` is zero.
    pub data: &'a [u8],
    /// Length in memory.
    pub memory_bytes: u64,
    /// May be written.
    pub writable: bool,
    /// May be executed.
    pub executable: bool,
}

impl Segment<'_> {
    /// First byte of its first page.
    pub fn page_start(&self) -> u64 {
        self.virt & !(PAGE_BYTES - 1)
    }

    /// First byte after its last page.
    pub fn page_end(&self) -> u64 {
        (self.virt + self.memory_bytes).next_multiple_of(PAGE_BYTES)
    }
}

/// Thread-local storage template: address, bytes in the file, bytes in memory.
pub type Tls = (u64, u64, u64);

/// A kernel that can be loaded.
#[derive(Debug)]
pub struct Kernel<'a> {
    segments: [Option<Segment<'a>>; MAX_SEGMENTS],
    /// Virtual address of the first instruction.
    pub entry: u64,
    /// Content of `.bootloader-config`.
    pub config: &'a [u8],
    /// Thread-local storage, where there is any.
    pub tls: Option<Tls>,
}

impl<'a> Kernel<'a> {
    /// Reads and checks `bytes`.
    ///
    /// # Errors
    /// [`ElfError`], naming what cannot be honoured.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ElfError> {
        let file = File(bytes);
        // e_ident: magic, ELFCLASS64, ELFDATA2LSB.
        if bytes.get(..6) != Some(b"\x7fELF\x02\x01") || file.u16(18)? != 62 {
            return Err(ElfError::NotX86Elf64);
        }
        let kind = file.u16(16)?;
        if kind != 2 {
            return Err(ElfError::NotExecutable(kind));
        }
        let mut kernel = Self {
            segments: [None; MAX_SEGMENTS],
            entry: file.u64(24)?,
            config: file.section(b".bootloader-config")?,
            tls: None,
        };
        let (table, count) = (file.u64(32)?, u64::from(file.u16(56)?));
        file.bytes(table, count * 56)?;
        let mut filled = 0;
        for i in 0..count {
            let header = table + i * 56;
            match file.u32(header)? {
                PT_LOAD if file.u64(header + 40)? > 0 => {
                    let slot = kernel.segments.get_mut(filled);
                    *slot.ok_or(ElfError::TooManySegments)? = Some(file.segment(header)?);
                    filled += 1;
                }
                PT_TLS => {
                    kernel.tls = Some((
                        file.u64(header + 16)?,
                        file.u64(header + 32)?,
                        file.u64(header + 40)?,
                    ));
                }
                _ => {}
            }
        }
        kernel.check()?;
        Ok(kernel)
    }

    /// The loadable segments.
    pub fn segments(&self) -> impl Iterator<Item = &Segment<'a>> {
        self.segments.iter().flatten()
    }

    /// Lowest virtual address of the image.
    pub fn lowest(&self) -> u64 {
        self.segments().map(Segment::page_start).min().unwrap_or(0)
    }

    fn check(&self) -> Result<(), ElfError> {
        for (i, segment) in self.segments().enumerate() {
            if segment.writable && segment.executable {
                return Err(ElfError::WritableCode(segment.virt));
            }
            let shares_a_page = self.segments().take(i).any(|other| {
                segment.page_start() < other.page_end() && other.page_start() < segment.page_end()
            });
            if shares_a_page {
                return Err(ElfError::BadSegment(segment.virt));
            }
        }
        let inside = |s: &Segment<'_>| {
            s.executable && (s.virt..s.virt + s.memory_bytes).contains(&self.entry)
        };
        if self.segments().any(inside) {
            Ok(())
        } else {
            Err(ElfError::EntryOutside(self.entry))
        }
    }
}

/// Bounds-checked access.
struct File<'a>(&'a [u8]);

impl<'a> File<'a> {
    fn bytes(&self, offset: u64, len: u64) -> Result<&'a [u8], ElfError> {
        let range = usize::try_from(offset)
            .ok()
            .zip(offset.checked_add(len).and_then(|end| end.try_into().ok()));
        range
            .and_then(|(start, end)| self.0.get(start..end))
            .ok_or(ElfError::Truncated(offset))
    }

    fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N], ElfError> {
        let bytes = self.bytes(offset, N as u64)?;
        bytes.try_into().map_err(|_| ElfError::Truncated(offset))
    }

    fn u16(&self, offset: u64) -> Result<u16, ElfError> {
        self.array(offset).map(u16::from_le_bytes)
    }

    fn u32(&self, offset: u64) -> Result<u32, ElfError> {
        self.array(offset).map(u32::from_le_bytes)
    }

    fn u64(&self, offset: u64) -> Result<u64, ElfError> {
        self.array(offset).map(u64::from_le_bytes)
    }

    fn segment(&self, header: u64) -> Result<Segment<'a>, ElfError> {
        let flags = self.u32(header + 4)?;
        let virt = self.u64(header + 16)?;
        let data = self.bytes(self.u64(header + 8)?, self.u64(header + 32)?)?;
        let memory_bytes = self.u64(header + 40)?;
        let in_range = virt
            .checked_add(memory_bytes)
            .and_then(|end| end.checked_add(PAGE_BYTES))
            .is_some();
        if !in_range || (data.len() as u64) > memory_bytes {
            return Err(ElfError::BadSegment(virt));
        }
        Ok(Segment {
            virt,
            data,
            memory_bytes,
            writable: flags & PF_W != 0,
            executable: flags & PF_X != 0,
        })
    }

    /// Content of the section `name`, found through the section name table.
    fn section(&self, name: &[u8]) -> Result<&'a [u8], ElfError> {
        let (table, count, names) = (self.u64(40)?, self.u16(60)?, self.u16(62)?);
        let header = |index: u16| table + u64::from(index) * 64;
        if count == 0 {
            return Err(ElfError::NoConfig);
        }
        self.bytes(table, u64::from(count) * 64)?;
        let names_at = self.u64(header(names) + 24)?;
        for index in 0..count {
            let at = names_at.wrapping_add(u64::from(self.u32(header(index))?));
            if let Ok(found) = self.bytes(at, name.len() as u64 + 1)
                && found.strip_suffix(b"\0") == Some(name)
            {
                return self.bytes(self.u64(header(index) + 24)?, self.u64(header(index) + 32)?);
            }
        }
        Err(ElfError::NoConfig)
    }
}

#[cfg(test)]
pub(crate) mod tests;
