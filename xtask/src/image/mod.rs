//! The boot image: one file that machines with BIOS and UEFI boot as a disk and as
//! a CD, made without mounts, rights or tools of the host.

mod assemble;
mod command;
mod elf;
mod esp;
mod fields;
mod gpt;
mod iso;
mod pe;
mod stage;

pub use assemble::{Image, Parts, assemble};
pub use command::{ImageArgs, ImageFormat, build_image, image, write};
pub use elf::ElfError;
