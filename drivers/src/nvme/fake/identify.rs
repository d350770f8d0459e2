//! Identify data structures of the model.

use super::{FakeNamespace, NvmeConfig};

type Page = [u8; 4096];

fn put(page: &mut Page, at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}

fn put_text(page: &mut Page, at: usize, len: usize, text: &str) {
    page[at..at + len].fill(b' ');
    put(page, at, text.as_bytes());
}

/// Identify Controller.
pub(super) fn controller(config: &NvmeConfig) -> Page {
    let mut page = [0; 4096];
    put_text(&mut page, 4, 20, "FAKE-0001");
    put_text(&mut page, 24, 40, "Fake NVMe Ctrl");
    page[77] = config.mdts;
    put(&mut page, 80, &config.version.to_le_bytes());
    put(&mut page, 92, &config.oaes.to_le_bytes());
    put(&mut page, 256, &config.oacs.to_le_bytes());
    page[258] = 3;
    page[259] = 3;
    page[512] = 0x66;
    page[513] = 0x44;
    put(&mut page, 516, &config.claimed_namespaces.to_le_bytes());
    put(&mut page, 520, &config.oncs.to_le_bytes());
    page[525] = 7;
    page[531] = config.nwpc;
    page
}

/// Identify Namespace.
pub(super) fn namespace(namespace: &FakeNamespace) -> Page {
    let mut page = [0; 4096];
    for at in [0, 8, 16] {
        put(&mut page, at, &namespace.blocks.to_le_bytes());
    }
    if namespace.preferred_blocks != 0 {
        page[24] = 1 << 4;
        put(
            &mut page,
            64,
            &(namespace.preferred_blocks - 1).to_le_bytes(),
        );
    }
    page[25] = namespace.format;
    page[26] = namespace.format;
    page[99] = u8::from(namespace.read_only);
    put(&mut page, 104, &namespace.nguid);
    put(&mut page, 120, &namespace.eui64);
    let format = 128 + 4 * usize::from(namespace.format);
    put(&mut page, format, &namespace.metadata_bytes.to_le_bytes());
    page[format + 2] = namespace.block_shift;
    page
}

/// Active namespaces above `after`.
pub(super) fn active(namespaces: &[FakeNamespace], after: u32) -> Page {
    let mut page = [0; 4096];
    let above = namespaces
        .iter()
        .map(|found| found.nsid)
        .filter(|&nsid| nsid > after);
    for (index, nsid) in above.take(1024).enumerate() {
        put(&mut page, 4 * index, &nsid.to_le_bytes());
    }
    page
}
