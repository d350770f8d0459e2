//! Backends as QEMU's `-blockdev`.

use crate::qemu::command::escape;
use std::path::Path;

/// Size of a null disk in bytes: far more than any cache could hold.
pub const NULL_BYTES: u64 = 200 << 30;

/// `-blockdev` of a disk without a medium. Reads give zeros, so that the guard
/// can see that the disk holds nothing.
#[must_use]
pub fn null_blockdev(node: &str, latency_ns: u64) -> String {
    let mut option = format!("driver=null-co,node-name={node},size={NULL_BYTES},read-zeroes=on");
    if latency_ns > 0 {
        option.push_str(&format!(",latency-ns={latency_ns}"));
    }
    option
}

/// `-blockdev` of a raw file or block device. Discards are passed on, so that
/// the guest's unmaps reach the file.
#[must_use]
pub fn raw_blockdev(node: &str, path: &Path, device: bool, read_only: bool) -> String {
    let driver = if device { "host_device" } else { "file" };
    let read_only = if read_only { "on" } else { "off" };
    let name = escape(&path.to_string_lossy());
    format!(
        "driver=raw,node-name={node},read-only={read_only},discard=unmap,\
         file.driver={driver},file.filename={name}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_has_latency_only_when_asked() {
        assert_eq!(
            null_blockdev("node0", 0),
            "driver=null-co,node-name=node0,size=214748364800,read-zeroes=on"
        );
        assert!(null_blockdev("node0", 2_000_000).ends_with(",latency-ns=2000000"));
    }

    #[test]
    fn paths_with_commas_survive() {
        assert_eq!(
            raw_blockdev("node0", Path::new("/t/a,b"), false, true),
            "driver=raw,node-name=node0,read-only=on,discard=unmap,\
             file.driver=file,file.filename=/t/a,,b"
        );
    }
}
