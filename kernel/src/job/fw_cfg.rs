//! QEMU's fw_cfg device, read through its two ports (docs/specs/fw_cfg.rst).

use crate::hal::port::{FW_CFG_DATA, FW_CFG_SELECTOR};
use crate::hypervisor::{Hypervisor, Kind};
use alloc::string::String;
use alloc::vec::Vec;

const KEY_SIGNATURE: u16 = 0x0000;
const KEY_DIRECTORY: u16 = 0x0019;
const SIGNATURE: [u8; 4] = *b"QEMU";
const ENTRY_BYTES: usize = 64;
const NAME_AT: usize = 8;
/// More files than a device has; a longer directory is nonsense.
const MOST_FILES: u32 = 1024;
/// A longer file is none of ours.
const MOST_BYTES: u32 = 1 << 20;

/// A file as the directory lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    key: u16,
    len_bytes: u32,
    name: String,
}

/// The device, with its directory read.
#[derive(Clone, Debug)]
pub struct FwCfg {
    files: Vec<File>,
}

impl FwCfg {
    /// Looks for the device. On VMware nothing is there, and its ports are not
    /// touched.
    #[must_use]
    pub fn detect(hypervisor: &Hypervisor) -> Option<Self> {
        if hypervisor.kind == Kind::Vmware {
            return None;
        }
        if select_and_read::<4>(KEY_SIGNATURE) != SIGNATURE {
            return None;
        }
        let count = u32::from_be_bytes(select_and_read(KEY_DIRECTORY));
        if count > MOST_FILES {
            return None;
        }
        let entries = (0..count).map(|_| next_bytes::<ENTRY_BYTES>());
        Some(Self {
            files: entries.map(|entry| parse_entry(&entry)).collect(),
        })
    }

    /// Contents of the file of that name; `None` if there is none, or it is longer
    /// than 1 MiB.
    #[must_use]
    pub fn read_file(&self, name: &str) -> Option<Vec<u8>> {
        let file = self.files.iter().find(|file| file.name == name)?;
        if file.len_bytes > MOST_BYTES {
            return None;
        }
        FW_CFG_SELECTOR.write(file.key);
        Some((0..file.len_bytes).map(|_| FW_CFG_DATA.read()).collect())
    }
}

/// Selects an item and reads its first `N` bytes.
fn select_and_read<const N: usize>(key: u16) -> [u8; N] {
    FW_CFG_SELECTOR.write(key);
    next_bytes()
}

/// The next `N` bytes of the selected item.
fn next_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    bytes.fill_with(|| FW_CFG_DATA.read());
    bytes
}

/// A directory entry: size and key, big-endian, two bytes reserved, the name.
fn parse_entry(entry: &[u8; ENTRY_BYTES]) -> File {
    let [s0, s1, s2, s3, k0, k1, ..] = *entry;
    let name = &entry[NAME_AT..];
    let end = name
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(name.len());
    File {
        key: u16::from_be_bytes([k0, k1]),
        len_bytes: u32::from_be_bytes([s0, s1, s2, s3]),
        name: String::from_utf8_lossy(&name[..end]).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_entry_is_big_endian_and_its_name_ends_at_the_zero() {
        let mut entry = [0; ENTRY_BYTES];
        entry[..8].copy_from_slice(&[0, 0, 1, 2, 0, 0x2a, 0xff, 0xff]);
        entry[8..24].copy_from_slice(b"opt/ioprobe/job\0");
        let file = parse_entry(&entry);
        assert_eq!((file.len_bytes, file.key), (258, 42));
        assert_eq!(file.name, "opt/ioprobe/job");
        entry[8..].fill(b'x');
        assert_eq!(parse_entry(&entry).name.len(), 56);
    }

    #[test]
    fn on_vmware_no_port_is_touched() {
        let vmware = Hypervisor {
            kind: Kind::Vmware,
            signature: *b"VMwareVMware",
            base: 0x4000_0000,
            max_leaf: 0x4000_0010,
        };
        // An IN or OUT would end this process.
        assert!(FwCfg::detect(&vmware).is_none());
    }
}
