//! Faults that QEMU makes, under the booted guest.
//!
//! A run has four rows on two disks of one controller, first, second, first, second;
//! the second disk has the fault. QEMU's block counters judge the guest's.

mod answers;
mod changes;
mod machine;

/// Makes a test of each cell, `controller::fault`, and the list of them.
macro_rules! cells {
    ($($controller:ident = $name:literal { $($from:ident: $($fault:ident)*;)* })*) => {
        pub mod cells {
            $(mod $controller {
                $($(#[test]
                fn $fault() {
                    super::super::$from::$fault($name);
                })*)*
            })*
        }
        /// Controller and fault of each test here.
        pub const MADE: &[(&str, &str)] =
            &[$($($((stringify!($controller), stringify!($fault)),)*)*)*];
    };
}

cells! {
    pvscsi = "pvscsi" {
        answers: eio enospc task_set_full_once task_set_full_always write_protected;
        changes: unplug hot_add;
    }
    lsisas = "lsisas" {
        answers: eio enospc task_set_full_once task_set_full_always write_protected;
        changes: unplug hot_add;
    }
    nvme = "nvme" {
        answers: eio enospc write_protected;
    }
    virtio_scsi = "virtio-scsi" {
        answers: eio enospc task_set_full_once task_set_full_always write_protected;
        changes: unplug hot_add;
    }
}
