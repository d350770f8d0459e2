//! The partition table (UEFI 2.10, chapter 5): a protective MBR and a GPT at both
//! ends, for blocks of 512 bytes.

use super::fields::Fields;
use std::ops::Range;
use uuid::Uuid;

/// Block size.
pub const BLOCK_BYTES: usize = 512;
/// First block behind the table.
pub const FIRST_USABLE: u64 = 34;

const ENTRIES: usize = 128;
const ENTRY_BYTES: usize = 128;
const TABLE_BLOCKS: u64 = (ENTRIES * ENTRY_BYTES / BLOCK_BYTES) as u64;
const HEADER_BYTES: u32 = 92;

/// UEFI 2.10 table 5.7.
pub const EFI_SYSTEM: Uuid = Uuid::from_u128(0xc12a7328_f81f_11d2_ba4b_00a0c93ec93b);

/// A partition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// What kind.
    pub kind: Uuid,
    /// Which one.
    pub id: Uuid,
    /// Where, in bytes.
    pub bytes: Range<usize>,
    /// What it is called.
    pub name: &'static str,
}

/// Writes the tables into `disk`, which keeps its first 440 bytes.
///
/// # Panics
/// If a partition lies over a table; the layout of an image is fixed.
pub fn write(disk: &mut [u8], id: Uuid, partitions: &[Partition]) {
    let last = (disk.len() / BLOCK_BYTES) as u64 - 1;
    let last_usable = last - TABLE_BLOCKS - 1;
    protective_mbr(disk, last);
    let mut table = vec![0; ENTRIES * ENTRY_BYTES];
    for (partition, entry) in partitions.iter().zip(table.chunks_exact_mut(ENTRY_BYTES)) {
        let blocks = blocks(&partition.bytes);
        assert!(
            blocks.start >= FIRST_USABLE && blocks.end <= last_usable + 1,
            "{} lies over the partition table",
            partition.name
        );
        entry[..16].copy_from_slice(&partition.kind.to_bytes_le());
        entry[16..32].copy_from_slice(&partition.id.to_bytes_le());
        entry[32..40].copy_from_slice(&blocks.start.to_le_bytes());
        entry[40..48].copy_from_slice(&(blocks.end - 1).to_le_bytes());
        for (unit, slot) in partition.name.encode_utf16().zip(entry[56..].chunks_mut(2)) {
            slot.copy_from_slice(&unit.to_le_bytes());
        }
    }
    let crc = crc32fast::hash(&table);
    let copies = [(1, last, 2), (last, 1, last_usable + 1)];
    for (own, other, table_at) in copies {
        let start = table_at as usize * BLOCK_BYTES;
        disk[start..start + table.len()].copy_from_slice(&table);
        let header = header(id, own, other, table_at, last_usable, crc);
        let start = own as usize * BLOCK_BYTES;
        disk[start..start + header.len()].copy_from_slice(&header);
    }
}

fn header(id: Uuid, own: u64, other: u64, table: u64, last_usable: u64, crc: u32) -> Vec<u8> {
    let mut header = Fields::default();
    header.bytes(b"EFI PART");
    header.u32(0x0001_0000).u32(HEADER_BYTES);
    // Its own checksum, filled in below, and reserved.
    header.u32(0).u32(0);
    header.u64(own).u64(other);
    header.u64(FIRST_USABLE).u64(last_usable);
    header.bytes(&id.to_bytes_le());
    header.u64(table);
    header.u32(ENTRIES as u32).u32(ENTRY_BYTES as u32).u32(crc);
    let mut header = header.0;
    let own_crc = crc32fast::hash(&header);
    header[16..20].copy_from_slice(&own_crc.to_le_bytes());
    header
}

/// One partition over the whole disk, for tools that know no GPT (table 5.4).
fn protective_mbr(disk: &mut [u8], last: u64) {
    let entry = &mut disk[446..462];
    entry[..8].copy_from_slice(&[0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff]);
    entry[8..12].copy_from_slice(&1_u32.to_le_bytes());
    let blocks = u32::try_from(last).unwrap_or(u32::MAX);
    entry[12..].copy_from_slice(&blocks.to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
}

fn blocks(bytes: &Range<usize>) -> Range<u64> {
    let block = |at: usize| (at / BLOCK_BYTES) as u64;
    block(bytes.start)..block(bytes.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;

    fn disk() -> Vec<u8> {
        let mut disk = vec![0; 8 * MIB];
        disk[..4].copy_from_slice(b"code");
        let partition = Partition {
            kind: EFI_SYSTEM,
            id: Uuid::from_u128(7),
            bytes: MIB..3 * MIB,
            name: "EFI",
        };
        write(&mut disk, Uuid::from_u128(5), &[partition]);
        disk
    }

    fn u64_at(disk: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(disk[at..at + 8].try_into().unwrap())
    }

    fn u32_at(disk: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(disk[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn both_headers_have_right_sums_and_name_each_other() {
        let disk = disk();
        let last = disk.len() / 512 - 1;
        for (own, other) in [(1, last), (last, 1)] {
            let at = own * 512;
            assert_eq!(&disk[at..at + 8], b"EFI PART");
            assert_eq!(u64_at(&disk, at + 24), own as u64);
            assert_eq!(u64_at(&disk, at + 32), other as u64);
            let mut header = disk[at..at + 92].to_vec();
            header[16..20].fill(0);
            assert_eq!(u32_at(&disk, at + 16), crc32fast::hash(&header));
            let table = u64_at(&disk, at + 72) as usize * 512;
            let sum = crc32fast::hash(&disk[table..table + 128 * 128]);
            assert_eq!(u32_at(&disk, at + 88), sum);
        }
        // CRC-32 as UEFI means it: of "123456789" it is this.
        assert_eq!(crc32fast::hash(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_partition_is_where_it_was_put() {
        let disk = disk();
        let entry = &disk[1024..1152];
        // The GUID's first three fields are little-endian on disk.
        assert_eq!(entry[..4], [0x28, 0x73, 0x2a, 0xc1]);
        assert_eq!(u64_at(entry, 32), 2048);
        assert_eq!(u64_at(entry, 40), 6143);
        assert_eq!(&entry[56..62], b"E\0F\0I\0");
        assert!(disk[1152..34 * 512].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn the_first_block_protects_all_and_keeps_its_code() {
        let disk = disk();
        assert_eq!(&disk[..4], b"code");
        assert_eq!(disk[450], 0xee);
        assert_eq!(u32_at(&disk, 454), 1);
        assert_eq!(u32_at(&disk, 458) as usize, disk.len() / 512 - 1);
        assert_eq!(disk[510..512], [0x55, 0xaa]);
    }

    #[test]
    #[should_panic(expected = "lies over the partition table")]
    fn a_partition_over_the_table_is_a_mistake() {
        let mut disk = vec![0; 4 * MIB];
        let partition = Partition {
            kind: EFI_SYSTEM,
            id: Uuid::nil(),
            bytes: MIB..4 * MIB,
            name: "all",
        };
        write(&mut disk, Uuid::nil(), &[partition]);
    }
}
