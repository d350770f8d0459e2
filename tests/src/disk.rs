//! Looking at disk files from outside, and making some.

use proto::pattern;
use proto::scratch::margin_bytes;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Counts blocks of `block_bytes` between the stamped ends of a scratch file: those
/// that hold the pattern of their own place, and those that are all zero.
///
/// # Panics
/// If a block holds anything else, or the file cannot be read.
#[must_use]
pub fn pattern_blocks(path: &Path, block_bytes: usize) -> (usize, usize) {
    let data = fs::read(path).expect("the disk file");
    let margin = usize::try_from(margin_bytes(data.len() as u64)).expect("a small file");
    let (mut written, mut zero) = (0, 0);
    for (index, block) in data[margin..data.len() - margin]
        .chunks(block_bytes)
        .enumerate()
    {
        let start = margin + index * block_bytes;
        if block.iter().all(|&byte| byte == 0) {
            zero += 1;
            continue;
        }
        for (unit, found) in block.chunks(pattern::UNIT_BYTES).enumerate() {
            let offset = start + unit * pattern::UNIT_BYTES;
            let expected = pattern::unit(offset as u64);
            assert!(
                found == expected,
                "the block at byte {offset} is not its own pattern"
            );
        }
        written += 1;
    }
    (written, zero)
}

/// Each unit of what a row wrote, in order from its region's start, holds the
/// pattern of its own place.
///
/// # Panics
/// If one does not, or the row wrote nothing.
pub fn holds_its_pattern(file: &Path, row: &Value) {
    let data = fs::read(file).expect("the disk file");
    let bs = row["params"]["bs"].as_u64().unwrap();
    let start = row["params"]["region_start"].as_u64().unwrap();
    let bytes = row["write"]["ios"].as_u64().unwrap() * bs;
    assert!(bytes > 0 && bytes <= row["params"]["region_bytes"].as_u64().unwrap());
    is_pattern(&data, row, start, bytes, file);
}

/// Each unit of a row's region holds the pattern of its own place.
///
/// # Panics
/// If one does not.
pub fn holds_its_pattern_everywhere(file: &Path, row: &Value) {
    let data = fs::read(file).expect("the disk file");
    let start = row["params"]["region_start"].as_u64().unwrap();
    let bytes = row["params"]["region_bytes"].as_u64().unwrap();
    assert!(bytes > 0);
    is_pattern(&data, row, start, bytes, file);
}

fn is_pattern(data: &[u8], row: &Value, start: u64, bytes: u64, file: &Path) {
    for offset in (start..start + bytes).step_by(pattern::UNIT_BYTES) {
        let at = usize::try_from(offset).unwrap();
        let found = &data[at..at + pattern::UNIT_BYTES];
        assert!(
            found == pattern::unit(offset),
            "{}: byte {offset} of {} is not the pattern of its place",
            row["job"],
            file.display()
        );
    }
}

/// Changes one byte; returns what it was and what it is.
///
/// # Panics
/// If the file cannot be changed.
#[must_use]
pub fn flip_byte(path: &Path, offset: u64) -> (u8, u8) {
    let mut file = File::options()
        .read(true)
        .write(true)
        .open(path)
        .expect("the disk file");
    let mut byte = [0];
    let at = |file: &mut File| {
        file.seek(SeekFrom::Start(offset))
            .expect("an offset in the file")
    };
    at(&mut file);
    file.read_exact(&mut byte).expect("one byte");
    let was = byte[0];
    byte[0] ^= 0x40;
    at(&mut file);
    file.write_all(&byte).expect("one byte");
    (was, byte[0])
}

/// Makes a file that has an ext4 superblock where one belongs (fs/ext4/ext4.h in
/// Linux: offset 1024; s_magic 0xEF53 at 0x38; s_feature_incompat at 0x60 with
/// EXTENTS 0x40) and data elsewhere.
///
/// # Panics
/// If it cannot be written.
pub fn ext4_image(path: &Path, bytes: usize) {
    let mut data = vec![0; bytes];
    data[1024 + 0x38..1024 + 0x3a].copy_from_slice(&0xef53_u16.to_le_bytes());
    data[1024 + 0x60..1024 + 0x64].copy_from_slice(&0x40_u32.to_le_bytes());
    for (index, byte) in data[bytes / 2..bytes / 2 + 4096].iter_mut().enumerate() {
        *byte = (index % 251) as u8;
    }
    fs::write(path, data).expect("the image");
}
