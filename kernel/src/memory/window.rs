//! Address space that is given out once and never taken back.

const PAGE: u64 = 4096;
const LARGE_PAGE: u64 = 2 << 20;

/// A stretch of virtual addresses.
#[derive(Debug)]
pub struct Window {
    next: u64,
    end: u64,
}

impl Window {
    /// The addresses `start..end`.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self { next: start, end }
    }

    /// Addresses for `bytes` of registers at `phys`, both whole pages, with an
    /// unmapped page before them; congruent to `phys` where large pages can serve.
    pub fn take(&mut self, phys: u64, bytes: u64) -> Option<u64> {
        if bytes == 0 {
            return None;
        }
        let mut start = self.next.checked_add(PAGE)?;
        if bytes >= LARGE_PAGE {
            start = start.checked_next_multiple_of(LARGE_PAGE)? + phys % LARGE_PAGE;
        }
        let next = start.checked_add(bytes)?;
        if next > self.end {
            return None;
        }
        self.next = next;
        Some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_have_an_unmapped_page_between_them() {
        let mut window = Window::new(0x10_0000, 0x20_0000);
        assert_eq!(window.take(0xfee0_0000, 0x1000), Some(0x10_1000));
        assert_eq!(window.take(0xfec0_0000, 0x2000), Some(0x10_3000));
        assert_eq!(window.take(0xfec0_0000, 0x1000), Some(0x10_6000));
    }

    #[test]
    fn large_ones_are_congruent_so_that_large_pages_serve() {
        let mut window = Window::new(0x10_0000, 0x1000_0000);
        let start = window.take(0xe030_0000, 0x40_0000).unwrap();
        assert_eq!(start % LARGE_PAGE, 0x10_0000);
    }

    #[test]
    fn it_ends() {
        let mut window = Window::new(0x10_0000, 0x10_3000);
        assert_eq!(window.take(0, 0x3000), None);
        assert_eq!(window.take(0, 0), None);
        assert_eq!(window.take(0, u64::MAX - 0xfff), None);
        assert_eq!(window.take(0, 0x2000), Some(0x10_1000));
        assert_eq!(window.take(0, 0x1000), None);
    }
}
