//! How a run ends.

use crate::acpi::Power;
use crate::console::screen;
use crate::{arch, console};
use core::fmt;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};
use proto::exit::GuestExit;
use proto::job::AtEnd;
use spin::Mutex;

/// A last report has begun.
static ENDING: AtomicBool = AtomicBool::new(false);
/// What the machine does where nothing ends it from outside.
static AFTERWARDS: Mutex<(AtEnd, Option<Power>)> = Mutex::new((AtEnd::Stay, None));

/// Says what the machine shall do after [`leave`] where nothing ends it from
/// outside, and how.
pub fn prepare(at_end: AtEnd, power: Power) {
    *AFTERWARDS.lock() = (at_end, Some(power));
}

/// Ends the run: QEMU leaves with the status for `exit`, if it has the device for
/// that. Elsewhere the machine stays with its report on the screen and the line, or
/// does what [`prepare`] said.
pub fn leave(exit: GuestExit) -> ! {
    console::flush();
    if !console::has_serial() {
        screen::print(format_args!(
            "No serial port was found: what this screen shows is all there is.\n"
        ));
    }
    arch::debug_exit::write(exit);
    let (at_end, power) = *AFTERWARDS.lock();
    let power = power.unwrap_or_default();
    match at_end {
        AtEnd::Stay => screen::print(format_args!("The run has ended; switch the machine off.")),
        AtEnd::PowerOff => stays("switched off", power.off()),
        AtEnd::Reboot => stays("started anew", power.reset()),
    }
    arch::halt()
}

fn stays(what: &str, why: &str) {
    screen::print(format_args!("The machine could not be {what}: {why}."));
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
