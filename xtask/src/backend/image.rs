//! Looking at a user's image or block device before QEMU may have it.

use super::in_use;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedImage {
    /// Its real path.
    pub path: PathBuf,
    /// It is a block device.
    pub device: bool,
}

/// How other image formats start. A raw image that starts so is as good as none.
const FORMATS: [(&[u8], &str); 6] = [
    (b"QFI\xfb", "qcow"),
    (b"KDMV", "vmdk"),
    (b"# Disk DescriptorFile", "vmdk"),
    (b"vhdxfile", "vhdx"),
    (b"conectix", "vpc"),
    (b"<<< ", "vdi"),
];

/// Checks that the path is a raw image or a block device that nobody uses.
///
/// # Errors
/// The reason, for a person.
pub fn check(path: &Path) -> Result<SharedImage, String> {
    let shown = path.display();
    let real = path
        .canonicalize()
        .map_err(|error| format!("{shown}: {error}"))?;
    let kind = real
        .metadata()
        .map_err(|error| format!("{shown}: {error}"))?
        .file_type();
    let device = kind.is_block_device();
    if !device && !kind.is_file() {
        return Err(format!("{shown} is neither a file nor a block device"));
    }
    if let Some(user) = in_use::user_of(&real, device) {
        return Err(format!("{shown} is in use: {user}; release it first"));
    }
    if !device && real.metadata().is_ok_and(|file| file.len() == 0) {
        return Err(format!(
            "{shown} is empty, so there is no block to read; give it a size: truncate -s 1G {shown}"
        ));
    }
    let start = first_bytes(&real).map_err(|error| format!("{shown}: {error}"))?;
    if let Some((_, format)) = FORMATS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(format!(
            "{shown} is a {format} image; only raw images can be used. \
             Convert it: qemu-img convert -f {format} -O raw {shown} OUT.img"
        ));
    }
    Ok(SharedImage { path: real, device })
}

fn first_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(64).read_to_end(&mut start)?;
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_file_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.img");
        std::fs::write(&path, vec![0; 4096]).unwrap();
        let image = check(&path).unwrap();
        assert!(!image.device);
        assert_eq!(image.path, path.canonicalize().unwrap());
    }

    #[test]
    fn an_empty_file_is_no_disk() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = check(file.path()).unwrap_err();
        assert!(error.contains("is empty"), "{error}");
    }

    #[test]
    fn other_formats_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("disk.qcow2");
        std::fs::write(&path, b"QFI\xfb\0\0\0\x03").unwrap();
        let error = check(&path).unwrap_err();
        assert!(
            error.contains("qcow image") && error.contains("qemu-img convert"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_disk_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(check(dir.path()).unwrap_err().contains("neither"));
        assert!(
            check(&dir.path().join("gone"))
                .unwrap_err()
                .contains("gone")
        );
        assert!(check(Path::new("/dev/null")).is_err());
    }
}
