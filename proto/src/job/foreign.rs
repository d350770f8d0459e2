//! Keys of fio's that do nothing here: those that a probe has no use for are accepted,
//! and those that would change what is measured are refused. They stand in lists of
//! words, as they have nothing but a name and a reason (fio's HOWTO, "Job file
//! parameters").

use super::draft::Draft;
use alloc::format;
use alloc::string::String;

/// Names, parted by blanks, and one reason for all of them.
pub type Group = (&'static str, &'static str);

/// Accepted, noted once, and without effect.
pub const WITHOUT_EFFECT: &[Group] = &[
    ("direct buffered", "every I/O goes to the device"),
    ("ioengine", "the controller is driven directly"),
    (
        "cmd_type userspace_reap hipri hipri_percentage fixedbufs nonvectored registerfiles sqthread_poll sqthread_poll_cpu force_async nowait uncached",
        "they steer an operating system's way to submit, and there is none",
    ),
    (
        "invalidate pre_read fadvise_hint ioscheduler prio prioclass priohint",
        "there is no operating system that caches, orders or ranks I/Os",
    ),
    (
        "thread nice uid gid cgroup cgroup_weight cgroup_nodelete comm cpumask cpus_allowed cpus_allowed_policy numa_cpu_nodes numa_mem_policy",
        "there are no processes",
    ),
    (
        "mem iomem iomem_align mem_align hugepage-size lockmem",
        "buffers are page-aligned, contiguous memory of the probe's own",
    ),
    (
        "clocksource gtod_cpu gtod_reduce job_start_clock_id disable_lat disable_clat disable_slat disable_bw_measurement disable_bw",
        "the processor's time stamps are taken in any case",
    ),
    (
        "write_bw_log write_lat_log write_iops_log write_hist_log write_iolog per_job_logs log_entries log_avg_msec log_hist_msec log_hist_coarseness log_window_value log_max_value log_offset log_prio log_issue_time log_compression log_compression_cpus log_store_compressed log_alternate_epoch log_unix_epoch log_alternate_epoch_clock_id bwavgtime iopsavgtime",
        "what a run leaves is in its folder, see --out",
    ),
    (
        "group_reporting new_group unified_rw_reporting clat_percentiles lat_percentiles slat_percentiles block_error_percentiles significant_figures unit_base stats disk_util",
        "every row is reported by itself and whole",
    ),
    (
        "directory opendir filename_format unique_filename filetype nrfiles nr_files openfiles file_service_type fallocate overwrite create_serialize create_fsync create_on_open allow_file_create allow_mounted_write unlink unlink_each_loop lockfile",
        "disks are no files, and nothing creates or removes them",
    ),
    (
        "end_fsync fsync_on_close end_syncfs",
        "nothing is flushed after the last write; `fsync` and `sync` flush among them",
    ),
    (
        "exitall exitall_on_error exit_what wait_for",
        "jobs run one after another",
    ),
    (
        "exec_prerun exec_postrun",
        "commands of the host are not run",
    ),
    (
        "random_generator softrandommap",
        "random positions come from a keyed permutation, which needs no map; they are others than fio's",
    ),
    (
        "scramble_buffers",
        "no two blocks that are written are alike",
    ),
    (
        "verify_fatal verify_dump verify_async verify_async_cpus verify_state_save verify_write_sequence continue_on_error ignore_error error_dump",
        "wrong data and failed I/Os are counted, and such a row fails",
    ),
    (
        "thinktime_spin rate_cycle ratecycle rwmixcycle",
        "shares, rates and pauses are kept exactly",
    ),
];

/// Refused, because to ignore them would measure something else. With the value 0 or
/// `none` each of them is off, and then accepted.
pub const UNSUPPORTED: &[Group] = &[
    (
        "io_size io_limit fill_device fill_fs",
        "give `size` with `loops`, or `number_ios`",
    ),
    ("filesize file_append", "give `offset` and `size`"),
    ("ramp_size", "give `ramp_time`"),
    (
        "rate rate_min ratemin",
        "give `rate_iops`, the rate in I/Os",
    ),
    (
        "rate_iops_min max_latency latency_run rate_ignore_thinktime",
        "no limit ends a row; the result has the figures to judge it by",
    ),
    (
        "bsrange blocksize_range bs_unaligned blocksize_unaligned bs_is_seq_rand ba blockalign offset_align",
        "give `bs` or `bssplit`; positions are multiples of the block size",
    ),
    (
        "iodepth_low iodepth_batch_complete_max io_submit_mode serialize_overlap",
        "all completions are taken, then all is refilled; give `iodepth_batch_complete_min`",
    ),
    (
        "random_sequence_stride sprandom spr_num_regions spr_op spr_cs percentage_sequential",
        "give `rw` with `percentage_random`",
    ),
    (
        "thinkcycles thinktime_iotime thinktime_blocks_type flow flow_id flow_watermark flow_sleep",
        "give `thinktime`, or `rwmixread` for shares",
    ),
    (
        "write_barrier sync_file_range atomic readfua writefua",
        "give `fsync`, or `sync` for writes that are durable each",
    ),
    (
        "write_hint fdp dataplacement data_placement plid_select fdp_pli_select plids fdp_pli dp_scheme cmdprio_percentage cmdprio cmdprio_class cmdprio_bssplit md_per_io_size pi_act pi_chk apptag apptag_mask write_mode sg_write_mode stream_id",
        "commands carry no hints and no metadata",
    ),
    (
        "verify_only verify_pattern verify_pattern_interval verify_interval verify_offset verify_header_seed verify_policy verify_backlog verify_backlog_batch verify_state_load verifysort verifysort_nr experimental_verify",
        "`verify` compares whole blocks with the pattern of positions, after the job",
    ),
    (
        "trim_percentage trim_verify_zero trim_backlog trim_backlog_batch num_range",
        "give a job with `rw=trim` or `rw=randtrim`",
    ),
    (
        "dedupe_percentage dedupe_mode dedupe_global dedupe_working_set_percentage buffer_compress_chunk",
        "give `buffer_compress_percentage` or `buffer_pattern`",
    ),
    (
        "read_iolog read_iolog_chunked replay_no_stall replay_redirect replay_scale replay_align replay_time_scale replay_skip merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters",
        "traces are not replayed",
    ),
    (
        "zonemode zonesize zonecapacity zonerange zoneskip read_beyond_wp max_open_zones job_max_open_zones ignore_zone_limits zone_reset_threshold zone_reset_frequency recover_zbd_write_error write_zone_remainder",
        "give `offset` and `size`; zones are not known here",
    ),
    (
        "steadystate_check_interval ss_interval",
        "`steadystate` looks once a second",
    ),
    (
        "create_only profile gpu_dev_id",
        "it makes fio do something else than this job",
    ),
];

/// fio's engines that do I/O to files and disks with as many in flight as asked.
const ENGINES: &str =
    "libaio io_uring io_uring_cmd posixaio solarisaio windowsaio sg syslet-rw guasi libblkio";

/// Those that wait for each I/O.
const WAITING_ENGINES: &str = "sync psync vsync pvsync pvsync2 mmap splice";

fn reason(groups: &[Group], name: &str) -> Option<&'static str> {
    let of = |group: &&Group| has_word(group.0, name);
    groups.iter().find(of).map(|group| group.1)
}

fn has_word(words: &str, word: &str) -> bool {
    words.split(' ').any(|one| one == word)
}

/// Every name of both lists.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let groups = WITHOUT_EFFECT.iter().chain(UNSUPPORTED);
    groups.flat_map(|group| group.0.split(' '))
}

/// Does what such a key asks for: nothing, with a remark. `None` if it is none of them.
pub(super) fn apply(
    draft: &mut Draft,
    name: &str,
    value: Option<&str>,
) -> Option<Result<(), String>> {
    if let Some(why) = reason(WITHOUT_EFFECT, name) {
        return Some(without_effect(draft, name, value, why));
    }
    let why = reason(UNSUPPORTED, name)?;
    if let Some(off @ ("0" | "none")) = value {
        draft.remark(format!("`{name}={off}` is how it is in any case"));
        return Some(Ok(()));
    }
    Some(Err(unsupported(name, why)))
}

fn without_effect(
    draft: &mut Draft,
    name: &str,
    value: Option<&str>,
    why: &str,
) -> Result<(), String> {
    match (name, value) {
        ("nrfiles" | "nr_files", Some(files)) if files != "1" => {
            return Err(format!(
                "`{name}={files}`: a disk is one file, so allowed is 1"
            ));
        }
        ("direct", Some("0")) | ("buffered", Some("1")) | ("buffered", None) => {
            draft.remark(format!(
                "`{name}` asks for a page cache, and there is none here: every I/O goes to the \
                 device"
            ));
            return Ok(());
        }
        ("ioengine", Some(engine)) if has_word(WAITING_ENGINES, engine) => {
            draft.remark(format!(
                "`ioengine={engine}` is accepted and has no effect: {why}; in fio it waits for \
                 each I/O, and here `iodepth` of them are in flight"
            ));
            return Ok(());
        }
        ("ioengine", Some(engine)) if !has_word(ENGINES, engine) => {
            return Err(format!(
                "`ioengine={engine}` is no engine for disks; leave it out to run the rest of the \
                 job on the selected disks"
            ));
        }
        _ => {}
    }
    draft.remark(format!("`{name}` is accepted and has no effect: {why}"));
    Ok(())
}

fn unsupported(name: &str, why: &str) -> String {
    format!("fio's `{name}` is not supported: {why}")
}

/// Why a key that is in one of the lists is no key to sweep; `None` if it is in none.
pub(super) fn refusal(name: &str) -> Option<String> {
    reason(UNSUPPORTED, name)
        .map(|why| unsupported(name, why))
        .or_else(|| {
            reason(WITHOUT_EFFECT, name)
                .map(|_| format!("`{name}` has no effect here, so there is nothing to compare"))
        })
}
