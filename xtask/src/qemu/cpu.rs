//! Processor time that QEMU's threads used, from /proc.

use std::collections::BTreeMap;
use std::path::Path;

/// Processor seconds by thread: (thread id, name).
pub type ThreadSeconds = BTreeMap<(u32, String), f64>;

/// Ticks per second of the times in /proc/PID/stat: Linux's USER_HZ on x86.
const USER_HZ: f64 = 100.0;

/// Samples all threads of a process; empty where /proc has nothing to say.
#[must_use]
pub fn sample(pid: u32) -> ThreadSeconds {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else {
        return ThreadSeconds::new();
    };
    tasks
        .filter_map(|task| {
            let task = task.ok()?;
            let id = task.file_name().to_str()?.parse().ok()?;
            // A thread may end between listing and reading: then it has no part.
            let (name, seconds) = thread(&task.path())?;
            Some(((id, name), seconds))
        })
        .collect()
}

fn thread(task: &Path) -> Option<(String, f64)> {
    let stat = std::fs::read_to_string(task.join("stat")).ok()?;
    let (name, ticks) = parse_stat(&stat)?;
    // schedstat has nanoseconds, where the kernel was built with it.
    let seconds = std::fs::read_to_string(task.join("schedstat"))
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(ticks as f64 / USER_HZ, |ns| ns / 1e9);
    Some((name, seconds))
}

/// Name and utime + stime of a stat line (proc_pid_stat(5), fields 2, 14, 15).
/// The name may hold spaces and brackets.
fn parse_stat(stat: &str) -> Option<(String, u64)> {
    let (open, close) = (stat.find('(')?, stat.rfind(')')?);
    let name = stat.get(open + 1..close)?;
    let mut fields = stat.get(close + 2..)?.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some((name.to_owned(), user + system))
}

/// Seconds used between two samples: by virtual processors, by all others. A
/// thread that is in the later sample only started in between.
#[must_use]
pub fn used(before: &ThreadSeconds, after: &ThreadSeconds) -> Option<(f64, f64)> {
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let mut sums = (0.0, 0.0);
    for (thread, seconds) in after {
        let part = (seconds - before.get(thread).copied().unwrap_or(0.0)).max(0.0);
        if thread.1.starts_with("CPU ") {
            sums.0 += part;
        } else {
            sums.1 += part;
        }
    }
    Some(sums)
}

/// Seconds used between two samples by each name of a thread.
#[must_use]
pub fn used_by_name(before: &ThreadSeconds, after: &ThreadSeconds) -> BTreeMap<String, f64> {
    let mut sums = BTreeMap::new();
    for (thread, seconds) in after {
        let part = (seconds - before.get(thread).copied().unwrap_or(0.0)).max(0.0);
        *sums.entry(thread.1.clone()).or_default() += part;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let stat = "77 (CPU 0/TCG (x)) R 1 2 3 4 5 6 7 8 9 10 250 50 0 0";
        assert_eq!(parse_stat(stat), Some(("CPU 0/TCG (x)".into(), 300)));
        assert_eq!(parse_stat("garbage"), None);
    }

    #[test]
    fn splits_processors_from_the_rest() {
        let key = |id, name: &str| (id, name.to_owned());
        let before = BTreeMap::from([(key(1, "qemu"), 1.0), (key(2, "CPU 0/TCG"), 2.0)]);
        let after = BTreeMap::from([
            (key(1, "qemu"), 1.5),
            (key(2, "CPU 0/TCG"), 5.0),
            (key(3, "IO iothread0"), 0.25),
        ]);
        assert_eq!(used(&before, &after), Some((3.0, 0.75)));
        assert_eq!(used(&BTreeMap::new(), &after), None);
    }

    #[test]
    fn threads_of_one_name_are_one() {
        let key = |id, name: &str| (id, name.to_owned());
        let before = BTreeMap::from([(key(1, "worker"), 1.0), (key(2, "CPU 0/TCG"), 2.0)]);
        let after = BTreeMap::from([
            (key(1, "worker"), 1.5),
            (key(2, "CPU 0/TCG"), 5.0),
            (key(3, "worker"), 0.25),
        ]);
        let expected = [("CPU 0/TCG".to_owned(), 3.0), ("worker".to_owned(), 0.75)];
        assert_eq!(used_by_name(&before, &after), BTreeMap::from(expected));
    }

    #[test]
    fn sees_this_process() {
        assert!(!sample(std::process::id()).is_empty());
    }
}
