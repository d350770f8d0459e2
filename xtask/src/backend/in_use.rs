//! Whether this host uses a disk or an image itself.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Linux's O_EXCL (asm-generic/fcntl.h): on a block device, without O_CREAT, the
/// open fails with EBUSY if the device is mounted or claimed by swap, LVM, md ..
const O_EXCL: i32 = 0o200;

/// Who uses it; `None` if nobody could be found.
pub fn user_of(path: &Path, device: bool) -> Option<String> {
    if device {
        claimed(path).or_else(|| partition_in_use(path, Path::new("/sys/class/block")))
    } else {
        loop_device(path, Path::new("/sys/class/block"))
    }
}

fn claimed(device: &Path) -> Option<String> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(O_EXCL)
        .open(device);
    let error = opened.err()?;
    (error.kind() == std::io::ErrorKind::ResourceBusy)
        .then(|| "the kernel has claimed it (mounted, swap, LVM, md ..)".to_owned())
}

/// A whole disk is in use if one of its partitions is.
fn partition_in_use(device: &Path, sys: &Path) -> Option<String> {
    let name = device.file_name()?;
    for entry in fs::read_dir(sys.join(name)).ok()?.flatten() {
        let is_partition = entry.path().join("partition").exists();
        if is_partition && claimed(&device.with_file_name(entry.file_name())).is_some() {
            let partition = entry.file_name();
            return Some(format!(
                "its partition {} is claimed",
                partition.to_string_lossy()
            ));
        }
    }
    None
}

/// The loop device that shows a file as a disk, if one does.
fn loop_device(file: &Path, sys: &Path) -> Option<String> {
    for entry in fs::read_dir(sys).ok()?.flatten() {
        let backing = fs::read_to_string(entry.path().join("loop/backing_file")).ok();
        if backing.is_some_and(|backing| Path::new(backing.trim_end_matches('\n')) == file) {
            return Some(format!(
                "/dev/{} shows it",
                entry.file_name().to_string_lossy()
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_device_is_found_by_its_file() {
        let sys = tempfile::tempdir().unwrap();
        for (name, file) in [("loop0", "/a/other.img"), ("loop1", "/a/disk.img")] {
            fs::create_dir_all(sys.path().join(name).join("loop")).unwrap();
            let backing = sys.path().join(name).join("loop/backing_file");
            fs::write(backing, format!("{file}\n")).unwrap();
        }
        fs::create_dir(sys.path().join("sda")).unwrap();
        let find = |file| loop_device(Path::new(file), sys.path());
        assert_eq!(find("/a/disk.img").as_deref(), Some("/dev/loop1 shows it"));
        assert_eq!(find("/a/free.img"), None);
    }

    #[test]
    fn free_partition_is_no_use() {
        let sys = tempfile::tempdir().unwrap();
        fs::create_dir_all(sys.path().join("sdz/sdz1")).unwrap();
        fs::write(sys.path().join("sdz/sdz1/partition"), "1\n").unwrap();
        // No such device node: opening it fails, but not as busy.
        assert_eq!(
            partition_in_use(Path::new("/nonexistent/sdz"), sys.path()),
            None
        );
    }
}
