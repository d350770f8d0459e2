//! The Linux peer: a tiny Debian guest with fio on the same virtual devices.

use super::guest::LineGuest;
use super::lines::{self, Point};
use super::machine::Bench;
use crate::backend::null_blockdev;
use crate::build::{target_dir, workspace_root};
use crate::child;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::qemu::command::{CommandLine, escape};
use crate::qemu::cpu;
use crate::qemu::qmp::Qmp;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Memory for kernel, initramfs and fio in MiB.
const MEMORY_MIB: u32 = 512;

/// Longest silence while Linux boots, and while fio runs beyond its runtime.
const PATIENCE: Duration = Duration::from_secs(120);

/// fio's ioengines that can keep more than one command in flight.
const ENGINES: [&str; 2] = ["libaio", "io_uring"];

/// Builds kernel and initramfs; packages are kept from one call to the next.
///
/// # Errors
/// [`Failure::Environment`] anywhere but on Debian.
pub fn build(console: &mut Console<'_>, interrupt: &Interrupt) -> Result<PathBuf, Failure> {
    let folder = target_dir().join("peer");
    console.say("building the Linux peer (downloads Debian packages, installs nothing)");
    let script = workspace_root().join("tests/peer/build.sh");
    let mut child = Command::new("bash")
        .arg(&script)
        .arg(&folder)
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .spawn()
        .map_err(|error| Failure::io(script.display(), &error))?;
    let status = child::wait(&mut child, "building the Linux peer", interrupt)?;
    if !status.success() {
        return Err(Failure::Environment(format!(
            "{} failed ({status})",
            script.display()
        )));
    }
    Ok(folder)
}

/// What fio measured at one depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerPoint {
    /// I/Os and time.
    pub point: Point,
    /// Processor time of all QEMU threads per I/O in us.
    pub cpu_us_per_io: f64,
}

/// A booted peer, stopped while it has nothing to do.
pub struct Peer<'a> {
    guest: LineGuest<'a>,
    qmp: Qmp,
    engines: BTreeMap<u32, &'static str>,
    /// Versions of Linux and fio.
    pub version: String,
}

impl<'a> Peer<'a> {
    /// Boots it and finds the faster ioengine for each depth.
    ///
    /// # Errors
    /// [`Failure::Guest`] if Linux or fio fails.
    pub fn start(
        bench: &Bench,
        folder: &Path,
        depths: &[u32],
        interrupt: &'a Interrupt,
    ) -> Result<Self, Failure> {
        let socket = bench.folder.join("peer-qmp");
        let line = command_line(bench, folder, &socket);
        let mut guest = LineGuest::start("the Linux peer", &line, interrupt)?;
        let version = guest.wait_for(PATIENCE, |line| {
            line.strip_prefix("@peer ready ").map(str::to_owned)
        })?;
        let mut peer = Self {
            guest,
            qmp: Qmp::connect(&socket).map_err(Failure::Environment)?,
            engines: BTreeMap::new(),
            version,
        };
        for &depth in depths {
            let mut best = (0.0, ENGINES[0]);
            for engine in ENGINES {
                let iops = peer.run(depth, engine, 1)?.point.iops();
                if iops > best.0 {
                    best = (iops, engine);
                }
            }
            peer.engines.insert(depth, best.1);
        }
        peer.qmp("stop")?;
        Ok(peer)
    }

    /// The ioengine used at a depth.
    #[must_use]
    pub fn engine(&self, depth: u32) -> &'static str {
        self.engines.get(&depth).copied().unwrap_or(ENGINES[0])
    }

    /// Runs one point of 4k random reads for whole seconds.
    ///
    /// # Errors
    /// [`Failure::Guest`] if fio fails.
    pub fn point(&mut self, depth: u32, seconds: u32) -> Result<PeerPoint, Failure> {
        self.qmp("cont")?;
        let point = self.run(depth, self.engine(depth), seconds)?;
        self.qmp("stop")?;
        Ok(point)
    }

    fn qmp(&mut self, command: &str) -> Result<(), Failure> {
        self.qmp.execute(command).map(drop).map_err(Failure::Guest)
    }

    fn run(&mut self, depth: u32, engine: &str, seconds: u32) -> Result<PeerPoint, Failure> {
        let limit = PATIENCE + Duration::from_secs(seconds.into());
        let id = self.guest.id();
        self.guest
            .write(&format!("point {depth} {engine} {seconds}\n"));
        // fio's own start takes long under TCG: the guest tells the edges of its measuring.
        self.expect(limit, "@peer begin")?;
        let before = cpu::sample(id);
        self.expect(limit, "@peer end")?;
        let after = cpu::sample(id);
        let line = self.expect(limit, "@peer point ")?;
        let point = lines::peer(&line)
            .filter(|point| point.ios > 0)
            .ok_or_else(|| self.guest.failure("gave a line that makes no sense"))?;
        let (vcpu_s, other_s) = cpu::used(&before, &after)
            .ok_or_else(|| Failure::Environment("/proc tells no processor times".into()))?;
        Ok(PeerPoint {
            point,
            cpu_us_per_io: (vcpu_s + other_s) * 1e6 / point.ios as f64,
        })
    }

    fn expect(&mut self, limit: Duration, start: &str) -> Result<String, Failure> {
        let answer = self.guest.wait_for(limit, |line| {
            (line.starts_with(start) || line.starts_with("@peer error")).then(|| line.to_owned())
        })?;
        if answer.starts_with(start) {
            return Ok(answer);
        }
        Err(self.guest.failure("could not measure"))
    }
}

/// The same processor, controller and disk as the probe's machine has.
fn command_line(bench: &Bench, folder: &Path, socket: &Path) -> CommandLine {
    let kind = bench.controller.kind.name;
    let append = format!(
        "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable clocksource=tsc \
         peer.controller={kind}"
    );
    let in_folder = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let console = escape(&bench.folder.join("peer-console.log").to_string_lossy());
    let socket = escape(&socket.to_string_lossy());
    let mut disk = bench.controller.disk_device(0, "node0", &[]);
    if kind == "lsisas" {
        // Linux's mptsas takes no disk without an address of its own.
        disk.push_str(",wwn=0x5000c50015ea71ac");
    }
    let args = [
        "-name",
        "peer,debug-threads=on",
        "-machine",
        "q35",
        "-accel",
        bench.accel,
        "-cpu",
        "max",
        "-nodefaults",
        "-no-user-config",
        "-no-reboot",
        "-display",
        "none",
        "-m",
        &MEMORY_MIB.to_string(),
        "-smp",
        "1",
        "-kernel",
        &in_folder("vmlinuz"),
        "-initrd",
        &in_folder("initramfs.cpio"),
        "-append",
        &append,
        "-serial",
        &format!("file:{console}"),
        "-chardev",
        "stdio,id=serial1,signal=off",
        "-serial",
        "chardev:serial1",
        "-qmp",
        &format!("unix:{socket},server=on,wait=off"),
        "-blockdev",
        &null_blockdev("node0", 0),
        "-device",
        &bench.controller.device(&[], 1),
        "-device",
        &disk,
    ]
    .map(Into::into);
    CommandLine {
        program: bench.qemu.path.clone(),
        args: args.to_vec(),
    }
}
