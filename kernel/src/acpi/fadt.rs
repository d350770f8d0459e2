//! Fixed ACPI Description Table (ACPI 6.5, 5.2.9).

use super::bytes::{field, u32_at, u64_at};

const DSDT: usize = 40;
const SMI_CMD: usize = 48;
const ACPI_ENABLE: usize = 52;
const PM1A_CNT_BLK: usize = 64;
const PM1B_CNT_BLK: usize = 68;
const PM_TMR_BLK: usize = 76;
const PM_TMR_LEN: usize = 91;
const CENTURY: usize = 108;
const IAPC_BOOT_ARCH: usize = 109;
const FLAGS: usize = 112;
const RESET_REG: usize = 116;
const RESET_VALUE: usize = 128;
const X_DSDT: usize = 140;
const X_PM1A_CNT_BLK: usize = 172;
const X_PM1B_CNT_BLK: usize = 184;
const X_PM_TMR_BLK: usize = 208;
const SLEEP_CONTROL_REG: usize = 244;

/// IAPC_BOOT_ARCH: there is no real-time clock at the ports of CMOS memory.
const NO_CMOS_RTC: u8 = 1 << 5;
/// FLAGS: the PM timer counts 32 bits, not 24.
const TMR_VAL_EXT: u32 = 1 << 8;
/// FLAGS: RESET_REG works.
const RESET_REG_SUP: u32 = 1 << 10;
/// FLAGS: there are no PM1 registers; the sleep control register takes their place.
const HW_REDUCED_ACPI: u32 = 1 << 20;

/// Address space of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Memory.
    Memory,
    /// I/O ports.
    Port,
    /// Any other; its code.
    Other(u8),
}

/// A register that firmware names (generic address structure, 5.2.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Where the address counts.
    pub space: Space,
    /// The address, not 0.
    pub address: u64,
}

/// The ACPI PM timer: 3,579,545 ticks per second (4.8.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PmTimer {
    /// Its port, read 32 bits wide.
    pub port: u16,
    /// Bits that count: 24 or 32.
    pub bits: u32,
}

/// What the kernel uses of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fadt {
    /// The PM timer, where there is one on a port.
    pub pm_timer: Option<PmTimer>,
    /// Register and value that reset the machine.
    pub reset: Option<(Register, u8)>,
    /// Physical address of the DSDT.
    pub dsdt: Option<u64>,
    /// Ports of PM1a_CNT and PM1b_CNT, where they are ports.
    pub pm1_control: [Option<u16>; 2],
    /// Port and value that give the PM1 registers to the operating system.
    pub acpi_enable: Option<(u16, u8)>,
    /// Register of the real-time clock that holds the century.
    pub century: Option<u8>,
    /// There is no real-time clock.
    pub no_rtc: bool,
    /// The sleep control register of reduced hardware.
    pub sleep_control: Option<Register>,
}

impl Fadt {
    /// Reads a table of any revision; a field past its end is absent.
    #[must_use]
    pub fn parse(table: &[u8]) -> Self {
        let flags = u32_at(table, FLAGS).unwrap_or(0);
        Self {
            pm_timer: pm_timer(table, flags),
            reset: reset(table, flags),
            dsdt: u64_at(table, X_DSDT)
                .filter(|&address| address != 0)
                .or_else(|| u32_at(table, DSDT).map(u64::from))
                .filter(|&address| address != 0),
            pm1_control: [
                port(table, X_PM1A_CNT_BLK, PM1A_CNT_BLK),
                port(table, X_PM1B_CNT_BLK, PM1B_CNT_BLK),
            ],
            acpi_enable: acpi_enable(table),
            century: table
                .get(CENTURY)
                .copied()
                .filter(|register| (1..0x80).contains(register)),
            no_rtc: table
                .get(IAPC_BOOT_ARCH)
                .is_some_and(|flags| flags & NO_CMOS_RTC != 0),
            sleep_control: register(table, SLEEP_CONTROL_REG)
                .filter(|_| flags & HW_REDUCED_ACPI != 0),
        }
    }
}

fn acpi_enable(table: &[u8]) -> Option<(u16, u8)> {
    let port = u16::try_from(u32_at(table, SMI_CMD)?).ok();
    let value = *table.get(ACPI_ENABLE)?;
    Some((port.filter(|&port| port != 0)?, value)).filter(|_| value != 0)
}

/// A block that is a port, by its extended field if that is filled.
fn port(table: &[u8], extended: usize, plain: usize) -> Option<u16> {
    let address = match register(table, extended) {
        Some(Register {
            space: Space::Port,
            address,
        }) => address,
        Some(_) => return None,
        None => u64::from(u32_at(table, plain)?),
    };
    u16::try_from(address).ok().filter(|&port| port != 0)
}

fn pm_timer(table: &[u8], flags: u32) -> Option<PmTimer> {
    if table.get(PM_TMR_LEN) != Some(&4) {
        return None;
    }
    let port = port(table, X_PM_TMR_BLK, PM_TMR_BLK)?;
    let bits = if flags & TMR_VAL_EXT != 0 { 32 } else { 24 };
    Some(PmTimer { port, bits })
}

fn reset(table: &[u8], flags: u32) -> Option<(Register, u8)> {
    if flags & RESET_REG_SUP == 0 {
        return None;
    }
    Some((register(table, RESET_REG)?, *table.get(RESET_VALUE)?))
}

fn register(table: &[u8], offset: usize) -> Option<Register> {
    let [space] = field(table, offset)?;
    let address = u64_at(table, offset + 4).filter(|&address| address != 0)?;
    let space = match space {
        0 => Space::Memory,
        1 => Space::Port,
        other => Space::Other(other),
    };
    Some(Register { space, address })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn put<const N: usize>(table: &mut [u8], offset: usize, bytes: [u8; N]) {
        table[offset..offset + N].copy_from_slice(&bytes);
    }

    /// An ACPI 1.0 table as QEMU's `pc` has it: 116 bytes, no extended fields.
    fn old_table() -> Vec<u8> {
        let mut table = alloc::vec![0; 116];
        put(&mut table, DSDT, 0x0ffe_0040_u32.to_le_bytes());
        put(&mut table, PM_TMR_BLK, 0x608_u32.to_le_bytes());
        table[PM_TMR_LEN] = 4;
        table
    }

    fn new_table() -> Vec<u8> {
        let mut table = old_table();
        table.resize(244, 0);
        put(
            &mut table,
            FLAGS,
            (TMR_VAL_EXT | RESET_REG_SUP).to_le_bytes(),
        );
        put(&mut table, RESET_REG, [1, 8, 0, 1]);
        put(&mut table, RESET_REG + 4, 0xcf9_u64.to_le_bytes());
        table[RESET_VALUE] = 0x0f;
        put(&mut table, X_PM_TMR_BLK, [1, 32, 0, 3]);
        put(&mut table, X_PM_TMR_BLK + 4, 0x1008_u64.to_le_bytes());
        table
    }

    #[test]
    fn an_old_table_gives_a_24_bit_timer_and_no_reset() {
        let fadt = Fadt::parse(&old_table());
        assert_eq!(
            fadt.pm_timer,
            Some(PmTimer {
                port: 0x608,
                bits: 24
            })
        );
        assert_eq!(fadt.reset, None);
        assert_eq!(fadt.dsdt, Some(0x0ffe_0040));
    }

    #[test]
    fn extended_fields_win() {
        let mut table = new_table();
        put(&mut table, X_DSDT, 0x1_0000_0040_u64.to_le_bytes());
        let fadt = Fadt::parse(&table);
        assert_eq!(
            fadt.pm_timer,
            Some(PmTimer {
                port: 0x1008,
                bits: 32
            })
        );
        let register = Register {
            space: Space::Port,
            address: 0xcf9,
        };
        assert_eq!(fadt.reset, Some((register, 0x0f)));
        assert_eq!(fadt.dsdt, Some(0x1_0000_0040));
    }

    #[test]
    fn the_ways_to_switch_off() {
        let mut table = old_table();
        put(&mut table, SMI_CMD, 0xb2_u32.to_le_bytes());
        table[ACPI_ENABLE] = 0xf1;
        put(&mut table, PM1A_CNT_BLK, 0x604_u32.to_le_bytes());
        let fadt = Fadt::parse(&table);
        assert_eq!(fadt.pm1_control, [Some(0x604), None]);
        assert_eq!(fadt.acpi_enable, Some((0xb2, 0xf1)));
        assert_eq!(fadt.sleep_control, None);

        table.resize(268, 0);
        put(&mut table, X_PM1A_CNT_BLK, [1, 16, 0, 2]);
        put(&mut table, X_PM1A_CNT_BLK + 4, 0x1004_u64.to_le_bytes());
        put(&mut table, X_PM1B_CNT_BLK, [0, 16, 0, 2]);
        put(&mut table, X_PM1B_CNT_BLK + 4, 0x1004_u64.to_le_bytes());
        put(&mut table, SLEEP_CONTROL_REG, [0, 8, 0, 1]);
        put(
            &mut table,
            SLEEP_CONTROL_REG + 4,
            0xfea0_0000_u64.to_le_bytes(),
        );
        table[ACPI_ENABLE] = 0;
        let fadt = Fadt::parse(&table);
        assert_eq!(fadt.pm1_control, [Some(0x1004), None]);
        assert_eq!(fadt.acpi_enable, None);
        assert_eq!(fadt.sleep_control, None, "full hardware");
        put(&mut table, FLAGS, HW_REDUCED_ACPI.to_le_bytes());
        let register = Register {
            space: Space::Memory,
            address: 0xfea0_0000,
        };
        assert_eq!(Fadt::parse(&table).sleep_control, Some(register));
    }

    #[test]
    fn the_real_time_clock_and_its_century() {
        let mut table = old_table();
        let of = |table: &[u8]| {
            let fadt = Fadt::parse(table);
            (fadt.century, fadt.no_rtc)
        };
        assert_eq!(of(&table), (None, false));
        table[CENTURY] = 0x32;
        assert_eq!(of(&table), (Some(0x32), false));
        table[CENTURY] = 0x80;
        table[IAPC_BOOT_ARCH] = NO_CMOS_RTC;
        assert_eq!(of(&table), (None, true));
        assert_eq!(of(&table[..100]), (None, false));
    }

    #[test]
    fn a_timer_in_memory_or_without_length_is_no_timer() {
        let mut in_memory = new_table();
        in_memory[X_PM_TMR_BLK] = 0;
        assert_eq!(Fadt::parse(&in_memory).pm_timer, None);
        let mut without = old_table();
        without[PM_TMR_LEN] = 0;
        assert_eq!(Fadt::parse(&without).pm_timer, None);
    }

    #[test]
    fn a_table_cut_anywhere_never_panics() {
        let table = new_table();
        for len in 0..table.len() {
            let _ = Fadt::parse(&table[..len]);
        }
        assert_eq!(Fadt::parse(&table[..40]), Fadt::default());
    }
}
