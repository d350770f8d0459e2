//! The screen, if the firmware has one that is plain memory.

use boot::FirmwareFramebuffer;
use bootloader_api::info::{FrameBufferInfo, PixelFormat};
use uefi::boot::{self as services, OpenProtocolAttributes, OpenProtocolParams};
use uefi::proto::console::gop::{self, GraphicsOutput, ModeInfo, PixelBitmask};

/// All formats that have a framebuffer have pixels of this size (UEFI 2.10, 12.9).
const PIXEL_BYTES: usize = 4;

/// The framebuffer in the mode that the firmware left it in.
pub fn find() -> Option<FirmwareFramebuffer> {
    let handle = services::get_handle_for_protocol::<GraphicsOutput>().ok()?;
    let params = OpenProtocolParams {
        handle,
        agent: services::image_handle(),
        controller: None,
    };
    // Not exclusively: that would take the screen from the firmware's console,
    // which still shows our messages.
    // SAFETY: nothing here takes the protocol away while it is open.
    let output = unsafe {
        services::open_protocol::<GraphicsOutput>(params, OpenProtocolAttributes::GetProtocol)
    };
    let mut output = output.ok()?;
    let mode = output.current_mode_info();
    let pixel_format = pixel_format(&mode)?;
    let (width, height) = mode.resolution();
    let info = FrameBufferInfo {
        byte_len: height * mode.stride() * PIXEL_BYTES,
        width,
        height,
        pixel_format,
        bytes_per_pixel: PIXEL_BYTES,
        stride: mode.stride(),
    };
    let mut memory = output.frame_buffer();
    let phys = memory.as_mut_ptr() as u64;
    (phys != 0 && info.byte_len > 0).then_some(FirmwareFramebuffer { phys, info })
}

fn pixel_format(mode: &ModeInfo) -> Option<PixelFormat> {
    match mode.pixel_format() {
        gop::PixelFormat::Rgb => Some(PixelFormat::Rgb),
        gop::PixelFormat::Bgr => Some(PixelFormat::Bgr),
        gop::PixelFormat::Bitmask => mode.pixel_bitmask().map(positions),
        gop::PixelFormat::BltOnly => None,
    }
}

fn positions(mask: PixelBitmask) -> PixelFormat {
    // An empty mask has no position; 32 would be outside of the pixel.
    let position = |mask: u32| (mask.trailing_zeros() % 32) as u8;
    PixelFormat::Unknown {
        red_position: position(mask.red),
        green_position: position(mask.green),
        blue_position: position(mask.blue),
    }
}
