//! 200 rows to a reader that takes 1 KiB in a second: the run takes as long as the
//! reader does, a moment more, and no record is missing. Takes some minutes; another
//! number of rows and of bytes per second may be given.

use std::time::Duration;
use tests::listen_slowly;

/// Boot and rows.
const PLAN: Duration = Duration::from_secs(20);

fn main() {
    let mut args = std::env::args().skip(1);
    let mut number = |default: u32| {
        let given = args.next();
        given.map_or(default, |text| text.parse().expect("a number"))
    };
    let (rows, bytes_per_second) = (number(200), number(1024));
    let slow = listen_slowly(rows, bytes_per_second);
    let read = Duration::from_secs(slow.bytes / u64::from(bytes_per_second));
    println!(
        "{} of {rows} rows; {} bytes, {} a row; {:.1} s, of which the reader took {:.1} s",
        slow.said.rows.len(),
        slow.bytes,
        slow.bytes / u64::from(rows),
        slow.took.as_secs_f64(),
        read.as_secs_f64(),
    );
    assert!(slow.said.summary().is_whole(), "{:?}", slow.said.trouble);
    assert_eq!(slow.said.rows.len(), rows as usize);
    assert!(slow.took <= PLAN + read + read / 10);
}
