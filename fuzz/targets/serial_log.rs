//! What a host reads from the guest's serial port.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzz::serial_log(bytes));
