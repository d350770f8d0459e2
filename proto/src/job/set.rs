//! What each key does to a section. The messages say what would be right; the caller
//! puts the key, the value and the place before them.

use super::draft::Draft;
use super::params::{Extent, Params};
use super::value::{self, MAX_IODEPTH, MAX_POLL_INTERVAL_NS};
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
    draft.params.rw = value::rw(text)?;
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

pub(super) fn numjobs(draft: &mut Draft, text: &str) -> Result {
    match draft.number(text, 0, u64::MAX)? {
        0 => Err(String::from("out of range; allowed is 1")),
        1 => Ok(()),
        _ => Err(String::from(
            "more than one job at the same time is not supported yet; allowed is 1",
        )),
    }
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
    draft.params.verify = value::verify(text)?;
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
