//! QEMU's own counts of what a disk was asked to do (`query-blockstats`).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Counters of one disk. QEMU counts an operation by its outcome: done, failed
/// (the backend refused) or invalid (refused before it reached the backend).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BlockStats {
    /// Reads done.
    pub rd_operations: u64,
    /// Bytes of these.
    pub rd_bytes: u64,
    /// Writes done.
    pub wr_operations: u64,
    /// Bytes of these.
    pub wr_bytes: u64,
    /// Flushes done.
    pub flush_operations: u64,
    /// Unmaps done.
    pub unmap_operations: u64,
    /// Reads failed.
    pub failed_rd_operations: u64,
    /// Writes failed.
    pub failed_wr_operations: u64,
    /// Flushes failed.
    pub failed_flush_operations: u64,
    /// Unmaps failed.
    pub failed_unmap_operations: u64,
    /// Reads refused.
    pub invalid_rd_operations: u64,
    /// Writes refused.
    pub invalid_wr_operations: u64,
    /// Flushes refused.
    pub invalid_flush_operations: u64,
    /// Unmaps refused.
    pub invalid_unmap_operations: u64,
}

impl BlockStats {
    /// What was added since `earlier`; `None` if a counter went back.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Option<Self> {
        let sub = u64::checked_sub;
        Some(Self {
            rd_operations: sub(self.rd_operations, earlier.rd_operations)?,
            rd_bytes: sub(self.rd_bytes, earlier.rd_bytes)?,
            wr_operations: sub(self.wr_operations, earlier.wr_operations)?,
            wr_bytes: sub(self.wr_bytes, earlier.wr_bytes)?,
            flush_operations: sub(self.flush_operations, earlier.flush_operations)?,
            unmap_operations: sub(self.unmap_operations, earlier.unmap_operations)?,
            failed_rd_operations: sub(self.failed_rd_operations, earlier.failed_rd_operations)?,
            failed_wr_operations: sub(self.failed_wr_operations, earlier.failed_wr_operations)?,
            failed_flush_operations: sub(
                self.failed_flush_operations,
                earlier.failed_flush_operations,
            )?,
            failed_unmap_operations: sub(
                self.failed_unmap_operations,
                earlier.failed_unmap_operations,
            )?,
            invalid_rd_operations: sub(self.invalid_rd_operations, earlier.invalid_rd_operations)?,
            invalid_wr_operations: sub(self.invalid_wr_operations, earlier.invalid_wr_operations)?,
            invalid_flush_operations: sub(
                self.invalid_flush_operations,
                earlier.invalid_flush_operations,
            )?,
            invalid_unmap_operations: sub(
                self.invalid_unmap_operations,
                earlier.invalid_unmap_operations,
            )?,
        })
    }

    /// Reads, whatever became of them.
    #[must_use]
    pub const fn reads(&self) -> u64 {
        self.rd_operations + self.failed_rd_operations + self.invalid_rd_operations
    }

    /// Writes, whatever became of them.
    #[must_use]
    pub const fn writes(&self) -> u64 {
        self.wr_operations + self.failed_wr_operations + self.invalid_wr_operations
    }

    /// Flushes, whatever became of them.
    #[must_use]
    pub const fn flushes(&self) -> u64 {
        self.flush_operations + self.failed_flush_operations + self.invalid_flush_operations
    }

    /// Unmaps, whatever became of them.
    #[must_use]
    pub const fn unmaps(&self) -> u64 {
        self.unmap_operations + self.failed_unmap_operations + self.invalid_unmap_operations
    }

    /// Operations that did not succeed.
    #[must_use]
    pub const fn failed(&self) -> u64 {
        self.failed_rd_operations
            + self.failed_wr_operations
            + self.failed_flush_operations
            + self.failed_unmap_operations
            + self.invalid_rd_operations
            + self.invalid_wr_operations
            + self.invalid_flush_operations
            + self.invalid_unmap_operations
    }
}

/// Counters by block node name.
pub type ByNode = BTreeMap<String, BlockStats>;

/// Reads the answer to `query-blockstats`.
///
/// # Errors
/// If it does not have the known shape.
pub fn parse(answer: Value) -> Result<ByNode, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    struct Device {
        node_name: Option<String>,
        stats: BlockStats,
    }
    let devices: Vec<Device> =
        serde_json::from_value(answer).map_err(|error| format!("query-blockstats: {error}"))?;
    Ok(devices
        .into_iter()
        .filter_map(|device| Some((device.node_name?, device.stats)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_qemu_7_2() {
        let answer = json!([{
            "device": "", "node-name": "node0", "qdev": "disk0",
            "stats": {"rd_operations": 1, "rd_bytes": 512, "failed_wr_operations": 2,
                      "invalid_rd_operations": 3, "timed_stats": [], "account_failed": true}
        }]);
        let stats = parse(answer).unwrap()["node0"];
        assert_eq!((stats.reads(), stats.writes(), stats.failed()), (4, 2, 5));
        assert_eq!(stats.rd_bytes, 512);
    }

    #[test]
    fn difference_never_wraps() {
        let one = BlockStats {
            rd_operations: 1,
            ..BlockStats::default()
        };
        let none = BlockStats::default();
        assert_eq!(one.since(&none), Some(one));
        assert_eq!(none.since(&one), None);
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(parse(json!({"x": 1})).is_err());
    }
}
