//! What each key does to a section. The messages say what would be right; the caller
//! puts the key, the value and the place before them.

use super::direction::by_direction;
use super::draft::Draft;
use super::keys::find_key;
use super::load::LatencyTarget;
use super::params::{Extent, MAX_QUEUES, Params};
use super::value::{
    self, MAX_ADAPTERS, MAX_IODEPTH, MAX_NUMJOBS, MAX_POLL_INTERVAL_NS, MAX_TRACE_IOS,
};
use super::{bytes, chance, sweep as list};
use crate::units::moment_ns;
use alloc::format;
use alloc::string::String;

type Result = core::result::Result<(), String>;

pub(super) fn description(draft: &mut Draft, text: &str) -> Result {
    draft.params.description = String::from(text);
    Ok(())
}

pub(super) fn kb_base(draft: &mut Draft, text: &str) -> Result {
    draft.kb_base = value::kb_base(text)?;
    Ok(())
}

pub(super) fn rw(draft: &mut Draft, text: &str) -> Result {
    let (name, modifier) = match text.split_once(':') {
        Some((name, modifier)) => (name, Some(modifier)),
        None => (text, None),
    };
    let rw = value::rw(name)?;
    let (run, hole_bytes) = match modifier {
        None => (1, 0),
        Some(_) if rw.reads() && rw.writes() => {
            return Err(String::from(
                "a modifier behind `:` is for reads, writes or trims alone",
            ));
        }
        Some(ios) if rw.is_random() => (draft.number(ios, 1, u64::from(u32::MAX))? as u32, 0),
        Some(back) if back.starts_with('-') => {
            return Err(String::from("positions do not go backwards here"));
        }
        Some(hole) => (1, value::hole(draft, hole)?),
    };
    let params = &mut draft.params;
    (params.rw, params.rw_run, params.rw_hole_bytes) = (rw, run, hole_bytes);
    Ok(())
}

pub(super) fn rw_sequencer(draft: &mut Draft, text: &str) -> Result {
    draft.params.rw_identical = match text {
        "sequential" => false,
        "identical" => true,
        _ => return Err(String::from("allowed are sequential and identical")),
    };
    Ok(())
}

pub(super) fn bs(draft: &mut Draft, text: &str) -> Result {
    draft.params.bs = value::block_sizes(draft, text)?;
    Ok(())
}

pub(super) fn iodepth(draft: &mut Draft, text: &str) -> Result {
    draft.params.iodepth = depth(draft, text, 1)?;
    Ok(())
}

pub(super) fn iodepth_batch_submit(draft: &mut Draft, text: &str) -> Result {
    draft.params.iodepth_batch_submit = depth(draft, text, 0)?;
    Ok(())
}

pub(super) fn iodepth_batch_complete_min(draft: &mut Draft, text: &str) -> Result {
    draft.params.iodepth_batch_complete_min = depth(draft, text, 0)?;
    Ok(())
}

fn depth(draft: &Draft, text: &str, min: u64) -> core::result::Result<u32, String> {
    let depth = draft.number(text, min, u64::from(MAX_IODEPTH))?;
    Ok(depth as u32)
}

pub(super) fn name(draft: &mut Draft, text: &str) -> Result {
    draft.params.name = value::name(text)?;
    Ok(())
}

pub(super) fn numjobs(draft: &mut Draft, text: &str) -> Result {
    draft.params.numjobs = draft.number(text, 1, u64::from(MAX_NUMJOBS))? as u32;
    Ok(())
}

pub(super) fn rwmixread(draft: &mut Draft, text: &str) -> Result {
    draft.params.rwmixread_pct = draft.number(text, 0, 100)? as u8;
    Ok(())
}

pub(super) fn rwmixwrite(draft: &mut Draft, text: &str) -> Result {
    draft.params.rwmixread_pct = 100 - draft.number(text, 0, 100)? as u8;
    Ok(())
}

pub(super) fn size(draft: &mut Draft, text: &str) -> Result {
    let extent = value::extent(draft, text, (1, 100))?;
    draft.params.size = Some(extent).filter(|&extent| extent != Extent::Bytes(0));
    Ok(())
}

pub(super) fn offset(draft: &mut Draft, text: &str) -> Result {
    draft.params.offset = value::extent(draft, text, (0, 99))?;
    Ok(())
}

pub(super) fn runtime(draft: &mut Draft, text: &str) -> Result {
    let ns = value::time(text)?;
    draft.params.runtime_ns = Some(ns).filter(|&ns| ns > 0);
    Ok(())
}

pub(super) fn time_based(params: &mut Params, on: bool) {
    params.time_based = on;
}

pub(super) fn ramp_time(draft: &mut Draft, text: &str) -> Result {
    draft.params.ramp_ns = value::time(text)?;
    Ok(())
}

pub(super) fn number_ios(draft: &mut Draft, text: &str) -> Result {
    let ios = draft.number(text, 0, u64::MAX)?;
    draft.params.number_ios = Some(ios).filter(|&ios| ios > 0);
    Ok(())
}

pub(super) fn randseed(draft: &mut Draft, text: &str) -> Result {
    draft.params.randseed = draft.number(text, 0, u64::MAX)?;
    Ok(())
}

pub(super) fn randrepeat(draft: &mut Draft, text: &str) -> Result {
    if draft.number(text, 0, 1)? == 0 {
        draft.remark(String::from(
            "`randrepeat=0`: positions are the same in each run nevertheless; \
             give another `randseed` for others",
        ));
    }
    Ok(())
}

pub(super) fn norandommap(params: &mut Params, on: bool) {
    params.norandommap = on;
}

pub(super) fn verify(draft: &mut Draft, text: &str) -> Result {
    draft.params.verify = value::verify(draft, text)?;
    Ok(())
}

pub(super) fn do_verify(params: &mut Params, on: bool) {
    params.do_verify = on;
}

pub(super) fn stonewall(params: &mut Params, on: bool) {
    params.stonewall = on;
}

pub(super) fn filename(draft: &mut Draft, text: &str) -> Result {
    let (disks, others) = value::disks(text)?;
    draft.params.disks = disks;
    for name in others {
        draft.remark(format!(
            "`filename={name}` names no disk by its id; the selected disks are used"
        ));
    }
    Ok(())
}

pub(super) fn controller(draft: &mut Draft, text: &str) -> Result {
    draft.params.controllers = value::controllers(text)?;
    Ok(())
}

pub(super) fn wait(draft: &mut Draft, text: &str) -> Result {
    draft.params.wait = value::wait(text)?;
    Ok(())
}

pub(super) fn irq(draft: &mut Draft, text: &str) -> Result {
    draft.params.irq = Some(value::irq(text)?);
    Ok(())
}

pub(super) fn poll_interval(draft: &mut Draft, text: &str) -> Result {
    let ns = value::time(text)?;
    if ns > MAX_POLL_INTERVAL_NS {
        return Err(String::from("allowed are 0 to 1 s"));
    }
    draft.params.poll_interval_ns = Some(ns);
    Ok(())
}

pub(super) fn stages(params: &mut Params, on: bool) {
    params.stages = on;
}

pub(super) fn trace(draft: &mut Draft, text: &str) -> Result {
    draft.params.trace = draft.number(text, 0, u64::from(MAX_TRACE_IOS))? as u32;
    Ok(())
}

pub(super) fn concurrent(params: &mut Params, on: bool) {
    params.concurrent = on;
}

pub(super) fn adapters(draft: &mut Draft, text: &str) -> Result {
    draft.params.adapters = Some(draft.number(text, 1, u64::from(MAX_ADAPTERS))? as u32);
    Ok(())
}

pub(super) fn ring_pages(draft: &mut Draft, text: &str) -> Result {
    draft.params.ring_pages = Some(value::ring_pages(draft, text)?);
    Ok(())
}

pub(super) fn allow_write(draft: &mut Draft, text: &str) -> Result {
    draft.params.allow_write = value::allowed_disks(text)?;
    Ok(())
}

pub(super) fn scratch(draft: &mut Draft, text: &str) -> Result {
    draft.params.scratch = value::nonces(text)?;
    Ok(())
}

pub(super) fn at_end(draft: &mut Draft, text: &str) -> Result {
    draft.params.at_end = value::at_end(text)?;
    Ok(())
}

pub(super) fn offset_increment(draft: &mut Draft, text: &str) -> Result {
    draft.params.offset_increment = value::extent(draft, text, (0, 99))?;
    Ok(())
}

pub(super) fn startdelay(draft: &mut Draft, text: &str) -> Result {
    if text.contains('-') {
        return Err(String::from(
            "a delay by chance, FROM-TO, is not supported; give one time",
        ));
    }
    draft.params.startdelay_ns = value::time(text)?;
    Ok(())
}

pub(super) fn start_at(draft: &mut Draft, text: &str) -> Result {
    draft.params.start_at_ns = Some(moment_ns(text)?);
    Ok(())
}

pub(super) fn loops(draft: &mut Draft, text: &str) -> Result {
    draft.params.loops = draft.number(text, 1, u64::MAX)?;
    Ok(())
}

pub(super) fn bssplit(draft: &mut Draft, text: &str) -> Result {
    let before = draft.params.bssplit.clone();
    draft.params.bssplit = by_direction(text, &before, |one| chance::split(draft, one))?;
    Ok(())
}

pub(super) fn percentage_random(draft: &mut Draft, text: &str) -> Result {
    let before = draft.params.percentage_random;
    draft.params.percentage_random = by_direction(text, &before, |one| {
        draft.number(one, 0, 100).map(|pct| pct as u8)
    })?;
    Ok(())
}

pub(super) fn random_distribution(draft: &mut Draft, text: &str) -> Result {
    draft.params.distribution = chance::distribution(text)?;
    Ok(())
}

pub(super) fn rate_iops(draft: &mut Draft, text: &str) -> Result {
    let before = draft.params.rate_iops;
    draft.params.rate_iops = by_direction(text, &before, |one| {
        draft
            .number(one, 0, u64::from(u32::MAX))
            .map(|rate| rate as u32)
    })?;
    Ok(())
}

pub(super) fn rate_process(draft: &mut Draft, text: &str) -> Result {
    draft.params.rate_process = value::rate_process(text)?;
    Ok(())
}

pub(super) fn thinktime(draft: &mut Draft, text: &str) -> Result {
    draft.params.thinktime_ns = value::short_time(text)?;
    Ok(())
}

pub(super) fn thinktime_blocks(draft: &mut Draft, text: &str) -> Result {
    draft.params.thinktime_blocks = draft.number(text, 1, u64::from(u32::MAX))? as u32;
    Ok(())
}

fn latency(draft: &mut Draft) -> &mut LatencyTarget {
    &mut draft.params.latency_target
}

pub(super) fn latency_target(draft: &mut Draft, text: &str) -> Result {
    latency(draft).target_ns = value::short_time(text)?;
    Ok(())
}

pub(super) fn latency_window(draft: &mut Draft, text: &str) -> Result {
    latency(draft).window_ns = value::short_time(text)?;
    Ok(())
}

pub(super) fn latency_percentile(draft: &mut Draft, text: &str) -> Result {
    latency(draft).percentile_milli_pct = chance::percentile(text)?;
    Ok(())
}

pub(super) fn steadystate(draft: &mut Draft, text: &str) -> Result {
    draft.params.steadystate = Some(chance::steady(draft, text)?);
    Ok(())
}

pub(super) fn steadystate_duration(draft: &mut Draft, text: &str) -> Result {
    draft.params.steadystate_duration_ns = value::time(text)?;
    Ok(())
}

pub(super) fn steadystate_ramp_time(draft: &mut Draft, text: &str) -> Result {
    draft.params.steadystate_ramp_ns = value::time(text)?;
    Ok(())
}

pub(super) fn percentile_list(draft: &mut Draft, text: &str) -> Result {
    draft.params.percentile_list = chance::percentiles(text)?;
    Ok(())
}

pub(super) fn fsync(draft: &mut Draft, text: &str) -> Result {
    draft.params.fsync = draft.number(text, 0, u64::from(u32::MAX))? as u32;
    Ok(())
}

pub(super) fn fdatasync(draft: &mut Draft, text: &str) -> Result {
    draft.params.fdatasync = draft.number(text, 0, u64::from(u32::MAX))? as u32;
    Ok(())
}

pub(super) fn sync(draft: &mut Draft, text: &str) -> Result {
    draft.params.sync = value::sync(text)?;
    Ok(())
}

pub(super) fn zero_buffers(params: &mut Params, on: bool) {
    params.write_data.zero = on;
}

pub(super) fn refill_buffers(params: &mut Params, on: bool) {
    params.write_data.refill = on;
}

pub(super) fn buffer_compress_percentage(draft: &mut Draft, text: &str) -> Result {
    draft.params.write_data.compress_pct = Some(draft.number(text, 0, 100)? as u8);
    Ok(())
}

pub(super) fn buffer_pattern(draft: &mut Draft, text: &str) -> Result {
    draft.params.write_data.pattern = bytes::pattern(text)?;
    Ok(())
}

pub(super) fn prefill(params: &mut Params, on: bool) {
    params.prefill = on;
}

pub(super) fn repeat(draft: &mut Draft, text: &str) -> Result {
    draft.params.repeat = draft.number(text, 1, 1_000)? as u32;
    Ok(())
}

pub(super) fn sweep(draft: &mut Draft, text: &str) -> Result {
    let sweep = list::sweep(text)?;
    // What a value would be refused for is told here, where the value stands.
    if let Some(key) = find_key(&sweep.key) {
        let mut trial = draft.clone();
        for value in &sweep.values {
            key.apply(&mut trial, Some(value))?;
        }
    }
    // A key is swept once: the later list holds, in the place of the first.
    match draft.sweeps.iter_mut().find(|old| old.key == sweep.key) {
        Some(old) => *old = sweep,
        None => draft.sweeps.push(sweep),
    }
    Ok(())
}

pub(super) fn queue_size(draft: &mut Draft, text: &str) -> Result {
    draft.params.queue_size = Some(draft.number(text, 2, u64::from(MAX_IODEPTH) + 1)? as u32);
    Ok(())
}

pub(super) fn queues(draft: &mut Draft, text: &str) -> Result {
    draft.params.queues = draft.number(text, 1, u64::from(MAX_QUEUES))? as u16;
    Ok(())
}

pub(super) fn doorbell_batch(draft: &mut Draft, text: &str) -> Result {
    draft.params.doorbell_batch = depth(draft, text, 0)?;
    Ok(())
}

pub(super) fn device_depth(draft: &mut Draft, text: &str) -> Result {
    draft.params.device_depth = Some(depth(draft, text, 1)?);
    Ok(())
}

pub(super) fn shadow_doorbells(draft: &mut Draft, text: &str) -> Result {
    draft.params.shadow_doorbells = Some(value::switch(text)?);
    Ok(())
}

pub(super) fn kick_suppression(draft: &mut Draft, text: &str) -> Result {
    draft.params.kick_suppression = Some(value::switch(text)?);
    Ok(())
}
