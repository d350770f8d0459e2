//! The image: one file that is a disk and a CD, for BIOS and UEFI, at once.
//!
//! | from | what |
//! |---|---|
//! | 0 | boot sector, label, partition table |
//! | block 34 | BIOS stage for disks |
//! | 32 KiB | CD descriptors and boot catalogue |
//! | 46 KiB | BIOS stage for CDs |
//! | 1 MiB | EFI system partition: the UEFI program, the job |
//! | 17 MiB | the PVH program as it lies in memory, for the BIOS stage |
//! | last 33 blocks | partition table again |
//!
//! The same parts give the same bytes, so the build UUID is made from the parts.

use super::elf::{self, ElfError, Program};
use super::gpt::{self, Partition};
use super::stage::{self, Load, Orders};
use super::{esp, iso, pe};
use proto::boot_image;
use std::ops::Range;
use uuid::Uuid;

const MIB: usize = 1 << 20;
const STAGE: usize = gpt::FIRST_USABLE as usize * gpt::BLOCK_BYTES;
const CD_STAGE: usize = iso::END;
/// What a BIOS loads of a CD's boot image, and the boot sector of a disk.
const STAGE_BYTES: usize = 2048;
const ESP: Range<usize> = MIB..17 * MIB;
const PROGRAM: usize = ESP.end;

/// What ioprobe's UUIDs are made in.
const NAMESPACE: Uuid = Uuid::from_u128(0x5ad9_0f2b_6e0c_4f0e_9c8e_7a3d_52b1_640f);

/// What goes into an image.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// ELF file of the PVH program.
    pub pvh: &'a [u8],
    /// ELF file of the UEFI program.
    pub uefi: &'a [u8],
    /// ELF file of the BIOS stage.
    pub bios: &'a [u8],
    /// Text of the job.
    pub job: Option<&'a str>,
}

/// An image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What names this build.
    pub build: Uuid,
}

/// Makes an image.
///
/// # Errors
/// [`ElfError`] if a part is not what it should be.
pub fn assemble(parts: Parts<'_>) -> Result<Image, ElfError> {
    let job = parts.job.filter(|job| !job.is_empty()).map(str::as_bytes);
    let efi_program = pe::from_elf(parts.uefi)?;
    let boot_code = elf::section(parts.bios, ".mbr")?;
    let stage = elf::section(parts.bios, ".stage")?;
    let program = Program::read(parts.pvh)?;
    let (address, memory) = program.flat()?;
    if boot_code.len() > boot_image::LABEL.start || stage.len() > STAGE_BYTES {
        return Err(ElfError("the BIOS stage is too long".into()));
    }
    let build = build_id(&[
        &efi_program,
        &boot_code,
        &stage,
        &memory,
        job.unwrap_or(&[]),
    ]);

    let program_end = PROGRAM + memory.len();
    // Whole MiB, and one for the partition table's copy.
    let mut image = vec![0; program_end.next_multiple_of(MIB) + MIB];
    image[PROGRAM..program_end].copy_from_slice(&memory);
    let volume = esp::volume(ESP.len(), build.as_fields().0, &efi_program, job)
        .map_err(|error| ElfError(format!("the EFI system partition: {error}")))?;
    image[ESP].copy_from_slice(&volume);

    let orders = Orders {
        program: Load {
            medium: PROGRAM..program_end,
            address,
        },
        entry: program.entry,
        job: job
            .map(|job| job_load(&volume, job, address + memory.len() as u64))
            .transpose()?,
    };
    for (at, block_bytes) in [(STAGE, gpt::BLOCK_BYTES), (CD_STAGE, iso::BLOCK_BYTES)] {
        let stage = stage::with_orders(&stage, &orders, block_bytes)?;
        image[at..at + stage.len()].copy_from_slice(&stage);
    }

    let label = boot_image::label(&build.to_string());
    image[..boot_code.len()].copy_from_slice(&boot_code);
    image[boot_image::LABEL].copy_from_slice(label.as_bytes());
    let bytes = image.len();
    iso::write(
        &mut image,
        &iso::Cd {
            bytes,
            bios: CD_STAGE..CD_STAGE + STAGE_BYTES,
            efi: ESP,
            remark: &label,
        },
    );
    gpt::write(&mut image, build, &partitions(build, program_end));
    Ok(Image {
        bytes: image,
        build,
    })
}

/// A UUID of all parts. Lengths are in it, so that nothing can move from one part
/// to the next unnoticed.
fn build_id(parts: &[&[u8]]) -> Uuid {
    let mut all = proto::VERSION.as_bytes().to_vec();
    for part in parts {
        all.extend((part.len() as u64).to_le_bytes());
        all.extend_from_slice(part);
    }
    Uuid::new_v5(&NAMESPACE, &all)
}

fn partitions(build: Uuid, program_end: usize) -> [Partition; 2] {
    let id = |name: &str| Uuid::new_v5(&build, name.as_bytes());
    [
        Partition {
            kind: gpt::EFI_SYSTEM,
            id: id("EFI"),
            bytes: ESP,
            name: "EFI system partition",
        },
        Partition {
            kind: Uuid::new_v5(&NAMESPACE, b"PVH program"),
            id: id("PVH"),
            bytes: PROGRAM..program_end.next_multiple_of(MIB),
            name: "ioprobe",
        },
    ]
}

/// Where the job lies, and a place for it in memory on pages behind the program.
fn job_load(volume: &[u8], job: &[u8], program_end: u64) -> Result<Load, ElfError> {
    let start = esp::find(volume, job)
        .ok_or_else(|| ElfError("the job is not in one piece on its volume".into()))?;
    let start = ESP.start + start;
    let page = program_end.next_multiple_of(4096);
    Ok(Load {
        medium: start..start + job.len(),
        address: page + (start % iso::BLOCK_BYTES) as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::super::elf::tests::{elf_file, elf_with_sections};
    use super::*;

    fn bios() -> Vec<u8> {
        // Names and contents are all that is read of it.
        let mut stage = vec![0x90; 64];
        stage[8..16].copy_from_slice(b"IOPSTAGE");
        elf_with_sections(&[(".mbr", b"\xfa\xfc"), (".stage", &stage)])
    }

    fn made(job: Option<&str>) -> Image {
        let pvh = elf_file(0x10_0000, &[(0x10_0000, 5, b"pvh program", 0x3001)], &[]);
        let uefi = elf_file(0x1000, &[(0x1000, 5, b"uefi program", 12)], &[]);
        assemble(Parts {
            pvh: &pvh,
            uefi: &uefi,
            bios: &bios(),
            job,
        })
        .unwrap()
    }

    #[test]
    fn the_same_parts_give_the_same_bytes() {
        assert_eq!(made(Some("[a]\n")), made(Some("[a]\n")));
        let (other, none) = (made(Some("[b]\n")), made(None));
        assert_ne!(made(Some("[a]\n")).build, other.build);
        assert_ne!(none.build, other.build);
        assert_eq!(none.build, made(Some("")).build);
    }

    #[test]
    fn the_image_says_in_its_first_block_which_build_it_is() {
        let image = made(None);
        let build = image.build.to_string();
        assert_eq!(
            boot_image::build_of(&image.bytes[..512]),
            Some(build.as_str())
        );
        assert_eq!(image.bytes[..2], [0xfa, 0xfc]);
        assert_eq!(image.bytes.len() % MIB, 0);
        // GPT's disk GUID is the same one.
        let guid = Uuid::from_slice_le(&image.bytes[512 + 56..512 + 72]).unwrap();
        assert_eq!(guid, image.build);
    }

    #[test]
    fn both_stages_lead_to_program_and_job() {
        let image = made(Some("[baked]\n")).bytes;
        for (at, block_bytes) in [(STAGE, 512), (CD_STAGE, 2048)] {
            let word = |index: usize| {
                let start = at + 16 + index * 4;
                u32::from_le_bytes(image[start..start + 4].try_into().unwrap()) as usize
            };
            assert_eq!(word(0), block_bytes);
            let program = word(2) * block_bytes;
            assert_eq!(&image[program..program + 11], b"pvh program");
            assert!(word(3) * block_bytes >= 0x3001);
            // As the stage computes it: blocks go to the address, text is above.
            let job = word(5) * block_bytes + (word(9) - word(7));
            assert_eq!(&image[job..job + word(10)], b"[baked]\n");
            assert!(word(7) >= 0x10_3001);
        }
    }
}
