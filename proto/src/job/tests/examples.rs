//! Job files as fio's users write them, whole.

use super::{errors, parsed};
use crate::job::{Extent, Rw};
use alloc::vec::Vec;

#[test]
fn a_file_from_an_administrator() {
    let file = parsed(
        "; random mix on a data disk\n\
         [global]\n\
         ioengine=libaio\n\
         direct=1\n\
         filename=/dev/sdb\n\
         size=10g\n\
         time_based\n\
         runtime=60s\n\
         group_reporting\n\
         \n\
         [oltp]\n\
         readwrite=randrw\n\
         rwmixwrite=30\n\
         blocksize=8k\n\
         iodepth=16\n\
         \n\
         [backup]\n\
         stonewall\n\
         rw=read\n\
         bs=1M\n\
         iodepth=4\n",
    );
    let shapes: Vec<_> = file
        .jobs
        .iter()
        .map(|job| {
            (
                job.name.as_str(),
                job.rw,
                job.rwmixread_pct,
                job.bs.read_bytes,
                job.iodepth,
            )
        })
        .collect();
    assert_eq!(
        shapes,
        [
            ("oltp", Rw::RandRw, 70, 8192, 16),
            ("backup", Rw::Read, 50, 1 << 20, 4)
        ]
    );
    assert!(
        file.jobs
            .iter()
            .all(|job| job.size == Some(Extent::Bytes(10 << 30)))
    );
    assert!(
        file.jobs
            .iter()
            .all(|job| job.runtime_ns == Some(60_000_000_000))
    );
    // ioengine, direct, filename, group_reporting.
    assert_eq!(file.notes.len(), 4);
}

#[test]
fn a_file_with_keys_that_are_not_built_is_refused_not_misread() {
    assert_eq!(
        errors("[a]\nrw=randread\nzonemode=zbd\n"),
        [
            "t.fio:3: fio's `zonemode` is not supported: give `offset` and `size`; zones are not \
             known here",
        ]
    );
}
