//! I/Os per second: the probe against the ceiling loop and, on request, Linux.
//!
//! The runs are interleaved, one of each per pair, so that what disturbs the
//! machine for longer than a run disturbs all alike; ratios are taken within a pair.

use super::figure::{Figure, Target};
use super::guest::LineGuest;
use super::lines::{self, Point};
use super::machine::{Bench, MEMORY_MIB, Start};
use super::peer::{Peer, PeerPoint};
use super::probe;
use super::spread::Spread;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::qemu::command::escape;
use crate::serial::Limits;
use proto::exit::GuestExit;
use std::time::Duration;

/// Depths at which probe and ceiling loop are compared.
const DEPTHS: [u32; 3] = [1, 32, 128];

/// Depths at which Linux is compared too.
pub const PEER_DEPTHS: [u32; 2] = [1, 32];

/// The depth at which processor time is compared.
const CPU_DEPTH: u32 = 32;

/// Longest silence of the ceiling loop beyond its runtime.
const PATIENCE: Duration = Duration::from_secs(60);

/// Samples of one depth, one per pair.
#[derive(Default)]
struct Series {
    /// Commands that ceiling loop and probe had in flight.
    in_flight: [u32; 2],
    ceiling: Vec<f64>,
    ceiling_doorbells: Vec<f64>,
    probe: Vec<f64>,
    probe_doorbells: Vec<f64>,
    probe_cpu_us: Vec<f64>,
    peer: Vec<f64>,
    peer_cpu_us: Vec<f64>,
}

/// Measures `pairs` pairs of `runtime_ms` per depth; with `peer`, Linux as well.
///
/// # Errors
/// [`Failure`] if a run breaks.
pub fn measure(
    bench: &Bench,
    pairs: u32,
    runtime_ms: u64,
    mut peer: Option<Peer<'_>>,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Vec<Figure>, Failure> {
    let mut series: [Series; DEPTHS.len()] = Default::default();
    for pair in 1..=pairs {
        console.say(&format!("pair {pair} of {pairs}"));
        let ceiling = run_ceiling(bench, runtime_ms, interrupt)?;
        let probe = run_probe(bench, runtime_ms, interrupt)?;
        let linux = peer
            .as_mut()
            .map(|peer| run_peer(peer, runtime_ms))
            .transpose()?
            .unwrap_or_default();
        for ((series, ceiling), probe) in series.iter_mut().zip(ceiling).zip(probe) {
            series.in_flight = [ceiling.in_flight, probe.in_flight];
            series.ceiling.push(ceiling.iops());
            let doorbells = ceiling.doorbells as f64 / ceiling.ios as f64;
            series.ceiling_doorbells.push(doorbells);
            series.probe.push(probe.iops);
            series.probe_doorbells.push(probe.doorbells_per_io);
            series.probe_cpu_us.extend(probe.cpu_us_per_io);
        }
        for (series, point) in series.iter_mut().zip(linux) {
            series.peer.push(point.point.iops());
            series.peer_cpu_us.push(point.cpu_us_per_io);
        }
    }
    let named = DEPTHS.iter().zip(&series);
    let mut figures: Vec<Figure> = named.flat_map(|(&depth, s)| of_depth(depth, s)).collect();
    if let Some(peer) = &peer {
        for figure in &mut figures {
            if figure.name.contains("Linux") {
                note_peer(figure, peer);
            }
        }
    }
    Ok(figures)
}

fn note_peer(figure: &mut Figure, peer: &Peer<'_>) {
    let depth = DEPTHS
        .into_iter()
        .find(|depth| figure.name.ends_with(&format!("depth {depth}")));
    figure.note = format!(
        "fio {}, {}",
        depth.map_or("", |depth| peer.engine(depth)),
        peer.version
    );
}

fn run_ceiling(
    bench: &Bench,
    runtime_ms: u64,
    interrupt: &Interrupt,
) -> Result<Vec<Point>, Failure> {
    let depths = DEPTHS.map(|depth| depth.to_string()).join(",");
    let plan = escape(&format!("depths={depths} runtime_ms={runtime_ms}"));
    let extra = [
        "-fw_cfg".into(),
        format!("name=opt/ioprobe/ceiling,string={plan}"),
    ];
    let job = bench.job_file("")?;
    let line = bench.command_line(&Start {
        image: &bench.ceiling.pvh,
        job: &job,
        memory_mib: MEMORY_MIB,
        extra: &extra,
    });
    let mut guest = LineGuest::start("the ceiling loop", &line, interrupt)?;
    let limit = PATIENCE + Duration::from_millis(runtime_ms);
    let mut points = Vec::new();
    while let Some(line) = guest.next_line(limit)? {
        if let Some((kind, point)) = lines::ceiling(&line)
            && kind == bench.controller.kind.name
        {
            points.push(point);
        }
    }
    let broken = guest.failure("failed");
    let status = guest.finish().and_then(|status| status.code());
    if status.and_then(GuestExit::from_qemu_status) != Some(GuestExit::Pass) {
        return Err(broken);
    }
    lines::in_order(&points, &DEPTHS, "the ceiling loop")
}

/// What the probe measured at one depth.
struct ProbePoint {
    /// Commands in flight: fewer than asked for where the controller takes no more.
    in_flight: u32,
    iops: f64,
    doorbells_per_io: f64,
    /// Processor time of all QEMU threads per I/O in us, where /proc tells it.
    cpu_us_per_io: Option<f64>,
}

fn run_probe(
    bench: &Bench,
    runtime_ms: u64,
    interrupt: &Interrupt,
) -> Result<Vec<ProbePoint>, Failure> {
    let mut text =
        format!("[global]\nrw=randread\nbs=4k\ntime_based\nruntime={runtime_ms}ms\nstonewall\n");
    for depth in DEPTHS {
        text.push_str(&format!("[depth-{depth}]\niodepth={depth}\n"));
    }
    let job = bench.job_file(&text)?;
    let start = Start {
        image: &bench.probe.pvh,
        job: &job,
        memory_mib: MEMORY_MIB,
        extra: &[],
    };
    let rows = probe::run(bench, &start, &Limits::default(), interrupt)?.rows;
    if rows.iter().map(|(run, _)| run.params.iodepth).ne(DEPTHS) {
        return Err(Failure::Guest("the probe ran other rows than asked".into()));
    }
    let points = rows.into_iter().map(|(run, host)| ProbePoint {
        in_flight: run.params.iodepth.min(run.depth.limit),
        iops: run.read.iops,
        doorbells_per_io: run.per_io.doorbells,
        cpu_us_per_io: host.and_then(|host| host.cpu_us_per_io),
    });
    Ok(points.collect())
}

fn run_peer(peer: &mut Peer<'_>, runtime_ms: u64) -> Result<Vec<PeerPoint>, Failure> {
    let seconds = u32::try_from(runtime_ms.div_ceil(1000)).unwrap_or(u32::MAX);
    let points = PEER_DEPTHS.iter().map(|&depth| peer.point(depth, seconds));
    points.collect()
}

fn of_depth(depth: u32, series: &Series) -> Vec<Figure> {
    let at = format!("depth {depth}");
    let mut figures = Vec::new();
    let mut add = |figure: Option<Figure>| figures.extend(figure);
    let plain = |name: &str, unit, samples: &[f64]| {
        let spread = Spread::of(samples.to_vec())?;
        Some(Figure::plain(format!("{name}, {at}"), unit, spread))
    };
    add(plain("ceiling loop", "IOPS", &series.ceiling));
    add(plain(
        "  doorbells per I/O, ceiling loop",
        "",
        &series.ceiling_doorbells,
    ));
    add(plain("probe", "IOPS", &series.probe));
    add(plain(
        "  doorbells per I/O, probe",
        "",
        &series.probe_doorbells,
    ));
    add(ratio(
        format!("probe / ceiling, {at}"),
        &series.probe,
        &series.ceiling,
    )
    .map(|figure| figure.against(Target::at_least(0.85, 0.97)))
    .map(|figure| figure.noting(fewer_in_flight(depth, series.in_flight))));
    if depth == CPU_DEPTH {
        add(plain("host CPU per I/O, probe", "us", &series.probe_cpu_us));
    }
    add(plain("Linux", "IOPS", &series.peer));
    let target = if depth == 1 {
        Target::at_least(1.5, 5.0)
    } else {
        Target::at_least(6.0, 15.0)
    };
    add(
        ratio(format!("probe / Linux, {at}"), &series.probe, &series.peer)
            .map(|figure| figure.against(target)),
    );
    if depth == CPU_DEPTH {
        add(plain("host CPU per I/O, Linux", "us", &series.peer_cpu_us));
        let name = format!("host CPU per I/O, Linux / probe, {at}");
        add(ratio(name, &series.peer_cpu_us, &series.probe_cpu_us)
            .map(|figure| figure.against(Target::at_least(4.0, 10.0))));
    }
    figures
}

/// What a controller leaves of a depth, if it leaves less.
fn fewer_in_flight(depth: u32, in_flight: [u32; 2]) -> String {
    let [ceiling, probe] = in_flight;
    if ceiling == depth && probe == depth {
        String::new()
    } else {
        format!("in flight: ceiling loop {ceiling}, probe {probe}")
    }
}

fn ratio(name: String, above: &[f64], below: &[f64]) -> Option<Figure> {
    let spread = Spread::of_ratios(above, below)?;
    Some(Figure::plain(name, "", spread))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(figures: &[Figure]) -> Vec<&str> {
        figures.iter().map(|figure| figure.name.as_str()).collect()
    }

    #[test]
    fn without_a_peer_nothing_is_said_of_linux() {
        let series = Series {
            in_flight: [1, 1],
            ceiling: vec![100.0, 200.0],
            probe: vec![90.0, 190.0],
            ..Series::default()
        };
        let figures = of_depth(1, &series);
        assert_eq!(
            names(&figures),
            [
                "ceiling loop, depth 1",
                "probe, depth 1",
                "probe / ceiling, depth 1"
            ]
        );
        assert_eq!(figures[2].value.samples, [0.9, 0.95]);
        assert_eq!(figures[2].verdict, "reaches the floor");
        assert_eq!(figures[2].note, "");
    }

    #[test]
    fn fewer_in_flight_than_asked_for_is_noted() {
        let series = Series {
            in_flight: [127, 126],
            ceiling: vec![100.0],
            probe: vec![90.0],
            ..Series::default()
        };
        let figures = of_depth(128, &series);
        let note = "in flight: ceiling loop 127, probe 126";
        assert_eq!(figures[2].note, note);
    }

    #[test]
    fn processor_time_is_compared_the_other_way_round() {
        let series = Series {
            ceiling: vec![100.0],
            probe: vec![90.0],
            probe_cpu_us: vec![10.0],
            peer: vec![10.0],
            peer_cpu_us: vec![80.0],
            ..Series::default()
        };
        let figures = of_depth(32, &series);
        let last = figures.last().unwrap();
        assert_eq!(last.name, "host CPU per I/O, Linux / probe, depth 32");
        assert_eq!(
            (last.value.median, last.verdict),
            (8.0, "reaches the floor")
        );
        let iops = figures
            .iter()
            .find(|f| f.name == "probe / Linux, depth 32")
            .unwrap();
        assert_eq!(
            (iops.value.median, iops.verdict),
            (9.0, "reaches the floor")
        );
    }
}
