//! The QEMU command line as a value.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// A program and its arguments, printable as a line that a shell understands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// What a machine starts from.
#[derive(Clone, Copy, Debug)]
pub enum Boot<'a> {
    /// A PVH image, which QEMU jumps into.
    Pvh(&'a Path),
    /// A boot image in a CD drive, booted by QEMU's BIOS.
    Bios(&'a Path),
    /// The same, booted by UEFI: its code, and its variables, which it writes.
    Uefi {
        /// The boot image.
        image: &'a Path,
        /// OVMF's code.
        code: &'a Path,
        /// A copy of OVMF's variables.
        vars: &'a Path,
    },
}

/// What a machine consists of.
pub struct Machine<'a> {
    /// QEMU itself.
    pub qemu: &'a Path,
    /// `tcg` or `kvm`.
    pub accel: &'a str,
    /// Guest memory in MiB.
    pub memory_mib: u32,
    /// Virtual processors.
    pub smp: u32,
    /// What it starts from.
    pub boot: Boot<'a>,
    /// The job file for fw_cfg.
    pub job: &'a Path,
    /// A fault that the guest is to make, for tests.
    pub inject: Option<&'a str>,
    /// Socket for QMP.
    pub qmp_socket: &'a Path,
    /// `-blockdev` options.
    pub blockdevs: &'a [String],
    /// `-device` options, controllers before their disks.
    pub devices: &'a [String],
    /// Given by the user, passed on as they are.
    pub extra: &'a [String],
}

impl Machine<'_> {
    /// The command line.
    #[must_use]
    pub fn command_line(&self) -> CommandLine {
        let mut args = Args(Vec::new());
        args.pair("-name", "ioprobe,debug-threads=on");
        args.pair("-machine", "q35");
        args.pair("-accel", self.accel);
        args.pair("-cpu", self.cpu());
        for flag in ["-nodefaults", "-no-user-config", "-no-reboot"] {
            args.0.push(flag.into());
        }
        args.pair("-display", "none");
        args.pair("-m", self.memory_mib.to_string());
        args.pair("-smp", self.smp.to_string());
        args.boot(self.boot);
        args.pair("-fw_cfg", option("name=opt/ioprobe/job,file=", self.job));
        if let Some(value) = self.inject {
            args.pair(
                "-fw_cfg",
                format!("name=opt/ioprobe/inject,string={}", escape(value)),
            );
        }
        args.pair("-device", exit_device());
        args.pair("-chardev", "stdio,id=serial0,signal=off");
        args.pair("-serial", "chardev:serial0");
        let mut qmp = option("unix:", self.qmp_socket);
        qmp.push(",server=on,wait=off");
        args.pair("-qmp", qmp);
        for blockdev in self.blockdevs {
            args.pair("-blockdev", blockdev);
        }
        for device in self.devices {
            args.pair("-device", device);
        }
        args.0.extend(self.extra.iter().map(OsString::from));
        CommandLine {
            program: self.qemu.to_path_buf(),
            args: args.0,
        }
    }
}

impl Machine<'_> {
    /// Newer OVMF turns 5-level paging on where it can, which the loader refuses.
    const fn cpu(&self) -> &'static str {
        match self.boot {
            Boot::Pvh(_) | Boot::Bios(_) => "max",
            Boot::Uefi { .. } => "max,la57=off",
        }
    }
}

struct Args(Vec<OsString>);

impl Args {
    fn boot(&mut self, boot: Boot<'_>) {
        match boot {
            Boot::Pvh(kernel) => self.pair("-kernel", kernel),
            Boot::Bios(image) => self.cd(image),
            Boot::Uefi { image, code, vars } => {
                let flash = "if=pflash,format=raw,unit=";
                let start = format!("{flash}0,readonly=on,file=");
                self.pair("-drive", option(&start, code));
                self.pair("-drive", option(&format!("{flash}1,file="), vars));
                self.cd(image);
            }
        }
    }

    /// On the SATA controller that the machine has anyway, so that no PCI slot moves.
    fn cd(&mut self, image: &Path) {
        let start = "driver=raw,node-name=boot,read-only=on,file.driver=file,file.filename=";
        self.pair("-blockdev", option(start, image));
        self.pair("-device", "ide-cd,bus=ide.0,drive=boot,bootindex=0");
    }

    fn pair(&mut self, flag: &str, value: impl AsRef<std::ffi::OsStr>) {
        self.0.push(flag.into());
        self.0.push(value.as_ref().to_owned());
    }
}

fn exit_device() -> String {
    format!(
        "isa-debug-exit,iobase={:#x},iosize=4",
        proto::exit::DEBUG_EXIT_PORT
    )
}

/// A QEMU option that ends in a path, whose commas QEMU wants doubled.
fn option(start: &str, path: &Path) -> OsString {
    // Paths that are no UTF-8 cannot be escaped this way; they are passed as they are.
    match path.to_str() {
        Some(text) => format!("{start}{}", escape(text)).into(),
        None => {
            let mut whole = OsString::from(start);
            whole.push(path);
            whole
        }
    }
}

/// Doubles commas, as QEMU's option syntax wants it.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace(',', ",,")
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote(&self.program.to_string_lossy()))?;
        for arg in &self.args {
            write!(f, " {}", quote(&arg.to_string_lossy()))?;
        }
        Ok(())
    }
}

/// Quotes for a POSIX shell where needed.
fn quote(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(boot: Boot<'_>) -> CommandLine {
        Machine {
            qemu: Path::new("qemu-system-x86_64"),
            accel: "tcg",
            memory_mib: 64,
            smp: 1,
            boot,
            job: Path::new("/t/a,b/job.fio"),
            inject: Some("panic"),
            qmp_socket: Path::new("/t/qmp"),
            blockdevs: &["driver=null-co,node-name=node0".into()],
            devices: &["pvscsi,id=c".into()],
            extra: &["-trace".into(), "pvscsi*".into()],
        }
        .command_line()
    }

    #[test]
    fn prints_as_a_shell_line() {
        assert_eq!(
            machine(Boot::Pvh(Path::new("/t/ioprobe-pvh"))).to_string(),
            "qemu-system-x86_64 -name ioprobe,debug-threads=on -machine q35 -accel tcg -cpu max \
             -nodefaults -no-user-config -no-reboot -display none -m 64 -smp 1 \
             -kernel /t/ioprobe-pvh -fw_cfg name=opt/ioprobe/job,file=/t/a,,b/job.fio \
             -fw_cfg name=opt/ioprobe/inject,string=panic \
             -device isa-debug-exit,iobase=0xf4,iosize=4 \
             -chardev stdio,id=serial0,signal=off -serial chardev:serial0 \
             -qmp unix:/t/qmp,server=on,wait=off -blockdev driver=null-co,node-name=node0 \
             -device pvscsi,id=c -trace 'pvscsi*'"
        );
    }

    #[test]
    fn firmware_gets_a_cd_and_uefi_its_flash() {
        let image = Path::new("/t/boot.img");
        let bios = machine(Boot::Bios(image)).to_string();
        let cd = "-blockdev driver=raw,node-name=boot,read-only=on,file.driver=file,\
                  file.filename=/t/boot.img -device ide-cd,bus=ide.0,drive=boot,bootindex=0";
        assert!(bios.contains(cd), "{bios}");
        assert!(!bios.contains("-kernel") && !bios.contains("pflash"));
        let (code, vars) = (Path::new("/o/code"), Path::new("/t/vars"));
        let uefi = machine(Boot::Uefi { image, code, vars }).to_string();
        let flash = "-drive if=pflash,format=raw,unit=0,readonly=on,file=/o/code \
                     -drive if=pflash,format=raw,unit=1,file=/t/vars";
        assert!(uefi.contains(cd) && uefi.contains(flash), "{uefi}");
        assert!(uefi.contains("-cpu max,la57=off"), "{uefi}");
    }

    #[test]
    fn quotes_what_a_shell_would_change() {
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("x=1,y:/z"), "x=1,y:/z");
    }
}
