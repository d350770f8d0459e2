//! A job file, with overrides after a line `--set`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tests::fuzz::job_text(bytes));
