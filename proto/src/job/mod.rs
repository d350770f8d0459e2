//! The job language: fio job files, in fio's meaning, plus keys that only a
//! probe can set.

mod params;

pub use params::{
    BlockSizes, DEFAULT_BS_BYTES, DEFAULT_RANDSEED, Extent, Params, Rw, Verify, Wait,
};
