//! A session on two controllers of a kind, one of which has a fault in one row.

use super::rig::{Refusal, Rig};
use core::cell::{Cell, RefCell};
use drivers::fake::{FakeClock, FakeHal, FakeMemory};
use drivers::hal::Hal as _;
use engine::fake::NoCounters;
use engine::session::{Adapter, Inject, Link, NoLine, NoWallClock, Setup, run};
use proto::exit::GuestExit;
use proto::job::{Params, Rw};
use proto::record::Record;
use proto::result::{Run, RunStatus};
use std::rc::Rc;

/// I/Os of each row.
pub const IOS: u64 = 400;
/// The row that has the fault: the second job on the first disk.
pub const FAULTY: usize = 3;
/// Rows of a session: three jobs on three disks.
const ROWS: usize = 9;
/// Rows of the controller that has no fault.
pub const ELSEWHERE: [usize; 3] = [2, 5, 8];

/// Something that happens to the controller.
type Act<D> = Box<dyn FnMut(&FakeHal<D>)>;

/// Something that happens in the faulty row after so many commands of it.
struct Planned<D> {
    after: u64,
    act: Option<Act<D>>,
}

/// What is to come.
pub struct Bench<R: Rig> {
    pub clock: FakeClock,
    hals: [FakeHal<R::Device>; 2],
    jobs: Vec<Params>,
    planned: Rc<RefCell<Vec<Planned<R::Device>>>>,
    start: Act<R::Device>,
    slow: bool,
}

/// What came.
pub struct Outcome {
    pub exit: GuestExit,
    pub rows: Vec<Run>,
    pub notes: Vec<String>,
    /// I/Os that each row is to do.
    pub asked: Vec<u64>,
    /// Reads and writes that the row's device fetched in each row.
    pub fetched: Vec<u64>,
    pub broken_rules: Vec<String>,
}

/// Counts what devices fetch between the two marks of a row, and lets things happen.
struct Watching<'a, R: Rig> {
    hals: &'a [FakeHal<R::Device>; 2],
    start: &'a mut Act<R::Device>,
    slow: bool,
    /// Commands of the first device when the faulty row began.
    faulty_from: Rc<Cell<Option<u64>>>,
    before: u64,
    rows: Vec<Run>,
    notes: Vec<String>,
    fetched: Vec<(usize, u64)>,
}

impl<R: Rig> Watching<'_, R> {
    fn all(&self) -> u64 {
        let each = self.hals.iter().map(|hal| R::transfers(&hal.device()));
        each.sum()
    }
}

impl<R: Rig> Link for Watching<'_, R> {
    fn record(&mut self, record: &Record) {
        match record {
            Record::Row(run) => self.rows.push((**run).clone()),
            Record::Note(note) => self.notes.push(note.text.clone()),
            _ => {}
        }
    }

    fn sync(&mut self, number: u32) {
        let row = number as usize / 2;
        let [hal, _] = self.hals;
        if number.is_multiple_of(2) {
            self.before = self.all();
            if row == FAULTY {
                (self.start)(hal);
                self.faulty_from.set(Some(R::transfers(&hal.device())));
                if self.slow {
                    hal.clock().set_step_ticks(5_000_000);
                }
            }
        } else {
            self.fetched.push((row, self.all() - self.before));
            if row == FAULTY {
                self.faulty_from.set(None);
                hal.clock().set_step_ticks(1_000);
                R::heal(&mut hal.device());
            }
        }
    }
}

/// A job of [`IOS`] I/Os of 4 KiB, eight at a time.
pub fn job(name: &str, rw: Rw) -> Params {
    let mut params = Params::new(name);
    params.rw = rw;
    params.iodepth = 8;
    params.number_ios = Some(IOS);
    params
}

fn disk_id<R: Rig>(pci: &str, disk: u16) -> String {
    format!("{}@{pci}:{}", R::KIND, R::address(disk))
}

impl<R: Rig> Bench<R> {
    /// Three jobs of this kind, which may write.
    pub fn new(rw: Rw) -> Self {
        let clock = FakeClock::default();
        clock.step_on_now(true);
        clock.set_step_ticks(1_000);
        clock.set_relax_ticks(1_000);
        let machine = || FakeHal::on(FakeMemory::default(), clock.clone(), R::device);
        let hals = [machine(), machine()];
        let mut jobs: Vec<Params> = ["before", "fault", "after"]
            .iter()
            .map(|name| job(name, rw))
            .collect();
        if rw.writes() {
            for params in &mut jobs {
                let pci = ["00:03.0", "00:04.0"];
                let all = pci
                    .iter()
                    .flat_map(|at| [disk_id::<R>(at, 0), disk_id::<R>(at, 1)]);
                params.allow_write = all.collect();
            }
        }
        // Of the second controller one disk is enough.
        for params in &mut jobs {
            params.queues = R::QUEUES;
            params.disks = vec![
                disk_id::<R>("00:03.0", 0),
                disk_id::<R>("00:03.0", 1),
                disk_id::<R>("00:04.0", 0),
            ];
        }
        Self {
            clock,
            hals,
            jobs,
            planned: Rc::default(),
            start: Box::new(|_| {}),
            slow: false,
        }
    }

    /// The first controller, before the session starts.
    pub fn hal(&self) -> &FakeHal<R::Device> {
        &self.hals[0]
    }

    /// Changes the second job.
    pub fn change(mut self, change: impl FnOnce(&mut Params)) -> Self {
        change(&mut self.jobs[1]);
        self
    }

    /// The disk refuses commands of the row on each of these blocks, so many times.
    pub fn refusing(self, how: Refusal, blocks: &'static [u64], times: u32) -> Self {
        self.at_start(move |hal| {
            for block in blocks {
                R::refuse(&mut hal.device(), how, Some(*block), times);
            }
        })
    }

    /// Something happens when the row begins.
    pub fn at_start(mut self, act: impl FnMut(&FakeHal<R::Device>) + 'static) -> Self {
        self.start = Box::new(act);
        self
    }

    /// Something happens once the device has fetched so many commands of the row.
    pub fn after(self, commands: u64, act: impl FnMut(&FakeHal<R::Device>) + 'static) -> Self {
        let planned = Planned {
            after: commands,
            act: Some(Box::new(act) as Act<R::Device>),
        };
        self.planned.borrow_mut().push(planned);
        self
    }

    /// Time flies in the row, which waits for its time-out.
    pub fn waits_long(mut self) -> Self {
        self.slow = true;
        self
    }

    /// Runs the session.
    pub fn run(self) -> Outcome {
        let drivers: Vec<R::Driver> = self.hals.iter().map(R::start).collect();
        self.run_on(drivers)
    }

    /// The same with drivers that were started otherwise.
    pub fn run_with(self, start: impl Fn(&FakeHal<R::Device>) -> R::Driver) -> Outcome {
        let drivers: Vec<R::Driver> = self.hals.iter().map(start).collect();
        self.run_on(drivers)
    }

    fn run_on(mut self, drivers: Vec<R::Driver>) -> Outcome {
        let faulty_from = Rc::new(Cell::new(None));
        self.watch(&faulty_from);
        let adapters = drivers.into_iter().zip(["00:03.0", "00:04.0"]);
        let adapters = adapters
            .map(|(driver, pci)| Adapter {
                pci: pci.into(),
                pci_id: "0000:0000".into(),
                bars: Vec::new(),
                interrupts: Vec::new(),
                line: Box::new(NoLine),
                controller: Box::new(driver),
            })
            .collect();
        let mut link = Watching::<R> {
            hals: &self.hals,
            start: &mut self.start,
            slow: self.slow,
            faulty_from,
            before: 0,
            rows: Vec::new(),
            notes: Vec::new(),
            fetched: Vec::new(),
        };
        let exit = run(Setup {
            clock: &self.clock,
            link: &mut link,
            counters: &NoCounters,
            wall: &mut NoWallClock,
            adapters,
            jobs: &self.jobs,
            origin_ticks: 0,
            records_sent: 0,
            inject: Inject::None,
        });
        let (rows, notes, seen) = (link.rows, link.notes, link.fetched);
        let mut fetched = vec![0; rows.len()];
        for (row, count) in seen {
            fetched[row] = count;
        }
        let each = self.jobs.iter().flat_map(|job| [job.number_ios; 3]);
        let asked = each.map(|ios| ios.unwrap_or(0)).collect();
        let mut broken_rules: Vec<String> = Vec::new();
        for hal in &self.hals {
            broken_rules.extend(R::broken_rules(&hal.device()));
            let memory = hal.memory().violations();
            broken_rules.extend(memory.iter().map(|one| format!("{one:?}")));
        }
        Outcome {
            exit,
            rows,
            notes,
            asked,
            fetched,
            broken_rules,
        }
    }

    /// Lets what is planned happen, as soon as the device has fetched enough.
    fn watch(&self, faulty_from: &Rc<Cell<Option<u64>>>) {
        let (planned, from) = (Rc::clone(&self.planned), Rc::clone(faulty_from));
        let hal = self.hals[0].clone();
        self.clock.watch(Rc::new(move |_| {
            let Some(start) = from.get() else { return };
            let done = R::transfers(&hal.device()) - start;
            for one in planned.borrow_mut().iter_mut() {
                if done >= one.after
                    && let Some(mut act) = one.act.take()
                {
                    act(&hal);
                }
            }
        }));
    }
}

impl Outcome {
    /// The row with the fault.
    pub fn faulty(&self) -> &Run {
        &self.rows[FAULTY]
    }

    /// I/Os of the faulty row that ended well, and commands of it, one way or other.
    pub fn done(&self) -> u64 {
        self.faulty().read.ios + self.faulty().write.ios
    }

    pub fn commands(&self) -> u64 {
        self.faulty().commands.read + self.faulty().commands.write
    }

    /// The reason that the faulty row gives.
    pub fn reason(&self) -> &str {
        self.faulty().reason.as_deref().unwrap_or_default()
    }

    /// The faulty row failed, and says this.
    pub fn failed_saying(self, part: &str) -> Self {
        let reason = self.reason();
        assert_eq!(self.faulty().status, RunStatus::Failed, "{reason}");
        assert!(reason.contains(part), "{reason}");
        assert_eq!(self.exit, GuestExit::Failed);
        self
    }

    /// The faulty row is well in the end.
    pub fn well_in_the_end(self) -> Self {
        let reason = self.reason();
        assert_eq!(self.faulty().status, RunStatus::Ok, "{reason}");
        assert_eq!((self.done(), self.faulty().errors), (IOS, 0), "{reason}");
        self
    }

    /// The faulty row has so many errors and retries, and all its other I/Os.
    pub fn counts(self, errors: u64, retries: u64) -> Self {
        let row = self.faulty();
        assert_eq!((row.errors, row.retries), (errors, retries), "{row:?}");
        assert_eq!(self.done() + errors, IOS, "{row:?}");
        assert_eq!(self.commands(), IOS + retries, "{row:?}");
        assert_eq!(row.commands.failed, errors, "{row:?}");
        let moved = row.commands.read_bytes + row.commands.write_bytes;
        assert_eq!(moved, (IOS - errors) * 4096, "{row:?}");
        self.fetched_all()
    }

    /// The device fetched what the faulty row says that it was given.
    pub fn fetched_all(self) -> Self {
        assert_eq!(self.commands(), self.fetched[FAULTY], "{:?}", self.faulty());
        self
    }

    /// The faulty row gave up: what it did not end well is an error or was lost,
    /// `lost` of them.
    pub fn lost(self, lost: u64) -> Self {
        let row = self.faulty();
        let known = self.done() + row.errors + row.retries;
        assert_eq!(self.commands(), known + lost, "{row:?}");
        self
    }

    /// Broken rules of this kind are none of the driver's.
    pub fn excusing(mut self, part: &str) -> Self {
        self.broken_rules.retain(|rule| !rule.contains(part));
        self
    }

    /// These rows are well, with every count exact.
    pub fn well(&self, rows: impl IntoIterator<Item = usize>) {
        for at in rows {
            let row = &self.rows[at];
            let said = format!("row {at}: {:?}", row.reason);
            assert_eq!(row.status, RunStatus::Ok, "{said}");
            let commands = row.commands.read + row.commands.write;
            let asked = self.asked[at];
            assert_eq!(row.read.ios + row.write.ios, asked, "{said}");
            assert_eq!((row.errors, row.retries), (0, 0), "{said}");
            assert_eq!((commands, self.fetched[at]), (asked, asked), "{said}");
        }
    }

    /// All rows but the faulty one are well, and no rule was broken.
    pub fn others_unharmed(self) {
        self.others_unharmed_but(&[]);
    }

    /// The same, but for these rows, which are not asked for.
    pub fn others_unharmed_but(self, rows: &[usize]) {
        assert_eq!(self.rows.len(), ROWS);
        self.well((0..ROWS).filter(|at| *at != FAULTY && !rows.contains(at)));
        assert_eq!(self.broken_rules, [""; 0]);
    }
}
