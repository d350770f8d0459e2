//! The variables of a run: the job before it, the summary after it.

use super::{MessagePort, VariableError, get, set};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const JOB: &str = "ioprobe.job";
/// How the job is written: absent for plain text, or `base64`, since some tools can
/// only set values of one line.
const ENCODING: &str = "ioprobe.job.encoding";
const SUMMARY: &str = "ioprobe.summary";
/// Longest job.
const MAX_JOB_BYTES: u32 = 64 << 10;
const MAX_ENCODING_BYTES: u32 = 64;

/// What guestinfo holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuestInfoJob {
    /// A job's text.
    Text(Vec<u8>),
    /// No job.
    Absent,
    /// The hypervisor could not be asked: why. There may be no job.
    Unknown(String),
    /// There is a job that cannot be used: why.
    Unusable(String),
}

/// Reads the job.
pub fn read_job(port: &mut impl MessagePort) -> GuestInfoJob {
    let encoding = match get(port, ENCODING, MAX_ENCODING_BYTES) {
        Ok(encoding) => encoding.unwrap_or_default(),
        Err(error) => return GuestInfoJob::Unknown(format!("guestinfo.{ENCODING}: {error}")),
    };
    match get(port, JOB, MAX_JOB_BYTES) {
        Ok(None) => GuestInfoJob::Absent,
        Ok(Some(value)) if value.is_empty() => GuestInfoJob::Absent,
        Ok(Some(value)) => decode(value, &encoding),
        Err(VariableError::TooLong(bytes)) => GuestInfoJob::Unusable(format!(
            "guestinfo.{JOB} has {bytes} bytes; a job may have {MAX_JOB_BYTES}"
        )),
        Err(error) => GuestInfoJob::Unknown(format!("guestinfo.{JOB}: {error}")),
    }
}

fn decode(value: Vec<u8>, encoding: &[u8]) -> GuestInfoJob {
    match encoding {
        b"" => GuestInfoJob::Text(value),
        b"base64" => {
            // Encoders break lines.
            let letters = value.into_iter().filter(|byte| !byte.is_ascii_whitespace());
            let letters: Vec<u8> = letters.collect();
            STANDARD.decode(letters).map_or_else(
                |error| GuestInfoJob::Unusable(format!("guestinfo.{JOB} is no base64: {error}")),
                GuestInfoJob::Text,
            )
        }
        other => GuestInfoJob::Unusable(format!(
            "guestinfo.{ENCODING} is `{}`; allowed is base64, or leave it out",
            String::from_utf8_lossy(other)
        )),
    }
}

/// Leaves the summary for the administrator.
///
/// # Errors
/// Why it could not be left.
pub fn write_summary(port: &mut impl MessagePort, summary: &str) -> Result<(), String> {
    set(port, SUMMARY, summary).map_err(|error| format!("guestinfo.{SUMMARY}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeHost, Trouble};
    use super::*;

    /// A machine with these values of job and encoding.
    fn host(job: Option<Vec<u8>>, encoding: Option<&'static str>) -> FakeHost {
        FakeHost::answering(move |question| {
            let value = match question {
                b"info-get guestinfo.ioprobe.job" => job.clone(),
                b"info-get guestinfo.ioprobe.job.encoding" => {
                    encoding.map(|text| text.as_bytes().to_vec())
                }
                other => panic!("{}", String::from_utf8_lossy(other)),
            };
            match value {
                Some(value) => [b"1 ", &value[..]].concat(),
                None => b"0 None".to_vec(),
            }
        })
    }

    fn read(job: Option<&[u8]>, encoding: Option<&'static str>) -> GuestInfoJob {
        read_job(&mut host(job.map(<[u8]>::to_vec), encoding))
    }

    #[test]
    fn plain_encoded_and_no_job() {
        let text = GuestInfoJob::Text(b"[a]\nrw=read\n".to_vec());
        assert_eq!(read(Some(b"[a]\nrw=read\n"), None), text);
        assert_eq!(read(Some(b"W2FdCnJ3\r\nPXJlYWQK\n"), Some("base64")), text);
        assert_eq!(read(None, None), GuestInfoJob::Absent);
        assert_eq!(read(Some(b""), Some("base64")), GuestInfoJob::Absent);
    }

    #[test]
    fn a_job_that_cannot_be_used_is_told_from_none() {
        let why = |job: &[u8], encoding| match read(Some(job), encoding) {
            GuestInfoJob::Unusable(why) => why,
            other => panic!("{other:?}"),
        };
        assert!(why(b"*", Some("base64")).starts_with("guestinfo.ioprobe.job is no base64: "));
        assert_eq!(
            why(b"x", Some("gzip")),
            "guestinfo.ioprobe.job.encoding is `gzip`; allowed is base64, or leave it out"
        );
        assert_eq!(
            why(&[b'x'; 65_537], None),
            "guestinfo.ioprobe.job has 65537 bytes; a job may have 65536"
        );
        let longest = std::vec![b'x'; 65_536];
        assert_eq!(read(Some(&longest), None), GuestInfoJob::Text(longest));
    }

    #[test]
    fn a_host_that_does_not_answer_is_told_too() {
        let mut silent = host(None, None);
        silent.trouble = Trouble::NoChannel;
        let GuestInfoJob::Unknown(why) = read_job(&mut silent) else {
            panic!("it answered");
        };
        assert_eq!(
            why,
            "guestinfo.ioprobe.job.encoding: the hypervisor opens no channel"
        );
        assert_eq!(
            write_summary(&mut silent, "x").unwrap_err(),
            "guestinfo.ioprobe.summary: the hypervisor opens no channel"
        );
    }
}
