//! Tables of a made-up result, where every figure is known.

use super::sample::{direction, document, of_log, repeats, row};
use super::{csv, markdown, table};
use crate::result::Row;
use proto::result::{Depth, Direction, Run, RunStatus, StagesNs};

fn skipped() -> Row {
    let run = Run {
        status: RunStatus::Skipped,
        reason: Some("needs 96 MiB".into()),
        read: Direction::default(),
        depth: Depth {
            asked: 128,
            effective: f64::NAN,
            limit: 0,
        },
        checks: Vec::new(),
        ..row(1).run
    };
    Row { run, host: None }
}

fn mixed() -> Row {
    let mut run = row(2);
    run.params.rw = "randrw".into();
    run.params.bs_write = Some(8192);
    run.write = direction(10);
    run
}

/// The table itself, without what stands above and below it.
fn grid(rows: &[Row], width: usize) -> Vec<String> {
    let text = table(&document(rows.to_vec()), width);
    let mut parts = text.split("\n\n");
    let lines = parts.nth(1).unwrap_or_default().lines();
    lines.map(str::to_owned).collect()
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

fn on(controller: &str, mut row: Row) -> Row {
    row.controller = controller.into();
    row.disk = format!("{controller}:0:0");
    row
}

/// `quick` on two controllers: two depths, by polling and by interrupts.
fn quick() -> Vec<Row> {
    let mut rows = Vec::new();
    for (job, (wait, depth)) in [("poll", 1), ("poll", 32), ("irq", 1), ("irq", 32)]
        .iter()
        .enumerate()
    {
        for controller in ["virtio-scsi@00:03.0", "nvme@00:04.0"] {
            let mut row = on(controller, row(rows.len() as u32));
            row.job = format!("quick-{}", ["a", "b", "c", "d"][job]);
            row.params.wait = (*wait).into();
            row.params.irq = (*wait == "irq").then(|| "msix".into());
            row.depth.asked = *depth;
            row.cpu.busy_pct = if *wait == "irq" { 12.5 } else { 100.0 };
            rows.push(row);
        }
    }
    rows
}

#[test]
fn swept_queues_and_doorbells_are_columns_and_else_nothing() {
    let mut rows = Vec::new();
    for (at, (queues, most)) in [(1, 0), (2, 0), (1, 4), (2, 4)].into_iter().enumerate() {
        let mut row = row(at as u32);
        row.job = format!("rings/queues={queues}/doorbell_batch={most}");
        (row.params.queues, row.params.doorbell_batch) = (queues, most);
        rows.push(row);
    }
    let lines = grid(&rows, 200);
    assert!(
        lines[0].starts_with("row queues bell batch "),
        "{}",
        lines[0]
    );
    let cells: Vec<_> = lines[1..]
        .iter()
        .map(|line| words(line)[1..3].to_vec())
        .collect();
    assert_eq!(
        cells,
        [["1", "fill"], ["2", "fill"], ["1", "4"], ["2", "4"]]
    );
    let csv = csv(&document(rows));
    let ends: Vec<&str> = csv.lines().map(|line| &line[line.len() - 4..]).collect();
    assert_eq!(ends, ["atch", ",1,0", ",2,0", ",1,4", ",2,4"]);
    let plain = table(&document(vec![row(0), row(1)]), 200);
    assert!(
        !plain.contains("queues") && !plain.contains("bell batch"),
        "{plain}"
    );
}

#[test]
fn one_row_has_what_was_run_above_it_and_all_figures() {
    let text = table(&document(vec![row(0)]), 200);
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("quick on pvscsi, backend null; QEMU 7.2.22, "),
        "{text}"
    );
    assert!(
        text.contains("\nThe row: rw randread, bs 4k, depth 32, wait poll\n\n"),
        "{text}"
    );
    let grid = grid(&[row(0)], 200);
    assert_eq!(
        words(&grid[0]).join(" "),
        "row eff. IOPS MiB/s mean us p50 p99 p99.9 max us CPU % IOPS/CPU% cyc/IO host us/IO net \
         bells/IO err checks"
    );
    assert_eq!(
        words(&grid[1]),
        [
            "1", "31.9", "143.2k", "559.4", "223", "220", "400", "9877", "100.0", "1432", "8123",
            "10.2", "4.0", "0.062", "0", "ok"
        ]
    );
    assert!(
        text.contains("\nA percentile is blank where"),
        "p99.9 is: {text}"
    );
}

#[test]
fn what_is_the_same_in_all_rows_is_said_once() {
    let text = table(&document(quick()), 200);
    let said = "\nAll rows: rw randread, bs 4k, bells/IO 0.062, err 0, checks ok\n";
    assert!(text.contains(said), "{text}");
    let grid = grid(&quick(), 200);
    assert_eq!(
        words(&grid[0])[..7],
        ["row", "controller", "job", "depth", "wait", "eff.", "IOPS"]
    );
    assert_eq!(words(&grid[1])[..5], ["1", "virtio-scsi", "a", "1", "poll"]);
    assert_eq!(words(&grid[8])[..5], ["8", "nvme", "d", "32", "msix"]);
}

#[test]
fn at_80_columns_a_table_stays_a_table_and_says_what_it_leaves_out() {
    let text = table(&document(quick()), 80);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let said = text.replace("\n  ", " ");
    let grid = grid(&quick(), 80);
    assert_eq!(
        words(&grid[0]).join(" "),
        "row controller job depth wait IOPS MiB/s mean us p50 p99 CPU % IOPS/CPU%"
    );
    assert!(
        said.contains(
            "\nLeft out at 80 columns: net, cyc/IO, eff., host us/IO, max us, p99.9; --format csv \
             has all.\n"
        ) && !said.contains("A percentile is blank"),
        "{text}"
    );
    assert!(
        !table(&document(quick()), 200).contains("Left out"),
        "there is room"
    );
}

#[test]
fn at_40_columns_nothing_is_wider() {
    for rows in [
        vec![row(0)],
        quick(),
        repeats(),
        vec![row(0), skipped(), mixed()],
    ] {
        let text = table(&document(rows), 40);
        let wide = |line: &&str| line.chars().count() > 40 && line.trim().contains(' ');
        assert_eq!(text.lines().find(wide), None, "{text}");
        assert!(text.contains("IOPS"), "{text}");
    }
    let list = grid(&quick(), 30).join("\n");
    assert!(list.starts_with("row 1  controller virtio-scsi"), "{list}");
    assert!(
        list.contains("IOPS 143.2k") && list.contains("host us/IO 10.2"),
        "{list}"
    );
}

#[test]
fn what_does_not_exist_is_blank() {
    let all = document(vec![row(0), skipped()]);
    for text in [table(&all, 200), markdown(&all), csv(&all)] {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        assert!(text.contains("skipped"), "{text}");
    }
    let grid = grid(&[row(0), skipped()], 200);
    assert_eq!(words(&grid[2]), ["2", "128", "skipped"]);
    let below = table(&all, 200);
    assert!(
        below.contains("\nRow 2: skipped: needs 96 MiB\n"),
        "{below}"
    );
}

#[test]
fn a_mix_has_a_line_for_each_direction() {
    let grid = grid(&[mixed()], 200);
    assert_eq!(words(&grid[0])[..4], ["row", "rw", "bs", "eff."]);
    assert_eq!(words(&grid[1])[..4], ["3", "randrw", "r", "4k"]);
    assert_eq!(words(&grid[2])[..4], ["randrw", "w", "8k", "143.2k"]);
}

#[test]
fn repeats_are_one_line_with_their_spread() {
    let text = table(&document(repeats()), 200);
    assert!(
        text.contains("All rows: rw randread, bs 4k, depth 32, wait poll, n 3, "),
        "{text}"
    );
    let grid = grid(&repeats(), 200);
    assert_eq!(grid.len(), 3, "{text}");
    let head = words(&grid[0]).join(" ");
    assert!(
        head.starts_with("row job eff. IOPS IOPS min..max MiB/s mean us us min..max p50"),
        "{head}"
    );
    let line = words(&grid[1]).join(" ");
    assert!(
        line.starts_with("1,3.. a 31.9 3000 1000..5000 559.4 30.0 10.0..50.0 "),
        "{line}"
    );
    let line = words(&grid[2]).join(" ");
    assert!(
        line.starts_with("2,4.. b 31.9 4000 2000..6000 559.4 40.0 20.0..60.0 "),
        "{line}"
    );
    // Of the added histograms: 3000 in the bucket of 220000, 300 in that of 400000.
    assert!(line.contains(" 222 404 9877 "), "{line}");
    let mut failed = repeats();
    failed[0].status = RunStatus::Failed;
    let text = table(&document(failed), 200);
    assert!(
        text.lines()
            .any(|line| line.contains(" 2 ") && line.contains("3000..5000")),
        "{text}"
    );
}

#[test]
fn markdown_has_the_points_and_each_repeat() {
    let text = markdown(&document(repeats()));
    assert!(
        text.starts_with("quick on pvscsi, backend null; "),
        "{text}"
    );
    let heads: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(" row |"))
        .collect();
    assert_eq!(heads.len(), 2, "{text}");
    assert!(
        heads[0].contains("IOPS min..max") && heads[1].contains("| repeat"),
        "{text}"
    );
    let last = text
        .lines()
        .find(|line| line.starts_with("|   6 |"))
        .unwrap();
    assert_eq!(words(last)[1..6], ["6", "|", "3", "|", "b"]);
    assert!(
        text.contains("\n\n- A percentile is blank"),
        "a list: {text}"
    );
    assert!(text.contains("\n- Accelerator TCG: "), "{text}");
    assert!(!markdown(&document(vec![row(0)])).contains("repeat"));
}

#[test]
fn percentiles_that_were_asked_for_are_columns() {
    let mut asking = row(0);
    let list = [
        ("99.5", Some(7_000_000)),
        ("5", Some(1_500)),
        ("99.99", None),
    ];
    asking.read.percentiles = list.map(|(name, ns)| (name.to_owned(), ns)).into();
    let grid = grid(&[asking.clone()], 200);
    let head = words(&grid[0]).join(" ");
    assert!(head.contains("mean us p5 p99.5 p99.99 max us"), "{head}");
    assert!(
        words(&grid[1]).join(" ").contains(" 223 1.50 7000 9877 "),
        "{}",
        grid[1]
    );
    let all = document(vec![asking]);
    assert!(markdown(&all).contains("p99.5"));
    let text = csv(&all);
    assert_eq!(field(&text, "lat_p99_5_ns"), "7000000");
    assert_eq!(field(&text, "lat_p5_ns"), "1500");
    assert_eq!(text.matches("lat_p99_99_ns").count(), 1);
}

/// A field of the first line by its column.
fn field(csv: &str, name: &str) -> String {
    let (header, lines) = csv.split_once("\r\n").unwrap();
    let line = lines.lines().next().unwrap();
    let names: Vec<&str> = header.split(',').collect();
    let fields: Vec<&str> = line.split(',').collect();
    assert_eq!(names.len(), fields.len(), "{csv}");
    let at = names.iter().position(|known| *known == name);
    fields[at.unwrap_or_else(|| panic!("no {name}"))].to_owned()
}

#[test]
fn csv_has_raw_figures_without_exponents() {
    let mut row = row(4);
    row.repeat = 2;
    row.read.bytes = (1 << 53) + 1;
    row.read.bw_bytes = 1e17;
    row.stages_ns = Some(StagesNs {
        in_flight: 123.25,
        ..StagesNs::default()
    });
    let text = csv(&document(vec![row]));
    for (name, value) in [
        ("row", "5"),
        ("repeat", "3"),
        ("bytes", "9007199254740993"),
        ("bw_bytes", "100000000000000000"),
        ("iops", "143201.5"),
        ("lat_p99_9_ns", ""),
        ("checks", "commands ok"),
        ("wait", "poll"),
        ("irq", ""),
        ("host_net_cpu_us_per_io", "4"),
        ("stage_in_flight_ns", "123.25"),
        ("stage_build_ns", "0"),
        ("late_mean_ns", ""),
        ("preset", "quick"),
        ("accel", "tcg"),
        ("qemu_version", "7.2.22"),
        ("clock_source", "acpi-pm-timer"),
        ("started", "2025-03-04T05:06:07+05:45"),
    ] {
        assert_eq!(field(&text, name), value, "{name}");
    }
}

#[test]
fn controllers_and_stages_have_tables_of_their_own() {
    let mut rows = quick();
    for row in &mut rows {
        row.stages_ns = Some(StagesNs {
            doorbell: 3_000.0,
            in_flight: 220_400.0,
            ..StagesNs::default()
        });
    }
    let all = document(rows);
    let text = table(&all, 80);
    let parts: Vec<&str> = text.split("\n\n").collect();
    assert!(
        parts[2].starts_with("Stages of the mean latency in us, which add up to it:\nrow"),
        "{text}"
    );
    assert!(parts[2].contains("3.00    220.40 0.00  223.40"), "{text}");
    assert!(parts[3].starts_with("Side by side:\ndepth wait"), "{text}");
    assert!(
        parts[4].contains("With QEMU's virtio-scsi, nvme another thread does"),
        "{text}"
    );
    let md = markdown(&all);
    assert!(
        md.contains("| in_flight |") && md.contains("| virtio-scsi |"),
        "{md}"
    );
    let alone = table(&document(vec![row(0)]), 80);
    assert!(
        !alone.contains("Stages") && !alone.contains("Side by side"),
        "{alone}"
    );
}

#[test]
fn a_recorded_log_is_shown_in_every_format() {
    let all = of_log(include_bytes!("../../../tests/golden/good.log"));
    assert_eq!(all.rows.len(), 2);
    let text = table(&all, 80);
    let wide = |line: &&str| line.chars().count() > 80;
    assert_eq!(text.lines().find(wide), None, "{text}");
    let head = "quick on pvscsi, backend null; QEMU 7.2.22, accelerator tcg, hypervisor tcg,";
    assert!(text.starts_with(head), "{text}");
    let iops = all.rows[1].read.iops;
    let shown = super::count(iops);
    assert!(text.contains(&format!(" {shown} ")), "{text}");
    // Nobody looked at QEMU, so no check was made of either row.
    let unmade = "\nRows 1, 2: check commands not made: no `sync";
    let each = "\nRow 2: check commands not made: no `sync";
    assert!(text.contains(unmade) || text.contains(each), "{text}");
    let csv = csv(&all);
    assert_eq!(field(&csv, "iops"), all.rows[0].read.iops.to_string());
    assert_eq!(csv.lines().count(), 3);
    for text in [text, markdown(&all), csv] {
        assert!(!text.contains('\x1b') && !text.contains("NaN"), "{text}");
    }
}

#[test]
fn a_result_without_rows_is_no_reason_to_fall() {
    let none = document(Vec::new());
    for text in [table(&none, 80), markdown(&none)] {
        assert!(text.starts_with("quick on no controller, "), "{text}");
        assert!(text.contains("\n\nNo row was run.\n\n"), "{text}");
    }
    assert_eq!(csv(&none).lines().count(), 1);
}
