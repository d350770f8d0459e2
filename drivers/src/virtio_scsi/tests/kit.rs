//! What all drivers of SCSI commands on rings must do.

mod on_qemu {
    crate::scsi::kit::tests_for!(crate::virtio_scsi::tests::bench::Qemu);
}

/// Without indirect descriptors.
mod on_direct {
    crate::scsi::kit::tests_for!(crate::virtio_scsi::tests::bench::Direct);
}
