//! A controller as a loop drives it: of a known type, or of any.

use drivers::block::Controller;

/// A controller that can also be had as a trait object, for what is rare. The loops
/// of plain rows are compiled per type of controller, everything else of a row once.
pub(super) trait Driven: Controller {
    /// The same controller, of any type.
    fn whole(&mut self) -> &mut dyn Controller;
}

impl<C: Controller> Driven for C {
    #[inline]
    fn whole(&mut self) -> &mut dyn Controller {
        self
    }
}

impl Driven for dyn Controller + '_ {
    #[inline]
    fn whole(&mut self) -> &mut dyn Controller {
        self
    }
}
