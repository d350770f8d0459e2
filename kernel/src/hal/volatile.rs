//! The one volatile access per width that MMIO and DMA are made of.
//!
//! Device memory is never referenced, only pointed to; each access is exactly one
//! load or store of the stated width.
#![expect(
    unsafe_code,
    reason = "a volatile access to a raw pointer; every other access in the kernel goes through these"
)]

use core::ptr::NonNull;
use volatile::VolatilePtr;

macro_rules! accessors {
    ($($width:ty: $load:ident, $store:ident;)*) => {$(
        /// One load.
        ///
        /// # Safety
        /// `base + offset_bytes` is mapped for the whole width, aligned to it, and
        /// no Rust reference to it exists.
        #[inline(always)]
        pub(super) unsafe fn $load(base: NonNull<u8>, offset_bytes: usize) -> $width {
            // SAFETY: the caller keeps the sum inside one mapping.
            let at = unsafe { base.add(offset_bytes) }.cast::<$width>();
            // SAFETY: valid, aligned and unreferenced, as the caller promises. The
            // other side of the memory is a device, not a thread of this program.
            let cell = unsafe { VolatilePtr::new_read_only(at) };
            cell.read()
        }

        /// One store.
        ///
        /// # Safety
        /// As for the load of this width.
        #[inline(always)]
        pub(super) unsafe fn $store(base: NonNull<u8>, offset_bytes: usize, value: $width) {
            // SAFETY: the caller keeps the sum inside one mapping.
            let at = unsafe { base.add(offset_bytes) }.cast::<$width>();
            // SAFETY: as for the load.
            let cell = unsafe { VolatilePtr::new(at) };
            cell.write(value);
        }
    )*};
}

accessors! {
    u8: load8, store8;
    u16: load16, store16;
    u32: load32, store32;
    u64: load64, store64;
}
