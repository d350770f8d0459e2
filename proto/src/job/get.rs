//! The canonical value of each key; `None` where it has its default and need not be
//! written.

use super::direction::by_direction_text;
use super::load::{LatencyTarget, RateProcess};
use super::params::{AtEnd, DEFAULT_RANDSEED, Extent, Params, Rw, Verify, Wait};
use super::{bytes, chance, value};
use crate::units::{moment_text, size_text, time_text};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// For keys that only add to another one.
pub(super) fn nothing(_: &Params) -> Option<String> {
    None
}

fn time(ns: u64) -> Option<String> {
    (ns > 0).then(|| time_text(ns))
}

fn number<T: PartialEq + ToString>(value: T, default: T) -> Option<String> {
    (value != default).then(|| value.to_string())
}

pub(super) fn description(params: &Params) -> Option<String> {
    number(params.description.as_str(), "")
}

pub(super) fn rw(params: &Params) -> Option<String> {
    let name = params.rw.name();
    match (params.rw_run, params.rw_hole_bytes) {
        (1, 0) => (params.rw != Rw::Read).then(|| name.to_string()),
        (1, hole_bytes) => Some(format!("{name}:{}", size_text(hole_bytes))),
        (ios, _) => Some(format!("{name}:{ios}")),
    }
}

pub(super) fn rw_sequencer(params: &Params) -> Option<String> {
    params.rw_identical.then(|| "identical".to_string())
}

pub(super) fn bs(params: &Params) -> Option<String> {
    value::block_sizes_text(params.bs)
}

pub(super) fn iodepth(params: &Params) -> Option<String> {
    number(params.iodepth, 1)
}

pub(super) fn iodepth_batch_submit(params: &Params) -> Option<String> {
    number(params.iodepth_batch_submit, 1)
}

pub(super) fn iodepth_batch_complete_min(params: &Params) -> Option<String> {
    number(params.iodepth_batch_complete_min, 1)
}

pub(super) fn rwmixread(params: &Params) -> Option<String> {
    number(params.rwmixread_pct, 50)
}

pub(super) fn size(params: &Params) -> Option<String> {
    params.size.map(value::extent_text)
}

pub(super) fn offset(params: &Params) -> Option<String> {
    (params.offset != Extent::Bytes(0)).then(|| value::extent_text(params.offset))
}

pub(super) fn runtime(params: &Params) -> Option<String> {
    params.runtime_ns.map(time_text)
}

pub(super) fn time_based(params: &Params) -> Option<bool> {
    params.time_based.then_some(true)
}

pub(super) fn ramp_time(params: &Params) -> Option<String> {
    (params.ramp_ns > 0).then(|| time_text(params.ramp_ns))
}

pub(super) fn number_ios(params: &Params) -> Option<String> {
    params.number_ios.map(|ios| ios.to_string())
}

pub(super) fn randseed(params: &Params) -> Option<String> {
    number(params.randseed, DEFAULT_RANDSEED)
}

pub(super) fn norandommap(params: &Params) -> Option<bool> {
    params.norandommap.then_some(true)
}

pub(super) fn verify(params: &Params) -> Option<String> {
    match params.verify {
        Verify::None => None,
        Verify::Pattern => Some("pattern".to_string()),
    }
}

pub(super) fn do_verify(params: &Params) -> Option<bool> {
    (!params.do_verify).then_some(false)
}

pub(super) fn stonewall(params: &Params) -> Option<bool> {
    params.stonewall.then_some(true)
}

pub(super) fn filename(params: &Params) -> Option<String> {
    value::list_text(&params.disks)
}

pub(super) fn controller(params: &Params) -> Option<String> {
    value::list_text(&params.controllers)
}

pub(super) fn wait(params: &Params) -> Option<String> {
    (params.wait != Wait::Poll).then(|| params.wait.name().to_string())
}

pub(super) fn irq(params: &Params) -> Option<String> {
    params.irq.map(|irq| irq.name().to_string())
}

pub(super) fn poll_interval(params: &Params) -> Option<String> {
    params.poll_interval_ns.map(time_text)
}

pub(super) fn stages(params: &Params) -> Option<bool> {
    params.stages.then_some(true)
}

pub(super) fn trace(params: &Params) -> Option<String> {
    number(params.trace, 0)
}

pub(super) fn concurrent(params: &Params) -> Option<bool> {
    params.concurrent.then_some(true)
}

pub(super) fn adapters(params: &Params) -> Option<String> {
    params.adapters.map(|count| count.to_string())
}

pub(super) fn ring_pages(params: &Params) -> Option<String> {
    params.ring_pages.map(|pages| pages.to_string())
}

pub(super) fn allow_write(params: &Params) -> Option<String> {
    value::list_text(&params.allow_write)
}

pub(super) fn scratch(params: &Params) -> Option<String> {
    value::list_text(&params.scratch)
}

pub(super) fn at_end(params: &Params) -> Option<String> {
    match params.at_end {
        AtEnd::Stay => None,
        AtEnd::PowerOff => Some("poweroff".to_string()),
        AtEnd::Reboot => Some("reboot".to_string()),
    }
}

pub(super) fn numjobs(params: &Params) -> Option<String> {
    number(params.numjobs, 1)
}

pub(super) fn offset_increment(params: &Params) -> Option<String> {
    (params.offset_increment != Extent::Bytes(0))
        .then(|| value::extent_text(params.offset_increment))
}

pub(super) fn startdelay(params: &Params) -> Option<String> {
    time(params.startdelay_ns)
}

pub(super) fn start_at(params: &Params) -> Option<String> {
    params.start_at_ns.map(moment_text)
}

pub(super) fn loops(params: &Params) -> Option<String> {
    number(params.loops, 1)
}

pub(super) fn bssplit(params: &Params) -> Option<String> {
    by_direction_text(&params.bssplit, &Vec::new(), |splits| {
        chance::split_text(splits)
    })
}

pub(super) fn percentage_random(params: &Params) -> Option<String> {
    by_direction_text(&params.percentage_random, &100, u8::to_string)
}

pub(super) fn random_distribution(params: &Params) -> Option<String> {
    chance::distribution_text(params.distribution)
}

pub(super) fn rate_iops(params: &Params) -> Option<String> {
    by_direction_text(&params.rate_iops, &0, u32::to_string)
}

pub(super) fn rate_process(params: &Params) -> Option<String> {
    (params.rate_process == RateProcess::Poisson).then(|| "poisson".to_string())
}

pub(super) fn thinktime(params: &Params) -> Option<String> {
    time(params.thinktime_ns)
}

pub(super) fn thinktime_blocks(params: &Params) -> Option<String> {
    number(params.thinktime_blocks, 1)
}

pub(super) fn latency_target(params: &Params) -> Option<String> {
    time(params.latency_target.target_ns)
}

pub(super) fn latency_window(params: &Params) -> Option<String> {
    time(params.latency_target.window_ns)
}

pub(super) fn latency_percentile(params: &Params) -> Option<String> {
    let milli_pct = params.latency_target.percentile_milli_pct;
    (milli_pct != LatencyTarget::NONE.percentile_milli_pct)
        .then(|| chance::percentile_text(milli_pct))
}

pub(super) fn steadystate(params: &Params) -> Option<String> {
    params.steadystate.map(chance::steady_text)
}

pub(super) fn steadystate_duration(params: &Params) -> Option<String> {
    time(params.steadystate_duration_ns)
}

pub(super) fn steadystate_ramp_time(params: &Params) -> Option<String> {
    time(params.steadystate_ramp_ns)
}

pub(super) fn percentile_list(params: &Params) -> Option<String> {
    chance::percentiles_text(&params.percentile_list)
}

pub(super) fn fsync(params: &Params) -> Option<String> {
    number(params.fsync, 0)
}

pub(super) fn fdatasync(params: &Params) -> Option<String> {
    number(params.fdatasync, 0)
}

pub(super) fn sync(params: &Params) -> Option<String> {
    params.sync.then(|| "sync".to_string())
}

pub(super) fn zero_buffers(params: &Params) -> Option<bool> {
    params.write_data.zero.then_some(true)
}

pub(super) fn refill_buffers(params: &Params) -> Option<bool> {
    params.write_data.refill.then_some(true)
}

pub(super) fn buffer_compress_percentage(params: &Params) -> Option<String> {
    params.write_data.compress_pct.map(|pct| pct.to_string())
}

pub(super) fn buffer_pattern(params: &Params) -> Option<String> {
    bytes::pattern_text(&params.write_data.pattern)
}

pub(super) fn prefill(params: &Params) -> Option<bool> {
    params.prefill.then_some(true)
}

pub(super) fn repeat(params: &Params) -> Option<String> {
    number(params.repeat, 1)
}

pub(super) fn queue_size(params: &Params) -> Option<String> {
    params.queue_size.map(|slots| slots.to_string())
}

pub(super) fn queues(params: &Params) -> Option<String> {
    number(params.queues, 1)
}

pub(super) fn doorbell_batch(params: &Params) -> Option<String> {
    number(params.doorbell_batch, 0)
}

pub(super) fn device_depth(params: &Params) -> Option<String> {
    params.device_depth.map(|depth| depth.to_string())
}

fn switch(on: Option<bool>) -> Option<String> {
    on.map(|on| if on { "1" } else { "0" }.to_string())
}

pub(super) fn shadow_doorbells(params: &Params) -> Option<String> {
    switch(params.shadow_doorbells)
}

pub(super) fn kick_suppression(params: &Params) -> Option<String> {
    switch(params.kick_suppression)
}
