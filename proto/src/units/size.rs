//! Sizes in bytes.

use super::error::{UnitError, UnitFault};
use super::number;
use alloc::string::String;

/// fio's `kb_base`: what a prefix without an `i` counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KbBase {
    /// `k` is 1024: fio's default.
    #[default]
    Binary,
    /// `k` is 1000.
    Decimal,
}

impl KbBase {
    /// 1024 or 1000.
    #[must_use]
    pub const fn factor(self) -> u64 {
        match self {
            Self::Binary => 1024,
            Self::Decimal => 1000,
        }
    }
}

/// How a suffix is formed; it decides the base of its power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeFamily {
    /// `k`, `kb`: powers of `kb_base`.
    Plain,
    /// `ki`: powers of 1024; fio 3.33 takes `kb_base`.
    Binary,
    /// `kib`: powers of 1024; fio takes 1000, and 1024 under `kb_base=1000`.
    BinaryBytes,
}

/// One accepted suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeSuffix {
    /// In lower case; upper and mixed case are the same.
    pub spelling: &'static str,
    /// Exponent of the base.
    pub power: u32,
    /// Which base.
    pub family: SizeFamily,
}

const fn suffix(spelling: &'static str, power: u32, family: SizeFamily) -> SizeSuffix {
    SizeSuffix {
        spelling,
        power,
        family,
    }
}

/// Every suffix that a size may have.
pub const SIZE_SUFFIXES: [SizeSuffix; 22] = {
    use SizeFamily::{Binary, BinaryBytes, Plain};
    [
        suffix("", 0, Plain),
        suffix("b", 0, Plain),
        suffix("k", 1, Plain),
        suffix("kb", 1, Plain),
        suffix("ki", 1, Binary),
        suffix("kib", 1, BinaryBytes),
        suffix("m", 2, Plain),
        suffix("mb", 2, Plain),
        suffix("mi", 2, Binary),
        suffix("mib", 2, BinaryBytes),
        suffix("g", 3, Plain),
        suffix("gb", 3, Plain),
        suffix("gi", 3, Binary),
        suffix("gib", 3, BinaryBytes),
        suffix("t", 4, Plain),
        suffix("tb", 4, Plain),
        suffix("ti", 4, Binary),
        suffix("tib", 4, BinaryBytes),
        suffix("p", 5, Plain),
        suffix("pb", 5, Plain),
        suffix("pi", 5, Binary),
        suffix("pib", 5, BinaryBytes),
    ]
};

impl SizeSuffix {
    /// Bytes that one of this unit has.
    #[must_use]
    pub const fn factor(self, base: KbBase) -> u64 {
        match self.family {
            SizeFamily::Plain => base.factor().pow(self.power),
            SizeFamily::Binary | SizeFamily::BinaryBytes => 1024u64.pow(self.power),
        }
    }

    /// Bytes that fio 3.33 takes it for.
    #[must_use]
    pub const fn factor_in_fio(self, base: KbBase) -> u64 {
        match (self.family, base) {
            (SizeFamily::Plain | SizeFamily::Binary, _) => base.factor().pow(self.power),
            (SizeFamily::BinaryBytes, KbBase::Binary) => 1000u64.pow(self.power),
            (SizeFamily::BinaryBytes, KbBase::Decimal) => 1024u64.pow(self.power),
        }
    }
}

/// A size as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes.
    pub bytes: u64,
    /// What fio would read, where that is something else.
    pub in_fio_bytes: Option<u64>,
}

const ACCEPTED: &str = "k, m, g, t, p, each also with b, i or ib (4k, 4kB, 4Ki, 4KiB)";

/// Reads a size such as `512`, `4k`, `5MiB` or `0x1000`.
///
/// # Errors
/// [`UnitError`] quotes the text: no number, a sign, a fraction, a space, an unknown
/// suffix, or more than 64 bits.
pub fn size(text: &str, base: KbBase) -> Result<Size, UnitError> {
    let refuse = |fault| UnitError::new("size", text, fault);
    let (number, spelling) = number::split(text).map_err(refuse)?;
    let suffix = SIZE_SUFFIXES
        .iter()
        .find(|suffix| suffix.spelling.eq_ignore_ascii_case(spelling))
        .ok_or_else(|| refuse(UnitFault::UnknownSuffix { accepted: ACCEPTED }))?;
    let bytes = number
        .checked_mul(suffix.factor(base))
        .ok_or_else(|| refuse(UnitFault::TooLarge))?;
    let in_fio_bytes = number
        .checked_mul(suffix.factor_in_fio(base))
        .filter(|&in_fio| in_fio != bytes);
    Ok(Size {
        bytes,
        in_fio_bytes,
    })
}

/// [`size`] in bytes, with fio's default base: for command lines.
///
/// # Errors
/// As [`size`].
pub fn size_bytes(text: &str) -> Result<u64, UnitError> {
    size(text, KbBase::Binary).map(|size| size.bytes)
}

/// The shortest exact spelling: `4k`, `5m`, `513`. [`size_bytes`] reads it back.
#[must_use]
pub fn size_text(bytes: u64) -> String {
    let suffix = SIZE_SUFFIXES
        .iter()
        .rev()
        .filter(|suffix| suffix.spelling.len() <= 1 && suffix.spelling != "b")
        .find(|suffix| bytes != 0 && bytes.is_multiple_of(suffix.factor(KbBase::Binary)));
    match suffix {
        Some(suffix) => alloc::format!(
            "{}{}",
            bytes / suffix.factor(KbBase::Binary),
            suffix.spelling
        ),
        None => String::from("0"),
    }
}
