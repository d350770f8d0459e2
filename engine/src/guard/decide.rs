//! May this disk be written?

use super::look::{Contents, Look};
use super::token::Token;
use alloc::format;
use alloc::string::{String, ToString};
use proto::result::DiskInfo;

/// The answer, and why, for a person to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Writes may be issued.
    pub allowed: bool,
    /// Why, or why not and what to do.
    pub reason: String,
}

impl Verdict {
    fn allowed(reason: impl Into<String>) -> Self {
        Self {
            allowed: true,
            reason: reason.into(),
        }
    }

    fn refused(reason: impl Into<String>) -> Self {
        Self {
            allowed: false,
            reason: reason.into(),
        }
    }
}

/// Decides by what was seen, the job's `scratch` nonces and its `allow_write`.
#[must_use]
pub fn decide(disk: &DiskInfo, look: &Look, scratch: &[String], token: &Token) -> Verdict {
    if disk.read_only {
        return Verdict::refused("write-protected by the device");
    }
    if let Some(reason) = no_target(look) {
        return Verdict::refused(reason);
    }
    if let Some(nonce) = &look.nonce
        && scratch.contains(nonce)
    {
        return Verdict::allowed("stamped as scratch");
    }
    let id = &disk.id;
    let Some(contents) = &look.contents else {
        return Verdict::refused("not looked at: no job writes to it");
    };
    let holds = describe(contents, look.nonce.as_deref());
    let wanted = match contents.word() {
        None => id.to_string(),
        Some(word) => format!("{id}:{word}"),
    };
    let advice = format!("to overwrite it all the same, give --allow-write {wanted}");
    match (token, contents.word()) {
        (Token::Ambiguous(name, fits), _) => Verdict::refused(format!(
            "allow_write={name} fits {} disks ({}); name one of them",
            fits.len(),
            fits.join(", ")
        )),
        (Token::None, _) => Verdict::refused(format!("{holds}; {advice}")),
        (Token::Named(_), None) => Verdict::allowed(format!("allow_write; {holds}")),
        (Token::Named(Some(given)), Some(found)) if given == found => {
            Verdict::allowed(format!("allow_write; {holds}"))
        }
        (Token::Named(Some(given)), Some(_)) => {
            Verdict::refused(format!("{holds}, not {given}; {advice}"))
        }
        (Token::Named(None), Some(_)) => Verdict::refused(format!("{holds}; {advice}")),
    }
}

/// Why a disk is no target, not even of reads.
#[must_use]
pub fn no_target(look: &Look) -> Option<String> {
    let build = look.boot_image.as_ref()?;
    Some(format!(
        "a boot medium: it holds an image of ioprobe (build {build}), which is never a target"
    ))
}

fn describe(contents: &Contents, nonce: Option<&str>) -> String {
    let mut text = match contents {
        Contents::Nothing => String::from("holds nothing but zeros or data of ioprobe"),
        Contents::Holds(name) => format!("holds {name}"),
        Contents::Unknown(at) => format!("holds unknown data (first at byte {at})"),
    };
    if let Some(nonce) = nonce {
        text.push_str(&format!(
            ", with a scratch stamp {nonce} that the job does not name"
        ));
    }
    text
}
