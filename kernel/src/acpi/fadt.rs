//! Fixed ACPI Description Table (ACPI 6.5, 5.2.9).

use super::bytes::{field, u32_at, u64_at};

const DSDT: usize = 40;
const PM_TMR_BLK: usize = 76;
const PM_TMR_LEN: usize = 91;
const FLAGS: usize = 112;
const RESET_REG: usize = 116;
const RESET_VALUE: usize = 128;
const X_DSDT: usize = 140;
const X_PM_TMR_BLK: usize = 208;

/// FLAGS: the PM timer counts 32 bits, not 24.
const TMR_VAL_EXT: u32 = 1 << 8;
/// FLAGS: RESET_REG works.
const RESET_REG_SUP: u32 = 1 << 10;

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
        }
    }
}

fn pm_timer(table: &[u8], flags: u32) -> Option<PmTimer> {
    if table.get(PM_TMR_LEN) != Some(&4) {
        return None;
    }
    let extended = register(table, X_PM_TMR_BLK);
    let port = match extended {
        Some(Register {
            space: Space::Port,
            address,
        }) => address,
        Some(_) => return None,
        None => u64::from(u32_at(table, PM_TMR_BLK)?),
    };
    let port = u16::try_from(port).ok().filter(|&port| port != 0)?;
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
