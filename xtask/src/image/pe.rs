//! From a position-independent ELF file to the PE file that UEFI starts
//! (Microsoft PE/COFF specification; UEFI 2.10, 2.1.1).
//!
//! Segments become sections at the same addresses, and every relocation, all of
//! them relative, becomes a base relocation. The image base is 0, so addresses
//! stay what they are in the ELF file.

use super::elf::{self, ElfError, Segment};
use object::pe::{
    IMAGE_FILE_EXECUTABLE_IMAGE, IMAGE_FILE_LARGE_ADDRESS_AWARE, IMAGE_FILE_LINE_NUMS_STRIPPED,
    IMAGE_FILE_LOCAL_SYMS_STRIPPED, IMAGE_FILE_MACHINE_AMD64, IMAGE_REL_BASED_DIR64,
    IMAGE_SCN_CNT_CODE, IMAGE_SCN_CNT_INITIALIZED_DATA, IMAGE_SCN_MEM_EXECUTE, IMAGE_SCN_MEM_READ,
    IMAGE_SCN_MEM_WRITE, IMAGE_SUBSYSTEM_EFI_APPLICATION,
};
use object::write::pe::{NtHeaders, SectionRange, Writer};

const SECTION_ALIGNMENT: u32 = 0x1000;
const FILE_ALIGNMENT: u32 = 0x200;
/// Entries of the data directory that every PE file has.
const DIRECTORIES: usize = 16;
/// PE/COFF, DllCharacteristics: no page is writable and executable.
const NX_COMPAT: u16 = 0x100;

/// The PE file for the ELF file `elf`.
///
/// # Errors
/// What the ELF file has that a PE file cannot express.
pub fn from_elf(elf: &[u8]) -> Result<Vec<u8>, ElfError> {
    let program = elf::Program::read(elf)?;
    let mut segments = program.segments;
    let mut relocations = elf::relative_relocations(elf)?;
    relocations.sort_by_key(|relocation| relocation.at);
    for relocation in &relocations {
        let target = segments
            .iter_mut()
            .find_map(|segment| segment.word_at(relocation.at))
            .ok_or_else(|| ElfError(format!("relocation at {:#x} outside", relocation.at)))?;
        target.copy_from_slice(&relocation.addend.to_le_bytes());
    }
    let places = relocations.iter().map(|relocation| relocation.at);
    write(program.entry, &segments, places)
}

fn write(
    entry: u64,
    segments: &[Segment],
    relocations: impl Iterator<Item = u64>,
) -> Result<Vec<u8>, ElfError> {
    let mut file = Vec::new();
    let mut writer = Writer::new(true, SECTION_ALIGNMENT, FILE_ALIGNMENT, &mut file);
    writer.reserve_dos_header();
    writer.reserve_nt_headers(DIRECTORIES);
    // One more for the relocations.
    writer.reserve_section_headers(segments.len() as u16 + 1);
    let mut ranges: Vec<SectionRange> = Vec::new();
    for segment in segments {
        let address = narrow(segment.address)?;
        if address % SECTION_ALIGNMENT != 0 || address < writer.virtual_len() {
            return Err(ElfError(format!(
                "segment at {address:#x} shares a page with what is before it"
            )));
        }
        writer.reserve_virtual_until(address);
        ranges.push(writer.reserve_section(
            name(segment),
            characteristics(segment),
            narrow(segment.memory_bytes)?,
            narrow(segment.data.len() as u64)?,
        ));
    }
    for at in relocations {
        writer.add_reloc(narrow(at)?, IMAGE_REL_BASED_DIR64);
    }
    writer.reserve_reloc_section();

    let wrong = |error: object::write::Error| ElfError(error.to_string());
    writer.write_empty_dos_header().map_err(wrong)?;
    writer.write_nt_headers(headers(narrow(entry)?));
    writer.write_section_headers();
    for (segment, range) in segments.iter().zip(&ranges) {
        writer.write_section(range.file_offset, &segment.data);
    }
    writer.write_reloc_section();
    Ok(file)
}

fn headers(entry: u32) -> NtHeaders {
    NtHeaders {
        machine: IMAGE_FILE_MACHINE_AMD64,
        // A date would make two builds differ.
        time_date_stamp: 0,
        characteristics: IMAGE_FILE_EXECUTABLE_IMAGE
            | IMAGE_FILE_LARGE_ADDRESS_AWARE
            | IMAGE_FILE_LINE_NUMS_STRIPPED
            | IMAGE_FILE_LOCAL_SYMS_STRIPPED,
        major_linker_version: 0,
        minor_linker_version: 0,
        address_of_entry_point: entry,
        image_base: 0,
        major_operating_system_version: 0,
        minor_operating_system_version: 0,
        major_image_version: 0,
        minor_image_version: 0,
        major_subsystem_version: 0,
        minor_subsystem_version: 0,
        subsystem: IMAGE_SUBSYSTEM_EFI_APPLICATION,
        dll_characteristics: NX_COMPAT,
        size_of_stack_reserve: 0,
        size_of_stack_commit: 0,
        size_of_heap_reserve: 0,
        size_of_heap_commit: 0,
    }
}

const fn name(segment: &Segment) -> [u8; 8] {
    match (segment.executable, segment.writable) {
        (true, _) => *b".text\0\0\0",
        (_, true) => *b".data\0\0\0",
        _ => *b".rdata\0\0",
    }
}

const fn characteristics(segment: &Segment) -> u32 {
    let kind = if segment.executable {
        IMAGE_SCN_CNT_CODE | IMAGE_SCN_MEM_EXECUTE
    } else {
        IMAGE_SCN_CNT_INITIALIZED_DATA
    };
    let write = if segment.writable {
        IMAGE_SCN_MEM_WRITE
    } else {
        0
    };
    kind | write | IMAGE_SCN_MEM_READ
}

fn narrow(value: u64) -> Result<u32, ElfError> {
    u32::try_from(value).map_err(|_| ElfError(format!("{value:#x} is beyond 4 GiB")))
}

#[cfg(test)]
mod tests {
    use super::super::elf::tests::{RELATIVE, elf_file};
    use super::*;
    use object::read::pe::PeFile64;
    use object::{Object, ObjectSection};

    /// Code at 0x1000, data with one pointer at 0x2008 and zeros behind.
    fn program(relocations: &[(u64, u64, u64)]) -> Vec<u8> {
        let mut data = vec![0xdd; 16];
        data[8..].fill(0);
        elf_file(
            0x1004,
            &[(0x1000, 5, b"code....", 8), (0x2000, 6, &data, 0x1800)],
            relocations,
        )
    }

    #[test]
    fn sections_lie_where_segments_did() {
        let file = from_elf(&program(&[(0x2008, RELATIVE, 0x1004)])).unwrap();
        let pe = PeFile64::parse(&*file).unwrap();
        assert_eq!((pe.entry(), pe.relative_address_base()), (0x1004, 0));
        let sections: Vec<_> = pe
            .sections()
            .map(|s| (s.name().unwrap().to_owned(), s.address(), s.size()))
            .collect();
        assert_eq!(sections[0], (".text".to_owned(), 0x1000, 8));
        assert_eq!(sections[1], (".data".to_owned(), 0x2000, 0x1800));
        assert_eq!(sections[2].0, ".reloc");
        let text = pe.section_by_name(".text").unwrap();
        assert!(text.data().unwrap().starts_with(b"code...."));
        let header = pe.nt_headers();
        assert_eq!(
            header.optional_header.subsystem.get(object::LittleEndian),
            10
        );
        // Zeros need no room in the file.
        assert!(file.len() < 0x1000);
    }

    #[test]
    fn pointers_hold_their_addend_and_are_listed() {
        let file = from_elf(&program(&[(0x2008, RELATIVE, 0x1004)])).unwrap();
        let pe = PeFile64::parse(&*file).unwrap();
        let data = pe.section_by_name(".data").unwrap();
        let data = data.data().unwrap();
        assert_eq!(data[..8], [0xdd; 8]);
        assert_eq!(data[8..16], 0x1004_u64.to_le_bytes());
        let directories = pe.data_directories();
        let mut blocks = directories
            .relocation_blocks(&*file, &pe.section_table())
            .unwrap()
            .unwrap();
        let block = blocks.next().unwrap().unwrap();
        let relocations: Vec<_> = block
            .map(|one| (one.virtual_address, one.typ))
            .filter(|one| one.1 != 0)
            .collect();
        assert_eq!(relocations, [(0x2008, IMAGE_REL_BASED_DIR64)]);
    }

    #[test]
    fn what_cannot_be_expressed_is_told() {
        let told = |file: &[u8]| from_elf(file).unwrap_err().0;
        // 6 is R_X86_64_GLOB_DAT: there is nobody to look a symbol up.
        assert!(told(&program(&[(0x2008, 6, 0)])).contains("type 6"));
        // Into the zeros behind the data, and outside of all.
        for at in [0x2100, 0x9000, 0x2009] {
            assert!(told(&program(&[(at, RELATIVE, 0)])).contains("outside"));
        }
        let crowded = elf_file(
            0x1000,
            &[(0x1000, 5, b"code", 4), (0x1800, 6, b"data", 4)],
            &[],
        );
        assert!(told(&crowded).contains("shares a page"));
        assert!(told(b"no ELF").contains("ELF"));
    }

    #[test]
    fn two_conversions_are_the_same() {
        let elf = program(&[(0x2008, RELATIVE, 0x1004), (0x2000, RELATIVE, 1)]);
        assert_eq!(from_elf(&elf).unwrap(), from_elf(&elf).unwrap());
    }
}
