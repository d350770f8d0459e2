//! Short names: of jobs without what all have in common, of the places they ran on.

use crate::result::Row;
use std::collections::BTreeSet;

/// Job names without the `whole` name that all begin with (the preset's, or the
/// section's before a sweep): `quick-a` of `quick` is `a`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobNames {
    prefix: String,
}

impl JobNames {
    /// For the jobs of these rows; `whole` is the name of the preset or job file.
    #[must_use]
    pub fn of(rows: &[Row], whole: &str) -> Self {
        let names: BTreeSet<&str> = rows.iter().map(|row| row.job.as_str()).collect();
        let section = names.iter().next().and_then(|name| name.split_once('/'));
        let swept = section.map(|(section, _)| format!("{section}/"));
        let prefixes = ["-", "/", "_"].map(|mark| format!("{whole}{mark}"));
        let fits = |prefix: &String| {
            let longer =
                |name: &&str| name.len() > prefix.len() && name.starts_with(prefix.as_str());
            names.len() > 1 && names.iter().all(longer)
        };
        let prefix = prefixes.into_iter().chain(swept).find(fits);
        Self {
            prefix: prefix.unwrap_or_default(),
        }
    }

    /// The short name of a job.
    #[must_use]
    pub fn short<'n>(&self, job: &'n str) -> &'n str {
        job.strip_prefix(self.prefix.as_str()).unwrap_or(job)
    }
}

/// How much of a disk's id tells the places of a result apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The kind of its controller.
    Kind,
    /// Its controller.
    Controller,
    /// The kind of its controller, and its place behind it.
    Unit,
    /// All of it.
    Disk,
}

impl Place {
    /// The least that tells all of these rows' disks apart.
    #[must_use]
    pub fn of(rows: &[Row]) -> Self {
        let disks: BTreeSet<&str> = rows.iter().map(|row| row.disk.as_str()).collect();
        let tells = |place: &Self| {
            let names: BTreeSet<String> = rows.iter().map(|row| place.name(row)).collect();
            names.len() == disks.len()
        };
        let least = [Self::Kind, Self::Controller, Self::Unit]
            .into_iter()
            .find(tells);
        least.unwrap_or(Self::Disk)
    }

    /// Where a row ran.
    #[must_use]
    pub fn name(self, row: &Row) -> String {
        match self {
            Self::Kind => kinds(&row.controller),
            Self::Controller => row.controller.clone(),
            Self::Unit => units(&row.disk),
            Self::Disk => row.disk.clone(),
        }
    }

    /// Header of a column of names.
    #[must_use]
    pub const fn header(self) -> &'static str {
        match self {
            Self::Kind | Self::Controller => "controller",
            Self::Unit | Self::Disk => "disk",
        }
    }
}

/// The kind in a controller's id; of several at once each kind, and of how many.
#[must_use]
pub fn kinds(ids: &str) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for id in ids.split('+') {
        let kind = id.split_once('@').map_or(id, |(kind, _)| kind);
        match kinds.last_mut() {
            Some((last, count)) if *last == kind => *count += 1,
            _ => kinds.push((kind, 1)),
        }
    }
    let shown = kinds.into_iter().map(|(kind, count)| match count {
        1 => kind.to_owned(),
        count => format!("{count} {kind}"),
    });
    shown.collect::<Vec<_>>().join("+")
}

/// Disk ids without the PCI paths of their controllers: `pvscsi:0:0`.
fn units(ids: &str) -> String {
    let unit = |id: &str| match (id.split_once('@'), id.splitn(3, ':').nth(2)) {
        (Some((kind, _)), Some(unit)) => format!("{kind}:{unit}"),
        _ => id.to_owned(),
    };
    ids.split('+').map(unit).collect::<Vec<_>>().join("+")
}

#[cfg(test)]
mod tests {
    use super::super::sample::row;
    use super::*;

    fn named(names: &[&str]) -> Vec<Row> {
        let name = |name: &&str| {
            let mut row = row(0);
            row.job = (*name).into();
            row
        };
        names.iter().map(name).collect()
    }

    fn short(whole: &str, names: &[&str]) -> Vec<String> {
        let rows = named(names);
        let jobs = JobNames::of(&rows, whole);
        names
            .iter()
            .map(|name| jobs.short(name).to_owned())
            .collect()
    }

    #[test]
    fn what_all_jobs_begin_with_is_left_out() {
        assert_eq!(short("quick", &["quick-a", "quick-b"]), ["a", "b"]);
        assert_eq!(short("quick", &["quick-a", "other"]), ["quick-a", "other"]);
        assert_eq!(
            short("x", &["rand-read", "rand-write"]),
            ["rand-read", "rand-write"]
        );
        let sweep = ["mix/rwmixwrite=0", "mix/rwmixwrite=10"];
        assert_eq!(short("mix", &sweep), ["rwmixwrite=0", "rwmixwrite=10"]);
        assert_eq!(short("file", &sweep), ["rwmixwrite=0", "rwmixwrite=10"]);
        assert_eq!(short("a", &["a-prefill", "a"]), ["a-prefill", "a"]);
        assert_eq!(short("quick", &["quick-a"]), ["quick-a"], "the only one");
    }

    #[test]
    fn places_are_named_by_what_tells_them_apart() {
        let on = |disks: &[&str]| -> (Place, Vec<String>) {
            let at = |disk: &&str| {
                let mut row = row(0);
                row.disk = (*disk).into();
                row.controller = disk.split(':').take(2).collect::<Vec<_>>().join(":");
                row
            };
            let rows: Vec<Row> = disks.iter().map(at).collect();
            let place = Place::of(&rows);
            (place, rows.iter().map(|row| place.name(row)).collect())
        };
        let (place, names) = on(&["pvscsi@00:03.0:0:0", "nvme@00:04.0:1"]);
        assert_eq!(
            (place.header(), names),
            ("controller", vec!["pvscsi".into(), "nvme".into()])
        );
        let (place, _) = on(&["pvscsi@00:03.0:0:0", "pvscsi@00:04.0:0:0"]);
        assert_eq!(place, Place::Controller);
        let (place, names) = on(&["pvscsi@00:03.0:0:0", "pvscsi@00:03.0:1:0", "nvme@00:04.0:2"]);
        assert_eq!((place, place.header()), (Place::Unit, "disk"));
        assert_eq!(names, ["pvscsi:0:0", "pvscsi:1:0", "nvme:2"]);
        let (place, _) = on(&["nvme@00:03.0:1", "nvme@00:03.0:2", "nvme@00:04.0:1"]);
        assert_eq!((place, place.header()), (Place::Disk, "disk"));
    }

    #[test]
    fn several_adapters_at_once_are_counted_by_kind() {
        assert_eq!(kinds("pvscsi@00:03.0+pvscsi@00:04.0"), "2 pvscsi");
        assert_eq!(kinds("pvscsi@00:03.0+nvme@00:04.0"), "pvscsi+nvme");
    }
}
