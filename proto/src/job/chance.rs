//! Values that steer chance: distributions, splits of block sizes, steadiness.

use super::decimal::{decimal, decimal_text};
use super::draft::Draft;
use super::load::{Distribution, Millionths, Split, SteadyFigure, SteadyLimit, SteadyState};
use super::value::block_size;
use crate::units::size_text;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

type Result<T> = core::result::Result<T, String>;

/// Most sizes of one `bssplit`, as in fio.
const MAX_SPLITS: usize = 64;

const ONE: Millionths = Millionths(1_000_000);
const HUNDRED: Millionths = Millionths(100_000_000);
/// Largest exponent of Zipf's law: beyond it the first block gets nearly everything.
const MAX_THETA: Millionths = Millionths(100_000_000);

pub(super) fn distribution(text: &str) -> Result<Distribution> {
    const ALLOWED: &str = "allowed are random, zipf:THETA, pareto:SHARE and normal:DEVIATION";
    let (kind, argument) = text.split_once(':').unwrap_or((text, ""));
    if matches!(kind, "zoned" | "zoned_abs") {
        return Err(format!("`{kind}` is not supported; {ALLOWED}"));
    }
    if argument.contains(':') {
        return Err(format!(
            "a centre after a second `:` is not supported; {ALLOWED}"
        ));
    }
    let within = |least: Millionths, most: Millionths, range: &str| {
        let value = decimal(argument)?;
        if least <= value && value <= most {
            Ok(value)
        } else {
            Err(format!("`{argument}` is out of range; allowed is {range}"))
        }
    };
    match kind {
        "random" if argument.is_empty() => Ok(Distribution::Random),
        "zipf" if argument.is_empty() => Ok(Distribution::Zipf(Millionths(1_100_000))),
        "pareto" if argument.is_empty() => Ok(Distribution::Pareto(Millionths(200_000))),
        "zipf" => within(Millionths(1), MAX_THETA, "above 0 up to 100").map(Distribution::Zipf),
        "pareto" => within(Millionths(1), Millionths(ONE.0 - 1), "above 0 and below 1")
            .map(Distribution::Pareto),
        "normal" => {
            within(Millionths(1), HUNDRED, "above 0 up to 100 per cent").map(Distribution::Normal)
        }
        _ => Err(String::from(ALLOWED)),
    }
}

pub(super) fn distribution_text(distribution: Distribution) -> Option<String> {
    let (kind, value) = match distribution {
        Distribution::Random => return None,
        Distribution::Zipf(theta) => ("zipf", theta),
        Distribution::Pareto(share) => ("pareto", share),
        Distribution::Normal(deviation) => ("normal", deviation),
    };
    Some(format!("{kind}:{}", decimal_text(value)))
}

/// `4k/10:64k/50:32k/40`; sizes without a share have what is left between them.
pub(super) fn split(draft: &mut Draft, text: &str) -> Result<Vec<Split>> {
    let mut splits = Vec::new();
    let mut open = Vec::new();
    for part in text.split(':') {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let bytes = block_size(draft, size)?;
        let pct = if share.is_empty() {
            open.push(splits.len());
            0
        } else {
            draft.number(share, 0, 100)? as u8
        };
        splits.push(Split { bytes, pct });
    }
    if splits.len() > MAX_SPLITS {
        return Err(format!("{} sizes; {MAX_SPLITS} are the most", splits.len()));
    }
    let given: u32 = splits.iter().map(|split| u32::from(split.pct)).sum();
    if given > 100 || given < 100 && open.is_empty() {
        return Err(format!("the shares make {given} per cent, and not 100"));
    }
    let left = 100 - given as usize;
    for (number, &at) in open.iter().enumerate() {
        let share = left / open.len() + usize::from(number < left % open.len());
        splits[at].pct = share as u8;
    }
    Ok(splits)
}

pub(super) fn split_text(splits: &[Split]) -> String {
    let parts: Vec<String> = splits
        .iter()
        .map(|split| format!("{}/{}", size_text(split.bytes), split.pct))
        .collect();
    parts.join(":")
}

/// `iops:0.3%`, `bw_slope:1m` and the like.
pub(super) fn steady(draft: &mut Draft, text: &str) -> Result<SteadyState> {
    const ALLOWED: &str =
        "allowed are iops, iops_slope, bw and bw_slope, each with :LIMIT or :PERCENT%";
    let (what, limit) = text.split_once(':').ok_or_else(|| String::from(ALLOWED))?;
    let (figure, slope) = match what {
        "iops" => (SteadyFigure::Iops, false),
        "iops_slope" => (SteadyFigure::Iops, true),
        "bw" => (SteadyFigure::Bandwidth, false),
        "bw_slope" => (SteadyFigure::Bandwidth, true),
        _ => return Err(String::from(ALLOWED)),
    };
    let limit = match limit.strip_suffix('%') {
        Some(percent) => SteadyLimit::Percent(decimal(percent)?),
        None => SteadyLimit::Absolute(draft.size(limit)?),
    };
    Ok(SteadyState {
        figure,
        slope,
        limit,
    })
}

pub(super) fn steady_text(steady: SteadyState) -> String {
    let figure = match steady.figure {
        SteadyFigure::Iops => "iops",
        SteadyFigure::Bandwidth => "bw",
    };
    let slope = if steady.slope { "_slope" } else { "" };
    let limit = match steady.limit {
        SteadyLimit::Absolute(limit) => size_text(limit),
        SteadyLimit::Percent(percent) => format!("{}%", decimal_text(percent)),
    };
    format!("{figure}{slope}:{limit}")
}

/// Percentiles such as `99.9:99.99`, in thousandths of a per cent, smallest first.
pub(super) fn percentiles(text: &str) -> Result<Vec<u32>> {
    let mut all = text
        .split(':')
        .map(|part| percentile(part.trim()))
        .collect::<Result<Vec<u32>>>()?;
    if all.len() > 20 {
        return Err(format!("{} percentiles; 20 are the most", all.len()));
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

pub(super) fn percentiles_text(all: &[u32]) -> Option<String> {
    let texts: Vec<String> = all.iter().map(|&one| percentile_text(one)).collect();
    (!texts.is_empty()).then(|| texts.join(":"))
}

/// One percentile, above 0 up to 100, in thousandths of a per cent.
pub(super) fn percentile(text: &str) -> Result<u32> {
    let value = decimal(text)?;
    if value.0 == 0 || value > HUNDRED || !value.0.is_multiple_of(1_000) {
        return Err(format!(
            "`{text}`: allowed is above 0 up to 100, with up to three digits after the point"
        ));
    }
    Ok((value.0 / 1_000) as u32)
}

/// A percentile in thousandths of a per cent as a job file has it: `99.9`.
#[must_use]
pub fn percentile_text(milli_pct: u32) -> String {
    decimal_text(Millionths(u64::from(milli_pct) * 1_000))
}
