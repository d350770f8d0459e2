//! Calling the host tool while its QEMU is talked to.

use super::call::call_with;
use super::{Called, Monitor, MonitorSocket};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// One turn of waiting for QEMU to be started.
const TURN: Duration = Duration::from_millis(10);

/// The same as [`call_with`], while `meanwhile` talks to QEMU once it is there.
#[must_use]
pub fn call_watched(
    command: &str,
    flags: &[&str],
    qemu: &[String],
    meanwhile: impl FnOnce(&mut Monitor) + Send,
) -> Called {
    let socket = MonitorSocket::new();
    let qemu = [&socket.argument()[..], qemu].concat();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let still_runs = || {
                std::thread::park_timeout(TURN);
                !ended.load(Ordering::Acquire)
            };
            if let Some(mut monitor) = socket.accept_while(still_runs) {
                meanwhile(&mut monitor);
            }
        });
        let called = call_with(command, flags, &qemu);
        ended.store(true, Ordering::Release);
        called
    })
}

/// Reads that a node has answered.
fn reads(monitor: &mut Monitor, node: &str) -> u64 {
    let all = monitor.execute("query-blockstats", &json!({}));
    let all = all.as_array().into_iter().flatten();
    let mut of_it = all.filter(|one| one["node-name"] == node);
    let count = of_it
        .next()
        .and_then(|one| one["stats"]["rd_operations"].as_u64());
    count.unwrap_or(0)
}

/// Waits until a node has answered so many reads; how many there were.
pub fn wait_for_reads(monitor: &mut Monitor, node: &str, count: u64) -> u64 {
    loop {
        let done = reads(monitor, node);
        if done >= count {
            return done;
        }
    }
}
