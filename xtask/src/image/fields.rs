//! Structures written field by field.

/// A structure that grows by its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<u8>);

impl Fields {
    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes(&[value])
    }

    /// Little-endian.
    pub fn u16(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Little-endian.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Little-endian.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Both orders, little-endian first, as ISO 9660 likes it (7.2.3).
    pub fn both_u16(&mut self, value: u16) -> &mut Self {
        self.u16(value).bytes(&value.to_be_bytes())
    }

    /// Both orders, little-endian first (ISO 9660, 7.3.3).
    pub fn both_u32(&mut self, value: u32) -> &mut Self {
        self.u32(value).bytes(&value.to_be_bytes())
    }

    /// Text in a field of `len` bytes, filled up with `fill`.
    ///
    /// # Panics
    /// If the text is longer.
    pub fn text(&mut self, text: &str, len: usize, fill: u8) -> &mut Self {
        assert!(text.len() <= len, "{text:?} is longer than {len} bytes");
        self.bytes(text.as_bytes());
        self.zeros_to(self.0.len() + len - text.len(), fill)
    }

    /// Filled up with zeros to a length of `len` bytes.
    pub fn fill_to(&mut self, len: usize) -> &mut Self {
        self.zeros_to(len, 0)
    }

    fn zeros_to(&mut self, len: usize, fill: u8) -> &mut Self {
        assert!(self.0.len() <= len, "fields are longer than {len} bytes");
        self.0.resize(len, fill);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_fillings() {
        let mut fields = Fields::default();
        fields.u16(0x0102).both_u16(0x0304).both_u32(5);
        fields.text("AB", 4, b' ').fill_to(20);
        let expected = b"\x02\x01\x04\x03\x03\x04\x05\0\0\0\0\0\0\x05AB  \0\0";
        assert_eq!(fields.0, expected);
    }
}
