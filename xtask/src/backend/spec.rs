//! `--backend` as the user writes it.

use proto::units;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// What the disks of a run are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Backend {
    /// No medium: what is left is the controller.
    Null {
        /// Added to each command, 0 or at least [`MIN_LATENCY_NS`].
        latency_ns: u64,
    },
    /// A scratch file that the run makes.
    File {
        /// Its size.
        bytes: u64,
    },
    /// An image or block device of the user's.
    Path(PathBuf),
}

/// Least latency of a null disk in ns.
pub const MIN_LATENCY_NS: u64 = 1_000_000;

/// Least size of a scratch file in bytes: two stamped blocks and room to work in.
const MIN_FILE_BYTES: u64 = 64 << 10;

impl FromStr for Backend {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "null" {
            return Ok(Self::Null { latency_ns: 0 });
        }
        if let Some(options) = text.strip_prefix("null:") {
            return null(options);
        }
        if let Some(size) = text.strip_prefix("file:") {
            return file(size);
        }
        if text.is_empty() {
            return Err("give null, null:latency=TIME, file:SIZE or a path".into());
        }
        Ok(Self::Path(text.into()))
    }
}

fn null(options: &str) -> Result<Backend, String> {
    let time = options
        .strip_prefix("latency=")
        .ok_or_else(|| format!("`{options}`: a null backend takes latency=TIME only"))?;
    if time.ends_with(|last: char| last.is_ascii_digit()) {
        return Err(format!(
            "latency={time} has no unit; give {time}ms or {time}s"
        ));
    }
    let latency_ns = units::time_ns(time).map_err(|error| error.to_string())?;
    if latency_ns > 0 && latency_ns < MIN_LATENCY_NS {
        return Err(format!(
            "latency={time} is below 1ms: QEMU's main loop has millisecond timers and would \
             round it up, so the figure would not be what you asked for; use 1ms or more"
        ));
    }
    Ok(Backend::Null { latency_ns })
}

fn file(size: &str) -> Result<Backend, String> {
    let bytes = units::size_bytes(size).map_err(|error| error.to_string())?;
    if bytes < MIN_FILE_BYTES || !bytes.is_multiple_of(4096) {
        return Err(format!(
            "file:{size}: a scratch file has at least 64k and whole blocks of 4k"
        ));
    }
    Ok(Backend::File { bytes })
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null { latency_ns: 0 } => f.write_str("null"),
            Self::Null { latency_ns } => write!(f, "null:latency={latency_ns}ns"),
            Self::File { bytes } => write!(f, "file:{bytes}"),
            Self::Path(path) => write!(f, "{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_each_form() {
        let parse = |text: &str| text.parse::<Backend>().unwrap();
        assert_eq!(parse("null"), Backend::Null { latency_ns: 0 });
        let one_ms = Backend::Null {
            latency_ns: 1_000_000,
        };
        assert_eq!(parse("null:latency=1ms"), one_ms);
        assert_eq!(parse("file:64M"), Backend::File { bytes: 64 << 20 });
        assert_eq!(parse("/dev/sdb"), Backend::Path("/dev/sdb".into()));
    }

    #[test]
    fn short_latency_is_refused_with_the_reason() {
        let error = "null:latency=100us".parse::<Backend>().unwrap_err();
        assert!(error.contains("millisecond timers"), "{error}");
        assert!("null:latency=999us".parse::<Backend>().is_err());
        let error = "null:latency=5".parse::<Backend>().unwrap_err();
        assert!(error.contains("5ms or 5s"), "{error}");
    }

    #[test]
    fn bad_figures_are_quoted() {
        let error = "file:4.5k".parse::<Backend>().unwrap_err();
        assert!(error.contains("`4.5k`"), "{error}");
        assert!("file:4k".parse::<Backend>().is_err(), "too small");
        assert!("file:65537".parse::<Backend>().is_err(), "broken block");
        assert!("null:size=4".parse::<Backend>().is_err());
    }
}
