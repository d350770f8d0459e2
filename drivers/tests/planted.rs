//! The tests must notice bugs: planted ones, one at a time.
//!
//! `planted/DRIVER.txt` lists bugs as data. Each is put into a copy of this
//! package, and the unit tests `DRIVER::` of the copy must fail; without a bug
//! they must pass. A bug that does not compile, or whose text is no longer there,
//! is an error of the list and not a success.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One bug of a list.
#[derive(Debug, PartialEq, Eq)]
struct Bug {
    name: String,
    file: String,
    from: String,
    to: String,
}

/// Reads a list: four lines a bug, blank lines and comments between.
fn parse(list: &str) -> Vec<Bug> {
    let lines: Vec<&str> = list
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let value = |line: &str, key: &str| -> String {
        let rest = line.strip_prefix(key);
        let rest = rest.unwrap_or_else(|| panic!("`{key}` expected, found `{line}`"));
        rest.trim().to_string()
    };
    let bugs = lines.chunks(4).map(|lines| {
        assert_eq!(lines.len(), 4, "a bug has four lines: {lines:?}");
        Bug {
            name: value(lines[0], "bug:"),
            file: value(lines[1], "file:"),
            from: value(lines[2], "from:"),
            to: value(lines[3], "to:"),
        }
    });
    bugs.collect()
}

/// A copy of this package, alone in a workspace of its own.
struct Copy {
    root: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// The copy of one lane.
    fn make(lane: usize) -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = package.parent().expect("the package lies in a workspace");
        let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("planted-{lane}"));
        let root = scratch.join("workspace");
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("drivers")).expect("a folder for the copy");
        let manifest = read(&workspace.join("Cargo.toml"));
        write(&root.join("Cargo.toml"), &alone(&manifest));
        for file in ["Cargo.lock", "drivers/Cargo.toml"] {
            write(&root.join(file), &read(&workspace.join(file)));
        }
        copy_folder(&package.join("src"), &root.join("drivers/src"));
        Self {
            root,
            target: scratch.join("target"),
        }
    }

    /// Runs the tests of one driver. The others are left out of the copy, which
    /// halves the time to build it and shows that no driver needs another.
    fn test(&self, driver: &str) -> Output {
        let roots = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
        let others: Vec<String> = lists()
            .into_iter()
            .filter(|(name, _)| name != driver)
            .map(|(name, _)| format!("pub mod {name};"))
            .collect();
        let kept = roots
            .lines()
            .filter(|line| !others.iter().any(|other| other == line));
        let kept: Vec<&str> = kept.collect();
        write(&self.root.join("drivers/src/lib.rs"), &kept.join("\n"));
        Command::new(env!("CARGO"))
            .args(["test", "--offline", "--package", "drivers", "--lib", "--"])
            .arg(format!("{driver}::"))
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "1")
            .env("RUST_BACKTRACE", "0")
            .env("PROPTEST_MAX_SHRINK_ITERS", "0")
            .output()
            .expect("cargo runs")
    }

    /// Plants a bug, runs the tests, and takes it out again; what is wrong with
    /// the bug or the tests, if anything.
    fn try_bug(&self, driver: &str, bug: &Bug) -> Option<String> {
        let path = self.root.join("drivers").join(&bug.file);
        let sound = read(&path);
        let places = sound.matches(&bug.from).count();
        if places != 1 {
            return Some(format!("its text occurs {places} times in {}", bug.file));
        }
        write(&path, &sound.replace(&bug.from, &bug.to));
        let output = self.test(driver);
        write(&path, &sound);
        if output.status.success() {
            Some("no test noticed it".to_string())
        } else if !ran(&output) {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            Some(format!("it does not compile:\n{told}"))
        } else {
            None
        }
    }
}

/// Whether the test program was built and started.
fn ran(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("\nrunning ")
}

/// The workspace's manifest with this package as its only member.
fn alone(manifest: &str) -> String {
    let lines = manifest.lines().map(|line| {
        if line.starts_with("members") {
            "members = [\"drivers\"]\n".to_string()
        } else if line.starts_with("default-members") {
            String::new()
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder for the copy");
    for entry in fs::read_dir(from).expect("the sources are there") {
        let entry = entry.expect("the sources can be listed");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            write(&target, &read(&entry.path()));
        }
    }
}

/// All lists, as (driver, bugs), by name.
fn lists() -> Vec<(String, Vec<Bug>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the lists are there")
        .map(|entry| entry.expect("the lists can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    let lists = paths.iter().map(|path| {
        let driver = path.file_stem().expect("a list has a name");
        let driver = driver.to_string_lossy().into_owned();
        (driver, parse(&read(path)))
    });
    lists.collect()
}

/// The complaints about a share of the bugs, on a copy of its own.
fn work_through(lane: usize, share: &[(&str, &Bug)]) -> Vec<String> {
    let copy = Copy::make(lane);
    let complaints = share.iter().filter_map(|(driver, bug)| {
        let reason = copy.try_bug(driver, bug)?;
        Some(format!("{driver}: {}: {reason}", bug.name))
    });
    complaints.collect()
}

/// Without a bug the tests pass, and there are some.
fn control(driver: &str, copy: &Copy) {
    let control = copy.test(driver);
    let told = String::from_utf8_lossy(&control.stdout).into_owned();
    let errors = String::from_utf8_lossy(&control.stderr).into_owned();
    assert!(control.status.success(), "without a bug:\n{told}\n{errors}");
    assert!(
        ran(&control) && !told.contains("\nrunning 0 tests"),
        "{driver} has no tests"
    );
}

#[test]
fn each_planted_bug_is_caught() {
    let lists = lists();
    let first = Copy::make(0);
    for (driver, bugs) in &lists {
        assert!(!bugs.is_empty(), "{driver} lists no bug");
        control(driver, &first);
    }
    let bugs = lists
        .iter()
        .flat_map(|(driver, bugs)| bugs.iter().map(move |bug| (driver.as_str(), bug)));
    let lanes = std::thread::available_parallelism().map_or(1, |count| count.get().min(4));
    let mut shares: Vec<Vec<(&str, &Bug)>> = vec![Vec::new(); lanes];
    for (at, bug) in bugs.enumerate() {
        shares[at % lanes].push(bug);
    }
    let complaints: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = shares
            .iter()
            .enumerate()
            .map(|(lane, share)| scope.spawn(move || work_through(lane, share)))
            .collect();
        let found = workers.into_iter().map(|worker| worker.join());
        found.flat_map(|lane| lane.expect("a lane ends")).collect()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn lists_are_read_line_by_line() {
    let list = "# note\n\nbug:  a\nfile: b\nfrom: c d\nto:\n\nbug: e\nfile: f\nfrom: g\nto: h\n";
    let bug = |name: &str, file: &str, from: &str, to: &str| Bug {
        name: name.to_string(),
        file: file.to_string(),
        from: from.to_string(),
        to: to.to_string(),
    };
    assert_eq!(
        parse(list),
        [bug("a", "b", "c d", ""), bug("e", "f", "g", "h")]
    );
}
