//! What stands on the screen of a machine that nobody listens to.

use super::{MonitorSocket, call, device, flash, raw};
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use serde_json::json;
use std::fs;
use std::path::Path;
use xtask::qemu::command::CommandLine;
use xtask::qemu::install::PROGRAM;
use xtask::qemu::process::Process;

/// Text memory of a VGA adapter, and its shape.
const VGA_TEXT: u64 = 0xb_8000;
const VGA_COLUMNS: usize = 80;
const VGA_ROWS: usize = 25;
/// The kernel's letters.
const WEIGHT: FontWeight = FontWeight::Regular;
const HEIGHT: RasterHeight = RasterHeight::Size16;

/// Boots `image`, whose job must end in `at_end=poweroff`, as a disk of a machine
/// with a display, another disk, and no serial port; gives the rows of text on
/// the screen when the machine switches itself off. Without `uefi` it is a BIOS
/// that boots, and the screen is VGA text.
///
/// # Panics
/// If QEMU cannot be started, or the machine does not end.
#[must_use]
pub fn screen_at_end(image: &Path, data: &Path, uefi: bool) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let socket = MonitorSocket::new();
    let mut parts = vec![
        ["-machine", "q35"].map(String::from),
        ["-accel", "tcg"].map(String::from),
        ["-cpu", "max"].map(String::from),
        ["-m", if uefi { "256" } else { "64" }].map(String::from),
        ["-display", "none"].map(String::from),
        ["-serial", "none"].map(String::from),
        socket.argument(),
        device("VGA"),
        raw("boot", image, true),
        device("virtio-blk-pci,drive=boot,bootindex=0"),
        device("pvscsi,id=a,addr=7"),
        raw("data", data, true),
        device("scsi-hd,bus=a.0,drive=data"),
    ];
    if uefi {
        parts.extend(flash(dir.path()));
    }
    let flags = [
        "-nodefaults",
        "-no-user-config",
        "-no-reboot",
        "-no-shutdown",
    ];
    let args = flags.map(Into::into).into_iter();
    let line = CommandLine {
        program: PROGRAM.into(),
        args: args
            .chain(parts.into_iter().flatten().map(Into::into))
            .collect(),
    };
    let _alone = call::alone();
    let mut process = Process::start(&line).expect("QEMU starts");
    let mut qmp = socket.accept(&mut process);
    // It does not go before it was looked at.
    let _ = qmp.wait("SHUTDOWN");
    let dump = dir.path().join("dump");
    if uefi {
        let _ = qmp.execute("screendump", &json!({ "filename": dump }));
        read_pixels(&fs::read(&dump).expect("a picture"))
    } else {
        let bytes = VGA_COLUMNS * VGA_ROWS * 2;
        let arguments = json!({ "val": VGA_TEXT, "size": bytes, "filename": dump });
        let _ = qmp.execute("pmemsave", &arguments);
        read_vga_text(&fs::read(&dump).expect("text memory"))
    }
}

/// Rows of text memory: letter, attribute, letter, ..
fn read_vga_text(memory: &[u8]) -> Vec<String> {
    let rows = memory.chunks(VGA_COLUMNS * 2);
    rows.map(|row| {
        row.iter()
            .step_by(2)
            .map(|&letter| char::from(letter))
            .collect()
    })
    .collect()
}

/// Rows of letters in a picture (PPM, P6): each cell is compared with every letter,
/// and one that is none of them becomes a replacement character.
fn read_pixels(ppm: &[u8]) -> Vec<String> {
    let mut lines = ppm.splitn(4, |&byte| byte == b'\n');
    assert_eq!(lines.next(), Some(&b"P6"[..]));
    let size = String::from_utf8_lossy(lines.next().expect("a size")).into_owned();
    let (width, height) = size.split_once(' ').expect("two numbers");
    let width: usize = width.parse().expect("a width");
    let height: usize = height.parse().expect("a height");
    assert_eq!(lines.next(), Some(&b"255"[..]));
    let pixels = lines.next().expect("pixels");
    let (cell_width, cell_height) = (get_raster_width(WEIGHT, HEIGHT), HEIGHT.val());
    let letter = |left: usize, top: usize| {
        let cell: Vec<u8> = (top..top + cell_height)
            .flat_map(|y| (left..left + cell_width).map(move |x| (y * width + x) * 3))
            .map(|at| pixels[at])
            .collect();
        let mut letters = (b' '..=b'~').map(char::from);
        letters
            .find(|&letter| {
                get_raster(letter, WEIGHT, HEIGHT).is_some_and(|drawn| drawn.pixels() == cell)
            })
            .unwrap_or(char::REPLACEMENT_CHARACTER)
    };
    (0..height / cell_height)
        .map(|row| {
            (0..width / cell_width)
                .map(|column| letter(column * cell_width, row * cell_height))
                .collect()
        })
        .collect()
}
