//! Physical frames, the heap, memory shared with devices, register windows.

pub mod dma;
pub mod mmio;
