//! Every key of the job language. docs/jobs.md shows this table, and a test holds the
//! two together.

use super::keys::{Action, Key};
use super::{get, set};

/// The table. Canonical job files have its order.
pub const KEYS: &[Key] = &[
    fio(
        "description",
        &[],
        "text",
        "",
        "For a person.",
        Action::Value(set::description, get::description),
    ),
    fio(
        "kb_base",
        &[],
        "1024 or 1000",
        "1024",
        "What `k` counts. Holds for the whole section, wherever it stands.",
        Action::Value(set::kb_base, get::nothing),
    ),
    fio(
        "rw",
        &["readwrite"],
        "read, write, randread, randwrite, rw (readwrite), randrw",
        "read",
        "Direction and order.",
        Action::Value(set::rw, get::rw),
    ),
    fio(
        "bs",
        &["blocksize"],
        "SIZE, or READ,WRITE; multiples of 512 up to 1g",
        "4k",
        "Block size. Of two, an empty one keeps its value.",
        Action::Value(set::bs, get::bs),
    ),
    fio(
        "iodepth",
        &[],
        "1 to 65535",
        "1",
        "I/Os kept in flight.",
        Action::Value(set::iodepth, get::iodepth),
    ),
    fio(
        "iodepth_batch_submit",
        &["iodepth_batch"],
        "0 to 65535",
        "1",
        "I/Os submitted at once; 0 and more than `iodepth` are `iodepth`.",
        Action::Value(set::iodepth_batch_submit, get::iodepth_batch_submit),
    ),
    fio(
        "iodepth_batch_complete_min",
        &["iodepth_batch_complete"],
        "0 to 65535",
        "1",
        "Refill only after this many completions, at most `iodepth`; 0 is the same as 1, since completions are always looked for first.",
        Action::Value(
            set::iodepth_batch_complete_min,
            get::iodepth_batch_complete_min,
        ),
    ),
    fio(
        "numjobs",
        &[],
        "1",
        "1",
        "Jobs at the same time. More than one is not supported yet.",
        Action::Value(set::numjobs, get::nothing),
    ),
    fio(
        "rwmixread",
        &[],
        "0 to 100",
        "50",
        "Reads among the I/Os of a mix, in per cent.",
        Action::Value(set::rwmixread, get::rwmixread),
    ),
    fio(
        "rwmixwrite",
        &[],
        "0 to 100",
        "50",
        "Writes among the I/Os of a mix. Of this and `rwmixread` the later one holds.",
        Action::Value(set::rwmixwrite, get::nothing),
    ),
    fio(
        "size",
        &[],
        "SIZE, or 1% to 100%",
        "0",
        "Length of the region, and what is transferred unless `time_based`; 0 is the rest of the disk.",
        Action::Value(set::size, get::size),
    ),
    fio(
        "offset",
        &["fileoffset"],
        "SIZE, or 0% to 99%",
        "0",
        "Start of the region.",
        Action::Value(set::offset, get::offset),
    ),
    fio(
        "runtime",
        &["timeout"],
        "TIME",
        "0",
        "Longest measuring time; 0 is no limit.",
        Action::Value(set::runtime, get::runtime),
    ),
    fio(
        "time_based",
        &[],
        "0 or 1",
        "0",
        "Start over until `runtime` is up.",
        Action::Flag(set::time_based, get::time_based),
    ),
    fio(
        "ramp_time",
        &[],
        "TIME",
        "0",
        "Run this long before measuring.",
        Action::Value(set::ramp_time, get::ramp_time),
    ),
    fio(
        "number_ios",
        &[],
        "0 to 2^64 - 1",
        "0",
        "Stop after this many I/Os, if nothing else stops the job before; 0 is no limit.",
        Action::Value(set::number_ios, get::number_ios),
    ),
    fio(
        "randseed",
        &[],
        "0 to 2^64 - 1",
        "137",
        "Seed of positions and mix.",
        Action::Value(set::randseed, get::randseed),
    ),
    fio(
        "randrepeat",
        &[],
        "0 or 1",
        "1",
        "Repeat the same positions in each run. 0 is noted and changes nothing: give another `randseed` for other positions.",
        Action::Value(set::randrepeat, get::nothing),
    ),
    fio(
        "norandommap",
        &[],
        "0 or 1",
        "0",
        "Random positions may repeat before all were visited.",
        Action::Flag(set::norandommap, get::norandommap),
    ),
    fio(
        "verify",
        &[],
        "none or pattern",
        "none",
        "Compare what is read with the pattern that writes carry, in which every 512 bytes hold their own position.",
        Action::Value(set::verify, get::verify),
    ),
    fio(
        "do_verify",
        &[],
        "0 or 1",
        "1",
        "With `verify`, read back what a job wrote.",
        Action::Flag(set::do_verify, get::do_verify),
    ),
    fio(
        "stonewall",
        &["wait_for_previous"],
        "0 or 1",
        "0",
        "Wait for the jobs before. Jobs run one after another in any case.",
        Action::Flag(set::stonewall, get::stonewall),
    ),
    fio(
        "filename",
        &[],
        "DISK[,DISK..]",
        "every selected disk",
        "Disks to run on, by id. Any other name is noted and leaves the selection as it is.",
        Action::Value(set::filename, get::filename),
    ),
    own(
        "controller",
        "pvscsi, lsisas, nvme, virtio-scsi (one or more), or all",
        "all",
        "Controllers to run on.",
        Action::Value(set::controller, get::controller),
    ),
    own(
        "wait",
        "poll",
        "poll",
        "How completions are awaited.",
        Action::Value(set::wait, get::wait),
    ),
    own(
        "stages",
        "0 or 1",
        "0",
        "Split every latency into its stages.",
        Action::Flag(set::stages, get::stages),
    ),
    own(
        "ring_pages",
        "1, 2, 4, 8, 16 or 32",
        "the driver's",
        "Request ring pages of a PVSCSI adapter.",
        Action::Value(set::ring_pages, get::ring_pages),
    ),
    own(
        "allow_write",
        "DISK[:SIGNATURE][,..]",
        "none",
        "Disks that may be written though they carry no scratch stamp.",
        Action::Value(set::allow_write, get::allow_write),
    ),
    own(
        "scratch",
        "NONCE[,NONCE..]",
        "none",
        "Disks stamped with one of these may be written.",
        Action::Value(set::scratch, get::scratch),
    ),
    own(
        "at_end",
        "stay, poweroff or reboot",
        "stay",
        "What the machine does after the run, where the host does not end it. Of several jobs the first that asks for something else than stay is obeyed.",
        Action::Value(set::at_end, get::at_end),
    ),
    nothing("direct", "every I/O goes to the device"),
    nothing("ioengine", "the controller is driven directly"),
    nothing("invalidate", "there is no cache to invalidate"),
    nothing("thread", "there are no processes"),
    nothing(
        "disk_util",
        "there is no operating system that keeps such counts",
    ),
    nothing("group_reporting", "every row is reported by itself"),
    later("bssplit"),
    later("loops"),
    later("percentage_random"),
    later("random_distribution"),
    later("rate_iops"),
    later("rate_process"),
    later("latency_target"),
    later("latency_window"),
    later("latency_percentile"),
    later("steadystate"),
    later("steadystate_duration"),
    later("steadystate_ramp_time"),
    later("percentile_list"),
    later("buffer_pattern"),
    later("zero_buffers"),
    later("refill_buffers"),
    later("thinktime"),
    later("startdelay"),
    later("fsync"),
    later("fdatasync"),
    later("sync"),
    later("offset_increment"),
    own_later("irq"),
    own_later("poll_interval"),
    own_later("queue_size"),
    own_later("queues"),
    own_later("device_depth"),
    own_later("doorbell_batch"),
    own_later("shadow_doorbells"),
    own_later("kick_suppression"),
    own_later("trace"),
    own_later("concurrent"),
    own_later("start_at"),
    own_later("sweep"),
    own_later("repeat"),
];

const fn fio(
    name: &'static str,
    aliases: &'static [&'static str],
    values: &'static str,
    default: &'static str,
    meaning: &'static str,
    action: Action,
) -> Key {
    Key {
        name,
        aliases,
        own: false,
        values,
        default,
        meaning,
        action,
    }
}

const fn own(
    name: &'static str,
    values: &'static str,
    default: &'static str,
    meaning: &'static str,
    action: Action,
) -> Key {
    Key {
        own: true,
        ..fio(name, &[], values, default, meaning, action)
    }
}

const fn nothing(name: &'static str, why: &'static str) -> Key {
    fio(name, &[], "any", "", why, Action::Nothing(why))
}

const fn later(name: &'static str) -> Key {
    fio(name, &[], "", "", "", Action::NotYet)
}

const fn own_later(name: &'static str) -> Key {
    own(name, "", "", "", Action::NotYet)
}
