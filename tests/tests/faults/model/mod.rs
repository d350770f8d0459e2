//! Faults that device models in memory make, under the drivers and whole sessions.
//!
//! A session has three jobs on two disks of one controller and one disk of another
//! of its kind. The fault strikes the second job's row on the first disk; what
//! becomes of that row and of all others is looked at, with every count.

mod answers;
mod bench;
mod changes;
mod endings;
mod indices;
mod lies;
mod lsisas;
mod nvme;
mod pvscsi;
mod rig;
mod virtio_scsi;

use lsisas::LsisasRig;
use nvme::NvmeRig;
use pvscsi::PvscsiRig;
use virtio_scsi::VirtioRig;

/// Makes a test of each cell, `controller::fault`, and the list of them.
macro_rules! cells {
    ($($controller:ident = $rig:ident { $($from:ident: $($fault:ident)*;)* })*) => {
        pub mod cells {
            $(mod $controller {
                $($(#[test]
                fn $fault() {
                    super::super::$from::$fault::<super::super::$rig>();
                })*)*
            })*
        }
        /// Controller and fault of each test here.
        pub const MADE: &[(&str, &str)] =
            &[$($($((stringify!($controller), stringify!($fault)),)*)*)*];
    };
}

cells! {
    pvscsi = PvscsiRig {
        answers: eio enospc busy_once busy_always task_set_full_once task_set_full_always
            short wrong_residual write_protected medium_removed;
        endings: stall reset_in_flight never all_ones;
        changes: unplug hot_add;
        lies: doubled unknown late;
        indices: index_wrap queue_full;
    }
    lsisas = LsisasRig {
        answers: eio enospc busy_once busy_always task_set_full_once task_set_full_always
            short wrong_residual write_protected medium_removed;
        endings: stall reset_in_flight never all_ones controller_fault;
        changes: unplug hot_add;
        lies: doubled unknown late;
        indices: queue_full;
    }
    nvme = NvmeRig {
        answers: eio enospc busy_once busy_always write_protected;
        endings: stall reset_in_flight never all_ones controller_fault;
        changes: unplug hot_add;
        lies: doubled unknown late;
        indices: index_wrap queue_full;
    }
    virtio_scsi = VirtioRig {
        answers: eio enospc busy_once busy_always task_set_full_once task_set_full_always
            short wrong_residual write_protected medium_removed;
        endings: stall reset_in_flight never all_ones controller_fault;
        changes: unplug hot_add;
        lies: doubled unknown late;
        indices: index_wrap queue_full;
    }
}

/// The same faults of controllers whose jobs use three queues: tests beside the
/// matrix, which names a fault of a controller once.
macro_rules! with_three_queues {
    ($($controller:ident = $rig:ident { $($from:ident: $($fault:ident)*;)* })*) => {
        mod three_queues {
            $(mod $controller {
                $($(#[test]
                fn $fault() {
                    super::super::$from::$fault::<super::super::$rig<3>>();
                })*)*
            })*
        }
    };
}

with_three_queues! {
    nvme = NvmeRig {
        answers: eio busy_once busy_always;
        endings: stall reset_in_flight never all_ones controller_fault;
        lies: doubled unknown late;
        indices: index_wrap queue_full;
    }
    virtio_scsi = VirtioRig {
        answers: eio busy_once busy_always short;
        endings: stall reset_in_flight never all_ones controller_fault;
        lies: doubled unknown late;
        indices: index_wrap queue_full;
    }
}
