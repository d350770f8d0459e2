//! Values: one function for each form that is more than a number.

use super::draft::Draft;
use super::nearest::nearest;
use super::params::{AtEnd, BlockSizes, Extent, Irq, Rw, Verify, Wait};
use crate::scratch::MAX_NONCE_BYTES;
use crate::units::{KbBase, size_text, time_ns};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Largest `iodepth`: what an NVMe queue can hold at most.
pub const MAX_IODEPTH: u32 = 65_535;

/// Largest block size in bytes.
pub const MAX_BS_BYTES: u64 = 1 << 30;

/// Longest `poll_interval` in ns: a row's edges wait for the next look.
pub const MAX_POLL_INTERVAL_NS: u64 = 1_000_000_000;

/// Most request ring pages of a PVSCSI adapter.
pub const MAX_RING_PAGES: u16 = 32;

/// Kinds of controllers, as `controller` names them.
pub const CONTROLLERS: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio-scsi"];

const SMALLEST_BLOCK_BYTES: u64 = 512;

type Result<T> = core::result::Result<T, String>;

/// fio's names for directions, and what they are here; `None` is not built yet.
const RW: [(&str, Option<Rw>); 11] = [
    ("read", Some(Rw::Read)),
    ("write", Some(Rw::Write)),
    ("randread", Some(Rw::RandRead)),
    ("randwrite", Some(Rw::RandWrite)),
    ("rw", Some(Rw::ReadWrite)),
    ("readwrite", Some(Rw::ReadWrite)),
    ("randrw", Some(Rw::RandRw)),
    ("trim", None),
    ("randtrim", None),
    ("trimwrite", None),
    ("randtrimwrite", None),
];

pub(super) fn rw(text: &str) -> Result<Rw> {
    match RW.iter().find(|(name, _)| *name == text) {
        Some((_, Some(rw))) => Ok(*rw),
        Some((_, None)) => Err(String::from("trimming is not supported yet")),
        None if text.contains(':') => Err(String::from(
            "a modifier after `:` is not supported yet; \
             allowed are read, write, randread, randwrite, rw, randrw",
        )),
        None => Err(String::from(
            "allowed are read, write, randread, randwrite, rw, randrw",
        )),
    }
}

/// `SIZE` for both directions or `READ,WRITE`, where an empty part keeps what it is.
pub(super) fn block_sizes(draft: &mut Draft, text: &str) -> Result<BlockSizes> {
    let mut sizes = draft.params.bs;
    match text.split(',').collect::<Vec<_>>()[..] {
        [both] => {
            sizes.read_bytes = block_size(draft, both)?;
            sizes.write_bytes = sizes.read_bytes;
        }
        [read, write] if !(read.is_empty() && write.is_empty()) => {
            if !read.is_empty() {
                sizes.read_bytes = block_size(draft, read.trim())?;
            }
            if !write.is_empty() {
                sizes.write_bytes = block_size(draft, write.trim())?;
            }
        }
        _ => return Err(String::from("give one size, or two as READ,WRITE")),
    }
    Ok(sizes)
}

fn block_size(draft: &mut Draft, text: &str) -> Result<u64> {
    let bytes = draft.size(text)?;
    if !(SMALLEST_BLOCK_BYTES..=MAX_BS_BYTES).contains(&bytes)
        || !bytes.is_multiple_of(SMALLEST_BLOCK_BYTES)
    {
        let max = size_text(MAX_BS_BYTES);
        return Err(format!(
            "`{text}` is {bytes} bytes; allowed are multiples of {SMALLEST_BLOCK_BYTES} \
             from {SMALLEST_BLOCK_BYTES} to {max}"
        ));
    }
    Ok(bytes)
}

pub(super) fn block_sizes_text(sizes: BlockSizes) -> String {
    let read = size_text(sizes.read_bytes);
    if sizes.read_bytes == sizes.write_bytes {
        return read;
    }
    format!("{read},{}", size_text(sizes.write_bytes))
}

/// A size, or a share of the disk within `percent`.
pub(super) fn extent(draft: &mut Draft, text: &str, percent: (u8, u8)) -> Result<Extent> {
    let Some(number) = text.strip_suffix('%') else {
        return draft.size(text).map(Extent::Bytes);
    };
    draft
        .number(number, u64::from(percent.0), u64::from(percent.1))
        .map(|number| Extent::Percent(number as u8))
        .map_err(|_| format!("allowed are {}% to {}%, or a size", percent.0, percent.1))
}

pub(super) fn extent_text(extent: Extent) -> String {
    match extent {
        Extent::Bytes(bytes) => size_text(bytes),
        Extent::Percent(percent) => format!("{percent}%"),
    }
}

/// A time in ns.
pub(super) fn time(text: &str) -> Result<u64> {
    time_ns(text).map_err(|error| error.to_string())
}

pub(super) fn kb_base(text: &str) -> Result<KbBase> {
    match text {
        "1024" => Ok(KbBase::Binary),
        "1000" => Ok(KbBase::Decimal),
        _ => Err(String::from("allowed are 1024 and 1000")),
    }
}

pub(super) fn verify(text: &str) -> Result<Verify> {
    match text {
        "none" | "0" => Ok(Verify::None),
        "pattern" => Ok(Verify::Pattern),
        _ => Err(String::from(
            "allowed are none and pattern; other checks are not supported yet",
        )),
    }
}

pub(super) fn wait(text: &str) -> Result<Wait> {
    match text {
        "poll" => Ok(Wait::Poll),
        "irq" => Ok(Wait::Irq),
        "hybrid" => Ok(Wait::Hybrid),
        _ => Err(String::from("allowed are poll, irq and hybrid")),
    }
}

pub(super) fn irq(text: &str) -> Result<Irq> {
    Irq::ALL
        .into_iter()
        .find(|irq| irq.name() == text)
        .ok_or_else(|| String::from("allowed are msix, msi and intx"))
}

pub(super) fn at_end(text: &str) -> Result<AtEnd> {
    match text {
        "stay" => Ok(AtEnd::Stay),
        "poweroff" => Ok(AtEnd::PowerOff),
        "reboot" => Ok(AtEnd::Reboot),
        _ => Err(String::from("allowed are stay, poweroff and reboot")),
    }
}

/// Kinds of controllers; `all` is an empty list.
pub(super) fn controllers(text: &str) -> Result<Vec<String>> {
    if text == "all" {
        return Ok(Vec::new());
    }
    list(text, |kind| {
        if CONTROLLERS.contains(&kind) {
            return Ok(());
        }
        let near = nearest(kind, CONTROLLERS).map_or("", |(near, _)| near);
        Err(format!(
            "unknown controller `{kind}`; did you mean `{near}`? allowed are {} and all",
            CONTROLLERS.join(", ")
        ))
    })
}

pub(super) fn ring_pages(draft: &Draft, text: &str) -> Result<u16> {
    let pages = draft.number(text, 1, u64::from(MAX_RING_PAGES))?;
    if !pages.is_power_of_two() {
        return Err(format!(
            "allowed are the powers of two from 1 to {MAX_RING_PAGES}"
        ));
    }
    Ok(pages as u16)
}

/// Scratch nonces.
pub(super) fn nonces(text: &str) -> Result<Vec<String>> {
    list(text, |nonce| {
        if nonce.len() > MAX_NONCE_BYTES {
            return Err(format!("a nonce has at most {MAX_NONCE_BYTES} bytes"));
        }
        Ok(())
    })
}

/// Disks as `DISK` or `DISK:SIGNATURE`; the guard of the data takes them apart.
pub(super) fn allowed_disks(text: &str) -> Result<Vec<String>> {
    list(text, |_| Ok(()))
}

/// The disks that a `filename` names, and the names in it that are none of ours.
pub(super) fn disks(text: &str) -> Result<(Vec<String>, Vec<String>)> {
    // Ours hold colons, which part names in fio, so the first name decides.
    if !names_a_disk(text) {
        return Ok((Vec::new(), alloc::vec![String::from(text)]));
    }
    let all = list(text, |_| Ok(()))?;
    Ok(all.into_iter().partition(|name| names_a_disk(name)))
}

fn names_a_disk(name: &str) -> bool {
    CONTROLLERS.iter().any(|kind| {
        name.strip_prefix(kind)
            .is_some_and(|rest| rest.starts_with('@'))
    })
}

/// Words parted by commas.
fn list(text: &str, check: impl Fn(&str) -> Result<()>) -> Result<Vec<String>> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    for word in &words {
        if word.is_empty() {
            return Err(String::from("a name is empty; part names by single commas"));
        }
        if word.contains(char::is_whitespace) {
            return Err(format!("`{word}` holds a blank; part names by commas"));
        }
        check(word)?;
    }
    Ok(words.into_iter().map(String::from).collect())
}

pub(super) fn list_text(words: &[String]) -> Option<String> {
    (!words.is_empty()).then(|| words.join(","))
}
