//! Values by direction, in fio's way: `READ,WRITE,TRIM`. A value that no comma ends
//! holds for the directions after it too; an empty one keeps what is there.

use super::load::ByDirection;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, String>;

/// Reads a list, starting from what holds so far.
pub(super) fn by_direction<T: Clone>(
    text: &str,
    before: &ByDirection<T>,
    mut read: impl FnMut(&str) -> Result<T>,
) -> Result<ByDirection<T>> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let nothing = parts.iter().all(|part| part.is_empty());
    if parts.len() > 3 || nothing && parts.len() > 1 {
        return Err(String::from(
            "give one value, or up to three as READ,WRITE,TRIM",
        ));
    }
    if nothing {
        // The refusal of an empty value says what was expected.
        read("")?;
    }
    let mut last = None;
    let mut one = |at: usize, before: &T| -> Result<T> {
        match parts.get(at) {
            Some(&"") => last = None,
            Some(part) => last = Some(read(part)?),
            None => {}
        }
        Ok(last.clone().unwrap_or_else(|| before.clone()))
    };
    Ok(ByDirection {
        read: one(0, &before.read)?,
        write: one(1, &before.write)?,
        trim: one(2, &before.trim)?,
    })
}

/// The list again, or `None` where all is as by default.
pub(super) fn by_direction_text<T: PartialEq>(
    values: &ByDirection<T>,
    default: &T,
    text: impl Fn(&T) -> String,
) -> Option<String> {
    let ByDirection { read, write, trim } = values;
    if read == default && write == default && trim == default {
        return None;
    }
    if read == write && write == trim {
        return Some(text(read));
    }
    let (read, write, trim) = match write == trim {
        true => (text(read), text(write), None),
        false => (text(read), text(write), Some(text(trim))),
    };
    // What stands last without a comma holds for what follows.
    let trim = trim.map_or(String::new(), |trim| format!(",{trim}"));
    Some(format!("{read},{write}{trim}"))
}
