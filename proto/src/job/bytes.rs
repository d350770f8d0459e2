//! fio's `buffer_pattern`: strings in quotes, decimal and hexadecimal numbers, one
//! after another.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Longest pattern in bytes, as in fio.
const MAX_BYTES: usize = 512;

/// Reads a pattern. A decimal is its bytes from the lowest up; of `0x..` each two
/// digits are a byte, in order.
pub(super) fn pattern(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = one(rest, &mut bytes)?;
    }
    if bytes.is_empty() || bytes.len() > MAX_BYTES {
        return Err(format!(
            "a pattern has 1 to {MAX_BYTES} bytes, and this has {}",
            bytes.len()
        ));
    }
    Ok(bytes)
}

fn one<'t>(text: &'t str, bytes: &mut Vec<u8>) -> Result<&'t str, String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (inside, rest) = quoted
            .split_once('"')
            .ok_or("a string has no second `\"`")?;
        bytes.extend_from_slice(inside.as_bytes());
        return Ok(rest);
    }
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        // The 0 of a `0x` that follows at once belongs to that one.
        let end = hex
            .find(|c: char| !c.is_ascii_hexdigit())
            .map_or(hex.len(), |end| match hex.as_bytes()[end] {
                b'x' | b'X' => end.saturating_sub(1),
                _ => end,
            });
        let (digits, rest) = hex.split_at(end);
        if digits.is_empty() {
            return Err(String::from("`0x` has no digits"));
        }
        // As in fio, an odd digit stands alone at the start.
        let (odd, pairs) = digits.as_bytes().split_at(digits.len() % 2);
        for pair in odd.chunks(1).chain(pairs.chunks(2)) {
            let value = pair.iter().fold(0, |value, digit| {
                value << 4 | char::from(*digit).to_digit(16).unwrap_or(0) as u8
            });
            bytes.push(value);
        }
        return Ok(rest);
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let value: u32 = digits
        .parse()
        .ok()
        .filter(|&value| value <= i32::MAX as u32)
        .ok_or_else(|| {
            format!("`{text}` is no \"string\", 0xHEX or decimal below 2^31; files are not read")
        })?;
    let used = (4 - value.leading_zeros() as usize / 8).max(1);
    bytes.extend_from_slice(&value.to_le_bytes()[..used]);
    Ok(rest)
}

/// As one hexadecimal number; [`pattern`] reads it back.
pub(super) fn pattern_text(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("0x{digits}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn patterns_of_fio() {
        for (text, bytes) in [
            ("\"abcd\"", &b"abcd"[..]),
            ("0xdeadface", &[0xde, 0xad, 0xfa, 0xce]),
            ("0xabc", &[0x0a, 0xbc]),
            ("0", &[0]),
            ("258", &[2, 1]),
            ("\"ab\"12\"c\"0xff0x14", &[b'a', b'b', 12, b'c', 0xff, 0x14]),
        ] {
            assert_eq!(pattern(text).unwrap(), bytes, "{text}");
        }
        for text in ["", "\"ab", "'file'", "0x", "-1", "abc", "%o", "4294967296"] {
            assert!(pattern(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn texts_read_back(bytes in proptest::collection::vec(any::<u8>(), 1..=512)) {
            prop_assert_eq!(pattern(&pattern_text(&bytes).unwrap()), Ok(bytes));
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,24}") {
            let _ = pattern(&text);
        }
    }
}
