//! Where results and messages go: results to stdout, all else to stderr.
//!
//! Both are values, so that tests read them and nothing else writes to them. A
//! reader that goes away ends the output quietly.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;

/// The two streams of a command and what the terminal can show.
pub struct Console<'a> {
    out: &'a mut (dyn Write + 'a),
    err: &'a mut (dyn Write + 'a),
    out_closed: bool,
    /// Why the result did not go out, other than that its reader left.
    lost: Option<std::io::Error>,
    bar: bool,
    width: usize,
}

/// Width in columns where nothing bounds it: a table in a file is not cut to a terminal.
pub const UNBOUNDED: usize = usize::MAX;

impl<'a> Console<'a> {
    /// Plain streams: no bar, no escape codes, `width` columns.
    pub fn plain(
        out: &'a mut (dyn Write + 'a),
        err: &'a mut (dyn Write + 'a),
        width: usize,
    ) -> Self {
        Self {
            out,
            err,
            out_closed: false,
            lost: None,
            bar: false,
            width,
        }
    }

    /// The streams of this process.
    pub fn process(out: &'a mut (dyn Write + 'a), err: &'a mut (dyn Write + 'a)) -> Self {
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let columns = std::env::var("COLUMNS").ok();
        let width = width(is_file(&std::io::stdout()), terminal, columns.as_deref());
        let mut console = Self::plain(out, err, width);
        console.bar = wants_bar(
            std::io::stderr().is_terminal(),
            std::env::var("TERM").ok().as_deref(),
            std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
        );
        console
    }

    /// Whether progress is a bar that redraws itself.
    #[must_use]
    pub const fn bar(&self) -> bool {
        self.bar
    }

    /// Columns of the result.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Writes to stdout. After a closed pipe nothing is written any more.
    pub fn result(&mut self, text: &str) {
        if !self.out_closed {
            let written = self.out.write_all(text.as_bytes());
            if let Err(error) = written.and_then(|()| self.out.flush()) {
                self.out_closed = true;
                self.lost = (error.kind() != ErrorKind::BrokenPipe).then_some(error);
            }
        }
    }

    /// Why a result did not go out; a reader that left is no reason.
    #[must_use]
    pub const fn lost(&self) -> Option<&std::io::Error> {
        self.lost.as_ref()
    }

    /// Writes one line to stderr. An stderr that cannot be written to is no
    /// reason to stop: the result is elsewhere.
    pub fn say(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }
}

/// Columns of the result. What goes into a file is read elsewhere, so that only
/// `COLUMNS` bounds it; a pipe is most likely read on the `terminal` that stderr or
/// stdin is.
fn width(to_file: bool, terminal: Option<usize>, columns: Option<&str>) -> usize {
    let asked = columns.and_then(|columns| columns.parse().ok());
    let known = terminal.filter(|_| !to_file).or(asked);
    known.filter(|&width| width > 0).unwrap_or(UNBOUNDED)
}

/// Whether a stream ends in a regular file.
fn is_file(stream: &impl AsFd) -> bool {
    let own = stream.as_fd().try_clone_to_owned();
    own.and_then(|own| File::from(own).metadata())
        .is_ok_and(|metadata| metadata.is_file())
}

/// A bar needs a terminal that can move its cursor. `NO_COLOR` asks for output
/// without escape codes.
fn wants_bar(terminal: bool, term: Option<&str>, no_color: bool) -> bool {
    terminal && !no_color && !matches!(term, None | Some("" | "dumb"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes nothing.
    struct Closed {
        writes: usize,
        why: ErrorKind,
    }

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            self.writes += 1;
            Err(self.why.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn closed_pipe_is_written_once() {
        for (why, lost) in [
            (ErrorKind::BrokenPipe, false),
            (ErrorKind::StorageFull, true),
        ] {
            let mut out = Closed { writes: 0, why };
            let mut err = Vec::new();
            let mut console = Console::plain(&mut out, &mut err, 80);
            console.result("one\n");
            console.result("two\n");
            assert_eq!(console.lost().is_some(), lost);
            assert_eq!(out.writes, 1);
        }
    }

    #[test]
    fn a_file_has_the_width_that_was_asked_for() {
        assert_eq!(width(false, Some(80), Some("132")), 80);
        assert_eq!(width(true, Some(80), Some("132")), 132);
        assert_eq!(width(true, Some(80), None), UNBOUNDED);
        assert_eq!(width(false, None, Some("40")), 40);
        for none in [None, Some("0"), Some("x")] {
            assert_eq!(width(false, None, none), UNBOUNDED);
        }
        assert!(is_file(&tempfile::tempfile().unwrap()));
        assert!(!is_file(&std::io::pipe().unwrap().1));
    }

    #[test]
    fn bar_needs_a_capable_terminal() {
        assert!(wants_bar(true, Some("xterm"), false));
        assert!(!wants_bar(false, Some("xterm"), false));
        assert!(!wants_bar(true, Some("dumb"), false));
        assert!(!wants_bar(true, None, false));
        assert!(!wants_bar(true, Some("xterm"), true));
    }
}
