//! ELF files made by hand, byte for byte.

use super::*;
use std::vec;
use std::vec::Vec;

/// One segment of a made-up kernel: address, flags (1 X, 2 W, 4 R), data, bytes in memory.
pub(crate) type Part<'a> = (u64, u32, &'a [u8], u64);

/// An ELF-64 executable with these segments and this `.bootloader-config`.
pub(crate) fn build(entry: u64, parts: &[Part<'_>], config: &[u8]) -> Vec<u8> {
    let names = b"\0.shstrtab\0.bootloader-config\0";
    let mut data = vec![0_u8; 64 + 56 * parts.len()];
    for (i, &(virt, flags, content, memory_bytes)) in parts.iter().enumerate() {
        let header = 64 + 56 * i;
        let offset = data.len() as u64;
        let words = [offset, virt, virt, content.len() as u64, memory_bytes, 4096];
        data[header..header + 4].copy_from_slice(&1_u32.to_le_bytes());
        data[header + 4..header + 8].copy_from_slice(&flags.to_le_bytes());
        for (w, word) in words.iter().enumerate() {
            let at = header + 8 + 8 * w;
            data[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        data.extend_from_slice(content);
    }
    let config_at = data.len() as u64;
    data.extend_from_slice(config);
    let names_at = data.len() as u64;
    data.extend_from_slice(names);
    let sections_at = data.len() as u64;
    for (name, at, len) in [
        (1_u32, names_at, names.len()),
        (11, config_at, config.len()),
    ] {
        let mut section = [0_u8; 64];
        section[..4].copy_from_slice(&name.to_le_bytes());
        section[24..32].copy_from_slice(&at.to_le_bytes());
        section[32..40].copy_from_slice(&(len as u64).to_le_bytes());
        data.extend_from_slice(&section);
    }
    data[..6].copy_from_slice(b"\x7fELF\x02\x01");
    data[16..18].copy_from_slice(&2_u16.to_le_bytes());
    data[18..20].copy_from_slice(&62_u16.to_le_bytes());
    data[24..32].copy_from_slice(&entry.to_le_bytes());
    data[32..40].copy_from_slice(&64_u64.to_le_bytes());
    data[40..48].copy_from_slice(&sections_at.to_le_bytes());
    data[56..58].copy_from_slice(&(parts.len() as u16).to_le_bytes());
    data[60..62].copy_from_slice(&2_u16.to_le_bytes());
    data
}

const CODE: Part<'_> = (0x10_0000, 5, &[0x90; 10], 10);

#[test]
fn reads_segments_entry_and_config() {
    let file = build(0x10_0002, &[CODE, (0x10_1010, 6, &[7; 4], 0x2000)], b"cfg");
    let kernel = Kernel::parse(&file).unwrap();
    assert_eq!(kernel.entry, 0x10_0002);
    assert_eq!(kernel.config, b"cfg");
    assert_eq!(kernel.lowest(), 0x10_0000);
    let segments: Vec<_> = kernel.segments().collect();
    assert_eq!(segments.len(), 2);
    assert!(segments[0].executable && !segments[0].writable);
    assert!(!segments[1].executable && segments[1].writable);
    assert_eq!(segments[1].data, [7; 4]);
    assert_eq!(segments[1].page_start(), 0x10_1000);
    assert_eq!(segments[1].page_end(), 0x10_4000);
}

#[test]
fn refuses_by_name_what_it_cannot_honour() {
    let parse = |parts: &[Part<'_>]| Kernel::parse(&build(0x10_0000, parts, b"")).err();
    assert_eq!(
        parse(&[(0x10_0000, 7, b"x", 1)]),
        Some(ElfError::WritableCode(0x10_0000))
    );
    assert_eq!(
        parse(&[CODE, (0x10_0800, 6, b"x", 1)]),
        Some(ElfError::BadSegment(0x10_0800))
    );
    assert_eq!(
        parse(&[CODE, (0x20_0000, 6, b"xyz", 1)]),
        Some(ElfError::BadSegment(0x20_0000))
    );
    assert_eq!(
        parse(&[(0x10_0000, 4, b"x", 1)]),
        Some(ElfError::EntryOutside(0x10_0000))
    );
    assert_eq!(
        parse(&[CODE, (u64::MAX - 10, 6, b"", 8)]),
        Some(ElfError::BadSegment(u64::MAX - 10))
    );
    let many: Vec<Part<'_>> = (0..17).map(|i| (i << 20, 5, &b"x"[..], 1)).collect();
    assert_eq!(parse(&many), Some(ElfError::TooManySegments));
}

#[test]
fn refuses_other_files() {
    assert_eq!(Kernel::parse(b"").err(), Some(ElfError::NotX86Elf64));
    assert_eq!(
        Kernel::parse(b"#!/bin/sh\n").err(),
        Some(ElfError::NotX86Elf64)
    );
    let mut shared = build(0x10_0000, &[CODE], b"");
    shared[16] = 3;
    assert_eq!(
        Kernel::parse(&shared).err(),
        Some(ElfError::NotExecutable(3))
    );
    let mut stripped = build(0x10_0000, &[CODE], b"");
    stripped[60] = 0;
    assert_eq!(Kernel::parse(&stripped).err(), Some(ElfError::NoConfig));
}

#[test]
fn no_cut_or_flipped_byte_makes_it_panic() {
    let good = build(0x10_0000, &[CODE, (0x10_1000, 6, b"data", 9000)], b"cfg");
    for len in 0..good.len() {
        assert!(Kernel::parse(&good[..len]).is_err(), "cut at {len}");
    }
    for at in 0..good.len() {
        for value in [0, 0x7f, 0xff] {
            let mut bad = good.clone();
            bad[at] = value;
            let _ = Kernel::parse(&bad);
        }
    }
}
