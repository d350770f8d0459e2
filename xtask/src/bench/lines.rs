//! The one-line results of the programs that the probe is compared with.

use crate::failure::Failure;
use std::str::FromStr;

/// What a program measured at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Commands that were to be kept in flight.
    pub depth: u32,
    /// Commands kept in flight: fewer where the controller takes no more.
    pub in_flight: u32,
    /// Commands completed.
    pub ios: u64,
    /// In how long, in ns.
    pub ns: u64,
    /// Doorbells rung; 0 where the program does not tell.
    pub doorbells: u64,
}

impl Point {
    /// I/Os per second.
    #[must_use]
    pub fn iops(&self) -> f64 {
        self.ios as f64 * 1e9 / self.ns as f64
    }
}

/// `ceiling KIND depth=32 in_flight=32 ios=286000 ns=2000123456 doorbells=20000`,
/// as the ceiling loop prints it; `None` for any other line.
#[must_use]
pub fn ceiling(line: &str) -> Option<(&str, Point)> {
    let rest = line.trim().strip_prefix("ceiling ")?;
    let (kind, rest) = rest.split_once(' ')?;
    let point = Point {
        depth: field(rest, "depth")?,
        in_flight: field(rest, "in_flight")?,
        ios: field(rest, "ios")?,
        ns: field(rest, "ns").filter(|&ns| ns > 0)?,
        doorbells: field(rest, "doorbells")?,
    };
    Some((kind, point))
}

/// `@peer point depth=32 engine=libaio ios=29000 ms=2001`, as the Linux peer
/// prints it; `None` for any other line.
#[must_use]
pub fn peer(line: &str) -> Option<Point> {
    let rest = line.trim().strip_prefix("@peer point ")?;
    let depth = field(rest, "depth")?;
    Some(Point {
        depth,
        in_flight: depth,
        ios: field(rest, "ios")?,
        ns: field::<u64>(rest, "ms").filter(|&ms| ms > 0)? * 1_000_000,
        doorbells: 0,
    })
}

/// The value of `name=value` among words.
pub(super) fn field<T: FromStr>(words: &str, name: &str) -> Option<T> {
    words
        .split_ascii_whitespace()
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))?
        .parse()
        .ok()
}

/// The points of the depths asked, in that order.
///
/// # Errors
/// [`Failure::Guest`] if one is missing.
pub fn in_order(points: &[Point], depths: &[u32], of: &str) -> Result<Vec<Point>, Failure> {
    let find = |depth: u32| {
        let found = points.iter().find(|point| point.depth == depth);
        found
            .copied()
            .ok_or_else(|| Failure::Guest(format!("{of} gave no figure for depth {depth}")))
    };
    depths.iter().map(|&depth| find(depth)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ceilings_line() {
        let line =
            "ceiling lsisas depth=128 in_flight=127 ios=300000 ns=2000000000 doorbells=20000\r\n";
        let (kind, point) = ceiling(line).unwrap();
        assert_eq!(kind, "lsisas");
        assert_eq!((point.depth, point.in_flight), (128, 127));
        assert_eq!((point.iops(), point.doorbells), (150_000.0, 20_000));
        for line in [
            "ceiling",
            "ceiling error: no disk",
            "ceiling pvscsi depth=32 in_flight=32 ios=3",
            "ceiling pvscsi depth=32 ios=3 ns=4 doorbells=1",
            "ceiling pvscsi depth=x in_flight=32 ios=3 ns=4 doorbells=1",
            "ceiling pvscsi depth=32 in_flight=32 ios=3 ns=0 doorbells=1",
            "@ioprobe 1 2 3 {}",
        ] {
            assert_eq!(ceiling(line), None, "{line}");
        }
    }

    #[test]
    fn the_peers_line() {
        let point = peer("@peer point depth=1 engine=io_uring ios=12525 ms=2500").unwrap();
        assert_eq!((point.depth, point.iops()), (1, 5010.0));
        assert_eq!(peer("@peer begin"), None);
        assert_eq!(peer("@peer point depth=1 engine=x ios=5 ms=0"), None);
    }

    #[test]
    fn a_missing_depth_is_named() {
        let point = Point {
            depth: 1,
            in_flight: 1,
            ios: 1,
            ns: 1,
            doorbells: 1,
        };
        assert_eq!(in_order(&[point], &[1], "x").unwrap(), [point]);
        let failure = in_order(&[point], &[1, 32], "the ceiling loop").unwrap_err();
        assert_eq!(
            failure.message(),
            "the ceiling loop gave no figure for depth 32"
        );
    }
}
