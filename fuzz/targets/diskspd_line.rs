//! A diskspd command line.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzz::diskspd_line(bytes));
