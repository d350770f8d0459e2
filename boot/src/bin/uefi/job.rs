//! The job that the image brings along, as a file beside this program.

use boot::PAGE_BYTES;
use core::ptr::NonNull;
use uefi::boot::{self as services, AllocateType, MemoryType};
use uefi::proto::media::file::{File, FileAttribute, FileMode, RegularFile};
use uefi::{CStr16, Status, cstr16};

/// Where it lies on the volume that this program was started from.
const FILE: &CStr16 = cstr16!("\\ioprobe\\job.fio");
/// The same for messages.
pub const PATH: &str = "\\ioprobe\\job.fio";

/// Physical address and length in bytes; `None` where there is no such file, or
/// this program came from no volume.
///
/// # Errors
/// The firmware's status, where the file is there and cannot be read.
pub fn read() -> Result<Option<(u64, u64)>, Status> {
    let Ok(mut volume) = services::get_image_file_system(services::image_handle()) else {
        return Ok(None);
    };
    let mut root = volume.open_volume().map_err(|error| error.status())?;
    let file = match root.open(FILE, FileMode::Read, FileAttribute::empty()) {
        Ok(file) => file,
        Err(error) if error.status() == Status::NOT_FOUND => return Ok(None),
        Err(error) => return Err(error.status()),
    };
    let Some(mut file) = file.into_regular_file() else {
        return Ok(None);
    };
    load(&mut file).map_err(|error| error.status())
}

/// The whole file, in memory of its own.
fn load(file: &mut RegularFile) -> uefi::Result<Option<(u64, u64)>> {
    file.set_position(RegularFile::END_OF_FILE)?;
    let bytes = file.get_position()?;
    file.set_position(0)?;
    if bytes == 0 {
        return Ok(None);
    }
    let pages = bytes.div_ceil(PAGE_BYTES) as usize;
    let start: NonNull<u8> =
        services::allocate_pages(AllocateType::AnyPages, MemoryType::LOADER_DATA, pages)?;
    // SAFETY: the firmware gave these pages to us alone; any content is a byte.
    let memory = unsafe { core::slice::from_raw_parts_mut(start.as_ptr(), bytes as usize) };
    let mut filled = 0;
    while filled < memory.len() {
        match file.read(&mut memory[filled..])? {
            0 => return Err(Status::END_OF_FILE.into()),
            read => filled += read,
        }
    }
    Ok(Some((start.as_ptr() as u64, bytes)))
}
