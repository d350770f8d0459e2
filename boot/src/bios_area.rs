//! The ACPI root pointer where a BIOS leaves it (ACPI 6.4, 5.2.5.1: the first KiB
//! of the extended BIOS data area, and 0xe0000..0x100000).
#![expect(unsafe_code, reason = "the BIOS leaves it at fixed addresses")]

/// Segment of the extended BIOS data area, a word in the BIOS data area.
const EBDA_SEGMENT_AT: u64 = 0x40e;
const EBDA_BYTES: usize = 1024;
/// The area lies between these, where there is one.
const EBDA: core::ops::Range<u64> = 0x400..0xa_0000;
const ROM: u64 = 0xe_0000;
const ROM_BYTES: usize = 0x2_0000;

const SIGNATURE: &[u8; 8] = b"RSD PTR ";
/// The pointer starts on a multiple of this.
const STEP: usize = 16;
/// Length that the checksum of revision 0 covers, which all revisions keep.
const SUMMED_BYTES: usize = 20;

/// Physical address of the root pointer, if a BIOS left one.
///
/// # Safety
/// Physical memory below 1 MiB must be readable, one to one, and not change.
#[must_use]
pub unsafe fn find_rsdp_below_1_mib() -> Option<u64> {
    // SAFETY: the word lies below 1 MiB.
    let segment = unsafe { (EBDA_SEGMENT_AT as *const u16).read_unaligned() };
    let ebda = u64::from(segment) << 4;
    let places = [(ebda, EBDA_BYTES), (ROM, ROM_BYTES)];
    places.into_iter().find_map(|(start, len)| {
        if start != ROM && !EBDA.contains(&start) {
            return None;
        }
        // SAFETY: both ranges end at 1 MiB at most.
        let bytes = unsafe { core::slice::from_raw_parts(start as *const u8, len) };
        rsdp_in(bytes).map(|offset| start + offset as u64)
    })
}

/// Offset of the root pointer in `bytes`.
fn rsdp_in(bytes: &[u8]) -> Option<usize> {
    let fits = |rest: &[u8]| {
        rest.starts_with(SIGNATURE)
            && rest.get(..SUMMED_BYTES).is_some_and(|summed| {
                summed
                    .iter()
                    .fold(0_u8, |sum, byte| sum.wrapping_add(*byte))
                    == 0
            })
    };
    (0..bytes.len())
        .step_by(STEP)
        .find(|&offset| fits(&bytes[offset..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_pointer_at(at: usize) -> [u8; 256] {
        let mut bytes = [0; 256];
        let end = bytes.len().min(at + SUMMED_BYTES);
        let mut pointer = *b"RSD PTR \0BOCHS \0\x12\x34\x56\x07";
        let sum = pointer
            .iter()
            .fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
        pointer[8] = 0_u8.wrapping_sub(sum);
        bytes[at..end].copy_from_slice(&pointer[..end - at]);
        bytes
    }

    #[test]
    fn found_on_its_boundary_with_a_right_sum() {
        assert_eq!(rsdp_in(&with_pointer_at(0)), Some(0));
        assert_eq!(rsdp_in(&with_pointer_at(160)), Some(160));
        assert_eq!(rsdp_in(&with_pointer_at(168)), None);
        let mut damaged = with_pointer_at(160);
        damaged[170] ^= 1;
        assert_eq!(rsdp_in(&damaged), None);
    }

    #[test]
    fn one_that_is_cut_off_is_none() {
        assert_eq!(rsdp_in(&with_pointer_at(240)), None);
        assert_eq!(rsdp_in(&[]), None);
    }
}
