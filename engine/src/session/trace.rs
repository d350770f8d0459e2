//! The I/Os that a row kept one by one: memory before it, records after it.

use super::rows::Desk;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use drivers::hal::Clock;
use proto::job::Params;
use proto::record::{Record, TRACE_CHUNK_IOS, Trace};
use proto::result::Run;

impl<K: Clock> Desk<'_, K> {
    /// Gets the memory for what a row shall keep.
    ///
    /// # Errors
    /// How much it would take.
    pub fn reserve_trace(&mut self, params: &Params) -> Result<(), String> {
        if self.workspace.trace.reserve(params.trace) {
            return Ok(());
        }
        let mib = params.trace_bytes().div_ceil(1 << 20);
        Err(format!(
            "trace={} needs {mib} MiB more memory",
            params.trace
        ))
    }

    /// Sends what the last row kept, and gives its memory back.
    pub fn send_trace(&mut self, run: &Run, params: &Params, mut send: impl FnMut(&Record)) {
        let controllers: Vec<String> = match run.shares.is_empty() {
            true => alloc::vec![run.controller.clone()],
            false => run
                .shares
                .iter()
                .map(|one| one.controller.clone())
                .collect(),
        };
        let trace = &self.workspace.trace;
        for first in (0..trace.len()).step_by(TRACE_CHUNK_IOS) {
            let ios = trace.ios(first, TRACE_CHUNK_IOS, params.stages, &self.timebase);
            let (row, job) = (run.row, &run.job);
            send(&Record::Trace(Trace::new(
                row,
                job,
                &controllers,
                first as u64,
                &ios,
            )));
        }
        self.workspace.trace.free();
    }
}
