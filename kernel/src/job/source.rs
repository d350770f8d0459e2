//! The order of the places.

use super::FwCfg;
use alloc::string::String;

/// Name of the fw_cfg file.
const FW_CFG_FILE: &str = "opt/ioprobe/job";

/// A job file's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its text; bytes that are no UTF-8 are replaced, so that the parser can
    /// name the line.
    pub text: String,
    /// Where it was: `fw_cfg`, `ramdisk`, `builtin`.
    pub source: &'static str,
}

/// The job that this run is to do: of `fw_cfg`, else of `ramdisk`, else `builtin`.
/// A ramdisk counts up to its first zero byte, since images are padded; one that
/// is empty counts as none.
#[must_use]
pub fn find(fw_cfg: Option<&FwCfg>, ramdisk: Option<&[u8]>, builtin: &str) -> Job {
    let from_host = fw_cfg.and_then(|device| device.read_file(FW_CFG_FILE));
    choose(from_host.as_deref(), ramdisk, builtin)
}

fn choose(from_host: Option<&[u8]>, ramdisk: Option<&[u8]>, builtin: &str) -> Job {
    let job = |bytes: &[u8], source| Job {
        text: String::from_utf8_lossy(bytes).into_owned(),
        source,
    };
    let ramdisk = ramdisk
        .and_then(|bytes| bytes.split(|&byte| byte == 0).next())
        .filter(|bytes| !bytes.is_empty());
    match (from_host, ramdisk) {
        (Some(bytes), _) => job(bytes, "fw_cfg"),
        (None, Some(bytes)) => job(bytes, "ramdisk"),
        (None, None) => job(builtin.as_bytes(), "builtin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_comes_first_then_the_image_then_the_kernel() {
        let from = |host, ramdisk| {
            let job = choose(host, ramdisk, "[quick]");
            (job.text, job.source)
        };
        let host = Some(&b"[host]"[..]);
        let ramdisk = Some(&b"[image]\n\0\0"[..]);
        assert_eq!(from(host, ramdisk), ("[host]".into(), "fw_cfg"));
        assert_eq!(from(None, ramdisk), ("[image]\n".into(), "ramdisk"));
        assert_eq!(from(None, Some(b"\0\0")), ("[quick]".into(), "builtin"));
        assert_eq!(from(None, None), ("[quick]".into(), "builtin"));
        assert_eq!(from(Some(b""), ramdisk), (String::new(), "fw_cfg"));
        assert_eq!(from(Some(b"rw=\xff"), None).0, "rw=\u{fffd}");
    }
}
