//! Finding QEMU, and getting it and what belongs to it where it is missing.

use crate::child;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program.
pub const PROGRAM: &str = "qemu-system-x86_64";

/// Something to install.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// What a person calls it.
    pub what: &'static str,
    /// Its name on Debian and Ubuntu.
    pub apt: &'static str,
    /// Package managers, and what to type.
    pub by_hand: [(&'static str, &'static str); 4],
}

const QEMU: Package = Package {
    what: "QEMU",
    apt: "qemu-system-x86",
    by_hand: [
        ("apt", "sudo apt-get install qemu-system-x86"),
        ("dnf", "sudo dnf install qemu-system-x86"),
        ("pacman", "sudo pacman -S qemu-system-x86"),
        ("brew", "brew install qemu"),
    ],
};

/// A QEMU that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Qemu {
    /// The program.
    pub path: PathBuf,
    /// Its version, such as `7.2.22`.
    pub version: String,
}

/// Finds QEMU: the given path, or [`PROGRAM`] in PATH, which is installed first
/// where that is possible and not forbidden.
///
/// # Errors
/// [`Failure::Environment`] that says what to type.
pub fn find(
    given: Option<&Path>,
    may_install: bool,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Qemu, Failure> {
    if let Some(path) = given {
        return self::given(path);
    }
    let missing = match version(Path::new(PROGRAM)) {
        Ok(qemu) => return Ok(qemu),
        Err(why) => why,
    };
    console.say(&format!("{PROGRAM} is needed and {missing}"));
    install(&QEMU, may_install, console, interrupt)?;
    version(Path::new(PROGRAM)).map_err(|why| {
        Failure::Environment(format!(
            "{PROGRAM} was installed, but {why}\n{}",
            by_hand(&QEMU, true)
        ))
    })
}

/// The QEMU that `--qemu` names.
///
/// # Errors
/// [`Failure::Environment`] if it is none.
pub fn given(path: &Path) -> Result<Qemu, Failure> {
    version(path).map_err(|why| Failure::Environment(format!("--qemu {}: {why}", path.display())))
}

/// Installs a package with apt-get, where this is Debian or a child of it, and root
/// asks.
///
/// # Errors
/// [`Failure::Environment`] that says what to type.
pub fn install(
    package: &Package,
    may_install: bool,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !may_install || !has_apt(&release) || !is_root() {
        return Err(Failure::Environment(by_hand(package, may_install)));
    }
    apt_install(package, console, interrupt)
}

/// Asks a QEMU for its version.
fn version(path: &Path) -> Result<Qemu, String> {
    let output = Command::new(path)
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "is not there".to_owned(),
            _ => format!("does not start: {error}"),
        })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = parse_version(&text)
        .ok_or_else(|| format!("does not say its version ({})", output.status))?;
    Ok(Qemu {
        path: path.to_path_buf(),
        version: version.to_owned(),
    })
}

fn parse_version(text: &str) -> Option<&str> {
    text.lines()
        .next()?
        .strip_prefix("QEMU emulator version ")?
        .split_whitespace()
        .next()
}

fn apt_install(
    package: &Package,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let update = vec!["apt-get", "update"];
    let mut install = vec!["apt-get", "install", "--yes", "--no-install-recommends"];
    install.push(package.apt);
    let what = format!("installing {}", package.what);
    for command in [update, install] {
        let line = command.join(" ");
        console.say(&format!("running: {line}"));
        // stdout carries results only, so what apt-get says goes to stderr.
        let mut child = Command::new(command[0])
            .args(&command[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(std::io::stderr())
            .spawn()
            .map_err(|error| {
                Failure::Environment(format!("{line}: {error}\n{}", by_hand(package, true)))
            })?;
        let status = child::wait(&mut child, &what, interrupt)?;
        // A stale list may still hold the package: only the installation decides.
        if !status.success() && command[1] == "install" {
            return Err(Failure::Environment(format!(
                "{line}: {status}\n{}",
                by_hand(package, true)
            )));
        }
    }
    Ok(())
}

fn by_hand(package: &Package, may_install: bool) -> String {
    let reason = if may_install {
        ""
    } else {
        "--no-install is set. "
    };
    let mut text = format!("{reason}Install {} with one of:", package.what);
    for (manager, command) in package.by_hand {
        text.push_str(&format!("\n  {manager:<8}{command}"));
    }
    text
}

/// Whether an os-release file speaks of Debian, Ubuntu or a child of theirs.
fn has_apt(os_release: &str) -> bool {
    os_release
        .lines()
        .filter_map(|line| {
            line.strip_prefix("ID=")
                .or_else(|| line.strip_prefix("ID_LIKE="))
        })
        .flat_map(|value| value.trim_matches('"').split_whitespace())
        .any(|id| id == "debian" || id == "ubuntu")
}

/// Whether this process runs as root: it owns its own entry in /proc.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_version() {
        let debian = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright (c) ..\n";
        assert_eq!(parse_version(debian), Some("7.2.22"));
        assert_eq!(
            parse_version("QEMU emulator version 9.0.0\n"),
            Some("9.0.0")
        );
        assert_eq!(parse_version("bash: no"), None);
    }

    #[test]
    fn knows_debian_and_its_children() {
        assert!(has_apt("NAME=\"Debian\"\nID=debian\n"));
        assert!(has_apt("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!has_apt("ID=fedora\nPRETTY_NAME=\"not debian\"\n"));
    }

    #[test]
    fn missing_program_is_told_with_every_command() {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut console = Console::plain(&mut out, &mut err, 80);
        let given = Path::new("/nonexistent/qemu");
        let failure = find(Some(given), true, &mut console, &Interrupt::default()).unwrap_err();
        assert_eq!(failure.code(), 3);
        assert_eq!(failure.message(), "--qemu /nonexistent/qemu: is not there");
        for (_, command) in QEMU.by_hand {
            assert!(by_hand(&QEMU, false).contains(command));
        }
    }
}
