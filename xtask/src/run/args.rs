//! The flags of `run`.

use crate::backend::Backend;
use crate::qemu::accel::AccelChoice;
use crate::qemu::device_option::DeviceOption;
use crate::qemu::firmware::Firmware;
use crate::report::Format;
use clap::Args;
use std::path::PathBuf;

/// Flags that say which machine is booted.
#[derive(Clone, Debug, Args)]
pub struct MachineArgs {
    /// Controllers to measure: pvscsi, lsisas, nvme, virtio-scsi, or all; several with commas
    #[arg(
        long,
        value_name = "KIND,..",
        value_delimiter = ',',
        default_value = "pvscsi"
    )]
    pub controller: Vec<String>,

    /// What lies behind the disks: null, null:latency=TIME, file:SIZE, or the path of a raw image
    /// or block device
    #[arg(long, value_name = "BACKEND", default_value = "null")]
    pub backend: Backend,

    /// Adapters of each kind; without it, as many as the job runs on at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub adapters: Option<u32>,

    /// Disks on each controller
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub disks: u32,

    /// Virtual processors
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=255))]
    pub smp: u32,

    /// Guest memory in MiB; without it, what the job needs
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(8..))]
    pub memory: Option<u32>,

    /// Accelerator: auto takes KVM only where the processor offers hardware virtualisation
    #[arg(long, value_enum, default_value_t = AccelChoice::Auto)]
    pub accel: AccelChoice,

    /// What starts the guest
    #[arg(long, value_enum, default_value_t = Firmware::Pvh)]
    pub firmware: Firmware,

    /// OVMF's code for --firmware uefi [default: where the distribution puts it]
    #[arg(long, value_name = "FILE", requires = "ovmf_vars")]
    pub ovmf_code: Option<PathBuf>,

    /// The variables that OVMF starts with; a copy of the file is used
    #[arg(long, value_name = "FILE", requires = "ovmf_code")]
    pub ovmf_vars: Option<PathBuf>,

    /// Allow writes to the disk of this name, and attach its path writable; a disk that holds
    /// something wants the name of what it holds too
    #[arg(long, value_name = "DISK[:SIGNATURE]")]
    pub allow_write: Vec<String>,

    /// Folder for what the run leaves [default: a new one below target/ioprobe]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// End the guest after so many seconds
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,

    /// The QEMU to run [default: qemu-system-x86_64 in PATH]
    #[arg(long, value_name = "PATH")]
    pub qemu: Option<PathBuf>,

    /// A property for each controller that is attached, for those of one KIND, or for each disk;
    /// may be given again
    #[arg(long, value_name = "[KIND.|disk.]KEY=VALUE")]
    pub device_opt: Vec<DeviceOption>,

    /// A further argument for QEMU; may be given again
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub qemu_arg: Vec<String>,

    /// Never install QEMU
    #[arg(long)]
    pub no_install: bool,

    /// Show what would be run, and stop
    #[arg(long)]
    pub dry_run: bool,

    /// Boot a guest that makes this fault, for tests
    #[arg(long, value_name = "FAULT", hide = true)]
    pub inject: Option<String>,
}

/// `cargo xtask run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// The machine.
    #[command(flatten)]
    pub machine: MachineArgs,

    /// A job file in fio's format
    #[arg(long, value_name = "FILE", group = "source")]
    pub job: Option<PathBuf>,

    /// A job that ioprobe brings along [default: quick]
    #[arg(long, value_name = "NAME", group = "source")]
    pub profile: Option<String>,

    /// A fio command line, such as "--name=x --rw=randread --bs=4k --iodepth=32"
    #[arg(
        long,
        value_name = "ARGS",
        group = "source",
        allow_hyphen_values = true
    )]
    pub fio: Option<String>,

    /// A diskspd command line, such as "-b8K -d60 -o8 -h -L -t8 -W -w30 -c2G"
    #[arg(
        long,
        value_name = "ARGS",
        group = "source",
        allow_hyphen_values = true
    )]
    pub diskspd: Option<String>,

    /// Set a key in every section of the job
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Run every section once for each value of a key; several multiply. 1,2,4..128 doubles,
    /// 0..100/10 steps
    #[arg(long, value_name = "KEY=LIST")]
    pub sweep: Vec<String>,

    /// Run everything so many times, in turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: Option<u32>,

    /// What is printed on stdout
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
