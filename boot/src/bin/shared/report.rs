//! How the loader says that it failed: on COM1, then by QEMU's isa-debug-exit.
#![expect(unsafe_code, reason = "port access")]

use core::fmt::{self, Write};
use x86_64::instructions::hlt;
use x86_64::instructions::port::Port;

const COM1: u16 = 0x3f8;
const DEBUG_EXIT: u16 = 0xf4;
/// Line status register: transmitter holding register empty.
const READY: u8 = 0x20;
/// Turns to wait for a byte; a port that is stuck or absent must not hold us up.
const PATIENCE: u32 = 1_000_000;

struct Com1;

impl Write for Com1 {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            send(byte);
        }
        Ok(())
    }
}

fn send(byte: u8) {
    let mut status = Port::<u8>::new(COM1 + 5);
    for _ in 0..PATIENCE {
        // SAFETY: the line status register of COM1; reading it changes nothing we use.
        let ready = unsafe { status.read() } & READY != 0;
        if ready {
            break;
        }
    }
    let mut data = Port::new(COM1);
    // SAFETY: the data register of COM1, which nobody else uses here.
    unsafe { data.write(byte) };
}

/// Says `what` and stops for ever.
pub fn fail(what: fmt::Arguments<'_>) -> ! {
    // Com1 never fails.
    let _ = write!(Com1, "\r\nioprobe loader: {what}\r\n");
    let mut exit = Port::new(DEBUG_EXIT);
    // SAFETY: without the debug device nobody listens on this port.
    unsafe { exit.write(boot::FAILED_EXIT_CODE) };
    loop {
        hlt();
    }
}
