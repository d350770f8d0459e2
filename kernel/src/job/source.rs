//! The order of the places.

use super::FwCfg;
use super::guestinfo::{self, GuestInfoJob};
use crate::hal::backdoor::Backdoor;
use alloc::string::String;
use alloc::vec::Vec;

/// Name of the fw_cfg file.
const FW_CFG_FILE: &str = "opt/ioprobe/job";

/// The places, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// QEMU's fw_cfg: the host tool started this machine.
    FwCfg,
    /// VMware's guestinfo.
    GuestInfo,
    /// The boot image.
    Ramdisk,
    /// The kernel.
    BuiltIn,
}

impl Source {
    /// What records call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FwCfg => "fw_cfg",
            Self::GuestInfo => "guestinfo",
            Self::Ramdisk => "ramdisk",
            Self::BuiltIn => "builtin",
        }
    }

    /// Whether a host listens that answers the row protocol: only a job that came
    /// from the host tool has one.
    #[must_use]
    pub fn has_host(self) -> bool {
        self == Self::FwCfg
    }
}

/// The job of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Where it was.
    pub source: Source,
    /// Its text; bytes that are no UTF-8 are replaced, so that the parser can
    /// name the line. Or why there is none though somebody gave one: another job
    /// in its place would measure, or write, what nobody asked for.
    pub text: Result<String, String>,
    /// What a person should know of places that could not be looked at.
    pub notes: Vec<String>,
}

/// The job that this run is to do: of `fw_cfg`, else of guestinfo behind
/// `backdoor`, else of `ramdisk`, else `builtin`. A ramdisk counts up to its first
/// zero byte, since images are padded; one that is empty counts as none.
#[must_use]
pub fn find(
    fw_cfg: Option<&FwCfg>,
    backdoor: Option<Backdoor>,
    ramdisk: Option<&[u8]>,
    builtin: &str,
) -> Job {
    let from_host = fw_cfg.and_then(|device| device.read_file(FW_CFG_FILE));
    let guestinfo = move || match backdoor {
        Some(mut backdoor) => guestinfo::read_job(&mut backdoor),
        None => GuestInfoJob::Absent,
    };
    choose(from_host.as_deref(), guestinfo, ramdisk, builtin)
}

fn choose(
    from_host: Option<&[u8]>,
    guestinfo: impl FnOnce() -> GuestInfoJob,
    ramdisk: Option<&[u8]>,
    builtin: &str,
) -> Job {
    let job = |bytes: &[u8], source| Job {
        source,
        text: Ok(String::from_utf8_lossy(bytes).into_owned()),
        notes: Vec::new(),
    };
    if let Some(bytes) = from_host {
        return job(bytes, Source::FwCfg);
    }
    let mut notes = Vec::new();
    match guestinfo() {
        GuestInfoJob::Text(bytes) => return job(&bytes, Source::GuestInfo),
        GuestInfoJob::Absent => {}
        GuestInfoJob::Unknown(why) => notes.push(why),
        GuestInfoJob::Unusable(why) => {
            return Job {
                source: Source::GuestInfo,
                text: Err(why),
                notes,
            };
        }
    }
    let ramdisk = ramdisk
        .and_then(|bytes| bytes.split(|&byte| byte == 0).next())
        .filter(|bytes| !bytes.is_empty());
    let found = match ramdisk {
        Some(bytes) => job(bytes, Source::Ramdisk),
        None => job(builtin.as_bytes(), Source::BuiltIn),
    };
    Job { notes, ..found }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IMAGE: Option<&[u8]> = Some(b"[image]\n\0\0");

    fn from(
        host: Option<&[u8]>,
        vmware: GuestInfoJob,
        ramdisk: Option<&[u8]>,
    ) -> (String, &'static str) {
        let job = choose(host, || vmware, ramdisk, "[quick]");
        assert_eq!(job.notes, [""; 0]);
        (job.text.unwrap(), job.source.name())
    }

    #[test]
    fn the_host_comes_first_then_vmware_then_the_image_then_the_kernel() {
        let host = Some(&b"[host]"[..]);
        let vmware = || GuestInfoJob::Text(b"[vmware]".to_vec());
        let none = || GuestInfoJob::Absent;
        assert_eq!(from(host, vmware(), IMAGE), ("[host]".into(), "fw_cfg"));
        assert_eq!(
            from(None, vmware(), IMAGE),
            ("[vmware]".into(), "guestinfo")
        );
        assert_eq!(from(None, none(), IMAGE), ("[image]\n".into(), "ramdisk"));
        assert_eq!(
            from(None, none(), Some(b"\0\0")),
            ("[quick]".into(), "builtin")
        );
        assert_eq!(from(None, none(), None), ("[quick]".into(), "builtin"));
        assert_eq!(from(Some(b""), none(), IMAGE), (String::new(), "fw_cfg"));
        assert_eq!(from(Some(b"rw=\xff"), none(), None).0, "rw=\u{fffd}");
    }

    #[test]
    fn a_host_tool_is_asked_alone() {
        let asked = || panic!("the backdoor was used");
        let job = choose(Some(b"[host]"), asked, IMAGE, "");
        assert_eq!(job.source, Source::FwCfg);
    }

    #[test]
    fn a_job_that_cannot_be_used_is_not_replaced_by_another() {
        let unusable = || GuestInfoJob::Unusable("it has 70000 bytes".into());
        let job = choose(None, unusable, IMAGE, "[quick]");
        assert_eq!(job.text, Err("it has 70000 bytes".into()));
        assert_eq!(job.source, Source::GuestInfo);
    }

    #[test]
    fn a_place_that_could_not_be_looked_at_is_told() {
        let unknown = || GuestInfoJob::Unknown("no channel".into());
        let job = choose(None, unknown, IMAGE, "[quick]");
        assert_eq!(job.source, Source::Ramdisk);
        assert_eq!(job.notes, ["no channel"]);
    }

    #[test]
    fn only_the_host_tool_answers_the_row_protocol() {
        let all = [
            Source::FwCfg,
            Source::GuestInfo,
            Source::Ramdisk,
            Source::BuiltIn,
        ];
        assert_eq!(all.map(Source::has_host), [true, false, false, false]);
    }
}
