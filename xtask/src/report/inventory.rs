//! What `identify` shows: the machine, its controllers, their registers, the disks.

use super::sheet::{Column, KEPT, Sheet, in_parts, wrap};
use super::{kinds, size};
use proto::result::{ControllerInfo, DiskInfo, GuestInfo, IgnoredInfo};

/// What a guest found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// The machine.
    pub guest: Option<GuestInfo>,
    /// Controllers.
    pub controllers: Vec<ControllerInfo>,
    /// Disks.
    pub disks: Vec<DiskInfo>,
    /// What answered and is left alone.
    pub ignored: Vec<IgnoredInfo>,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl Inventory {
    /// For a terminal of this many columns.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let sentences = width.min(100);
        let mut parts = Vec::new();
        if let Some(guest) = &self.guest {
            let lines = machine(guest);
            let lines = lines.iter().map(|line| wrap(line, sentences) + "\n");
            parts.push(lines.collect());
        }
        if !self.controllers.is_empty() {
            parts.push(self.controllers(width));
            parts.push(bars(&self.controllers).fitted(width).0);
        }
        if !self.disks.is_empty() {
            parts.push(disks(&self.disks, width, sentences));
        }
        if !self.ignored.is_empty() {
            let cells = |cell: fn(&IgnoredInfo) -> &String| self.ignored.iter().map(cell).cloned();
            let ignored = Sheet {
                columns: vec![
                    words("left alone", cells(|one| &one.id)),
                    words("why", cells(|one| &one.reason)),
                ],
            };
            parts.push(ignored.fitted(width).0);
        }
        let notes = self.notes.iter();
        parts.extend(notes.map(|note| wrap(note, sentences) + "\n"));
        parts.join("\n")
    }

    /// A column for each controller, a line for each thing that is known of any; where
    /// there is no room for all columns, several tables.
    fn controllers(&self, width: usize) -> String {
        let all = in_parts(&self.controllers, properties, width);
        let texts: Vec<String> = all.iter().map(Sheet::grid).collect();
        texts.join("\n")
    }
}

fn words(name: &str, cells: impl Iterator<Item = String>) -> Column {
    column(name, false, KEPT, cells)
}

fn column(name: &str, right: bool, worth: u8, cells: impl Iterator<Item = String>) -> Column {
    Column {
        name: name.to_owned(),
        right,
        worth,
        cells: cells.collect(),
    }
}

fn machine(guest: &GuestInfo) -> [String; 3] {
    let GuestInfo {
        hypervisor,
        boot,
        job_source,
        tsc_khz,
        tsc_source,
        timer_cost_cycles,
        empty_loop_cycles,
        cpus,
        memory_mib,
        boot_ns,
        ..
    } = guest;
    let checked = match (&guest.tsc_cross_check, guest.tsc_spread_ppm) {
        (Some(other), Some(ppm)) => format!(", {other} differs by {ppm} ppm"),
        _ => ", with nothing to check it against".to_owned(),
    };
    [
        format!(
            "machine: hypervisor {hypervisor}, booted by {boot} in {:.1} ms, {cpus} CPU, \
             {memory_mib} MiB, job from {job_source}",
            *boot_ns as f64 / 1e6
        ),
        format!(
            "clock: TSC at {}.{:03} MHz from {tsc_source}{checked}",
            tsc_khz / 1000,
            tsc_khz % 1000
        ),
        format!(
            "cost: {timer_cost_cycles} cycles to read the clock, {empty_loop_cycles} for a turn of an \
             empty loop"
        ),
    ]
}

fn properties(controllers: &[ControllerInfo]) -> Sheet {
    let mut names: Vec<&String> = controllers
        .iter()
        .flat_map(|one| one.limits.keys())
        .collect();
    names.sort();
    names.dedup();
    let head = ["PCI path", "PCI id", "interrupts"].map(String::from);
    let limits = names.iter().map(|name| name.replace('_', " "));
    let mut columns = vec![words("controller", head.into_iter().chain(limits))];
    for one in controllers {
        let head = [
            one.pci.clone(),
            one.pci_id.clone(),
            one.interrupts.join(" "),
        ];
        let limits = names.iter().map(|name| {
            let value = one.limits.get(*name);
            value.map(|value| limit(name, *value)).unwrap_or_default()
        });
        let cells = head.into_iter().chain(limits);
        columns.push(column(&kinds(&one.id), true, KEPT, cells));
    }
    Sheet { columns }
}

/// A limit as it reads best: sizes with their unit, yes and no of what is a question.
fn limit(name: &str, value: u64) -> String {
    let question = matches!(name, "doorbell_per_request" | "polls_by_register");
    match value {
        0 if question => "no".into(),
        0 if name == "ring_pages" => String::new(),
        1 if question => "yes".into(),
        value if name.ends_with("_bytes") => size(value),
        value => value.to_string(),
    }
}

fn bars(controllers: &[ControllerInfo]) -> Sheet {
    let all: Vec<_> = controllers
        .iter()
        .flat_map(|one| one.bars.iter().map(move |bar| (one, bar)))
        .collect();
    Sheet {
        columns: vec![
            words("registers of", all.iter().map(|(one, _)| one.id.clone())),
            column(
                "BAR",
                true,
                KEPT,
                all.iter().map(|(_, bar)| bar.index.to_string()),
            ),
            words("space", all.iter().map(|(_, bar)| bar.space.clone())),
            column(
                "address",
                true,
                KEPT,
                all.iter().map(|(_, bar)| format!("{:#x}", bar.address)),
            ),
            column(
                "size",
                true,
                KEPT,
                all.iter().map(|(_, bar)| size(bar.size_bytes)),
            ),
            words(
                "prefetchable",
                all.iter().map(|(_, bar)| yes(bar.prefetchable)),
            ),
        ],
    }
}

fn yes(value: bool) -> String {
    if value { "yes" } else { "no" }.to_owned()
}

fn disks(disks: &[DiskInfo], width: usize, sentences: usize) -> String {
    let text = |name, worth, cell: fn(&DiskInfo) -> String| {
        column(name, false, worth, disks.iter().map(cell))
    };
    let figure = |name, worth, cell: fn(&DiskInfo) -> String| {
        column(name, true, worth, disks.iter().map(cell))
    };
    let mut sheet = Sheet {
        columns: vec![
            text("disk", KEPT, |disk| disk.id.clone()),
            text("in vSphere", 5, |disk| disk.name_in_vsphere.clone()),
            figure("size", KEPT, |disk| {
                size(disk.blocks.saturating_mul(u64::from(disk.block_size)))
            }),
            figure("blocks", 2, |disk| disk.blocks.to_string()),
            figure("block", 6, |disk| disk.block_size.to_string()),
            text("vendor", 1, |disk| disk.vendor.clone()),
            text("model", 4, |disk| disk.model.clone()),
            text("serial", 7, |disk| disk.serial.clone()),
            text("wwid", 3, |disk| disk.wwid.clone()),
            text("read-only", 8, |disk| yes(disk.read_only)),
            text("may be written", 9, |disk| {
                format!("{} ({})", yes(disk.write_allowed), disk.write_reason)
            }),
        ],
    };
    // What no disk has needs no column.
    sheet
        .columns
        .retain(|column| column.cells.iter().any(|cell| !cell.is_empty()));
    let (grid, left_out) = sheet.fitted(width);
    if left_out.is_empty() {
        return grid;
    }
    let names = left_out.join(", ");
    let said = format!("Left out at {width} columns: {names}; result.json of the run has all.");
    format!("{grid}{}\n", wrap(&said, sentences))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::result::BarInfo;

    fn controller(kind: &str, slot: u8, limits: &[(&str, u64)]) -> ControllerInfo {
        ControllerInfo {
            id: format!("{kind}@00:{slot:02x}.0"),
            kind: kind.into(),
            pci: format!("00:{slot:02x}.0"),
            pci_id: "15ad:07c0".into(),
            interrupts: vec!["msix".into(), "intx".into()],
            limits: limits
                .iter()
                .map(|(name, value)| ((*name).to_owned(), *value))
                .collect(),
            bars: vec![BarInfo {
                index: 0,
                space: "memory64".into(),
                prefetchable: false,
                address: 0xfebf_0000,
                size_bytes: 32768,
            }],
        }
    }

    fn inventory() -> Inventory {
        Inventory {
            guest: Some(GuestInfo {
                hypervisor: "tcg".into(),
                boot: "pvh".into(),
                job_source: "fw_cfg".into(),
                tsc_khz: 2_596_032,
                tsc_source: "acpi-pm-timer".into(),
                tsc_spread_ppm: Some(3),
                tsc_cross_check: Some("pit".into()),
                timer_cost_cycles: 26,
                empty_loop_cycles: 8,
                cpus: 1,
                memory_mib: 13,
                boot_ns: 147_824_024,
            }),
            controllers: vec![
                controller(
                    "pvscsi",
                    3,
                    &[("ring_pages", 32), ("max_transfer_bytes", 16 << 20)],
                ),
                controller(
                    "nvme",
                    4,
                    &[
                        ("queue_entries", 1024),
                        ("polls_by_register", 0),
                        ("ring_pages", 0),
                    ],
                ),
            ],
            disks: vec![DiskInfo {
                id: "pvscsi@00:03.0:0:0".into(),
                name_in_vsphere: "SCSI 0:0".into(),
                controller: "pvscsi@00:03.0".into(),
                serial: String::new(),
                wwid: String::new(),
                vendor: "QEMU".into(),
                model: "QEMU HARDDISK".into(),
                blocks: 419_430_400,
                block_size: 512,
                read_only: false,
                write_allowed: false,
                write_reason: "not looked at: no job writes to it".into(),
                holds: None,
            }],
            ignored: vec![IgnoredInfo {
                id: "pvscsi@00:03.0:1:0".into(),
                reason: "CD-ROM".into(),
            }],
            notes: vec!["a note".into()],
        }
    }

    #[test]
    fn controllers_stand_beside_each_other() {
        let text = inventory().text(200);
        let parts: Vec<&str> = text.split("\n\n").collect();
        let machine = "machine: hypervisor tcg, booted by pvh in 147.8 ms, 1 CPU, 13 MiB, job from fw_cfg\n\
                       clock: TSC at 2596.032 MHz from acpi-pm-timer, pit differs by 3 ppm\n";
        assert!(parts[0].starts_with(machine), "{text}");
        let expected = "\
controller            pvscsi      nvme
PCI path             00:03.0   00:04.0
PCI id             15ad:07c0 15ad:07c0
interrupts         msix intx msix intx
max transfer bytes       16m
polls by register                   no
queue entries                     1024
ring pages                32";
        assert_eq!(parts[1], expected);
        assert!(
            parts[2].contains("pvscsi@00:03.0   0 memory64 0xfebf0000  32k no"),
            "{text}"
        );
        let disk = "pvscsi@00:03.0:0:0 SCSI 0:0   200g 419430400   512 QEMU   QEMU HARDDISK no        no (not";
        assert!(
            parts[3].contains(disk) && !parts[3].contains("serial"),
            "{text}"
        );
        assert!(parts[4].contains("CD-ROM"), "{text}");
        assert!(text.ends_with("\na note\n"), "{text}");
    }

    #[test]
    fn on_a_narrow_terminal_nothing_is_cut_unsaid() {
        let text = inventory().text(60);
        let wide = |line: &&str| line.chars().count() > 60;
        assert_eq!(text.lines().find(wide), None, "{text}");
        assert!(
            text.contains("Left out at 60 columns: vendor, blocks, model"),
            "{text}"
        );
        let text = inventory().text(30);
        assert_eq!(text.matches("PCI path").count(), 2, "{text}");
    }
}
