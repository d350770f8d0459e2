//! The machine's serial ports, as the console needs them: no call ever waits long.

use crate::console::Port;
use crate::hal::port::IoPort;
use uart_16550::backend::Backend;
use uart_16550::spec::registers::{LSR, offsets};
use uart_16550::{Config, Uart16550};

/// I/O ports of COM1 and COM2.
pub const COM_PORTS: [u16; 2] = [0x3f8, 0x2f8];

/// Reads of a status register without progress, after which the device counts as
/// stuck. While it is set up, the driver waits for it without a limit of its own.
const PATIENCE_READS: u32 = 100_000;

/// The registers of one UART, counted like all port accesses.
#[derive(Debug)]
struct Registers {
    base: u16,
    /// Reads of the line status in a row that showed a busy transmitter.
    busy_reads: u32,
}

impl Registers {
    fn port(&self, register: u8) -> IoPort<u8> {
        // SAFETY: a UART's registers: it knows no DMA.
        unsafe { IoPort::new(self.base + u16::from(register)) }
    }

    fn is_stuck(&self) -> bool {
        self.busy_reads >= PATIENCE_READS
    }
}

impl Backend for Registers {
    unsafe fn read(&mut self, register: u8) -> u8 {
        let value = self.port(register).read();
        if usize::from(register) != offsets::LSR {
            return value;
        }
        if value & LSR::TRANSMITTER_EMPTY.bits() != 0 {
            self.busy_reads = 0;
        } else if self.is_stuck() {
            // Ends the driver's wait; `Uart::open` then looks here.
            return value | LSR::TRANSMITTER_EMPTY.bits();
        } else {
            self.busy_reads += 1;
        }
        value
    }

    unsafe fn write(&mut self, register: u8, value: u8) {
        self.port(register).write(value);
    }
}

/// A UART that answered.
#[derive(Debug)]
pub struct Uart {
    driver: Uart16550<Registers>,
}

impl Uart {
    /// The UART at `base` (an element of [`COM_PORTS`]), set up for 115200 8N1.
    /// `None` where no UART answers, or its transmitter never becomes empty.
    #[must_use]
    pub fn open(base: u16) -> Option<Self> {
        let mut uart = Self::attach(base);
        let config = Config {
            baud_rate: uart_16550::BaudRate::Baud115200,
            ..Config::DEFAULT
        };
        uart.driver.init(config).ok()?;
        (!uart.driver.backend().is_stuck()).then_some(uart)
    }

    /// The UART at `base` as it is, set up before.
    #[must_use]
    pub const fn attach(base: u16) -> Self {
        let registers = Registers {
            base,
            busy_reads: 0,
        };
        Self {
            // SAFETY: all eight registers lie behind `base`.
            driver: unsafe { Uart16550::new_with_backend(registers) },
        }
    }

    /// Its first port.
    #[must_use]
    pub fn base(&self) -> u16 {
        self.driver.backend().base
    }
}

impl Port for Uart {
    fn send(&mut self, bytes: &[u8]) -> usize {
        self.driver.backend_mut().busy_reads = 0;
        self.driver.send_bytes(bytes)
    }

    fn receive(&mut self) -> Option<u8> {
        self.driver.try_receive_byte().ok()
    }

    fn is_drained(&mut self) -> bool {
        self.driver.backend_mut().busy_reads = 0;
        self.driver.lsr().contains(LSR::TRANSMITTER_EMPTY)
    }
}
