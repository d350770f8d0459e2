//! `sweep=KEY:LIST`: one section becomes a job for each value.

use super::foreign;
use super::keys::{Key, find_key, unknown};
use super::load::Sweep;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Most values of one sweep, and most jobs that a section becomes.
pub(super) const MAX_JOBS: usize = 1024;

/// Reads `KEY:LIST`.
pub(super) fn sweep(text: &str) -> Result<Sweep, String> {
    let (name, list) = text
        .split_once(':')
        .ok_or("give KEY:LIST, such as iodepth:1,2,4..128 or rwmixread:0..100/10")?;
    let name = name.trim();
    let refusal = || foreign::refusal(name).unwrap_or_else(|| unknown(name));
    let key = find_key(name).ok_or_else(refusal)?;
    let once = ["sweep", "repeat", "kb_base", "name", "at_end"];
    if once.contains(&key.name) {
        return Err(format!("`{}` cannot be swept", key.name));
    }
    let values = values(list)?;
    Ok(Sweep {
        key: key.name.to_string(),
        values,
    })
}

/// The values of a list such as `1,2,4..128` (doubling) or `0..100/10` (by steps).
/// The last value of a range always belongs to it.
pub(super) fn values(list: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for part in list.split(',').map(str::trim) {
        if part.is_empty() {
            return Err(String::from(
                "a value is empty; part values by single commas",
            ));
        }
        match part.split_once("..") {
            None => all.push(part.to_string()),
            Some((from, to)) => range(from, to, &mut all)?,
        }
        if all.len() > MAX_JOBS {
            return Err(format!("more than {MAX_JOBS} values"));
        }
    }
    Ok(all)
}

fn range(from: &str, to: &str, all: &mut Vec<String>) -> Result<(), String> {
    let (to, step) = match to.split_once('/') {
        Some((to, step)) => (to, Some(step)),
        None => (to, None),
    };
    let (first, unit) = number(from)?;
    let (last, last_unit) = number(to)?;
    let (step, step_unit) = match step.map(number).transpose()? {
        Some((step, unit)) => (Some(step), unit),
        None => (None, last_unit),
    };
    // One unit counts as a number; different ones are made bytes.
    let same = unit == last_unit && (step_unit == unit || step_unit.is_empty());
    let (first, last, step, unit) = if same {
        (first, last, step, unit)
    } else {
        let bytes = |number: u64, unit: &str| {
            crate::units::size_bytes(&format!("{number}{unit}")).map_err(|error| error.to_string())
        };
        let step = step.map(|step| bytes(step, step_unit)).transpose()?;
        (bytes(first, unit)?, bytes(last, last_unit)?, step, "")
    };
    if first > last {
        return Err(format!("`{from}..{to}` runs backwards"));
    }
    if step == Some(0) || step.is_none() && first == 0 {
        return Err(format!(
            "`{from}..{to}` never ends; a range that starts at 0 needs a step, such as /10"
        ));
    }
    let mut value = first;
    while value < last {
        if all.len() > MAX_JOBS {
            return Ok(());
        }
        all.push(format!("{value}{unit}"));
        value = match step {
            Some(step) => value.saturating_add(step),
            None => value.saturating_mul(2),
        };
    }
    all.push(format!("{last}{unit}"));
    Ok(())
}

/// A whole number and what stands after it.
fn number(text: &str) -> Result<(u64, &str), String> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let number = digits
        .parse()
        .map_err(|_| format!("`{text}` is not a whole number with or without a unit"))?;
    Ok((number, unit))
}

/// Every combination of the values of several sweeps; the first changes slowest.
pub(super) fn combinations(sweeps: &[Sweep]) -> Result<Vec<Vec<(&'static Key, &str)>>, String> {
    let jobs = sweeps
        .iter()
        .try_fold(1usize, |jobs, sweep| jobs.checked_mul(sweep.values.len()))
        .filter(|&jobs| jobs <= MAX_JOBS)
        .ok_or_else(|| format!("its sweeps make more than {MAX_JOBS} jobs"))?;
    let mut all: Vec<Vec<(&'static Key, &str)>> = Vec::with_capacity(jobs);
    all.push(Vec::new());
    for sweep in sweeps {
        let Some(key) = find_key(&sweep.key) else {
            continue;
        };
        all = all
            .iter()
            .flat_map(|before| {
                sweep.values.iter().map(move |value| {
                    let mut with = before.clone();
                    with.push((key, value.as_str()));
                    with
                })
            })
            .collect();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &str) -> Vec<String> {
        values(list).unwrap()
    }

    #[test]
    fn lists_double_and_step() {
        assert_eq!(
            of("1,2,4..128"),
            ["1", "2", "4", "8", "16", "32", "64", "128"]
        );
        assert_eq!(of("0..100/25"), ["0", "25", "50", "75", "100"]);
        assert_eq!(of("0..100/30"), ["0", "30", "60", "90", "100"]);
        assert_eq!(of("1..6"), ["1", "2", "4", "6"]);
        assert_eq!(of("3..3"), ["3"]);
        assert_eq!(of("4k..16k"), ["4k", "8k", "16k"]);
        assert_eq!(of("4k..5m").last().unwrap(), "5242880");
        assert_eq!(of("512..2k"), ["512", "1024", "2048"]);
        assert_eq!(of("10%..30%/10"), ["10%", "20%", "30%"]);
        assert_eq!(of("randread, randwrite"), ["randread", "randwrite"]);
    }

    #[test]
    fn lists_that_make_no_sense_are_refused() {
        for (list, why) in [
            ("1,,2", "a value is empty"),
            ("8..1", "runs backwards"),
            ("0..8", "never ends"),
            ("0..8/0", "never ends"),
            ("a..b", "not a whole number"),
            ("1ms..1s", "not a size"),
            ("0..100000/1", "more than 1024 values"),
        ] {
            let error = values(list).unwrap_err();
            assert!(error.contains(why), "{list}: {error}");
        }
    }

    #[test]
    fn several_multiply_and_the_first_changes_slowest() {
        let sweeps = [sweep("iodepth:1,2").unwrap(), sweep("bs:4k,8k").unwrap()];
        let all = combinations(&sweeps).unwrap();
        let texts: Vec<String> = all
            .iter()
            .map(|one| {
                one.iter()
                    .map(|(_, value)| *value)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(texts, ["1 4k", "1 8k", "2 4k", "2 8k"]);
    }
}
