//! The serial line: text for people, records for the host, answers from it. And
//! the screen, for those who have no serial line.
//!
//! 1. No call waits without a limit: a line that takes nothing is given up, and
//!    the run goes on without it.
//! 2. Reports of panics and faults use nothing that could have caused them: no
//!    heap, and no lock that might be held.

mod fatal;
mod link;
pub mod screen;
mod serial;
mod summary;
mod tee;

pub use fatal::FatalRecord;
pub use link::SerialLink;
pub use serial::{Port, Serial};
pub use summary::Summary;
pub use tee::TeeLink;

use crate::arch::uart::{COM_PORTS, Uart};
use core::fmt::{self, Write};
use core::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use drivers::hal::Clock;
use spin::Mutex;

static LINE: Mutex<Option<Serial<Uart>>> = Mutex::new(None);
/// First port of the UART in use; 0 without one. For those who cannot lock `LINE`.
static BASE: AtomicU16 = AtomicU16::new(0);
/// Number of the next record.
static NEXT_SEQ: AtomicU64 = AtomicU64::new(0);

/// Finds a serial port: COM1, else COM2. Gives its first I/O port.
pub fn init() -> Option<u16> {
    let uart = COM_PORTS.into_iter().find_map(Uart::open)?;
    let base = uart.base();
    BASE.store(base, Ordering::Relaxed);
    *LINE.lock() = Some(Serial::new(uart));
    Some(base)
}

/// Whether a serial port was found.
#[must_use]
pub fn has_serial() -> bool {
    BASE.load(Ordering::Relaxed) != 0
}

/// Tells the console how fast time passes, for exact limits of its waits.
pub fn set_clock(clock: &impl Clock) {
    if let Some(line) = LINE.lock().as_mut() {
        line.set_ticks_per_second(clock.ticks_per_second());
    }
}

/// Writes text between records.
pub fn print(text: fmt::Arguments<'_>) {
    if let Some(line) = LINE.lock().as_mut() {
        // The line never reports an error; what it cannot send is lost.
        let _ = line.write_fmt(text);
    }
}

/// Writes text for a person, and a line feed.
#[macro_export]
macro_rules! println {
    ($($arg:tt)*) => {
        $crate::console::print(::core::format_args!("{}\n", ::core::format_args!($($arg)*)))
    };
}

/// Records written so far.
#[must_use]
pub fn records_sent() -> u64 {
    NEXT_SEQ.load(Ordering::Relaxed)
}

/// Waits, for a limited time, until all that was written has left the machine.
pub fn flush() {
    if let Some(line) = LINE.lock().as_mut() {
        line.flush();
    }
}

/// Writes a last report even where the line is in use: by then nobody else runs.
/// `details` is for people, `headline` goes into a record too.
pub(crate) fn report_fatal(headline: fmt::Arguments<'_>, details: fmt::Arguments<'_>) {
    screen::print_if_free(format_args!("\r{headline}\n{details}\n"));
    if BASE.load(Ordering::Relaxed) == 0 {
        init();
    }
    let base = BASE.load(Ordering::Relaxed);
    if base == 0 {
        return;
    }
    let mut line = Serial::new(Uart::attach(base));
    // The line feed ends whatever was being written. None of this reports errors.
    let _ = writeln!(line, "\n{headline}\n{details}");
    let seq = NEXT_SEQ.fetch_add(1, Ordering::Relaxed);
    line.send_all(FatalRecord::new(seq, headline).bytes());
    line.flush();
}
