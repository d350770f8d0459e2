//! The engine's line to all who watch: the serial line, the screen, the summary.

use super::{SerialLink, Summary, screen};
use drivers::hal::Clock;
use engine::session::Link;
use proto::record::Record;

/// Passes records on to the serial line, and shows them.
#[derive(Debug)]
pub struct TeeLink<C: Clock> {
    serial: SerialLink<C>,
    summary: Summary,
}

impl<C: Clock> TeeLink<C> {
    /// A link beside `serial`.
    #[must_use]
    pub fn new(serial: SerialLink<C>) -> Self {
        Self {
            serial,
            summary: Summary::default(),
        }
    }

    /// What the records came to so far.
    #[must_use]
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }
}

/// Like every call of [`Link::record`], drawing lies outside of measured windows.
impl<C: Clock> Link for TeeLink<C> {
    fn record(&mut self, record: &Record) {
        self.serial.record(record);
        self.summary.take(record);
        screen::print(format_args!("{}", screen::text_of(record)));
    }

    fn sync(&mut self, number: u32) {
        self.serial.sync(number);
    }
}
