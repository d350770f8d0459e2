//! Variables by name.

use super::{MessagePort, Rpc, RpcError};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Longest answer to the setting of a variable.
const MAX_REPLY_BYTES: u32 = 1024;
/// `1 ` before a value, `0 ` before a reason.
const MARK_BYTES: u32 = 2;

/// Why a variable could not be read or set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariableError {
    /// The conversation failed.
    Rpc(RpcError),
    /// The value is longer than was asked for; its length in bytes.
    TooLong(u32),
    /// The hypervisor refused; its reason.
    Refused(String),
}

impl fmt::Display for VariableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rpc(error) => error.fmt(f),
            Self::TooLong(bytes) => write!(f, "it has {bytes} bytes"),
            Self::Refused(reason) => write!(f, "the hypervisor says: {reason}"),
        }
    }
}

/// The value of `guestinfo.NAME`, of at most `max_bytes`; `None` where it is not
/// set.
///
/// # Errors
/// [`VariableError`].
pub fn get(
    port: &mut impl MessagePort,
    name: &str,
    max_bytes: u32,
) -> Result<Option<Vec<u8>>, VariableError> {
    let question = format!("info-get guestinfo.{name}");
    match Rpc::ask(port, question.as_bytes(), max_bytes + MARK_BYTES) {
        Ok(answer) => match answer.split_first() {
            // An answer may end after its mark.
            Some((b'1', value)) => Ok(Some(value.get(1..).unwrap_or_default().to_vec())),
            // Of a question in this form, the only reason is that nothing is set.
            Some((b'0', _)) => Ok(None),
            _ => Err(refused(&answer)),
        },
        Err(RpcError::TooLong(bytes)) => {
            Err(VariableError::TooLong(bytes.saturating_sub(MARK_BYTES)))
        }
        Err(error) => Err(VariableError::Rpc(error)),
    }
}

/// Sets `guestinfo.NAME`.
///
/// # Errors
/// [`VariableError`].
pub fn set(port: &mut impl MessagePort, name: &str, value: &str) -> Result<(), VariableError> {
    let question = format!("info-set guestinfo.{name} {value}");
    match Rpc::ask(port, question.as_bytes(), MAX_REPLY_BYTES) {
        Ok(answer) if answer.first() == Some(&b'1') => Ok(()),
        Ok(answer) => Err(refused(&answer)),
        Err(error) => Err(VariableError::Rpc(error)),
    }
}

fn refused(answer: &[u8]) -> VariableError {
    let text = String::from_utf8_lossy(answer);
    VariableError::Refused(text.trim_start_matches("0 ").into())
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeHost;
    use super::*;
    use alloc::string::ToString;

    fn answered(answer: &'static [u8]) -> Result<Option<Vec<u8>>, VariableError> {
        let mut host = FakeHost::answering(move |question| {
            assert_eq!(question, b"info-get guestinfo.ioprobe.job");
            answer.to_vec()
        });
        get(&mut host, "ioprobe.job", 10)
    }

    #[test]
    fn a_value_an_empty_one_and_none() {
        assert_eq!(answered(b"1 [a]\nrw=x"), Ok(Some(b"[a]\nrw=x".to_vec())));
        assert_eq!(answered(b"1 "), Ok(Some(Vec::new())));
        assert_eq!(answered(b"1"), Ok(Some(Vec::new())));
        assert_eq!(answered(b"0 None"), Ok(None));
        assert_eq!(answered(b"1 12345678901"), Err(VariableError::TooLong(11)));
        let odd = answered(b"? what").unwrap_err().to_string();
        assert_eq!(odd, "the hypervisor says: ? what");
        assert!(answered(b"").is_err());
    }

    #[test]
    fn setting_says_what_the_host_says() {
        let mut host = FakeHost::answering(|question| {
            assert_eq!(question, b"info-set guestinfo.ioprobe.summary 1 rows ok\n2");
            b"1 ".to_vec()
        });
        assert_eq!(set(&mut host, "ioprobe.summary", "1 rows ok\n2"), Ok(()));
        let mut host = FakeHost::answering(|_| b"0 Permission denied".to_vec());
        let refusal = set(&mut host, "ioprobe.summary", "x").unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the hypervisor says: Permission denied"
        );
    }
}
