//! Which disks a job runs on: one rule for the guest and for the host's plan.

use super::params::Params;

/// The names that stand for a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskNames<'a> {
    /// `kind@pci-path:target:lun` or `kind@pci-path:nsid`.
    pub id: &'a str,
    /// World-wide name; empty where there is none.
    pub wwid: &'a str,
    /// Its controller's id, `kind@pci-path`.
    pub controller: &'a str,
}

impl DiskNames<'_> {
    /// The kind of its controller.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.controller.split('@').next().unwrap_or_default()
    }

    /// Whether the name fits: the disk's id, its world-wide name, its controller's id,
    /// its controller's kind. The last two fit it alone only if it is alone. Serial
    /// numbers are no names: several disks can share one.
    #[must_use]
    pub fn fits(&self, name: &str) -> bool {
        name == self.id
            || (!self.wwid.is_empty() && name == self.wwid)
            || name == self.controller
            || name == self.kind()
    }
}

impl Params {
    /// Whether the job runs on a disk: by its `controller`, and by its `filename`.
    #[must_use]
    pub fn selects(&self, disk: &DiskNames<'_>) -> bool {
        let on = |name: &str| name == "all" || name == disk.kind() || name == disk.controller;
        (self.controllers.is_empty() || self.controllers.iter().any(|name| on(name)))
            && (self.disks.is_empty() || self.disks.iter().any(|name| disk.fits(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec;

    #[test]
    fn disks_are_selected_by_every_name() {
        let disk = DiskNames {
            id: "pvscsi@00:03.0:0:0",
            wwid: "naa.5",
            controller: "pvscsi@00:03.0",
        };
        let mut job = Params::new("j");
        assert!(job.selects(&disk));
        for (name, fits) in [
            (disk.id, true),
            ("naa.5", true),
            ("pvscsi@00:03.0", true),
            ("pvscsi", true),
            ("pvscsi@00:03.0:0", false),
            ("pvscsi@00:03.0:0:01", false),
            ("nvme", false),
            ("", false),
        ] {
            job.disks = vec![String::from(name)];
            assert_eq!(job.selects(&disk), fits, "{name}");
        }
        job.disks.clear();
        for (name, on) in [("pvscsi", true), (disk.controller, true), (disk.id, false)] {
            job.controllers = vec![String::from(name)];
            assert_eq!(job.selects(&disk), on, "{name}");
        }
        let unnamed = DiskNames { wwid: "", ..disk };
        assert!(!unnamed.fits(""));
    }
}
