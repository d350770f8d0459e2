//! Why a kernel could not be started.

use crate::elf::ElfError;
use crate::memory_map::MemoryMapFull;
use core::fmt;

/// Why a kernel could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The loader was built without a kernel.
    NoKernel,
    /// The kernel's ELF file cannot be honoured.
    Elf(ElfError),
    /// The section `.bootloader-config` is not one of `bootloader_api` 0.11.
    Config(&'static str),
    /// No frames are left between 1 MiB and 4 GiB.
    OutOfMemory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The memory map has more regions than the loader can hold.
    MemoryMapFull,
    /// The virtual address is taken twice, or is no canonical address.
    AddressConflict {
        /// The page.
        virt: u64,
    },
    /// No address space of that size is left inside the kernel's dynamic range.
    OutOfAddressSpace {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The processor cannot mark pages as not executable.
    NoExecuteMissing,
}

impl From<ElfError> for LoadError {
    fn from(error: ElfError) -> Self {
        Self::Elf(error)
    }
}

impl From<MemoryMapFull> for LoadError {
    fn from(_: MemoryMapFull) -> Self {
        Self::MemoryMapFull
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKernel => f.write_str(
                "this loader holds no kernel: build it with IOPROBE_KERNEL=<kernel ELF>, as cargo xtask does",
            ),
            Self::Elf(error) => write!(f, "kernel ELF: {error}"),
            Self::Config(why) => write!(f, "kernel section .bootloader-config: {why}"),
            Self::OutOfMemory { bytes } => {
                write!(f, "no {bytes} bytes left below 4 GiB: give the machine more memory")
            }
            Self::MemoryMapFull => f.write_str("the firmware's memory map has too many regions"),
            Self::AddressConflict { virt } => {
                write!(f, "virtual address {virt:#x} is invalid or used twice")
            }
            Self::OutOfAddressSpace { bytes } => {
                write!(f, "no {bytes} bytes of address space left in the kernel's dynamic range")
            }
            Self::NoExecuteMissing => f.write_str("the processor has no NX bit"),
        }
    }
}
