//! `cargo xtask identify`: the same boot with a job that reads one block of each disk.

use super::args::MachineArgs;
use super::execute::{Executed, execute};
use super::machine::plan;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job::Job;
use crate::serial::{Followed, verdict};
use std::fmt::Write;

/// Boots and shows what the guest found.
///
/// # Errors
/// [`Failure`] if the guest did not come to its end.
pub fn identify(
    args: &MachineArgs,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let plan = plan(args, &Job::inventory()?)?;
    let Executed {
        folder,
        followed,
        document,
    } = execute(&plan, args, console, interrupt)?;
    folder.write("result.json", &document.to_json())?;
    console.result(&inventory(&followed));
    console.say(&format!("run folder: {}", folder.path().display()));
    verdict(&followed.stop, &followed.said, &followed.stderr).map(drop)
}

/// The inventory as `name: value` lines, one block for each thing found.
fn inventory(followed: &Followed) -> String {
    let said = &followed.said;
    let mut text = String::new();
    let guest = said.guest.iter().map(|value| ("machine", value));
    let controllers = said.controllers.iter().map(|value| ("controller", value));
    let disks = said.disks.iter().map(|value| ("disk", value));
    let ignored = said.ignored.iter().map(|value| ("left alone", value));
    for (what, value) in guest.chain(controllers).chain(disks).chain(ignored) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{what}");
        block(value, 2, &mut text);
    }
    text
}

fn block(value: &serde_json::Value, indent: usize, text: &mut String) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let parts = value.as_array().map_or(&[][..], Vec::as_slice);
        if value.is_object() {
            let _ = writeln!(text, "{:indent$}{name}", "");
            block(value, indent + 2, text);
        } else if parts.iter().any(serde_json::Value::is_object) {
            for part in parts {
                let _ = writeln!(text, "{:indent$}{name}", "");
                block(part, indent + 2, text);
            }
        } else {
            let shown = match (name.as_str(), value.as_u64(), value.as_str()) {
                ("address", Some(address), _) => format!("{address:#x}"),
                (_, _, Some(text)) => text.to_owned(),
                _ => value.to_string(),
            };
            let _ = writeln!(text, "{:indent$}{name}: {shown}", "");
        }
    }
}
