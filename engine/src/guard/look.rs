//! Looking at a disk: stamps, signatures, samples.

use super::reader::{CHUNK_BYTES, ReadError, Reader};
use super::signature::{SIGNATURES, UNKNOWN, ext_name};
use alloc::string::{String, ToString};
use alloc::vec;
use drivers::hal::Clock;
use proto::boot_image;
use proto::pattern::{KEY_BYTES, UNIT_BYTES, key};
use proto::scratch;

/// Looked at in full at each end.
const END_BYTES: u64 = 1 << 20;
/// Blocks looked at in between.
const SAMPLES: u64 = 256;

/// What a disk holds, as far as was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Zeros, or data that ioprobe wrote.
    Nothing,
    /// A known format.
    Holds(&'static str),
    /// Something else; the byte offset of the first of it.
    Unknown(u64),
}

impl Contents {
    /// The word that `allow_write` must repeat; `None` where it need not.
    #[must_use]
    pub const fn word(&self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Holds(name) => Some(name),
            Self::Unknown(_) => Some(UNKNOWN),
        }
    }
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The build of ioprobe that boots from it, if it is a boot image.
    pub boot_image: Option<String>,
    /// The nonce that first and last block carry, where both carry the same.
    pub nonce: Option<String>,
    /// What it holds; `None` if only the stamps were looked at.
    pub contents: Option<Contents>,
}

/// Reads the first and the last block.
///
/// # Errors
/// [`ReadError`].
pub fn look_at_stamps<K: Clock>(reader: &mut Reader<'_, K>) -> Result<Look, ReadError> {
    let block = reader.block_bytes();
    let last = reader.disk_bytes() - block;
    let mut data = vec![0; block as usize];
    reader.read(0, &mut data)?;
    let boot_image = boot_image::build_of(&data).map(ToString::to_string);
    let first = scratch::nonce_of(&data).map(ToString::to_string);
    let nonce = match first {
        Some(nonce) => {
            reader.read(last, &mut data)?;
            (scratch::nonce_of(&data) == Some(&nonce)).then_some(nonce)
        }
        None => None,
    };
    Ok(Look {
        boot_image,
        nonce,
        contents: None,
    })
}

/// Looks at stamps, both ends, all places of signatures and 256 blocks between.
///
/// # Errors
/// [`ReadError`].
pub fn look<K: Clock>(reader: &mut Reader<'_, K>) -> Result<Look, ReadError> {
    let stamps = look_at_stamps(reader)?;
    let mut search = Search::new(reader.disk_bytes(), reader.block_bytes());
    let (block, disk) = (search.block_bytes, search.disk_bytes);
    let end = END_BYTES.next_multiple_of(block).min(disk);
    search.stretch(reader, 0, end)?;
    let tail = (disk - end).max(end);
    search.stretch(reader, tail, disk)?;
    for signature in SIGNATURES {
        let Some(at) = signature.at.offset_bytes(disk, block) else {
            continue;
        };
        let outside = at >= end && at < tail;
        if outside && at + signature.magic.len() as u64 <= disk {
            let start = at / block * block;
            search.stretch(reader, start, (start + block).min(disk))?;
        }
    }
    let blocks_between = (tail - end) / block;
    for sample in 0..SAMPLES.min(blocks_between) {
        let index = u128::from(blocks_between) * u128::from(sample)
            / u128::from(SAMPLES.min(blocks_between));
        let start = end + index as u64 * block;
        search.stretch(reader, start, start + block)?;
    }
    Ok(Look {
        contents: Some(search.contents()),
        ..stamps
    })
}

/// What was found so far.
struct Search {
    disk_bytes: u64,
    block_bytes: u64,
    /// Index of the best signature found.
    best: Option<usize>,
    ext: &'static str,
    unknown_at: Option<u64>,
}

impl Search {
    const fn new(disk_bytes: u64, block_bytes: u64) -> Self {
        Self {
            disk_bytes,
            block_bytes,
            best: None,
            ext: "ext2",
            unknown_at: None,
        }
    }

    /// Reads and judges `from..to`, both whole blocks.
    fn stretch<K: Clock>(
        &mut self,
        reader: &mut Reader<'_, K>,
        from: u64,
        to: u64,
    ) -> Result<(), ReadError> {
        let mut data = vec![0; CHUNK_BYTES.max(self.block_bytes as usize)];
        let mut at = from;
        while at < to {
            let len = reader.chunk_bytes().min(to - at) as usize;
            reader.read(at, &mut data[..len])?;
            self.judge(at, &data[..len]);
            at += len as u64;
        }
        Ok(())
    }

    fn judge(&mut self, at: u64, data: &[u8]) {
        let mut foreign = None;
        for (unit, offset) in data.chunks(UNIT_BYTES).zip((at..).step_by(UNIT_BYTES)) {
            let stamp_part = self.is_stamp(at, data, offset);
            if !stamp_part && !is_zero(unit) && !is_ours(unit, offset) {
                foreign = Some(offset);
                break;
            }
        }
        let Some(offset) = foreign else { return };
        self.unknown_at.get_or_insert(offset);
        for (index, signature) in SIGNATURES.iter().enumerate() {
            let place = signature.at.offset_bytes(self.disk_bytes, self.block_bytes);
            let start = place.and_then(|place| place.checked_sub(at));
            let found = start
                .and_then(|start| data.get(usize::try_from(start).ok()?..))
                .is_some_and(|rest| rest.starts_with(signature.magic));
            if found && self.best.is_none_or(|best| index < best) {
                self.best = Some(index);
                if signature.name == "ext" {
                    self.ext = ext_name(data);
                }
            }
        }
    }

    /// Whether the unit at `offset` starts a stamped block at an end of the disk.
    fn is_stamp(&self, at: u64, data: &[u8], offset: u64) -> bool {
        let last = self.disk_bytes - self.block_bytes;
        let block = (offset - at) as usize;
        (offset == 0 || offset == last)
            && data.get(block..).is_some_and(|rest| {
                let unit = &rest[..UNIT_BYTES.min(rest.len())];
                scratch::nonce_of(unit)
                    .is_some_and(|nonce| is_zero(&unit[scratch::stamp(nonce).len()..]))
            })
    }

    fn contents(&self) -> Contents {
        match (self.best, self.unknown_at) {
            (Some(best), _) if SIGNATURES[best].name == "ext" => Contents::Holds(self.ext),
            (Some(best), _) => Contents::Holds(SIGNATURES[best].name),
            (None, Some(at)) => Contents::Unknown(at),
            (None, None) => Contents::Nothing,
        }
    }
}

fn is_zero(data: &[u8]) -> bool {
    data.iter().all(|byte| *byte == 0)
}

/// Whether a unit is what ioprobe writes at this offset: by its key, as a job may
/// choose what follows it.
fn is_ours(unit: &[u8], offset: u64) -> bool {
    unit.len() == UNIT_BYTES && unit[..KEY_BYTES] == key(offset)
}
