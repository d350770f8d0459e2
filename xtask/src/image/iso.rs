//! The CD: ISO 9660 descriptors with a small root directory, and El Torito's boot
//! catalogue (version 1.0; UEFI 2.10, 13.3.2.1), in blocks of 2048 bytes.

use super::fields::Fields;
use std::ops::Range;

/// Block size.
pub const BLOCK_BYTES: usize = 2048;
/// El Torito counts boot images in blocks of this size.
const VIRTUAL_BLOCK_BYTES: usize = 512;

/// Fixed by ISO 9660: the volume descriptors start here.
const DESCRIPTORS: usize = 16;
const CATALOGUE: usize = DESCRIPTORS + 3;
const PATHS_LITTLE: usize = DESCRIPTORS + 4;
const PATHS_BIG: usize = DESCRIPTORS + 5;
const ROOT: usize = DESCRIPTORS + 6;
/// First byte behind what [`write`] writes.
pub const END: usize = (ROOT + 1) * BLOCK_BYTES;

/// Of the one directory in the path tables: the root.
const PATH_BYTES: u32 = 10;
/// 1980-01-01: a real date would make two builds differ.
const DATE: [u8; 7] = [80, 1, 1, 0, 0, 0, 0];
const LONG_DATE: &[u8; 17] = b"1980010100000000\0";
const NO_DATE: &[u8; 17] = b"0000000000000000\0";

/// What the CD offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cd<'a> {
    /// Bytes of the whole.
    pub bytes: usize,
    /// Boot image for a BIOS, in bytes.
    pub bios: Range<usize>,
    /// Boot image for UEFI: a FAT volume, in bytes.
    pub efi: Range<usize>,
    /// Text for those who look.
    pub remark: &'a str,
}

/// Writes what makes a CD of `image`, between 32 KiB and [`END`].
///
/// # Panics
/// If a boot image does not start on a block or is too long for the catalogue.
pub fn write(image: &mut [u8], cd: &Cd<'_>) {
    let blocks = [
        (DESCRIPTORS, primary(cd)),
        (DESCRIPTORS + 1, boot_record()),
        (DESCRIPTORS + 2, terminator()),
        (CATALOGUE, catalogue(cd)),
        (
            PATHS_LITTLE,
            path_table(|value| value.to_le_bytes(), 1_u16.to_le_bytes()),
        ),
        (
            PATHS_BIG,
            path_table(|value| value.to_be_bytes(), 1_u16.to_be_bytes()),
        ),
        (ROOT, root(cd)),
    ];
    for (block, mut fields) in blocks {
        let start = block * BLOCK_BYTES;
        fields.fill_to(BLOCK_BYTES);
        image[start..start + BLOCK_BYTES].copy_from_slice(&fields.0);
    }
}

/// ISO 9660, 8.4.
fn primary(cd: &Cd<'_>) -> Fields {
    let mut fields = Fields::default();
    fields.u8(1).bytes(b"CD001").u8(1).u8(0);
    fields.text("", 32, b' ').text("IOPROBE", 32, b' ');
    fields.fill_to(80).both_u32(block_of(cd.bytes));
    fields.fill_to(120).both_u16(1).both_u16(1);
    fields.both_u16(BLOCK_BYTES as u16).both_u32(PATH_BYTES);
    fields.u32(PATHS_LITTLE as u32).u32(0);
    fields.bytes(&(PATHS_BIG as u32).to_be_bytes()).u32(0);
    record(&mut fields, b"\0", &(ROOT * BLOCK_BYTES..END), true);
    // Volume set, publisher, preparer, application; then three files of theirs.
    for text in ["", "", "", "IOPROBE"] {
        fields.text(text, 128, b' ');
    }
    fields.text("", 3 * 37, b' ');
    fields.bytes(LONG_DATE).bytes(LONG_DATE);
    fields.bytes(NO_DATE).bytes(NO_DATE).u8(1).u8(0);
    fields.text(cd.remark, 512, 0);
    fields
}

/// El Torito, figure 7.
fn boot_record() -> Fields {
    let mut fields = Fields::default();
    fields.u8(0).bytes(b"CD001").u8(1);
    fields.text("EL TORITO SPECIFICATION", 64, 0);
    fields.u32(CATALOGUE as u32);
    fields
}

/// ISO 9660, 8.3.
fn terminator() -> Fields {
    let mut fields = Fields::default();
    fields.u8(255).bytes(b"CD001").u8(1);
    fields
}

/// El Torito, figures 2 to 5.
fn catalogue(cd: &Cd<'_>) -> Fields {
    const BIOS: u8 = 0;
    const EFI: u8 = 0xef;
    let mut fields = validation(BIOS);
    entry(&mut fields, &cd.bios);
    // The last section, of one entry.
    fields.u8(0x91).u8(EFI).u16(1).fill_to(96);
    entry(&mut fields, &cd.efi);
    fields
}

fn validation(platform: u8) -> Fields {
    let mut fields = Fields::default();
    fields.u8(1).u8(platform).u16(0).text("IOPROBE", 24, 0);
    fields.u16(0).u8(0x55).u8(0xaa);
    // All words add up to zero.
    let words = fields.0.chunks_exact(2);
    let sum = words.fold(0_u16, |sum, word| {
        sum.wrapping_add(u16::from_le_bytes([word[0], word[1]]))
    });
    let check = 0_u16.wrapping_sub(sum);
    fields.0[28..30].copy_from_slice(&check.to_le_bytes());
    fields
}

/// Bootable, no emulation, at the usual segment.
fn entry(fields: &mut Fields, image: &Range<usize>) {
    let end = fields.0.len() + 32;
    let count = u16::try_from(image.len().div_ceil(VIRTUAL_BLOCK_BYTES));
    let count = count.expect("a boot image is below 32 MiB");
    fields.u8(0x88).u8(0).u16(0).u8(0).u8(0).u16(count);
    fields.u32(block_of(image.start)).fill_to(end);
}

/// ISO 9660, 9.4, of the root alone.
fn path_table(u32_bytes: impl Fn(u32) -> [u8; 4], parent: [u8; 2]) -> Fields {
    let mut fields = Fields::default();
    fields.u8(1).u8(0).bytes(&u32_bytes(ROOT as u32));
    fields.bytes(&parent).bytes(&[0, 0]);
    fields
}

fn root(cd: &Cd<'_>) -> Fields {
    let mut fields = Fields::default();
    let own = ROOT * BLOCK_BYTES..END;
    record(&mut fields, b"\0", &own, true);
    record(&mut fields, b"\x01", &own, true);
    // In the order of their names.
    record(&mut fields, b"BIOS.IMG;1", &cd.bios, false);
    let catalogue = CATALOGUE * BLOCK_BYTES;
    record(
        &mut fields,
        b"BOOT.CAT;1",
        &(catalogue..catalogue + BLOCK_BYTES),
        false,
    );
    record(&mut fields, b"EFI.IMG;1", &cd.efi, false);
    fields
}

/// ISO 9660, 9.1.
fn record(fields: &mut Fields, name: &[u8], bytes: &Range<usize>, folder: bool) {
    // A name of even length is followed by a zero.
    let len = (33 + name.len()).next_multiple_of(2);
    let end = fields.0.len() + len;
    fields.u8(len as u8).u8(0);
    fields
        .both_u32(block_of(bytes.start))
        .both_u32(bytes.len() as u32);
    fields
        .bytes(&DATE)
        .u8(if folder { 2 } else { 0 })
        .u8(0)
        .u8(0);
    fields.both_u16(1).u8(name.len() as u8).bytes(name);
    fields.fill_to(end);
}

fn block_of(byte: usize) -> u32 {
    assert!(byte.is_multiple_of(BLOCK_BYTES), "{byte} is not on a block");
    (byte / BLOCK_BYTES) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Vec<u8> {
        let mut image = vec![0; 4 << 20];
        let cd = Cd {
            bytes: image.len(),
            bios: END..END + 2048,
            efi: 1 << 20..3 << 20,
            remark: "remark",
        };
        write(&mut image, &cd);
        image
    }

    #[test]
    fn descriptors_stand_in_order() {
        let image = image();
        let kinds: Vec<u8> = (16..19).map(|block| image[block * 2048]).collect();
        assert_eq!(kinds, [1, 0, 255]);
        for block in 16..19 {
            assert_eq!(&image[block * 2048 + 1..block * 2048 + 6], b"CD001");
        }
        let primary = &image[16 * 2048..17 * 2048];
        assert_eq!(&primary[40..48], b"IOPROBE ");
        assert_eq!(primary[80..84], 2048_u32.to_le_bytes());
        assert_eq!(primary[84..88], 2048_u32.to_be_bytes());
        // Root directory record, and the last field before the application's own.
        assert_eq!((primary[156], primary[190], primary[881]), (34, b' ', 1));
        assert!(primary[883..].starts_with(b"remark\0"));
        assert!(image[..16 * 2048].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn the_catalogue_has_a_bios_and_an_efi_entry() {
        let image = image();
        let record = &image[17 * 2048..18 * 2048];
        assert_eq!(&record[7..30], b"EL TORITO SPECIFICATION");
        assert_eq!(record[71..75], 19_u32.to_le_bytes());
        let catalogue = &image[19 * 2048..20 * 2048];
        let sum = catalogue[..32].chunks(2).fold(0_u16, |sum, word| {
            sum.wrapping_add(u16::from_le_bytes([word[0], word[1]]))
        });
        assert_eq!(sum, 0);
        assert_eq!(
            (catalogue[1], catalogue[30..32].to_vec()),
            (0, vec![0x55, 0xaa])
        );
        let entry = |at: usize| {
            let count = u16::from_le_bytes([catalogue[at + 6], catalogue[at + 7]]);
            let block = &catalogue[at + 8..at + 12];
            (catalogue[at], catalogue[at + 1], count, block.to_vec())
        };
        assert_eq!(entry(32), (0x88, 0, 4, 23_u32.to_le_bytes().to_vec()));
        assert_eq!(catalogue[64..66], [0x91, 0xef]);
        assert_eq!(entry(96), (0x88, 0, 4096, 512_u32.to_le_bytes().to_vec()));
        assert!(catalogue[128..].iter().all(|&byte| byte == 0));
    }

    #[test]
    fn the_root_lists_what_is_there() {
        let image = image();
        let root = &image[ROOT * 2048..END];
        let (mut at, mut names) = (0, Vec::new());
        while root[at] != 0 {
            let len = usize::from(root[at + 32]);
            names.push(String::from_utf8_lossy(&root[at + 33..at + 33 + len]).into_owned());
            at += usize::from(root[at]);
        }
        assert_eq!(
            names,
            ["\0", "\x01", "BIOS.IMG;1", "BOOT.CAT;1", "EFI.IMG;1"]
        );
    }

    #[test]
    #[should_panic(expected = "below 32 MiB")]
    fn a_boot_image_that_the_catalogue_cannot_hold_is_a_mistake() {
        let mut image = vec![0; 40 << 20];
        let cd = Cd {
            bytes: image.len(),
            bios: END..END + 2048,
            efi: 1 << 20..33 << 20,
            remark: "",
        };
        write(&mut image, &cd);
    }
}
