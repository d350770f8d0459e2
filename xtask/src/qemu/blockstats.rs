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

    /// What several disks were asked to do together.
    #[must_use]
    pub fn sum(each: &[Self]) -> Self {
        each.iter().fold(Self::default(), |sum, one| Self {
            rd_operations: sum.rd_operations + one.rd_operations,
            rd_bytes: sum.rd_bytes + one.rd_bytes,
            wr_operations: sum.wr_operations + one.wr_operations,
            wr_bytes: sum.wr_bytes + one.wr_bytes,
            flush_operations: sum.flush_operations + one.flush_operations,
            unmap_operations: sum.unmap_operations + one.unmap_operations,
            failed_rd_operations: sum.failed_rd_operations + one.failed_rd_operations,
            failed_wr_operations: sum.failed_wr_operations + one.failed_wr_operations,
            failed_flush_operations: sum.failed_flush_operations + one.failed_flush_operations,
            failed_unmap_operations: sum.failed_unmap_operations + one.failed_unmap_operations,
            invalid_rd_operations: sum.invalid_rd_operations + one.invalid_rd_operations,
            invalid_wr_operations: sum.invalid_wr_operations + one.invalid_wr_operations,
            invalid_flush_operations: sum.invalid_flush_operations + one.invalid_flush_operations,
            invalid_unmap_operations: sum.invalid_unmap_operations + one.invalid_unmap_operations,
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
    fn a_sum_has_all_of_each() {
        // Every counter another number, so that none is taken for another.
        let fields = serde_json::to_value(BlockStats::default()).unwrap();
        let names = fields.as_object().unwrap().keys();
        let of = |times: u64| -> BlockStats {
            let numbered = names.clone().zip(1u64..);
            let pairs = numbered.map(|(name, number)| (name.clone(), json!(number * times)));
            serde_json::from_value(Value::Object(pairs.collect())).unwrap()
        };
        assert_eq!(BlockStats::sum(&[of(1), of(10)]), of(11));
        assert_eq!(BlockStats::sum(&[]), BlockStats::default());
    }

    #[test]
    fn other_shapes_are_refused() {
        assert!(parse(json!({"x": 1})).is_err());
    }
}
