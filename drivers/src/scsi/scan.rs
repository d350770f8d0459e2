//! All units behind a controller.

use super::probe::report_luns;
use super::{Probe, ScsiAddress, ScsiPort, probe, settle};
use crate::block::{ControllerError, Disk, Ignored, Status};
use alloc::format;
use alloc::vec::Vec;

/// Targets that may stay silent before the controller itself is taken for dead.
const SILENT_TARGETS: u32 = 2;

/// What a scan found, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Disks.
    pub disks: Vec<Disk>,
    /// What is left alone.
    pub ignored: Vec<Ignored>,
}

/// Looks at every unit of `targets`; those with a number above `max_lun` cannot
/// be addressed and are listed as ignored.
///
/// # Errors
/// [`ControllerError::TimedOut`] once several targets have not answered; else as
/// [`ScsiPort::execute`].
pub fn scan(
    port: &mut dyn ScsiPort,
    targets: impl Iterator<Item = u16>,
    max_lun: u16,
) -> Result<Found, ControllerError> {
    let mut found = Found::default();
    let mut silent = 0;
    for target in targets {
        match scan_target(port, target, max_lun, &mut found) {
            Err(error @ ControllerError::TimedOut { what, after_ms }) => {
                silent += 1;
                if silent == SILENT_TARGETS {
                    return Err(error);
                }
                found.ignored.push(Ignored {
                    address: ScsiAddress { target, lun: 0 }.into(),
                    reason: format!("no answer to {what} within {after_ms} ms"),
                });
            }
            other => other?,
        }
    }
    Ok(found)
}

fn scan_target(
    port: &mut dyn ScsiPort,
    target: u16,
    max_lun: u16,
    found: &mut Found,
) -> Result<(), ControllerError> {
    let first = ScsiAddress { target, lun: 0 };
    if settle(port, first)? == Status::NoDevice {
        return Ok(());
    }
    for lun in report_luns(port, target)? {
        let at = ScsiAddress { target, lun };
        let probed = if lun > max_lun {
            Probe::Ignored(format!("unit number above {max_lun}"))
        } else {
            probe(port, at)?
        };
        match probed {
            Probe::Absent => {}
            Probe::Disk(disk) => found.disks.push(disk),
            Probe::Ignored(reason) => found.ignored.push(Ignored {
                address: at.into(),
                reason,
            }),
        }
    }
    Ok(())
}
