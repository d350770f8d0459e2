//! What images need of ELF files (System V ABI, x86-64 supplement).

use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection};
use std::fmt;

/// Why an ELF file is of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElfError(pub String);

impl fmt::Display for ElfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<object::Error> for ElfError {
    fn from(error: object::Error) -> Self {
        Self(format!("not an ELF file that can be read: {error}"))
    }
}

/// A loadable segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Address of the first byte.
    pub address: u64,
    /// What the file holds; the rest up to `memory_bytes` is zero.
    pub data: Vec<u8>,
    /// Length in memory.
    pub memory_bytes: u64,
    /// May be written.
    pub writable: bool,
    /// May be executed.
    pub executable: bool,
}

impl Segment {
    /// The 64-bit word at an address, if it lies in what the file holds.
    pub fn word_at(&mut self, address: u64) -> Option<&mut [u8]> {
        let start = usize::try_from(address.checked_sub(self.address)?).ok()?;
        self.data.get_mut(start..start.checked_add(8)?)
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Address of the first instruction.
    pub entry: u64,
    /// Its segments, by address.
    pub segments: Vec<Segment>,
}

impl Program {
    /// Reads an ELF file.
    ///
    /// # Errors
    /// [`ElfError`].
    pub fn read(bytes: &[u8]) -> Result<Self, ElfError> {
        let file: ElfFile64<'_, LittleEndian> = ElfFile64::parse(bytes)?;
        let endian = LittleEndian;
        let mut segments = Vec::new();
        for header in file.elf_program_headers() {
            if header.p_type(endian) != object::elf::PT_LOAD {
                continue;
            }
            let data = header
                .data(endian, bytes)
                .map_err(|()| ElfError("a segment lies outside of the file".into()))?;
            let flags = header.p_flags(endian);
            segments.push(Segment {
                address: header.p_vaddr(endian),
                data: data.to_vec(),
                memory_bytes: header.p_memsz(endian),
                writable: flags & object::elf::PF_W != 0,
                executable: flags & object::elf::PF_X != 0,
            });
        }
        segments.sort_by_key(|segment| segment.address);
        Ok(Self {
            entry: file.entry(),
            segments,
        })
    }

    /// Memory as the program wants it, from the first segment's address to the last
    /// segment's end, with zeros in between and behind.
    ///
    /// # Errors
    /// [`ElfError`] if segments overlap or there is none.
    pub fn flat(&self) -> Result<(u64, Vec<u8>), ElfError> {
        let first = self
            .segments
            .first()
            .ok_or_else(|| ElfError("nothing to load".into()))?;
        let mut memory = Vec::new();
        for segment in &self.segments {
            let start = (segment.address - first.address) as usize;
            if start < memory.len() {
                return Err(ElfError(format!(
                    "segments overlap at {:#x}",
                    segment.address
                )));
            }
            memory.resize(start, 0);
            memory.extend_from_slice(&segment.data);
            memory.resize(start + segment.memory_bytes as usize, 0);
        }
        Ok((first.address, memory))
    }
}

/// Content of the section of that name.
///
/// # Errors
/// [`ElfError`] if there is none.
pub fn section(bytes: &[u8], name: &str) -> Result<Vec<u8>, ElfError> {
    let file: ElfFile64<'_, LittleEndian> = ElfFile64::parse(bytes)?;
    let section = file
        .section_by_name(name)
        .ok_or_else(|| ElfError(format!("no section {name}")))?;
    Ok(section.data()?.to_vec())
}

/// A word that holds an address of the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Where the word is.
    pub at: u64,
    /// What it holds, from the start of the image.
    pub addend: u64,
}

const RELA_BYTES: usize = 24;

/// All relocations; none if there is no section for them.
///
/// # Errors
/// [`ElfError`] if one is not relative.
pub fn relative_relocations(bytes: &[u8]) -> Result<Vec<Relocation>, ElfError> {
    let file: ElfFile64<'_, LittleEndian> = ElfFile64::parse(bytes)?;
    let Some(section) = file.section_by_name(".rela.dyn") else {
        return Ok(Vec::new());
    };
    let word = |entry: &[u8], at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&entry[at..at + 8]);
        u64::from_le_bytes(word)
    };
    let entries = section.data()?.chunks_exact(RELA_BYTES);
    entries
        .map(|entry| {
            let kind = word(entry, 8) & 0xffff_ffff;
            if kind != u64::from(object::elf::R_X86_64_RELATIVE) {
                let at = word(entry, 0);
                return Err(ElfError(format!("relocation of type {kind} at {at:#x}")));
            }
            Ok(Relocation {
                at: word(entry, 0),
                addend: word(entry, 16),
            })
        })
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::fields::Fields;
    use super::*;

    pub const RELATIVE: u64 = 8;

    /// Address, flags, data and length in memory.
    type Part<'a> = (u64, u32, &'a [u8], u64);

    /// An ELF file with these segments, and with `.rela.dyn` of offset, type, addend.
    pub fn elf_file(entry: u64, parts: &[Part<'_>], relocations: &[(u64, u64, u64)]) -> Vec<u8> {
        let words = relocations.iter().flat_map(|one| [one.0, one.1, one.2]);
        let rela: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        build(entry, parts, &[(".rela.dyn", &rela)])
    }

    /// An ELF file with these sections and nothing to load.
    pub fn elf_with_sections(sections: &[(&str, &[u8])]) -> Vec<u8> {
        build(0, &[], sections)
    }

    /// File header, program headers, contents, names, section headers.
    fn build(entry: u64, parts: &[Part<'_>], sections: &[(&str, &[u8])]) -> Vec<u8> {
        let base = 64 + 56 * parts.len();
        let (mut body, mut programs) = (Vec::new(), Fields::default());
        for (address, flags, data, memory_bytes) in parts {
            programs.u32(1).u32(*flags).u64((base + body.len()) as u64);
            programs.u64(*address).u64(*address).u64(data.len() as u64);
            programs.u64(*memory_bytes).u64(1);
            body.extend_from_slice(data);
        }
        let (mut names, mut headers) = (vec![0], Fields::default());
        headers.fill_to(64);
        let mut section = |name: &str, kind: u32, at: usize, len: usize, names: &mut Vec<u8>| {
            headers.u32(names.len() as u32).u32(kind).u64(0).u64(0);
            headers.u64((base + at) as u64).u64(len as u64);
            headers.u64(0).u64(1).u64(0);
            names.extend_from_slice(name.as_bytes());
            names.push(0);
        };
        for (name, data) in sections {
            section(name, 1, body.len(), data.len(), &mut names);
            body.extend_from_slice(data);
        }
        let all = names.len() + ".names\0".len();
        section(".names", 3, body.len(), all, &mut names);
        body.extend_from_slice(&names);
        let mut file = Fields::default();
        file.bytes(b"\x7fELF\x02\x01\x01").fill_to(16);
        file.u16(3).u16(62).u32(1).u64(entry);
        file.u64(64).u64((base + body.len()) as u64).u32(0);
        let last = sections.len() as u16 + 1;
        for value in [64, 56, parts.len() as u16, 64, last + 1, last] {
            file.u16(value);
        }
        file.bytes(&programs.0).bytes(&body).bytes(&headers.0);
        file.0
    }

    #[test]
    fn flat_memory_has_zeros_between_and_behind() {
        let file = elf_file(
            0x10_0003,
            &[(0x10_0008, 6, b"data", 6), (0x10_0000, 5, b"code", 4)],
            &[],
        );
        let program = Program::read(&file).unwrap();
        assert_eq!(program.entry, 0x10_0003);
        let (start, memory) = program.flat().unwrap();
        assert_eq!(start, 0x10_0000);
        assert_eq!(memory, b"code\0\0\0\0data\0\0");
    }

    #[test]
    fn overlapping_segments_and_none_are_errors() {
        let file = elf_file(0, &[(0, 5, b"code", 4), (3, 6, b"data", 4)], &[]);
        let overlap = Program::read(&file).unwrap().flat();
        assert!(overlap.unwrap_err().0.contains("overlap at 0x3"));
        let empty = Program::read(&elf_file(0, &[], &[])).unwrap().flat();
        assert!(empty.is_err());
    }

    #[test]
    fn sections_are_found_by_name() {
        let file = elf_file(0, &[], &[(1, RELATIVE, 2)]);
        assert_eq!(section(&file, ".rela.dyn").unwrap().len(), 24);
        assert!(section(&file, ".mbr").unwrap_err().0.contains(".mbr"));
    }
}
