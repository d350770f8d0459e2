//! Engine and driver on the host, against the device model in memory.

use super::figure::{Figure, Target};
use super::spread::Spread;
use crate::build::workspace_root;
use crate::child;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use std::io::Read;
use std::process::{Command, Stdio};

/// Runs the engine's own benchmark and takes its figures.
///
/// # Errors
/// [`Failure`] if it cannot be built, fails, or prints something else.
pub fn measure(console: &mut Console<'_>, interrupt: &Interrupt) -> Result<Vec<Figure>, Failure> {
    console.say("engine and driver natively");
    let what = "cargo bench --package engine --bench native";
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut child = Command::new(program)
        .current_dir(workspace_root())
        .args([
            "bench",
            "--quiet",
            "--package",
            "engine",
            "--bench",
            "native",
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| Failure::io(what, &error))?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = output.map(|mut output| output.read_to_string(&mut text));
        read.transpose().map(|read| read.map(|_| text))
    });
    let status = child::wait(&mut child, what, interrupt)?;
    if !status.success() {
        return Err(Failure::Run(format!("{what}: {status}")));
    }
    let text = reader
        .join()
        .unwrap_or(Ok(None))
        .map_err(|error| Failure::io(what, &error))?
        .unwrap_or_default();
    figures(&text).ok_or_else(|| Failure::Run(format!("{what} printed no figures:\n{text}")))
}

/// Rows of the benchmark's table: `NAME, depth D   WITH   WITHOUT`, the medians
/// with and without stamps in millions per second.
fn figures(text: &str) -> Option<Vec<Figure>> {
    let row = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let mut columns = line.split_whitespace();
        let mut next = || Some(Spread::single(columns.next()?.parse().ok()?));
        Some((next()?, next()?))
    };
    let (with, without) = row("pvscsi randread, depth 32 ")?;
    let (alone_with, alone_without) = row("randread, depth 32 ")?;
    let figure = |name: &str, value| Figure::plain(name, "M IOPS", value);
    Some(vec![
        figure("engine and driver natively, stamps", with)
            .against(Target::at_least(5.0, 10.0))
            .noting("one core, PVSCSI on an adapter in memory, depth 32"),
        figure("engine and driver natively, no stamps", without)
            .against(Target::at_least(10.0, 20.0))
            .noting("the same with a clock that costs nothing"),
        figure("  the engine alone, stamps", alone_with),
        figure("  the engine alone, no stamps", alone_without),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_found_by_their_names() {
        let text = "millions of I/Os per second\n\
            row                                TSC clock  free clock\n\
            randread, depth 1                       9.25       16.70\n\
            randread, depth 32                     22.81       19.69\n\
            randread norandommap, depth 32         26.28       42.79\n\
            pvscsi randread, depth 32              13.15       9.48\n\
            pvscsi randread, depth 128             13.74       14.55\n";
        let figures = figures(text).unwrap();
        let medians: Vec<f64> = figures.iter().map(|figure| figure.value.median).collect();
        assert_eq!(medians, [13.15, 9.48, 22.81, 19.69]);
        assert_eq!(figures[0].verdict, "reaches the aim");
        assert_eq!(figures[1].verdict, "BELOW THE FLOOR");
        assert_eq!(super::figures("randread, depth 32   1.0  2.0"), None);
    }
}
