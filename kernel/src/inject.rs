//! Faults on request, for the tests of whoever watches the guest.
//!
//! The fw_cfg file `opt/ioprobe/inject` holds one word, or `word=row`:
//!
//! | word | what happens |
//! |---|---|
//! | `panic-start` | panic before anything is sent |
//! | `fault` | a read of an address that is not mapped |
//! | `overflow` | recursion until the stack runs into its guard page |
//! | `spin-start` | nothing more, for ever |
//! | `dma-top` | no fault: shared memory is taken from the top of memory |
//! | `miscount`, `panic`, `spin`, `exit-early` | in the row given (0 if none): see [`Inject`] |

use crate::arch::provoke;
use crate::job::FwCfg;
use crate::memory::dma;
use crate::memory::free_ranges::Placement;
use engine::session::Inject;

const FILE: &str = "opt/ioprobe/inject";

/// A fault that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    PanicStart,
    Unmapped,
    Overflow,
    SpinStart,
    DmaTop,
    Session(Inject),
}

/// Does what `fw_cfg` asks for at the start, if that is all; else gives what the
/// session shall do.
///
/// # Panics
/// If asked to, and on a word that it does not know: a test that names a fault
/// must not pass because nothing was done.
#[must_use]
pub fn apply(fw_cfg: Option<&FwCfg>) -> Inject {
    let Some(text) = fw_cfg.and_then(|device| device.read_file(FILE)) else {
        return Inject::None;
    };
    let word = core::str::from_utf8(&text).unwrap_or_default().trim();
    match parse(word) {
        Some(Fault::PanicStart) => panic!("injected at the start"),
        Some(Fault::Unmapped) => provoke::read_unmapped(),
        Some(Fault::Overflow) => provoke::overflow_stack(),
        Some(Fault::SpinStart) => loop {
            core::hint::spin_loop();
        },
        Some(Fault::DmaTop) => dma::place(Placement::Highest),
        Some(Fault::Session(inject)) => return inject,
        None => panic!("{FILE}: unknown fault `{word}`"),
    }
    Inject::None
}

fn parse(text: &str) -> Option<Fault> {
    let (word, row) = match text.split_once('=') {
        Some((word, row)) => (word, Some(row.parse::<u32>().ok()?)),
        None => (text, None),
    };
    let at = row.unwrap_or(0);
    let in_row = match word {
        "miscount" => Inject::Miscount(at),
        "panic" => Inject::Panic(at),
        "spin" => Inject::Spin(at),
        "exit-early" => Inject::ExitEarly(at),
        _ => Inject::None,
    };
    match (word, row) {
        _ if in_row != Inject::None => Some(Fault::Session(in_row)),
        ("panic-start", None) => Some(Fault::PanicStart),
        ("fault", None) => Some(Fault::Unmapped),
        ("overflow", None) => Some(Fault::Overflow),
        ("spin-start", None) => Some(Fault::SpinStart),
        ("dma-top", None) => Some(Fault::DmaTop),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_and_without_a_row() {
        assert_eq!(parse("panic-start"), Some(Fault::PanicStart));
        assert_eq!(parse("dma-top"), Some(Fault::DmaTop));
        assert_eq!(parse("miscount"), Some(Fault::Session(Inject::Miscount(0))));
        assert_eq!(parse("panic=3"), Some(Fault::Session(Inject::Panic(3))));
        assert_eq!(
            parse("exit-early=1"),
            Some(Fault::Session(Inject::ExitEarly(1)))
        );
    }

    #[test]
    fn anything_else_is_unknown() {
        for bad in ["", "panic=", "panic=x", "fault=1", "none", "spin =1"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
