//! What to write to a sleep register to switch the machine off: `\_S5` of the DSDT.
//!
//! The DSDT is a program, but this object is a constant in every firmware that is
//! known (ACPI 6.5, 7.4.2.6), so it is looked for instead of running the program:
//! `Name (_S5, Package () { SLP_TYPa, SLP_TYPb, .. })`.

/// Longest table that is looked through.
pub const MAX_DSDT_BYTES: usize = 1 << 20;

const NAME: &[u8; 4] = b"_S5_";
const NAME_OP: u8 = 0x08;
const ROOT: u8 = b'\\';
const PACKAGE_OP: u8 = 0x12;
const ZERO_OP: u8 = 0x00;
const ONE_OP: u8 = 0x01;
const BYTE_PREFIX: u8 = 0x0a;
const WORD_PREFIX: u8 = 0x0b;
const DWORD_PREFIX: u8 = 0x0c;
/// Sleep types have three bits (4.8.3.2.1).
const MAX_SLEEP_TYPE: u8 = 7;

/// Sleep types for the two control registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepType {
    /// For PM1a_CNT, and for the sleep control register of reduced hardware.
    pub a: u8,
    /// For PM1b_CNT.
    pub b: u8,
}

/// The first `\_S5` that is a package of two small numbers or more.
#[must_use]
pub fn soft_off(dsdt: &[u8]) -> Option<SleepType> {
    let dsdt = dsdt.get(..MAX_DSDT_BYTES).unwrap_or(dsdt);
    let mut names = dsdt.windows(NAME.len()).enumerate();
    names.find_map(|(at, name)| {
        if name != NAME || !is_named(&dsdt[..at]) {
            return None;
        }
        package(&dsdt[at + NAME.len()..])
    })
}

/// Whether what stands before makes it the name of an object.
const fn is_named(before: &[u8]) -> bool {
    matches!(before, [.., NAME_OP] | [.., NAME_OP, ROOT])
}

fn package(aml: &[u8]) -> Option<SleepType> {
    let (&op, rest) = aml.split_first()?;
    // The first byte of a length says in its upper bits how many follow (20.2.4).
    let more = usize::from(rest.first()? >> 6);
    let rest = rest.get(1 + more..)?;
    let (&elements, rest) = rest.split_first()?;
    if op != PACKAGE_OP || elements < 2 {
        return None;
    }
    let (a, rest) = number(rest)?;
    let (b, _) = number(rest)?;
    (a <= MAX_SLEEP_TYPE && b <= MAX_SLEEP_TYPE).then_some(SleepType { a, b })
}

/// A small number, and what follows it.
fn number(aml: &[u8]) -> Option<(u8, &[u8])> {
    match aml {
        [value @ (ZERO_OP | ONE_OP), rest @ ..] => Some((*value, rest)),
        [BYTE_PREFIX, value, rest @ ..]
        | [WORD_PREFIX, value, 0, rest @ ..]
        | [DWORD_PREFIX, value, 0, 0, 0, rest @ ..] => Some((*value, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    const OFF: Option<SleepType> = Some(SleepType { a: 5, b: 4 });

    #[test]
    fn every_way_to_write_the_numbers_is_read() {
        for package in [
            &b"\x08_S5_\x12\x08\x04\x0a\x05\x0a\x04\x00\x00"[..],
            b"\x08\\_S5_\x12\x06\x02\x0a\x05\x0a\x04",
            b"\x08_S5_\x12\x48\x00\x02\x0b\x05\x00\x0b\x04\x00",
            b"\x08_S5_\x12\x0d\x02\x0c\x05\x00\x00\x00\x0c\x04\x00\x00\x00",
        ] {
            let dsdt = [b"DSDT\x08_S3_", package, b"\x5b\x82"].concat();
            assert_eq!(soft_off(&dsdt), OFF, "{package:02x?}");
        }
        let ones = b"\x08_S5_\x12\x06\x04\x01\x00\x00\x00";
        assert_eq!(soft_off(ones), Some(SleepType { a: 1, b: 0 }));
    }

    /// From the DSDT of QEMU 7.2's `q35`: `_S4`, `_S5`, and a scope of `\_SB.PCI0`.
    #[test]
    fn qemu_has_it_between_others() {
        let excerpt = [
            0x08, 0x5f, 0x53, 0x34, 0x5f, 0x12, 0x08, 0x04, 0x0a, 0x02, 0x0a, 0x02, 0x00, 0x00,
            0x08, 0x5f, 0x53, 0x35, 0x5f, 0x12, 0x06, 0x04, 0x00, 0x00, 0x00, 0x00, 0x10, 0x3b,
            0x5c, 0x2e, 0x5f, 0x53, 0x42, 0x5f, 0x50,
        ];
        assert_eq!(soft_off(&excerpt), Some(SleepType { a: 0, b: 0 }));
    }

    #[test]
    fn a_mention_is_not_the_object() {
        let object = b"\x08_S5_\x12\x06\x02\x0a\x05\x0a\x04";
        for mention in [
            &b"\x0d_S5_\x00"[..],
            b"\xa0\x08_S5_",
            b"\x08_S5_\x0a\x05",
            b"\x08_S5_\x12\x04\x01\x0a\x05",
            b"\x08_S5_\x12\x06\x02\x0a\x08\x0a\x00",
            b"\x08_S5_\x12\x06\x02\x0b\x05\x01\x0a\x00",
        ] {
            assert_eq!(soft_off(mention), None, "{mention:02x?}");
            let both = [mention, &object[..]].concat();
            assert_eq!(soft_off(&both), OFF, "{mention:02x?}");
        }
    }

    #[test]
    fn a_table_cut_anywhere_never_panics() {
        let whole = b"xx\x08_S5_\x12\xc8\x00\x00\x00\x04\x0a\x05\x0a\x04\x00\x00";
        assert_eq!(soft_off(whole), OFF);
        let found: Vec<bool> = (0..whole.len())
            .map(|len| soft_off(&whole[..len]).is_some())
            .collect();
        // Only the two elements that are not used may be missing.
        assert_eq!(found.iter().filter(|&&found| found).count(), 2);
    }
}
