//! A diskspd command line becomes a job file, with diskspd's meaning and defaults
//! (diskspd's wiki, "Command line and parameters").

use super::fio_args::Converted;
use super::words::words;

/// What diskspd does where nothing is said.
struct Spd {
    block: String,
    seconds: u64,
    warm_up: u64,
    depth: u64,
    threads: u64,
    write_pct: u64,
    random: bool,
    random_pct: Option<u64>,
    size: Option<String>,
    base: Option<String>,
    stride: Option<String>,
    through: bool,
    lines: Vec<String>,
    notes: Vec<String>,
}

/// Reads `-b8K -d60 -o8 -h -L -t8 -W -w30 -c2G`. Without `-r` positions are
/// sequential; the warm-up is 5 s unless `-W` says otherwise.
///
/// # Errors
/// A flag that has no counterpart, by its name, or a value that is none.
pub fn convert(args: &str) -> Result<Converted, String> {
    let mut spd = Spd {
        block: "64k".into(),
        seconds: 10,
        warm_up: 5,
        depth: 2,
        threads: 1,
        write_pct: 0,
        random: false,
        random_pct: None,
        size: None,
        base: None,
        stride: None,
        through: false,
        lines: Vec::new(),
        notes: Vec::new(),
    };
    for word in words(args)? {
        let lower = word.to_ascii_lowercase();
        if matches!(lower.as_str(), "diskspd" | "diskspd.exe") {
            continue;
        }
        match word
            .strip_prefix(['-', '/'])
            .filter(|_| !word.starts_with("/dev/"))
        {
            Some(flag) => spd.flag(&word, flag)?,
            None => spd.notes.push(format!(
                "diskspd's target `{word}` names no disk here; the selected disks are used"
            )),
        }
    }
    spd.finish()
}

impl Spd {
    fn flag(&mut self, word: &str, flag: &str) -> Result<(), String> {
        let mut letters = flag.chars();
        let Some(letter) = letters.next() else {
            return Err(format!("`{word}` is no flag"));
        };
        let value = letters.as_str();
        let number = |otherwise: Option<u64>| match (value, otherwise) {
            ("", Some(otherwise)) => Ok(otherwise),
            _ => value
                .parse::<u64>()
                .map_err(|_| format!("`{word}`: `-{letter}` needs a whole number")),
        };
        match letter {
            'b' => self.block = size(word, value)?,
            'd' => self.seconds = number(None)?,
            'W' => self.warm_up = number(Some(5))?,
            'o' => self.depth = number(None)?,
            't' | 'F' => self.threads = number(None)?,
            'w' => self.write_pct = number(Some(0))?,
            'r' => self.random(word, value)?,
            's' => self.sequential(word, value)?,
            'c' | 'f' if !value.is_empty() && !value.starts_with(['r', 's', 't']) => {
                self.size = Some(size(word, value)?);
            }
            'B' => self.base = Some(size(word, value)?),
            'T' => self.stride = Some(size(word, value)?),
            'h' if value.is_empty() => self.through = true,
            'S' => self.caching(word, value)?,
            'Z' => self.buffers(word, value)?,
            'z' => self.lines.push(format!("randseed={}", number(Some(0))?)),
            'g' => self.rate(word, value)?,
            'C' if number(Some(0))? == 0 => {}
            'L' | 'D' | 'n' | 'a' | 'R' | 'v' | 'P' | 'x' | 'l' | 'f' => self.notes.push(format!(
                "`{word}` has no effect: latencies are always measured, results are shown by \
                 --format, and there is no operating system to be tuned"
            )),
            _ => {
                return Err(format!(
                    "`{word}`: diskspd's `-{letter}` has no counterpart here"
                ));
            }
        }
        Ok(())
    }

    fn random(&mut self, word: &str, value: &str) -> Result<(), String> {
        self.random = true;
        if let Some(pct) = value.strip_prefix('s') {
            let pct = pct.parse().ok().filter(|pct| *pct <= 100);
            self.random_pct = Some(pct.ok_or(format!("`{word}`: `-rs` needs a per cent"))?);
        } else if value.starts_with('d') {
            return Err(format!(
                "`{word}`: diskspd's distributions (`-rd`) have no counterpart here"
            ));
        } else if !value.is_empty() {
            self.aligned(word, value)?;
        }
        Ok(())
    }

    fn sequential(&self, word: &str, value: &str) -> Result<(), String> {
        if value.starts_with('i') {
            return Err(format!(
                "`{word}`: threads that share one position (`-si`) have no counterpart here"
            ));
        }
        if value.is_empty() {
            return Ok(());
        }
        self.aligned(word, value)
    }

    /// A stride or an alignment is the block size, or it has no counterpart.
    fn aligned(&self, word: &str, value: &str) -> Result<(), String> {
        if size(word, value)? == self.block {
            return Ok(());
        }
        Err(format!(
            "`{word}`: an alignment or stride other than the block size has no counterpart here \
             (give -b before it)"
        ))
    }

    fn caching(&mut self, word: &str, value: &str) -> Result<(), String> {
        for letter in value.chars() {
            match letter {
                'h' | 'w' => self.through = true,
                // Caches of an operating system: there is none.
                'u' | 'b' | 'r' => {}
                _ => {
                    return Err(format!(
                        "`{word}`: diskspd's `-S{letter}` has no counterpart here"
                    ));
                }
            }
        }
        Ok(())
    }

    fn buffers(&mut self, word: &str, value: &str) -> Result<(), String> {
        match value {
            "" => self.lines.push("zero_buffers=1".into()),
            "r" => self.lines.push("refill_buffers=1".into()),
            _ if value.contains(',') => {
                return Err(format!(
                    "`{word}`: contents from a file have no counterpart here"
                ));
            }
            _ => {
                size(word, value)?;
                self.lines.push("refill_buffers=1".into());
            }
        }
        Ok(())
    }

    /// Bytes per millisecond, or I/Os per second with an `i` at the end.
    fn rate(&mut self, word: &str, value: &str) -> Result<(), String> {
        let whole = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| format!("`{word}`: `-g` needs a whole number"))
        };
        let rate = match value.strip_suffix('i') {
            Some(iops) => whole(iops)?,
            None => {
                let block = proto::units::size_bytes(&self.block).unwrap_or(1).max(1);
                whole(value)?.saturating_mul(1000) / block
            }
        };
        self.lines.push(format!("rate_iops={}", rate.max(1)));
        Ok(())
    }

    fn finish(mut self) -> Result<Converted, String> {
        if self.write_pct > 100 {
            return Err(format!("`-w{}`: allowed are 0 to 100", self.write_pct));
        }
        let rw = match (self.random, self.write_pct) {
            (true, 0) => "randread",
            (true, 100) => "randwrite",
            (true, _) => "randrw",
            (false, 0) => "read",
            (false, 100) => "write",
            (false, _) => "rw",
        };
        if rw == "rw" {
            self.notes.push(
                "sequential reads and writes keep a position each; diskspd's threads keep one for both"
                    .into(),
            );
        }
        let mut text = format!(
            "[diskspd]\nrw={rw}\nbs={}\niodepth={}\nnumjobs={}\nrwmixwrite={}\nruntime={}\n\
             ramp_time={}\ntime_based\n",
            self.block, self.depth, self.threads, self.write_pct, self.seconds, self.warm_up
        );
        let mut line = |key: &str, value: Option<String>| {
            if let Some(value) = value {
                text.push_str(&format!("{key}={value}\n"));
            }
        };
        line("size", self.size);
        line("offset", self.base);
        line("offset_increment", self.stride);
        line(
            "percentage_random",
            self.random_pct.map(|pct| pct.to_string()),
        );
        // Its random positions are independent of each other.
        line("norandommap", self.random.then(|| "1".into()));
        line("sync", self.through.then(|| "1".into()));
        for line in self.lines {
            text.push_str(&line);
            text.push('\n');
        }
        Ok(Converted {
            text,
            notes: self.notes,
            reads_only: false,
        })
    }
}

/// A size in diskspd's spelling, which is a subset of ours.
fn size(word: &str, value: &str) -> Result<String, String> {
    let plain = value
        .chars()
        .all(|c| c.is_ascii_digit() || "kKmMgGtT".contains(c));
    match proto::units::size_bytes(value) {
        Ok(bytes) if plain => Ok(proto::units::size_text(bytes)),
        _ => Err(format!(
            "`{word}`: `{value}` is no size; K, M, G and T are taken, blocks (b) are not"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::job::{Extent, JobFile, Params, Rw};

    fn job(args: &str) -> Params {
        let text = convert(args).unwrap().text;
        JobFile::parse("--diskspd", &text, &[])
            .unwrap()
            .jobs
            .remove(0)
    }

    /// What the parser says to a line that is well formed.
    fn converted(args: &str) -> String {
        let text = convert(args).unwrap().text;
        JobFile::parse("--diskspd", &text, &[])
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn the_published_line() {
        let job = job("-b8K -d60 -o8 -h -L -t8 -W -w30 -c2G");
        assert_eq!((job.rw, job.bs.read_bytes), (Rw::ReadWrite, 8192));
        assert_eq!((job.iodepth, job.numjobs, job.rwmixread_pct), (8, 8, 70));
        assert_eq!(
            (job.runtime_ns, job.ramp_ns),
            (Some(60_000_000_000), 5_000_000_000)
        );
        assert_eq!(job.size, Some(Extent::Bytes(2 << 30)));
        assert!(job.sync && job.time_based && !job.rw.is_random());
    }

    #[test]
    fn defaults_are_diskspds() {
        let job = job("");
        assert_eq!(
            (job.rw, job.bs.read_bytes, job.iodepth, job.numjobs),
            (Rw::Read, 65_536, 2, 1)
        );
        assert_eq!(
            (job.runtime_ns, job.ramp_ns),
            (Some(10_000_000_000), 5_000_000_000)
        );
        assert!(!job.sync);
    }

    #[test]
    fn other_flags() {
        let random = job("diskspd.exe -r -w100 -W0 -Sh -Zr -B1M -T4M -z7 -g500i -f10G c:\\x.dat");
        assert_eq!(
            (random.rw, random.ramp_ns, random.randseed),
            (Rw::RandWrite, 0, 7)
        );
        assert!(random.norandommap && random.sync && random.write_data.refill);
        assert_eq!(random.offset, Extent::Bytes(1 << 20));
        assert_eq!(random.offset_increment, Extent::Bytes(4 << 20));
        assert_eq!(random.size, Some(Extent::Bytes(10 << 30)));
        assert_eq!(random.rate_iops.read, 500);
        assert_eq!(job("-b4K -r4K").bs.read_bytes, 4096);
        assert_eq!(job("-rs30").percentage_random.read, 30);
        assert_eq!(job("-b64K -g6400").rate_iops.read, 97);
        let error = converted("-b512 -g18446744073709551615");
        assert!(error.contains("allowed are 0 to 4294967295"), "{error}");
        assert!(job("-w50 -Z").write_data.zero);
    }

    #[test]
    fn what_has_no_counterpart_is_named() {
        for (args, named) in [
            ("-si64K", "-si"),
            ("-e10", "-e"),
            ("-Sm", "-Sm"),
            ("-rdpct10/20", "-rd"),
            ("-Z1M,file", "file"),
            ("-b8K -r4K", "alignment"),
            ("-C3", "-C"),
            ("-j5", "-j"),
            ("-b8x", "no size"),
            ("-ox", "-o"),
        ] {
            let error = convert(args).unwrap_err();
            assert!(error.contains(named), "{args}: {error}");
        }
    }
}
