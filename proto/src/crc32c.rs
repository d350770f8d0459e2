//! crc32c
