//! The matrix: each fault on each controller, and how it is made there.
//!
//! The tests themselves are in `tests/tests/faults`, by place, controller and
//! fault; a test there holds both sides to each other.

/// The columns.
pub const CONTROLLERS: [&str; 4] = ["pvscsi", "lsisas", "nvme", "virtio_scsi"];

/// How a fault is made on a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// By the device model in memory, under the driver and a whole session.
    Model,
    /// By the model, and by QEMU under the booted guest.
    Both,
    /// Not at all: why it cannot be.
    No(&'static str),
}

impl Cell {
    /// Whether the tests of `place` (`model`, `qemu`) hold it.
    #[must_use]
    pub fn is_made(self, place: &str) -> bool {
        match self {
            Self::Model => place == "model",
            Self::Both => true,
            Self::No(_) => false,
        }
    }
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Name of its tests.
    pub name: &'static str,
    /// What happens.
    pub what: &'static str,
    /// On each of [`CONTROLLERS`].
    pub cells: [Cell; 4],
}

const fn fault(name: &'static str, what: &'static str, cells: [Cell; 4]) -> Fault {
    Fault { name, what, cells }
}

use Cell::{Both, Model, No};

const NO_TASK_SET: Cell = No("NVMe has no TASK SET FULL: what a queue holds, it takes");
const NO_LENGTH: Cell = No("an NVMe completion states no length: a command moves all or fails");
const SUCCESS_STATES_NONE: Cell =
    No("an NVMe completion states no residual, so that none can be wrong");
const NO_MEDIUM: Cell = No("NVMe has no removable medium; a namespace that goes is `unplug`");
const NO_FAULT_STATE: Cell =
    No("PVSCSI has no register for a state of its own: it answers, is silent, or is gone");
const NO_INDEX: Cell =
    No("MPT has no index: each frame is named by its address, each command by its context");

/// All of it.
pub const MATRIX: [Fault; 22] = [
    fault("eio", "some blocks cannot be read", [Both; 4]),
    fault("enospc", "some writes find no space", [Both; 4]),
    fault(
        "busy_once",
        "BUSY (NVMe: Namespace Not Ready), three times",
        [Model; 4],
    ),
    fault(
        "busy_always",
        "BUSY (NVMe: Namespace Not Ready) for ever",
        [Model; 4],
    ),
    fault(
        "task_set_full_once",
        "TASK SET FULL, once each",
        [Both, Both, NO_TASK_SET, Both],
    ),
    fault(
        "task_set_full_always",
        "TASK SET FULL for ever",
        [Both, Both, NO_TASK_SET, Both],
    ),
    fault("stall", "nothing completes beyond the time-out", [Model; 4]),
    fault(
        "unplug",
        "the disk is pulled under load",
        [Both, Both, Model, Both],
    ),
    fault(
        "reset_in_flight",
        "somebody resets what runs commands",
        [Model; 4],
    ),
    fault("never", "one completion never comes", [Model; 4]),
    fault("doubled", "a completion comes twice", [Model; 4]),
    fault("unknown", "a completion of no command", [Model; 4]),
    fault("late", "a completion of a command long ended", [Model; 4]),
    fault(
        "short",
        "fewer bytes move than asked",
        [Model, Model, NO_LENGTH, Model],
    ),
    fault(
        "wrong_residual",
        "the length stated is wrong",
        [Model, Model, SUCCESS_STATES_NONE, Model],
    ),
    fault(
        "all_ones",
        "the controller is pulled: registers read all ones",
        [Model; 4],
    ),
    fault(
        "index_wrap",
        "indices run across their end",
        [Model, NO_INDEX, Model, Model],
    ),
    fault(
        "queue_full",
        "more is asked than there are slots",
        [Model; 4],
    ),
    fault("write_protected", "a disk takes no writes", [Both; 4]),
    fault(
        "medium_removed",
        "the medium is taken out under load",
        [Model, Model, NO_MEDIUM, Model],
    ),
    fault(
        "controller_fault",
        "the controller gives up (FAULT, CFS, NEEDS_RESET)",
        [NO_FAULT_STATE, Model, Model, Model],
    ),
    fault(
        "hot_add",
        "a disk is added under load",
        [Both, Both, Model, Both],
    ),
];
