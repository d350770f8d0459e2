//! What is kept of a row, and when it starts.

use super::{errors, job, refusal};
use alloc::format;

#[test]
fn traces_have_a_bound() {
    assert_eq!((job("bs=4k").trace, job("trace=64k").trace), (0, 65_536));
    assert_eq!(job("trace=65536").trace_bytes(), 5 << 20);
    assert_eq!(
        refusal("trace=65537"),
        "`trace=65537`: out of range; allowed are 0 to 65536"
    );
}

#[test]
fn moments_are_told_in_two_ways() {
    let ns = Some(1_796_119_200_500_000_000);
    for text in [
        "2026-12-01T10:00:00.5Z",
        "2026-12-01T15:45:00.5+05:45",
        "1796119200.5",
    ] {
        assert_eq!(job(&format!("start_at={text}")).start_at_ns, ns, "{text}");
    }
    assert_eq!(job("bs=4k").start_at_ns, None);
    assert_eq!(
        refusal("start_at=10:00"),
        "`start_at=10:00`: allowed are 2026-12-01T10:00:00Z, 2026-12-01T11:00:00.5+01:00 \
         (RFC 3339) and seconds since 1970, such as 1796119200"
    );
    assert_eq!(
        refusal("start_at=2026-12-01T10:00:00"),
        "`start_at=2026-12-01T10:00:00`: it has no offset; add Z for UTC, or one such as +01:00"
    );
    assert_eq!(
        refusal("start_at=30"),
        "`start_at=30`: that is 1970-01-01T00:00:30Z, and no machine's clock is so early; \
         for a delay there is `startdelay`"
    );
    assert_eq!(
        errors("[a]\nstart_at=1796119200\nstartdelay=1\n"),
        ["t.fio:1: job `a`: `start_at` and `startdelay` both say when it starts; give one of them"]
    );
}
