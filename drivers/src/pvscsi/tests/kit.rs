//! What all drivers of SCSI commands on rings must do, on QEMU's adapter and on ESXi's.

mod on_qemu {
    crate::scsi::kit::tests_for!(crate::pvscsi::tests::bench::Qemu);
}

mod on_esxi {
    crate::scsi::kit::tests_for!(crate::pvscsi::tests::bench::Esxi);
}
