//! The canonical value of each key; `None` where it has its default and need not be
//! written.

use super::params::{AtEnd, DEFAULT_BS_BYTES, DEFAULT_RANDSEED, Extent, Params, Rw, Verify, Wait};
use super::value;
use crate::units::time_text;
use alloc::string::{String, ToString};

/// For keys that only add to another one.
pub(super) fn nothing(_: &Params) -> Option<String> {
    None
}

fn number<T: PartialEq + ToString>(value: T, default: T) -> Option<String> {
    (value != default).then(|| value.to_string())
}

pub(super) fn description(params: &Params) -> Option<String> {
    number(params.description.as_str(), "")
}

pub(super) fn rw(params: &Params) -> Option<String> {
    (params.rw != Rw::Read).then(|| params.rw.name().to_string())
}

pub(super) fn bs(params: &Params) -> Option<String> {
    let bs = params.bs;
    let default = bs.read_bytes == DEFAULT_BS_BYTES && bs.write_bytes == DEFAULT_BS_BYTES;
    (!default).then(|| value::block_sizes_text(bs))
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
