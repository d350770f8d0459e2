//! How a run ends.

use crate::{arch, console};
use core::fmt;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use proto::exit::GuestExit;

/// A last report has begun.
static ENDING: AtomicBool = AtomicBool::new(false);

/// Ends the run: QEMU leaves with the status for `exit`; elsewhere the machine
/// stops with its report on the screen and the line.
pub fn leave(exit: GuestExit) -> ! {
    console::flush();
    arch::debug_exit::write(exit);
    arch::halt()
}

/// Ends the run with a last report; `headline` becomes a record, `details` is text.
///
/// A panic or fault inside the report ends the run at once: what was written by
/// then is all there will be.
pub fn fatal(exit: GuestExit, headline: fmt::Arguments<'_>, details: fmt::Arguments<'_>) -> ! {
    if !ENDING.swap(true, Ordering::Relaxed) {
        console::report_fatal(headline, details);
    }
    arch::debug_exit::write(exit);
    arch::halt()
}

/// The panic handler of every guest program.
pub fn panic(info: &PanicInfo<'_>) -> ! {
    let message = info.message();
    match info.location() {
        Some(place) => fatal(
            GuestExit::Panic,
            format_args!("panic at {place}: {message}"),
            format_args!(""),
        ),
        None => fatal(
            GuestExit::Panic,
            format_args!("panic: {message}"),
            format_args!(""),
        ),
    }
}
