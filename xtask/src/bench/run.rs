//! From flags to the report.

use super::figure::Figure;
use super::machine::Bench;
use super::peer::{self, Peer};
use super::report::{Report, SCHEMA};
use super::throughput::PEER_DEPTHS;
use super::{instructions, memory, native, sizes, start, throughput};
use crate::build;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::qemu::accel::{self, AccelChoice};
use crate::qemu::controllers::{self, Controller};
use crate::qemu::install;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchFormat {
    /// A table for people.
    Table,
    /// One JSON document.
    Json,
}

/// `cargo xtask bench`.
#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// The controller to measure
    #[arg(long, value_name = "KIND", default_value = "pvscsi")]
    pub controller: String,

    /// Interleaved pairs of runs; medians of fewer than 6 are not worth much
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    pub pairs: u32,

    /// Length of each run at each depth in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(100..=60_000))]
    pub runtime: u64,

    /// Compare with fio in a tiny Debian guest too; on Debian only, downloads its packages
    #[arg(long)]
    pub peer: bool,

    /// Only the comparisons of I/Os per second
    #[arg(long)]
    pub throughput_only: bool,

    /// Accelerator
    #[arg(long, value_enum, default_value_t = AccelChoice::Auto)]
    pub accel: AccelChoice,

    /// What is printed on stdout
    #[arg(long, value_enum, default_value_t = BenchFormat::Table)]
    pub format: BenchFormat,

    /// The QEMU to run [default: qemu-system-x86_64 in PATH]
    #[arg(long, value_name = "PATH")]
    pub qemu: Option<PathBuf>,

    /// Never install QEMU
    #[arg(long)]
    pub no_install: bool,
}

/// Measures everything and prints it.
///
/// # Errors
/// [`Failure`] if a run breaks; slowness is no failure.
pub fn run(
    args: &BenchArgs,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    // A folder with a short name: QMP's socket is in it.
    let folder = tempfile::Builder::new()
        .prefix("ioprobe-bench-")
        .tempdir_in("/tmp")
        .map_err(|error| Failure::io("a folder for the benchmark", &error))?;
    let kind = controllers::by_name(&args.controller)
        .filter(|kind| CEILINGS.contains(&kind.name))
        .ok_or_else(|| {
            Failure::Usage(format!(
                "--controller {}: there are ceiling loops for {}",
                args.controller,
                CEILINGS.join(", ")
            ))
        })?;
    let accel = accel::choose(args.accel)?;
    let bench = Bench {
        qemu: install::find(args.qemu.as_deref(), !args.no_install, console, interrupt)?,
        accel: accel.name,
        controller: Controller::nth(kind, 0),
        folder: folder.path().to_path_buf(),
        probe: build::build(false, console, interrupt)?,
        ceiling: build::build_ceiling(console, interrupt)?,
    };
    console.say(&format!(
        "QEMU {}, {} ({})",
        bench.qemu.version, accel.name, accel.reason
    ));
    let mut report = Report {
        schema: SCHEMA,
        qemu_version: bench.qemu.version.clone(),
        accel: bench.accel.to_owned(),
        controller: args.controller.clone(),
        pairs: args.pairs,
        host_cpus: std::thread::available_parallelism().map_or(1, usize::from),
        host_load: load_average(),
        figures: Vec::new(),
    };
    let measured = measure(args, &bench, &mut report.figures, console, interrupt);
    let text = match args.format {
        BenchFormat::Table => report.to_table(),
        BenchFormat::Json => report
            .to_json()
            .map_err(|error| Failure::Run(error.to_string()))?,
    };
    // What was measured before a run broke is worth showing.
    if !report.figures.is_empty() {
        console.result(&format!("{text}\n"));
    }
    measured
}

/// Controllers that have a ceiling loop.
const CEILINGS: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio-scsi"];

fn measure(
    args: &BenchArgs,
    bench: &Bench,
    figures: &mut Vec<Figure>,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    // Built first: a machine that still compiles is no machine to measure on.
    let linux = args
        .peer
        .then(|| peer::build(console, interrupt))
        .transpose()?;
    let linux = linux
        .map(|folder| {
            console.say("booting the Linux peer and choosing its ioengine");
            Peer::start(bench, &folder, &PEER_DEPTHS, interrupt)
        })
        .transpose()?;
    let pairs = args.pairs;
    figures.extend(throughput::measure(
        bench,
        pairs,
        args.runtime,
        linux,
        console,
        interrupt,
    )?);
    if args.throughput_only {
        return Ok(());
    }
    console.say("start, instructions, sizes, memory");
    figures.push(start::measure(bench, pairs, interrupt)?);
    if bench.accel == "tcg" {
        figures.extend(instructions::measure(bench, interrupt)?);
    }
    figures.extend(sizes::measure(bench)?);
    figures.push(memory::measure(bench, interrupt)?);
    figures.extend(native::measure(console, interrupt)?);
    Ok(())
}

/// The one-minute load average, where /proc tells it.
fn load_average() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().next()?.parse().ok()
}
