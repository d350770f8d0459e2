//! The EFI system partition: a FAT16 volume with the UEFI program and the job.

use fatfs::{
    Date, DateTime, FatType, FileSystem, FormatVolumeOptions, FsOptions, Time, TimeProvider,
};
use std::io::{self, Cursor, Write};

/// Where UEFI looks for a program on a removable medium (UEFI 2.10, 3.5.1.1).
const PROGRAM: [&str; 3] = ["EFI", "BOOT", "BOOTX64.EFI"];
/// Where the program looks for the job.
const JOB: [&str; 2] = ["ioprobe", "job.fio"];
const CLUSTER_BYTES: u32 = 2048;

/// A volume of `bytes` bytes.
///
/// # Errors
/// If `program` and `job` do not fit.
pub fn volume(
    bytes: usize,
    serial: u32,
    program: &[u8],
    job: Option<&[u8]>,
) -> io::Result<Vec<u8>> {
    let mut volume = vec![0; bytes];
    let options = FormatVolumeOptions::new()
        .fat_type(FatType::Fat16)
        .bytes_per_cluster(CLUSTER_BYTES)
        .volume_id(serial)
        .volume_label(*b"IOPROBE    ");
    fatfs::format_volume(Cursor::new(&mut volume[..]), options)?;
    {
        let options = FsOptions::new().time_provider(&ONE_MOMENT);
        let system = FileSystem::new(Cursor::new(&mut volume[..]), options)?;
        put(&system, &PROGRAM, program)?;
        if let Some(job) = job {
            put(&system, &JOB, job)?;
        }
    }
    Ok(volume)
}

type Volume<'a> = FileSystem<Cursor<&'a mut [u8]>>;

fn put(system: &Volume<'_>, path: &[&str], content: &[u8]) -> io::Result<()> {
    let (file, folders) = path.split_last().expect("a path has a name");
    let mut folder = system.root_dir();
    for name in folders {
        folder = folder.create_dir(name)?;
    }
    let mut file = folder.create_file(file)?;
    file.write_all(content)?;
    file.flush()
}

/// The time of every file: a real one would make two builds differ.
#[derive(Debug)]
struct OneMoment;

static ONE_MOMENT: OneMoment = OneMoment;

impl TimeProvider for OneMoment {
    fn get_current_date(&self) -> Date {
        Date {
            year: 1980,
            month: 1,
            day: 1,
        }
    }

    fn get_current_date_time(&self) -> DateTime {
        DateTime {
            date: self.get_current_date(),
            time: Time {
                hour: 0,
                min: 0,
                sec: 0,
                millis: 0,
            },
        }
    }
}

/// Where `content` lies in a volume in one piece, in bytes. A BIOS cannot read FAT,
/// so the stage reads the job from there.
#[must_use]
pub fn find(volume: &[u8], content: &[u8]) -> Option<usize> {
    let starts = (0..volume.len().saturating_sub(content.len())).step_by(512);
    starts
        .into_iter()
        .find(|&start| volume[start..].starts_with(content))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    const BYTES: usize = 16 << 20;

    fn read(volume: &mut [u8], path: &str) -> Vec<u8> {
        let system = FileSystem::new(Cursor::new(volume), FsOptions::new()).unwrap();
        let mut file = system.root_dir().open_file(path).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        content
    }

    #[test]
    fn program_and_job_are_where_they_are_looked_for() {
        let program: Vec<u8> = (0..700_000_u32).map(|i| (i / 7) as u8).collect();
        let mut volume = volume(BYTES, 0x1234_5678, &program, Some(b"[job]\n")).unwrap();
        assert_eq!(read(&mut volume, "EFI/BOOT/BOOTX64.EFI"), program);
        assert_eq!(read(&mut volume, "ioprobe/job.fio"), b"[job]\n");
        assert_eq!(&volume[54..62], b"FAT16   ");
        assert_eq!(volume[39..43], 0x1234_5678_u32.to_le_bytes());
        let job = find(&volume, b"[job]\n").unwrap();
        assert_eq!(&volume[job..job + 7], b"[job]\n\0");
        let start = find(&volume, &program).unwrap();
        assert_eq!(volume[start..start + program.len()], program);
    }

    #[test]
    fn without_a_job_there_is_no_file() {
        let mut volume = volume(BYTES, 1, b"program", None).unwrap();
        let system = FileSystem::new(Cursor::new(&mut volume[..]), FsOptions::new()).unwrap();
        assert!(system.root_dir().open_dir("ioprobe").is_err());
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert!(volume(BYTES, 1, &vec![1; BYTES], None).is_err());
    }
}
