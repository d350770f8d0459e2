//! The folder of a run. One run, one folder: never a mixture.

use crate::failure::Failure;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;
use time::macros::format_description;

/// A folder that belongs to one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

/// What a run leaves. A folder that holds any of these belongs to another run.
const LEFT: [&str; 5] = [
    "result.json",
    "serial.log",
    "qemu.txt",
    "job.fio",
    "trace.csv",
];

impl RunFolder {
    /// The folder that `--out` names; it may exist, but must hold no run.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it holds one.
    pub fn given(path: &Path) -> Result<Self, Failure> {
        Self::check(path)?;
        fs::create_dir_all(path).map_err(|error| Failure::io(path.display(), &error))?;
        Self::at(path)
    }

    /// Whether [`Self::given`] would take it; nothing is made.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it holds a run or is no folder.
    pub fn check(path: &Path) -> Result<(), Failure> {
        let shown = path.display();
        if let Some(name) = LEFT.iter().find(|name| path.join(name).exists()) {
            return Err(Failure::Usage(format!(
                "--out {shown} holds {name} of another run; give a new folder"
            )));
        }
        match path.metadata() {
            Ok(found) if !found.is_dir() => {
                Err(Failure::Usage(format!("--out {shown} is no folder")))
            }
            _ => Ok(()),
        }
    }

    /// A new folder below `parent`; a number is added where the name is taken.
    ///
    /// # Errors
    /// [`Failure::Environment`] if it cannot be made.
    pub fn new(parent: &Path, name: &str) -> Result<Self, Failure> {
        fs::create_dir_all(parent).map_err(|error| Failure::io(parent.display(), &error))?;
        for attempt in 1_u32.. {
            let path = match attempt {
                1 => parent.join(name),
                _ => parent.join(format!("{name}-{attempt}")),
            };
            match fs::create_dir(&path) {
                Ok(()) => return Self::at(&path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Failure::io(path.display(), &error)),
            }
        }
        unreachable!("some number is free")
    }

    fn at(path: &Path) -> Result<Self, Failure> {
        // QEMU may be given paths in it, so they must not depend on a folder.
        let path = path
            .canonicalize()
            .map_err(|error| Failure::io(path.display(), &error))?;
        Ok(Self { path })
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates a file in it.
    ///
    /// # Errors
    /// [`Failure::Environment`] if that fails.
    pub fn create(&self, name: &str) -> Result<File, Failure> {
        let path = self.file(name);
        File::create_new(&path).map_err(|error| Failure::io(path.display(), &error))
    }

    /// Writes a file whole or not at all.
    ///
    /// # Errors
    /// [`Failure::Environment`] if that fails.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        let path = self.file(name);
        let part = self.file(&format!("{name}.part"));
        fs::write(&part, text)
            .and_then(|()| fs::rename(&part, &path))
            .map_err(|error| Failure::io(path.display(), &error))
    }

    /// Writes a file whole or not at all, step by step; returns its path.
    ///
    /// # Errors
    /// [`Failure::Environment`] if that fails, or a step does.
    pub fn write_with(
        &self,
        name: &str,
        steps: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PathBuf, Failure> {
        let path = self.file(name);
        let part = self.file(&format!("{name}.part"));
        let write = || {
            let mut file = io::BufWriter::new(File::create(&part)?);
            steps(&mut file)?;
            file.flush()?;
            fs::rename(&part, &path)
        };
        write().map_err(|error| Failure::io(path.display(), &error))?;
        Ok(path)
    }
}

/// `<UTC time>-<controllers>-<job>`, from parts that are made fit for a file name.
#[must_use]
pub fn name(now: OffsetDateTime, controllers: &str, job: &str) -> String {
    let format = format_description!("[year][month][day]T[hour][minute][second]Z");
    let utc = now.to_offset(time::UtcOffset::UTC);
    let time = utc.format(format).unwrap_or_default();
    format!("{time}-{}-{}", fit(controllers), fit(job))
}

fn fit(text: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    text.chars()
        .map(|c| if fits(c) { c } else { '_' })
        .take(60)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn names_are_utc_and_fit() {
        let kathmandu = datetime!(2025-03-04 05:06:07 +5:45);
        assert_eq!(
            name(kathmandu, "pvscsi", "a b/c"),
            "20250303T232107Z-pvscsi-a_b_c"
        );
    }

    #[test]
    fn equal_names_get_folders_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let first = RunFolder::new(dir.path(), "run").unwrap();
        let second = RunFolder::new(dir.path(), "run").unwrap();
        assert_ne!(first, second);
        assert!(second.path().ends_with("run-2"));
    }

    #[test]
    fn a_folder_with_a_run_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let folder = RunFolder::given(&out).unwrap();
        // Even one that was interrupted before its result.
        folder.create("serial.log").unwrap();
        let failure = RunFolder::given(&out).unwrap_err();
        assert_eq!(failure.code(), 2);
        assert!(failure.message().contains("serial.log"), "{failure}");
        assert_eq!(RunFolder::check(&out).unwrap_err(), failure);
        let file = RunFolder::check(&out.join("serial.log")).unwrap_err();
        assert!(file.message().contains("is no folder"), "{file}");
        let new = dir.path().join("new");
        RunFolder::check(&new).unwrap();
        assert!(!new.exists(), "a look makes nothing");
    }

    #[test]
    fn files_appear_whole() {
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::given(dir.path()).unwrap();
        folder.write("result.json", "{}").unwrap();
        let names: Vec<_> = fs::read_dir(dir.path()).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "no part is left");
        assert_eq!(
            fs::read_to_string(folder.file("result.json")).unwrap(),
            "{}"
        );
    }
}
