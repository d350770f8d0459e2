//! Keys of fio's that do nothing here.

use super::{parsed, refusal};
use crate::job::foreign::{Group, UNSUPPORTED, WITHOUT_EFFECT};
use alloc::format;
use alloc::vec::Vec;

#[test]
fn keys_without_effect_are_said_once() {
    let lines = "direct=1\nioengine=libaio\ninvalidate=1\nthread\ndisk_util=0\ngroup_reporting\n";
    let file = parsed(&format!("[a]\n{lines}[b]\nstonewall\n{lines}"));
    assert_eq!(file.jobs[0].name, "a");
    assert_eq!(
        file.notes,
        [
            "t.fio:2: `direct` is accepted and has no effect: every I/O goes to the device",
            "t.fio:3: `ioengine` is accepted and has no effect: the controller is driven directly",
            "t.fio:4: `invalidate` is accepted and has no effect: there is no operating system \
             that caches, orders or ranks I/Os",
            "t.fio:5: `thread` is accepted and has no effect: there are no processes",
            "t.fio:6: `disk_util` is accepted and has no effect: every row is reported by itself \
             and whole",
            "t.fio:7: `group_reporting` is accepted and has no effect: every row is reported by \
             itself and whole",
        ]
    );
}

#[test]
fn every_key_of_fio_that_does_nothing_here_says_so() {
    let names = |groups: &[Group]| -> Vec<&str> {
        groups.iter().flat_map(|group| group.0.split(' ')).collect()
    };
    for name in names(WITHOUT_EFFECT) {
        let value = if name == "ioengine" { "libaio" } else { "1" };
        let file = parsed(&format!("[j]\n{name}={value}"));
        assert_eq!(file.jobs, parsed("[j]").jobs, "{name}");
        assert!(
            file.notes.len() == 1 && file.notes[0].contains(name),
            "{name}"
        );
        assert!(refusal(&format!("sweep={name}:1,2")).contains("has no effect"));
    }
    for name in names(UNSUPPORTED) {
        let message = refusal(&format!("{name}=1"));
        let start = format!("fio's `{name}` is not supported: ");
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(refusal(name), message);
        assert_eq!(parsed(&format!("[j]\n{name}=0")).jobs, parsed("[j]").jobs);
        assert!(refusal(&format!("sweep={name}:1,2")).contains("is not supported"));
    }
}

#[test]
fn keys_without_effect_whose_values_say_more() {
    let note = |line: &str| parsed(&format!("[j]\n{line}")).notes.remove(0);
    for cached in ["direct=0", "buffered=1", "buffered"] {
        let text = note(cached);
        assert!(
            text.contains("there is none here: every I/O goes to the device"),
            "{text}"
        );
    }
    assert!(note("buffered=0").contains("has no effect"));
    let text = note("ioengine=psync");
    assert!(
        text.contains("here `iodepth` of them are in flight"),
        "{text}"
    );
    for engine in ["cpuio", "net", "null", "filecreate", "external:/x.so", ""] {
        let message = refusal(&format!("ioengine={engine}"));
        assert!(message.contains("is no engine for disks"), "{message}");
    }
    let message = refusal("nrfiles=4");
    assert_eq!(message, "`nrfiles=4`: a disk is one file, so allowed is 1");
    assert!(note("zonemode=none").contains("is how it is in any case"));
}
