//! A section while its keys are applied.

use super::load::Sweep;
use super::params::Params;
use crate::units::{self, KbBase, Size, UnitError};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Parameters so far, and what reading values needs and yields.
#[derive(Clone)]
pub(super) struct Draft {
    pub params: Params,
    pub kb_base: KbBase,
    /// Sweeps, in the order in which they multiply.
    pub sweeps: Vec<Sweep>,
    /// Remarks that came up, to be given a place and said once.
    pub remarks: Vec<String>,
}

impl Draft {
    pub fn new() -> Self {
        Self {
            params: Params::new(""),
            kb_base: KbBase::default(),
            sweeps: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Keeps something that a person should know.
    pub fn remark(&mut self, remark: String) {
        self.remarks.push(remark);
    }

    /// A size in bytes. Where fio would read another, that is remarked.
    pub fn size(&mut self, text: &str) -> Result<u64, String> {
        let Size {
            bytes,
            in_fio_bytes,
        } = units::size(text, self.kb_base).map_err(|error| error.to_string())?;
        if let Some(in_fio_bytes) = in_fio_bytes {
            self.remark(format!(
                "`{text}` is {bytes} bytes here; fio takes it for {in_fio_bytes}"
            ));
        }
        Ok(bytes)
    }

    /// A number, which in fio may have a size's suffix, within a range.
    pub fn number(&self, text: &str, min: u64, max: u64) -> Result<u64, String> {
        let number = units::size(text, self.kb_base)
            .map_err(|error| {
                UnitError {
                    what: "number",
                    ..error
                }
                .to_string()
            })?
            .bytes;
        if !(min..=max).contains(&number) {
            return Err(format!("out of range; allowed are {min} to {max}"));
        }
        Ok(number)
    }
}
