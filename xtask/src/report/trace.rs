//! trace.csv: the I/Os that rows kept one by one, a line each.

use super::csv::quote;
use proto::record::{Decoder, Event, Record, TRACE_DIRECTIONS, Trace, TraceIo, View, row_number};
use std::io::{self, Read, Write};

/// Times but for the latency are from the start of the row's window. What stands
/// between submission and completion is there with `stages=1` only.
const HEADER: &str = "row,job,numjob,controller,seq,direction,offset_bytes,length_bytes,\
    submit_ns,written_ns,doorbell_ns,doorbell_done_ns,found_ns,complete_ns,latency_ns";

/// Bytes of a log that are taken at once.
const STEP_BYTES: usize = 1 << 16;

/// Writes what a serial log has of such I/Os; returns how many, and writes nothing at
/// all where there is none. What is damaged in the log is left out: it is found and
/// told by whoever judges the log.
///
/// # Errors
/// If either cannot be read or written.
pub fn write_trace(log: &mut dyn Read, csv: &mut dyn Write) -> io::Result<u64> {
    let mut decoder = Decoder::new();
    let mut bytes = vec![0; STEP_BYTES];
    let mut ios = 0;
    loop {
        let count = match log.read(&mut bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut traces = Vec::new();
        let mut keep = |event| traces.extend(trace_of(event));
        // A line feed ends the last, unfinished line.
        match count {
            0 => decoder.feed(b"\n", &mut keep),
            _ => decoder.feed(&bytes[..count], &mut keep),
        }
        for trace in traces {
            let kept = trace.ios().unwrap_or_default();
            if ios == 0 && !kept.is_empty() {
                writeln!(csv, "{HEADER}")?;
            }
            ios += kept.len() as u64;
            for io in &kept {
                write_io(csv, &trace, io)?;
            }
        }
        if count == 0 {
            return Ok(ios);
        }
    }
}

fn trace_of(event: Event) -> Option<Trace> {
    let Event::Record(raw) = event else {
        return None;
    };
    if raw.kind() != "trace" {
        return None;
    }
    match raw.view() {
        View::Known(record) => match *record {
            Record::Trace(trace) => Some(trace),
            _ => None,
        },
        _ => None,
    }
}

fn write_io(csv: &mut dyn Write, trace: &Trace, io: &TraceIo) -> io::Result<()> {
    let after = |ns: u64| io.submit_ns.saturating_add_unsigned(ns);
    let stage = |at: usize| match io.stages_ns {
        Some(stages) => after(stages[at]).to_string(),
        None => String::new(),
    };
    let text = |text: Option<&str>| quote(text.unwrap_or_default());
    writeln!(
        csv,
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
        row_number(trace.row),
        text(Some(&trace.job)),
        io.numjob,
        text(
            trace
                .controllers
                .get(io.controller as usize)
                .map(String::as_str)
        ),
        io.seq,
        text(TRACE_DIRECTIONS.get(io.direction as usize).copied()),
        io.offset_bytes,
        io.length_bytes,
        io.submit_ns,
        stage(0),
        stage(1),
        stage(2),
        stage(3),
        after(io.latency_ns),
        io.latency_ns,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::record::encode;

    fn io(seq: u64, stages: bool) -> TraceIo {
        TraceIo {
            seq,
            direction: 1,
            offset_bytes: 4096 * seq,
            length_bytes: 4096,
            submit_ns: 1_000 * seq as i64 - 500,
            stages_ns: stages.then_some([10, 20, 40, 700]),
            latency_ns: 800,
            ..TraceIo::default()
        }
    }

    fn of(row: u32, job: &str, ios: &[TraceIo]) -> Record {
        Record::Trace(Trace::new(row, job, &["nvme@00:03.0".into()], 0, ios))
    }

    fn csv(log: &str) -> (u64, String) {
        let mut csv = Vec::new();
        let count = write_trace(&mut log.as_bytes(), &mut csv).unwrap();
        (count, String::from_utf8(csv).unwrap())
    }

    #[test]
    fn a_line_per_io_with_one_header() {
        let first = encode(0, &of(0, "a,b", &[io(0, true), io(1, true)]));
        // The last line of a log that was cut off.
        let second = encode(1, &of(2, "c", &[io(7, false)]));
        let log = format!("noise\n{first}{}", second.trim_end());
        let (count, text) = csv(&log);
        assert_eq!(count, 3);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                HEADER,
                "1,\"a,b\",0,nvme@00:03.0,0,write,0,4096,-500,-490,-480,-460,200,300,800",
                "1,\"a,b\",0,nvme@00:03.0,1,write,4096,4096,500,510,520,540,1200,1300,800",
                "3,c,0,nvme@00:03.0,7,write,28672,4096,6500,,,,,7300,800",
            ]
        );
        let columns = |line: &str| line.split(',').count();
        assert_eq!(columns(lines[3]), columns(HEADER));
    }

    #[test]
    fn without_such_ios_there_is_not_even_a_header() {
        let empty = encode(0, &of(0, "a", &[]));
        assert_eq!(csv(&empty), (0, String::new()));
        let damaged = encode(0, &of(0, "a", &[io(0, false)])).replace("4096", "4097");
        assert_eq!(csv(&damaged), (0, String::new()));
    }
}
