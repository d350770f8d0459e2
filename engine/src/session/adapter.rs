//! A controller as the machine hands it to a session.

use super::InterruptLine;
use crate::row::{self, Env, Spec, Tally};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::block::Controller;
use drivers::hal::Clock;
use proto::result::BarInfo;

/// A controller whose concrete type is known to the measuring loop.
///
/// Implemented for every controller: the loop is instantiated where the type is
/// still known, and a session keeps trait objects.
pub trait Target<K: Clock>: Controller {
    /// Runs a row; see [`row::run`].
    fn run_row<'a>(&'a mut self, env: Env<'a, K>, spec: Spec) -> Tally;

    /// The same controller as a trait object, for everything that is not hot.
    fn as_controller(&mut self) -> &mut dyn Controller;
}

impl<C: Controller, K: Clock> Target<K> for C {
    fn run_row<'a>(&'a mut self, env: Env<'a, K>, spec: Spec) -> Tally {
        row::run(self, env, spec)
    }

    fn as_controller(&mut self) -> &mut dyn Controller {
        self
    }
}

/// One adapter: where it sits, and its running controller.
pub struct Adapter<K: Clock> {
    /// PCI path such as `00:03.0`; behind bridges `00:1c.0/00.0`. Adapters of one
    /// machine all differ in it.
    pub pci: String,
    /// PCI `vendor:device` in hex, such as `15ad:07c0`.
    pub pci_id: String,
    /// Its base address registers.
    pub bars: Vec<BarInfo>,
    /// Interrupt modes that the device offers: `msix`, `msi`, `intx`.
    pub interrupts: Vec<String>,
    /// Their way to this processor.
    pub line: Box<dyn InterruptLine>,
    /// The driver.
    pub controller: Box<dyn Target<K>>,
}
