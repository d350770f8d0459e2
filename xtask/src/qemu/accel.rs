//! Which accelerator QEMU uses, and why.

use clap::ValueEnum;
use std::path::Path;

/// What the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AccelChoice {
    /// KVM where the processor offers hardware virtualisation, else TCG.
    Auto,
    /// QEMU's translator: works everywhere, its times are not hardware times.
    Tcg,
    /// Hardware virtualisation.
    Kvm,
}

/// What is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accel {
    /// `tcg` or `kvm`, as QEMU names it.
    pub name: &'static str,
    /// Why, for a person.
    pub reason: String,
}

/// Decides on this machine.
#[must_use]
pub fn choose(choice: AccelChoice) -> Accel {
    let flags = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let opened = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(Path::new("/dev/kvm"))
        .map(drop)
        .map_err(|error| error.to_string());
    decide(choice, &flags, opened)
}

/// Decides from the text of /proc/cpuinfo and the outcome of opening /dev/kvm.
///
/// A machine can have /dev/kvm without hardware virtualisation; a bare-metal
/// guest then runs slower than under TCG or not at all. So both are needed.
fn decide(choice: AccelChoice, cpuinfo: &str, opened: Result<(), String>) -> Accel {
    let (name, reason) = match (choice, virtualisation_flag(cpuinfo), opened) {
        (AccelChoice::Tcg, ..) => ("tcg", "asked for".into()),
        (AccelChoice::Kvm, ..) => ("kvm", "asked for".into()),
        (AccelChoice::Auto, Some(flag), Ok(())) => (
            "kvm",
            format!("/dev/kvm opens and the processor has {flag}"),
        ),
        (AccelChoice::Auto, None, Ok(())) => (
            "tcg",
            "/dev/kvm opens, but the processor has neither vmx nor svm".into(),
        ),
        (AccelChoice::Auto, _, Err(error)) => ("tcg", format!("/dev/kvm does not open: {error}")),
    };
    Accel { name, reason }
}

fn virtualisation_flag(cpuinfo: &str) -> Option<&'static str> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    ["vmx", "svm"]
        .into_iter()
        .find(|wanted| flags.split_whitespace().any(|flag| flag == *wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITH: &str = "processor : 0\nflags\t\t: fpu vme svm nx\n";
    const WITHOUT: &str = "processor : 0\nflags\t\t: fpu vme svm_lock nx\n";

    #[test]
    fn kvm_needs_device_and_flag() {
        let name = |cpuinfo, opened| decide(AccelChoice::Auto, cpuinfo, opened).name;
        assert_eq!(name(WITH, Ok(())), "kvm");
        assert_eq!(name(WITHOUT, Ok(())), "tcg");
        assert_eq!(name(WITH, Err("No such file".into())), "tcg");
        assert_eq!(name("", Ok(())), "tcg");
    }

    #[test]
    fn reason_names_what_is_missing() {
        assert!(
            decide(AccelChoice::Auto, WITHOUT, Ok(()))
                .reason
                .contains("neither vmx nor svm")
        );
        let denied = decide(AccelChoice::Auto, WITH, Err("Permission denied".into()));
        assert!(denied.reason.contains("Permission denied"));
    }

    #[test]
    fn choice_is_obeyed() {
        assert_eq!(decide(AccelChoice::Tcg, WITH, Ok(())).name, "tcg");
        assert_eq!(decide(AccelChoice::Kvm, "", Err("x".into())).name, "kvm");
    }
}
