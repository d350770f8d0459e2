//! Values: one function for each form that is more than a number.

use super::direction::{by_direction, by_direction_text};
use super::draft::Draft;
use super::ini::MAX_NAME_BYTES;
use super::load::{ByDirection, RateProcess};
use super::nearest::near;
use super::params::{AtEnd, BlockSizes, DEFAULT_BS_BYTES, Extent, Irq, Rw, Verify, Wait};
use crate::scratch::MAX_NONCE_BYTES;
use crate::units::{KbBase, size_text, time_ns};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Largest `iodepth`: what an NVMe queue can hold at most.
pub const MAX_IODEPTH: u32 = 65_535;

/// Most of one job at the same time.
pub const MAX_NUMJOBS: u32 = 1_024;
/// Most adapters that one job runs on at once.
pub const MAX_ADAPTERS: u32 = 64;

/// Largest block size in bytes.
pub const MAX_BS_BYTES: u64 = 1 << 30;

/// Longest `poll_interval` in ns: a row's edges wait for the next look.
pub const MAX_POLL_INTERVAL_NS: u64 = 1_000_000_000;

/// Most request ring pages of a PVSCSI adapter.
pub const MAX_RING_PAGES: u16 = 32;

/// Most I/Os that a row keeps one by one.
pub const MAX_TRACE_IOS: u32 = 65_536;

/// Kinds of controllers, as `controller` names them.
pub const CONTROLLERS: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio-scsi"];

const SMALLEST_BLOCK_BYTES: u64 = 512;

type Result<T> = core::result::Result<T, String>;

/// fio's names for directions, and what they are here; `None` is not built.
const RW: [(&str, Option<Rw>); 11] = [
    ("read", Some(Rw::Read)),
    ("write", Some(Rw::Write)),
    ("randread", Some(Rw::RandRead)),
    ("randwrite", Some(Rw::RandWrite)),
    ("rw", Some(Rw::ReadWrite)),
    ("readwrite", Some(Rw::ReadWrite)),
    ("randrw", Some(Rw::RandRw)),
    ("trim", Some(Rw::Trim)),
    ("randtrim", Some(Rw::RandTrim)),
    ("trimwrite", None),
    ("randtrimwrite", None),
];

pub(super) fn rw(text: &str) -> Result<Rw> {
    const ALLOWED: &str =
        "allowed are read, write, randread, randwrite, rw, randrw, trim, randtrim";
    match RW.iter().find(|(name, _)| *name == text) {
        Some((_, Some(rw))) => Ok(*rw),
        Some((_, None)) => Err(format!(
            "trims and writes in turn are not supported; {ALLOWED}"
        )),
        None => Err(String::from(ALLOWED)),
    }
}

/// `READ,WRITE,TRIM` as [`by_direction`] reads it.
pub(super) fn block_sizes(draft: &mut Draft, text: &str) -> Result<BlockSizes> {
    let before = by_bytes(draft.params.bs);
    let ByDirection { read, write, trim } =
        by_direction(text, &before, |one| block_size(draft, one))?;
    Ok(BlockSizes {
        read_bytes: read,
        write_bytes: write,
        trim_bytes: trim,
    })
}

const fn by_bytes(sizes: BlockSizes) -> ByDirection<u64> {
    ByDirection {
        read: sizes.read_bytes,
        write: sizes.write_bytes,
        trim: sizes.trim_bytes,
    }
}

pub(super) fn block_size(draft: &mut Draft, text: &str) -> Result<u64> {
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

/// What a sequential job leaves out after each I/O.
pub(super) fn hole(draft: &mut Draft, text: &str) -> Result<u64> {
    let bytes = draft.size(text)?;
    if !bytes.is_multiple_of(SMALLEST_BLOCK_BYTES) {
        return Err(format!(
            "`{text}` is {bytes} bytes; allowed are multiples of {SMALLEST_BLOCK_BYTES}"
        ));
    }
    Ok(bytes)
}

/// `None` for the default.
pub(super) fn block_sizes_text(sizes: BlockSizes) -> Option<String> {
    by_direction_text(&by_bytes(sizes), &DEFAULT_BS_BYTES, |bytes| {
        size_text(*bytes)
    })
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

/// A time in ns; a bare number is seconds.
pub(super) fn time(text: &str) -> Result<u64> {
    time_ns(text).map_err(|error| error.to_string())
}

/// A time in ns; a bare number is microseconds, as fio has it for short times.
pub(super) fn short_time(text: &str) -> Result<u64> {
    let bare = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if bare {
        return time(&format!("{text}us")).map_err(|error| error.replace("us`", "`"));
    }
    time(text)
}

/// fio's `sync`: whether each write is durable.
pub(super) fn sync(text: &str) -> Result<bool> {
    match text {
        "none" | "0" => Ok(false),
        "sync" | "1" | "dsync" => Ok(true),
        _ => Err(String::from("allowed are none (0), sync (1) and dsync")),
    }
}

pub(super) fn rate_process(text: &str) -> Result<RateProcess> {
    match text {
        "linear" => Ok(RateProcess::Linear),
        "poisson" => Ok(RateProcess::Poisson),
        _ => Err(String::from("allowed are linear and poisson")),
    }
}

/// A switch of a device that its driver sets by itself where it is not given.
pub(super) fn switch(text: &str) -> Result<bool> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(String::from("allowed are 0 and 1")),
    }
}

/// A job's own name.
pub(super) fn name(text: &str) -> Result<String> {
    if text.is_empty() || text.len() > MAX_NAME_BYTES {
        return Err(format!("a name has 1 to {MAX_NAME_BYTES} bytes"));
    }
    if text.starts_with("global") {
        return Err(String::from(
            "a name that starts with `global` belongs to global sections",
        ));
    }
    Ok(String::from(text))
}

pub(super) fn kb_base(text: &str) -> Result<KbBase> {
    match text {
        "1024" => Ok(KbBase::Binary),
        "1000" => Ok(KbBase::Decimal),
        _ => Err(String::from("allowed are 1024 and 1000")),
    }
}

pub(super) fn verify(draft: &mut Draft, text: &str) -> Result<Verify> {
    match text {
        "crc32c" => {
            draft.remark(String::from(
                "`verify=crc32c`: every byte is compared with the pattern of positions instead, \
                 so what fio itself wrote does not pass",
            ));
            Ok(Verify::Pattern)
        }
        "none" | "0" => Ok(Verify::None),
        "pattern" => Ok(Verify::Pattern),
        _ => Err(String::from(
            "allowed are none, pattern and crc32c; other checks are not supported yet",
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
        let meant = near(kind, CONTROLLERS);
        let meant = meant.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        Err(format!(
            "unknown controller `{kind}`; {meant}allowed are {} and all",
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
