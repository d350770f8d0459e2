//! The BIOS stage's parameters; boot/src/bin/bios/stage.rs says how they lie.

use super::elf::ElfError;
use super::fields::Fields;
use std::ops::Range;

/// Where the stage keeps them: behind a mark, at a fixed place.
const PARAMETERS: usize = 16;
const MARK: &[u8; 8] = b"IOPSTAGE";
/// Length of the stage's buffer for reads.
const READ_BYTES: usize = 32 << 10;

/// A stretch of the medium and where it goes in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// On the medium, in bytes.
    pub medium: Range<usize>,
    /// Physical address of its first byte; for a stretch that does not start on a
    /// block, so much above a page boundary as it starts above a block.
    pub address: u64,
}

/// What the stage shall do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    /// The program.
    pub program: Load,
    /// Where it starts.
    pub entry: u64,
    /// The job, if there is one.
    pub job: Option<Load>,
}

/// The stage with its orders, for a medium with blocks of `block_bytes`.
///
/// # Errors
/// If `stage` is none.
pub fn with_orders(stage: &[u8], orders: &Orders, block_bytes: usize) -> Result<Vec<u8>, ElfError> {
    if stage.get(PARAMETERS - MARK.len()..PARAMETERS) != Some(MARK) {
        return Err(ElfError("the BIOS stage has no parameters".into()));
    }
    let mut fields = Fields::default();
    fields.u32(block_bytes as u32);
    fields.u32((READ_BYTES / block_bytes) as u32);
    load(&mut fields, Some(&orders.program), block_bytes);
    load(&mut fields, orders.job.as_ref(), block_bytes);
    fields.u32(orders.entry as u32);
    let job = orders.job.as_ref();
    fields.u32(job.map_or(0, |job| job.address as u32));
    fields.u32(job.map_or(0, |job| job.medium.len() as u32));
    let mut stage = stage.to_vec();
    stage[PARAMETERS..PARAMETERS + fields.0.len()].copy_from_slice(&fields.0);
    Ok(stage)
}

/// First block, blocks, and where the first block goes.
fn load(fields: &mut Fields, load: Option<&Load>, block_bytes: usize) {
    let Some(Load { medium, address }) = load else {
        fields.u32(0).u32(0).u32(0);
        return;
    };
    let first = medium.start / block_bytes;
    let end = medium.end.div_ceil(block_bytes);
    let before = (medium.start % block_bytes) as u64;
    fields.u32(first as u32).u32((end - first) as u32);
    fields.u32((address - before) as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders() -> Orders {
        Orders {
            program: Load {
                medium: 0x11_0000..0x11_1801,
                address: 0x10_0000,
            },
            entry: 0x10_0040,
            job: Some(Load {
                medium: 0x10_0600..0x10_0605,
                address: 0x20_0600,
            }),
        }
    }

    fn stage() -> Vec<u8> {
        let mut stage = vec![0xee; 100];
        stage[8..16].copy_from_slice(MARK);
        stage
    }

    fn words(stage: &[u8]) -> Vec<u32> {
        let words = stage[16..60].chunks(4);
        words
            .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn blocks_are_those_of_the_medium() {
        let disk = with_orders(&stage(), &orders(), 512).unwrap();
        assert_eq!(
            words(&disk),
            [
                512, 64, 0x880, 13, 0x10_0000, 0x803, 1, 0x20_0600, 0x10_0040, 0x20_0600, 5
            ]
        );
        let cd = with_orders(&stage(), &orders(), 2048).unwrap();
        assert_eq!(
            words(&cd),
            [
                2048, 16, 0x220, 4, 0x10_0000, 0x200, 1, 0x20_0000, 0x10_0040, 0x20_0600, 5
            ]
        );
        assert_eq!((disk[15], disk[60]), (b'E', 0xee));
    }

    #[test]
    fn without_a_job_nothing_is_read() {
        let orders = Orders {
            job: None,
            ..orders()
        };
        let disk = with_orders(&stage(), &orders, 512).unwrap();
        assert_eq!(words(&disk)[5..], [0, 0, 0, 0x10_0040, 0, 0]);
        assert!(with_orders(&[0; 100], &orders, 512).is_err());
    }
}
