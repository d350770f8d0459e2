//! A reader of the serial line that is slower than the guest holds it up, and loses
//! nothing. (Inside a measured window nothing is ever said, so that no reader can
//! change a figure.) At 1 KiB/s: `cargo run -p tests --example slow_reader`, some
//! minutes.

use proto::exit::GuestExit;
use tests::listen_slowly;

/// They say more than the pipe to the reader holds.
const ROWS: u32 = 60;
const PIPE_BYTES: u64 = 64 << 10;

#[test]
fn every_record_reaches_a_slow_reader() {
    let slow = listen_slowly(ROWS, 32 << 10);
    assert!(slow.bytes > PIPE_BYTES, "{} bytes", slow.bytes);
    assert!(slow.said.summary().is_whole(), "{:?}", slow.said.trouble);
    assert_eq!(slow.said.trouble, [""; 0]);
    assert_eq!(slow.said.rows.len(), ROWS as usize);
    assert!(slow.said.rows.iter().all(|row| row.run.read.ios == 20));
    assert_eq!(slow.code, Some(GuestExit::Pass.qemu_status()));
}
