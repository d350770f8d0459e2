//! The real-time clock, for the wall clock's time (Motorola MC146818A; its registers are
//! read through two ports, IBM PC AT). It shows whole seconds, so its time is known best
//! at the edge of one.
//!
//! What it shows is taken for UTC.

use crate::hal::port::{CMOS_DATA, CMOS_INDEX};
use alloc::format;
use alloc::string::String;
use drivers::hal::Clock;
use engine::session::{WallClock, WallTie};
use proto::units::DateTime;

const SECOND: u8 = 0x00;
const MINUTE: u8 = 0x02;
const HOUR: u8 = 0x04;
const DAY: u8 = 0x07;
const MONTH: u8 = 0x08;
const YEAR: u8 = 0x09;
const STATUS_A: u8 = 0x0a;
const STATUS_B: u8 = 0x0b;

/// Status A: the registers change soon, or right now.
const UPDATING: u8 = 1 << 7;
/// Status B: hours count to 24.
const HOURS_24: u8 = 1 << 1;
/// Status B: numbers are binary, not BCD.
const BINARY: u8 = 1 << 2;
/// Hours that count to 12: it is afternoon.
const AFTERNOON: u8 = 1 << 7;

/// Longest time from one second's edge to the next, with some room.
const EDGE_MS: u64 = 2_500;
/// An edge that was seen more exactly than this is good; the best of so many is taken.
const GOOD_EDGE_US: u64 = 100;
const EDGES: u32 = 3;
/// All registers are read soon after the edge.
const SNAPSHOT_MS: u64 = 500;

/// Access to the clock's registers.
pub trait Registers {
    /// One of them.
    fn read(&mut self, register: u8) -> u8;
}

/// The machine's own.
#[derive(Clone, Copy, Debug)]
pub struct Cmos;

impl Registers for Cmos {
    fn read(&mut self, register: u8) -> u8 {
        CMOS_INDEX.write(register);
        CMOS_DATA.read()
    }
}

/// The real-time clock.
#[derive(Debug)]
pub struct Rtc<R, C> {
    registers: R,
    clock: C,
    /// Register of the century, where the firmware names one.
    century: Option<u8>,
    /// The firmware says that there is no such clock.
    absent: bool,
}

impl<C: Clock> Rtc<Cmos, C> {
    /// The machine's, beside its clock.
    pub const fn new(clock: C, century: Option<u8>, absent: bool) -> Self {
        Self {
            registers: Cmos,
            clock,
            century,
            absent,
        }
    }
}

/// An edge of a second: the looks before and after it.
#[derive(Clone, Copy, Debug)]
struct Edge {
    before: u64,
    after: u64,
}

impl<R: Registers, C: Clock> Rtc<R, C> {
    /// Waits for the next second.
    fn edge(&mut self) -> Result<Edge, String> {
        let start = self.clock.now_ticks();
        let limit = self.clock.ms_to_ticks(EDGE_MS);
        let first = self.registers.read(SECOND);
        let mut before = start;
        loop {
            let look = self.clock.now_ticks();
            let second = self.registers.read(SECOND);
            let after = self.clock.now_ticks();
            // On a chip the registers are undefined while they change.
            if second != first && self.registers.read(STATUS_A) & UPDATING == 0 {
                return Ok(Edge { before, after });
            }
            if after.saturating_sub(start) > limit {
                return Err(String::from("the real-time clock stands still"));
            }
            before = look;
            self.clock.relax();
        }
    }

    /// What it shows, read twice alike.
    fn snapshot(&mut self) -> Option<u64> {
        let mut last = None;
        for _ in 0..16 {
            let now = self.registers_once();
            if last == Some(now) {
                return seconds(&now);
            }
            last = Some(now);
        }
        None
    }

    /// Seconds to years, century, status B.
    fn registers_once(&mut self) -> [u8; 8] {
        let mut read = |register| self.registers.read(register);
        let mut all = [SECOND, MINUTE, HOUR, DAY, MONTH, YEAR].map(&mut read);
        let century = self.century.map(&mut read);
        let status = read(STATUS_B);
        if status & BINARY == 0 {
            let afternoon = all[2] & AFTERNOON;
            all[2] &= !AFTERNOON;
            all = all.map(from_bcd);
            all[2] |= afternoon;
        }
        let [second, minute, hour, day, month, year] = all;
        let century = century.map_or(0, |century| match status & BINARY {
            0 => from_bcd(century),
            _ => century,
        });
        [second, minute, hour, day, month, year, century, status]
    }
}

/// Two decimal digits of four bits each; 255, which no field may be, where they are none.
const fn from_bcd(byte: u8) -> u8 {
    let (tens, ones) = (byte >> 4, byte & 0xf);
    if tens > 9 || ones > 9 {
        return u8::MAX;
    }
    tens * 10 + ones
}

fn seconds(registers: &[u8; 8]) -> Option<u64> {
    let [second, minute, hour, day, month, year, century, status] = *registers;
    let hour = match (status & HOURS_24 != 0, hour & AFTERNOON != 0) {
        (true, _) => hour,
        (false, afternoon) => (hour & !AFTERNOON) % 12 + if afternoon { 12 } else { 0 },
    };
    // Without a register of the century, or with one that nobody keeps: this one.
    let century = if (20..=99).contains(&century) {
        u16::from(century)
    } else {
        20
    };
    let time = DateTime {
        year: century * 100 + u16::from(year),
        month,
        day,
        hour,
        minute,
        second,
    };
    time.unix_seconds().filter(|_| year < 100)
}

impl<R: Registers, C: Clock> WallClock for Rtc<R, C> {
    fn tie(&mut self) -> Result<WallTie, String> {
        if self.absent {
            return Err(String::from("the machine has no real-time clock"));
        }
        let good = self.clock.ticks_per_second() / 1_000_000 * GOOD_EDGE_US;
        let mut best: Option<(u64, WallTie)> = None;
        for _ in 0..EDGES {
            let edge = self.edge()?;
            let width = edge.after.saturating_sub(edge.before);
            let shown = self.snapshot();
            let late = self.clock.now_ticks().saturating_sub(edge.after);
            if late > self.clock.ms_to_ticks(SNAPSHOT_MS) {
                continue;
            }
            let seconds = shown.ok_or_else(|| {
                let read = self.registers_once();
                format!("the real-time clock shows no time: {read:?}")
            })?;
            let tie = WallTie {
                // The second began before this look: a row never starts too early.
                ticks: edge.after,
                unix_ns: seconds.saturating_mul(1_000_000_000),
            };
            if best.is_none_or(|(other, _)| width < other) {
                best = Some((width, tie));
            }
            if width <= good {
                break;
            }
        }
        best.map(|(_, tie)| tie)
            .ok_or_else(|| String::from("the real-time clock could not be read in time"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use std::rc::Rc;

    /// A clock of 1 GHz; each look takes 100 ns.
    #[derive(Clone)]
    struct Time(Rc<Cell<u64>>);

    impl Clock for Time {
        fn now_ticks(&self) -> u64 {
            self.0.set(self.0.get() + 100);
            self.0.get()
        }
        fn ticks_per_second(&self) -> u64 {
            1_000_000_000
        }
        fn relax(&self) {}
    }

    /// A clock chip that started at a second since 1970, at tick 0.
    struct Chip {
        time: Time,
        started_s: u64,
        status: u8,
        /// Ticks that each read takes.
        read_ticks: u64,
        stuck: bool,
    }

    impl Registers for Chip {
        fn read(&mut self, register: u8) -> u8 {
            let now = self.time.0.get() + self.read_ticks;
            self.time.0.set(now);
            let since = if self.stuck { 0 } else { now / 1_000_000_000 };
            let shown = DateTime::of_unix_seconds(self.started_s + since);
            let value = match register {
                SECOND => shown.second,
                MINUTE => shown.minute,
                HOUR if self.status & HOURS_24 != 0 => shown.hour,
                HOUR => {
                    let hour = self.coded(if shown.hour % 12 == 0 {
                        12
                    } else {
                        shown.hour % 12
                    });
                    return hour | if shown.hour >= 12 { AFTERNOON } else { 0 };
                }
                DAY => shown.day,
                MONTH => shown.month,
                YEAR => (shown.year % 100) as u8,
                0x32 => (shown.year / 100) as u8,
                STATUS_A => return 0x26,
                STATUS_B => return self.status,
                _ => 0xff,
            };
            self.coded(value)
        }
    }

    impl Chip {
        fn coded(&self, value: u8) -> u8 {
            match self.status & BINARY {
                0 => value / 10 * 16 + value % 10,
                _ => value,
            }
        }
    }

    fn rtc(started_s: u64, status: u8, century: Option<u8>) -> Rtc<Chip, Time> {
        let time = Time(Rc::default());
        Rtc {
            registers: Chip {
                time: time.clone(),
                started_s,
                status,
                read_ticks: 1_000,
                stuck: false,
            },
            clock: time,
            century,
            absent: false,
        }
    }

    #[test]
    fn every_way_to_show_a_time_gives_the_same() {
        for status in [0, HOURS_24, BINARY, HOURS_24 | BINARY] {
            for century in [None, Some(0x32)] {
                // Midnight, noon, 11 and 13 o'clock, a leap day, another century.
                for started_s in [
                    1_796_083_199,
                    1_796_126_399,
                    1_796_122_800,
                    1_796_130_000,
                    1_835_395_200,
                ] {
                    let tie = rtc(started_s, status, century).tie().unwrap();
                    assert_eq!(tie.unix_ns, (started_s + 1) * 1_000_000_000);
                    // Not before the second, and by two reads and looks after it.
                    assert!((1_000_000_000..1_000_004_000).contains(&tie.ticks));
                }
            }
        }
        let late = rtc(4_100_000_000, HOURS_24, Some(0x32)).tie().unwrap();
        assert_eq!(late.unix_ns, 4_100_000_001_000_000_000);
    }

    #[test]
    fn an_edge_that_was_hardly_seen_is_sought_again() {
        let mut rtc = rtc(1_796_119_200, HOURS_24, None);
        // Looks 7 ms apart come nearer to some edges than to others.
        rtc.registers.read_ticks = 7_000_000;
        let tie = rtc.tie().unwrap();
        let second = tie.unix_ns - 1_796_119_200_000_000_000;
        assert!(tie.ticks >= second && tie.ticks - second < 22_000_000);
        let looked = rtc.clock.0.get() / 1_000_000_000;
        assert!(looked >= u64::from(EDGES), "so many edges: {looked}");
    }

    #[test]
    fn a_clock_that_stands_still_or_shows_nonsense_is_none() {
        let mut stuck = rtc(1_796_119_200, HOURS_24, None);
        stuck.registers.stuck = true;
        assert_eq!(
            stuck.tie(),
            Err(String::from("the real-time clock stands still"))
        );
        stuck.absent = true;
        let why = stuck.tie().unwrap_err();
        assert_eq!(why, "the machine has no real-time clock");
        assert_eq!(seconds(&[0, 0, 0, 31, 2, 26, 20, HOURS_24]), None);
        assert_eq!(seconds(&[0, 0, 0, 1, 1, 255, 20, HOURS_24]), None);
        assert_eq!(from_bcd(0x5a), 255);
    }
}
