//! Engine and driver on the host, against the device model in memory.

use super::figure::{Figure, Target};
use super::lines::field;
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

fn figures(text: &str) -> Option<Vec<Figure>> {
    let samples = |stamps: &str| {
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("native "));
        let mine = lines.filter(|line| field::<String>(line, "stamps").as_deref() == Some(stamps));
        Spread::of(mine.filter_map(|line| field(line, "iops")).collect())
    };
    let figure = |name: &str, spread, target| {
        Figure::plain(name, "IOPS", spread)
            .against(target)
            .noting("one core, device model in memory")
    };
    Some(vec![
        figure(
            "engine and driver natively, with stamps",
            samples("on")?,
            Target::at_least(5e6, 10e6),
        ),
        figure(
            "engine and driver natively, without",
            samples("off")?,
            Target::at_least(10e6, 20e6),
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_sorted_by_their_stamps() {
        let text = "warming up\nnative stamps=on iops=9000000\nnative stamps=off iops=21e6\n\
                    native stamps=on iops=11000000\n";
        let figures = figures(text).unwrap();
        assert_eq!(figures[0].value.samples, [9e6, 11e6]);
        assert_eq!(figures[0].verdict, "reaches the aim");
        assert_eq!(figures[1].value.samples, [21e6]);
        assert_eq!(super::figures("native stamps=on iops=1"), None);
    }
}
