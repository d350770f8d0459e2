//! Sense data.

use crate::block::Sense;

/// Bytes of sense data that are worth asking for: key, code and qualifier lie in
/// the first 18, and Linux asks for as many.
pub const SENSE_BYTES: usize = 96;

/// Key, code and qualifier of sense data in fixed or descriptor format
/// (SPC-4 4.5.2, 4.5.3); `None` if it is neither.
#[must_use]
pub fn parse(data: &[u8]) -> Option<Sense> {
    let at = |index: usize| data.get(index).copied().unwrap_or(0);
    match at(0) & 0x7f {
        0x70 | 0x71 => {
            // Code and qualifier exist only as far as ADDITIONAL SENSE LENGTH says.
            let end = 8 + usize::from(at(7));
            let inside = |index: usize| if index < end { at(index) } else { 0 };
            Some(Sense {
                key: at(2) & 0xf,
                asc: inside(12),
                ascq: inside(13),
            })
        }
        0x72 | 0x73 => Some(Sense {
            key: at(1) & 0xf,
            asc: at(2),
            ascq: at(3),
        }),
        _ => None,
    }
}
