//! Which accelerator QEMU uses, and why.

use crate::failure::Failure;
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
///
/// # Errors
/// [`Failure::Environment`] if KVM is asked for and this machine cannot.
pub fn choose(choice: AccelChoice) -> Result<Accel, Failure> {
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
fn decide(
    choice: AccelChoice,
    cpuinfo: &str,
    opened: Result<(), String>,
) -> Result<Accel, Failure> {
    let cannot = |why: &str| {
        Failure::Environment(format!("--accel kvm: {why}; --accel tcg works everywhere"))
    };
    let (name, reason) = match (choice, virtualisation_flag(cpuinfo), opened) {
        (AccelChoice::Tcg, ..) => ("tcg", "asked for".into()),
        (AccelChoice::Kvm, Some(_), Ok(())) => ("kvm", "asked for".into()),
        (AccelChoice::Kvm, None, _) => {
            return Err(cannot("the processor has neither vmx nor svm"));
        }
        (AccelChoice::Kvm, Some(_), Err(error)) => {
            return Err(cannot(&format!("/dev/kvm does not open: {error}")));
        }
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
    Ok(Accel { name, reason })
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
        let name = |cpuinfo, opened| decide(AccelChoice::Auto, cpuinfo, opened).unwrap().name;
        assert_eq!(name(WITH, Ok(())), "kvm");
        assert_eq!(name(WITHOUT, Ok(())), "tcg");
        assert_eq!(name(WITH, Err("No such file".into())), "tcg");
        assert_eq!(name("", Ok(())), "tcg");
    }

    #[test]
    fn reason_names_what_is_missing() {
        assert!(
            decide(AccelChoice::Auto, WITHOUT, Ok(()))
                .unwrap()
                .reason
                .contains("neither vmx nor svm")
        );
        let denied = decide(AccelChoice::Auto, WITH, Err("Permission denied".into()));
        assert!(denied.unwrap().reason.contains("Permission denied"));
    }

    #[test]
    fn choice_is_obeyed_or_refused() {
        let tcg = decide(AccelChoice::Tcg, WITH, Ok(())).unwrap();
        assert_eq!(tcg.name, "tcg");
        let kvm = decide(AccelChoice::Kvm, WITH, Ok(())).unwrap();
        assert_eq!((kvm.name, kvm.reason.as_str()), ("kvm", "asked for"));
        for (cpuinfo, opened, why) in [
            (WITHOUT, Ok(()), "neither vmx nor svm"),
            (WITH, Err("No such file".into()), "No such file"),
        ] {
            let failure = decide(AccelChoice::Kvm, cpuinfo, opened).unwrap_err();
            assert_eq!(failure.code(), 3);
            assert!(failure.message().contains(why), "{failure}");
        }
    }
}
