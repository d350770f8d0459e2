//! `cargo xtask image`.

use super::{Image, Parts, assemble};
use crate::build::{self, BootParts};
use crate::console::Console;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::job::{Job, Source, compose};
use clap::{Args, ValueEnum};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Written piece by piece, and pieces of zeros are left as holes.
const PIECE_BYTES: usize = 64 << 10;

/// What the file is called: its bytes are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImageFormat {
    /// A disk: ioprobe.img
    Raw,
    /// A CD: ioprobe.iso
    Iso,
}

impl ImageFormat {
    const fn file_name(self) -> &'static str {
        match self {
            Self::Raw => "ioprobe.img",
            Self::Iso => "ioprobe.iso",
        }
    }
}

/// `cargo xtask image`.
#[derive(Clone, Debug, Args)]
pub struct ImageArgs {
    /// What the file is called; either name boots as a disk and as a CD
    #[arg(long, value_enum, default_value_t = ImageFormat::Iso)]
    pub format: ImageFormat,

    /// A job file in fio's format that the image brings along [default: none, and the guest
    /// runs the profile quick]
    #[arg(long, value_name = "FILE", conflicts_with = "profile")]
    pub job: Option<PathBuf>,

    /// A job that ioprobe brings along
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,

    /// Set a key in every section of the job
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Folder for the file [default: target/ioprobe/image]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Makes an image and prints its path.
///
/// # Errors
/// [`Failure`] if the job is wrong, the guest cannot be built or the file not written.
pub fn image(
    args: &ImageArgs,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let job = job(args)?;
    for note in job.iter().flat_map(|job| &job.file.notes) {
        console.say(&format!("note: {note}"));
    }
    let image = build_image(
        job.as_ref().map(|job| job.text.as_str()),
        false,
        console,
        interrupt,
    )?;
    let folder = args
        .out
        .clone()
        .unwrap_or_else(|| build::target_dir().join("ioprobe/image"));
    std::fs::create_dir_all(&folder).map_err(|error| Failure::io(folder.display(), &error))?;
    let path = folder.join(args.format.file_name());
    write(&path, &image)?;
    let what = if job.is_some() { "with" } else { "without" };
    console.say(&format!(
        "build {}, {} MiB, {what} a job of its own",
        image.build,
        image.bytes.len() >> 20
    ));
    console.result(&format!("{}\n", path.display()));
    Ok(())
}

/// The job, if the image is to have one.
fn job(args: &ImageArgs) -> Result<Option<Job>, Failure> {
    if args.job.is_none() && args.profile.is_none() && args.set.is_empty() {
        return Ok(None);
    }
    let job = compose(&Source {
        file: args.job.as_deref(),
        profile: args.profile.as_deref(),
        set: &args.set,
        ..Source::default()
    })?;
    Ok(Some(job))
}

/// Builds the guest and makes an image of it.
///
/// # Errors
/// [`Failure::Environment`].
pub fn build_image(
    job: Option<&str>,
    inject: bool,
    console: &mut Console<'_>,
    interrupt: &Interrupt,
) -> Result<Image, Failure> {
    let BootParts { pvh, uefi, bios } = build::build_boot_parts(inject, console, interrupt)?;
    let read =
        |path: &Path| std::fs::read(path).map_err(|error| Failure::io(path.display(), &error));
    let (pvh, uefi, bios) = (read(&pvh)?, read(&uefi)?, read(&bios)?);
    assemble(Parts {
        pvh: &pvh,
        uefi: &uefi,
        bios: &bios,
        job,
    })
    .map_err(|error| Failure::Environment(format!("making the image: {error}")))
}

/// Writes an image to a file, anew.
///
/// # Errors
/// [`Failure::Environment`].
pub fn write(path: &Path, image: &Image) -> Result<(), Failure> {
    let write = || -> std::io::Result<()> {
        let mut file = File::create(path)?;
        file.set_len(image.bytes.len() as u64)?;
        for (index, piece) in image.bytes.chunks(PIECE_BYTES).enumerate() {
            if piece.iter().any(|&byte| byte != 0) {
                file.seek(SeekFrom::Start((index * PIECE_BYTES) as u64))?;
                file.write_all(piece)?;
            }
        }
        file.flush()
    };
    write().map_err(|error| Failure::io(path.display(), &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn holes_read_as_the_zeros_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.img");
        std::fs::write(&path, vec![0xff; 3 * PIECE_BYTES]).unwrap();
        let mut bytes = vec![0; 2 * PIECE_BYTES + 512];
        bytes[5] = 1;
        let image = Image {
            bytes,
            build: Uuid::nil(),
        };
        write(&path, &image).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), image.bytes);
    }
}
