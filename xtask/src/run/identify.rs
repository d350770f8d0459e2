//! `cargo xtask identify`: the same boot with a job that reads one block of each disk.

use super::args::MachineArgs;
use super::check::check_host;
use super::execute::{Executed, execute};
use super::machine::plan;
use super::start::show;
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job::Job;
use crate::report::{Format, Inventory};
use crate::serial::{Followed, verdict};
use serde::de::DeserializeOwned;
use serde_json::Value;

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
    check_host(args)?;
    if args.dry_run {
        show(&plan, args, Format::Table, console);
        return Ok(());
    }
    let Executed {
        folder,
        followed,
        document,
    } = execute(&plan, args, console, interrupt)?;
    folder.write("result.json", &document.to_json())?;
    console.result(&inventory(&followed).text(console.width()));
    console.say(&format!("run folder: {}", folder.path().display()));
    verdict(&followed.stop, &followed.said, &followed.stderr).map(drop)
}

/// What the guest found; a record that this version cannot read is told, not shown.
fn inventory(followed: &Followed) -> Inventory {
    let said = &followed.said;
    let mut notes = said.notes.clone();
    Inventory {
        guest: read(said.guest.iter(), "machine", &mut notes).pop(),
        controllers: read(said.controllers.iter(), "controller", &mut notes),
        disks: said.disk_infos.clone(),
        ignored: read(said.ignored.iter(), "device", &mut notes),
        notes,
    }
}

fn read<'v, T: DeserializeOwned>(
    records: impl Iterator<Item = &'v Value>,
    what: &str,
    notes: &mut Vec<String>,
) -> Vec<T> {
    let mut all = Vec::new();
    for record in records {
        match T::deserialize(record) {
            Ok(one) => all.push(one),
            Err(why) => notes.push(format!("a {what} could not be read ({why}): {record}")),
        }
    }
    all
}
