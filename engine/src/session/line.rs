//! How a controller's interrupts reach the loop that waits for them.

use alloc::string::String;
use drivers::block::Controller;
use proto::job::Irq;

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// An interrupt of the controller.
    Device,
    /// The time given for the wait is over.
    Timer,
    /// An interrupt of another source, and its number as lines know it.
    Other(u8),
}

/// How a loop halts until an interrupt comes.
///
/// Interrupts are taken inside [`wait`](Self::wait) and
/// [`take_pending`](Self::take_pending) alone, one per call. One that comes while
/// the loop works is kept, however often it comes, and ends the next wait at once,
/// so that none is missed between a look that finds nothing and the halt after it.
pub trait Halt {
    /// Halts until an interrupt was taken, until the clock shows `until_ticks` at
    /// the latest. A level-triggered interrupt that was taken before is ended here,
    /// so the controller's acknowledgement must have been given.
    fn wait(&mut self, until_ticks: u64) -> Woken;

    /// Takes one interrupt that is there already.
    fn take_pending(&mut self) -> Option<Woken>;

    /// Lets none of the controller's interrupts arrive any more.
    fn mask(&mut self);
}

/// The way of one controller's interrupts to this processor.
pub trait InterruptLine: Halt {
    /// Modes that the controller offers, best first.
    fn offers(&self) -> &[Irq];

    /// Sets controller and machine up for a mode. Nothing may be in flight; the
    /// controller's buffers may be replaced.
    ///
    /// # Errors
    /// Why interrupts of this mode do not arrive; the controller is polled then.
    fn open(&mut self, irq: Irq, controller: &mut dyn Controller) -> Result<(), String>;

    /// Takes it back: the controller is polled again, and silent. Nothing may be in
    /// flight.
    ///
    /// # Errors
    /// Why the controller can no longer be used.
    fn close(&mut self, controller: &mut dyn Controller) -> Result<(), String>;

    /// Whether the source of an interrupt that another line took
    /// ([`Woken::Other`]) is this line's controller. Of level-triggered
    /// interrupts that several lines share, the line that took one says so.
    fn is_source(&self, source: u8) -> bool;
}

/// The line of a controller that cannot interrupt.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLine;

impl InterruptLine for NoLine {
    fn offers(&self) -> &[Irq] {
        &[]
    }

    fn open(&mut self, _irq: Irq, _controller: &mut dyn Controller) -> Result<(), String> {
        Err(String::from("the controller cannot interrupt"))
    }

    fn close(&mut self, _controller: &mut dyn Controller) -> Result<(), String> {
        Ok(())
    }

    fn is_source(&self, _source: u8) -> bool {
        false
    }
}

impl Halt for NoLine {
    fn wait(&mut self, _until_ticks: u64) -> Woken {
        Woken::Timer
    }

    fn take_pending(&mut self) -> Option<Woken> {
        None
    }

    fn mask(&mut self) {}
}
